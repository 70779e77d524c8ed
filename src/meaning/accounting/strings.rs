//! Every text of a document, wherever it stands: safe characters, and nothing that looks like a credential.

use serde_json::Value;

use crate::base::ids::EventId;
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::safety::{is_safe_line, is_safe_text};
use crate::base::schemas::Schema;
use crate::base::violations::Violations;

/// Reports `text-unsafe` and `credential-shaped` for every text of a document, names of unknown members too.
///
/// Members named in `lines` hold texts of one line. The depth is that of a strictly read document, at most 64.
pub fn check(schema: &Schema, lines: &[&str], value: &Value, search: &Search, violations: &mut Violations) {
    Walk { schema, lines, search, violations }.walk(value, &Pointer::root(), false);
}

struct Walk<'w> {
    schema: &'w Schema,
    lines: &'w [&'w str],
    search: &'w Search,
    violations: &'w mut Violations,
}

impl Walk<'_> {
    fn walk(&mut self, value: &Value, place: &Pointer, one_line: bool) {
        match value {
            Value::String(text) => self.text(text, place, one_line),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if !is_plain(item) {
                        self.walk(item, &place.index(index), one_line);
                    }
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let place = self.schema.step(place, name);
                    if self.schema.own_name(name).is_none() {
                        self.text(name, &place, true);
                    }
                    self.walk(member, &place, self.lines.contains(&name.as_str()));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, text: &str, place: &Pointer, one_line: bool) {
        if !is_safe_text(text) {
            self.violations.push(
                Code::TextUnsafe,
                place.clone(),
                "found a control, direction or invisible character, expected none",
            );
        } else if one_line && !is_safe_line(text) {
            self.violations.push(Code::TextUnsafe, place.clone(), "found a line break, expected one line");
        }
        if self.search.has_secret(text) {
            self.violations.push(
                Code::CredentialShaped,
                place.clone(),
                "found what looks like a secret, expected none; it is not repeated here",
            );
        }
    }
}

/// Event ids and ranges, of which a draft can hold a million, need no pointer and no look.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => EventId::parse(text).is_some(),
        Value::Number(_) => true,
        Value::Array(items) => items.iter().all(Value::is_number),
        _ => false,
    }
}

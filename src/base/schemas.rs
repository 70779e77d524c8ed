//! The JSON Schemas (draft 2020-12, closed) of every document, embedded in the binary, and the one check of a
//! document's shape. A new schema is one file in `schemas/` and one line in [`ALL`].
//!
//! What a check says is put in our own words: the keyword, what was expected and which kind of value was found.
//! It never repeats a value of the document; a member name that is not ours appears in the private pointer only.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;

use super::credential::has_secret;
use super::limits::SCHEMA_VALUES;
use super::pointer::{LEFT_OUT, Pointer};
use super::rules::Code;
use super::violations::Violations;

/// One embedded schema.
#[derive(Debug)]
pub struct Schema {
    /// The name for `recap schema NAME`; its file is `schemas/NAME.json`.
    pub name: &'static str,
    /// What it describes, in one line.
    pub title: &'static str,
    /// The schema itself.
    pub text: &'static str,
    compiled: &'static OnceLock<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    validator: Validator,
    /// Every member name that the schema gives, so that pointers can show it.
    names: BTreeSet<String>,
}

macro_rules! schemas {
    ($( $name:literal $title:literal; )*) => {
        /// Every schema.
        pub static ALL: &[Schema] = &[ $( Schema {
            name: $name,
            title: $title,
            text: include_str!(concat!("../../schemas/", $name, ".json")),
            compiled: {
                static COMPILED: OnceLock<Compiled> = OnceLock::new();
                &COMPILED
            },
        }, )* ];
    };
}

schemas! {
    "accounting-draft" "Accounting draft: who owns each event, as an author writes it";
    "accounting" "Sealed accounting: who owns each event of one ledger state";
    "synthesis-draft" "Synthesis draft: two views of the claims, as an author writes it";
    "manifest" "Manifest: the index of one boundary, its ledger and what is known about it";
    "event" "Event line: one observable thing of a session";
    "record" "Records line: what became of one record of the transcript";
    "relation" "Relation row: what was learnt later about an earlier event";
    "side-file" "Side-file row: what was found of a file that an event names";
    "observation" "Observation row: what an event shows that was attempted, and what its own result shows";
    "packets" "Packets document: which ledger state was cut, and the streams that hold the rows";
    "packet-row" "Packet row: a bounded slice for a reader";
    "episode-row" "Episode row: a run of events opened by a person's message or a long gap";
    "repeat-row" "Repeat row: three or more events in a row with the same surface and text";
    "set" "Set document: boundaries that belong together, their states, and what proves each edge";
    "edges-draft" "Edges draft: what passed over each edge of a boundary set, as an author writes it";
    "set-evidence" "Evidence of a handoff: the state of each member and the events behind each edge";
    "policy" "Policy: kinds that a team adds to the scrubber, and values that it allows";
    "receipt" "Receipt: what a stage did, without content";
    "violations" "Violations report: every listed place of a refused document";
    "attempts-line" "Attempts line: one checked draft, or one reset by a person";
    "evidence" "Evidence of a recap: what each of its lines rests on, whole";
    "recap" "Recap in JSON: what the page says, as members, with the digests that bind it";
    "check" "Check: what was found in published files, rule by rule";
    "chain" "Chain: how receipts of several stages belong to one another";
    "sessions" "Sessions: what the harnesses of this machine have written, newest first";
}

impl Schema {
    fn compiled(&self) -> &'static Compiled {
        self.compiled.get_or_init(|| compile(self.text))
    }

    /// The name as our own word, if the schema has a member of that name.
    pub fn own_name(&self, name: &str) -> Option<&'static str> {
        self.compiled().names.get(name).map(String::as_str)
    }

    /// The pointer one member deeper: our own words by name, all others as foreign. A foreign name that looks
    /// like a credential is not repeated even there.
    pub fn step(&self, pointer: &Pointer, name: &str) -> Pointer {
        match self.own_name(name) {
            Some(own) => pointer.member(own),
            None if has_secret(name) => pointer.foreign(LEFT_OUT),
            None => pointer.foreign(name),
        }
    }
}

/// Finds a schema by name.
pub fn find(name: &str) -> Option<&'static Schema> {
    ALL.iter().find(|schema| schema.name == name)
}

/// Checks the shape of a document and pushes one `schema-violation` a fault; true when the shape is right. A
/// name that is no schema is a fault of ours and fails closed.
pub fn check(name: &str, value: &Value, violations: &mut Violations) -> bool {
    let Some(schema) = find(name) else {
        violations.push(
            Code::SchemaViolation,
            Pointer::root(),
            "found no schema for this document, expected one",
        );
        return false;
    };
    let validator = &schema.compiled().validator;
    if validator.is_valid(value) {
        return true;
    }
    if is_vast(value) {
        // Each fault costs some hundred bytes before it can be counted: a hostile draft must not fill the memory.
        if let Err(error) = validator.validate(value) {
            report(schema, value, &error, violations);
        }
        return false;
    }
    for error in validator.iter_errors(value) {
        report(schema, value, &error, violations);
    }
    false
}

#[expect(
    clippy::expect_used,
    reason = "a unit test compiles every embedded schema, and their text is constant"
)]
fn compile(text: &str) -> Compiled {
    let value: Value = serde_json::from_str(text).expect("an embedded schema is JSON");
    let mut names = BTreeSet::new();
    collect_names(&value, &mut names);
    let validator = jsonschema::draft202012::new(&value).expect("an embedded schema compiles");
    Compiled { validator, names }
}

fn collect_names(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                names.extend(properties.keys().cloned());
            }
            for member in members.values() {
                collect_names(member, names);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_names(item, names);
            }
        }
        _ => {}
    }
}

/// True when the document holds more values than faults can be listed for in bounded memory.
fn is_vast(value: &Value) -> bool {
    let mut left = SCHEMA_VALUES;
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        match next {
            Value::Array(items) if items.len() > left => return true,
            Value::Object(members) if members.len() > left => return true,
            Value::Array(items) => {
                left -= items.len();
                open.extend(items);
            }
            Value::Object(members) => {
                left -= members.len();
                open.extend(members.values());
            }
            _ => {}
        }
    }
    false
}

fn report(schema: &Schema, document: &Value, error: &ValidationError<'_>, violations: &mut Violations) {
    let place = place_of(schema, document, error.instance_path().as_str());
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            for name in unexpected {
                violations.push(
                    Code::SchemaViolation,
                    schema.step(&place, name),
                    "found a member that is not ours, expected none",
                );
            }
        }
        kind => violations.push(Code::SchemaViolation, place, detail(kind, error.instance())),
    }
}

/// Follows the instance path through the document itself: only that tells an index from a member called `0`.
fn place_of(schema: &Schema, document: &Value, path: &str) -> Pointer {
    let mut place = Pointer::root();
    let mut here = Some(document);
    for step in path.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        match here {
            Some(Value::Array(items)) => {
                let index = name.parse().unwrap_or(usize::MAX);
                place = place.index(index);
                here = items.get(index);
            }
            _ => {
                place = schema.step(&place, &name);
                here = here.and_then(|value| value.get(&name));
            }
        }
    }
    place
}

/// What was expected, from the schema, and which kind of value was found; never the value.
fn detail(kind: &ValidationErrorKind, found: &Value) -> String {
    let found = kind_name(found);
    match kind {
        ValidationErrorKind::Required { property } => {
            format!("found no member `{}`, expected it", property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::Type { kind } => {
            let expected: Vec<String> = match kind {
                TypeKind::Single(single) => vec![type_name(*single).to_owned()],
                TypeKind::Multiple(several) => several.iter().map(|one| type_name(one).to_owned()).collect(),
            };
            format!("expected {}, found {found}", expected.join(" or "))
        }
        ValidationErrorKind::Enum { options } => {
            let listed: Vec<String> = options.as_array().into_iter().flatten().map(own_value).collect();
            format!("expected one of {}, found another {found}", listed.join(", "))
        }
        ValidationErrorKind::Constant { expected_value } => {
            format!("expected {}, found another {found}", own_value(expected_value))
        }
        ValidationErrorKind::Pattern { pattern } => {
            format!("expected a text of the form `{pattern}`, found another")
        }
        ValidationErrorKind::MinItems { limit } => format!("expected at least {limit} elements, found fewer"),
        ValidationErrorKind::MaxItems { limit } => format!("expected at most {limit} elements, found more"),
        ValidationErrorKind::MinLength { limit } => {
            format!("expected at least {limit} characters, found fewer")
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("expected at most {limit} characters, found more")
        }
        ValidationErrorKind::Minimum { limit } => {
            format!("expected a number of at least {limit}, found a smaller one")
        }
        ValidationErrorKind::Maximum { limit } => {
            format!("expected a number of at most {limit}, found a larger one")
        }
        other => format!(
            "expected what the keyword `{}` of the schema allows, found another {found}",
            other.keyword()
        ),
    }
}

/// A value of the schema, which is ours.
fn own_value(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => other.to_string(),
    }
}

const fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

const fn type_name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Null => "null",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Number => "a number",
        JsonType::String => "a text",
        JsonType::Array => "an array",
        JsonType::Object => "an object",
    }
}

#[cfg(test)]
mod samples;

#[cfg(test)]
mod tests {
    use super::{ALL, SCHEMA_VALUES, Value, Violations, check};

    fn faults(name: &str, document: &str) -> Vec<(String, String, String)> {
        let mut violations = Violations::default();
        let value = serde_json::from_str(document).unwrap();
        let right = check(name, &value, &mut violations);
        assert_eq!(right, violations.is_empty());
        let list = violations.sorted();
        list.iter().map(|one| (one.pointer.to_string(), one.pointer.shape(), one.detail.clone())).collect()
    }

    #[test]
    fn every_schema_compiles_and_carries_its_title() {
        for schema in ALL {
            assert!(!schema.compiled().names.is_empty());
            let value: Value = serde_json::from_str(schema.text).unwrap();
            assert_eq!(value["title"], schema.title, "{}", schema.name);
        }
    }

    #[test]
    fn a_name_that_is_no_schema_fails_closed() {
        assert_eq!(faults("no-such", "{}").len(), 1);
    }

    #[test]
    fn every_object_is_closed_and_nothing_reaches_outside() {
        fn walk(value: &Value, name: &str) {
            if value.get("properties").is_some() && value.get("type").is_some() {
                assert!(
                    value.get("additionalProperties").or(value.get("unevaluatedProperties"))
                        == Some(&Value::Bool(false)),
                    "{name}"
                );
            }
            assert!(value.get("uniqueItems").is_none(), "{name}");
            if let Some(target) = value.get("$ref").and_then(Value::as_str) {
                assert!(target.starts_with('#'), "{name}");
            }
            match value {
                Value::Object(members) => members.values().for_each(|member| walk(member, name)),
                Value::Array(items) => items.iter().for_each(|item| walk(item, name)),
                _ => {}
            }
        }
        for schema in ALL {
            walk(&serde_json::from_str(schema.text).unwrap(), schema.name);
        }
    }

    #[test]
    fn an_unknown_member_is_pointed_at_and_stays_out_of_the_shape() {
        let document =
            r#"{"schema_version":"recap.accounting.v1","claims":[],"low_signal_groups":[],"a/b":1}"#;
        let expected = (
            "/a~1b".to_owned(),
            "/*".to_owned(),
            "found a member that is not ours, expected none".to_owned(),
        );
        assert_eq!(faults("accounting-draft", document), [expected]);
    }

    #[test]
    fn a_wrong_class_lists_the_allowed_ones_and_not_the_found_one() {
        let document = r#"{"schema_version":"recap.accounting.v1","low_signal_groups":[],"claims":[
            {"claim_id":"a","kind":"goal","label":"x","select":{"class":"zebra","ranges":[[0,1]]}}]}"#;
        let found = faults("accounting-draft", document);
        assert_eq!(found[0].0, "/claims/0/select/class");
        assert_eq!(found[0].1, "/claims/*/select/class");
        assert!(found[0].2.contains("`error_result`") && !found[0].2.contains("zebra"));
    }

    #[test]
    fn a_member_that_looks_like_an_index_is_a_member() {
        let document =
            r#"{"schema_version":"recap.accounting.v1","claims":{"0":1},"low_signal_groups":[[]]}"#;
        let found = faults("accounting-draft", document);
        assert_eq!(found[0].2, "expected an array, found object");
        assert_eq!(
            (found[1].0.as_str(), found[1].2.as_str()),
            ("/low_signal_groups/0", "expected an object, found array")
        );
    }

    #[test]
    fn a_vast_broken_document_gives_one_fault_in_bounded_memory() {
        let numbers = vec![Value::from(1); SCHEMA_VALUES + 1];
        let value = serde_json::json!({"schema_version": "recap.accounting.v1", "claims": numbers, "low_signal_groups": []});
        let mut violations = Violations::default();
        check("accounting-draft", &value, &mut violations);
        assert_eq!(violations.counts().values().sum::<u64>(), 1);
    }
}

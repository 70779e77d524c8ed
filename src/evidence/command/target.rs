//! Which file a word of a command names: literally, by a variable that the same script sets once, or not at all.
//! Nothing is expanded beyond that.

use std::collections::BTreeMap;

use super::shell::directory::is_scratch;
use super::shell::member::Member;
use super::shell::word::{Form, Word};
use super::shell::wrapper::assignment;

/// What is known of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This one.
    File {
        /// Seen from where the session's commands start, else absolute.
        path: String,
        /// Below a temporary folder.
        scratch: bool,
    },
    /// One that the words do not name.
    Unnamed,
    /// No file: a device, a descriptor, standard output.
    None,
}

/// Variables that a script sets, as far as that is certain.
#[derive(Debug, Default)]
pub struct Variables(BTreeMap<String, Value>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Literal(String),
    /// Below a temporary folder, whatever its name is.
    Scratch,
    Unknown,
}

impl Variables {
    /// Takes over what a command sets; `before` is the command in front of it, which a substitution in it ran.
    pub fn learn(&mut self, member: &Member, before: Option<&Member>) {
        let declares = matches!(member.program(), Some("export" | "local" | "declare" | "readonly"));
        let declared = member.argv.iter().skip(1).filter(|_| declares).filter_map(assignment);
        let bare = member.assignments.iter().filter(|_| member.argv.is_empty()).cloned();
        for (name, word) in bare.chain(declared) {
            // Set twice: which of the values holds is not followed.
            let value = if self.0.contains_key(&name) { Value::Unknown } else { value(&word, before) };
            self.0.insert(name, value);
        }
    }

    /// The file that a word names.
    pub fn target(&self, member: &Member, word: &Word) -> Target {
        let text = word.text.as_str();
        if text.is_empty() || text == "-" {
            return Target::None;
        }
        match word.form {
            Form::Plain | Form::Tilde => file(member, text),
            Form::Pattern => match file(member, text) {
                Target::File { path, scratch: true } if !path.contains("..") => {
                    Target::File { path, scratch: true }
                }
                Target::None => Target::None,
                _ => Target::Unnamed,
            },
            Form::Expanded => self.expanded(member, text),
        }
    }

    fn expanded(&self, member: &Member, text: &str) -> Target {
        // `$TMPDIR/x` and `/tmp/x.$$` are scratch whatever else is in them.
        if is_scratch(text) && !text.contains("..") {
            return Target::File { path: text.to_owned(), scratch: true };
        }
        let Some((name, rest)) = variable(text) else { return Target::Unnamed };
        match self.0.get(name) {
            Some(Value::Literal(value)) => file(member, &format!("{value}{rest}")),
            Some(Value::Scratch) if !rest.contains("..") => {
                Target::File { path: text.to_owned(), scratch: true }
            }
            _ => Target::Unnamed,
        }
    }
}

fn value(word: &Word, before: Option<&Member>) -> Value {
    let temporary = || {
        let made = before.filter(|member| member.program() == Some("mktemp"));
        made.is_some_and(|member| {
            // A template of its own may lie anywhere.
            member.argv.iter().skip(1).all(|word| word.text.starts_with('-') || is_scratch(&word.text))
        })
    };
    match word.form {
        Form::Plain | Form::Tilde => Value::Literal(word.text.clone()),
        Form::Expanded if word.text == "$(…)" && temporary() => Value::Scratch,
        Form::Pattern | Form::Expanded if is_scratch(&word.text) && !word.text.contains("..") => {
            Value::Scratch
        }
        Form::Pattern | Form::Expanded => Value::Unknown,
    }
}

/// `$NAME/rest` and `${NAME}rest`, where the rest is literal.
fn variable(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('$')?;
    let (name, rest) = match inside.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => {
            let end = inside.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            inside.split_at(end.unwrap_or(inside.len()))
        }
    };
    let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (named && !rest.contains(['$', '*', '?', '[', '{', '`'])).then_some((name, rest))
}

fn file(member: &Member, text: &str) -> Target {
    if text.is_empty() {
        return Target::Unnamed;
    }
    let path = member.directory.resolve(text);
    if path == "/dev" || path.starts_with("/dev/") || path.starts_with("/proc/") {
        return Target::None;
    }
    let scratch = is_scratch(&path);
    Target::File { path, scratch }
}

/// A command that stands below a temporary folder.
pub fn stands_in_scratch(member: &Member) -> bool {
    member.directory.known().is_some_and(|folder| is_scratch(&format!("{folder}/")))
}

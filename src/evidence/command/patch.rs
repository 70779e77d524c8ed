//! Edits that a call carries itself: the text of a patch in every shape the harness has had, and the structured
//! edits. It says what was to happen, not that it did.

use super::observation::Operation;
use crate::evidence::transcript::json::Json;

/// One file to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// As written.
    pub path: String,
    /// What was to happen.
    pub operation: Operation,
    /// New path of a move.
    pub moved_to: Option<String>,
}

impl Change {
    /// Every path that it names.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        [Some(self.path.as_str()), self.moved_to.as_deref()].into_iter().flatten()
    }
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// The changes of a patch text: everything between its first begin and its last end mark.
pub fn changes(text: &str) -> Vec<Change> {
    let Some((_, inside)) = text.split_once(BEGIN) else { return Vec::new() };
    let inside = inside.rsplit_once(END).map_or(inside, |(inside, _)| inside);
    let mut all: Vec<Change> = Vec::new();
    // Only a line that begins with the mark is a header: context and added lines begin with a sign of their own.
    for line in inside.lines() {
        let header = |start: &str| line.strip_prefix(start).map(str::trim).filter(|path| !path.is_empty());
        if let Some(path) = header("*** Add File:") {
            all.push(change(path, Operation::Add));
        } else if let Some(path) = header("*** Update File:") {
            all.push(change(path, Operation::Update));
        } else if let Some(path) = header("*** Delete File:") {
            all.push(change(path, Operation::Delete));
        } else if let (Some(path), Some(last)) = (header("*** Move to:"), all.last_mut())
            && last.operation == Operation::Update
        {
            last.operation = Operation::Move;
            last.moved_to = Some(path.to_owned());
        }
    }
    all
}

fn change(path: &str, operation: Operation) -> Change {
    Change { path: path.to_owned(), operation, moved_to: None }
}

/// The changes of every literal patch in JavaScript: as lines, or with the escapes of a string. A header with a
/// placeholder of a template names no path and is left out.
pub fn changes_in_code(code: &str) -> Vec<Change> {
    let mut all = Vec::new();
    let mut rest = code;
    while let Some((_, from)) = rest.split_once(BEGIN) {
        let Some((inside, behind)) = from.split_once(END) else { break };
        let lines = if inside.trim_start_matches([' ', '\r']).starts_with('\n') {
            inside.to_owned()
        } else {
            unescape(inside)
        };
        all.extend(changes(&format!("{BEGIN}{lines}{END}")).into_iter().filter(|change| {
            !change.path.contains("${") && !change.moved_to.as_ref().is_some_and(|path| path.contains("${"))
        }));
        rest = behind;
    }
    all
}

/// The escapes that matter for lines and paths.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    out
}

/// The changes of a harness item: `{path: {type, move_path}}`.
pub fn changes_of_item(changes: &Json<'_>) -> Vec<Change> {
    let one = |path: &str, value: &Json<'_>| {
        // Older items nest the kind: `{"update": {…}}`.
        let nested = ["add", "delete", "update"].into_iter().find(|kind| value.get(kind).is_object());
        let kind = value.get("type").as_str().or(nested)?;
        let body = nested.map_or(value, |kind| value.get(kind));
        let moved_to = body.get("move_path").as_str().map(str::to_owned);
        let operation = match (kind, &moved_to) {
            ("add", _) => Operation::Add,
            ("delete", _) => Operation::Delete,
            ("update", Some(_)) => Operation::Move,
            ("update", None) => Operation::Update,
            _ => return None,
        };
        Some(Change { path: path.to_owned(), operation, moved_to })
    };
    changes.members().iter().filter_map(|(path, value)| one(path, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Change, changes, changes_in_code, changes_of_item};
    use crate::evidence::command::observation::Operation;
    use crate::evidence::transcript::json::Json;

    fn list(changes: &[Change]) -> Vec<(&str, Operation, Option<&str>)> {
        changes
            .iter()
            .map(|change| (change.path.as_str(), change.operation, change.moved_to.as_deref()))
            .collect()
    }

    #[test]
    fn headers_are_read_and_content_is_not() {
        let text = "*** Begin Patch\n*** Add File: a b.txt\n+*** Delete File: no\n*** Update File: c\n*** Move to: d\n@@\n-x\n *** Add File: no\n*** Delete File: e\n*** End Patch";
        assert_eq!(
            list(&changes(text)),
            [
                ("a b.txt", Operation::Add, None),
                ("c", Operation::Move, Some("d")),
                ("e", Operation::Delete, None)
            ]
        );
        assert!(changes("*** Update File: a").is_empty());
    }

    #[test]
    fn code_holds_patches_as_lines_or_escaped() {
        let code = "await tools.apply_patch(\"*** Begin Patch\\n*** Update File: a.txt\\n@@\\n-x\\n+y\\n*** End Patch\\n\");\n\
                    await tools.apply_patch(`*** Begin Patch\n*** Add File: b\n+x\n*** Add File: ${c}\n+x\n*** End Patch`)";
        assert_eq!(
            list(&changes_in_code(code)),
            [("a.txt", Operation::Update, None), ("b", Operation::Add, None)]
        );
    }

    #[test]
    fn items_name_kinds_in_both_ways() {
        let json = r#"{"a":{"type":"add","content":"x"},"b":{"type":"update","unified_diff":"","move_path":"c"},"d":{"update":{"unified_diff":"","move_path":null}},"e":{"delete":{}},"f":{}}"#;
        let parsed = Json::parse(json, &[]).unwrap();
        assert_eq!(
            list(&changes_of_item(&parsed.value)),
            [
                ("a", Operation::Add, None),
                ("b", Operation::Move, Some("c")),
                ("d", Operation::Update, None),
                ("e", Operation::Delete, None)
            ]
        );
    }
}

//! A case is one file: a document of a ground, the smallest change of it, and everything that must be found then.
//!
//! ```json
//! { "says": "why this is wrong, or why it is right although it looks wrong",
//!   "of": "kiln/synthesis-draft",
//!   "edit": [ {"op": "replace", "path": "/story/0/id", "value": "A"} ],
//!   "text": [ {"find": "\"id\"", "put": "\"ID\""} ],
//!   "expect": [ "id-malformed /story/0/id" ],
//!   "counts": { "id-malformed": 1 }, "attempt": false }
//! ```
//!
//! `edit` changes the value and `text` the bytes, see `edit.rs`. `expect` has all violations by place and then by the
//! table. `counts` stands only where more were found than are listed; the places of such a code are compared by their
//! shapes, once. `attempt` says whether the draft counts as a failed attempt. `before` holds drafts that were judged
//! before, each as a list of edits: then the stages judge, in a folder of their own.

use std::collections::BTreeMap;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::violations::Violations;
use serde::Deserialize;
use serde_json::Value;

use super::edit;
use super::ground::{Document, Ground, value_of};

/// One file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub says: String,
    of: String,
    #[serde(default)]
    edit: Vec<Value>,
    #[serde(default)]
    text: Vec<Value>,
    #[serde(default)]
    pub before: Vec<Vec<Value>>,
    #[serde(default)]
    pub expect: Vec<String>,
    #[serde(default)]
    pub counts: BTreeMap<String, u64>,
    pub attempt: Option<bool>,
}

impl Case {
    /// Reads a file; what only a run knows stays as it is written.
    pub fn read(file: &Utf8Path) -> Self {
        let text = fs::read_to_string(file).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        Self::deserialize(&value).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Name of the ground and kind of the document.
    pub fn base(&self) -> (&str, Document) {
        let (ground, name) = self.of.split_once('/').unwrap();
        (ground, Document::ALL.into_iter().find(|document| document.name() == name).unwrap())
    }

    /// The document of the case.
    pub fn bytes(&self, ground: &Ground) -> Vec<u8> {
        self.written(ground, &self.edit, &self.text)
    }

    /// The documents that were judged before it.
    pub fn earlier(&self, ground: &Ground) -> Vec<Vec<u8>> {
        self.before.iter().map(|edit| self.written(ground, edit, &[])).collect()
    }

    fn written(&self, ground: &Ground, edits: &[Value], text: &[Value]) -> Vec<u8> {
        let base = ground.document(self.base().1);
        let filled = |value: &Value| value_of_case(&ground.filled(&value.to_string()));
        let mut bytes = if edits.is_empty() {
            base.as_bytes().to_vec()
        } else {
            let mut value = value_of(base);
            edits.iter().for_each(|operation| edit::apply(&mut value, &filled(operation)));
            serde_json::to_vec_pretty(&value).unwrap()
        };
        text.iter().for_each(|change| edit::apply_to_text(&mut bytes, &filled(change)));
        bytes
    }

    /// What was found instead of what is expected; nothing when all is as the case says.
    pub fn differs(&self, found: &Violations) -> Option<String> {
        let is_cut = |code: &str| self.counts.contains_key(code);
        let mut listed: Vec<String> = Vec::new();
        for violation in found.sorted() {
            let code = violation.code.as_str();
            let place = if is_cut(code) { violation.pointer.shape() } else { violation.pointer.to_string() };
            let line = format!("{code} {place}");
            if !(is_cut(code) && listed.contains(&line)) {
                listed.push(line);
            }
        }
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for line in &self.expect {
            *counts.entry(line.split(' ').next().unwrap().to_owned()).or_default() += 1;
        }
        counts.extend(self.counts.clone());
        let exact: BTreeMap<String, u64> =
            found.counts().iter().map(|(code, count)| (code.as_str().to_owned(), *count)).collect();
        let details = || {
            let all = found.sorted().into_iter().take(12);
            all.map(|one| format!("\n    {} {}: {}", one.code.as_str(), one.pointer, one.detail))
                .collect::<String>()
        };
        (listed != self.expect || counts != exact)
            .then(|| format!("expected {:?}, found{}", self.expect, details()))
    }
}

/// Cases may hold numbers that no document may.
fn value_of_case(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// All cases below a folder of `golden`, by the code that their folder is named for.
pub fn all(folder: &str) -> Vec<(String, Utf8PathBuf, Case)> {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(folder);
    let below = |folder: &Utf8Path| -> Vec<Utf8PathBuf> {
        let mut found: Vec<_> =
            folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path()).collect();
        found.sort();
        found
    };
    let mut cases = Vec::new();
    for folder in below(&root).into_iter().filter(|folder| folder.file_name() != Some("documents")) {
        for file in below(&folder) {
            let case = Case::read(&file);
            cases.push((folder.file_name().unwrap().to_owned(), file, case));
        }
    }
    cases
}

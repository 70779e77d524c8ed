//! The table of codes: each is written alike, stands once and is said somewhere.

use std::collections::BTreeSet;

use recap::base::rules::{Area, Code};

use crate::tidy::tokens::Kind;
use crate::tidy::tree::Tree;

/// The file of the table; that a code stands there is no use of it.
const TABLE: &str = "src/base/rules.rs";

/// Areas whose stages are not all written yet. A row goes when its stage comes.
const AWAITED: [(Area, &str); 0] = [];

/// Codes that are not lower-case words joined by hyphens, or that stand twice.
pub fn ill_written() -> Vec<String> {
    let mut seen = BTreeSet::new();
    let is_good = |code: &str| {
        code.starts_with(|letter: char| letter.is_ascii_lowercase())
            && code.split('-').all(|word| {
                !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
            })
    };
    let codes = Code::ALL.iter().map(|code| code.as_str());
    codes.filter(|code| !is_good(code) || !seen.insert(*code)).map(str::to_owned).collect()
}

/// Codes that are said nowhere: neither as `Code::Name` nor by their text.
pub fn unused(tree: &Tree) -> Vec<String> {
    let mut names = BTreeSet::new();
    for module in tree.modules.values().filter(|module| !module.only_tests && module.file != TABLE) {
        let words = module.logic.iter().filter(|token| token.kind != Kind::Mark);
        names.extend(words.map(|token| token.text.as_str()));
    }
    let is_used = |code: &Code| names.contains(format!("{code:?}").as_str()) || names.contains(code.as_str());
    let is_awaited = |code: &Code| AWAITED.iter().any(|(area, _)| *area == code.rule().area);
    let unused = Code::ALL.iter().filter(|code| !is_used(code) && code.rule().retired.is_none());
    unused.filter(|code| !is_awaited(code)).map(|code| format!("{} ({:?})", code.as_str(), code.rule().area)).collect()
}

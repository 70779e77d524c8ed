//! The table of codes: each is written alike, stands once and is said somewhere.

use std::collections::BTreeSet;

use recap::base::rules::Code;

use crate::tidy::tokens::Kind;
use crate::tidy::tree::Tree;

/// The file of the table; that a code stands there is no use of it.
const TABLE: &str = "src/base/rules.rs";

/// Codes whose speaker is not written yet, and who that is. A row that is used has to go.
const AWAITED: [(Code, &str); 0] = [];

/// Codes that are not lower-case words joined by hyphens, or that stand twice.
pub fn ill_written() -> Vec<String> {
    let mut seen = BTreeSet::new();
    let is_good = |code: &str| {
        code.starts_with(|letter: char| letter.is_ascii_lowercase())
            && code.split('-').all(|word| {
                !word.is_empty()
                    && word.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
            })
    };
    let codes = Code::ALL.iter().map(|code| code.as_str());
    codes.filter(|code| !is_good(code) || !seen.insert(*code)).map(str::to_owned).collect()
}

/// Codes that are said nowhere, neither by their name nor by their text, and codes that are awaited in vain.
pub fn unused(tree: &Tree) -> Vec<String> {
    let mut names = BTreeSet::new();
    for module in tree.modules.values().filter(|module| !module.only_tests && module.file != TABLE) {
        let words = module.logic.iter().filter(|token| token.kind != Kind::Mark);
        names.extend(words.map(|token| token.text.as_str()));
    }
    let is_used = |code: &Code| names.contains(format!("{code:?}").as_str()) || names.contains(code.as_str());
    let is_awaited = |code: &Code| AWAITED.iter().any(|(awaited, _)| awaited == code);
    let mut found = Vec::new();
    for code in Code::ALL.iter().filter(|code| code.rule().retired.is_none()) {
        match (is_used(code), is_awaited(code)) {
            (false, false) => {
                found.push(format!("{} ({:?}): nothing says it", code.as_str(), code.rule().area))
            }
            (true, true) => {
                found.push(format!("{}: no longer awaited, its row in this test can go", code.as_str()))
            }
            (true, false) | (false, true) => {}
        }
    }
    found
}

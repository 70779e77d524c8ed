//! What holds of every text that an author writes, whatever document it stands in: its length, its characters, and that it
//! carries no secret, by the policy that the ledger was collected with.

use crate::base::limits::SUMMARY_CHARS;
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::safety::{is_safe_line, is_safe_text};
use crate::base::violations::Violations;

/// A summary or a caveat: some sentences, with line breaks where the author wants them.
pub fn paragraph(text: &str, place: &Pointer, search: &Search, violations: &mut Violations) {
    length(text, SUMMARY_CHARS, place, violations);
    if !is_safe_text(text) {
        violations.push(Code::TextUnsafe, place.clone(), "control, bidirectional or invisible characters");
    }
    secret(text, place, search, violations);
}

/// A text is neither empty nor longer than its limit in characters.
pub fn length(text: &str, most: usize, place: &Pointer, violations: &mut Violations) {
    if text.trim().is_empty() {
        violations.push(Code::TextEmpty, place.clone(), "write it");
    }
    let characters = text.chars().count();
    if characters > most {
        violations.push(Code::TextTooLong, place.clone(), format!("{characters} characters, at most {most}"));
    }
}

/// Every one of them stays on its line, see [`line`].
pub fn lines(texts: &[String], place: &Pointer, search: &Search, violations: &mut Violations) {
    for (index, text) in texts.iter().enumerate() {
        line(text, &place.index(index), search, violations);
    }
}

/// A title, an id or a path: safe characters on one line, and nothing that looks like a credential.
pub fn line(text: &str, place: &Pointer, search: &Search, violations: &mut Violations) {
    if !is_safe_line(text) {
        violations.push(Code::TextUnsafe, place.clone(), "one line without control or invisible characters");
    }
    secret(text, place, search, violations);
}

fn secret(text: &str, place: &Pointer, search: &Search, violations: &mut Violations) {
    if search.has_secret(text) {
        violations.push(Code::CredentialShaped, place.clone(), "leave the value out");
    }
}

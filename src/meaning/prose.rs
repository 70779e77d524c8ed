//! What holds of the length of every text that an author writes, whatever document it stands in. Which characters a text
//! may hold, and that it carries no secret, is asked of the document as it was read: `accounting/strings.rs`.

use crate::base::limits::{RENDER_WORDS, SUMMARY_CHARS};
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;

/// A summary or a caveat: some sentences.
pub fn paragraph(text: &str, place: &Pointer, violations: &mut Violations) {
    length(text, SUMMARY_CHARS, place, violations);
}

/// A text is neither empty nor longer than its limit in characters.
pub fn length(text: &str, most: usize, place: &Pointer, violations: &mut Violations) {
    if text.trim().is_empty() {
        violations.push(Code::TextEmpty, place.clone(), "found nothing but spaces, expected words");
    }
    let characters = text.chars().count();
    if characters > most {
        violations.push(
            Code::TextTooLong,
            place.clone(),
            format!("found {characters} characters, expected at most {most}"),
        );
    }
}

/// A recap has no more words than the cap, whoever counts them.
pub fn recap_length(words: usize, violations: &mut Violations) {
    if words > RENDER_WORDS {
        let detail = format!("found {words} words, expected at most {RENDER_WORDS}");
        violations.push(Code::RenderTooLong, Pointer::root(), detail);
    }
}

//! Ids and texts: their form and their length. What no text of the document may hold is asked of the document as it
//! was read, see `accounting/strings.rs`. Nothing here looks at evidence.

use std::collections::HashSet;

use crate::base::limits::LABEL_CHARS;
use crate::base::rules::Code;
use crate::base::safety::is_author_id;
use crate::base::violations::Violations;
use crate::meaning::prose::{length, paragraph};
use crate::meaning::synthesis::expanded::{Expanded, View};

pub(super) fn check(synthesis: &Expanded, violations: &mut Violations) {
    let mut ids = HashSet::new();
    for view in synthesis.views() {
        let place = view.pointer.member("id");
        if !is_author_id(view.id) {
            violations.push(
                Code::IdMalformed,
                place.clone(),
                "found another form, expected lower-case words joined by hyphens, at most 48 characters",
            );
        }
        if !ids.insert(view.id) {
            violations.push(
                Code::ItemIdDuplicate,
                place,
                "found the id of an item before it, expected another",
            );
        }
        texts(&view, violations);
    }
}

fn texts(view: &View<'_>, violations: &mut Violations) {
    if let Some(title) = view.title {
        length(title, LABEL_CHARS, &view.pointer.member("title"), violations);
    }
    for (text, member) in [(Some(view.summary), "summary"), (view.caveat, "caveat")] {
        let Some(text) = text else { continue };
        paragraph(text, &view.pointer.member(member), violations);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::meaning::synthesis::testing::{Case, secret};

    #[test]
    fn ids_are_plain_and_each_is_used_once() {
        let case = Case::new();
        case.accepts(|draft| draft["story"][0]["id"] = json!("a"));
        case.refuses(|draft| draft["story"][0]["id"] = json!("A"), &["id-malformed /story/0/id"]);
        case.refuses(|draft| draft["story"][0]["id"] = json!("headline"), &["item-id-duplicate /story/0/id"]);
    }

    #[test]
    fn texts_are_neither_empty_nor_too_long() {
        let case = Case::new();
        case.accepts(|draft| draft["story"][0]["title"] = json!("x".repeat(160)));
        case.refuses(
            |draft| draft["story"][0]["title"] = json!("x".repeat(161)),
            &["text-too-long /story/0/title"],
        );
        case.accepts(|draft| draft["headline"]["summary"] = json!("\u{e9}".repeat(1_200)));
        case.refuses(
            |draft| draft["headline"]["summary"] = json!("\u{e9}".repeat(1_201)),
            &["text-too-long /headline/summary"],
        );
        let rejected = case
            .refuses(|draft| draft["headline"]["summary"] = json!(" "), &["text-empty /headline/summary"]);
        assert!(!rejected.counts_as_attempt);
        case.accepts(|draft| draft["story"][0]["caveat"] = json!("x"));
        case.refuses(|draft| draft["story"][0]["caveat"] = json!(""), &["text-empty /story/0/caveat"]);
    }

    #[test]
    fn unsafe_characters_are_refused_wherever_they_stand() {
        let case = Case::new();
        case.accepts(|draft| draft["story"][0]["summary"] = json!("one\ntwo"));
        case.refuses(|draft| draft["story"][0]["title"] = json!("one\ntwo"), &["text-unsafe /story/0/title"]);
        case.refuses(
            |draft| draft["story"][0]["summary"] = json!("a\u{202e}b"),
            &["text-unsafe /story/0/summary"],
        );
    }

    #[test]
    fn a_credential_is_refused_in_any_string() {
        let case = Case::new();
        case.refuses(
            |draft| draft["story"][0]["summary"] = json!(secret()),
            &["credential-shaped /story/0/summary"],
        );
        case.refuses(
            |draft| draft["changes"][0]["paths"] = json!([secret()]),
            &["credential-shaped /changes/0/paths/0", "change-path-unobserved /changes/0/paths/0"],
        );
        case.refuses(
            |draft| draft["coverage"]["low_signal_group_ids"] = json!(["looking", secret()]),
            &[
                "credential-shaped /coverage/low_signal_group_ids/1",
                "coverage-group-unknown /coverage/low_signal_group_ids/1",
            ],
        );
    }
}

//! Ids and texts: their form, their length, what they must not hold. Nothing here looks at evidence.

use std::collections::HashSet;

use crate::base::limits::LABEL_CHARS;
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::safety::is_author_id;
use crate::base::violations::Violations;
use crate::meaning::prose::{length, line, lines, paragraph};
use crate::meaning::synthesis::expanded::{Expanded, View};

pub(super) fn check(synthesis: &Expanded, search: &Search, violations: &mut Violations) {
    let mut ids = HashSet::new();
    for view in synthesis.views() {
        let place = view.pointer.member("id");
        if !is_author_id(view.id) {
            violations.push(Code::IdMalformed, place.clone(), "for example `story-1`");
        }
        if !ids.insert(view.id) {
            violations.push(Code::ItemIdDuplicate, place, "an item before it has this id");
        }
        texts(&view, search, violations);
    }
    for change in &synthesis.changes.items {
        lines(&change.item.section.paths, &change.pointer.member("paths"), search, violations);
        lines(&change.item.section.commits, &change.pointer.member("commits"), search, violations);
    }
    if let Some(coverage) = &synthesis.coverage {
        let place = Pointer::root().member("coverage").member("low_signal_group_ids");
        lines(&coverage.low_signal_group_ids, &place, search, violations);
    }
}

fn texts(view: &View<'_>, search: &Search, violations: &mut Violations) {
    line(view.id, &view.pointer.member("id"), search, violations);
    if let Some(title) = view.title {
        let place = view.pointer.member("title");
        length(title, LABEL_CHARS, &place, violations);
        line(title, &place, search, violations);
    }
    for (text, member) in [(Some(view.summary), "summary"), (view.caveat, "caveat")] {
        let Some(text) = text else { continue };
        paragraph(text, &view.pointer.member(member), search, violations);
    }
    lines(view.claims, &view.pointer.member("accounting_claim_ids"), search, violations);
    for (index, git) in view.git.iter().enumerate() {
        let place = view.pointer.member("git_evidence").index(index);
        line(&git.repository, &place.member("repository"), search, violations);
        line(&git.kind, &place.member("kind"), search, violations);
        line(&git.value, &place.member("value"), search, violations);
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

//! A synthesis that a person decided to publish, held against what it shows by itself. It must be the expanded form:
//! shorthand means something only beside its ledger. Nothing here can make a draft valid; that takes the evidence.

use serde_json::Value;

use super::document::Item;
use super::draft::{Draft, DraftItem, LINES, Placed, Section};
use super::expanded::{Expanded, Given, Resolved};
use super::rules;
use crate::base::digest::Digest;
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::violations::Violations;
use crate::meaning::accounting::strings;

/// What a published synthesis shows by itself.
#[derive(Debug)]
pub struct Published {
    /// Every part has its shape.
    pub shaped: bool,
    /// Nothing is left to expansion.
    pub expanded: bool,
    /// The digest of the RFC 8785 bytes, as receipts have it, where it is shaped and expanded.
    pub document_sha256: Option<Digest>,
    /// Texts that every render of it shows, a line each; none where it is not shaped and expanded.
    pub prose: String,
}

/// Holds a document against every rule, or part of one, that needs nothing beside it.
pub fn check(value: &Value, violations: &mut Violations) -> Published {
    let mut found = Violations::default();
    schemas::check("synthesis-draft", value, &mut found);
    let mut shape = Violations::default();
    let read = Draft::read(value, &mut shape);
    // The schema says more exactly what is wrong; what only the reader refuses must not pass either.
    if found.is_empty() {
        found = shape;
    }
    let shaped = found.is_empty();
    let Some(draft) = read else {
        violations.extend(found);
        return Published { shaped: false, expanded: false, document_sha256: None, prose: String::new() };
    };
    let mut left = Violations::default();
    let synthesis = as_written(draft, &mut left);
    let expanded = left.is_empty();
    found.extend(left);
    rules::check_by_itself(&synthesis, expanded, &mut found);
    // Texts of the whole document, also where a part has not its shape: a secret there is published all the same.
    if let Some(schema) = schemas::find("synthesis-draft") {
        strings::check(schema, &LINES, value, &Search::default(), &mut found);
    }
    violations.extend(found);
    if !(shaped && expanded) {
        return Published { shaped, expanded, document_sha256: None, prose: String::new() };
    }
    let texts = synthesis.views().flat_map(|view| [view.title, Some(view.summary), view.caveat]);
    let prose = texts.flatten().fold(String::new(), |prose, text| prose + text + "\n");
    let document_sha256 = synthesis.into_synthesis().and_then(|synthesis| synthesis.digest().ok());
    Published { shaped, expanded, document_sha256, prose }
}

/// The draft as it stands; an item that leaves something to expansion is pushed and keeps what it has.
fn as_written(draft: Draft, violations: &mut Violations) -> Expanded {
    Expanded {
        manifest_sha256: draft.manifest_sha256,
        accounting_sha256: draft.accounting_sha256,
        headline: section(draft.headline, violations),
        story: section(draft.story, violations),
        timeline: section(draft.timeline, violations),
        changes: section(draft.changes, violations),
        verification: section(draft.verification, violations),
        failures_recoveries: section(draft.failures_recoveries, violations),
        final_state: section(draft.final_state, violations),
        open_work: section(draft.open_work, violations),
        coverage: draft.coverage,
    }
}

fn section<S>(section: Section<Placed<DraftItem<S>>>, violations: &mut Violations) -> Section<Resolved<S>> {
    let whole = section.whole;
    let items = section.items.into_iter().map(|placed| item(placed, violations));
    Section { items: items.collect(), whole }
}

fn item<S>(placed: Placed<DraftItem<S>>, violations: &mut Violations) -> Resolved<S> {
    let Placed { pointer, item } = placed;
    let unresolved = left_out(&item, &pointer, violations);
    let claims = item.accounting_claim_ids.as_ref().map_or(0, Vec::len);
    Resolved {
        pointer,
        given: Given::Ids,
        unresolved,
        claim_places: (0..claims).collect(),
        item: Item {
            id: item.id,
            title: item.title,
            summary: item.summary,
            source_label: item.source_label,
            accounting_claim_ids: item.accounting_claim_ids.unwrap_or_default(),
            evidence_ids: item.evidence_ids.unwrap_or_default(),
            caveat: item.caveat,
            git_evidence: item.git_evidence,
            section: item.section,
        },
    }
}

/// Pushes what an item leaves to expansion.
fn left_out<S>(item: &DraftItem<S>, pointer: &Pointer, violations: &mut Violations) -> bool {
    let ranges = item.evidence_ranges.is_some();
    let missing = [
        (item.evidence_ids.is_none() && !ranges, "evidence_ids"),
        (item.accounting_claim_ids.is_none(), "accounting_claim_ids"),
    ];
    if ranges {
        violations.push(Code::NotExpanded, pointer.member("evidence_ranges"), "ranges stand for events");
    }
    for (_, member) in missing.iter().filter(|(missing, _)| *missing) {
        violations.push(Code::NotExpanded, pointer.clone(), format!("`{member}` is left out"));
    }
    ranges || missing.iter().any(|(missing, _)| *missing)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Published, Violations, check};
    use crate::meaning::synthesis::testing::{Case, draft};
    use crate::meaning::synthesis::validated::expanded_bytes;

    fn checked(value: &Value) -> (Published, Vec<String>) {
        let mut violations = Violations::default();
        let published = check(value, &mut violations);
        let places = violations.sorted();
        (published, places.iter().map(|one| format!("{} {}", one.code.as_str(), one.pointer)).collect())
    }

    #[test]
    fn an_expanded_synthesis_has_the_digest_that_receipts_have_and_its_prose() {
        let validated = Case::new().accepts(|_| {});
        let (published, found) = checked(&serde_json::from_slice(&expanded_bytes(&validated)).unwrap());
        assert_eq!((found.as_slice(), published.shaped, published.expanded), (&[][..], true, true));
        assert_eq!(published.document_sha256, Some(validated.document_sha256()));
        assert!(published.prose.starts_with("The parser is fixed and tested.\nTitle of story-1\n"));
    }

    #[test]
    fn what_is_left_to_expansion_has_neither_digest_nor_prose() {
        let validated = Case::new().accepts(|_| {});
        let whole: Value = serde_json::from_slice(&expanded_bytes(&validated)).unwrap();
        let mut ranges = whole.clone();
        ranges["story"][0].as_object_mut().unwrap().remove("evidence_ids");
        ranges["story"][0]["evidence_ranges"] = json!([[0, 0]]);
        let mut claims = whole.clone();
        claims["timeline"][0].as_object_mut().unwrap().remove("accounting_claim_ids");
        let mut events = whole;
        events["open_work"][0].as_object_mut().unwrap().remove("evidence_ids");
        for (written, expected) in [
            (ranges, "not-expanded /story/0/evidence_ranges"),
            (claims, "not-expanded /timeline/0"),
            (events, "not-expanded /open_work/0"),
        ] {
            let (published, found) = checked(&written);
            assert_eq!(found, [expected]);
            assert!(published.shaped && !published.expanded);
            assert_eq!((published.document_sha256, published.prose.as_str()), (None, ""));
        }
    }

    #[test]
    fn events_without_a_claim_are_told_by_the_section_that_holds_them() {
        let validated = Case::new().accepts(|_| {});
        let whole: Value = serde_json::from_slice(&expanded_bytes(&validated)).unwrap();
        for (section, code) in
            [("timeline", "timeline-claim-missing"), ("final_state", "evidence-outside-claims")]
        {
            let mut written = whole.clone();
            written[section][0]["accounting_claim_ids"] = json!([]);
            let expected = format!("{code} /{section}/0/accounting_claim_ids");
            let (_, found) = checked(&written);
            assert!(found.contains(&expected), "{found:?}");
        }
    }

    #[test]
    fn what_has_not_its_shape_has_neither_digest_nor_prose() {
        let mut written = draft();
        written["story"][1]["summary"] = json!(7);
        let (published, _) = checked(&written);
        assert!(!published.shaped);
        assert_eq!((published.document_sha256, published.prose.as_str()), (None, ""));
    }
}

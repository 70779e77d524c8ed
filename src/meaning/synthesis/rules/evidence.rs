//! Items stand on events of the claims that they name, and on more than marks where a secret stood.

use std::collections::HashSet;

use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::SourceLabel;
use crate::meaning::synthesis::expanded::{Expanded, Given, Part, View};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    for view in synthesis.views() {
        let claims_known = claims(&view, basis, violations);
        if view.evidence.is_empty() {
            let told = view.unresolved || !claims_known;
            if view.label != SourceLabel::VerifiedNow && !told {
                violations.push(
                    Code::EvidenceMissing,
                    view.pointer.clone(),
                    "found no event, expected at least one",
                );
            }
            continue;
        }
        events(&view, basis, violations);
        if view.caveat.is_none() && rests_on_redactions(&view, basis) {
            violations.push(
                Code::RedactionBlocksEvidence,
                view.pointer.clone(),
                "found nothing but redaction marks, expected a caveat that says what is hidden",
            );
        }
    }
}

/// True when an item has events and all of them are nothing but redaction marks. A fact that a probe
/// verifies rests on the probe.
pub fn rests_on_redactions(view: &View<'_>, basis: &Evidence<'_>) -> bool {
    let mut rows = basis.rows(view.evidence).peekable();
    view.label != SourceLabel::VerifiedNow && rows.peek().is_some() && rows.all(|row| row.only_redactions)
}

fn claims(view: &View<'_>, basis: &Evidence<'_>, violations: &mut Violations) -> bool {
    let mut known = true;
    for (index, id) in view.claims.iter().enumerate() {
        if basis.accounting.claim(id).is_none() {
            known = false;
            violations.push(
                Code::ClaimUnknown,
                view.place_of_claim(index),
                "found the id of no claim, expected one of the sealed accounting",
            );
        }
    }
    known
}

fn events(view: &View<'_>, basis: &Evidence<'_>, violations: &mut Violations) {
    let named: HashSet<&str> = view.claims.iter().map(String::as_str).collect();
    let mut seen = HashSet::with_capacity(view.evidence.len());
    let mut outside = 0_u64;
    for (index, event) in view.evidence.iter().enumerate() {
        if !seen.insert(*event) {
            let detail = format!("found {event} a second time, expected it once");
            violations.push(Code::EvidenceDuplicate, view.place_of_event(index), detail);
        }
        let owner = basis.owner(*event);
        // In the timeline a missing claim of an owned event has a code of its own.
        let carried = match (owner, view.part) {
            (Some(_), Part::Timeline) => true,
            (Some(owner), _) => named.contains(owner),
            (None, _) => false,
        };
        if !carried {
            outside += 1;
            // Shorthand has one place for all events; once says it.
            if view.given == Given::Ids || outside == 1 {
                let owner = match owner {
                    Some(id) => format!("owned by `{id}`"),
                    None if basis.table.find(*event).is_none() => {
                        "no event of this ledger has that id".to_owned()
                    }
                    None => "owned by no claim".to_owned(),
                };
                let detail = format!("found {event}, {owner}; expected events of the item's own claims");
                violations.push(Code::EvidenceOutsideClaims, view.place_of_event(index), detail);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::meaning::synthesis::testing::{Case, ids};

    #[test]
    fn claims_are_those_of_the_accounting() {
        Case::new().refuses(
            |draft| draft["headline"]["accounting_claim_ids"] = json!(["goal-1", "goal-2"]),
            &["claim-unknown /headline/accounting_claim_ids/1"],
        );
    }

    #[test]
    fn a_claim_is_placed_where_the_author_wrote_it_also_behind_one_that_stands_twice() {
        let twice = json!(["goal-1", "goal-1", "goal-2"]);
        let case = Case::new();
        case.refuses(
            |draft| draft["headline"]["accounting_claim_ids"] = twice.clone(),
            &["claim-unknown /headline/accounting_claim_ids/2"],
        );
        case.refuses(
            |draft| {
                draft["timeline"][0]["accounting_claim_ids"] =
                    json!(["goal-1", "goal-1", "plan-1", "change-1", "failure-1", "goal-2"]);
            },
            &["claim-unknown /timeline/0/accounting_claim_ids/5"],
        );
    }

    #[test]
    fn only_a_verified_fact_stands_without_events() {
        let case = Case::new();
        case.accepts(|draft| {
            let headline = &mut draft["headline"];
            headline["accounting_claim_ids"] = json!([]);
            headline["source_label"] = json!("verified_now");
            headline["git_evidence"] = json!([{"repository": "repo-1", "kind": "branch", "value": "main"}]);
        });
        case.refuses(|draft| draft["headline"]["evidence_ids"] = json!([]), &["evidence-missing /headline"]);
        case.refuses(
            |draft| draft["headline"]["accounting_claim_ids"] = json!([]),
            &["evidence-missing /headline"],
        );
    }

    #[test]
    fn events_belong_to_the_claims_and_are_listed_once() {
        let case = Case::new();
        case.accepts(|draft| draft["headline"]["evidence_ids"] = ids(&[9, 0]));
        let place = "/headline/evidence_ids/1";
        let outside = format!("evidence-outside-claims {place}");
        case.refuses(|draft| draft["headline"]["evidence_ids"] = ids(&[0, 4]), &[&outside]);
        case.refuses(|draft| draft["headline"]["evidence_ids"] = ids(&[0, 12]), &[&outside]);
        case.refuses(
            |draft| draft["headline"]["evidence_ids"] = json!([ids(&[0])[0], "e8-000000000000"]),
            &[&outside],
        );
        let twice = format!("evidence-duplicate {place}");
        case.refuses(|draft| draft["headline"]["evidence_ids"] = ids(&[0, 0]), &[&twice]);
    }

    #[test]
    fn hidden_text_alone_carries_a_statement_only_under_a_caveat() {
        let mut case = Case::new();
        case.redact(8);
        assert!(!case.accepts(|_| {}).blocked_evidence());
        case.redact(9);
        let hidden = ["redaction-blocks-evidence /verification/0"];
        case.refuses(|_| {}, &hidden);
        let validated =
            case.accepts(|draft| draft["verification"][0]["caveat"] = json!("Its output is hidden."));
        assert!(validated.blocked_evidence());
    }
}

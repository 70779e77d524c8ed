//! The story takes every claim once, with all its events.

use std::collections::HashSet;

use crate::base::ids::Ordinal;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::expanded::{Expanded, Given, Part, View};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let mut told = HashSet::new();
    for resolved in &synthesis.story.items {
        let view = resolved.view(Part::Story);
        let fresh = fresh(&view, &mut told, &|id| repeated(id, basis), violations);
        complete(&view, &fresh, basis, violations);
    }
    if !synthesis.story.whole {
        return;
    }
    for claim in basis.accounting.claims() {
        if !told.contains(claim.id.as_str()) {
            let place = Pointer::root().member("story");
            violations.push(
                Code::StoryClaimMissing,
                place,
                format!("found no item that tells `{}`, expected one", claim.id),
            );
        }
    }
}

/// The claims of an item that none before it tells. This needs no evidence.
pub(super) fn fresh<'e>(
    view: &View<'e>,
    told: &mut HashSet<&'e str>,
    detail: &dyn Fn(&str) -> String,
    violations: &mut Violations,
) -> Vec<&'e str> {
    let mut fresh = Vec::new();
    for (place, id) in view.claims.iter().enumerate() {
        if told.insert(id) {
            fresh.push(id.as_str());
        } else {
            let place = view.pointer.member("accounting_claim_ids").index(place);
            violations.push(Code::StoryClaimRepeated, place, detail(id));
        }
    }
    fresh
}

/// Only an id of the accounting is repeated: any other text is the draft's.
fn repeated(id: &str, basis: &Evidence<'_>) -> String {
    match basis.accounting.claim(id) {
        Some(claim) => format!("found `{}` a second time, expected it once", claim.id),
        None => "found an id a second time, expected each once".to_owned(),
    }
}

/// Claims that an earlier item tells are left to the rule about repeats, which keeps this linear.
fn complete(view: &View<'_>, claims: &[&str], basis: &Evidence<'_>, violations: &mut Violations) {
    if view.given == Given::Claims {
        return;
    }
    let cited: HashSet<Ordinal> = view.evidence.iter().map(|event| event.ordinal()).collect();
    for claim in claims.iter().filter_map(|id| basis.accounting.claim(id)) {
        let missing = claim.events.iter().filter(|ordinal| !cited.contains(ordinal)).count();
        if missing > 0 {
            let detail = format!(
                "found no {missing} of the events of `{}`, expected all {}",
                claim.id,
                claim.events.len()
            );
            violations.push(Code::StoryEvidenceIncomplete, view.pointer.clone(), detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::meaning::synthesis::testing::{Case, ids};

    #[test]
    fn every_claim_is_told_once() {
        let case = Case::new();
        case.refuses(
            |draft| draft["story"][4]["accounting_claim_ids"] = json!(["open-1"]),
            &["story-claim-missing /story"],
        );
        case.refuses(
            |draft| draft["story"][3]["accounting_claim_ids"] = json!(["check-1", "change-2", "goal-1"]),
            &["story-claim-repeated /story/3/accounting_claim_ids/2"],
        );
        case.refuses(
            |draft| draft["story"][0]["accounting_claim_ids"] = json!(["goal-1", "goal-1"]),
            &["story-claim-repeated /story/0/accounting_claim_ids/1"],
        );
    }

    #[test]
    fn a_claim_is_told_with_all_its_events() {
        let case = Case::new();
        case.accepts(|draft| draft["story"][2]["evidence_ids"] = ids(&[2, 3, 6, 7, 4, 5]));
        case.refuses(
            |draft| draft["story"][2]["evidence_ids"] = ids(&[2, 3, 6, 4, 5]),
            &["story-evidence-incomplete /story/2"],
        );
    }

    #[test]
    fn a_story_that_is_not_whole_is_not_called_incomplete() {
        Case::new()
            .refuses(|draft| draft["story"][1]["summary"] = json!(7), &["schema-violation /story/1/summary"]);
    }
}

//! The timeline takes every significant event once, forward, without overlap, under exact bounds.

use std::collections::HashSet;

use crate::base::ids::Ordinal;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{SourceLabel, Timeline};
use crate::meaning::synthesis::expanded::{Expanded, Given, Part, Resolved, View};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let covered = runs_forward(synthesis, violations);
    for resolved in &synthesis.timeline.items {
        claims(&resolved.view(Part::Timeline), basis, violations);
    }
    if synthesis.timeline.whole {
        missing(&covered, basis, violations);
    }
}

/// Exact bounds, strict order, no event twice; gives the events that entries hold. This needs no evidence.
pub(super) fn runs_forward(synthesis: &Expanded, violations: &mut Violations) -> HashSet<Ordinal> {
    let mut covered: HashSet<Ordinal> = HashSet::new();
    let mut latest: Option<Ordinal> = None;
    for resolved in &synthesis.timeline.items {
        bounds(resolved, violations);
        let Timeline { first_ordinal, last_ordinal } = resolved.item.section;
        if latest.is_some_and(|latest| first_ordinal <= latest) {
            let place = resolved.pointer.member("first_ordinal");
            let detail = format!(
                "found a begin at {first_ordinal}, expected one behind {}, where an entry before it ends",
                latest.unwrap_or_default()
            );
            violations.push(Code::TimelineNotChronological, place, detail);
        }
        latest = latest.max(Some(last_ordinal));
        repeats(&resolved.view(Part::Timeline), &mut covered, violations);
    }
    covered
}

/// Evidence decides about bounds. Without any they cite nothing: wrong where the label excuses the missing
/// evidence, and where they are reversed; anything else is `evidence-missing` already.
fn bounds(resolved: &Resolved<Timeline>, violations: &mut Violations) {
    let Timeline { first_ordinal: first, last_ordinal: last } = resolved.item.section;
    let ordinals = || resolved.item.evidence_ids.iter().map(|event| event.ordinal());
    let exact = match (ordinals().min(), ordinals().max()) {
        (Some(lowest), Some(highest)) => (lowest, highest) == (first, last),
        _ => first <= last && resolved.item.source_label != SourceLabel::VerifiedNow,
    };
    if !exact {
        let detail = match (ordinals().min(), ordinals().max()) {
            (Some(lowest), Some(highest)) => {
                format!("found bounds {first} and {last}, expected {lowest} and {highest}")
            }
            _ => format!("found no event between {first} and {last}, expected at least one"),
        };
        violations.push(Code::TimelineBoundsWrong, resolved.pointer.member("first_ordinal"), detail);
    }
}

fn claims(view: &View<'_>, basis: &Evidence<'_>, violations: &mut Violations) {
    let mut named: HashSet<&str> = view.claims.iter().map(String::as_str).collect();
    for owner in view.evidence.iter().filter_map(|event| basis.owner(*event)) {
        if named.insert(owner) {
            let place = view.pointer.member("accounting_claim_ids");
            violations.push(
                Code::TimelineClaimMissing,
                place,
                format!("found no `{owner}`, expected the owner of every event"),
            );
        }
    }
}

fn repeats(view: &View<'_>, covered: &mut HashSet<Ordinal>, violations: &mut Violations) {
    let own: HashSet<Ordinal> = view.evidence.iter().map(|event| event.ordinal()).collect();
    for (index, event) in view.evidence.iter().enumerate() {
        if covered.contains(&event.ordinal()) {
            let detail = format!("found {event} a second time, expected it once");
            violations.push(Code::TimelineEventRepeated, view.place_of_event(index), detail);
            if view.given != Given::Ids {
                break;
            }
        }
    }
    covered.extend(own);
}

/// One violation a run of neighbouring significant events, so that a forgotten stretch is one place.
fn missing(covered: &HashSet<Ordinal>, basis: &Evidence<'_>, violations: &mut Violations) {
    let mut run: Option<(Ordinal, Ordinal, u64)> = None;
    let mut runs = Vec::new();
    for ordinal in basis.significant() {
        if covered.contains(&ordinal) {
            runs.extend(run.take());
        } else {
            let (first, _, events) = run.unwrap_or((ordinal, ordinal, 0));
            run = Some((first, ordinal, events + 1));
        }
    }
    runs.extend(run);
    for (first, last, events) in runs {
        let detail =
            format!("found no entry for {events} events in ordinals {first} to {last}, expected every event");
        violations.push(Code::TimelineEventMissing, Pointer::root().member("timeline"), detail);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::meaning::synthesis::testing::{Case, ids};

    fn spell_out(draft: &mut Value) {
        let claims = json!(["goal-1", "plan-1", "change-1", "failure-1"]);
        draft["timeline"][0]["accounting_claim_ids"] = claims;
        draft["timeline"][0]["evidence_ids"] = ids(&[0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn two_ordinals_stand_for_everything_significant_between_them() {
        let case = Case::new();
        let short = case.accepts(|_| {});
        assert_eq!(short.document_sha256(), case.accepts(spell_out).document_sha256());
        let wide = case.accepts(|draft| draft["timeline"][1]["last_ordinal"] = json!(999));
        assert_eq!(short.document_sha256(), wide.document_sha256());
    }

    #[test]
    fn every_significant_event_is_told_once() {
        let case = Case::new();
        case.refuses(
            |draft| draft["timeline"][1]["last_ordinal"] = json!(14),
            &["timeline-event-missing /timeline"],
        );
        case.refuses(
            |draft| draft["timeline"][1]["first_ordinal"] = json!(5),
            &["timeline-event-repeated /timeline/1", "timeline-not-chronological /timeline/1/first_ordinal"],
        );
    }

    #[test]
    fn an_entry_names_the_claims_of_its_events() {
        Case::new().refuses(
            |draft| {
                spell_out(draft);
                draft["timeline"][0]["accounting_claim_ids"] = json!(["goal-1", "change-1", "failure-1"]);
            },
            &["timeline-claim-missing /timeline/0/accounting_claim_ids"],
        );
    }

    #[test]
    fn bounds_are_the_first_and_the_last_event() {
        let case = Case::new();
        case.refuses(
            |draft| {
                draft["timeline"][1]["evidence_ids"] = ids(&[6, 7, 8, 9, 10, 11, 14, 15]);
                draft["timeline"][1]["last_ordinal"] = json!(16);
            },
            &["timeline-bounds-wrong /timeline/1/first_ordinal"],
        );
        case.refuses(
            |draft| {
                draft["timeline"][0]["first_ordinal"] = json!(5);
                draft["timeline"][0]["last_ordinal"] = json!(0);
            },
            &["timeline-event-missing /timeline", "timeline-bounds-wrong /timeline/0/first_ordinal"],
        );
    }

    #[test]
    fn time_runs_forward() {
        Case::new().refuses(
            |draft| draft["timeline"].as_array_mut().unwrap().reverse(),
            &["timeline-not-chronological /timeline/1/first_ordinal"],
        );
    }

    #[test]
    fn an_entry_over_nothing_significant_is_empty() {
        for last in [16, 20] {
            Case::new().refuses(
                |draft| {
                    let mut entry = draft["timeline"][0].clone();
                    entry["id"] = json!("time-3");
                    entry["first_ordinal"] = json!(16);
                    entry["last_ordinal"] = json!(last);
                    draft["timeline"].as_array_mut().unwrap().push(entry);
                },
                &["evidence-missing /timeline/2"],
            );
        }
    }
}

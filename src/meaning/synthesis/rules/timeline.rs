//! The timeline takes every significant event once, forward, without overlap, under exact bounds.

use std::collections::HashSet;

use crate::base::ids::Ordinal;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::Timeline;
use crate::meaning::synthesis::expand::{Expanded, Given, Part, Resolved, View};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let mut covered: HashSet<Ordinal> = HashSet::new();
    let mut latest: Option<Ordinal> = None;
    for resolved in &synthesis.timeline.items {
        bounds(resolved, violations);
        let Timeline { first_ordinal, last_ordinal } = resolved.item.section;
        if latest.is_some_and(|latest| first_ordinal <= latest) {
            let place = resolved.pointer.member("first_ordinal");
            let detail = format!(
                "begins at {first_ordinal}, an entry before it ends at {}",
                latest.unwrap_or_default()
            );
            violations.push(Code::TimelineNotChronological, place, detail);
        }
        latest = latest.max(Some(last_ordinal));
        let view = resolved.view(Part::Timeline);
        claims(&view, basis, violations);
        repeats(&view, &mut covered, violations);
    }
    if synthesis.timeline.whole {
        missing(&covered, basis, violations);
    }
}

/// Evidence decides about bounds; only reversed ones are wrong without any.
fn bounds(resolved: &Resolved<Timeline>, violations: &mut Violations) {
    let Timeline { first_ordinal: first, last_ordinal: last } = resolved.item.section;
    let ordinals = || resolved.item.evidence_ids.iter().map(|event| event.ordinal());
    let exact = match (ordinals().min(), ordinals().max()) {
        (Some(lowest), Some(highest)) => (lowest, highest) == (first, last),
        _ => first <= last,
    };
    if !exact {
        let detail = match (ordinals().min(), ordinals().max()) {
            (Some(lowest), Some(highest)) => format!("its events go from {lowest} to {highest}"),
            _ => "it ends before it begins".to_owned(),
        };
        violations.push(Code::TimelineBoundsWrong, resolved.pointer.member("first_ordinal"), detail);
    }
}

fn claims(view: &View<'_>, basis: &Evidence<'_>, violations: &mut Violations) {
    let mut named: HashSet<&str> = view.claims.iter().map(String::as_str).collect();
    for owner in view.evidence.iter().filter_map(|event| basis.owner(*event)) {
        if named.insert(owner) {
            let place = view.pointer.member("accounting_claim_ids");
            violations.push(Code::TimelineClaimMissing, place, format!("it holds events of `{owner}`"));
        }
    }
}

fn repeats(view: &View<'_>, covered: &mut HashSet<Ordinal>, violations: &mut Violations) {
    let own: HashSet<Ordinal> = view.evidence.iter().map(|event| event.ordinal()).collect();
    for (index, event) in view.evidence.iter().enumerate() {
        if covered.contains(&event.ordinal()) {
            violations.push(Code::TimelineEventRepeated, view.place_of_event(index), event.to_string());
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
        let detail = format!("ordinals {first} to {last}, {events} events");
        violations.push(Code::TimelineEventMissing, Pointer::root().member("timeline"), detail);
    }
}

//! What an expanded draft shows by itself, without ledger, accounting and manifest: the families whose rules look at
//! no evidence, and of the others what the two views, which tell the same events and claims, show of one another.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{coverage, git, labels, story, text, timeline, verification, views};
use crate::base::ids::{EventId, Ordinal};
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::document::SourceLabel;
use crate::meaning::synthesis::expanded::{Expanded, Part, View};

/// Holds an expanded draft against every rule, or part of one, that needs nothing beside it. Where the draft leaves
/// evidence to expansion (`expanded` is false) only what does not look at evidence is checked.
pub fn check(synthesis: &Expanded, expanded: bool, violations: &mut Violations) {
    text::check(synthesis, violations);
    for view in synthesis.views() {
        labels::caveat(&view, violations);
        git::stands_under_its_label(&view, violations);
        for (index, stated) in view.git.iter().enumerate() {
            if let Some((code, detail)) = git::never_holds(stated) {
                violations.push(code, view.pointer.member("git_evidence").index(index), detail);
            }
        }
    }
    for resolved in &synthesis.verification.items {
        verification::form(resolved, violations);
    }
    repeats(synthesis, violations);
    if expanded {
        evidence(synthesis, violations);
        timeline::runs_forward(synthesis, violations);
        views::check(synthesis, violations);
        agree(synthesis, violations);
    }
}

/// Claims that the story tells twice, and groups that the coverage lists twice.
fn repeats(synthesis: &Expanded, violations: &mut Violations) {
    let mut told = HashSet::new();
    let detail = |_: &str| "found an id a second time, expected each once".to_owned();
    for resolved in &synthesis.story.items {
        story::fresh(&resolved.view(Part::Story), &mut told, &detail, violations);
    }
    if let Some(listed) = &synthesis.coverage {
        coverage::listed(listed, &|_| true, violations);
    }
}

/// Evidence is there, is a set, and can be carried: by a claim that is named, by the one id of its ordinal.
fn evidence(synthesis: &Expanded, violations: &mut Violations) {
    let mut ids: HashMap<Ordinal, EventId> = HashMap::new();
    for view in synthesis.views() {
        if view.evidence.is_empty() {
            if view.label != SourceLabel::VerifiedNow {
                violations.push(
                    Code::EvidenceMissing,
                    view.pointer.clone(),
                    "found no event, expected at least one",
                );
            }
            continue;
        }
        if view.claims.is_empty() {
            let (code, detail) = match view.part {
                Part::Timeline => (Code::TimelineClaimMissing, "it holds events and names no claim"),
                _ => (Code::EvidenceOutsideClaims, "it cites events and names no claim"),
            };
            violations.push(code, view.pointer.member("accounting_claim_ids"), detail);
        }
        let mut seen = HashSet::with_capacity(view.evidence.len());
        for (index, event) in view.evidence.iter().enumerate() {
            if !seen.insert(*event) {
                violations.push(Code::EvidenceDuplicate, view.place_of_event(index), event.to_string());
            }
            if *ids.entry(event.ordinal()).or_insert(*event) != *event {
                let detail = format!("{event}, and another item gives this ordinal another id");
                violations.push(Code::EvidenceOutsideClaims, view.place_of_event(index), detail);
            }
        }
    }
}

/// Story and timeline tell the same events of the same claims, and no other section names a further claim.
fn agree(synthesis: &Expanded, violations: &mut Violations) {
    if !(synthesis.story.whole && synthesis.timeline.whole) {
        return;
    }
    let events = |part: Part| -> BTreeSet<Ordinal> {
        let views = synthesis.views().filter(|view| view.part == part);
        views.flat_map(|view| view.evidence.iter().map(|event| event.ordinal())).collect()
    };
    let claims = |told: &dyn Fn(&View<'_>) -> bool| -> BTreeSet<String> {
        synthesis.views().filter(|view| told(view)).flat_map(|view| view.claims.iter().cloned()).collect()
    };
    let (story, time) = (events(Part::Story), events(Part::Timeline));
    let place = |member| Pointer::root().member(member);
    let untold = time.difference(&story).count();
    if untold > 0 {
        let detail = format!("{untold} events of the timeline are in no item");
        violations.push(Code::StoryEvidenceIncomplete, place("story"), detail);
    }
    let untimed = story.difference(&time).count();
    if untimed > 0 {
        let detail = format!("{untimed} events of the story are in no entry");
        violations.push(Code::TimelineEventMissing, place("timeline"), detail);
    }
    let told = claims(&|view| view.part == Part::Story);
    for claim in claims(&|view| view.part != Part::Story).difference(&told) {
        let detail = format!("`{claim}` is named elsewhere");
        violations.push(Code::StoryClaimMissing, place("story"), detail);
    }
    for claim in told.difference(&claims(&|view| view.part == Part::Timeline)) {
        let detail = format!("`{claim}` of the story is named by no entry");
        violations.push(Code::TimelineClaimMissing, place("timeline"), detail);
    }
}

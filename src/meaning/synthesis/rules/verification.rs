//! What is said of a run is what the index shows of it, result and all; the runs that a reader asks for are
//! told; a final state does not rest on a run that changes have overtaken without saying so.

use std::collections::{HashMap, HashSet};

use crate::base::ids::EventId;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{StatedOutcome, Verification};
use crate::meaning::synthesis::expanded::{Expanded, Resolved};
use crate::meaning::synthesis::runs::{RunIndex, Statement};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let index = RunIndex::of(basis.table);
    let mut told = vec![false; index.runs().len()];
    let mut known = HashMap::new();
    for resolved in &synthesis.verification.items {
        match resolved.item.section.outcome {
            StatedOutcome::DiscussedOnly | StatedOutcome::UnverifiableNow => no_command(resolved, violations),
            StatedOutcome::Passed
            | StatedOutcome::Failed
            | StatedOutcome::Retried
            | StatedOutcome::Unknown => {
                Item { resolved, index: &index, basis, told: &mut told, known: &mut known }.check(violations);
            }
        }
    }
    if synthesis.verification.whole {
        for (run, _) in index.runs().iter().zip(&told).filter(|(run, told)| run.must_be_told && !**told) {
            let place = Pointer::root().member("verification");
            let detail = format!(
                "found no item that names {}, expected one for the last run and each unmended failure of a command",
                run.call
            );
            violations.push(Code::VerificationRunOmitted, place, detail);
        }
    }
    stale(synthesis, &index, violations);
}

/// What an item may name by its own outcome. This needs no evidence.
pub(super) fn form(resolved: &Resolved<Verification>, violations: &mut Violations) {
    let section = &resolved.item.section;
    match section.outcome {
        StatedOutcome::DiscussedOnly | StatedOutcome::UnverifiableNow => no_command(resolved, violations),
        StatedOutcome::Passed | StatedOutcome::Failed | StatedOutcome::Retried | StatedOutcome::Unknown => {
            runs_named_once(resolved, violations);
        }
    }
    if section.basis.is_some() && matches!(section.outcome, StatedOutcome::Retried | StatedOutcome::Unknown) {
        let place = resolved.pointer.member("basis");
        violations.push(
            Code::VerificationOutcomeMismatch,
            place,
            "found a basis of output, expected none under this outcome",
        );
    }
}

/// A run is named, and none twice: further runs are shown as a count, which a repeat would raise.
fn runs_named_once(resolved: &Resolved<Verification>, violations: &mut Violations) {
    let section = &resolved.item.section;
    let mut named: HashSet<EventId> = section.command_event_id.into_iter().collect();
    if named.is_empty() {
        let place = resolved.pointer.member("command_event_id");
        violations.push(Code::VerificationNeedsCommand, place, "found no call, expected that of the run");
    }
    for (index, command) in section.further_runs.iter().enumerate() {
        if !named.insert(*command) {
            let at = resolved.pointer.member("further_runs").index(index);
            violations.push(
                Code::EvidenceDuplicate,
                at,
                format!("found {command} a second time, expected it once"),
            );
        }
    }
}

/// What was only discussed names no run and rests on no output.
fn no_command(resolved: &Resolved<Verification>, violations: &mut Violations) {
    let section = &resolved.item.section;
    let named = [
        (section.command_event_id.is_some(), "command_event_id"),
        (section.result_event_id.is_some(), "result_event_id"),
        (!section.further_runs.is_empty(), "further_runs"),
    ];
    for (_, member) in named.into_iter().filter(|(named, _)| *named) {
        let place = resolved.pointer.member(member);
        violations.push(
            Code::VerificationMustNotNameCommand,
            place,
            "found a run, expected none under this outcome",
        );
    }
    if section.basis.is_some() {
        let place = resolved.pointer.member("basis");
        violations.push(
            Code::VerificationOutcomeMismatch,
            place,
            "found a basis, expected none under this outcome",
        );
    }
}

/// One item that speaks of runs.
struct Item<'r, 'e, 'a> {
    resolved: &'r Resolved<Verification>,
    index: &'r RunIndex<'a>,
    basis: &'r Evidence<'e>,
    told: &'r mut [bool],
    /// Whether a statement fits a call, once it was asked: many items may name one call of many runs.
    known: &'r mut HashMap<(EventId, Statement), bool>,
}

impl Item<'_, '_, '_> {
    fn check(&mut self, violations: &mut Violations) {
        let section = &self.resolved.item.section;
        let place = &self.resolved.pointer;
        let statement = Statement { outcome: section.outcome, basis: section.basis };
        let claims: HashSet<&str> =
            self.resolved.item.accounting_claim_ids.iter().map(String::as_str).collect();
        runs_named_once(self.resolved, violations);
        let mut named: HashSet<EventId> = section.command_event_id.into_iter().collect();
        if let Some(command) = section.command_event_id {
            let at = place.member("command_event_id");
            if self.run(command, statement, &claims, &at, violations) {
                self.result(command, violations);
            }
        }
        for (index, command) in section.further_runs.iter().enumerate() {
            if named.insert(*command) {
                let at = place.member("further_runs").index(index);
                self.run(*command, statement, &claims, &at, violations);
            }
        }
    }

    /// One named run. Where a call holds several runs, those count as told that the statement fits. A
    /// wrong statement counts for all of them, because it is pushed already.
    fn run(
        &mut self,
        command: EventId,
        statement: Statement,
        claims: &HashSet<&str>,
        at: &Pointer,
        violations: &mut Violations,
    ) -> bool {
        let mut runs = self.index.of_call(command);
        let Some((_, first)) = runs.next() else {
            violations.push(
                Code::VerificationCommandUnknown,
                at.clone(),
                format!("found {command}, expected the call of an indexed run"),
            );
            return false;
        };
        let only = runs.next().is_none().then(|| first.statement());
        if let Some(owner) = self.basis.owner(command).filter(|owner| !claims.contains(owner)) {
            let detail =
                format!("found {command}, owned by `{owner}`; expected a run of the item's own claims");
            violations.push(Code::EvidenceOutsideClaims, at.clone(), detail);
        }
        if !self.tells(command, statement) {
            let detail = match only {
                Some(only) => format!("found another outcome of {command}, expected {}", described(only)),
                None => format!(
                    "found an outcome that no run of {command} has, expected one that the index shows"
                ),
            };
            violations.push(Code::VerificationOutcomeMismatch, at.clone(), detail);
        }
        true
    }

    /// True when the statement fits a run of the call; marks what is told by it.
    fn tells(&mut self, command: EventId, statement: Statement) -> bool {
        if let Some(known) = self.known.get(&(command, statement)) {
            return *known;
        }
        let fits = self.index.of_call(command).any(|(_, run)| run.permits(statement));
        for (place, run) in self.index.of_call(command) {
            if let Some(told) = self.told.get_mut(place) {
                *told |= !fits || run.permits(statement);
            }
        }
        self.known.insert((command, statement), fits);
        fits
    }

    /// All runs of a call share its result.
    fn result(&self, command: EventId, violations: &mut Violations) {
        let Some((_, run)) = self.index.of_call(command).next() else { return };
        if run.result != self.resolved.item.section.result_event_id {
            let place = self.resolved.pointer.member("result_event_id");
            let detail = match run.result {
                Some(result) => format!("found another result of {command}, expected {result}"),
                None => format!("found a result, expected null: {command} has none"),
            };
            violations.push(Code::VerificationResultMismatch, place, detail);
        }
    }
}

fn described(statement: Statement) -> &'static str {
    match (statement.outcome, statement.basis) {
        (StatedOutcome::Passed, None) => "passed",
        (StatedOutcome::Failed, None) => "failed",
        (StatedOutcome::Passed, Some(_)) => "unknown, or passed with basis reported_by_output",
        (StatedOutcome::Failed, Some(_)) => "unknown, or failed with basis reported_by_output",
        (StatedOutcome::Retried, _) => "passed, or retried",
        _ => "unknown",
    }
}

fn stale(synthesis: &Expanded, index: &RunIndex<'_>, violations: &mut Violations) {
    for resolved in synthesis.final_state.items.iter().filter(|resolved| resolved.item.caveat.is_none()) {
        let overtaken = resolved.item.evidence_ids.iter().find(|event| index.is_stale(event.ordinal()));
        if let Some(event) = overtaken {
            let detail = format!("found the run of {event}, which changes followed; expected a caveat");
            violations.push(Code::VerificationStale, resolved.pointer.clone(), detail);
        }
    }
}

#[cfg(test)]
#[path = "verification_tests.rs"]
mod tests;

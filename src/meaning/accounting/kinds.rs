//! A kind is a statement about evidence: which events carry which kind. Decisions, actions and open work are
//! the author's reading and need no more than an event.

use super::claim::ClaimKind;
use super::draft::{Entry, Side};
use super::places::Places;
use super::ranges::{length, within};
use super::resolve::Holding;
use crate::base::ids::Ordinal;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::slice::Run;
use crate::evidence::table::Class;

/// Reports `claim-without-evidence`, `group-without-range` and `claim-kind-unsupported`.
///
/// A claim with a fault in what it names is not judged by its kind, nor a recovery beside a failure with one: mending the
/// first may mend the second.
pub fn check(entries: &[Entry<'_>], holdings: &[Holding], places: &Places, violations: &mut Violations) {
    let first_failure = first_failure(entries, holdings);
    let is_failure_open =
        entries.iter().zip(holdings).any(|(entry, holding)| is_failure(entry) && !holding.sound);
    for (entry, holding) in entries.iter().zip(holdings).filter(|(_, holding)| holding.sound) {
        match entry.side {
            _ if holds_nothing(entry, holding, violations) => {}
            Side::Group => {}
            Side::Claim => {
                let Some(kind) = entry.kind.and_then(ClaimKind::parse) else { continue };
                if kind == ClaimKind::Recovery && is_failure_open {
                    continue;
                }
                let runs = holding.runs();
                if !is_supported(kind, &runs, places, first_failure) {
                    let count: u64 = runs.iter().copied().map(length).sum();
                    let found = format!("found none among the {count} events of {}", entry.name());
                    let detail = format!("{found}, expected {} for the kind `{}`", needs(kind), kind.name());
                    violations.push(Code::ClaimKindUnsupported, entry.member("kind"), detail);
                }
            }
        }
    }
}

/// Reports `claim-without-evidence` and `group-without-range`; true when it did. This needs no ledger.
pub fn holds_nothing(entry: &Entry<'_>, holding: &Holding, violations: &mut Violations) -> bool {
    if !holding.spans.is_empty() {
        return false;
    }
    match entry.side {
        Side::Group => {
            let place = entry.member("ranges");
            violations.push(Code::GroupWithoutRange, place, "found no range, expected at least one");
        }
        Side::Claim => violations.push(Code::ClaimWithoutEvidence, entry.pointer(), nothing(entry)),
    }
    true
}

/// The first event of any failure.
pub fn first_failure(entries: &[Entry<'_>], holdings: &[Holding]) -> Option<Ordinal> {
    let failures = entries.iter().zip(holdings);
    failures.filter(|(entry, _)| is_failure(entry)).filter_map(|(_, holding)| holding.first()).min()
}

fn is_failure(entry: &Entry<'_>) -> bool {
    entry.side == Side::Claim && entry.kind == Some(ClaimKind::Failure.name())
}

/// True when the events carry the kind.
pub fn is_supported(kind: ClaimKind, runs: &[Run], places: &Places, first_failure: Option<Ordinal>) -> bool {
    let any = |list: &[Ordinal]| runs.iter().any(|run| !within(list, *run).is_empty());
    let has = |class: Class| any(places.class(class));
    match kind {
        ClaimKind::Goal => has(Class::UserMessage) || any(&places.tasks),
        ClaimKind::Change => has(Class::Mutation) || has(Class::ShellWrite) || has(Class::GitMutation),
        ClaimKind::Verification => has(Class::VerificationRun),
        ClaimKind::Failure => has(Class::ErrorResult) || any(&places.failed_runs) || any(&places.trouble),
        ClaimKind::ExternalEffect => has(Class::ExternalEffect),
        ClaimKind::Recovery => {
            let first = runs.iter().map(|run| run.first).min();
            first_failure.is_some_and(|failure| first.is_some_and(|first| first > failure))
        }
        ClaimKind::FinalState => {
            let last = runs.iter().map(|run| run.last).max();
            has(Class::LastMessage) || last >= places.last_mutation
        }
        ClaimKind::Decision | ClaimKind::Action | ClaimKind::OpenWork => true,
    }
}

const fn needs(kind: ClaimKind) -> &'static str {
    match kind {
        ClaimKind::Goal => "a person's message (in a child: the task)",
        ClaimKind::Change => "a mutation, a shell write outside temporary folders or a mutating git command",
        ClaimKind::Verification => "the call of an indexed verification run",
        ClaimKind::Failure => "an error result, a failed run, an API error, a limit or an interrupt",
        ClaimKind::ExternalEffect => "the call of an indexed external effect",
        ClaimKind::Recovery => "a failure claim whose first event comes before its own first event",
        ClaimKind::FinalState => "the last assistant message, or an event not before the last mutation",
        ClaimKind::Decision | ClaimKind::Action | ClaimKind::OpenWork => "an event",
    }
}

fn nothing(entry: &Entry<'_>) -> String {
    match &entry.select {
        Some(select) => {
            format!(
                "found no event of class `{}` that nothing else names, expected at least one",
                select.class.name()
            )
        }
        None => "found no event, expected `event_ids`, `ranges` or `select`".to_owned(),
    }
}

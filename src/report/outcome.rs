//! How the outcome of a verification is worded: as far as the evidence goes and no further. A status that a
//! pipe hides, an interrupted run and a run that changes followed all say so.

use super::coverage::push_more;
use super::plain::Span;
use crate::evidence::command::observation::{Observation, Outcome, Reason};
use crate::evidence::table::Table;
use crate::meaning::synthesis::document::{Basis, StatedOutcome, Verification};

/// The runner, its outcome, and how many further runs had the same one.
pub fn wording(stated: &Verification, table: &Table) -> Vec<Span> {
    let run = run_of(stated, table);
    let mut spans = Vec::new();
    if let Some(run) = run {
        spans.extend([Span::text(run.runner), Span::Own(": ")]);
    }
    match (stated.outcome, run) {
        (StatedOutcome::Passed, _) => spans.push(Span::Own("passed")),
        (StatedOutcome::Failed, _) => spans.push(Span::Own("failed")),
        (StatedOutcome::Retried, Some(run)) => push_retried(&mut spans, run.after_failures),
        (StatedOutcome::Retried, None) => spans.push(Span::Own("passed after failed runs")),
        (StatedOutcome::Unknown, _) => spans.push(Span::Own("unknown")),
        (StatedOutcome::DiscussedOnly, _) => spans.push(Span::Own("only discussed, not run")),
        (StatedOutcome::UnverifiableNow, _) => spans.push(Span::Own("cannot be verified now")),
    }
    if stated.basis == Some(Basis::ReportedByOutput) {
        spans.push(Span::Own(" as its output reports"));
    }
    if let Some(reason) = run.and_then(|run| run.reason) {
        spans.extend([Span::Own("; "), Span::Own(because(reason))]);
    }
    if run.is_some_and(|run| run.stale) {
        spans.push(Span::Own("; changes followed"));
    }
    push_more(&mut spans, stated.further_runs.len() as u64, [" further run", " further runs"]);
    spans
}

fn push_retried(spans: &mut Vec<Span>, failures: u64) {
    let runs = if failures == 1 { " failed run" } else { " failed runs" };
    spans.extend([Span::Own("passed after "), Span::text(failures), Span::Own(runs)]);
}

/// What an indexed run says that is worth a word.
#[derive(Clone, Copy)]
struct Run<'t> {
    runner: &'t str,
    outcome: Outcome,
    reason: Option<Reason>,
    reported: Option<Outcome>,
    after_failures: u64,
    stale: bool,
}

/// The run that the item speaks of. One call can hold several runs: the first that carries what is stated.
fn run_of<'t>(stated: &Verification, table: &'t Table) -> Option<Run<'t>> {
    let call = stated.command_event_id?.ordinal();
    let runs = || table.of_call(call).filter_map(run);
    runs().find(|run| carries(*run, stated)).or_else(|| runs().next())
}

fn run(observation: &Observation) -> Option<Run<'_>> {
    match observation {
        Observation::VerificationRun { runner, outcome, reason, reported, after_failures, stale, .. } => {
            Some(Run {
                runner,
                outcome: *outcome,
                reason: *reason,
                reported: *reported,
                after_failures: *after_failures,
                stale: *stale,
            })
        }
        _ => None,
    }
}

fn carries(run: Run<'_>, stated: &Verification) -> bool {
    let seen = match stated.basis {
        Some(Basis::ReportedByOutput) => run.reported,
        None => Some(run.outcome),
    };
    match stated.outcome {
        StatedOutcome::Retried => seen == Some(Outcome::Passed) && run.after_failures > 0,
        outcome => seen.map(StatedOutcome::of) == Some(outcome),
    }
}

const fn because(reason: Reason) -> &'static str {
    match reason {
        Reason::MaskedByPipeline => "status masked by a pipe",
        Reason::MaskedByList => "status masked by another command",
        Reason::MaskedByControl => "status masked by a condition or loop",
        Reason::Backgrounded => "ran in the background",
        Reason::Nested => "status masked by its wrapper",
        Reason::NoResult => "no result seen",
        Reason::Interrupted => "interrupted",
        Reason::TimedOut => "timed out",
        Reason::Rejected => "rejected, never ran",
        Reason::NoStatus => "no status given",
        Reason::Unparsed => "command not understood",
    }
}

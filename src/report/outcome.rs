//! How the outcome of a verification is worded: as far as the evidence goes and no further. A status that a
//! pipe hides, an interrupted run and a run that changes followed all say so.

use super::plain::{Span, push_more};
use crate::evidence::command::observation::{Observation, Outcome, Reason};
use crate::evidence::table::Table;
use crate::meaning::synthesis::document::{Basis, StatedOutcome, Verification};

/// Characters of a command that a line shows.
const COMMAND_CHARACTERS: usize = 60;

/// The command, its outcome, and how many further runs had the same one.
pub fn wording(stated: &Verification, table: &Table) -> Vec<Span> {
    let run = run_of(stated, table);
    let mut spans = Vec::new();
    if let Some(run) = run {
        spans.extend([Span::text(shortened(run.command)), Span::Own(": ")]);
    }
    match (stated.outcome, run) {
        (StatedOutcome::Passed, Some(run)) if run.after_failures > 0 && stated.basis.is_none() => {
            push_retried(&mut spans, run.after_failures);
        }
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
    if stated.basis.is_none() && run.is_some_and(|run| contradicts(run)) {
        spans.push(Span::Own(" by its status; its own output reports failures"));
    }
    if let Some(reason) = run.and_then(|run| run.reason) {
        spans.extend([Span::Own("; "), Span::Own(because(reason))]);
    }
    if run.is_some_and(|run| run.none_ran) {
        spans.push(Span::Own("; no test ran"));
    }
    if run.is_some_and(|run| run.stale) {
        spans.push(Span::Own("; changes followed"));
    }
    push_more(&mut spans, stated.further_runs.len() as u64, [" further run", " further runs"]);
    push_further(&mut spans, stated, run, table);
    spans
}

/// What a count of further runs must not hide: other commands, and runs that changes followed.
fn push_further(spans: &mut Vec<Span>, stated: &Verification, first: Option<Run<'_>>, table: &Table) {
    let runs = || stated.further_runs.iter().flat_map(|call| table.of_call(call.ordinal())).filter_map(run);
    let others = runs().filter(|other| first.is_none_or(|first| first.command != other.command)).count();
    let stale = runs().filter(|other| other.stale).count();
    if others > 0 {
        spans.extend([Span::Own(", "), Span::text(others), Span::Own(" of other commands")]);
    }
    if stale > 0 && !first.is_some_and(|first| first.stale) {
        spans.extend([Span::Own(", "), Span::text(stale), Span::Own(" followed by changes")]);
    }
}

/// The status says success and the runner's own closing lines say failure.
fn contradicts(run: Run<'_>) -> bool {
    run.outcome == Outcome::Passed && run.reported == Some(Outcome::Failed)
}

fn push_retried(spans: &mut Vec<Span>, failures: u64) {
    let runs = if failures == 1 { " failed run" } else { " failed runs" };
    spans.extend([Span::Own("passed after "), Span::text(failures), Span::Own(runs)]);
}

/// What an indexed run says that is worth a word.
#[derive(Clone, Copy)]
struct Run<'t> {
    command: &'t str,
    outcome: Outcome,
    reason: Option<Reason>,
    reported: Option<Outcome>,
    /// Its closing lines count tests, and none of them ran.
    none_ran: bool,
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
        Observation::VerificationRun {
            command,
            outcome,
            reason,
            reported,
            reported_counts,
            after_failures,
            stale,
            ..
        } => Some(Run {
            command,
            outcome: *outcome,
            reason: *reason,
            reported: *reported,
            none_ran: reported_counts.is_some_and(|counts| counts.passed == 0 && counts.failed == 0),
            after_failures: *after_failures,
            stale: *stale,
        }),
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

/// A command as far as a line has room for it.
fn shortened(command: &str) -> String {
    let mut letters = command.chars();
    let mut short: String = letters.by_ref().take(COMMAND_CHARACTERS).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
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
        Reason::NotStarted => "could not be started",
        Reason::Sandboxed => "a sandbox denied it something",
        Reason::NoStatus => "no status given",
        Reason::Unparsed => "command not understood",
        Reason::StatusForced => "its options force the status",
    }
}

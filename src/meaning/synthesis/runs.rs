//! The indexed verification runs: what may be said of each, and which ones must be told. It decides nothing
//! from prose; outcomes come from the observations alone.

use std::collections::{HashMap, HashSet};

use super::document::{Basis, StatedOutcome};
use crate::base::ids::{EventId, Ordinal};
use crate::evidence::command::observation::{Observation, Outcome};
use crate::evidence::table::Table;

/// What a draft says of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    /// What came out.
    pub outcome: StatedOutcome,
    /// What that rests on, when not on the status.
    pub basis: Option<Basis>,
}

/// One run of one command; a call can hold several.
#[derive(Debug, Clone, Copy)]
pub struct IndexedRun<'t> {
    /// The call.
    pub call: EventId,
    /// Its result.
    pub result: Option<EventId>,
    /// Equal for the same command.
    pub command_key: &'t str,
    /// By the status alone.
    pub outcome: Outcome,
    /// By the runner's own closing lines.
    pub reported: Option<Outcome>,
    /// Failed runs of the same command before.
    pub after_failures: u64,
    /// A mutation came after it.
    pub stale: bool,
    /// The last run of its command, or a failed one without a later pass.
    pub must_be_told: bool,
}

impl IndexedRun<'_> {
    /// True when the evidence carries the statement: the indexed outcome itself; a pass after failures as
    /// `retried`; and, only where the status is not known, what the runner's own lines report.
    pub fn permits(&self, statement: Statement) -> bool {
        match (statement.basis, statement.outcome) {
            (None, StatedOutcome::Retried) => self.outcome == Outcome::Passed && self.after_failures > 0,
            (None, stated) => stated == StatedOutcome::of(self.outcome),
            (Some(Basis::ReportedByOutput), stated @ (StatedOutcome::Passed | StatedOutcome::Failed)) => {
                self.outcome == Outcome::Unknown && self.reported.map(StatedOutcome::of) == Some(stated)
            }
            (Some(Basis::ReportedByOutput), _) => false,
        }
    }

    /// The statement that tells most.
    pub fn statement(&self) -> Statement {
        let reported = match self.reported {
            Some(Outcome::Passed | Outcome::Failed) if self.outcome == Outcome::Unknown => self.reported,
            _ => None,
        };
        if let Some(reported) = reported {
            return Statement { outcome: StatedOutcome::of(reported), basis: Some(Basis::ReportedByOutput) };
        }
        let retried = self.outcome == Outcome::Passed && self.after_failures > 0;
        let outcome = if retried { StatedOutcome::Retried } else { StatedOutcome::of(self.outcome) };
        Statement { outcome, basis: None }
    }
}

/// All runs by order of their calls.
#[derive(Debug)]
pub struct RunIndex<'t> {
    runs: Vec<IndexedRun<'t>>,
    by_call: HashMap<EventId, Vec<usize>>,
    stale: HashSet<Ordinal>,
}

impl<'t> RunIndex<'t> {
    /// Takes the runs out of the observations.
    pub fn of(table: &'t Table) -> Self {
        let mut runs = Vec::new();
        let mut stale_events = HashSet::new();
        for observation in table.observations() {
            let Observation::VerificationRun {
                attempt,
                command_key,
                outcome,
                reported,
                after_failures,
                stale,
                ..
            } = observation
            else {
                continue;
            };
            if *stale {
                stale_events.insert(attempt.call.ordinal());
                stale_events.extend(attempt.result.map(EventId::ordinal));
            }
            runs.push(IndexedRun {
                call: attempt.call,
                result: attempt.result,
                command_key,
                outcome: *outcome,
                reported: *reported,
                after_failures: *after_failures,
                stale: *stale,
                must_be_told: false,
            });
        }
        runs.sort_by_key(|run| run.call.ordinal());
        mark_what_must_be_told(&mut runs);
        let mut by_call: HashMap<EventId, Vec<usize>> = HashMap::new();
        for (place, run) in runs.iter().enumerate() {
            by_call.entry(run.call).or_default().push(place);
        }
        Self { runs, by_call, stale: stale_events }
    }

    /// All runs by order of their calls.
    pub fn runs(&self) -> &[IndexedRun<'t>] {
        &self.runs
    }

    /// The runs of one call with their places in [`RunIndex::runs`].
    pub fn of_call(&self, call: EventId) -> impl Iterator<Item = (usize, &IndexedRun<'t>)> {
        let places = self.by_call.get(&call).into_iter().flatten();
        places.filter_map(|place| self.runs.get(*place).map(|run| (*place, run)))
    }

    /// True when the event is the call or the result of a run that mutations followed.
    pub fn is_stale(&self, event: Ordinal) -> bool {
        self.stale.contains(&event)
    }
}

/// Goes backwards, so that of each command the first one met is its last and later passes are known.
fn mark_what_must_be_told(runs: &mut [IndexedRun<'_>]) {
    let mut passed_later: HashMap<&str, bool> = HashMap::new();
    for run in runs.iter_mut().rev() {
        let passed = run.outcome == Outcome::Passed;
        match passed_later.get_mut(run.command_key) {
            None => {
                run.must_be_told = true;
                passed_later.insert(run.command_key, passed);
            }
            Some(later) => {
                run.must_be_told = run.outcome == Outcome::Failed && !*later;
                *later |= passed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Basis, RunIndex, StatedOutcome, Statement};
    use crate::evidence::command::observation::Outcome;
    use crate::evidence::sample::Sample;
    use crate::evidence::transcript::item::Status;

    /// Runs of one command, `F`ailed, `P`assed or `U`nknown, with which of them must be told.
    fn told(outcomes: &str) -> String {
        let mut sample = Sample::new();
        for outcome in outcomes.chars() {
            sample = match outcome {
                'F' => sample.run("cargo test", Outcome::Failed, Status::Error),
                'P' => sample.run("cargo test", Outcome::Passed, Status::Ok),
                _ => sample.run("cargo test", Outcome::Unknown, Status::Ok),
            };
        }
        let table = sample.table();
        let index = RunIndex::of(&table);
        index.runs().iter().map(|run| if run.must_be_told { '!' } else { '.' }).collect()
    }

    #[test]
    fn the_last_run_and_failures_without_a_later_pass_must_be_told() {
        for (outcomes, expected) in [
            ("P", "!"),
            ("FP", ".!"),
            ("FPP", "..!"),
            ("FPU", "..!"),
            ("PF", ".!"),
            ("FUF", "!.!"),
            ("FPFU", "..!!"),
            ("UUU", "..!"),
            ("FFPPP", "....!"),
        ] {
            assert_eq!(told(outcomes), expected, "{outcomes}");
        }
    }

    #[test]
    fn the_statement_that_tells_most_is_one_that_is_permitted() {
        let basis = Some(Basis::ReportedByOutput);
        for (outcome, reported, after_failures, stated, on) in [
            (Outcome::Passed, Some(Outcome::Passed), 0, StatedOutcome::Passed, None),
            (Outcome::Passed, None, 1, StatedOutcome::Retried, None),
            (Outcome::Failed, Some(Outcome::Passed), 1, StatedOutcome::Failed, None),
            (Outcome::Unknown, Some(Outcome::Passed), 1, StatedOutcome::Passed, basis),
            (Outcome::Unknown, Some(Outcome::Failed), 0, StatedOutcome::Failed, basis),
            (Outcome::Unknown, Some(Outcome::Unknown), 1, StatedOutcome::Unknown, None),
            (Outcome::Unknown, None, 1, StatedOutcome::Unknown, None),
        ] {
            let table = Sample::new().run("cargo test", Outcome::Passed, Status::Ok).table();
            let mut run = RunIndex::of(&table).runs()[0];
            (run.outcome, run.reported, run.after_failures) = (outcome, reported, after_failures);
            let statement = run.statement();
            assert_eq!(statement, Statement { outcome: stated, basis: on });
            assert!(run.permits(statement));
        }
    }
}

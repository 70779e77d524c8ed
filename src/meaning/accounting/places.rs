//! Where each class of events stands in a ledger: sorted lists that rules search instead of walking the rows of
//! every range again.

use crate::base::ids::{EventId, Ordinal};
use crate::evidence::command::observation::{Observation, Outcome};
use crate::evidence::table::{Class, Table};

/// Ordinals by what they are evidence of, each list sorted.
#[derive(Debug, Default)]
pub struct Places {
    by_class: [Vec<Ordinal>; Class::ALL.len()],
    /// Events that a claim must own.
    pub never_noise: Vec<Ordinal>,
    /// Tasks of a child.
    pub tasks: Vec<Ordinal>,
    /// Interrupts, API errors, limits, aborted turns.
    pub trouble: Vec<Ordinal>,
    /// Calls and results of runs that failed by their status or by their own output.
    pub failed_runs: Vec<Ordinal>,
    /// The call of the last mutation.
    pub last_mutation: Option<Ordinal>,
}

impl Places {
    /// Reads a table once.
    pub fn of(table: &Table) -> Self {
        let mut places = Self::default();
        for (row, ordinal) in table.rows().iter().zip(0..) {
            for class in row.classes.iter() {
                if let Some(list) = places.by_class.get_mut(class as usize) {
                    list.push(ordinal);
                }
            }
            let lists = [
                (row.classes.never_noise(), &mut places.never_noise),
                (row.task, &mut places.tasks),
                (row.trouble, &mut places.trouble),
            ];
            for (_, list) in lists.into_iter().filter(|(belongs, _)| *belongs) {
                list.push(ordinal);
            }
        }
        places.last_mutation = table.last_mutation().map(EventId::ordinal);
        for observation in table.observations() {
            let Observation::VerificationRun { attempt, outcome, reported, .. } = observation else {
                continue;
            };
            if *outcome == Outcome::Failed || *reported == Some(Outcome::Failed) {
                places.failed_runs.push(attempt.call.ordinal());
                places.failed_runs.extend(attempt.result.map(|result| result.ordinal()));
            }
        }
        places.failed_runs.sort_unstable();
        places.failed_runs.dedup();
        places
    }

    /// The events of a class.
    pub fn class(&self, class: Class) -> &[Ordinal] {
        self.by_class.get(class as usize).map(Vec::as_slice).unwrap_or_default()
    }
}

//! Which paths and commits the session's own events carry. An attempt is not a result: an edit whose result
//! is an error or a refusal changed nothing, and a shell write inside a command that ended in an error is not
//! shown to have happened: their events carry no path, though the index knows the attempt.

use std::collections::{HashMap, HashSet};

use crate::base::ids::{EventId, Ordinal};
use crate::evidence::command::observation::{Attempt, Observation};
use crate::evidence::table::Table;
use crate::evidence::transcript::item::Status;

/// Something that an event carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact<'t> {
    /// A file was written there.
    Path(&'t str),
    /// A file below a temporary folder was written.
    Scratch(&'t str),
    /// Git reported this commit.
    Commit(&'t str),
}

/// The index of paths and commits.
#[derive(Debug, Default)]
pub struct Observed<'t> {
    by_event: HashMap<Ordinal, Vec<Fact<'t>>>,
    paths: HashSet<&'t str>,
    commits: HashSet<&'t str>,
}

impl<'t> Observed<'t> {
    /// Takes paths and commits out of the observations.
    pub fn of(table: &'t Table) -> Self {
        let mut index = Self::default();
        for observation in table.observations() {
            match observation {
                Observation::FileMutation { attempt, path, moved_to, .. } => {
                    for path in [Some(path), moved_to.as_ref()].into_iter().flatten() {
                        index.path(attempt, path, Fact::Path(path));
                    }
                }
                Observation::ShellWrite { attempt, path: Some(path), scratch, .. } => {
                    let fact = if *scratch { Fact::Scratch(path) } else { Fact::Path(path) };
                    index.path(attempt, path, fact);
                }
                Observation::CommitReported { attempt, commit, .. } => {
                    index.commits.insert(commit);
                    index.carry(attempt, Fact::Commit(commit));
                }
                _ => {}
            }
        }
        index
    }

    /// What an event, call or result, carries.
    pub fn carried_by(&self, event: Ordinal) -> &[Fact<'t>] {
        self.by_event.get(&event).map_or(&[], Vec::as_slice)
    }

    /// True when some attempt of the session named the path.
    pub fn has_path(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// True when git reported the commit in this session.
    pub fn has_commit(&self, commit: &str) -> bool {
        self.commits.contains(commit)
    }

    fn path(&mut self, attempt: &Attempt, path: &'t str, fact: Fact<'t>) {
        self.paths.insert(path);
        if !matches!(attempt.status, Status::Error | Status::Rejected) {
            self.carry(attempt, fact);
        }
    }

    fn carry(&mut self, attempt: &Attempt, fact: Fact<'t>) {
        let events = [Some(attempt.call), attempt.result].into_iter().flatten().map(EventId::ordinal);
        for event in events {
            self.by_event.entry(event).or_default().push(fact);
        }
    }
}

//! What follows from the lines alone: counts, relations, observations. The same code follows a ledger while it
//! is made and while it is checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::Result;
use crate::base::private::Folder;
use crate::base::rules::Code;
use crate::evidence::command::observation::Observation;
use crate::evidence::command::observe::{Observations, Observer};
use crate::evidence::event::Event;
use crate::evidence::event::continuation::Continuations;
use crate::evidence::event::coverage::Coverage;
use crate::evidence::event::record_line::RecordLine;
use crate::evidence::event::relations::{Relation, Relations};
use crate::evidence::event::rollback::Rollbacks;
use crate::evidence::event::side_file::Names;
use crate::evidence::event::tally::Tally;
use crate::evidence::transcript::item::Surface;

/// One line, in the order of the transcript: a record before its events.
pub enum Line {
    /// Of the records ledger.
    Record(RecordLine),
    /// Of the event ledger.
    Event(Event),
}

/// Follows the lines; `row` gets each relation as it becomes known.
#[derive(Default, Serialize, Deserialize)]
pub struct Derivation {
    tally: Tally,
    relations: Relations,
    continuations: Continuations,
    rollbacks: Rollbacks,
    observer: Observer,
    side_files: Names,
}

/// What followed.
pub struct Derived {
    /// Counts.
    pub coverage: Coverage,
    /// Known gaps that the lines show.
    pub limitations: BTreeMap<Code, u64>,
    /// What events show.
    pub observations: Observations,
    /// Side files that events name.
    pub side_files: Names,
}

impl Derivation {
    /// Beyond a bound, ids of calls are remembered in files of this folder.
    ///
    /// # Errors
    /// As [`crate::evidence::runs::KeyMap::attach`].
    pub fn attach(&mut self, folder: &Folder) -> Result<()> {
        self.relations.calls().attach(folder)
    }

    /// Brings those into files, so that the state can be written down; gives their names.
    ///
    /// # Errors
    /// `read-failed`, `write-failed`.
    pub fn settle(&mut self) -> Result<Vec<String>> {
        let calls = self.relations.calls();
        calls.settle()?;
        Ok(calls.files().map(str::to_owned).collect())
    }

    /// Takes the next line.
    ///
    /// # Errors
    /// Whatever `row` refuses.
    pub fn push(&mut self, line: &Line, row: &mut impl FnMut(&Relation) -> Result<()>) -> Result<()> {
        match line {
            Line::Record(record) => {
                self.tally.record(record);
                for relation in self.relations.record(record)? {
                    if let Relation::Learnt { call, status, exit_code, .. } = relation {
                        self.observer.learn(call, status, exit_code);
                    }
                    row(&relation)?;
                }
            }
            Line::Event(event) => {
                self.tally.event(event);
                self.observer.observe(event);
                self.side_files.event(event);
                if let Some(relation) = self.relations.event(event)? {
                    // The call of a result that stands before it.
                    if let (
                        Surface::ToolCall,
                        Relation::Result { call, status: Some(status), exit_code, .. },
                    ) = (event.surface, &relation)
                    {
                        self.observer.learn(*call, *status, *exit_code);
                    }
                    row(&relation)?;
                }
                for relation in self.continuations.event(event).into_iter().chain(self.rollbacks.event(event))
                {
                    if let Relation::Learnt { call, status, exit_code, .. } = relation {
                        self.observer.learn(call, status, exit_code);
                        self.observer.read_ending(call, event);
                    }
                    row(&relation)?;
                }
            }
        }
        Ok(())
    }

    /// Closes with what only the end shows.
    ///
    /// # Errors
    /// Whatever `row` and `observation` refuse.
    pub fn finish(
        mut self,
        framing_bytes: u64,
        row: &mut impl FnMut(&Relation) -> Result<()>,
        observation: &mut impl FnMut(&Observation) -> Result<()>,
    ) -> Result<Derived> {
        let (paired, late) = (self.relations.paired(), self.relations.late());
        for relation in self.relations.finish() {
            self.tally
                .limit(Code::DanglingParent, u64::from(matches!(relation, Relation::DanglingParent { .. })));
            row(&relation)?;
        }
        let observations = self.observer.finish(observation)?;
        let unparsed = observations.counts.get("unparsed").copied().unwrap_or_default();
        self.tally.limit(Code::CommandUnparsed, unparsed);
        let (coverage, limitations) = self.tally.finish(paired, late, framing_bytes);
        Ok(Derived { coverage, limitations, observations, side_files: self.side_files })
    }
}

/// One row of a derived file.
///
/// # Errors
/// `write-failed` if it cannot be expressed in JSON, which ids, numbers and text always can.
pub fn json_line<T: serde::Serialize>(row: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(row).map_err(|_| crate::base::Refusal::new(Code::WriteFailed))
}

//! Asks one repository question after question and gathers the codes of what could not be learnt. It knows
//! no question itself.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use super::guard::Guarded;
use super::process::Output;
use super::snapshot::Listing;
use super::text::{Decoder, items};
use crate::base::rules::Code;

/// One repository under questions.
pub struct Asker<'a> {
    guarded: &'a Guarded<'a>,
    /// Shows what was answered.
    pub decoder: Decoder,
    limitations: BTreeSet<Code>,
    out_of_time: bool,
}

impl<'a> Asker<'a> {
    /// Begins with nothing learnt and nothing missing.
    pub fn new(guarded: &'a Guarded<'a>) -> Self {
        Self { guarded, decoder: Decoder::default(), limitations: BTreeSet::new(), out_of_time: false }
    }

    /// Takes over what another asker of the same repository noted and counted.
    pub fn join(&mut self, other: Self) {
        self.limitations.extend(other.limitations);
        self.decoder.damaged += other.decoder.damaged;
    }

    /// Every code that was noted, once, in the order of the table.
    pub fn into_limitations(self) -> Vec<Code> {
        self.limitations.into_iter().collect()
    }

    /// Notes that something could not be learnt.
    pub fn note(&mut self, code: Code) {
        self.limitations.insert(code);
    }

    /// The output whatever its exit status; a failure of the run itself is noted. After a question
    /// that ran out of time no other is asked.
    pub fn ask<S: AsRef<OsStr>>(&mut self, arguments: &[S]) -> Option<Output> {
        if self.out_of_time {
            return None;
        }
        match self.guarded.run(arguments) {
            Ok(output) => Some(output),
            Err(code) => {
                self.out_of_time |= code == Code::ProbeTimeout;
                self.note(code);
                None
            }
        }
    }

    /// The output of a question that git must be able to answer.
    pub fn ask_sure<S: AsRef<OsStr>>(&mut self, arguments: &[S]) -> Option<Output> {
        let output = self.ask(arguments)?;
        self.sure((output.exit == 0).then_some(output))
    }

    /// Notes `probe-failed` for an answer that is not understood.
    pub fn sure<T>(&mut self, answer: Option<T>) -> Option<T> {
        if answer.is_none() {
            self.note(Code::ProbeFailed);
        }
        answer
    }

    /// Cuts items into rows of `width`; a row that is not understood fails the whole.
    pub fn rows<T>(
        &mut self,
        output: &Output,
        width: usize,
        read: impl Fn(&mut Decoder, &[&[u8]]) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = items(&output.stdout).filter(|items| items.len().is_multiple_of(width));
        let rows =
            items.and_then(|items| items.chunks(width).map(|row| read(&mut self.decoder, row)).collect());
        self.sure(rows)
    }

    /// Adds a row, or counts it when the list is full.
    pub fn list<T>(&mut self, listing: &mut Listing<T>, most: usize, row: impl FnOnce(&mut Decoder) -> T) {
        if listing.rows.len() < most {
            listing.rows.push(row(&mut self.decoder));
        } else {
            listing.omitted += 1;
            self.note(Code::GitFactsOmitted);
        }
    }
}

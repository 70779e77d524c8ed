//! What is found while the words of a command are gone through: each file that it writes, and one row for all that its
//! words do not name.

use super::observation::Operation;
use super::shell::member::Member;
use super::shell::word::Word;
use super::target::{Target, Variables, stands_in_scratch};

/// One file written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Seen from where the session's commands start, else absolute; `None` where the words do not name it.
    pub path: Option<String>,
    /// What was to happen.
    pub operation: Operation,
    /// Below a temporary folder.
    pub scratch: bool,
    /// It may be written although the command then fails: by the shell, or by a fixer that cannot fix all.
    pub even_failed: bool,
}

/// The writes of one command, as its words are gone through.
pub struct Found<'m> {
    /// What was found so far.
    pub all: Vec<Write>,
    /// The command.
    pub member: &'m Member,
    /// What its variables hold.
    pub variables: &'m Variables,
}

impl Found<'_> {
    /// One file, or the row that stands for one without a name.
    pub fn push(&mut self, target: &Word, operation: Operation, even_failed: bool) {
        match self.variables.target(self.member, target) {
            Target::File { path, scratch } => {
                self.all.push(Write { path: Some(path), operation, scratch, even_failed });
            }
            Target::Unnamed => self.unnamed(operation, false, even_failed),
            Target::None => {}
        }
    }

    /// One row for all files of a command that are not named.
    pub fn unnamed(&mut self, operation: Operation, scratch: bool, even_failed: bool) {
        let write = Write { path: None, operation, scratch, even_failed };
        if !self.all.contains(&write) {
            self.all.push(write);
        }
    }

    /// The same in a folder: the one that is given, else the command's own.
    pub fn unnamed_in(&mut self, folder: Option<&Word>, operation: Operation) {
        let scratch = match folder.map(|folder| self.variables.target(self.member, folder)) {
            Some(Target::File { path, scratch }) => scratch || path == "/tmp",
            Some(_) => false,
            None => stands_in_scratch(self.member),
        };
        self.unnamed(operation, scratch, true);
    }

    /// All of them alike.
    pub fn each(&mut self, targets: &[&Word], operation: Operation) {
        for target in targets {
            self.push(target, operation, false);
        }
    }

    /// Every source moves; the target is written.
    pub fn moved(&mut self, operands: &[&Word]) {
        if let [sources @ .., target] = operands
            && !sources.is_empty()
        {
            self.each(sources, Operation::Move);
            self.push(target, Operation::Add, false);
        }
    }
}

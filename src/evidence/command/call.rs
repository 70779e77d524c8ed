//! One call between its event and the end of the ledger: its rows in the making, and what its results told.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::observation::{Attempt, Observation, Operation, Outcome, Reason};
use super::result::{kept, output, whole};
use super::rows::{Draft, short};
use super::shell::member::Members;
use super::shell::outcome::{Deduction, Whole};
use super::vcs::{git, reported, switched};
use super::visible::{Kept, report};
use crate::base::json::embedded;
use crate::evidence::event::Event;
use crate::evidence::transcript::item::Status;

/// A call that has rows, or may get some by its result.
#[derive(Debug, Serialize, Deserialize)]
pub struct Call {
    /// Call and last result.
    pub attempt: Attempt,
    /// Rows of the call itself.
    pub drafts: Vec<Draft>,
    /// Rows that only the result gave.
    #[serde(with = "embedded")]
    pub found: Vec<Observation>,
    /// By its results.
    pub told: Whole,
    /// By a record that mirrors it.
    pub learnt: Option<(Status, Whole)>,
    /// Launched in the background.
    pub background: bool,
    /// An error without an exit status is a failed command.
    pub error_is_failure: bool,
    /// The operation of a whole file written is still to be told.
    pub written: bool,
    /// What the whole proves about each command whose commits its output may report.
    pub commits: Vec<Deduction>,
    /// What `git checkout` was given, for each that may switch.
    pub switches: Vec<(String, Deduction)>,
    /// The search or comparison that its status may be of.
    pub search: Option<Search>,
}

/// A search or comparison at the end of a script.
#[derive(Debug, Serialize, Deserialize)]
pub struct Search {
    /// The program.
    pub program: String,
    /// Only `cd` and its kin before it, which complain when they fail.
    pub behind_cd: bool,
}

/// Most commands of one call whose commits are looked for in its output.
pub const COMMITS: usize = 64;
/// Most branches that one call may switch to and be looked for in its output.
pub const SWITCHES: usize = 8;

impl Call {
    /// Before any result.
    pub fn new(attempt: Attempt) -> Self {
        Self {
            attempt,
            drafts: Vec::new(),
            found: Vec::new(),
            told: Whole::Unknown(Reason::NoResult),
            learnt: None,
            background: false,
            error_is_failure: true,
            written: false,
            commits: Vec::new(),
            switches: Vec::new(),
            search: None,
        }
    }

    /// It has no rows and will get none.
    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
            && self.found.is_empty()
            && self.commits.is_empty()
            && self.switches.is_empty()
            && self.search.is_none()
    }

    /// It has no rows so far.
    pub fn is_rowless(&self) -> bool {
        self.drafts.is_empty() && self.found.is_empty()
    }

    /// What the text of a result adds to the rows; rows of its own come back.
    pub fn read(&mut self, event: &Event) -> Vec<Observation> {
        let text = output(event.text.as_str());
        let kept = kept(event, &text);
        if self.written && text.contains("has been updated") {
            for draft in &mut self.drafts {
                if let Observation::FileMutation { operation, .. } = &mut draft.row {
                    *operation = Operation::Update;
                }
            }
        }
        self.closings(&text, kept, self.told);
        self.found_in(&text)
    }

    /// What the end of a command adds that went on in the background: the result of the poll that saw it.
    pub fn read_ending(&mut self, event: &Event) {
        let text = output(event.text.as_str());
        // What earlier results showed stands there.
        let kept = if kept(event, &text) == Kept::Beginning { Kept::Beginning } else { Kept::Ending };
        self.closings(&text, kept, whole(event, self.error_is_failure));
    }

    fn closings(&mut self, text: &str, kept: Kept, told: Whole) {
        // What stopped half way may have reported a part.
        let ended = !matches!(
            told,
            Whole::Unknown(
                Reason::Interrupted
                    | Reason::TimedOut
                    | Reason::Backgrounded
                    | Reason::Rejected
                    | Reason::Sandboxed
            )
        );
        for draft in &mut self.drafts {
            let Observation::VerificationRun { reported, reported_counts, .. } = &mut draft.row else {
                continue;
            };
            let stopped =
                matches!(draft.deduction.outcome(told).1, Some(Reason::Interrupted | Reason::TimedOut));
            let said = draft.watch.filter(|_| ended && !stopped).and_then(|watch| report(watch, text, kept));
            *reported = said.and_then(|said| said.outcome);
            *reported_counts = said.and_then(|said| said.counts);
        }
    }

    fn found_in(&self, text: &str) -> Vec<Observation> {
        let mut found = Vec::new();
        let attempt = &self.attempt;
        // Git prints the line when the commit is made: what failed behind it changes nothing of that. A command that
        // is known to have failed printed none.
        let told = |deduction: &&Deduction| {
            let (outcome, reason) = deduction.outcome(self.told);
            outcome != Outcome::Failed && reason != Some(Reason::Rejected)
        };
        let may = self.commits.iter().filter(told).count();
        if may > 0 {
            let lines = text.lines().filter_map(reported);
            let commits: Vec<_> = lines.take(may + 1).collect();
            // More lines than commands: some of them are not git's.
            for line in commits.iter().filter(|_| commits.len() <= may) {
                let branch = line.branch.map(short);
                found.push(Observation::CommitReported {
                    attempt: attempt.clone(),
                    commit: line.commit.to_owned(),
                    branch,
                });
            }
        }
        let mut seen = BTreeSet::new();
        for branch in text.lines().filter_map(switched) {
            let asked = self.switches.iter().find(|(asked, _)| asked == branch);
            if let Some((branch, deduction)) = asked.filter(|_| seen.insert(branch.to_owned())) {
                let outcome = deduction.outcome(self.told).0;
                found.push(Observation::BranchSwitch {
                    attempt: attempt.clone(),
                    branch: branch.clone(),
                    outcome,
                });
            }
        }
        let ended_with_one = self.told == Whole::Failed(Some(1));
        if let Some(search) = self.search.as_ref().filter(|_| ended_with_one)
            && (!search.behind_cd || !text.contains("cd: "))
        {
            found.push(Observation::NoMatch { attempt: attempt.clone(), program: search.program.clone() });
        }
        found
    }

    /// Its rows with attempt and outcome as far as they are known at the end.
    pub fn settle(self) -> (Vec<Draft>, Vec<Observation>) {
        let Self { mut attempt, mut drafts, mut found, told, learnt, .. } = self;
        let open = matches!(told, Whole::Unknown(Reason::NoResult | Reason::NoStatus | Reason::Backgrounded));
        let whole = match learnt {
            Some((status, whole)) if open && !matches!(whole, Whole::Unknown(Reason::NoStatus)) => {
                attempt.status = status;
                whole
            }
            _ => told,
        };
        for draft in &mut drafts {
            draft.settle(&attempt, whole);
        }
        for row in &mut found {
            if let Some(own) = row.attempt_mut() {
                own.clone_from(&attempt);
            }
        }
        (drafts, found)
    }
}

/// The search that the status of a script may be of: its last command, alone or behind `cd`.
pub fn search(members: &Members) -> Option<Search> {
    const PROGRAMS: &[&str] = &["grep", "egrep", "fgrep", "rg", "find", "ls", "test", "[", "diff"];
    let (last, before) = members.list.split_last()?;
    let program = match last.program()? {
        "git" => git(&last.argv).filter(|git| git.verb == "grep").map(|_| "git grep")?,
        program => *PROGRAMS.iter().find(|own| **own == program)?,
    };
    let failed = |code| last.deduction.outcome(Whole::Failed(Some(code))).0 == Outcome::Failed;
    let only_moves =
        before.iter().all(|member| matches!(member.program(), Some("cd" | "pushd" | "set" | "export")));
    // With status 1 it is the last one's own; behind `cd` only a telling status would be.
    let own = failed(1);
    (own || (failed(101) && only_moves)).then(|| Search { program: program.to_owned(), behind_cd: !own })
}

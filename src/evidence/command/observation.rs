//! The rows of `session_observed`: what events show that was attempted, and what its own result shows. A
//! derived file, one JSON object a line, rebuilt from the ledger alone.

use serde::{Deserialize, Serialize};

use crate::base::ids::{EventId, Ordinal};
use crate::evidence::event::line::Pairing;
use crate::evidence::transcript::item::Status;

/// A call with its result, if one was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// The call.
    pub call: EventId,
    /// Its last result.
    pub result: Option<EventId>,
    /// How the two are joined.
    pub pairing: Pairing,
    /// Status of the result; `unknown` without one.
    pub status: Status,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Created, or written whole.
    Add,
    /// Changed in place.
    Update,
    /// Removed.
    Delete,
    /// Renamed.
    Move,
}

/// Outcome of a run by its status alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The status of the run itself is known and is success.
    Passed,
    /// The status of the run itself is known and is failure.
    Failed,
    /// The status of the run itself is not known.
    Unknown,
}

/// Why an outcome is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The pipeline reports its last element.
    MaskedByPipeline,
    /// Another command of the list decides the status.
    MaskedByList,
    /// Negated, in a condition or a loop.
    MaskedByControl,
    /// Ran in the background.
    Backgrounded,
    /// Inside a substitution, function or wrapper whose status is not its own.
    Nested,
    /// No result was seen.
    NoResult,
    /// Interrupted.
    Interrupted,
    /// Ran into its time limit.
    TimedOut,
    /// Never ran.
    Rejected,
    /// The shell did not find its program, or may not run it.
    NotStarted,
    /// A sandbox denied it something: that it failed says nothing of what it tested.
    Sandboxed,
    /// The harness gives no status.
    NoStatus,
    /// A part of the command is not understood, so that a shell may have refused all of it.
    Unparsed,
    /// An option makes the runner end with success whatever it finds.
    StatusForced,
}

/// Counts of a runner's own closing lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportedCounts {
    /// Passed.
    pub passed: u64,
    /// Failed, errors included.
    pub failed: u64,
    /// Skipped or ignored.
    pub skipped: u64,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "snake_case", deny_unknown_fields)]
pub enum Observation {
    /// A structured edit or patch of one file.
    FileMutation {
        /// Call and result.
        attempt: Attempt,
        /// What was to happen.
        operation: Operation,
        /// Relative to the work directory with `/`, else absolute.
        path: String,
        /// New path of a move.
        moved_to: Option<String>,
    },
    /// A file written by a shell command: weaker than a structured edit.
    ShellWrite {
        /// Call and result.
        attempt: Attempt,
        /// What was to happen.
        operation: Operation,
        /// The target; `None` where the words do not name it.
        path: Option<String>,
        /// Below a temporary folder.
        scratch: bool,
    },
    /// A git command.
    GitCommand {
        /// Call and result.
        attempt: Attempt,
        /// `commit`, `push`, `status` …
        verb: String,
        /// Arguments behind the verb.
        argv: Vec<String>,
        /// Where it ran, as far as known.
        workdir: Option<String>,
        /// It changes refs, index, work tree or configuration.
        mutating: bool,
        /// Of the git command itself.
        outcome: Outcome,
    },
    /// A commit that git reported in its own output.
    CommitReported {
        /// Call and result.
        attempt: Attempt,
        /// The abbreviated or full object id.
        commit: String,
        /// The branch of the same line.
        branch: Option<String>,
    },
    /// A switch of branches.
    BranchSwitch {
        /// Call and result.
        attempt: Attempt,
        /// The new branch.
        branch: String,
        /// Of the git command itself.
        outcome: Outcome,
    },
    /// Tests or checks.
    VerificationRun {
        /// Call and result.
        attempt: Attempt,
        /// The runner (`cargo test`, `pytest`, `tsc` …).
        runner: String,
        /// The simple command as it ran, without assignments and wrappers.
        command: String,
        /// Digest of argv, assignments and work directory: equal for the same command.
        command_key: String,
        /// Where it ran, as far as known.
        workdir: Option<String>,
        /// By the status alone.
        outcome: Outcome,
        /// Why it is unknown.
        reason: Option<Reason>,
        /// By the runner's own closing lines.
        reported: Option<Outcome>,
        /// Counts of those lines.
        reported_counts: Option<ReportedCounts>,
        /// Failed runs of the same command before this one.
        after_failures: u64,
        /// A mutation came after it.
        stale: bool,
    },
    /// Something that left this machine, or was to.
    ExternalEffect {
        /// Call and result.
        attempt: Attempt,
        /// `push`, `publish`, `deploy`, `http_write`, `upload`, `message`, `ticket`, `pull_request`,
        /// `remote_command`.
        effect: String,
        /// Of the command itself.
        outcome: Outcome,
    },
    /// A search or comparison that ended with exit status 1: no match, no failure.
    NoMatch {
        /// Call and result.
        attempt: Attempt,
        /// The program.
        program: String,
    },
    /// A folder that may be a repository of this session.
    RepositoryCandidate {
        /// As named.
        path: String,
        /// First event that names it; `None` when the records do.
        event: Option<EventId>,
    },
    /// A command that was not analysed, or not all of it.
    Unparsed {
        /// Call and result.
        attempt: Attempt,
    },
}

impl Observation {
    /// The name of its kind, as in `row`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::FileMutation { .. } => "file_mutation",
            Self::ShellWrite { .. } => "shell_write",
            Self::GitCommand { .. } => "git_command",
            Self::CommitReported { .. } => "commit_reported",
            Self::BranchSwitch { .. } => "branch_switch",
            Self::VerificationRun { .. } => "verification_run",
            Self::ExternalEffect { .. } => "external_effect",
            Self::NoMatch { .. } => "no_match",
            Self::RepositoryCandidate { .. } => "repository_candidate",
            Self::Unparsed { .. } => "unparsed",
        }
    }

    /// The call and result of the row; candidates have none.
    pub const fn attempt(&self) -> Option<&Attempt> {
        match self {
            Self::FileMutation { attempt, .. }
            | Self::ShellWrite { attempt, .. }
            | Self::GitCommand { attempt, .. }
            | Self::CommitReported { attempt, .. }
            | Self::BranchSwitch { attempt, .. }
            | Self::VerificationRun { attempt, .. }
            | Self::ExternalEffect { attempt, .. }
            | Self::NoMatch { attempt, .. }
            | Self::Unparsed { attempt } => Some(attempt),
            Self::RepositoryCandidate { .. } => None,
        }
    }

    /// Ordinal of the call; candidates sort first.
    pub fn call_ordinal(&self) -> Option<Ordinal> {
        self.attempt().map(|attempt| attempt.call.ordinal())
    }

    /// The same, to be changed.
    pub(super) const fn attempt_mut(&mut self) -> Option<&mut Attempt> {
        match self {
            Self::FileMutation { attempt, .. }
            | Self::ShellWrite { attempt, .. }
            | Self::GitCommand { attempt, .. }
            | Self::CommitReported { attempt, .. }
            | Self::BranchSwitch { attempt, .. }
            | Self::VerificationRun { attempt, .. }
            | Self::ExternalEffect { attempt, .. }
            | Self::NoMatch { attempt, .. }
            | Self::Unparsed { attempt } => Some(attempt),
            Self::RepositoryCandidate { .. } => None,
        }
    }

    /// Takes over what the result of its call told.
    pub(super) fn settle(&mut self, known: &Attempt, (own, why): (Outcome, Option<Reason>)) {
        if let Some(attempt) = self.attempt_mut() {
            attempt.clone_from(known);
        }
        match self {
            Self::VerificationRun { outcome, reason, .. } => (*outcome, *reason) = (own, why),
            Self::GitCommand { outcome, .. }
            | Self::BranchSwitch { outcome, .. }
            | Self::ExternalEffect { outcome, .. } => *outcome = own,
            _ => {}
        }
    }
}

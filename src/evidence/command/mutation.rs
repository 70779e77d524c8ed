//! The last mutation: what `stale`, a final state and the reader go by. A mutation changes files of the work: an
//! edit, a shell write or a git command that is not shown to have failed. Scratch files and commits are none.

use serde::{Deserialize, Serialize};

use super::observation::Observation;
use crate::base::ids::EventId;

/// The row that shows a mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MutationKind {
    /// A structured edit or patch.
    FileMutation,
    /// A file written by a shell command.
    ShellWrite,
    /// A git command that changes files of the work tree.
    GitCommand,
}

impl MutationKind {
    /// The name, as in `row` of the observation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FileMutation => "file_mutation",
            Self::ShellWrite => "shell_write",
            Self::GitCommand => "git_command",
        }
    }

    const fn of(row: &Observation) -> Self {
        match row {
            Observation::FileMutation { .. } => Self::FileMutation,
            Observation::GitCommand { .. } => Self::GitCommand,
            _ => Self::ShellWrite,
        }
    }
}

/// The last mutation of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastMutation {
    /// The call.
    pub event: EventId,
    /// What shows it.
    pub kind: MutationKind,
}

/// A mutation and its place in its call: members of one pipeline run at the same time and do not follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// The mutation.
    pub mutation: LastMutation,
    /// Which pipeline of the call.
    pub step: u32,
}

impl Placed {
    /// The mutation that a row shows.
    pub fn of(row: &Observation, step: u32) -> Option<Self> {
        let event = row.attempt()?.call;
        Some(Self { mutation: LastMutation { event, kind: MutationKind::of(row) }, step })
    }

    /// It comes after a pipeline of a call.
    pub fn is_after(self, call: EventId, step: u32) -> bool {
        (self.mutation.event.ordinal(), self.step) > (call.ordinal(), step)
    }

    /// The later of two.
    pub fn later(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) if one.is_after(other.mutation.event, other.step) => Some(one),
            (one, None) => one,
            (_, other) => other,
        }
    }
}

//! What an accounting is made of: claims of one kind with the events they own, and groups that set events aside.

use serde::{Deserialize, Serialize};

use super::ranges;
use crate::base::ids::Ordinal;
use crate::evidence::slice::Run;

/// The version that both forms of an accounting carry.
pub const ACCOUNTING_SCHEMA: &str = "recap.accounting.v1";

/// What a claim says its events are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// What was wanted.
    Goal,
    /// What was chosen.
    Decision,
    /// What was done without changing anything.
    Action,
    /// What was changed.
    Change,
    /// What was tested or checked.
    Verification,
    /// What went wrong.
    Failure,
    /// How it was mended.
    Recovery,
    /// What left this machine.
    ExternalEffect,
    /// Where it ended.
    FinalState,
    /// What is left to do.
    OpenWork,
}

impl ClaimKind {
    /// All kinds in the order of the contract.
    pub const ALL: [Self; 10] = [
        Self::Goal,
        Self::Decision,
        Self::Action,
        Self::Change,
        Self::Verification,
        Self::Failure,
        Self::Recovery,
        Self::ExternalEffect,
        Self::FinalState,
        Self::OpenWork,
    ];

    /// The name used in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Decision => "decision",
            Self::Action => "action",
            Self::Change => "change",
            Self::Verification => "verification",
            Self::Failure => "failure",
            Self::Recovery => "recovery",
            Self::ExternalEffect => "external_effect",
            Self::FinalState => "final_state",
            Self::OpenWork => "open_work",
        }
    }

    /// Finds a kind by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A statement of one kind with the events it owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The author's id.
    pub id: String,
    /// What it says its events are.
    pub kind: ClaimKind,
    /// One line.
    pub label: String,
    /// Its events in order; never empty.
    pub events: Vec<Ordinal>,
}

impl Claim {
    /// Its events as sorted, joined ranges.
    pub fn ranges(&self) -> Vec<Run> {
        ranges::of_ordinals(self.events.iter().copied())
    }
}

/// Events that an author sets aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The author's id.
    pub id: String,
    /// One line.
    pub label: String,
    /// Its events as sorted, joined ranges; never empty.
    pub ranges: Vec<Run>,
}

impl Group {
    /// How many events it holds.
    pub fn count(&self) -> u64 {
        self.ranges.iter().copied().map(ranges::length).sum()
    }
}

//! Facts about the end of a session: what an event states of HEAD, of the branch and of the work tree that no later
//! event is known to have changed. Without such a fact the end is unknown.

use serde::{Deserialize, Serialize};

use crate::base::ids::EventId;

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// The commit of HEAD, abbreviated or not.
    Head,
    /// The short name of the branch.
    Branch,
    /// `true` or `false`: the work tree has nothing to commit.
    Clean,
}

impl FactKind {
    /// The name used in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Branch => "branch",
            Self::Clean => "clean",
        }
    }
}

/// One fact with the event that states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndFact {
    /// What it is about.
    pub kind: FactKind,
    /// As git printed it; `true` or `false` for `clean`.
    pub value: String,
    /// Where git was asked; `None` in the folder in which the session's commands start.
    pub workdir: Option<String>,
    /// The call.
    pub event: EventId,
    /// Its result.
    pub result: EventId,
}

/// What is known of the end of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SessionEnd {
    /// Nothing.
    Unknown(UnknownEnd),
    /// What events state.
    Stated(StatedEnd),
}

/// The word for nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnknownEnd {
    /// `unknown`.
    #[default]
    #[serde(rename = "unknown")]
    Unknown,
}

/// Facts, by the order of their calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedEnd {
    /// At least one.
    pub facts: Vec<EndFact>,
}

impl Default for SessionEnd {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl SessionEnd {
    /// Unknown without a fact.
    pub fn of(facts: Vec<EndFact>) -> Self {
        if facts.is_empty() { Self::Unknown(UnknownEnd::Unknown) } else { Self::Stated(StatedEnd { facts }) }
    }

    /// The facts; none when it is unknown.
    pub fn facts(&self) -> &[EndFact] {
        match self {
            Self::Unknown(_) => &[],
            Self::Stated(stated) => &stated.facts,
        }
    }
}

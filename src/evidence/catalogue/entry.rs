//! One file of a harness root: a session and what its ends say of it, or the reason why it is none.

use camino::Utf8PathBuf;
use serde::{Serialize, Serializer};

use super::link::{Link, Relation};
use super::sidecar::Sidecar;
use crate::base::ids::BoundaryId;
use crate::evidence::transcript::Raw;
use crate::evidence::transcript::compressed::Trouble;
use crate::evidence::transcript::reading::Identity;

/// What kind of session a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A session that a person or a program began.
    Session,
    /// A session that an agent began.
    Child,
    /// Housekeeping of the harness: a run that wrote a summary, kept memories, guarded.
    SideRun,
    /// A child that belongs to a run of a workflow.
    WorkflowAgent,
}

impl Kind {
    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Child => "child",
            Self::SideRun => "side-run",
            Self::WorkflowAgent => "workflow-agent",
        }
    }
}

/// What is so about a file, as far as its two ends show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// It lies among the archived ones (Codex).
    pub archived: bool,
    /// It is compressed.
    pub compressed: bool,
    /// It was moved with its work directory (Claude).
    pub relocated: bool,
    /// Damaged bytes were seen.
    pub damaged: bool,
    /// It ends inside a record.
    pub cut: bool,
    /// Its rows carry another agent id than its name (Claude).
    pub name_disagrees: bool,
}

/// A session.
#[derive(Debug)]
pub struct Entry {
    /// Where it lies.
    pub path: Utf8PathBuf,
    /// Who it is.
    pub identity: Identity,
    /// The boundary id that follows.
    pub boundary: BoundaryId,
    /// What kind of session.
    pub kind: Kind,
    /// Size of the file, in bytes, as stored.
    pub size_bytes: u64,
    /// When it was last changed: for a list, never for a decision.
    pub changed: Option<jiff::Timestamp>,
    /// What it proves about others, in the order of its records, each once.
    pub links: Vec<Link>,
    /// What lies beside a child (Claude).
    pub sidecar: Option<Sidecar>,
    /// Work directories that its ends name; the last is the newest.
    pub work_directories: Vec<Raw>,
    /// Branches that its ends name; the last is the newest.
    pub branches: Vec<Raw>,
    /// What is so about it.
    pub marks: Marks,
}

impl Entry {
    /// The id of this file among those of its thread (Codex): the name's second id, else the thread's.
    pub fn rollout(&self) -> &str {
        self.identity.rollout.as_deref().unwrap_or(&self.identity.session)
    }

    /// Links of one relation.
    pub fn linked(&self, relation: Relation) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(move |link| link.relation == relation)
    }
}

/// Why a file that looks like one is no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoSession {
    /// Zero bytes.
    Empty,
    /// Titles, modes, links and the like, and no conversation.
    SideRowsOnly,
    /// The journal of a workflow.
    Journal,
    /// A child's sidecar whose transcript is not there.
    SidecarAlone,
    /// Compressed data that does not decode.
    Compressed(Trouble),
    /// What it looks like, in our own words.
    Other(&'static str),
}

impl NoSession {
    /// The reason in our own words.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Empty => "an empty file",
            Self::SideRowsOnly => "only titles, modes and the like, no conversation",
            Self::Journal => "the journal of a workflow",
            Self::SidecarAlone => "the sidecar of a child whose transcript is missing",
            Self::Compressed(Trouble::Damaged) => "compressed data that does not decode",
            Self::Compressed(Trouble::TooLarge) => "compressed data that would grow without bound",
            Self::Other(looks) => looks,
        }
    }
}

impl NoSession {
    /// The name in documents.
    pub fn name(self) -> String {
        match self {
            Self::Empty => "empty".to_owned(),
            Self::SideRowsOnly => "side-rows-only".to_owned(),
            Self::Journal => "journal".to_owned(),
            Self::SidecarAlone => "sidecar-alone".to_owned(),
            Self::Compressed(trouble) => trouble.code().as_str().to_owned(),
            Self::Other(looks) => looks.to_lowercase().replace(' ', "-"),
        }
    }
}

impl Serialize for NoSession {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

/// A file that is no session.
#[derive(Debug)]
pub struct Rejected {
    /// Where it lies.
    pub path: Utf8PathBuf,
    /// Why it is none.
    pub why: NoSession,
    /// Size in bytes.
    pub size_bytes: u64,
    /// When it was last changed.
    pub changed: Option<jiff::Timestamp>,
}

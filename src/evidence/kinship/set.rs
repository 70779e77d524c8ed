//! The set document: which boundaries belong together, in which state each was collected, and what proves each edge.
//! Its RFC 8785 bytes are the file; it holds no path and no text of a transcript.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::said::By;
use crate::base::digest::{Digest, Hasher, encode_hex};
use crate::base::ids::BoundaryId;
use crate::base::json::{canonical, read};
use crate::base::limits::DRAFT_BYTES;
use crate::base::private::ArtifactPath;
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::violations::Violations;
use crate::base::{Refusal, Result};
use crate::evidence::event::line::RecordSpan;
use crate::evidence::table::LedgerState;

/// The version that every set document carries.
pub const SET_SCHEMA: &str = "recap.set.v1";
/// Domain of edge ids.
const EDGE_DOMAIN: &[u8] = b"recap edge id v1\0";

/// The document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// `recap.set.v1`.
    pub schema_version: String,
    /// The session that was asked for; every member is reachable from it.
    pub selected: BoundaryId,
    /// Which relations were followed.
    pub follows: Follows,
    /// In graph order: who is begun or continued stands behind who begins or is continued.
    pub members: Vec<Member>,
    /// In the order of their ends among the members.
    pub edges: Vec<Edge>,
    /// What `--without` left out, by boundary.
    pub left_out: Vec<LeftOut>,
    /// Known gaps with counts.
    pub limitations: BTreeMap<Code, u64>,
    /// SHA-256 of the RFC 8785 form of everything else here: a changed byte shows in the document itself.
    pub content_sha256: Digest,
}

/// Which relations a set follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Follows {
    /// From a session to the children that it began.
    pub children: bool,
    /// From a session to what it continues and what continues it.
    pub chain: bool,
}

/// One boundary in the state that the set binds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Which.
    pub boundary: BoundaryId,
    /// What it is in this set.
    pub kind: MemberKind,
    /// Digest of its manifest's file.
    pub manifest_sha256: Digest,
    /// Sizes and roots of its ledger.
    pub ledger: LedgerState,
}

/// Who was begun by another member.
pub fn begun(edges: &[Edge]) -> BTreeSet<BoundaryId> {
    edges.iter().filter(|edge| edge.kind == EdgeType::Child).map(|edge| edge.to).collect()
}

/// What a member is, from its own identity and the edges into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberKind {
    /// A session or thread of its own.
    Session,
    /// One of several files of a thread (Codex, after a revert).
    Segment,
    /// A child agent.
    Agent,
    /// A side run that wrote the summary of a compaction (Claude).
    Compaction,
}

impl MemberKind {
    /// The name used in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Segment => "segment",
            Self::Agent => "agent",
            Self::Compaction => "compaction",
        }
    }

    /// From agent id, rollout id, and whether a child edge leads to it.
    pub fn of(agent: Option<&str>, rollout: Option<&str>, begun: bool) -> Self {
        match (agent, rollout) {
            (Some(agent), _) if agent.starts_with("acompact-") => Self::Compaction,
            (Some(_), _) => Self::Agent,
            (None, _) if begun => Self::Agent,
            (None, Some(_)) => Self::Segment,
            (None, None) => Self::Session,
        }
    }
}

/// How two members are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeType {
    /// `from` began the agent `to`.
    Child,
    /// `to` copies, refers to or goes on with the history of `from`.
    Continuation,
}

impl EdgeType {
    /// The name used in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Child => "child",
            Self::Continuation => "continuation",
        }
    }
}

/// A relation of two members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// `edge-<12 hex>`, from the three members that follow.
    pub id: String,
    /// Who begins or is continued.
    pub from: BoundaryId,
    /// Who is begun or continues.
    pub to: BoundaryId,
    /// Which relation.
    #[serde(rename = "type")]
    pub kind: EdgeType,
    /// `proven`: nothing else is an edge.
    pub grade: Grade,
    /// Records at the head of `to` that repeat the history of `from`.
    pub inherited: Option<Inherited>,
    /// What proves it, each field once.
    pub proof: Vec<Proof>,
}

/// How much of a member is a copy, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inherited {
    /// Number of its records.
    pub records: u64,
    /// What shows it.
    pub shown_by: ShownBy,
}

/// What shows that records are copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownBy {
    /// Marks in the copy itself: its ledger holds the records as inherited.
    OwnMarks,
    /// Only the other transcript, which holds the same native ids: the ledger tells the records as the member's own.
    OtherTranscript,
}

/// How well a relation is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// A field of the harness names it.
    Proven,
}

/// One field that proves an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Which field.
    pub by: By,
    /// Whose transcript holds it.
    #[serde(rename = "in")]
    pub side: Side,
    /// The first record of that transcript that holds it.
    pub record: Option<RecordSpan>,
}

/// Where a proof stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// In the transcript of `from`.
    From,
    /// In the transcript of `to`.
    To,
    /// In a file beside the transcript of `to`.
    Beside,
}

/// A relative that a person left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Which.
    pub boundary: BoundaryId,
    /// The member that names it or that it names.
    pub named_by: BoundaryId,
    /// How the two are related.
    #[serde(rename = "type")]
    pub kind: EdgeType,
    /// It has no transcript; false: it was there and was not wanted.
    pub missing: bool,
}

/// The id of an edge: `edge-` and the first 6 bytes of a SHA-256 over a domain string and the length-prefixed ends and
/// type.
pub fn edge_id(from: BoundaryId, to: BoundaryId, kind: EdgeType) -> String {
    let mut hasher = Hasher::default();
    hasher.update(EDGE_DOMAIN);
    for part in [from.to_string().as_str(), to.to_string().as_str(), kind.name()] {
        hasher.update(&(part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    let digest = hasher.finish();
    format!("edge-{}", encode_hex(digest.as_bytes().split_at(6).0))
}

impl Set {
    /// Puts the digest of everything else in.
    ///
    /// # Errors
    /// `write-failed` if it cannot be expressed in JSON, which ids, digests and words always can.
    pub fn sealed(mut self) -> Result<Self> {
        self.content_sha256 = self.digest_of_content()?;
        Ok(self)
    }

    fn digest_of_content(&self) -> Result<Digest> {
        let mut value = serde_json::to_value(self).map_err(|_| Refusal::new(Code::WriteFailed))?;
        if let Some(members) = value.as_object_mut() {
            members.remove("content_sha256");
        }
        canonical::digest_of(&value)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// `set-too-large` if it could not be read again.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let bytes = canonical::to_bytes(self)?;
        if bytes.len() as u64 > DRAFT_BYTES {
            return Err(Refusal::new(Code::SetTooLarge));
        }
        Ok(bytes)
    }

    /// Reads a set document and its digest. What it says is not yet held against rules.
    ///
    /// # Errors
    /// `set-invalid` unless it is exactly what we write; what opening an artifact refuses.
    pub fn read(path: &ArtifactPath) -> Result<(Self, Digest)> {
        let bytes = path.open()?.read_all(DRAFT_BYTES)?;
        let set = Self::parse(&bytes).ok_or_else(|| Refusal::new(Code::SetInvalid).at(path.path()))?;
        Ok((set, Digest::of(&bytes)))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let value = read::strict(bytes).ok()?;
        let shaped = schemas::check("set", &value, &mut Violations::default());
        let set: Self = serde_json::from_value(value).ok().filter(|_| shaped)?;
        let exact = set.schema_version == SET_SCHEMA && canonical::to_bytes(&set).ok()? == bytes;
        let whole = set.digest_of_content().ok()? == set.content_sha256;
        (exact && whole).then_some(set)
    }

    /// The member of that boundary.
    pub fn member(&self, boundary: BoundaryId) -> Option<&Member> {
        self.members.iter().find(|member| member.boundary == boundary)
    }
}

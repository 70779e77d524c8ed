//! The private evidence document beside a handoff, `<recap file>.evidence.json`: the state of each member, what it was
//! recapped from, and the events behind each edge. It holds ids and digests, and no prose.

use serde::Serialize;

use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, EventId};

/// The version that every such document carries.
pub const SET_EVIDENCE_SCHEMA: &str = "recap.set-evidence.v1";

/// The whole document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetEvidence {
    pub(super) schema_version: &'static str,
    pub(super) set_sha256: Digest,
    pub(super) edges_file_sha256: Digest,
    pub(super) members: Vec<MemberEvidence>,
    pub(super) edges: Vec<EdgeEvidence>,
}

/// What one member's part rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemberEvidence {
    pub(super) boundary: BoundaryId,
    pub(super) manifest_sha256: Digest,
    /// `None`: not recapped.
    pub(super) accounting_sha256: Option<Digest>,
    /// Of the expanded form.
    pub(super) synthesis_sha256: Option<Digest>,
}

/// What one edge's item rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EdgeEvidence {
    pub(super) edge_id: String,
    pub(super) from_event_ids: Vec<EventId>,
    pub(super) to_event_ids: Vec<EventId>,
}

//! The compact index of one boundary: identity, coverage, ledger heads, digests of every file, repository
//! facts, limits. Its RFC 8785 bytes are the file; renaming it is the only commit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, Harness, Ordinal};
use crate::base::rules::Code;
pub use crate::evidence::command::fact::SessionEnd;
pub use crate::evidence::command::mutation::LastMutation;
pub use crate::evidence::event::coverage::{Calls, Coverage, Hidden, Session};
use crate::evidence::git::Snapshot;
use crate::evidence::scrub::numbering::Kept;
use crate::evidence::table::LedgerState;

/// The version that every manifest carries.
pub const MANIFEST_SCHEMA: &str = "recap.manifest.v1";
/// Version of the readers: which records become which events.
pub const READER_VERSION: &str = "2";
/// Version of the scrubber: which texts become which marks.
pub const SCRUBBER_VERSION: &str = "4";
/// Version of the built-in scrubbing policy; one with additions of a team has their digest behind it.
pub const POLICY_VERSION: &str = "default-1";
/// Version of the analysis of commands; where it alone differs, observations are rebuilt.
pub const ANALYSIS_VERSION: &str = "3";

/// The manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// `recap.manifest.v1`.
    pub schema_version: String,
    /// Which session.
    pub boundary: Boundary,
    /// When, RFC 3339 UTC.
    pub collected_at: String,
    /// The bytes that were read.
    pub source: Source,
    /// What became of every byte.
    pub coverage: Coverage,
    /// Heads and files of the ledger.
    pub ledger: Ledger,
    /// Number of redactions by kind.
    pub redactions: BTreeMap<String, u64>,
    /// Marks of others and values that a policy allows, which stay.
    #[serde(default, skip_serializing_if = "Kept::is_nothing")]
    pub kept: Kept,
    /// What the records say about the session as a whole.
    pub session: Session,
    /// Three facts that stay apart.
    pub git: Git,
    /// Known gaps with counts.
    pub limitations: BTreeMap<Code, u64>,
    /// Versions that made it.
    pub versions: Versions,
}

/// Identity of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    /// `recap://<harness>/<16 hex>`.
    pub id: BoundaryId,
    /// Which program wrote the transcript.
    pub harness: Harness,
    /// Native session or thread id.
    pub session: String,
    /// Native agent id of a child.
    pub agent: Option<String>,
    /// Native rollout id where a thread has several files.
    pub rollout: Option<String>,
    /// The form of the file (`claude-jsonl`, `codex-legacy` …).
    pub form: String,
}

/// The snapshot of the transcript that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Bytes of the snapshot `[0, size)`.
    pub size: u64,
    /// BLAKE3 of the snapshot, to recognise an unchanged prefix.
    pub blake3: String,
    /// The last record ended with a line feed.
    pub terminated: bool,
    /// More bytes followed the snapshot while it was read.
    pub live: bool,
    /// `mode_open_to_others`, `several_links`, `not_ours`, `byte_order_mark`.
    pub flags: Vec<String>,
}

/// Heads and files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// Sizes and roots of both trees.
    pub state: LedgerState,
    /// The event lines, in order.
    pub segments: Vec<Segment>,
    /// Streams that only grow at their end, each in parts, by name: `records`, `nodes`, `records-nodes`, `index`,
    /// `relations`.
    pub parts: BTreeMap<String, Vec<Stream>>,
    /// All other streams by name: `observations`.
    pub streams: BTreeMap<String, Stream>,
}

/// One immutable file of whole packets, named `<sha256>.events.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Its digest and name.
    pub sha256: Digest,
    /// Its size in bytes.
    pub bytes: u64,
    /// Ordinal of its first line.
    pub first_ordinal: Ordinal,
    /// Number of its lines.
    pub events: u64,
}

/// One other stream file, named `<sha256>.<ext>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Its digest.
    pub sha256: Digest,
    /// Its file name in the ledger folder.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Number of its rows (lines or fixed-width entries).
    pub rows: u64,
}

impl Stream {
    /// Its file has the one name that it may have: the digest and an extension of ours, so that no document leads
    /// elsewhere.
    pub fn is_named_by_digest(&self) -> bool {
        let extension = self.file.strip_prefix(&self.sha256.to_string());
        extension.and_then(|rest| rest.strip_prefix('.')).is_some_and(|rest| {
            !rest.is_empty()
                && rest.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'.' | b'-'))
        })
    }
}

/// Three facts that stay apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Git {
    /// What events show.
    pub session_observed: SessionObserved,
    /// State at the end of the session: `unknown` unless an event states it.
    pub session_end: SessionEnd,
    /// What probes show at the time of collecting.
    pub verified_now: Vec<Snapshot>,
    /// Candidates without a probe and why.
    pub not_probed: Vec<NotProbed>,
}

/// The observations file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionObserved {
    /// Digest of the file.
    pub sha256: Digest,
    /// Its rows.
    pub records: u64,
    /// Version of the analysis.
    pub analysis_version: String,
    /// Rows by kind.
    pub counts: BTreeMap<String, u64>,
    /// Rows beyond the bounds by kind.
    pub omitted: BTreeMap<String, u64>,
    /// The last mutation of the session.
    pub last_mutation: Option<LastMutation>,
}

/// A candidate that was not probed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotProbed {
    /// As named, scrubbed.
    pub path: String,
    /// Why.
    pub code: Code,
}

/// Versions of the parts that made a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Versions {
    /// The program.
    pub recap: String,
    /// Readers.
    pub reader: String,
    /// Scrubber.
    pub scrubber: String,
    /// Policy.
    pub policy: String,
}

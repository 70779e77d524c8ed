//! The compact index of one boundary: identity, coverage, ledger heads, digests of every file, repository
//! facts, limits. Its RFC 8785 bytes are the file; renaming it is the only commit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, Harness, Ordinal};
use crate::base::rules::Code;
use crate::evidence::event::line::RecordSpan;
use crate::evidence::git::snapshot::Snapshot;
use crate::evidence::table::LedgerState;

/// The version that every manifest carries.
pub const MANIFEST_SCHEMA: &str = "recap.manifest.v1";
/// Version of the readers: which records become which events.
pub const READER_VERSION: &str = "1";
/// Version of the scrubber: which texts become which marks.
pub const SCRUBBER_VERSION: &str = "1";
/// Version of the scrubbing policy.
pub const POLICY_VERSION: &str = "default-1";
/// Version of the analysis of commands; where it alone differs, observations are rebuilt.
pub const ANALYSIS_VERSION: &str = "1";

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

/// The account of every byte and record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Bytes of all records, the partial tail included.
    pub record_bytes: u64,
    /// Terminators, blank bytes and a byte order mark.
    pub framing_bytes: u64,
    /// Records by disposition.
    pub records: BTreeMap<String, u64>,
    /// Events by surface.
    pub events: BTreeMap<String, u64>,
    /// Mirrors by grade of proof.
    pub mirrors: BTreeMap<String, u64>,
    /// Hidden parts by kind.
    pub withheld: BTreeMap<String, Hidden>,
    /// Records by flag.
    pub flags: BTreeMap<String, u64>,
    /// Well-formed record types that this version does not know, at most 64 names.
    pub unknown_types: BTreeMap<String, u64>,
    /// Tool calls.
    pub calls: Calls,
    /// Bytes behind the last whole record.
    pub partial_tail: Option<RecordSpan>,
    /// No malformed record, no partial tail, source neither shrunk nor rewritten while read.
    pub source_complete: bool,
}

/// Hidden parts of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hidden {
    /// How many.
    pub parts: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Tool calls and their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// Call events.
    pub total: u64,
    /// Calls with at least one result.
    pub paired: u64,
    /// Calls without.
    pub open: u64,
    /// Results whose call was not seen before them.
    pub orphan_results: u64,
}

/// Heads and files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// Sizes and roots of both trees.
    pub state: LedgerState,
    /// The event lines, in order.
    pub segments: Vec<Segment>,
    /// All other streams by name: `records`, `nodes`, `records-nodes`, `index`, `relations`, `observations`.
    pub streams: BTreeMap<String, Stream>,
}

/// One immutable file of whole packets, named `<sha256>.jsonl`.
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

/// What the records say about the session as a whole; scrubbed, at most 32 distinct values each.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// First timestamp that is an instant, as written.
    pub first_timestamp: Option<String>,
    /// Last timestamp that is an instant, as written.
    pub last_timestamp: Option<String>,
    /// Recorded work directories.
    pub work_directories: Vec<String>,
    /// Recorded branches.
    pub branches: Vec<String>,
    /// Versions of the harness.
    pub harness_versions: Vec<String>,
    /// Models.
    pub models: Vec<String>,
    /// Records that name another session.
    pub foreign_ids: u64,
    /// Distinct values beyond the bound.
    pub omitted: u64,
}

/// Three facts that stay apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Git {
    /// What events show.
    pub session_observed: SessionObserved,
    /// State at the end of the session: `unknown` unless an event states it.
    pub session_end: String,
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

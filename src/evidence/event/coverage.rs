//! The account of a transcript as a manifest gives it: what became of every byte, and what the records say about
//! the session as a whole.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::line::RecordSpan;
use crate::base::limits::LISTED_TEXT_BYTES;

/// The account of every byte and record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Bytes of all records, the partial tail included.
    pub record_bytes: u64,
    /// Terminators, blank bytes and a byte order mark; in a document all that stands around its records.
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

/// A text for a list of the manifest: whole, or cut with an ellipsis.
pub fn listed(text: &str) -> Cow<'_, str> {
    if text.len() <= LISTED_TEXT_BYTES {
        return Cow::Borrowed(text);
    }
    let end = (0..=LISTED_TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
}

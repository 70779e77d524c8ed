//! One line of the records ledger: what became of one record. Like event lines it depends on the past only.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::base::ids::Ordinal;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::transcript::item::Status;

/// The version that every records line carries.
pub const RECORD_SCHEMA: &str = "recap.record.v1";
/// The flag of a record whose text completes a secret that an earlier one began.
pub const SPLIT_SECRET: &str = "split_secret";

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// It gave events.
    Events,
    /// It repeats a fact of an earlier record of this session.
    Mirror,
    /// It is a copy of another session's history.
    Inherited,
    /// Bookkeeping without observable content, and well-formed unknown types.
    Structural,
    /// Hidden reasoning only.
    Withheld,
    /// Damaged bytes.
    Malformed,
}

impl Disposition {
    /// The name used in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Mirror => "mirror",
            Self::Inherited => "inherited",
            Self::Structural => "structural",
            Self::Withheld => "withheld",
            Self::Malformed => "malformed",
        }
    }
}

/// How a mirror is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// By a native id.
    Id,
    /// By order: one to one, equal content, same turn or queue.
    Order,
}

/// The earlier carrier of a mirrored fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MirrorOf {
    /// Offset of its record.
    pub offset: u64,
    /// How it is proven.
    pub grade: Grade,
}

/// A hidden part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HiddenPart {
    /// What it is.
    pub kind: Cow<'static, str>,
    /// Its bytes.
    pub bytes: u64,
}

/// An outcome of an earlier call that this record tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearntOutcome {
    /// The harness's id of the call.
    pub call_id: String,
    /// Its status.
    pub status: Status,
    /// Its exit status.
    pub exit_code: Option<u32>,
}

/// One line; fields in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordLine {
    /// `recap.record.v1`.
    pub schema_version: Cow<'static, str>,
    /// First byte in the transcript.
    pub offset: u64,
    /// Length in bytes without the terminator.
    pub length: u64,
    /// What became of it.
    pub disposition: Disposition,
    /// Kind of the record; `None` for damaged bytes.
    pub native_type: Option<Cow<'static, str>>,
    /// The record's own id.
    pub native_id: Option<String>,
    /// The id of its parent, where no record before it has that id.
    pub unseen_parent: Option<String>,
    /// Ordinal of its first event.
    pub first_ordinal: Option<Ordinal>,
    /// Number of its events.
    pub events: u64,
    /// Hidden parts.
    pub withheld: Vec<HiddenPart>,
    /// `repaired`, `recovered`, `fused`, `duplicate_keys`, `too_long`, `unknown_type`, `split_secret`.
    pub flags: Vec<Cow<'static, str>>,
    /// For mirrors.
    pub mirror_of: Option<MirrorOf>,
    /// For mirrors that are copies of one record: the members in which the two differ.
    pub differs: Vec<String>,
    /// For inherited records: the native id of the session, where the record names it.
    pub inherited_from: Option<String>,
    /// Outcomes of earlier calls.
    pub learnt: Vec<LearntOutcome>,
}

impl RecordLine {
    /// Appends the line without its LF.
    ///
    /// # Errors
    /// `write-failed` if it cannot be expressed in JSON, which it always can.
    pub fn write_line(&self, out: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(out, self).map_err(|_| Refusal::new(Code::WriteFailed))
    }

    /// Reads a line.
    ///
    /// # Errors
    /// `line-invalid` for anything that [`RecordLine::write_line`] does not write.
    pub fn parse(line: &[u8]) -> Result<Self> {
        let parsed: Self = serde_json::from_slice(line).map_err(|_| Refusal::new(Code::LineInvalid))?;
        if parsed.schema_version == RECORD_SCHEMA { Ok(parsed) } else { Err(Refusal::new(Code::LineInvalid)) }
    }
}

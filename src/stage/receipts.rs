//! Reading receipts back: one strict line each, of a stage that this program knows, with what that stage read and
//! wrote. Nothing here compares one receipt with another.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::base::digest::Digest;
use crate::base::ids::BoundaryId;
use crate::base::json::read::strict;
use crate::base::limits::{RECEIPT_BYTES, RECEIPTS_BYTES};
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::violations::Violations;

/// A stage by its receipt's word, and the names of the artifacts that it writes and reads. `previous` is the first
/// of what it writes.
#[derive(Debug)]
pub struct Stage {
    /// The word in the receipt.
    pub name: &'static str,
    /// Digests of what it wrote.
    pub writes: &'static [&'static str],
    /// Digests of what it read.
    pub reads: &'static [&'static str],
}

/// Every stage that prints a receipt.
pub const STAGES: [Stage; 14] = [
    Stage { name: "collect", writes: &["manifest_sha256"], reads: &[] },
    Stage { name: "packetize", writes: &["packets_sha256"], reads: &["manifest_sha256"] },
    Stage { name: "validate", writes: &[], reads: &["manifest_sha256"] },
    Stage { name: "accounting-draft", writes: &["draft_file_sha256"], reads: &["manifest_sha256"] },
    Stage { name: "accounting-gaps", writes: &[], reads: &["manifest_sha256"] },
    Stage {
        name: "seal-accounting",
        writes: &["accounting_sha256"],
        reads: &["manifest_sha256", "draft_file_sha256"],
    },
    Stage { name: "validate-accounting", writes: &[], reads: &["manifest_sha256", "accounting_sha256"] },
    Stage {
        name: "synthesis-draft",
        writes: &["draft_file_sha256"],
        reads: &["manifest_sha256", "accounting_sha256"],
    },
    Stage {
        name: "validate-synthesis",
        writes: &["expanded_file_sha256"],
        reads: &["manifest_sha256", "accounting_sha256", "synthesis_file_sha256", "synthesis_sha256"],
    },
    Stage {
        name: "render",
        writes: &["recap_sha256", "evidence_sha256"],
        reads: &["manifest_sha256", "accounting_sha256", "synthesis_file_sha256", "synthesis_sha256"],
    },
    Stage { name: "attempts", writes: &[], reads: &["manifest_sha256"] },
    Stage { name: "collect-set", writes: &["set_sha256"], reads: &[] },
    Stage { name: "validate-set", writes: &[], reads: &["set_sha256"] },
    Stage {
        name: "render-set",
        writes: &["recap_sha256", "evidence_sha256"],
        reads: &["set_sha256", "edges_file_sha256"],
    },
];

/// A receipt as it was read back.
#[derive(Debug)]
pub struct Told {
    /// Number of the file that it stands in.
    pub file: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Who printed it.
    pub stage: &'static Stage,
    /// What it says.
    pub said: Said,
}

/// What a receipt says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    #[serde(rename = "schema_version")]
    _schema_version: String,
    stage: String,
    /// The session.
    #[serde(default)]
    pub boundary: Option<BoundaryId>,
    /// The stage found no violation.
    pub valid: bool,
    /// Digests by our names for the artifacts.
    pub digests: BTreeMap<String, Digest>,
    /// Counts by name.
    pub counts: BTreeMap<String, u64>,
    #[serde(rename = "flags")]
    _flags: BTreeMap<String, bool>,
    /// Broken rules with their numbers.
    #[serde(default)]
    pub violations: BTreeMap<Code, u64>,
    #[serde(default, rename = "pointers")]
    _pointers: BTreeMap<String, u64>,
    #[serde(default, rename = "limitations")]
    _limitations: BTreeMap<Code, u64>,
    #[serde(rename = "versions")]
    _versions: BTreeMap<String, String>,
    #[serde(rename = "duration_ms")]
    _duration_ms: u64,
    /// The artifact that was there before.
    pub previous: Option<Digest>,
}

impl Told {
    /// A digest by name.
    pub fn digest(&self, name: &str) -> Option<Digest> {
        self.said.digests.get(name).copied()
    }
}

/// The receipts of one file, and what is wrong with it by line.
pub fn read(file: usize, bytes: &[u8]) -> (Vec<Told>, Vec<(usize, Code)>) {
    if bytes.len() as u64 > RECEIPTS_BYTES {
        return (Vec::new(), vec![(1, Code::ReceiptMalformed)]);
    }
    let mut told = Vec::new();
    let mut faults = Vec::new();
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    for (line, number) in lines.filter(|(line, _)| !line.trim_ascii().is_empty()) {
        match receipt(line) {
            Some((stage, said)) => told.push(Told { file, line: number, stage, said }),
            None => faults.push((number, Code::ReceiptMalformed)),
        }
    }
    if told.is_empty() && faults.is_empty() {
        faults.push((1, Code::ReceiptsMissing));
    }
    (told, faults)
}

fn receipt(line: &[u8]) -> Option<(&'static Stage, Said)> {
    if line.len() > RECEIPT_BYTES {
        return None;
    }
    let value = strict(line).ok()?;
    schemas::check("receipt", &value, &mut Violations::default()).then_some(())?;
    let said: Said = serde_json::from_value(value).ok()?;
    let stage = STAGES.iter().find(|stage| stage.name == said.stage)?;
    Some((stage, said))
}

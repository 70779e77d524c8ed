//! The expanded form of a draft: all shorthand resolved to ranges, entries in the order of their events. Its digest
//! recognises a draft however its author wrote it down; what could not be resolved stays in it as written.

use serde::Serialize;

use super::check::Checked;
use super::claim::ACCOUNTING_SCHEMA;
use super::draft::{Entry, Side};
use super::resolve::{Holding, is_known_id, is_sound_range};
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::json::canonical;
use crate::evidence::slice::Run;
use crate::evidence::table::Table;

/// Ranges as they stand in documents.
pub fn pairs(runs: &[Run]) -> Vec<[u64; 2]> {
    runs.iter().map(|run| [run.first, run.last]).collect()
}

/// The digest of the expanded form.
///
/// # Errors
/// As [`canonical::to_bytes`]; not in practice.
pub fn digest(checked: &Checked<'_>, table: &Table) -> Result<Digest> {
    let list = |side: Side| {
        let mut parts: Vec<Part<'_>> = checked
            .entries
            .iter()
            .zip(&checked.holdings)
            .filter(|(entry, _)| entry.side == side)
            .map(|(entry, holding)| Part::of(entry, holding, table))
            .collect();
        // The sort is stable: entries that begin alike keep the order of the document.
        parts.sort_by(|one, two| (one.ranges.first(), one.id).cmp(&(two.ranges.first(), two.id)));
        parts
    };
    let document = Document {
        schema_version: ACCOUNTING_SCHEMA,
        claims: list(Side::Claim),
        low_signal_groups: list(Side::Group),
    };
    canonical::digest_of(&document)
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    claims: Vec<Part<'a>>,
    low_signal_groups: Vec<Part<'a>>,
}

#[derive(Serialize)]
struct Part<'a> {
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    label: Option<&'a str>,
    ranges: Vec<[u64; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown_event_ids: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faulty_ranges: Vec<[u64; 2]>,
}

impl<'a> Part<'a> {
    fn of(entry: &Entry<'a>, holding: &Holding, table: &Table) -> Self {
        let size = table.state().size;
        let selected = entry.select.iter().flat_map(|select| &select.ranges);
        let ranges = entry.ranges.iter().chain(selected).map(|(_, run)| *run);
        let faulty: Vec<Run> = ranges.filter(|run| !is_sound_range(*run, size)).collect();
        Self {
            id: entry.id,
            kind: entry.kind,
            label: entry.label,
            ranges: pairs(&holding.runs()),
            unknown_event_ids: entry
                .event_ids
                .iter()
                .map(|(_, id)| *id)
                .filter(|id| is_known_id(id, table, size).is_none())
                .collect(),
            faulty_ranges: pairs(&faulty),
        }
    }
}

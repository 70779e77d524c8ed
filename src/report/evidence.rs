//! The private evidence document beside a recap, `<recap file>.evidence.json`: what each line rests on, whole,
//! where the recap itself shows a few ranges and a number. It holds ids and ordinals, and no prose.

use serde::Serialize;

use super::cite::{exact_ranges, ordinals};
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, EventId, Ordinal};
use crate::evidence::slice::Run;
use crate::meaning::accounting::{Group, Sealed};
use crate::meaning::synthesis::document::{Change, Item, Synthesis, Verification};

/// The version that every evidence document carries.
pub const EVIDENCE_SCHEMA: &str = "recap.evidence.v1";

/// The whole document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceDocument {
    schema_version: &'static str,
    boundary: BoundaryId,
    manifest_sha256: Digest,
    accounting_sha256: Digest,
    lines: Vec<LineEvidence>,
    low_signal_groups: Vec<GroupEvidence>,
}

/// What one line rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct LineEvidence {
    section: &'static str,
    item_id: String,
    accounting_claim_ids: Vec<String>,
    event_ids: Vec<EventId>,
    /// First and last ordinal of each run of the events, exactly.
    ordinal_ranges: Vec<[Ordinal; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commits: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command_event_id: Option<EventId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_event_id: Option<EventId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    further_runs: Vec<EventId>,
}

/// What was set aside together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct GroupEvidence {
    group_id: String,
    ordinal_ranges: Vec<[Ordinal; 2]>,
}

impl EvidenceDocument {
    /// Lists the evidence of every line in the order of the recap.
    pub fn of(synthesis: &Synthesis, accounting: &Sealed, boundary: BoundaryId) -> Self {
        let mut lines = vec![LineEvidence::of("headline", &synthesis.headline)];
        lines.extend(synthesis.story.iter().map(|item| LineEvidence::of("story", item)));
        lines.extend(synthesis.timeline.iter().map(|item| LineEvidence::of("timeline", item)));
        lines.extend(synthesis.changes.iter().map(LineEvidence::of_change));
        lines.extend(synthesis.verification.iter().map(LineEvidence::of_verification));
        let plain = [
            ("failures_recoveries", &synthesis.failures_recoveries),
            ("final_state", &synthesis.final_state),
            ("open_work", &synthesis.open_work),
        ];
        for (section, items) in plain {
            lines.extend(items.iter().map(|item| LineEvidence::of(section, item)));
        }
        Self {
            schema_version: EVIDENCE_SCHEMA,
            boundary,
            manifest_sha256: synthesis.manifest_sha256,
            accounting_sha256: synthesis.accounting_sha256,
            lines,
            low_signal_groups: accounting.groups().iter().map(GroupEvidence::of).collect(),
        }
    }
}

impl LineEvidence {
    fn of<S>(section: &'static str, item: &Item<S>) -> Self {
        let mut event_ids = item.evidence_ids.clone();
        event_ids.sort_unstable();
        event_ids.dedup();
        let ordinal_ranges = pairs(&exact_ranges(&ordinals(&event_ids)));
        Self {
            section,
            item_id: item.id.clone(),
            accounting_claim_ids: item.accounting_claim_ids.clone(),
            event_ids,
            ordinal_ranges,
            paths: Vec::new(),
            commits: Vec::new(),
            command_event_id: None,
            result_event_id: None,
            further_runs: Vec::new(),
        }
    }

    fn of_change(item: &Item<Change>) -> Self {
        Self {
            paths: item.section.paths.clone(),
            commits: item.section.commits.clone(),
            ..Self::of("changes", item)
        }
    }

    fn of_verification(item: &Item<Verification>) -> Self {
        Self {
            command_event_id: item.section.command_event_id,
            result_event_id: item.section.result_event_id,
            further_runs: item.section.further_runs.clone(),
            ..Self::of("verification", item)
        }
    }
}

impl GroupEvidence {
    fn of(group: &Group) -> Self {
        Self { group_id: group.id.clone(), ordinal_ranges: pairs(&group.ranges) }
    }
}

fn pairs(runs: &[Run]) -> Vec<[Ordinal; 2]> {
    runs.iter().map(|run| [run.first, run.last]).collect()
}

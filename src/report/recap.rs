//! The view model: what a recap says, line by line, free of any format. It is made by `compose` alone; every
//! format shows all of it, in this order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cite::Shown;
use super::evidence::EvidenceDocument;
use super::plain::{Plain, Span};
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, Ordinal};
use crate::base::rules::Code;
use crate::evidence::slice::Run;
use crate::meaning::synthesis::document::{Basis, GitEvidence, NarrativeRole, SourceLabel, StatedOutcome};

/// Headings of the sections between headline and low-signal groups, in order.
pub(super) const HEADINGS: [&str; 6] = [
    "Goals and visible decisions",
    "Timeline (UTC)",
    "Files and git state",
    "Tests and verification",
    "Failures and recoveries",
    "Final state and open work",
];
/// What is said where lines are missing: all of them, the first half of the last section, the second half.
pub(super) const ABSENT: [&str; 3] = ["None claimed.", "No final state claimed.", "No open work claimed."];

/// A composed recap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recap {
    pub(super) told: Told,
    pub(super) bound: Bound,
    pub(super) evidence: EvidenceDocument,
}

/// What a recap belongs to, for readers that are programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub(super) boundary: BoundaryId,
    pub(super) manifest_sha256: Digest,
    pub(super) accounting_sha256: Digest,
    pub(super) limitations: BTreeMap<Code, u64>,
    pub(super) versions: Made,
}

/// Versions of what the evidence was read and scrubbed by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    pub(super) analysis: String,
    pub(super) policy: String,
    pub(super) reader: String,
    pub(super) recap: String,
    pub(super) scrubber: String,
}

/// What every format shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub(super) notice: Notice,
    pub(super) title: Vec<Span>,
    pub(super) scope: Vec<Vec<Span>>,
    pub(super) headline: Line,
    pub(super) sections: Vec<Section>,
    pub(super) groups: Vec<SetAside>,
}

/// What the first line says; it cannot be switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub(super) incomplete: Vec<Code>,
    pub(super) live: bool,
    pub(super) last_event: Option<Ordinal>,
    pub(super) attempts_reset: bool,
}

/// The first word of the first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The evidence is whole.
    Complete,
    /// More followed.
    Snapshot,
    /// Something is missing.
    Incomplete,
}

impl Notice {
    /// What the first line begins with.
    pub(super) const fn state(&self) -> State {
        match (self.incomplete.is_empty(), self.live && self.last_event.is_some()) {
            (false, _) => State::Incomplete,
            (true, true) => State::Snapshot,
            (true, false) => State::Complete,
        }
    }
}

/// A heading with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub(super) heading: &'static str,
    pub(super) lines: Vec<Line>,
    /// What is said where lines are missing.
    pub(super) absent: Vec<&'static str>,
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The section of the synthesis.
    pub(super) section: &'static str,
    /// The author's id.
    pub(super) id: Plain,
    /// Its part in the story, its time, or its half of the section.
    pub(super) lead: Vec<Span>,
    /// Every line but the headline has one.
    pub(super) title: Option<Plain>,
    /// What the section adds: paths, outcome, repository facts.
    pub(super) facts: Vec<Vec<Span>>,
    pub(super) summary: Plain,
    pub(super) caveat: Option<Plain>,
    pub(super) label: SourceLabel,
    pub(super) claims: Shown<Plain>,
    pub(super) evidence: Shown<Run>,
    /// Where it lies, for formats that draw; only entries of the timeline have one.
    pub(super) bar: Option<Bar>,
    /// What the facts say, for readers that are programs.
    pub(super) detail: Detail,
}

/// A part of the whole timeline, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    pub(super) from: u64,
    pub(super) to: u64,
}

/// What a section adds to a line, as members: each of them is also among its words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Detail {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) narrative_role: Option<NarrativeRole>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) first_ordinal: Option<Ordinal>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) last_ordinal: Option<Ordinal>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) paths: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) commits: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) outcome: Option<StatedOutcome>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) basis: Option<Basis>,
    /// How many; which ones stands in the evidence document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) further_runs: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) git_evidence: Vec<GitEvidence>,
}

/// A low-signal group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    pub(super) id: Plain,
    pub(super) label: Plain,
    pub(super) events: u64,
    pub(super) ranges: Shown<Run>,
    /// Events of the ranges that are not shown.
    pub(super) more_events: u64,
}

impl Recap {
    /// Why the recap is incomplete; empty when it is not.
    pub fn incomplete(&self) -> &[Code] {
        &self.told.notice.incomplete
    }

    /// What it all comes to.
    pub const fn headline(&self) -> &Line {
        &self.told.headline
    }

    /// Final state and open work: the last section.
    pub fn ending(&self) -> impl Iterator<Item = &Line> {
        self.told.sections.last().into_iter().flat_map(|section| &section.lines)
    }

    /// A person opened the ledger state again.
    pub const fn attempts_were_reset(&self) -> bool {
        self.told.notice.attempts_reset
    }

    /// The evidence of every line, whole: private, beside the recap.
    pub const fn evidence(&self) -> &EvidenceDocument {
        &self.evidence
    }
}

//! The view model: what a recap says, line by line, free of any format. It is made by `compose` alone; every
//! format shows all of it, in this order.

use super::cite::Shown;
use super::evidence::EvidenceDocument;
use super::plain::{Plain, Span};
use crate::base::ids::Ordinal;
use crate::base::rules::Code;
use crate::evidence::slice::Run;
use crate::meaning::synthesis::document::SourceLabel;

/// A composed recap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recap {
    pub(super) notice: Notice,
    pub(super) title: Vec<Span>,
    pub(super) scope: Vec<Vec<Span>>,
    pub(super) headline: Line,
    pub(super) sections: Vec<Section>,
    pub(super) groups: Vec<SetAside>,
    pub(super) evidence: EvidenceDocument,
}

/// What the first line says; it cannot be switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub(super) incomplete: Vec<Code>,
    pub(super) live: bool,
    pub(super) last_event: Option<Ordinal>,
    pub(super) attempts_reset: bool,
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
        &self.notice.incomplete
    }

    /// What it all comes to.
    pub const fn headline(&self) -> &Line {
        &self.headline
    }

    /// Final state and open work: the last section.
    pub fn ending(&self) -> impl Iterator<Item = &Line> {
        self.sections.last().into_iter().flat_map(|section| &section.lines)
    }

    /// A person opened the ledger state again.
    pub const fn attempts_were_reset(&self) -> bool {
        self.notice.attempts_reset
    }

    /// The evidence of every line, whole: private, beside the recap.
    pub const fn evidence(&self) -> &EvidenceDocument {
        &self.evidence
    }
}

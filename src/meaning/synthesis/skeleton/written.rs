//! A whole draft in the short form, and how it is printed and expanded.

use serde::Serialize;

use crate::base::digest::Digest;
use crate::base::json::layout::in_lines;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::base::{Refusal, Result};
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{
    Change, Coverage, Plain, Story, Synthesis, Timeline, Verification,
};
use crate::meaning::synthesis::draft::{Draft, DraftItem};
use crate::meaning::synthesis::expand::expand;

/// The skeleton in the short form.
#[derive(Serialize)]
pub(super) struct Written {
    pub(super) schema_version: &'static str,
    pub(super) manifest_sha256: Digest,
    pub(super) accounting_sha256: Digest,
    pub(super) headline: DraftItem<Plain>,
    pub(super) story: Vec<DraftItem<Story>>,
    pub(super) timeline: Vec<DraftItem<Timeline>>,
    pub(super) changes: Vec<DraftItem<Change>>,
    pub(super) verification: Vec<DraftItem<Verification>>,
    pub(super) failures_recoveries: Vec<DraftItem<Plain>>,
    pub(super) final_state: Vec<DraftItem<Plain>>,
    pub(super) open_work: Vec<DraftItem<Plain>>,
    pub(super) coverage: Coverage,
}

impl Written {
    /// The file: one item a line.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let compact = serde_json::to_string(self).map_err(|_| Refusal::new(Code::WriteFailed))?;
        Ok(in_lines(&compact).into_bytes())
    }

    /// The expanded form, through the same reading that the author's file will take.
    pub(super) fn expanded(&self, evidence: &Evidence<'_>) -> Result<Synthesis> {
        let fault = || Refusal::new(Code::WriteFailed);
        let value = serde_json::to_value(self).map_err(|_| fault())?;
        let mut violations = Violations::default();
        let draft = Draft::read(&value, &mut violations).ok_or_else(fault)?;
        expand(draft, evidence, &mut violations).and_then(|whole| whole.into_synthesis()).ok_or_else(fault)
    }
}

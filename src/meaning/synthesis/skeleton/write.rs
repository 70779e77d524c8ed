//! Writes the skeleton: as fine as leaves the author room for words, then one coarser step after another.

use serde::Serialize;

use super::setting::{Coarseness, Setting};
use super::{changes, projections, story, timeline, verification};
use crate::base::digest::Digest;
use crate::base::limits::SKELETON_WORDS;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::base::{Refusal, Result};
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{
    Change, Coverage, Plain, SYNTHESIS_SCHEMA, Story, Synthesis, Timeline, Verification,
};
use crate::meaning::synthesis::draft::{Draft, DraftItem};
use crate::meaning::synthesis::expand::expand;
use crate::meaning::synthesis::rules::views::share_partition;
use crate::meaning::synthesis::validated::Measure;

/// The skeleton of a synthesis as pretty JSON, bound to its manifest and accounting.
///
/// # Errors
/// `nothing-to-recap` when the accounting has no claim: nothing could carry the headline.
pub fn skeleton(evidence: &Evidence<'_>, measure: Measure<'_>) -> Result<Vec<u8>> {
    let setting = Setting::of(evidence);
    if setting.claims.is_empty() {
        return Err(
            Refusal::new(Code::NothingToRecap).hint("own at least one event by a claim and seal again")
        );
    }
    let most = setting.claims.len().max(timeline::groups(&setting, Coarseness::FINEST).len());
    let mut written = Written::of(&setting, Coarseness::FINEST);
    for coarseness in Coarseness::steps(most).skip(1) {
        if measure(&written.expanded(evidence)?, evidence) <= SKELETON_WORDS {
            break;
        }
        written = Written::of(&setting, coarseness);
    }
    let mut bytes = serde_json::to_vec_pretty(&written).map_err(|_| Refusal::new(Code::WriteFailed))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The skeleton in the short form.
#[derive(Serialize)]
struct Written {
    schema_version: &'static str,
    manifest_sha256: Digest,
    accounting_sha256: Digest,
    headline: DraftItem<Plain>,
    story: Vec<DraftItem<Story>>,
    timeline: Vec<DraftItem<Timeline>>,
    changes: Vec<DraftItem<Change>>,
    verification: Vec<DraftItem<Verification>>,
    failures_recoveries: Vec<DraftItem<Plain>>,
    final_state: Vec<DraftItem<Plain>>,
    open_work: Vec<DraftItem<Plain>>,
    coverage: Coverage,
}

impl Written {
    fn of(setting: &Setting<'_>, coarseness: Coarseness) -> Self {
        let mut told = story::groups(setting, coarseness);
        let mut timed = timeline::groups(setting, coarseness);
        let by_story: Vec<_> = told.iter().map(|claims| setting.events(claims)).collect();
        let equal = share_partition(by_story.iter().map(Vec::as_slice), timed.iter().map(Vec::as_slice));
        if equal && !timeline::cut_longest(setting, &mut timed) {
            join_first_two(&mut told);
        }
        let groups = setting.evidence.accounting.groups().iter().map(|group| group.id.clone());
        Self {
            schema_version: SYNTHESIS_SCHEMA,
            manifest_sha256: setting.evidence.manifest_sha256,
            accounting_sha256: setting.evidence.accounting_sha256,
            headline: projections::headline(setting),
            story: story::items(setting, &told),
            timeline: timeline::items(setting, &timed),
            changes: changes::items(setting, coarseness),
            verification: verification::items(setting, coarseness),
            failures_recoveries: projections::troubles(setting, coarseness),
            final_state: projections::ends(setting, coarseness),
            open_work: projections::open_work(setting, coarseness),
            coverage: Coverage { low_signal_group_ids: groups.collect() },
        }
    }

    /// The expanded form, through the same reading that the author's file will take.
    fn expanded(&self, evidence: &Evidence<'_>) -> Result<Synthesis> {
        let fault = || Refusal::new(Code::WriteFailed);
        let value = serde_json::to_value(self).map_err(|_| fault())?;
        let mut violations = Violations::default();
        let draft = Draft::read(&value, &mut violations).ok_or_else(fault)?;
        expand(draft, evidence, &mut violations).and_then(|whole| whole.into_synthesis()).ok_or_else(fault)
    }
}

fn join_first_two<T>(groups: &mut Vec<Vec<T>>) {
    if groups.len() > 1 {
        let first = groups.remove(0);
        if let Some(second) = groups.first_mut() {
            second.splice(0..0, first);
        }
    }
}

//! Writes the skeleton: as fine as leaves the author room for words, then one coarser step after another.

use super::setting::{Coarseness, Indexes, Setting};
use super::written::Written;
use super::{changes, projections, story, timeline, verification};
use crate::base::limits::SKELETON_WORDS;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{Coverage, SYNTHESIS_SCHEMA};
use crate::meaning::synthesis::rules::views::share_partition;
use crate::meaning::synthesis::validated::Measure;

/// The skeleton of a synthesis as JSON, an item a line, bound to its manifest and accounting.
///
/// # Errors
/// `nothing-to-recap` when the accounting has no claim: nothing could carry the headline.
pub fn skeleton(evidence: &Evidence<'_>, measure: Measure<'_>) -> Result<Vec<u8>> {
    let indexes = Indexes::of(evidence);
    let setting = Setting::of(evidence, &indexes);
    if setting.claims.is_empty() {
        return Err(
            Refusal::new(Code::NothingToRecap).hint("own at least one event by a claim and seal again")
        );
    }
    let most = setting.claims.len().max(timeline::groups(&setting, Coarseness::FINEST).len());
    let mut draft = written(&setting, Coarseness::FINEST);
    for coarseness in Coarseness::steps(most).skip(1) {
        if measure(&draft.expanded(evidence)?, evidence) <= SKELETON_WORDS {
            break;
        }
        draft = written(&setting, coarseness);
    }
    draft.to_bytes()
}

fn written(setting: &Setting<'_>, coarseness: Coarseness) -> Written {
    let mut told = story::groups(setting, coarseness);
    let mut timed = timeline::groups(setting, coarseness);
    let by_story: Vec<_> = told.iter().map(|claims| setting.events(claims)).collect();
    let equal = share_partition(by_story.iter().map(Vec::as_slice), timed.iter().map(Vec::as_slice));
    if equal && !timeline::cut_longest(setting, &mut timed) {
        join_first_two(&mut told);
    }
    let groups = setting.evidence.accounting.groups().iter().map(|group| group.id.clone());
    Written {
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

fn join_first_two<T>(groups: &mut Vec<Vec<T>>) {
    if groups.len() > 1 {
        let first = groups.remove(0);
        if let Some(second) = groups.first_mut() {
            second.splice(0..0, first);
        }
    }
}

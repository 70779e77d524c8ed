//! Carries an older draft over to the present evidence: prose, titles and groupings stay where their claims
//! still exist; bindings and coverage are written anew; what nobody tells yet gets items without words. What
//! no longer fits is listed, never mended by a guess.

use std::collections::HashSet;

use serde_json::Value;

use super::kept::Kept;
use super::setting::{Coarseness, Indexes, Setting, joined};
use super::written::Written;
use super::{changes, projections, story, timeline, verification};
use crate::base::ids::EventId;
use crate::base::json::read::strict;
use crate::base::limits::RENDER_WORDS;
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::violations::Violations;
use crate::base::{Refusal, Result};
use crate::meaning::accounting::ClaimKind;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{Coverage, SYNTHESIS_SCHEMA, Timeline, Verification};
use crate::meaning::synthesis::draft::{Draft, DraftItem};
use crate::meaning::synthesis::runs::RunIndex;
use crate::meaning::synthesis::validated::{Measure, check};

/// An older draft on the present evidence.
#[derive(Debug)]
pub struct Carried {
    /// The new draft as JSON, an item a line.
    pub draft: Vec<u8>,
    /// Places of the older draft that could not be carried over.
    pub left_behind: Violations,
    /// What the new draft breaks as it stands: the words of new items are missing, and what no longer fits.
    pub violations: Violations,
    /// Words of a recap of it, where it could be composed.
    pub render_words: Option<usize>,
}

/// Carries a draft over.
///
/// # Errors
/// `json-malformed` or `schema-violation` when the older draft is not strict JSON or no object.
pub fn carry_over(older: &[u8], evidence: &Evidence<'_>, measure: Measure<'_>) -> Result<Carried> {
    let refuse = |code: Code| Refusal::new(code).at("older draft");
    let mut value = strict(older).map_err(|_| refuse(Code::JsonMalformed))?;
    let mut left_behind = Violations::default();
    leave_secrets(&mut value, &Pointer::root(), evidence.table.search(), &mut left_behind);
    let older = Draft::read(&value, &mut left_behind).ok_or_else(|| refuse(Code::SchemaViolation))?;
    let kept = Kept::of(older, evidence, &mut left_behind);
    let indexes = Indexes::of(evidence);
    let setting = Setting::of(evidence, &indexes);
    let most = setting.claims.len().max(timeline::groups(&setting, Coarseness::FINEST).len());
    let mut draft = filled(&kept, &setting, Coarseness::FINEST);
    for coarseness in Coarseness::steps(most).skip(1) {
        if measure(&draft.expanded(evidence)?, evidence) <= RENDER_WORDS {
            break;
        }
        draft = filled(&kept, &setting, coarseness);
    }
    let draft = draft.to_bytes()?;
    let (violations, render_words) = match check(&draft, evidence, measure) {
        Ok(validated) => (Violations::default(), Some(validated.render_words())),
        Err(rejected) => (rejected.violations, rejected.render_words),
    };
    Ok(Carried { draft, left_behind, violations, render_words })
}

/// Empties every text that holds what looks like a secret: whoever wrote it may, but it is not written once more.
fn leave_secrets(value: &mut Value, place: &Pointer, search: &Search, left_behind: &mut Violations) {
    match value {
        Value::String(text) if search.has_secret(text) => {
            text.clear();
            left_behind.push(Code::CredentialShaped, place.clone(), "the text was left behind");
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                leave_secrets(item, &place.index(index), search, left_behind);
            }
        }
        Value::Object(members) => {
            let schema = schemas::find("synthesis-draft");
            for (name, member) in members {
                let place = schema.map_or_else(|| place.clone(), |schema| schema.step(place, name));
                leave_secrets(member, &place, search, left_behind);
            }
        }
        _ => {}
    }
}

/// The kept items, and new ones for what they do not tell.
fn filled(kept: &Kept, setting: &Setting<'_>, coarseness: Coarseness) -> Written {
    let mut ids = Ids::of(kept);
    let untold = |told: HashSet<String>| setting.without(&told);
    let headline = kept.headline.clone().unwrap_or_else(|| projections::headline(setting));
    let for_story = untold(named(&kept.story));
    let story = story::items(&for_story, &story::groups(&for_story, coarseness));
    let changes = changes::items(&untold(named(&kept.changes)), coarseness);
    let troubles = projections::troubles(&untold(named(&kept.failures_recoveries)), coarseness);
    let ends = projections::ends(&untold(named(&kept.final_state)), coarseness);
    let open_work = projections::open_work(&untold(named(&kept.open_work)), coarseness);
    let groups = setting.evidence.accounting.groups().iter().map(|group| group.id.clone());
    let mut timed =
        ids.joined(&kept.timeline, timeline::items(setting, &uncovered(kept, setting, coarseness)), "time");
    timed.sort_by_key(|entry| entry.section.first_ordinal);
    Written {
        schema_version: SYNTHESIS_SCHEMA,
        manifest_sha256: setting.evidence.manifest_sha256,
        accounting_sha256: setting.evidence.accounting_sha256,
        headline,
        story: ids.joined(&kept.story, story, "story"),
        timeline: timed,
        changes: ids.joined(&kept.changes, changes, "change"),
        verification: ids.joined(&kept.verification, untold_runs(kept, setting, coarseness), "check"),
        failures_recoveries: ids.joined(&kept.failures_recoveries, troubles, "trouble"),
        final_state: ids.joined(&kept.final_state, ends, "end"),
        open_work: ids.joined(&kept.open_work, open_work, "open"),
        coverage: Coverage { low_signal_group_ids: groups.collect() },
    }
}

fn named<S>(items: &[DraftItem<S>]) -> HashSet<String> {
    items.iter().filter_map(|item| item.accounting_claim_ids.as_ref()).flatten().cloned().collect()
}

/// Significant events in no kept entry, cut at these entries and at episodes.
fn uncovered(kept: &Kept, setting: &Setting<'_>, coarseness: Coarseness) -> Vec<Vec<EventId>> {
    let significant = setting.evidence.significant();
    let rows = significant.iter().filter_map(|ordinal| setting.row(*ordinal));
    let mut entries = kept.timeline.iter().map(|entry| entry.section).peekable();
    let mut passed = 0_usize;
    let mut open = Vec::new();
    for row in rows {
        let ordinal = row.event.ordinal();
        while entries.next_if(|Timeline { last_ordinal, .. }| *last_ordinal < ordinal).is_some() {
            passed += 1;
        }
        if entries.peek().is_none_or(|entry| ordinal < entry.first_ordinal) {
            open.push((passed, row.episode, row.event));
        }
    }
    let gaps = open.chunk_by(|one, next| one.0 == next.0);
    gaps.flat_map(|gap| {
        let episodes = gap.chunk_by(|one, next| one.1 == next.1);
        let events = episodes.map(|rows| rows.iter().map(|row| row.2).collect());
        joined(&events.collect::<Vec<_>>(), coarseness)
    })
    .collect()
}

/// Items that tell a run that must be told and is not, or name a claim of runs that no kept item names.
fn untold_runs(kept: &Kept, setting: &Setting<'_>, coarseness: Coarseness) -> Vec<DraftItem<Verification>> {
    let told: HashSet<EventId> = kept
        .verification
        .iter()
        .flat_map(|item| item.section.command_event_id.iter().chain(&item.section.further_runs))
        .copied()
        .collect();
    let claims = named(&kept.verification);
    let is_untold = |call: &EventId| must_be_told(setting.runs, *call) && !told.contains(call);
    let is_unnamed = |id: &String| {
        let claim = setting.evidence.accounting.claim(id);
        let runs = claim.is_some_and(|claim| claim.kind == ClaimKind::Verification);
        runs && !claims.contains(id)
    };
    let mut items = verification::items(setting, coarseness);
    items.retain(|item| {
        let mut calls = item.section.command_event_id.iter().chain(&item.section.further_runs);
        calls.any(is_untold) || item.accounting_claim_ids.iter().flatten().any(is_unnamed)
    });
    items
}

fn must_be_told(runs: &RunIndex<'_>, call: EventId) -> bool {
    runs.of_call(call).any(|(_, run)| run.must_be_told)
}

/// Ids in use; new items get others.
struct Ids {
    used: HashSet<String>,
}

impl Ids {
    fn of(kept: &Kept) -> Self {
        let mut ids = Self { used: HashSet::from(["headline".to_owned()]) };
        ids.used.extend(kept.headline.iter().map(|item| item.id.clone()));
        ids.take(&kept.story);
        ids.take(&kept.timeline);
        ids.take(&kept.changes);
        ids.take(&kept.verification);
        ids.take(&kept.failures_recoveries);
        ids.take(&kept.final_state);
        ids.take(&kept.open_work);
        ids
    }

    fn take<S>(&mut self, items: &[DraftItem<S>]) {
        self.used.extend(items.iter().map(|item| item.id.clone()));
    }

    fn joined<S: Clone>(
        &mut self,
        kept: &[DraftItem<S>],
        new: Vec<DraftItem<S>>,
        name: &str,
    ) -> Vec<DraftItem<S>> {
        let mut items = kept.to_vec();
        let mut number = kept.len();
        for mut item in new {
            loop {
                number += 1;
                item.id = format!("{name}-{number}");
                if self.used.insert(item.id.clone()) {
                    break;
                }
            }
            items.push(item);
        }
        items
    }
}

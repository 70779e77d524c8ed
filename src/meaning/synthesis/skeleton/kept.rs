//! What of an older draft still speaks of this evidence: items whose claims exist, entries that hold
//! something significant. What cannot be kept is pushed with its place in the older draft.

use std::collections::HashSet;

use crate::base::ids::Ordinal;
use crate::base::limits::EXPANDED_EVENTS;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{Change, Plain, Story, Timeline, Verification};
use crate::meaning::synthesis::draft::{Draft, DraftItem, Placed, Section};

/// The kept items, section by section.
pub(super) struct Kept {
    pub(super) headline: Option<DraftItem<Plain>>,
    pub(super) story: Vec<DraftItem<Story>>,
    pub(super) timeline: Vec<DraftItem<Timeline>>,
    pub(super) changes: Vec<DraftItem<Change>>,
    pub(super) verification: Vec<DraftItem<Verification>>,
    pub(super) failures_recoveries: Vec<DraftItem<Plain>>,
    pub(super) final_state: Vec<DraftItem<Plain>>,
    pub(super) open_work: Vec<DraftItem<Plain>>,
}

impl Kept {
    /// Goes through an older draft.
    pub(super) fn of(older: Draft, evidence: &Evidence<'_>, left_behind: &mut Violations) -> Self {
        let mut keeper = Keeper { evidence, left_behind, left: EXPANDED_EVENTS as u64 };
        Self {
            headline: keeper.section(older.headline).pop(),
            story: keeper.story(older.story),
            timeline: keeper.timeline(older.timeline),
            changes: keeper.section(older.changes),
            verification: keeper.section(older.verification),
            failures_recoveries: keeper.section(older.failures_recoveries),
            final_state: keeper.section(older.final_state),
            open_work: keeper.section(older.open_work),
        }
    }
}

struct Keeper<'e, 'a, 's> {
    evidence: &'e Evidence<'a>,
    left_behind: &'s mut Violations,
    /// Events that ranges may still stand for, so that many wide ones cost no more than a draft may hold.
    left: u64,
}

impl Keeper<'_, '_, '_> {
    fn section<S>(&mut self, section: Section<Placed<DraftItem<S>>>) -> Vec<DraftItem<S>> {
        section.items.into_iter().filter_map(|placed| self.item(placed)).collect()
    }

    /// A claim that is told before is not told again, and evidence follows from the claims.
    fn story(&mut self, section: Section<Placed<DraftItem<Story>>>) -> Vec<DraftItem<Story>> {
        let mut told = HashSet::new();
        let mut items = self.section(section);
        for item in &mut items {
            item.evidence_ids = None;
            item.evidence_ranges = None;
            if let Some(claims) = &mut item.accounting_claim_ids {
                claims.retain(|id| told.insert(id.clone()));
            }
        }
        items.retain(|item| item.accounting_claim_ids.as_ref().is_some_and(|claims| !claims.is_empty()));
        items
    }

    /// Entries keep their bounds alone. One that holds nothing, or that runs into the one before, is left behind.
    fn timeline(&mut self, section: Section<Placed<DraftItem<Timeline>>>) -> Vec<DraftItem<Timeline>> {
        let significant = self.evidence.significant();
        let mut next: Ordinal = 0;
        let mut items = Vec::new();
        for Placed { pointer, mut item } in section.items {
            let Timeline { first_ordinal: first, last_ordinal: last } = item.section;
            let from = significant.partition_point(|ordinal| *ordinal < first);
            let holds = significant.get(from).is_some_and(|ordinal| *ordinal <= last);
            let (code, expected) = if !holds {
                (Code::EvidenceMissing, "a significant event between them")
            } else if first < next {
                (Code::TimelineNotChronological, "them behind the entry before")
            } else {
                next = last.saturating_add(1);
                item.accounting_claim_ids = None;
                item.evidence_ids = None;
                item.evidence_ranges = None;
                items.push(item);
                continue;
            };
            self.left_behind.push(
                code,
                pointer,
                format!("found ordinals {first} to {last}, expected {expected}"),
            );
        }
        items
    }

    fn item<S>(&mut self, placed: Placed<DraftItem<S>>) -> Option<DraftItem<S>> {
        let Placed { pointer, mut item } = placed;
        let named = item.accounting_claim_ids.take().unwrap_or_default();
        let stood_on_claims = !named.is_empty();
        let mut claims = Vec::new();
        for (index, id) in named.into_iter().enumerate() {
            if self.evidence.accounting.claim(&id).is_some() {
                claims.push(id);
            } else {
                let place = pointer.member("accounting_claim_ids").index(index);
                self.left_behind.push(
                    Code::ClaimUnknown,
                    place,
                    "found the id of no claim, expected one of the sealed accounting",
                );
            }
        }
        if stood_on_claims && claims.is_empty() {
            return None;
        }
        if !self.is_true_part(&item, &claims) {
            item.evidence_ids = None;
            item.evidence_ranges = None;
        }
        item.accounting_claim_ids = Some(claims);
        Some(item)
    }

    /// True when the evidence is a selection of what the claims own now, and not simply all that they owned.
    fn is_true_part<S>(&mut self, item: &DraftItem<S>, claims: &[String]) -> bool {
        let distinct: HashSet<&str> = claims.iter().map(String::as_str).collect();
        let owned = distinct.iter().filter_map(|id| self.evidence.accounting.claim(id));
        let owned = owned.map(|claim| claim.events.len() as u64).sum::<u64>();
        let is_owned = |ordinal: Ordinal| {
            self.evidence.accounting.owner(ordinal).is_some_and(|claim| distinct.contains(claim.id.as_str()))
        };
        if let Some(ids) = &item.evidence_ids {
            let known = |id: &_| self.evidence.table.find(*id).is_some();
            return (ids.len() as u64) < owned && ids.iter().all(|id| known(id) && is_owned(id.ordinal()));
        }
        let Some(ranges) = &item.evidence_ranges else { return true };
        let lengths = ranges.iter().map(|[first, last]| last.saturating_sub(*first).saturating_add(1));
        let total = lengths.fold(0_u64, u64::saturating_add);
        // Only a selection smaller than the whole is looked at, so that wide ranges cost nothing.
        if total >= owned || total > self.left {
            return false;
        }
        self.left -= total;
        ranges.iter().all(|[first, last]| (*first..=*last).all(is_owned))
    }
}

//! Shorthand to the expanded form: what an author may leave out is written here by rule, never guessed.
//! Expansion goes on past what it cannot resolve, so that one mistake does not hide the next.

use std::collections::HashSet;

use super::basis::Evidence;
use super::document::{Item, Story, Timeline};
use super::draft::{Draft, DraftItem, Placed, Section};
use super::expanded::{Expanded, Given, Resolved};
use crate::base::ids::{EventId, Ordinal};
use crate::base::limits::EXPANDED_EVENTS;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;

/// Expands a draft. `None` when the expanded form would be too large, which is pushed.
pub fn expand(draft: Draft, evidence: &Evidence<'_>, violations: &mut Violations) -> Option<Expanded> {
    expand_within(EXPANDED_EVENTS, draft, evidence, violations)
}

fn expand_within(
    most: usize,
    draft: Draft,
    evidence: &Evidence<'_>,
    violations: &mut Violations,
) -> Option<Expanded> {
    let significant = evidence.significant();
    let mut expander = Expander { evidence, significant, left: most, too_large: false, violations };
    let expanded = Expanded {
        manifest_sha256: draft.manifest_sha256,
        accounting_sha256: draft.accounting_sha256,
        headline: expander.section(draft.headline),
        story: expander.story(draft.story),
        timeline: expander.timeline(draft.timeline),
        changes: expander.section(draft.changes),
        verification: expander.section(draft.verification),
        failures_recoveries: expander.section(draft.failures_recoveries),
        final_state: expander.section(draft.final_state),
        open_work: expander.section(draft.open_work),
        coverage: draft.coverage,
    };
    (!expander.too_large).then_some(expanded)
}

struct Expander<'e, 'a, 's> {
    evidence: &'e Evidence<'a>,
    significant: Vec<Ordinal>,
    left: usize,
    too_large: bool,
    violations: &'s mut Violations,
}

impl Expander<'_, '_, '_> {
    fn section<S>(&mut self, section: Section<Placed<DraftItem<S>>>) -> Section<Resolved<S>> {
        let whole = section.whole;
        // Naming a claim twice adds nothing; only the story has a rule about it.
        let items = section.items.into_iter().map(|placed| self.by_claims(placed, without_repeats));
        Section { items: items.collect(), whole }
    }

    fn story(&mut self, section: Section<Placed<DraftItem<Story>>>) -> Section<Resolved<Story>> {
        let whole = section.whole;
        let items = section.items.into_iter().map(|placed| self.by_claims(placed, all));
        Section { items: items.collect(), whole }
    }

    fn timeline(&mut self, section: Section<Placed<DraftItem<Timeline>>>) -> Section<Resolved<Timeline>> {
        let whole = section.whole;
        let items = section.items.into_iter().map(|placed| self.by_bounds(placed));
        Section { items: items.collect(), whole }
    }

    fn by_claims<S>(
        &mut self,
        placed: Placed<DraftItem<S>>,
        keep: fn(Vec<String>) -> Vec<NamedClaim>,
    ) -> Resolved<S> {
        let Placed { pointer, mut item } = placed;
        let named = keep(item.accounting_claim_ids.take().unwrap_or_default());
        let (claim_places, claims): (Vec<usize>, Vec<String>) = named.into_iter().unzip();
        if let Some(given) = self.written(&mut item, &pointer) {
            return resolved(pointer, given, item, claims, claim_places);
        }
        let accounting = self.evidence.accounting;
        let distinct: HashSet<&str> = claims.iter().map(String::as_str).collect();
        let known: Vec<_> = distinct.iter().filter_map(|id| accounting.claim(id)).collect();
        let unresolved = known.len() < distinct.len();
        let mut ordinals = Vec::new();
        if self.afford(known.iter().map(|claim| claim.events.len()).sum(), &pointer) {
            ordinals.extend(known.iter().flat_map(|claim| claim.events.iter().copied()));
        }
        ordinals.sort_unstable();
        let events = self.ids(ordinals.into_iter());
        let written = Written { given: Given::Claims, events, unresolved };
        resolved(pointer, written, item, claims, claim_places)
    }

    fn by_bounds(&mut self, placed: Placed<DraftItem<Timeline>>) -> Resolved<Timeline> {
        let Placed { pointer, mut item } = placed;
        let written = self.written(&mut item, &pointer).unwrap_or_else(|| {
            let Timeline { first_ordinal: first, last_ordinal: last } = item.section;
            let from = self.significant.partition_point(|ordinal| *ordinal < first);
            let to = self.significant.partition_point(|ordinal| *ordinal <= last).max(from);
            let mut events = Vec::new();
            if self.afford(to - from, &pointer) {
                let between = self.significant.get(from..to).unwrap_or_default();
                events = self.ids(between.iter().copied());
            }
            if let (Some(first), Some(last)) = (events.first(), events.last()) {
                item.section = Timeline { first_ordinal: first.ordinal(), last_ordinal: last.ordinal() };
            }
            Written { given: Given::Bounds, events, unresolved: first > last }
        });
        let (claim_places, claims) = match item.accounting_claim_ids.take() {
            Some(named) => without_repeats(named).into_iter().unzip(),
            None => {
                let owners = written.events.iter().filter_map(|event| self.evidence.owner(*event));
                let owners = without_repeats(owners.map(str::to_owned));
                (Vec::new(), owners.into_iter().map(|(_, owner)| owner).collect())
            }
        };
        resolved(pointer, written, item, claims, claim_places)
    }

    /// Evidence that the author wrote down, as ids or as ranges.
    fn written<S>(&mut self, item: &mut DraftItem<S>, pointer: &Pointer) -> Option<Written> {
        if let Some(events) = item.evidence_ids.take() {
            return Some(Written { given: Given::Ids, events, unresolved: false });
        }
        let ranges = item.evidence_ranges.take()?;
        Some(self.ranges(&ranges, &pointer.member("evidence_ranges")))
    }

    fn ranges(&mut self, ranges: &[[Ordinal; 2]], pointer: &Pointer) -> Written {
        let size = self.evidence.table.rows().len() as u64;
        let mut order: Vec<(Ordinal, Ordinal, usize)> =
            ranges.iter().enumerate().map(|(index, [first, last])| (*first, *last, index)).collect();
        order.sort_unstable();
        let mut written = Written { given: Given::Ranges, events: Vec::new(), unresolved: false };
        let mut next = 0;
        for (first, last, index) in order {
            let (code, expected) = if first > last {
                (Code::RangeInvalid, "the smaller first")
            } else if last >= size {
                (Code::RangeOutOfBounds, "ordinals of this ledger")
            } else if first < next {
                (Code::EvidenceDuplicate, "each ordinal once")
            } else {
                if self.afford(usize::try_from(last - first + 1).unwrap_or(usize::MAX), pointer) {
                    written.events.extend(self.ids(first..=last));
                }
                next = last + 1;
                continue;
            };
            written.unresolved = true;
            let detail = format!("found ordinals {first} to {last}, expected {expected}");
            self.violations.push(code, pointer.index(index), detail);
        }
        written
    }

    fn ids(&self, ordinals: impl Iterator<Item = Ordinal>) -> Vec<EventId> {
        ordinals.filter_map(|ordinal| self.evidence.table.row(ordinal)).map(|row| row.event).collect()
    }

    /// Takes events out of the budget; the first item that goes beyond it is pushed.
    fn afford(&mut self, events: usize, pointer: &Pointer) -> bool {
        match self.left.checked_sub(events) {
            Some(left) if !self.too_large => {
                self.left = left;
                true
            }
            _ => {
                if !self.too_large {
                    let detail =
                        format!("found shorthand for more events, expected at most {EXPANDED_EVENTS} in all");
                    self.violations.push(Code::DraftTooLarge, pointer.clone(), detail);
                }
                self.too_large = true;
                false
            }
        }
    }
}

struct Written {
    given: Given,
    events: Vec<EventId>,
    unresolved: bool,
}

fn resolved<S>(
    pointer: Pointer,
    written: Written,
    item: DraftItem<S>,
    claims: Vec<String>,
    claim_places: Vec<usize>,
) -> Resolved<S> {
    Resolved {
        pointer,
        given: written.given,
        unresolved: written.unresolved,
        claim_places,
        item: Item {
            id: item.id,
            title: item.title,
            summary: item.summary,
            source_label: item.source_label,
            accounting_claim_ids: claims,
            evidence_ids: written.events,
            caveat: item.caveat,
            git_evidence: item.git_evidence,
            section: item.section,
        },
    }
}

/// A claim with its place in the author's list.
type NamedClaim = (usize, String);

fn all(ids: Vec<String>) -> Vec<NamedClaim> {
    ids.into_iter().enumerate().collect()
}

fn without_repeats(ids: impl IntoIterator<Item = String>) -> Vec<NamedClaim> {
    let mut seen = HashSet::new();
    ids.into_iter().enumerate().filter(|(_, id)| seen.insert(id.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::{Code, Draft, Violations, expand_within};
    use crate::meaning::synthesis::testing::{Case, draft};

    #[test]
    fn a_small_draft_does_not_grow_without_bound() {
        Case::new().with(|evidence| {
            let expand = |most: usize| {
                let mut violations = Violations::default();
                let draft = Draft::read(&draft(), &mut violations).unwrap();
                let whole = expand_within(most, draft, evidence, &mut violations).is_some();
                (whole, violations.counts().get(&Code::DraftTooLarge).copied())
            };
            // Headline 3, story and timeline 14 each, changes 6, check 2, failure 2, final state and open work 1.
            assert_eq!(expand(43), (true, None));
            assert_eq!(expand(42), (false, Some(1)));
        });
    }

    #[test]
    fn ranges_cost_what_they_stand_for() {
        Case::new().with(|evidence| {
            let expand = |most: usize| {
                let mut violations = Violations::default();
                let mut ranged = draft();
                ranged["headline"]["evidence_ranges"] = serde_json::json!([[0, 0], [8, 9]]);
                let draft = Draft::read(&ranged, &mut violations).unwrap();
                expand_within(most, draft, evidence, &mut violations).is_some()
            };
            assert!(expand(43));
            assert!(!expand(42));
        });
    }
}

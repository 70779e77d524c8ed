//! Shorthand to the expanded form: what an author may leave out is written here by rule, never guessed.
//! Expansion goes on past what it cannot resolve, so that one mistake does not hide the next.

use std::collections::HashSet;

use super::basis::Evidence;
use super::document::{
    Change, Coverage, GitEvidence, Item, Plain, SYNTHESIS_SCHEMA, SourceLabel, Story, Synthesis, Timeline,
    Verification,
};
use super::draft::{Draft, DraftItem, Placed, Section};
use crate::base::digest::Digest;
use crate::base::ids::{EventId, Ordinal};
use crate::base::limits::EXPANDED_EVENTS;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;

/// How the author gave the evidence of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// Event by event.
    Ids,
    /// As ranges of ordinals.
    Ranges,
    /// Left out: all events of the claims.
    Claims,
    /// Left out in the timeline: all significant events between the bounds.
    Bounds,
}

/// One expanded item and where it came from.
#[derive(Debug, Clone)]
pub struct Resolved<S> {
    /// Its place in the draft.
    pub pointer: Pointer,
    /// How its evidence was given.
    pub given: Given,
    /// Part of its evidence could not be found, which is pushed already.
    pub unresolved: bool,
    /// The item.
    pub item: Item<S>,
}

/// Which section an item stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The headline.
    Headline,
    /// By meaning.
    Story,
    /// By time.
    Timeline,
    /// All other sections.
    Projection,
    /// Where it ended.
    FinalState,
}

/// What all items have in common, whatever their section.
#[derive(Debug, Clone, Copy)]
pub struct View<'e> {
    /// Its section.
    pub part: Part,
    /// Its place in the draft.
    pub pointer: &'e Pointer,
    /// How its evidence was given.
    pub given: Given,
    /// Part of its evidence could not be found.
    pub unresolved: bool,
    /// The author's id.
    pub id: &'e str,
    /// The title; the headline has none.
    pub title: Option<&'e str>,
    /// The prose.
    pub summary: &'e str,
    /// Where it comes from.
    pub label: SourceLabel,
    /// Its claims.
    pub claims: &'e [String],
    /// Its events.
    pub evidence: &'e [EventId],
    /// What the reader must know.
    pub caveat: Option<&'e str>,
    /// Facts of snapshots.
    pub git: &'e [GitEvidence],
}

impl View<'_> {
    /// Where the draft names the event of that index, as near as the shorthand lets one point.
    pub fn place_of_event(&self, index: usize) -> Pointer {
        match self.given {
            Given::Ids => self.pointer.member("evidence_ids").index(index),
            Given::Ranges => self.pointer.member("evidence_ranges"),
            Given::Claims => self.pointer.member("accounting_claim_ids"),
            Given::Bounds => self.pointer.clone(),
        }
    }
}

impl<S> Resolved<S> {
    /// What it has in common with all items.
    pub fn view(&self, part: Part) -> View<'_> {
        View {
            part,
            pointer: &self.pointer,
            given: self.given,
            unresolved: self.unresolved,
            id: &self.item.id,
            title: self.item.title.as_deref(),
            summary: &self.item.summary,
            label: self.item.source_label,
            claims: &self.item.accounting_claim_ids,
            evidence: &self.item.evidence_ids,
            caveat: self.item.caveat.as_deref(),
            git: &self.item.git_evidence,
        }
    }
}

/// The draft expanded, as far as its shape is right.
#[derive(Debug, Clone)]
pub struct Expanded {
    /// The manifest it says it was made on.
    pub manifest_sha256: Option<Digest>,
    /// The accounting it says it tells.
    pub accounting_sha256: Option<Digest>,
    /// At most one item.
    pub headline: Section<Resolved<Plain>>,
    /// By meaning.
    pub story: Section<Resolved<Story>>,
    /// By time.
    pub timeline: Section<Resolved<Timeline>>,
    /// Files and git state.
    pub changes: Section<Resolved<Change>>,
    /// Tests and checks.
    pub verification: Section<Resolved<Verification>>,
    /// What failed and how it was mended.
    pub failures_recoveries: Section<Resolved<Plain>>,
    /// Where it ended.
    pub final_state: Section<Resolved<Plain>>,
    /// What is left.
    pub open_work: Section<Resolved<Plain>>,
    /// What was set aside.
    pub coverage: Option<Coverage>,
}

impl Expanded {
    /// All items of all sections in document order.
    pub fn views(&self) -> impl Iterator<Item = View<'_>> {
        let headline = self.headline.items.iter().map(|item| item.view(Part::Headline));
        let story = self.story.items.iter().map(|item| item.view(Part::Story));
        let timeline = self.timeline.items.iter().map(|item| item.view(Part::Timeline));
        let changes = self.changes.items.iter().map(|item| item.view(Part::Projection));
        let verification = self.verification.items.iter().map(|item| item.view(Part::Projection));
        let troubles = self.failures_recoveries.items.iter().map(|item| item.view(Part::Projection));
        let ends = self.final_state.items.iter().map(|item| item.view(Part::FinalState));
        let open = self.open_work.items.iter().map(|item| item.view(Part::Projection));
        headline
            .chain(story)
            .chain(timeline)
            .chain(changes)
            .chain(verification)
            .chain(troubles)
            .chain(ends)
            .chain(open)
    }

    /// The expanded document; `None` when some part of the draft had not its shape.
    pub fn into_synthesis(self) -> Option<Synthesis> {
        Some(Synthesis {
            schema_version: SYNTHESIS_SCHEMA.to_owned(),
            manifest_sha256: self.manifest_sha256?,
            accounting_sha256: self.accounting_sha256?,
            headline: plain(self.headline)?.pop()?,
            story: plain(self.story)?,
            timeline: plain(self.timeline)?,
            changes: plain(self.changes)?,
            verification: plain(self.verification)?,
            failures_recoveries: plain(self.failures_recoveries)?,
            final_state: plain(self.final_state)?,
            open_work: plain(self.open_work)?,
            coverage: self.coverage?,
        })
    }
}

/// Expands a draft. `None` when the expanded form would be too large, which is pushed.
pub fn expand(draft: Draft, evidence: &Evidence<'_>, violations: &mut Violations) -> Option<Expanded> {
    let significant = evidence.significant();
    let mut expander =
        Expander { evidence, significant, left: EXPANDED_EVENTS, too_large: false, violations };
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
        let items = section.items.into_iter().map(|mut placed| {
            // Naming a claim twice adds nothing; only the story has a rule about it.
            placed.item.accounting_claim_ids = placed.item.accounting_claim_ids.map(without_repeats);
            self.by_claims(placed)
        });
        Section { items: items.collect(), whole }
    }

    fn story(&mut self, section: Section<Placed<DraftItem<Story>>>) -> Section<Resolved<Story>> {
        let whole = section.whole;
        let items = section.items.into_iter().map(|placed| self.by_claims(placed));
        Section { items: items.collect(), whole }
    }

    fn timeline(&mut self, section: Section<Placed<DraftItem<Timeline>>>) -> Section<Resolved<Timeline>> {
        let whole = section.whole;
        let items = section.items.into_iter().map(|placed| self.by_bounds(placed));
        Section { items: items.collect(), whole }
    }

    fn by_claims<S>(&mut self, placed: Placed<DraftItem<S>>) -> Resolved<S> {
        let Placed { pointer, mut item } = placed;
        let claims = item.accounting_claim_ids.take().unwrap_or_default();
        if let Some(given) = self.written(&mut item, &pointer) {
            return resolved(pointer, given, item, claims);
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
        resolved(pointer, Written { given: Given::Claims, events, unresolved }, item, claims)
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
        let claims = item.accounting_claim_ids.take().map_or_else(
            || {
                let owners = written.events.iter().filter_map(|event| self.evidence.owner(*event));
                without_repeats(owners.map(str::to_owned))
            },
            without_repeats,
        );
        resolved(pointer, written, item, claims)
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
            let code = if first > last {
                Code::RangeInvalid
            } else if last >= size {
                Code::RangeOutOfBounds
            } else if first < next {
                Code::EvidenceDuplicate
            } else {
                if self.afford(usize::try_from(last - first + 1).unwrap_or(usize::MAX), pointer) {
                    written.events.extend(self.ids(first..=last));
                }
                next = last + 1;
                continue;
            };
            written.unresolved = true;
            self.violations.push(code, pointer.index(index), format!("ordinals {first} to {last}"));
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
                    let detail = format!("the shorthand stands for more than {EXPANDED_EVENTS} events");
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

fn resolved<S>(pointer: Pointer, written: Written, item: DraftItem<S>, claims: Vec<String>) -> Resolved<S> {
    Resolved {
        pointer,
        given: written.given,
        unresolved: written.unresolved,
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

fn without_repeats(ids: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    ids.into_iter().filter(|id| seen.insert(id.clone())).collect()
}

fn plain<S>(section: Section<Resolved<S>>) -> Option<Vec<Item<S>>> {
    section.whole.then(|| section.items.into_iter().map(|resolved| resolved.item).collect())
}

//! The draft expanded, as far as its shape is right: what rules look at. Every item knows its place in the
//! author's file and how its evidence was given, so that a violation points there.

use super::document::{
    Change, Coverage, GitEvidence, Item, Plain, SYNTHESIS_SCHEMA, SourceLabel, Story, Synthesis, Timeline,
    Verification,
};
use super::draft::Section;
use crate::base::digest::Digest;
use crate::base::ids::EventId;
use crate::base::pointer::Pointer;

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
    /// Where each of its claims stands in the author's list, which may name one twice; empty where there is none.
    pub claim_places: Vec<usize>,
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
    /// Where each of them stands in the author's list.
    pub claim_places: &'e [usize],
    /// Its events.
    pub evidence: &'e [EventId],
    /// What the reader must know.
    pub caveat: Option<&'e str>,
    /// Facts of snapshots.
    pub git: &'e [GitEvidence],
}

impl View<'_> {
    /// Where the draft names the claim of that index; its item where the author left claims out.
    pub fn place_of_claim(&self, index: usize) -> Pointer {
        self.claim_places.get(index).map_or_else(
            || self.pointer.clone(),
            |place| self.pointer.member("accounting_claim_ids").index(*place),
        )
    }

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
            claim_places: &self.claim_places,
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

fn plain<S>(section: Section<Resolved<S>>) -> Option<Vec<Item<S>>> {
    section.whole.then(|| section.items.into_iter().map(|resolved| resolved.item).collect())
}

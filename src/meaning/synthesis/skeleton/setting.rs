//! What the sections of a skeleton share: the claims by time, the indexes, how coarse to be, and an item
//! without words whose label and caveat follow from its events.

use std::collections::HashSet;

use crate::base::ids::{EventId, Ordinal};
use crate::evidence::table::Row;
use crate::meaning::accounting::{Claim, ClaimKind};
use crate::meaning::said::is_said;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::SourceLabel;
use crate::meaning::synthesis::draft::DraftItem;
use crate::meaning::synthesis::observed::Observed;
use crate::meaning::synthesis::runs::RunIndex;

/// Stands where nothing but redaction marks is left of all events of an item.
pub(super) const HIDDEN: &str = "What these events held was redacted; nothing of it is known here.";
/// Stands where a final state rests on a run that changes followed.
pub(super) const OVERTAKEN: &str = "Files were changed after a run that this rests on.";
/// Most paths and commits of one item at the finest step; an author can add others.
const PATHS: usize = 40;

/// How much is told in one item. Each step is coarser than the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coarseness {
    step: u32,
}

impl Coarseness {
    /// One item a claim, an episode, a command.
    pub(super) const FINEST: Self = Self { step: 0 };

    /// The steps from the finest to one at which `most` items of a section become one.
    pub(super) fn steps(most: usize) -> impl Iterator<Item = Self> {
        let last = 2 + most.next_power_of_two().trailing_zeros();
        (0..=last).map(|step| Self { step })
    }

    /// The story is by claim first, then by episode.
    pub(super) const fn joins_episodes(self) -> bool {
        self.step >= 1
    }

    /// Runs are told by command first, then by outcome alone.
    pub(super) const fn joins_commands(self) -> bool {
        self.step >= 2
    }

    /// Neighbours that become one item.
    pub(super) fn neighbours(self) -> usize {
        1_usize.checked_shl(self.step.saturating_sub(1)).unwrap_or(usize::MAX)
    }

    /// Paths and commits of one item.
    pub(super) const fn paths(self) -> usize {
        PATHS >> if self.step > 7 { 7 } else { self.step }
    }
}

/// The indexes that a setting lends.
pub(super) struct Indexes<'a> {
    runs: RunIndex<'a>,
    observed: Observed<'a>,
}

impl<'a> Indexes<'a> {
    pub(super) fn of(evidence: &'a Evidence<'a>) -> Self {
        Self { runs: RunIndex::of(evidence.table), observed: Observed::of(evidence.table) }
    }
}

/// The evidence, ready to be told.
pub(super) struct Setting<'a> {
    pub(super) evidence: &'a Evidence<'a>,
    pub(super) claims: Vec<&'a Claim>,
    pub(super) runs: &'a RunIndex<'a>,
    pub(super) observed: &'a Observed<'a>,
}

impl<'a> Setting<'a> {
    pub(super) fn of(evidence: &'a Evidence<'a>, indexes: &'a Indexes<'a>) -> Self {
        let mut claims: Vec<&Claim> = evidence.accounting.claims().iter().collect();
        claims.sort_by_key(|claim| claim.events.first().copied());
        Self { evidence, claims, runs: &indexes.runs, observed: &indexes.observed }
    }

    /// The same evidence without the claims that are told already.
    pub(super) fn without(&self, told: &HashSet<String>) -> Self {
        let claims = self.claims.iter().copied().filter(|claim| !told.contains(&claim.id)).collect();
        Self { claims, ..*self }
    }

    /// Claims of the kinds, by time.
    pub(super) fn of_kinds(&self, kinds: &[ClaimKind]) -> Vec<&'a Claim> {
        self.claims.iter().copied().filter(|claim| kinds.contains(&claim.kind)).collect()
    }

    /// The row of an event that a claim owns.
    pub(super) fn row(&self, ordinal: Ordinal) -> Option<&'a Row> {
        self.evidence.table.row(ordinal)
    }

    /// The ids of all events of claims.
    pub(super) fn events(&self, claims: &[&Claim]) -> Vec<EventId> {
        let ordinals = claims.iter().flat_map(|claim| claim.events.iter());
        ordinals.filter_map(|ordinal| self.row(*ordinal)).map(|row| row.event).collect()
    }

    /// An item without words about claims.
    pub(super) fn about<S>(&self, id: String, claims: &[&Claim], section: S) -> DraftItem<S> {
        let events = self.events(claims);
        let mut item = self.over(id, &events, section);
        item.accounting_claim_ids = Some(claims.iter().map(|claim| claim.id.clone()).collect());
        item
    }

    /// An item without words over events, whose claims follow from them.
    pub(super) fn over<S>(&self, id: String, events: &[EventId], section: S) -> DraftItem<S> {
        let rows = || events.iter().filter_map(|event| self.row(event.ordinal()));
        let reported = rows().all(is_said);
        let hidden = rows().all(|row| row.only_redactions);
        DraftItem {
            id,
            title: Some(String::new()),
            summary: String::new(),
            source_label: if reported { SourceLabel::AgentReport } else { SourceLabel::SessionObserved },
            accounting_claim_ids: None,
            evidence_ids: None,
            evidence_ranges: None,
            caveat: hidden.then(|| HIDDEN.to_owned()),
            git_evidence: Vec::new(),
            section,
        }
    }
}

/// Neighbours joined.
pub(super) fn joined<T: Clone>(groups: &[Vec<T>], coarseness: Coarseness) -> Vec<Vec<T>> {
    groups.chunks(coarseness.neighbours()).map(<[Vec<T>]>::concat).collect()
}

#[cfg(test)]
mod tests {
    use super::Coarseness;

    #[test]
    fn each_step_is_coarser_until_all_is_one() {
        let steps: Vec<Coarseness> = Coarseness::steps(5).collect();
        let told = |number: fn(Coarseness) -> usize| steps.iter().copied().map(number).collect::<Vec<_>>();
        assert_eq!(told(Coarseness::neighbours), [1, 1, 2, 4, 8, 16]);
        assert_eq!(told(Coarseness::paths), [40, 20, 10, 5, 2, 1]);
        assert_eq!(Coarseness::steps(1).count(), 3);
        assert_eq!(Coarseness::steps(1_000_000).last().unwrap().paths(), 0);
        assert!(Coarseness::steps(1_000_000).last().unwrap().neighbours() >= 1_000_000);
        assert!(!Coarseness::FINEST.joins_episodes() && steps[1].joins_episodes());
        assert!(!steps[1].joins_commands() && steps[2].joins_commands());
    }
}

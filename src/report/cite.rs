//! Citations: evidence as ordinal ranges and lists cut to a few, with what is left out said as a number. The
//! full lists stand in the private evidence document.

use crate::base::ids::{EventId, Ordinal};
use crate::base::limits::RENDER_CITED;
use crate::evidence::slice::Run;
use crate::meaning::accounting::Sealed;

/// The first few of a list and how many more there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<T> {
    /// Shown.
    pub first: Vec<T>,
    /// Not shown.
    pub more: u64,
}

impl<T> Shown<T> {
    /// Keeps at most `most`.
    pub fn of(all: impl IntoIterator<Item = T>, most: usize) -> Self {
        let mut all = all.into_iter();
        let first = all.by_ref().take(most).collect();
        Self { first, more: all.count() as u64 }
    }
}

/// Knows which events are significant, to merge citations over those that are not.
#[derive(Debug)]
pub struct Citing {
    significant: Vec<Ordinal>,
}

impl Citing {
    /// Takes the events of all claims.
    pub fn new(accounting: &Sealed) -> Self {
        let mut significant: Vec<_> =
            accounting.claims().iter().flat_map(|claim| claim.events.iter().copied()).collect();
        significant.sort_unstable();
        significant.dedup();
        Self { significant }
    }

    /// The number of significant events.
    pub fn significant(&self) -> u64 {
        self.significant.len() as u64
    }

    /// Ranges that hold the events and otherwise only events that were set aside; at most three are shown, and
    /// `more` counts the events of the rest.
    pub fn cite(&self, events: &[EventId]) -> Shown<Run> {
        let mut first: Vec<Run> = Vec::new();
        let mut more = 0;
        let mut last = None;
        for ordinal in ordinals(events) {
            let joined = last.is_some_and(|last| self.between(last, ordinal) == 0);
            last = Some(ordinal);
            let full = first.len() >= RENDER_CITED;
            match first.last_mut() {
                _ if more > 0 => more += 1,
                Some(run) if joined => run.last = ordinal,
                _ if full => more += 1,
                _ => first.push(Run { first: ordinal, last: ordinal }),
            }
        }
        Shown { first, more }
    }

    /// Significant events strictly between two ordinals.
    fn between(&self, before: Ordinal, after: Ordinal) -> usize {
        let through = self.significant.partition_point(|ordinal| *ordinal <= before);
        let below = self.significant.partition_point(|ordinal| *ordinal < after);
        below.saturating_sub(through)
    }
}

/// Sorted ordinals of events, each once.
pub fn ordinals(events: &[EventId]) -> Vec<Ordinal> {
    let mut ordinals: Vec<_> = events.iter().map(|event| event.ordinal()).collect();
    ordinals.sort_unstable();
    ordinals.dedup();
    ordinals
}

/// Sorted ordinals as exact ranges: nothing in them that was not given.
pub fn exact_ranges(ordinals: &[Ordinal]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for ordinal in ordinals {
        match runs.last_mut() {
            Some(run) if run.last.checked_add(1) == Some(*ordinal) => run.last = *ordinal,
            _ => runs.push(Run { first: *ordinal, last: *ordinal }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{Citing, Shown, exact_ranges};
    use crate::base::ids::EventId;
    use crate::evidence::slice::Run;

    fn cite(significant: &[u64], cited: &[u64]) -> (Vec<(u64, u64)>, u64) {
        let citing = Citing { significant: significant.to_vec() };
        let events: Vec<_> = cited.iter().map(|ordinal| EventId::new(*ordinal, [0; 6])).collect();
        let shown = citing.cite(&events);
        (shown.first.iter().map(|run| (run.first, run.last)).collect(), shown.more)
    }

    #[test]
    fn ranges_merge_over_events_set_aside_only() {
        assert_eq!(cite(&[2, 5, 9, 12], &[9, 2, 5, 5]), (vec![(2, 9)], 0));
        assert_eq!(cite(&[2, 5, 9, 12], &[2, 9, 12]), (vec![(2, 2), (9, 12)], 0));
        assert_eq!(cite(&[], &[]), (vec![], 0));
    }

    #[test]
    fn behind_three_ranges_events_are_counted() {
        let significant: Vec<u64> = (0..20).collect();
        assert_eq!(cite(&significant, &[0, 2, 4, 6]), (vec![(0, 0), (2, 2), (4, 4)], 1));
        assert_eq!(cite(&significant, &[0, 1, 3, 5, 7, 8, 9, 11]), (vec![(0, 1), (3, 3), (5, 5)], 4));
        assert_eq!(cite(&significant, &[0, 2, 4, 5, 6]), (vec![(0, 0), (2, 2), (4, 6)], 0));
    }

    #[test]
    fn shown_counts_the_rest() {
        assert_eq!(Shown::of(1..=5, 3), Shown { first: vec![1, 2, 3], more: 2 });
        assert_eq!(Shown::of(1..=3, 3), Shown { first: vec![1, 2, 3], more: 0 });
    }

    #[test]
    fn exact_ranges_hold_nothing_else() {
        let runs = exact_ranges(&[1, 2, 4]);
        assert_eq!(runs, [Run { first: 1, last: 2 }, Run { first: 4, last: 4 }]);
    }
}

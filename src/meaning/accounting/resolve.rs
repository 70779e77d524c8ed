//! From what an entry names to the ordinals it holds: ids are looked up, ranges held against the ledger,
//! selections filled with what nothing else names. Near-linear in draft and ledger, also for hostile drafts.

use super::draft::{Entry, Placed, Select};
use super::places::Places;
use super::ranges;
use crate::base::ids::{EventId, Ordinal};
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::slice::Run;
use crate::evidence::table::{Class, Table};

/// How an entry came by a span; sorts in the order of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// Owned in an older accounting already.
    Carried,
    /// Named by id.
    EventId(usize),
    /// Named by range.
    Range(usize),
    /// Filled in by a selection.
    Select,
}

impl At {
    /// The place in the document.
    pub fn pointer(self, entry: &Entry<'_>) -> Pointer {
        match self {
            Self::Carried => entry.pointer(),
            Self::EventId(place) => entry.member("event_ids").index(place),
            Self::Range(place) => entry.member("ranges").index(place),
            Self::Select => entry.member("select"),
        }
    }
}

/// Ordinals of the ledger that an entry holds.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Which.
    pub run: Run,
    /// How it came by them.
    pub at: At,
}

/// All that one entry holds.
#[derive(Debug, Default)]
pub struct Holding {
    /// In no order; overlapping only in a faulty draft.
    pub spans: Vec<Span>,
    /// Everything that names its events has the right shape and names events of this ledger.
    pub sound: bool,
}

impl Holding {
    /// What it holds, sorted and joined.
    pub fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = self.spans.iter().map(|span| span.run).collect();
        runs.sort_unstable();
        ranges::join_adjacent(runs)
    }

    /// Its first event.
    pub fn first(&self) -> Option<Ordinal> {
        self.spans.iter().map(|span| span.run.first).min()
    }
}

/// Resolves every entry against the first `size` events of the table; the answers stand in the order of the entries.
pub fn resolve(
    entries: &[Entry<'_>],
    table: &Table,
    size: u64,
    places: &Places,
    violations: &mut Violations,
) -> Vec<Holding> {
    let ledger = Ledger { table, size };
    let mut holdings: Vec<Holding> = entries.iter().map(|entry| ledger.named(entry, violations)).collect();
    let mut supply = Supply::new(places, size, &holdings);
    for (entry, holding) in entries.iter().zip(&mut holdings) {
        let Some(select) = &entry.select else { continue };
        let place = entry.member("select").member("ranges");
        let (runs, sound) = ledger.ranges(&select.ranges, &place, violations);
        holding.sound &= sound;
        for (_, run) in runs {
            supply.take(select, run, &mut holding.spans);
        }
    }
    holdings
}

/// True when the text is the id of one of the first `size` events.
pub fn is_known_id(text: &str, table: &Table, size: u64) -> Option<EventId> {
    EventId::parse(text).filter(|id| id.ordinal() < size && table.find(*id).is_some())
}

/// True when a range runs forward and ends in the ledger.
pub const fn is_sound_range(run: Run, size: u64) -> bool {
    run.first <= run.last && run.last < size
}

struct Ledger<'t> {
    table: &'t Table,
    size: u64,
}

impl Ledger<'_> {
    /// What an entry names by id and by range.
    fn named(&self, entry: &Entry<'_>, violations: &mut Violations) -> Holding {
        let mut holding = Holding { spans: Vec::new(), sound: !entry.bent };
        holding.spans.extend(entry.carried.iter().map(|run| Span { run: *run, at: At::Carried }));
        for (place, text) in &entry.event_ids {
            let at = At::EventId(*place);
            if let Some(id) = is_known_id(text, self.table, self.size) {
                holding.spans.push(Span { run: Run { first: id.ordinal(), last: id.ordinal() }, at });
            } else {
                holding.sound = false;
                violations.push(Code::EventUnknown, at.pointer(entry), unknown_id(text));
            }
        }
        let place = entry.member("ranges");
        let (runs, sound) = self.ranges(&entry.ranges, &place, violations);
        holding.sound &= sound;
        holding.spans.extend(runs.into_iter().map(|(index, run)| Span { run, at: At::Range(index) }));
        holding
    }

    fn ranges(&self, list: &[Placed], place: &Pointer, violations: &mut Violations) -> (Vec<Placed>, bool) {
        sound_ranges(list, self.size, place, violations)
    }
}

/// What an entry of a sealed document holds, which names its events by range alone.
pub fn by_ranges(entry: &Entry<'_>, size: u64, violations: &mut Violations) -> Holding {
    let (runs, sound) = sound_ranges(&entry.ranges, size, &entry.member("ranges"), violations);
    let spans = runs.into_iter().map(|(index, run)| Span { run, at: At::Range(index) });
    Holding { spans: spans.collect(), sound: sound && !entry.bent }
}

/// The ranges that run forward, cut at the end of the ledger so that one fault does not become two.
fn sound_ranges(
    list: &[Placed],
    size: u64,
    place: &Pointer,
    violations: &mut Violations,
) -> (Vec<Placed>, bool) {
    let mut sound = true;
    let mut kept = Vec::with_capacity(list.len());
    for (index, run) in list {
        if run.first > run.last {
            sound = false;
            let detail = format!("found {} before {}, expected the smaller first", run.first, run.last);
            violations.push(Code::RangeInvalid, place.index(*index), detail);
            continue;
        }
        if run.last >= size {
            sound = false;
            let expected = size.saturating_sub(1);
            let detail = format!("found {}, expected at most {expected}, the last ordinal", run.last);
            violations.push(Code::RangeOutOfBounds, place.index(*index), detail);
        }
        if run.first < size {
            let last = run.last.min(size.saturating_sub(1));
            kept.push((*index, Run { first: run.first, last }));
        }
    }
    sound &= no_overlap(&kept, place, violations);
    (kept, sound)
}

/// Reports each range that overlaps one before it; of two, the later in the document is reported.
fn no_overlap(list: &[Placed], place: &Pointer, violations: &mut Violations) -> bool {
    let mut sorted: Vec<&Placed> = list.iter().collect();
    sorted.sort_unstable_by_key(|(index, run)| (run.first, *index));
    let mut sound = true;
    let mut widest: Option<&Placed> = None;
    for next in sorted {
        if let Some((index, run)) = widest.filter(|(_, run)| run.last >= next.1.first) {
            sound = false;
            let overlap = Run { first: next.1.first, last: next.1.last.min(run.last) };
            let (earlier, later) = (*index.min(&next.0), *index.max(&next.0));
            let detail = format!(
                "found events {} in the range at {earlier}, too, expected each once",
                ranges::listed(&[overlap])
            );
            violations.push(Code::RangeOverlap, place.index(later), detail);
        }
        if widest.is_none_or(|(_, run)| run.last < next.1.last) {
            widest = Some(next);
        }
    }
    sound
}

/// Ids may be named once they have the form of one; other text is not repeated.
fn unknown_id(text: &str) -> String {
    match EventId::parse(text) {
        Some(id) => format!("found `{id}`, expected the id of an event of this ledger"),
        None => "found a text that is no event id, expected `e<ordinal>-<12 hex>`".to_owned(),
    }
}

/// What selections can still take. Each class keeps a chain over its events that skips what is gone, so that a
/// thousand selections over the whole ledger cost no more than one.
struct Supply<'p> {
    places: &'p Places,
    taken: Vec<bool>,
    chains: [Option<Vec<usize>>; Class::ALL.len()],
}

impl<'p> Supply<'p> {
    fn new(places: &'p Places, size: u64, named: &[Holding]) -> Self {
        let mut taken = vec![false; usize::try_from(size).unwrap_or_default()];
        let mut runs: Vec<Run> =
            named.iter().flat_map(|holding| &holding.spans).map(|span| span.run).collect();
        runs.sort_unstable();
        let mut next = 0;
        for run in runs {
            for ordinal in run.first.max(next)..=run.last {
                mark(&mut taken, ordinal);
            }
            next = next.max(run.last.saturating_add(1));
        }
        Self { places, taken, chains: [const { None }; Class::ALL.len()] }
    }

    /// Gives all events of the class in the range that nothing names, joined to spans.
    fn take(&mut self, select: &Select, run: Run, into: &mut Vec<Span>) {
        let list = self.places.class(select.class);
        let Some(slot) = self.chains.get_mut(select.class as usize) else { return };
        let chain = slot.get_or_insert_with(|| (0..=list.len()).collect());
        let mut found = Vec::new();
        let mut here = follow(chain, list.partition_point(|ordinal| *ordinal < run.first));
        while let Some(ordinal) = list.get(here).copied().filter(|ordinal| *ordinal <= run.last) {
            if mark(&mut self.taken, ordinal) {
                found.push(ordinal);
            }
            if let Some(link) = chain.get_mut(here) {
                *link = here + 1;
            }
            here = follow(chain, here + 1);
        }
        let runs = ranges::of_ordinals(found);
        into.extend(runs.into_iter().map(|run| Span { run, at: At::Select }));
    }
}

/// Marks an ordinal; false when it was marked or lies outside.
fn mark(taken: &mut [bool], ordinal: Ordinal) -> bool {
    let slot = usize::try_from(ordinal).ok().and_then(|place| taken.get_mut(place));
    slot.is_some_and(|slot| !std::mem::replace(slot, true))
}

/// The first link at or behind `start` that leads to itself; shortens the way for the next.
fn follow(chain: &mut [usize], start: usize) -> usize {
    let mut here = start;
    while let Some(next) = chain.get(here).copied().filter(|next| *next != here) {
        let beyond = chain.get(next).copied().unwrap_or(next);
        if let Some(link) = chain.get_mut(here) {
            *link = beyond;
        }
        here = beyond;
    }
    here
}

#[cfg(test)]
mod tests {
    use super::{Pointer, Run, Violations, is_known_id, is_sound_range, no_overlap, sound_ranges};
    use crate::evidence::sample::Sample;

    fn run(first: u64, last: u64) -> Run {
        Run { first, last }
    }

    #[test]
    fn the_ordinal_behind_the_last_is_not_of_the_ledger() {
        let table = Sample::new().user("one").user("two").user("three").table();
        let id = |ordinal| Sample::id(ordinal).to_string();
        // The table may go on behind the state that is asked about.
        assert!(is_known_id(&id(1), &table, 2).is_some() && is_known_id(&id(2), &table, 2).is_none());
        assert!(is_sound_range(run(0, 1), 2) && !is_sound_range(run(0, 2), 2));
    }

    #[test]
    fn a_range_that_begins_behind_the_ledger_holds_nothing() {
        let mut violations = Violations::default();
        let (kept, sound) = sound_ranges(&[(0, run(3, 4))], 3, &Pointer::root(), &mut violations);
        assert!(kept.is_empty() && !sound);
    }

    #[test]
    fn of_ranges_that_reach_equally_far_the_first_is_overlapped() {
        let mut violations = Violations::default();
        let list = [(0, run(3, 5)), (1, run(4, 5)), (2, run(0, 5))];
        assert!(!no_overlap(&list, &Pointer::root(), &mut violations));
        let places: Vec<String> =
            violations.sorted().iter().map(|violation| violation.pointer.to_string()).collect();
        assert_eq!(places, ["/2", "/2"]);
    }
}

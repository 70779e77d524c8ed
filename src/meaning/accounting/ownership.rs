//! Exactly one owner an event: one sweep over everything that entries hold, sorted by ordinal, finds what is owned
//! twice and what is owned by nobody. And nothing that is never noise may be set aside.

use super::draft::{Entry, Side};
use super::places::Places;
use super::ranges::{self, within};
use super::resolve::{At, Holding};
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::slice::Run;
use crate::evidence::table::{Class, Table};

/// Most events that one detail names with their classes.
const NAMED: usize = 12;

/// A span with its owner; sorts by ordinal, then in the order of the document.
#[derive(Clone, Copy)]
struct Held {
    run: Run,
    entry: usize,
    at: At,
}

/// An overlap: reported where the later of the two stands.
struct Overlap {
    later: (usize, At),
    earlier: usize,
    run: Run,
}

/// Reports `event-owned-twice` and `event-unaccounted`.
pub fn check(
    draft_is_whole: bool,
    entries: &[Entry<'_>],
    holdings: &[Holding],
    size: u64,
    violations: &mut Violations,
) {
    let (overlaps, unowned) = sweep(holdings, size);
    report_overlaps(overlaps, entries, violations);
    // Without one of the lists every event would be said to be unowned, which helps nobody.
    if draft_is_whole && !unowned.is_empty() {
        let count: u64 = unowned.iter().copied().map(ranges::length).sum();
        let detail = format!(
            "found no owner for events {} ({count} of {size}), expected one each",
            ranges::listed(&unowned)
        );
        violations.push(Code::EventUnaccounted, Pointer::root(), detail);
    }
}

/// Ordinals without exactly one owner, as ranges by ordinal.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unsettled {
    /// Held by no entry.
    pub unowned: Vec<Run>,
    /// Held by two entries or more.
    pub twice: Vec<Run>,
}

impl Unsettled {
    /// What entries leave to nobody or to several.
    pub fn of(holdings: &[Holding], size: u64) -> Self {
        let (overlaps, unowned) = sweep(holdings, size);
        let mut twice: Vec<Run> = overlaps.iter().map(|overlap| overlap.run).collect();
        twice.sort_unstable();
        twice.dedup();
        Self { unowned, twice }
    }
}

/// Reports `significant-event-set-aside`.
pub fn check_groups(
    entries: &[Entry<'_>],
    holdings: &[Holding],
    places: &Places,
    table: &Table,
    violations: &mut Violations,
) {
    for (entry, holding) in entries.iter().zip(holdings).filter(|(entry, _)| entry.side == Side::Group) {
        for span in &holding.spans {
            let never_noise = within(&places.never_noise, span.run);
            if never_noise.is_empty() {
                continue;
            }
            let named: Vec<String> = never_noise
                .iter()
                .take(NAMED)
                .map(|ordinal| {
                    let classes = table.row(*ordinal).map(|row| row.classes).unwrap_or_default();
                    let words: Vec<_> =
                        classes.iter().filter(|class| *class != Class::NoMatch).map(Class::name).collect();
                    format!("{ordinal} ({})", words.join(", "))
                })
                .collect();
            let further = never_noise.len().saturating_sub(NAMED);
            let tail = if further > 0 { format!(" and {further} further ones") } else { String::new() };
            let detail = format!("found events {}{tail}, expected claims to own them", named.join(", "));
            violations.push(Code::SignificantEventSetAside, span.at.pointer(entry), detail);
        }
    }
}

fn sweep(holdings: &[Holding], size: u64) -> (Vec<Overlap>, Vec<Run>) {
    let mut all: Vec<Held> = Vec::new();
    for (entry, holding) in holdings.iter().enumerate() {
        all.extend(holding.spans.iter().map(|span| Held { run: span.run, entry, at: span.at }));
    }
    all.sort_unstable_by_key(|held| (held.run.first, held.entry, held.at));
    let mut overlaps = Vec::new();
    let mut unowned = Vec::new();
    // The span that reaches furthest so far: whatever begins inside it is owned twice.
    let mut widest: Option<Held> = None;
    for held in all {
        let next = widest.map_or(0, |widest| widest.run.last.saturating_add(1));
        if held.run.first > next {
            unowned.push(Run { first: next, last: held.run.first - 1 });
        }
        if let Some(widest) =
            widest.filter(|widest| held.run.first <= widest.run.last && !is_range_overlap(widest, &held))
        {
            let run = Run { first: held.run.first, last: held.run.last.min(widest.run.last) };
            let (one, two) = ((widest.entry, widest.at), (held.entry, held.at));
            overlaps.push(Overlap { later: one.max(two), earlier: one.min(two).0, run });
        }
        if widest.is_none_or(|widest| widest.run.last < held.run.last) {
            widest = Some(held);
        }
    }
    let next = widest.map_or(0, |widest| widest.run.last.saturating_add(1));
    if next < size {
        unowned.push(Run { first: next, last: size - 1 });
    }
    (overlaps, unowned)
}

/// Two ranges of one entry have a code of their own.
fn is_range_overlap(one: &Held, two: &Held) -> bool {
    one.entry == two.entry && matches!((one.at, two.at), (At::Range(_), At::Range(_)))
}

/// One violation a place, whatever number of others it runs into.
fn report_overlaps(mut overlaps: Vec<Overlap>, entries: &[Entry<'_>], violations: &mut Violations) {
    overlaps.sort_by_key(|overlap| (overlap.later, overlap.run));
    for same in overlaps.chunk_by(|one, two| one.later == two.later) {
        let Some(first) = same.first() else { continue };
        let (Some(entry), Some(other)) = (entries.get(first.later.0), entries.get(first.earlier)) else {
            continue;
        };
        let runs = ranges::join_adjacent(same.iter().map(|overlap| overlap.run));
        let owner =
            if first.earlier == first.later.0 { "this entry itself".to_owned() } else { other.name() };
        let others =
            if same.iter().any(|overlap| overlap.earlier != first.earlier) { " and others" } else { "" };
        let detail = format!(
            "found events {} in {owner}{others}, too, expected one owner each",
            ranges::listed(&runs)
        );
        violations.push(Code::EventOwnedTwice, first.later.1.pointer(entry), detail);
    }
}

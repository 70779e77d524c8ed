//! Where the entries of a timeline lie, for formats that draw: by time where every entry has one, else by ordinal.
//! Whole thousandths, so that the same inputs draw the same bytes.

use super::recap::Bar;
use crate::base::ids::Ordinal;
use crate::evidence::table::Table;
use crate::meaning::synthesis::document::{Item, Timeline};

/// Thousandths of the whole.
const WHOLE: u64 = 1_000;
/// The narrowest bar that can be seen.
const NARROWEST: u64 = 6;

/// One bar an entry.
pub fn bars(entries: &[Item<Timeline>], table: &Table) -> Vec<Bar> {
    let time = |ordinal: Ordinal| table.row(ordinal).and_then(|row| row.time_ms);
    let ends = |entry: &Item<Timeline>| [entry.section.first_ordinal, entry.section.last_ordinal];
    let times = entries
        .iter()
        .map(|entry| {
            let [first, last] = ends(entry);
            Some([i128::from(time(first)?), i128::from(time(last)?)])
        })
        .collect::<Option<Vec<_>>>()
        .filter(|times| extent(times).is_some_and(|[start, end]| start < end));
    let places = times.unwrap_or_else(|| entries.iter().map(|entry| ends(entry).map(i128::from)).collect());
    let [start, end] = extent(&places).unwrap_or_default();
    places
        .iter()
        .map(|[first, last]| bar(*first.min(last) - start, *first.max(last) - start, end - start))
        .collect()
}

fn extent(places: &[[i128; 2]]) -> Option<[i128; 2]> {
    let all = || places.iter().flatten().copied();
    Some([all().min()?, all().max()?])
}

fn bar(from: i128, to: i128, length: i128) -> Bar {
    let thousandths = |part: i128| {
        let scaled = part.saturating_mul(i128::from(WHOLE)).checked_div(length).unwrap_or_default();
        u64::try_from(scaled).unwrap_or_default().min(WHOLE)
    };
    let from = thousandths(from).min(WHOLE - NARROWEST);
    Bar { from, to: thousandths(to).max(from + NARROWEST) }
}

#[cfg(test)]
mod tests {
    use super::bars;
    use crate::evidence::table::TableBuilder;
    use crate::report::fixture::session;

    fn drawn(timed: bool) -> Vec<(u64, u64)> {
        let session = session();
        let state = session.accounting.state();
        let untimed = TableBuilder::default().finish(session.manifest.boundary.id, state, Vec::new(), None);
        let table = if timed { &session.table } else { &untimed };
        bars(&session.synthesis.timeline, table).iter().map(|bar| (bar.from, bar.to)).collect()
    }

    #[test]
    fn entries_lie_where_their_times_are() {
        assert_eq!(drawn(true), [(0, 6), (0, 1_000), (994, 1_000)]);
    }

    #[test]
    fn without_times_entries_lie_where_their_ordinals_are() {
        assert_eq!(drawn(false), [(0, 363), (454, 545), (818, 1_000)]);
    }
}

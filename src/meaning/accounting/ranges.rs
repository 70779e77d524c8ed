//! Arithmetic on ranges of ordinals, first and last both included.

use std::fmt::Write as _;

use crate::base::digest::{Digest, Hasher};
use crate::base::ids::Ordinal;
use crate::evidence::slice::Run;
use crate::evidence::table::Table;

/// Most ranges that one detail lists; a report is read by people.
const LISTED: usize = 40;

/// How many ordinals a range holds.
pub const fn length(run: Run) -> u64 {
    run.last.saturating_sub(run.first).saturating_add(1)
}

/// The ordinals of a range.
pub fn ordinals(run: Run) -> std::ops::RangeInclusive<Ordinal> {
    run.first..=run.last
}

/// Joins what touches in sorted ranges. What overlaps stays apart, so that a faulty draft never has the expanded
/// form of a right one.
pub fn join_adjacent(sorted: impl IntoIterator<Item = Run>) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::new();
    for run in sorted {
        match joined.last_mut() {
            Some(last) if last.last.checked_add(1) == Some(run.first) => last.last = run.last,
            _ => joined.push(run),
        }
    }
    joined
}

/// Sorted ordinals as joined ranges.
pub fn of_ordinals(sorted: impl IntoIterator<Item = Ordinal>) -> Vec<Run> {
    join_adjacent(sorted.into_iter().map(|ordinal| Run { first: ordinal, last: ordinal }))
}

/// The part of a sorted list that lies in a range.
pub fn within(sorted: &[Ordinal], run: Run) -> &[Ordinal] {
    let start = sorted.partition_point(|ordinal| *ordinal < run.first);
    let end = sorted.partition_point(|ordinal| *ordinal <= run.last);
    sorted.get(start..end).unwrap_or_default()
}

/// `0-4, 9`, of bounded length: behind forty ranges only the number of further events is said.
pub fn listed(runs: &[Run]) -> String {
    let mut text = String::new();
    for (place, run) in runs.iter().take(LISTED).enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        // Writing into a string cannot fail.
        let _ = if run.first == run.last {
            write!(text, "{comma}{}", run.first)
        } else {
            write!(text, "{comma}{}-{}", run.first, run.last)
        };
    }
    let further: u64 = runs.iter().skip(LISTED).copied().map(length).sum();
    if further > 0 {
        let _ = write!(text, " and {further} further events");
    }
    text
}

/// SHA-256 over the ids of the events in ordinal order, each followed by LF.
pub fn ids_digest(runs: &[Run], table: &Table) -> Digest {
    let mut hasher = Hasher::default();
    for row in runs.iter().copied().flat_map(ordinals).filter_map(|ordinal| table.row(ordinal)) {
        hasher.update(format!("{}\n", row.event).as_bytes());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{Run, join_adjacent, listed, within};

    fn run(first: u64, last: u64) -> Run {
        Run { first, last }
    }

    #[test]
    fn touching_ranges_join_and_overlapping_ones_do_not() {
        assert_eq!(join_adjacent([run(0, 1), run(2, 2), run(4, 5)]), [run(0, 2), run(4, 5)]);
        assert_eq!(join_adjacent([run(0, 3), run(3, 4)]), [run(0, 3), run(3, 4)]);
    }

    #[test]
    fn a_list_is_short_whatever_it_lists() {
        assert_eq!(listed(&[run(0, 4), run(9, 9)]), "0-4, 9");
        let many: Vec<Run> = (0..1_000).map(|place| run(place * 2, place * 2)).collect();
        assert!(listed(&many).ends_with("and 960 further events"));
    }

    #[test]
    fn within_takes_both_ends() {
        assert_eq!(within(&[1, 3, 5, 9], run(3, 8)), [3, 5]);
        assert!(within(&[1, 9], run(3, 8)).is_empty());
    }
}

//! The timeline of a skeleton: one entry an episode, or neighbours of these, in the short form of two ordinals.

use super::setting::{Coarseness, Setting, joined};
use crate::base::ids::EventId;
use crate::meaning::synthesis::document::Timeline;
use crate::meaning::synthesis::draft::DraftItem;

/// The significant events of each entry.
pub(super) fn groups(setting: &Setting<'_>, coarseness: Coarseness) -> Vec<Vec<EventId>> {
    let significant = setting.evidence.significant();
    let rows: Vec<_> = significant.iter().filter_map(|ordinal| setting.row(*ordinal)).collect();
    let episodes = rows.chunk_by(|one, next| one.episode == next.episode);
    let events = episodes.map(|rows| rows.iter().map(|row| row.event).collect());
    joined(&events.collect::<Vec<_>>(), coarseness)
}

/// Cuts the longest group at its largest time gap; false where every group is a single event.
pub(super) fn cut_longest(setting: &Setting<'_>, groups: &mut Vec<Vec<EventId>>) -> bool {
    // The first of equals, so that the same ledger gives the same bytes.
    let longest =
        groups.iter().enumerate().rev().max_by_key(|(_, events)| events.len()).map(|(place, _)| place);
    let Some((place, events)) = longest.and_then(|place| groups.get_mut(place).map(|events| (place, events)))
    else {
        return false;
    };
    if events.len() < 2 {
        return false;
    }
    let time = |event: &EventId| setting.row(event.ordinal()).and_then(|row| row.time_ms).unwrap_or_default();
    let gaps =
        events.iter().zip(events.iter().skip(1)).map(|(one, next)| time(next).saturating_sub(time(one)));
    let widest = gaps.enumerate().collect::<Vec<_>>().into_iter().rev().max_by_key(|(_, gap)| *gap);
    let behind = events.split_off(widest.map_or(1, |(before, _)| before + 1));
    groups.insert(place + 1, behind);
    true
}

/// The entries of the groups.
pub(super) fn items(setting: &Setting<'_>, groups: &[Vec<EventId>]) -> Vec<DraftItem<Timeline>> {
    let entry = |(index, events): (usize, &Vec<EventId>)| {
        let first_ordinal = events.first()?.ordinal();
        let last_ordinal = events.last()?.ordinal();
        let section = Timeline { first_ordinal, last_ordinal };
        Some(setting.over(format!("time-{}", index + 1), events, section))
    };
    groups.iter().enumerate().filter_map(entry).collect()
}

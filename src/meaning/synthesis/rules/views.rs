//! Story and timeline must not be one view told twice: they group the events differently.

use std::collections::HashMap;

use crate::base::ids::{EventId, Ordinal};
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::expand::Expanded;

pub(super) fn check(synthesis: &Expanded, violations: &mut Violations) {
    let whole = synthesis.story.whole && synthesis.timeline.whole;
    let story = synthesis.story.items.iter().map(|resolved| resolved.item.evidence_ids.as_slice());
    let timeline = synthesis.timeline.items.iter().map(|resolved| resolved.item.evidence_ids.as_slice());
    if whole && share_partition(story, timeline) {
        let place = Pointer::root().member("story");
        violations.push(
            Code::ViewsSharePartition,
            place,
            "each story item holds just the events of one timeline entry",
        );
    }
}

/// True when both views group the same events, more than one, in the same way. Empty groups do not count;
/// a view that holds an event twice is no partition and shares none.
pub fn share_partition<'e>(
    story: impl Iterator<Item = &'e [EventId]>,
    timeline: impl Iterator<Item = &'e [EventId]>,
) -> bool {
    let mut group_of: HashMap<Ordinal, usize> = HashMap::new();
    let mut sizes = Vec::new();
    for events in story {
        for event in events {
            if group_of.insert(event.ordinal(), sizes.len()).is_some() {
                return false;
            }
        }
        sizes.push(events.len());
    }
    let total = group_of.len();
    let mut seen = 0;
    for events in timeline.filter(|events| !events.is_empty()) {
        let mut group = None;
        for event in events {
            // Taking it out makes a second occurrence look like an event that the story does not hold.
            let Some(found) = group_of.remove(&event.ordinal()) else { return false };
            if *group.get_or_insert(found) != found {
                return false;
            }
        }
        if group.and_then(|group| sizes.get(group)) != Some(&events.len()) {
            return false;
        }
        seen += events.len();
    }
    total > 1 && seen == total
}

//! Story and timeline must not be one view told twice: they group the events differently.

use std::collections::HashMap;

use crate::base::ids::{EventId, Ordinal};
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::expanded::Expanded;

pub(super) fn check(synthesis: &Expanded, violations: &mut Violations) {
    let whole = synthesis.story.whole && synthesis.timeline.whole;
    let story = synthesis.story.items.iter().map(|resolved| resolved.item.evidence_ids.as_slice());
    let timeline = synthesis.timeline.items.iter().map(|resolved| resolved.item.evidence_ids.as_slice());
    if whole && share_partition(story, timeline) {
        let place = Pointer::root().member("story");
        violations.push(
            Code::ViewsSharePartition,
            place,
            "found in each story item just the events of one timeline entry, expected another grouping",
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::share_partition;
    use crate::base::ids::EventId;
    use crate::meaning::synthesis::testing::{Case, draft, found, id, item};

    fn same(story: &[&[u64]], timeline: &[&[u64]]) -> bool {
        let view = |groups: &[&[u64]]| -> Vec<Vec<EventId>> {
            groups.iter().map(|group| group.iter().map(|ordinal| id(*ordinal)).collect()).collect()
        };
        let (story, timeline) = (view(story), view(timeline));
        share_partition(story.iter().map(Vec::as_slice), timeline.iter().map(Vec::as_slice))
    }

    #[test]
    fn order_does_not_make_a_partition_another_one() {
        assert!(same(&[&[2, 3], &[1, 0]], &[&[0, 1], &[2, 3]]));
        assert!(!same(&[&[0, 2], &[1, 3]], &[&[0, 1], &[2, 3]]));
        assert!(!same(&[&[0, 1], &[2, 3]], &[&[0, 1, 2, 3]]));
        assert!(!same(&[&[0, 1, 2, 3]], &[&[0, 1], &[2, 3]]));
        assert!(!same(&[&[0, 1], &[2, 3]], &[&[0, 1], &[2]]));
    }

    #[test]
    fn one_event_or_none_cannot_be_grouped_differently() {
        assert!(!same(&[], &[]));
        assert!(!same(&[&[0]], &[&[0]]));
        assert!(same(&[&[0, 1]], &[&[0, 1]]));
    }

    #[test]
    fn a_story_by_time_is_refused() {
        let mut case = Case::empty();
        case.event("user", "Look.");
        case.event("user", "Look again.");
        case.claim("goal-1", crate::meaning::accounting::ClaimKind::Goal, &[0, 1]);
        let mut written = draft();
        for section in
            ["changes", "verification", "failures_recoveries", "final_state", "open_work", "timeline"]
        {
            written[section] = json!([]);
        }
        written["coverage"]["low_signal_group_ids"] = json!([]);
        written["headline"]["accounting_claim_ids"] = json!(["goal-1"]);
        written["story"] = json!([item("story-1", "session_observed", &["goal-1"])]);
        written["story"][0]["narrative_role"] = json!("setup");
        let entry = |first: u64, last: u64| {
            json!({"id": format!("time-{first}"), "title": "Then", "summary": "It was so.",
                "source_label": "session_observed", "first_ordinal": first, "last_ordinal": last})
        };
        written["timeline"] = json!([entry(0, 0), entry(1, 1)]);
        assert!(case.check(&written).is_ok());
        written["timeline"] = json!([entry(0, 1)]);
        let rejected = case.check(&written).unwrap_err();
        assert_eq!(found(&rejected), ["views-share-partition /story"]);
        // What is left of a view that is not whole does not say how that view groups.
        for view in ["story", "timeline"] {
            let mut written = written.clone();
            let mut broken = written[view][0].clone();
            broken["summary"] = json!(7);
            written[view].as_array_mut().unwrap().push(broken);
            let expected = format!("schema-violation /{view}/1/summary");
            assert_eq!(found(&case.check(&written).unwrap_err()), [expected]);
        }
    }
}

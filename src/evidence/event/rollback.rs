//! Which events a rollback made void. They stay in the ledger; a row names them. Counted as the harness counts:
//! turns begin with what a person or another agent said, and a turn that an earlier rollback took away counts no more.

use serde::{Deserialize, Serialize};

use super::line::Event;
use super::relations::Relation;
use crate::base::ids::EventId;
use crate::evidence::transcript::item::{Surface, facet};

/// The entity of a rollback that says how many turns it takes back.
const TURNS: &str = "turns";

/// Events in a row that are still part of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    first: EventId,
    last: EventId,
    /// It begins with the words that began a turn.
    turn: bool,
}

/// Follows the events in order.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Rollbacks {
    /// In the order of the ledger.
    runs: Vec<Run>,
    /// The next event begins a run, because a rollback stands before it.
    apart: bool,
    /// Offset of the record whose words began the last turn: all its items are one beginning.
    began_at: Option<u64>,
}

impl Rollbacks {
    /// Takes an event; the rows say what it made void, in order.
    pub fn event(&mut self, event: &Event) -> Vec<Relation> {
        if let Some(turns) = turns(event) {
            self.apart = true;
            return self.roll_back(event.event_id, turns);
        }
        let begins = begins_turn(event) && self.began_at != Some(event.record.offset);
        if begins {
            self.began_at = Some(event.record.offset);
        }
        let apart = std::mem::take(&mut self.apart);
        match self.runs.last_mut().filter(|_| !begins && !apart) {
            Some(run) => run.last = event.event_id,
            None => {
                self.runs.push(Run { first: event.event_id, last: event.event_id, turn: begins });
            }
        }
        Vec::new()
    }

    fn roll_back(&mut self, by: EventId, turns: u64) -> Vec<Relation> {
        let mut left = turns;
        let mut from = self.runs.len();
        for (place, run) in self.runs.iter().enumerate().rev() {
            if left == 0 {
                break;
            }
            if run.turn {
                left -= 1;
                from = place;
            }
        }
        let mut void: Vec<Run> = Vec::new();
        for run in self.runs.drain(from..) {
            match void.last_mut().filter(|last| last.last.ordinal() + 1 == run.first.ordinal()) {
                Some(last) => last.last = run.last,
                None => void.push(run),
            }
        }
        void.into_iter().map(|run| Relation::RolledBack { by, first: run.first, last: run.last }).collect()
    }
}

/// How many turns an event takes back, where it is a rollback that says so.
fn turns(event: &Event) -> Option<u64> {
    let named = event.entities.iter().find(|entity| entity.kind == TURNS);
    named.filter(|_| event.has_facet(facet::ROLLBACK))?.value.as_str().parse().ok()
}

/// A command that a person ran with `!` is no turn; a message from another agent is one.
fn begins_turn(event: &Event) -> bool {
    (event.surface == Surface::User && !event.has_facet("user_shell"))
        || event.has_facet(facet::TASK)
        || event.has_facet("injected:agent_message")
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{Relation, Rollbacks};
    use crate::base::ids::EventId;
    use crate::evidence::event::line::{Event, EventEntity, RecordSpan};
    use crate::evidence::scrub::Scrubbed;
    use crate::evidence::transcript::item::{Actor, ActorGrade, Surface};

    /// `u` a prompt, `s` a person's command, `m` an agent's message, `a` an answer, a digit a rollback of so many turns; gives
    /// `by first-last` for each row.
    fn rows(events: &str) -> Vec<String> {
        let mut rollbacks = Rollbacks::default();
        let mut rows = Vec::new();
        for (ordinal, letter) in (0..).zip(events.chars()) {
            let surface = match letter {
                'u' | 's' => Surface::User,
                'a' => Surface::Assistant,
                _ => Surface::System,
            };
            let turns = letter.is_ascii_digit();
            let facets = match letter {
                's' => vec![Cow::Borrowed("user_shell")],
                'm' => vec![Cow::Borrowed("injected:agent_message")],
                _ if turns => vec![Cow::Borrowed("rollback")],
                _ => Vec::new(),
            };
            let value = Scrubbed::from_ledger(letter.to_string(), Vec::new());
            let count = EventEntity { kind: "turns".into(), value };
            let event = Event {
                ordinal,
                event_id: EventId::new(ordinal, [0; 6]),
                salt: [0; 16],
                record: RecordSpan { offset: ordinal, length: 1 },
                item: 0,
                native_id: None,
                timestamp: None,
                surface,
                actor: Actor::Harness,
                actor_grade: ActorGrade::Proven,
                facets,
                tool: None,
                entities: turns.then_some(count).into_iter().collect(),
                text: Scrubbed::trusted(""),
            };
            rows.extend(rollbacks.event(&event));
        }
        let shown = |row| match row {
            Relation::RolledBack { by, first, last } => {
                format!("{} {}-{}", by.ordinal(), first.ordinal(), last.ordinal())
            }
            _ => String::new(),
        };
        rows.into_iter().map(shown).collect()
    }

    #[test]
    fn the_last_turns_before_it_are_void() {
        assert_eq!(rows("xuaua1"), ["5 3-4"]);
        assert_eq!(rows("xuaua2"), ["5 1-4"]);
        assert_eq!(rows("ua0"), Vec::<String>::new());
    }

    #[test]
    fn turns_count_on_the_history_as_it_was_shortened() {
        assert_eq!(rows("uaua1ua2"), ["4 2-3", "7 0-1", "7 5-6"]);
        assert_eq!(rows("ua1ua1ua1"), ["2 0-1", "5 3-4", "8 6-7"]);
    }

    #[test]
    fn what_stands_before_the_first_turn_is_never_void() {
        assert_eq!(rows("xxua9"), ["4 2-3"]);
        assert_eq!(rows("xx3"), Vec::<String>::new());
    }

    #[test]
    fn a_persons_command_begins_no_turn() {
        assert_eq!(rows("uasx1"), ["4 0-3"]);
    }

    #[test]
    fn a_message_from_another_agent_begins_one() {
        assert_eq!(rows("uama1"), ["4 2-3"]);
    }

    #[test]
    fn what_follows_a_rollback_goes_with_the_turn_before_it() {
        assert_eq!(rows("uaua1xu2"), ["4 2-3", "7 0-1", "7 5-6"]);
    }
}

//! Calls that go on with what an earlier call began: polls of a process that still ran, and waits for a script. A
//! row joins the two, and an end that a later result tells is learnt for the call that began.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::line::Event;
use super::relations::Relation;
use crate::base::ids::{EventId, Ordinal};
use crate::evidence::transcript::item::{Status, Surface, facet};

/// Entities that name what runs: on a result that says so, and on a call that goes on with it.
const NAMES: [&str; 2] = ["process", CELL];
const CELL: &str = "cell";
/// Longest name of something that runs, in bytes; harnesses give numbers.
const NAME_BYTES: usize = 64;

/// Follows the events in order.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Continuations {
    /// What runs, and the call that began it.
    running: BTreeMap<String, EventId>,
    /// Calls that go on with it and have no result yet.
    asked: BTreeMap<Ordinal, String>,
}

impl Continuations {
    /// Takes an event.
    pub fn event(&mut self, event: &Event) -> Option<Relation> {
        match event.surface {
            Surface::ToolCall => {
                let name = name(event)?;
                let begun = *self.running.get(&name)?;
                self.asked.insert(event.ordinal, name);
                Some(Relation::Continues { call: event.event_id, begun })
            }
            Surface::ToolResult => self.result(event),
            Surface::User | Surface::Assistant | Surface::System => None,
        }
    }

    fn result(&mut self, event: &Event) -> Option<Relation> {
        let tool = event.tool.as_ref()?;
        let call = tool.call_event_id?;
        let asked = self.asked.remove(&call.ordinal());
        if asked.as_ref().is_some_and(|name| has_ended(event, name)) {
            let begun = self.running.remove(&asked?)?;
            return Some(Relation::Learnt {
                call: begun,
                record_offset: event.record.offset,
                status: tool.status.unwrap_or(Status::Unknown),
                exit_code: tool.exit_code,
            });
        }
        if asked.is_none()
            && let Some(name) = name(event)
        {
            self.running.insert(name, call);
        }
        None
    }
}

/// The result of a poll says that what it asked for has ended: a process by its exit status or by having been killed, a
/// script by the harness's own first words. A poll that failed or was interrupted itself says nothing.
fn has_ended(event: &Event, name: &str) -> bool {
    if event.has_facet(facet::BACKGROUND) {
        return false;
    }
    if name.starts_with(CELL) {
        return event.text.as_str().starts_with("Script ");
    }
    event.has_facet(facet::KILLED) || event.tool.as_ref().is_some_and(|tool| tool.exit_code.is_some())
}

/// Kind and name of what runs.
fn name(event: &Event) -> Option<String> {
    let entity = event.entities.iter().find(|entity| NAMES.contains(&&*entity.kind))?;
    let value = entity.value.as_str();
    (value.len() <= NAME_BYTES).then(|| format!("{} {value}", entity.kind))
}

//! Sessions for tests as their commands and outputs: events go through their lines, and what they show is observed by
//! the analyzer itself and never written down by a test.

use serde_json::{Value, json};

use crate::base::ids::{EventId, Ordinal};
use crate::evidence::command::observation::Observation;
use crate::evidence::command::{Observations, Observer};
use crate::evidence::event::Event;

/// A session of Claude Code in the making; calls of other tools can be put in.
#[derive(Default, Clone)]
pub(crate) struct Transcribed {
    /// Event lines.
    pub(crate) lines: Vec<Value>,
}

impl Transcribed {
    /// The id of an ordinal.
    pub(crate) fn id(ordinal: Ordinal) -> EventId {
        EventId::new(ordinal, [7; 6])
    }

    /// Appends an event one minute after the last.
    pub(crate) fn event(
        &mut self,
        surface: &str,
        actor: &str,
        facets: &[&str],
        tool: &Value,
        text: &str,
    ) -> EventId {
        let ordinal = self.lines.len() as u64;
        let at = format!("2026-01-01T{:02}:{:02}:00Z", ordinal / 60, ordinal % 60);
        self.lines.push(json!({
            "schema_version": "recap.event.v1", "ordinal": ordinal, "event_id": Self::id(ordinal),
            "salt": "0".repeat(32), "record": {"offset": ordinal * 100, "length": 99}, "item": 0, "native_id": null,
            "timestamp": at, "surface": surface, "actor": actor, "actor_grade": "proven", "facets": facets,
            "tool": tool, "entities": [], "redactions": [], "text_bytes": text.len(), "text": text,
        }));
        Self::id(ordinal)
    }

    /// A person or the model speaks.
    pub(crate) fn says(&mut self, surface: &str, text: &str) -> EventId {
        let actor = if surface == "user" { "person" } else { "model" };
        self.event(surface, actor, &[], &Value::Null, text)
    }

    /// Something that is put in.
    pub(crate) fn notice(&mut self, actor: &str, facets: &[&str], text: &str) -> EventId {
        self.event("system", actor, facets, &Value::Null, text)
    }

    /// A call.
    pub(crate) fn call(&mut self, name: &str, input: &str) -> EventId {
        let tool = json!({"name": name, "call_id": "c", "call_event_id": null, "pairing": "none", "status": null,
            "exit_code": null});
        self.event("tool_call", "model", &[], &tool, input)
    }

    /// Its result.
    pub(crate) fn result(&mut self, call: EventId, status: &str, facets: &[&str], text: &str) -> EventId {
        let place = usize::try_from(call.ordinal()).unwrap();
        let name = &self.lines[place]["tool"]["name"].clone();
        let code = text.strip_prefix("Exit code ").and_then(|rest| rest.lines().next()?.parse::<u32>().ok());
        let tool = json!({"name": name, "call_id": "c", "call_event_id": call, "pairing": "call_id",
            "status": status, "exit_code": code});
        self.event("tool_result", "tool", facets, &tool, text)
    }

    /// A shell command with its output and exit status; gives the call.
    pub(crate) fn bash(&mut self, command: &str, output: &str, status: u32) -> EventId {
        let call = self.call("Bash", &json!({"command": command}).to_string());
        if status == 0 {
            self.result(call, "ok", &[], output);
        } else {
            self.result(call, "error", &[], &format!("Exit code {status}\n{output}"));
        }
        call
    }

    /// A structured edit; gives the call.
    pub(crate) fn edit(&mut self, path: &str, works: bool) -> EventId {
        let input = json!({"file_path": path, "old_string": "a", "new_string": "b"});
        let call = self.call("Edit", &input.to_string());
        if works {
            self.result(call, "ok", &[], &format!("The file {path} has been updated successfully."));
        } else {
            self.result(call, "error", &[], "String to replace not found in file.");
        }
        call
    }

    /// The events.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.lines.iter().map(|line| Event::parse(line.to_string().as_bytes()).unwrap()).collect()
    }

    /// What the analyzer observes.
    pub(crate) fn observed(&self) -> (Vec<Observation>, Observations) {
        let mut observer = Observer::new();
        self.events().iter().for_each(|event| observer.observe(event));
        rows(observer)
    }

    /// The same, with the observer written down and read back before every event.
    pub(crate) fn observed_in_pieces(&self) -> (Vec<Observation>, Observations) {
        let mut observer = Observer::new();
        for event in self.events() {
            observer = postcard::from_bytes(&postcard::to_allocvec(&observer).unwrap()).unwrap();
            observer.observe(&event);
        }
        rows(observer)
    }
}

/// What an observer tells at the end.
pub(crate) fn rows(observer: Observer) -> (Vec<Observation>, Observations) {
    let mut rows = Vec::new();
    let each = &mut |row: &Observation| {
        rows.push(row.clone());
        Ok(())
    };
    let observations = observer.finish(each).unwrap();
    (rows, observations)
}

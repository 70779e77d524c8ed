//! Tables for tests, built the way that stages build them: event lines are written, read back by `Event::parse`
//! and pushed into a [`TableBuilder`]. Events get ordinals in the order of the calls; all are one minute apart.

use serde_json::{Value, json};

use crate::base::digest::{Digest, encode_hex};
use crate::base::ids::{BoundaryId, EventId, Harness, Ordinal};
use crate::evidence::command::observation::{Attempt, Observation, Operation, Outcome};
use crate::evidence::event::Event;
use crate::evidence::event::line::Pairing;
use crate::evidence::table::{LedgerState, Table, TableBuilder};
use crate::evidence::transcript::item::Status;

/// A session in the making.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    lines: Vec<Value>,
    observations: Vec<Observation>,
    pauses_minutes: u64,
}

impl Sample {
    /// An empty session.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A person's message.
    pub(crate) fn user(self, text: &str) -> Self {
        self.event("user", "person", &[], None, text)
    }

    /// An assistant's message.
    pub(crate) fn assistant(self, text: &str) -> Self {
        self.event("assistant", "model", &[], None, text)
    }

    /// Something of the harness with a facet: a notice, a task.
    pub(crate) fn system(self, facet: &str, text: &str) -> Self {
        self.event("system", "harness", &[facet], None, text)
    }

    /// A tool call without an observation.
    pub(crate) fn call(self, text: &str) -> Self {
        self.event("tool_call", "model", &[], Some(Value::Null), text)
    }

    /// The result of the event before it.
    pub(crate) fn result(mut self, status: Status, text: &str) -> Self {
        let call = self.last_id();
        let mut sample = self.event("tool_result", "tool", &[], Some(json!(status)), text);
        let result = sample.last_id();
        for observation in sample.observations.iter_mut().rev().take(8) {
            if let Some(attempt) = attempt_of(observation).filter(|attempt| attempt.call == call) {
                attempt.result = Some(result);
                attempt.status = status;
            }
        }
        self = sample;
        self
    }

    /// A structured edit and its ok result.
    pub(crate) fn edit(self, path: &str) -> Self {
        self.call(path)
            .observe(|attempt| Observation::FileMutation {
                attempt,
                operation: Operation::Update,
                path: path.to_owned(),
                moved_to: None,
            })
            .result(Status::Ok, "edited")
    }

    /// A file written by a shell command and its ok result.
    pub(crate) fn shell_write(self, path: &str, scratch: bool) -> Self {
        self.call(path)
            .observe(|attempt| Observation::ShellWrite {
                attempt,
                operation: Operation::Add,
                path: Some(path.to_owned()),
                scratch,
            })
            .result(Status::Ok, "")
    }

    /// A mutating git command and its ok result.
    pub(crate) fn git(self, verb: &str) -> Self {
        self.call(verb)
            .observe(|attempt| Observation::GitCommand {
                attempt,
                verb: verb.to_owned(),
                argv: Vec::new(),
                workdir: None,
                mutating: true,
                outcome: Outcome::Passed,
            })
            .result(Status::Ok, "done")
    }

    /// An external effect and its ok result.
    pub(crate) fn effect(self, effect: &str) -> Self {
        self.call(effect)
            .observe(|attempt| Observation::ExternalEffect {
                attempt,
                effect: effect.to_owned(),
                outcome: Outcome::Passed,
            })
            .result(Status::Ok, "sent")
    }

    /// A verification run with the status of its result; a failed one may have an ok status when masked.
    pub(crate) fn run(self, command: &str, outcome: Outcome, status: Status) -> Self {
        self.call(command)
            .observe(|attempt| Observation::VerificationRun {
                attempt,
                runner: command.to_owned(),
                command: command.to_owned(),
                command_key: command.to_owned(),
                workdir: None,
                outcome,
                reason: None,
                reported: None,
                reported_counts: None,
                after_failures: 0,
                stale: false,
            })
            .result(status, "ran")
    }

    /// A search that found nothing: exit status 1, no failure.
    pub(crate) fn no_match(self, program: &str) -> Self {
        self.call(program)
            .observe(|attempt| Observation::NoMatch { attempt, program: program.to_owned() })
            .result(Status::Error, "")
    }

    /// Adds an observation of the event before it.
    pub(crate) fn observe(mut self, make: impl FnOnce(Attempt) -> Observation) -> Self {
        let call = self.last_id();
        let attempt = Attempt { call, result: None, pairing: Pairing::CallId, status: Status::Unknown };
        self.observations.push(make(attempt));
        self
    }

    /// Leaves nothing but a redaction mark of the event before it.
    pub(crate) fn redacted(mut self) -> Self {
        let mark = "[redacted:password#1]";
        if let Some(line) = self.lines.last_mut() {
            line["text"] = json!(mark);
            line["text_bytes"] = json!(mark.len());
            line["redactions"] = json!([{"start": 0, "end": mark.len(), "kind": "password", "number": 1}]);
        }
        self
    }

    /// Lets so many minutes pass.
    pub(crate) fn pause(mut self, minutes: u64) -> Self {
        self.pauses_minutes += minutes;
        self
    }

    /// The table of everything so far.
    pub(crate) fn table(&self) -> Table {
        let mut builder = TableBuilder::default();
        let mut all = Vec::new();
        for line in &self.lines {
            let bytes = serde_json::to_vec(line).unwrap();
            all.extend_from_slice(&bytes);
            builder.push(&Event::parse(&bytes).unwrap());
        }
        let size = self.lines.len() as u64;
        let state =
            LedgerState { size, root: Digest::of(&all), records: size, records_root: Digest::of(b"records") };
        builder.finish(
            BoundaryId::derive(Harness::Claude, "sample", None, None),
            state,
            self.observations.clone(),
            last_mutation(&self.observations),
        )
    }

    /// The events so far.
    pub(crate) fn events(&self) -> Vec<Event> {
        let bytes = self.lines.iter().map(|line| serde_json::to_vec(line).unwrap());
        bytes.map(|bytes| Event::parse(&bytes).unwrap()).collect()
    }

    /// The id of an ordinal, as a draft would cite it.
    pub(crate) fn id(ordinal: Ordinal) -> EventId {
        let digest = Digest::of(&ordinal.to_be_bytes());
        let mut tag = [0; 6];
        tag.copy_from_slice(digest.as_bytes().split_at(6).0);
        EventId::new(ordinal, tag)
    }

    fn last_id(&self) -> EventId {
        Self::id((self.lines.len() as u64).saturating_sub(1))
    }

    fn event(
        mut self,
        surface: &str,
        actor: &str,
        facets: &[&str],
        status: Option<Value>,
        text: &str,
    ) -> Self {
        let ordinal = self.lines.len() as u64;
        let minute = ordinal + self.pauses_minutes;
        let call = (surface == "tool_result").then(|| self.last_id());
        let tool = status.map(|status| {
            json!({"name": "shell", "call_id": null, "call_event_id": call, "pairing": "none", "status": status,
                "exit_code": null})
        });
        let time = jiff::Timestamp::from_second(1_700_000_000 + i64::try_from(minute).unwrap() * 60).unwrap();
        self.lines.push(json!({
            "schema_version": "recap.event.v1", "ordinal": ordinal, "event_id": Self::id(ordinal),
            "salt": encode_hex(&[7; 16]), "record": {"offset": ordinal * 100, "length": 99}, "item": 0,
            "native_id": null, "timestamp": time.to_string(), "surface": surface, "actor": actor,
            "actor_grade": "proven", "facets": facets, "tool": tool, "entities": [], "redactions": [],
            "text_bytes": text.len(), "text": text,
        }));
        self
    }
}

/// The call of the last mutation where nothing but rows tells it.
pub(crate) fn last_mutation(observations: &[Observation]) -> Option<EventId> {
    let mutation = |row: &&Observation| {
        matches!(row, Observation::FileMutation { .. } | Observation::ShellWrite { scratch: false, .. })
            && row
                .attempt()
                .is_some_and(|attempt| !matches!(attempt.status, Status::Error | Status::Rejected))
    };
    observations.iter().filter(mutation).filter_map(Observation::attempt).map(|attempt| attempt.call).max()
}

fn attempt_of(observation: &mut Observation) -> Option<&mut Attempt> {
    match observation {
        Observation::FileMutation { attempt, .. }
        | Observation::ShellWrite { attempt, .. }
        | Observation::GitCommand { attempt, .. }
        | Observation::VerificationRun { attempt, .. }
        | Observation::ExternalEffect { attempt, .. }
        | Observation::NoMatch { attempt, .. } => Some(attempt),
        _ => None,
    }
}

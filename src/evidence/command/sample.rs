//! A ledger in the making, for tests: calls and results in, rows out.

use serde_json::json;

use super::Observer;
use super::observation::{Observation, Operation, Outcome, Reason};
use crate::base::ids::EventId;
use crate::evidence::event::Event;
use crate::evidence::transcribed::Transcribed;
pub(super) use crate::evidence::transcribed::rows;

/// A session that is observed while it goes on, so that a test can tell the observer something in between.
#[derive(Default)]
pub(super) struct Session {
    pub(super) observer: Observer,
    transcribed: Transcribed,
}

impl Session {
    /// Observes the last event.
    fn observe(&mut self) {
        let line = self.transcribed.lines.last().unwrap().to_string();
        self.observer.observe(&Event::parse(line.as_bytes()).unwrap());
    }

    pub(super) fn call(&mut self, name: &str, text: &str) -> EventId {
        let call = self.transcribed.call(name, text);
        self.observe();
        call
    }

    pub(super) fn result(
        &mut self,
        call: EventId,
        status: &str,
        code: Option<u32>,
        facets: &[&str],
        text: &str,
    ) {
        let tool = json!({"name": "x", "call_id": "c", "call_event_id": call, "pairing": "call_id", "status": status, "exit_code": code});
        self.transcribed.event("tool_result", "tool", facets, &tool, text);
        self.observe();
    }

    /// A Claude command and its plain result.
    pub(super) fn bash(&mut self, command: &str, code: u32, output: &str) {
        let call = self.call("Bash", &json!({"command": command}).to_string());
        if code == 0 {
            self.result(call, "ok", None, &[], output);
        } else {
            self.result(call, "error", Some(code), &[], &format!("Exit code {code}\n{output}"));
        }
    }

    pub(super) fn edit(&mut self, path: &str) {
        let call =
            self.call("Edit", &json!({"file_path": path, "old_string": "a", "new_string": "b"}).to_string());
        self.result(call, "ok", None, &[], &format!("The file {path} has been updated successfully."));
    }

    pub(super) fn rows(self) -> Vec<Observation> {
        rows(self.observer).0
    }
}

/// A run in one line: outcome, reason, reported, failures before, stale.
pub(super) type Run = (Outcome, Option<Reason>, Option<Outcome>, u64, bool);

pub(super) fn runs(rows: &[Observation]) -> Vec<Run> {
    let run = |row: &Observation| match row {
        Observation::VerificationRun { outcome, reason, reported, after_failures, stale, .. } => {
            Some((*outcome, *reason, *reported, *after_failures, *stale))
        }
        _ => None,
    };
    rows.iter().filter_map(run).collect()
}

pub(super) fn run_of(command: &str, code: u32, output: &str) -> Run {
    let mut session = Session::default();
    session.bash(command, code, output);
    *runs(&session.rows()).last().unwrap()
}

/// Operation, path and whether it is scratch.
pub(super) type Written = (Operation, String, bool);

/// Every shell write of a command; the path of files that are not named is `?`.
pub(super) fn writes(command: &str) -> Vec<Written> {
    let mut session = Session::default();
    session.bash(command, 0, "");
    let write = |row: &Observation| match row {
        Observation::ShellWrite { operation, path, scratch, .. } => {
            Some((*operation, path.clone().unwrap_or_else(|| "?".to_owned()), *scratch))
        }
        _ => None,
    };
    session.rows().iter().filter_map(write).collect()
}

pub(super) const PASSED: Outcome = Outcome::Passed;
pub(super) const FAILED: Outcome = Outcome::Failed;
pub(super) const UNKNOWN: Outcome = Outcome::Unknown;

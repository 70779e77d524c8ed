//! One small session as a case for the rules: a ledger built from event lines, its observations, a sealed
//! accounting and a draft that every rule accepts. A test changes one thing and states what must follow.

use serde_json::{Value, json};

use super::draft::draft;
use super::events::{accounting_digest, id, manifest_digest};
use super::manifest::manifest;
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, Harness, Ordinal};
use crate::evidence::command::observation::{Attempt, Observation, Operation, Outcome};
use crate::evidence::event::Event;
use crate::evidence::event::line::Pairing;
use crate::evidence::manifest::Manifest;
use crate::evidence::sample::last_mutation;
use crate::evidence::slice::Run;
use crate::evidence::table::{LedgerState, Table, TableBuilder};
use crate::evidence::transcript::item::Status;
use crate::meaning::accounting::{ClaimKind, Sealed, seal};
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::validated::{Rejected, Validated, check};

/// A session and everything around it, open to a test.
pub struct Case {
    pub events: Vec<Value>,
    pub observations: Vec<Observation>,
    pub claims: Vec<(String, ClaimKind, Vec<Ordinal>)>,
    pub groups: Vec<(String, Run)>,
    pub manifest: Manifest,
    pub words: usize,
}

/// What stands in the ledger, by ordinal.
const SESSION: &[(&str, &str)] = &[
    ("user", "Please fix the parser."),
    ("assistant", "I will look at it."),
    ("tool_call", "edit src/parser.rs"),
    ("tool_result", "edited"),
    ("tool_call", "cargo test"),
    ("error", "1 failed"),
    ("tool_call", "edit src/lexer.rs"),
    ("tool_result", "edited again"),
    ("tool_call", "cargo test"),
    ("tool_result", "9 passed"),
    ("tool_call", "git commit"),
    ("tool_result", "[main abc1234] fix"),
    ("tool_call", "ls"),
    ("tool_result", "src"),
    ("assistant", "The docs remain to be written."),
    ("assistant", "Done."),
];

impl Case {
    /// The session that all rules are shown on.
    pub fn new() -> Self {
        let mut case = Self::empty();
        for (surface, text) in SESSION {
            case.event(surface, text);
        }
        case.edit(2, "src/parser.rs", Status::Ok);
        case.test_run(4, "test", Outcome::Failed, 0, false);
        case.edit(6, "src/lexer.rs", Status::Ok);
        case.test_run(8, "test", Outcome::Passed, 1, false);
        let attempt = case.attempt(10, Status::Ok);
        case.observations.push(Observation::GitCommand {
            attempt: attempt.clone(),
            verb: "commit".to_owned(),
            argv: Vec::new(),
            workdir: None,
            mutating: true,
            outcome: Outcome::Passed,
        });
        let commit = "abc1234".to_owned();
        case.observations.push(Observation::CommitReported { attempt, commit, branch: None });
        case.claim("goal-1", ClaimKind::Goal, &[0]);
        case.claim("plan-1", ClaimKind::Decision, &[1]);
        case.claim("change-1", ClaimKind::Change, &[2, 3, 6, 7]);
        case.claim("failure-1", ClaimKind::Failure, &[4, 5]);
        case.claim("check-1", ClaimKind::Verification, &[8, 9]);
        case.claim("change-2", ClaimKind::Change, &[10, 11]);
        case.claim("open-1", ClaimKind::OpenWork, &[14]);
        case.claim("end-1", ClaimKind::FinalState, &[15]);
        case.group("looking", 12, 13);
        case
    }

    /// No event, no claim; one repository.
    pub fn empty() -> Self {
        Self {
            events: Vec::new(),
            observations: Vec::new(),
            claims: Vec::new(),
            groups: Vec::new(),
            manifest: manifest(),
            words: 900,
        }
    }

    /// Appends an event one minute after the last. `error` is a result with that status.
    pub fn event(&mut self, surface: &str, text: &str) {
        let minute = self.events.len();
        let at = format!("2026-01-01T{:02}:{:02}:00Z", minute / 60, minute % 60);
        self.event_at(surface, text, &at);
    }

    /// Appends an event at a time.
    pub fn event_at(&mut self, surface: &str, text: &str, at: &str) {
        let ordinal = self.events.len() as u64;
        let status = match surface {
            "error" => json!("error"),
            "tool_result" => json!("ok"),
            _ => Value::Null,
        };
        let call = ordinal.checked_sub(1).map(|call| id(call).to_string());
        let surface = if surface == "error" { "tool_result" } else { surface };
        let tool = match surface {
            "tool_call" => {
                json!({"name": "Bash", "call_id": null, "call_event_id": null, "pairing": "none", "status": null, "exit_code": null})
            }
            "tool_result" => {
                json!({"name": "Bash", "call_id": null, "call_event_id": call, "pairing": "call_id", "status": status, "exit_code": null})
            }
            _ => Value::Null,
        };
        let actor = match surface {
            "user" => "person",
            "tool_result" => "tool",
            "system" => "harness",
            _ => "model",
        };
        self.events.push(json!({
            "schema_version": "recap.event.v1", "ordinal": ordinal, "event_id": id(ordinal).to_string(),
            "salt": "00".repeat(16), "record": {"offset": ordinal * 100, "length": 99}, "item": 0, "native_id": null,
            "timestamp": at, "surface": surface, "actor": actor, "actor_grade": "proven", "facets": [],
            "tool": tool, "entities": [], "redactions": [], "text_bytes": text.len(), "text": text,
        }));
    }

    /// Turns the text of an event into one redaction mark.
    pub fn redact(&mut self, ordinal: Ordinal) {
        let mark = "[redacted:password#1]";
        let event = &mut self.events[usize::try_from(ordinal).unwrap()];
        event["text"] = json!(mark);
        event["text_bytes"] = json!(mark.len());
        event["redactions"] = json!([{"start": 0, "end": mark.len(), "kind": "password", "number": 1}]);
    }

    pub fn attempt(&self, call: Ordinal, status: Status) -> Attempt {
        Attempt { call: id(call), result: Some(id(call + 1)), pairing: Pairing::CallId, status }
    }

    pub fn edit(&mut self, call: Ordinal, path: &str, status: Status) {
        let attempt = self.attempt(call, status);
        let (operation, path) = (Operation::Update, path.to_owned());
        self.observations.push(Observation::FileMutation { attempt, operation, path, moved_to: None });
    }

    pub fn test_run(&mut self, call: Ordinal, key: &str, outcome: Outcome, after_failures: u64, stale: bool) {
        let status = if outcome == Outcome::Failed { Status::Error } else { Status::Ok };
        let attempt = self.attempt(call, status);
        self.observations.push(Observation::VerificationRun {
            attempt,
            runner: "cargo test".to_owned(),
            command: "cargo test".to_owned(),
            command_key: key.to_owned(),
            workdir: None,
            outcome,
            reason: None,
            reported: None,
            reported_counts: None,
            after_failures,
            stale,
        });
    }

    /// Changes the run of a call.
    pub fn run(&mut self, of: Ordinal, change: impl Fn(&mut Outcome, &mut Option<Outcome>, &mut bool)) {
        for observation in &mut self.observations {
            if let Observation::VerificationRun { attempt, outcome, reported, stale, .. } = observation
                && attempt.call == id(of)
            {
                change(outcome, reported, stale);
            }
        }
    }

    pub fn claim(&mut self, id: &str, kind: ClaimKind, events: &[Ordinal]) {
        self.claims.push((id.to_owned(), kind, events.to_vec()));
    }

    pub fn group(&mut self, id: &str, first: Ordinal, last: Ordinal) {
        self.groups.push((id.to_owned(), Run { first, last }));
    }

    /// The ledger in rows.
    pub fn table(&self) -> Table {
        let mut builder = TableBuilder::default();
        for event in &self.events {
            builder.push(&Event::parse(&serde_json::to_vec(event).unwrap()).unwrap());
        }
        let boundary = BoundaryId::derive(Harness::Claude, "session", None, None);
        // As the analysis tells it; else what the rows show.
        let told = self.manifest.git.session_observed.last_mutation.map(|last| last.event);
        let last = told.or_else(|| last_mutation(&self.observations));
        builder.finish(boundary, self.state(), self.observations.clone(), last)
    }

    /// The accounting, sealed to that ledger.
    pub fn sealed(&self, table: &Table) -> Sealed {
        let claims = self.claims.iter().map(|(id, kind, events)| {
            let ranges: Vec<_> = events.iter().map(|ordinal| [ordinal, ordinal]).collect();
            json!({"claim_id": id, "kind": kind.name(), "label": format!("About {id}"), "ranges": ranges})
        });
        let groups = self
            .groups
            .iter()
            .map(|(id, run)| json!({"group_id": id, "label": "Routine", "ranges": [[run.first, run.last]]}));
        let draft = json!({"schema_version": "recap.accounting.v1", "claims": claims.collect::<Vec<_>>(),
            "low_signal_groups": groups.collect::<Vec<_>>()});
        seal(&serde_json::to_vec(&draft).unwrap(), table).expect("an accounting that can be sealed")
    }

    fn state(&self) -> LedgerState {
        let size = self.events.len() as u64;
        LedgerState { size, root: Digest::of(b"root"), records: size, records_root: Digest::of(b"records") }
    }

    /// Lends the evidence.
    pub fn with<T>(&self, look: impl FnOnce(&Evidence<'_>) -> T) -> T {
        let table = self.table();
        let accounting = self.sealed(&table);
        look(&Evidence {
            manifest: &self.manifest,
            manifest_sha256: manifest_digest(),
            table: &table,
            accounting: &accounting,
            accounting_sha256: accounting_digest(),
        })
    }

    pub fn check(&self, draft: &Value) -> Result<Validated, Box<Rejected>> {
        self.check_bytes(&serde_json::to_vec(draft).unwrap())
    }

    pub fn check_bytes(&self, draft: &[u8]) -> Result<Validated, Box<Rejected>> {
        self.with(|evidence| check(draft, evidence, &|_, _| self.words))
    }

    /// Changes the draft and states that it is accepted.
    #[track_caller]
    pub fn accepts(&self, change: impl FnOnce(&mut Value)) -> Validated {
        let mut draft = draft();
        change(&mut draft);
        match self.check(&draft) {
            Ok(validated) => validated,
            Err(rejected) => panic!("refused: {:?}", found(&rejected)),
        }
    }

    /// Changes the draft and states everything that must be found, as `code pointer`.
    #[track_caller]
    pub fn refuses(&self, change: impl FnOnce(&mut Value), expected: &[&str]) -> Box<Rejected> {
        let mut draft = draft();
        change(&mut draft);
        let rejected = self.check(&draft).expect_err("accepted");
        assert_eq!(found(&rejected), expected);
        rejected
    }
}

/// `code pointer` of everything found, by place.
pub fn found(rejected: &Rejected) -> Vec<String> {
    let sorted = rejected.violations.sorted();
    sorted.iter().map(|violation| format!("{} {}", violation.code.as_str(), violation.pointer)).collect()
}

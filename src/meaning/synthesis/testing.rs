//! One small session as a case for the rules: a ledger built from event lines, its observations, a sealed
//! accounting and a draft that every rule accepts. A test changes one thing and states what must follow.

use serde_json::{Value, json};

use super::basis::Evidence;
use super::validated::{Rejected, Validated, check};
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, EventId, Harness, Ordinal};
use crate::evidence::command::observation::{Attempt, Observation, Operation, Outcome};
use crate::evidence::event::Event;
use crate::evidence::event::line::Pairing;
use crate::evidence::git::snapshot::{Snapshot, Status as TreeStatus};
use crate::evidence::manifest::{
    Boundary, Coverage, Git, Ledger, MANIFEST_SCHEMA, Manifest, Session, SessionObserved, Source, Versions,
};
use crate::evidence::slice::Run;
use crate::evidence::table::{LedgerState, Table, TableBuilder};
use crate::evidence::transcript::item::Status;
use crate::meaning::accounting::{ClaimKind, Sealed, seal};

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

pub const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";

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
        builder.finish(boundary, self.state(), self.observations.clone())
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
        seal(&serde_json::to_vec(&draft).unwrap(), table).ok().expect("an accounting that can be sealed")
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

    pub fn check(&self, draft: &Value) -> Result<Validated, Rejected> {
        self.check_bytes(&serde_json::to_vec(draft).unwrap())
    }

    pub fn check_bytes(&self, draft: &[u8]) -> Result<Validated, Rejected> {
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
    pub fn refuses(&self, change: impl FnOnce(&mut Value), expected: &[&str]) -> Rejected {
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

/// The id of an ordinal in these ledgers.
pub fn id(ordinal: Ordinal) -> EventId {
    EventId::new(ordinal, [7; 6])
}

/// Several ids as JSON.
pub fn ids(ordinals: &[Ordinal]) -> Value {
    ordinals.iter().map(|ordinal| id(*ordinal).to_string()).collect()
}

/// A secret-looking text that no scanner finds in this file.
pub fn secret() -> String {
    ["gh", "p_", "x9Kq2mZ7Lw4Rt8Yv3Bn6", "Cd1Fg5Hj0Pq2Sa7E"].concat()
}

pub fn manifest_digest() -> Digest {
    Digest::of(b"manifest")
}

pub fn accounting_digest() -> Digest {
    Digest::of(b"accounting")
}

/// One item in short form.
pub fn item(id: &str, label: &str, claims: &[&str]) -> Value {
    json!({"id": id, "title": format!("Title of {id}"), "summary": format!("What {id} says."), "source_label": label,
        "accounting_claim_ids": claims})
}

fn with(mut item: Value, members: Value) -> Value {
    item.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    item
}

fn entry(id: &str, first: Ordinal, last: Ordinal) -> Value {
    json!({"id": id, "title": format!("Title of {id}"), "summary": format!("What {id} says."),
        "source_label": "session_observed", "first_ordinal": first, "last_ordinal": last})
}

/// A draft that every rule accepts on [`Case::new`].
pub fn draft() -> Value {
    let seen = "session_observed";
    let story = |id, label, role: &str, claims: &[&str]| {
        with(item(id, label, claims), json!({"narrative_role": role}))
    };
    json!({
        "schema_version": "recap.synthesis-draft.v1",
        "manifest_sha256": manifest_digest(),
        "accounting_sha256": accounting_digest(),
        "headline": {"id": "headline", "summary": "The parser is fixed and tested.", "source_label": seen,
            "accounting_claim_ids": ["goal-1", "check-1"]},
        "story": [
            story("story-1", seen, "setup", &["goal-1"]),
            story("story-2", "agent_report", "approach", &["plan-1"]),
            story("story-3", seen, "turning_point", &["change-1", "failure-1"]),
            story("story-4", seen, "outcome", &["check-1", "change-2"]),
            story("story-5", "agent_report", "remaining", &["open-1", "end-1"]),
        ],
        "timeline": [entry("time-1", 0, 5), entry("time-2", 6, 15)],
        "changes": [
            with(item("files-1", seen, &["change-1"]), json!({"paths": ["src/parser.rs"], "commits": []})),
            with(item("files-2", seen, &["change-2"]), json!({"paths": [], "commits": ["abc1234"]})),
        ],
        "verification": [
            with(item("run-1", seen, &["check-1"]), json!({"outcome": "passed", "command_event_id": id(8),
                "result_event_id": id(9), "further_runs": []})),
        ],
        "failures_recoveries": [item("trouble-1", seen, &["failure-1"])],
        "final_state": [item("final-1", "agent_report", &["end-1"])],
        "open_work": [item("left-1", "agent_report", &["open-1"])],
        "coverage": {"low_signal_group_ids": ["looking"]},
    })
}

fn manifest() -> Manifest {
    let text = |text: &str| text.to_owned();
    let state =
        LedgerState { size: 0, root: Digest::of(b"root"), records: 0, records_root: Digest::of(b"records") };
    let id = BoundaryId::derive(Harness::Claude, "session", None, None);
    let session = text("session");
    Manifest {
        schema_version: text(MANIFEST_SCHEMA),
        boundary: Boundary {
            id,
            harness: Harness::Claude,
            session,
            agent: None,
            rollout: None,
            form: text("claude-jsonl"),
        },
        collected_at: text("2026-01-02T00:00:00Z"),
        source: Source { size: 1600, blake3: text("00"), terminated: true, live: false, flags: Vec::new() },
        coverage: Coverage { source_complete: true, ..Coverage::default() },
        ledger: Ledger { state, segments: Vec::new(), streams: Default::default() },
        redactions: Default::default(),
        session: Session::default(),
        git: Git {
            session_observed: SessionObserved {
                sha256: Digest::of(b"observations"),
                records: 5,
                analysis_version: text("1"),
                counts: Default::default(),
                omitted: Default::default(),
            },
            session_end: text("unknown"),
            verified_now: vec![snapshot()],
            not_probed: Vec::new(),
        },
        limitations: Default::default(),
        versions: Versions {
            recap: text("0"),
            reader: text("1"),
            scrubber: text("1"),
            policy: text("default-1"),
        },
    }
}

fn snapshot() -> Snapshot {
    let changed_paths = vec!["docs/notes.md".to_owned()];
    Snapshot {
        repository: "repo-1".to_owned(),
        label: "verified_now_only".to_owned(),
        probed_at: "2026-01-02T00:00:00Z".to_owned(),
        head: Some(HEAD.to_owned()),
        branch: Some("main".to_owned()),
        status: Some(TreeStatus { complete: true, clean: false, changed_paths, omitted: 0 }),
        limitations: Vec::new(),
    }
}

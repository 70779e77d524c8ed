//! A small session for the tests of this folder: twelve events, a goal, a change, two runs, a last message.

use std::collections::BTreeMap;

use super::compose::Scope;
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, EventId, Harness, Ordinal};
use crate::evidence::command::mutation::MutationKind;
use crate::evidence::command::observation::{Attempt, Observation, Outcome, Reason};
use crate::evidence::event::Event;
use crate::evidence::event::line::{Pairing, RecordSpan};
use crate::evidence::git::snapshot::{Snapshot, Status as TreeStatus};
use crate::evidence::manifest::{
    ANALYSIS_VERSION, Boundary, Coverage, Git, Hidden, LastMutation, Ledger, MANIFEST_SCHEMA, Manifest,
    POLICY_VERSION, READER_VERSION, SCRUBBER_VERSION, Session, SessionEnd, SessionObserved, Source, Versions,
};
use crate::evidence::scrub::text::Scrubbed;
use crate::evidence::slice::Run;
use crate::evidence::table::{LedgerState, Table, TableBuilder};
use crate::evidence::transcript::item::{Actor, ActorGrade, Status, Surface};
use crate::meaning::accounting::{Claim, ClaimKind, Group, Sealed};
use crate::meaning::synthesis::document::{
    Basis, Change, Coverage as GroupCoverage, Item, NarrativeRole, Plain, SYNTHESIS_SCHEMA, SourceLabel,
    StatedOutcome, Story, Synthesis, Timeline, Verification,
};

/// Everything that a recap is composed from.
pub(super) struct Session12 {
    pub(super) manifest: Manifest,
    pub(super) table: Table,
    pub(super) accounting: Sealed,
    pub(super) synthesis: Synthesis,
}

impl Session12 {
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope {
            manifest: &self.manifest,
            table: &self.table,
            accounting: &self.accounting,
            attempts_reset: false,
            blocked_evidence: false,
        }
    }
}

pub(super) fn session() -> Session12 {
    let state = LedgerState {
        size: 12,
        root: Digest::of(b"root"),
        records: 14,
        records_root: Digest::of(b"records"),
    };
    Session12 {
        manifest: manifest(state),
        table: table(state),
        accounting: accounting(state),
        synthesis: synthesis(),
    }
}

pub(super) fn id(ordinal: Ordinal) -> EventId {
    EventId::new(ordinal, [0xab; 6])
}

pub(super) fn ids(ordinals: impl IntoIterator<Item = Ordinal>) -> Vec<EventId> {
    ordinals.into_iter().map(id).collect()
}

fn boundary() -> BoundaryId {
    BoundaryId::derive(Harness::Claude, "0f0e0d0c-1111-4222-8333-444455556666", None, None)
}

fn table(state: LedgerState) -> Table {
    let mut builder = TableBuilder::default();
    for ordinal in 0..state.size {
        builder.push(&event(ordinal));
    }
    builder.finish(
        boundary(),
        state,
        vec![run(5, Outcome::Unknown, 0), run(9, Outcome::Passed, 2)],
        Some(id(7)),
    )
}

fn event(ordinal: Ordinal) -> Event {
    let (surface, actor) = match ordinal {
        0 => (Surface::User, Actor::Person),
        11 => (Surface::Assistant, Actor::Model),
        ordinal if ordinal % 2 == 1 => (Surface::ToolCall, Actor::Model),
        _ => (Surface::ToolResult, Actor::Tool),
    };
    let timestamp = if ordinal < 6 { "2026-11-30T23:58:00Z" } else { "2026-12-01T00:07:30Z" };
    Event {
        ordinal,
        event_id: id(ordinal),
        salt: [0; 16],
        record: RecordSpan { offset: ordinal * 100, length: 99 },
        item: 0,
        native_id: None,
        timestamp: Some(Scrubbed::trusted(timestamp)),
        surface,
        actor,
        actor_grade: ActorGrade::Proven,
        facets: Vec::new(),
        tool: None,
        entities: Vec::new(),
        text: Scrubbed::trusted("text"),
    }
}

pub(super) fn run(call: Ordinal, outcome: Outcome, after_failures: u64) -> Observation {
    let masked = outcome == Outcome::Unknown;
    Observation::VerificationRun {
        attempt: Attempt {
            call: id(call),
            result: Some(id(call + 1)),
            pairing: Pairing::CallId,
            status: Status::Ok,
        },
        runner: "cargo test".to_owned(),
        command: "cargo test --lib".to_owned(),
        command_key: "00".to_owned(),
        workdir: None,
        outcome,
        reason: masked.then_some(Reason::MaskedByPipeline),
        reported: masked.then_some(Outcome::Passed),
        reported_counts: None,
        after_failures,
        stale: masked,
    }
}

/// The one place that makes a sealed accounting.
pub(super) fn sealed(state: LedgerState, claims: Vec<Claim>, groups: Vec<Group>) -> Sealed {
    Sealed::sample(state, claims, groups)
}

fn accounting(state: LedgerState) -> Sealed {
    let claim = |id: &str, kind, events: &[Ordinal]| Claim {
        id: id.to_owned(),
        kind,
        label: "Label".to_owned(),
        events: events.to_vec(),
    };
    sealed(
        state,
        vec![
            claim("goal-1", ClaimKind::Goal, &[0]),
            claim("change-1", ClaimKind::Change, &[3, 4]),
            claim("runs", ClaimKind::Verification, &[5, 6, 9, 10]),
            claim("last", ClaimKind::FinalState, &[11]),
        ],
        vec![Group {
            id: "reads".to_owned(),
            label: "Routine reads".to_owned(),
            ranges: vec![Run { first: 1, last: 2 }, Run { first: 7, last: 8 }],
        }],
    )
}

pub(super) fn item<S>(
    id: &str,
    title: &str,
    summary: &str,
    claims: &[&str],
    events: &[Ordinal],
    section: S,
) -> Item<S> {
    Item {
        id: id.to_owned(),
        title: Some(title.to_owned()),
        summary: summary.to_owned(),
        source_label: SourceLabel::SessionObserved,
        accounting_claim_ids: claims.iter().map(|claim| (*claim).to_owned()).collect(),
        evidence_ids: ids(events.iter().copied()),
        caveat: None,
        git_evidence: Vec::new(),
        section,
    }
}

fn synthesis() -> Synthesis {
    let told = "A person asked for a fix; the parser changed and its tests passed.";
    let story = |role| Story { narrative_role: role };
    let entry = |first, last| Timeline { first_ordinal: first, last_ordinal: last };
    let verified = |call, outcome, basis| Verification {
        outcome,
        basis,
        command_event_id: Some(id(call)),
        result_event_id: Some(id(call + 1)),
        further_runs: Vec::new(),
    };
    let all = &["goal-1", "change-1", "runs", "last"];
    let mut headline = item("headline", "", told, all, &[0, 3, 4, 5, 6, 9, 10, 11], Plain {});
    headline.title = None;
    let mut last = item("end", "Done", "The agent says\nall is well.", &["last"], &[11], Plain {});
    last.source_label = SourceLabel::AgentReport;
    last.caveat = Some("Nobody looked.".to_owned());
    Synthesis {
        schema_version: SYNTHESIS_SCHEMA.to_owned(),
        manifest_sha256: Digest::of(b"manifest"),
        accounting_sha256: Digest::of(b"accounting"),
        headline,
        story: vec![
            item("wish", "The wish", "Fix #12.", &["goal-1"], &[0], story(NarrativeRole::Setup)),
            item(
                "work",
                "The work",
                "Edited, ran, ran again.",
                &["change-1", "runs", "last"],
                &[3, 4, 5, 6, 9, 10, 11],
                story(NarrativeRole::TurningPoint),
            ),
        ],
        timeline: vec![
            item("first", "Before midnight", "Edit.", &["goal-1", "change-1"], &[0, 3, 4], entry(0, 4)),
            item("second", "Around it", "Run.", &["runs"], &[5, 6], entry(5, 6)),
            item("third", "After it", "Run and end.", &["runs", "last"], &[9, 10, 11], entry(9, 11)),
        ],
        changes: vec![item(
            "parser",
            "Parser",
            "Handles it.",
            &["change-1"],
            &[3, 4],
            Change {
                paths: vec!["src/parser.rs".to_owned(), "my notes.md".to_owned()],
                commits: vec!["1a2b3c4".to_owned()],
            },
        )],
        verification: vec![
            item(
                "masked",
                "First run",
                "Piped.",
                &["runs"],
                &[5, 6],
                verified(5, StatedOutcome::Passed, Some(Basis::ReportedByOutput)),
            ),
            item(
                "again",
                "Second run",
                "Whole.",
                &["runs"],
                &[9, 10],
                verified(9, StatedOutcome::Retried, None),
            ),
        ],
        failures_recoveries: Vec::new(),
        final_state: vec![last],
        open_work: Vec::new(),
        coverage: GroupCoverage { low_signal_group_ids: vec!["reads".to_owned()] },
    }
}

fn counts(of: &[(&str, u64)]) -> BTreeMap<String, u64> {
    of.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect()
}

fn manifest(state: LedgerState) -> Manifest {
    Manifest {
        schema_version: MANIFEST_SCHEMA.to_owned(),
        boundary: Boundary {
            id: boundary(),
            harness: Harness::Claude,
            session: "0f0e0d0c-1111-4222-8333-444455556666".to_owned(),
            agent: None,
            rollout: None,
            form: "claude-jsonl".to_owned(),
        },
        collected_at: "2026-12-01T00:10:00Z".to_owned(),
        source: Source {
            size: 1_400,
            blake3: "00".repeat(32),
            terminated: true,
            live: false,
            flags: Vec::new(),
        },
        coverage: Coverage {
            records: counts(&[("events", 12), ("structural", 2), ("malformed", 0)]),
            events: counts(&[("assistant", 1), ("tool_call", 5), ("tool_result", 5), ("user", 1)]),
            withheld: BTreeMap::from([("thinking".to_owned(), Hidden { parts: 3, bytes: 900 })]),
            source_complete: true,
            ..Coverage::default()
        },
        ledger: Ledger { state, segments: Vec::new(), parts: Default::default(), streams: BTreeMap::new() },
        redactions: BTreeMap::new(),
        kept: Default::default(),
        session: Session {
            first_timestamp: Some("2026-11-30T23:58:00Z".to_owned()),
            last_timestamp: Some("2026-12-01T00:07:30Z".to_owned()),
            ..Session::default()
        },
        git: Git {
            session_observed: SessionObserved {
                sha256: Digest::of(b"observations"),
                records: 2,
                analysis_version: ANALYSIS_VERSION.to_owned(),
                counts: BTreeMap::new(),
                omitted: BTreeMap::new(),
                last_mutation: Some(LastMutation { event: id(7), kind: MutationKind::FileMutation }),
            },
            session_end: SessionEnd::default(),
            verified_now: vec![Snapshot {
                head: Some("1a2b3c4d".to_owned()),
                branch: Some("main".to_owned()),
                status: Some(TreeStatus {
                    complete: true,
                    clean: true,
                    changed_paths: Vec::new(),
                    omitted: 0,
                }),
                ..Snapshot::unknown("repo-1")
            }],
            not_probed: Vec::new(),
        },
        limitations: BTreeMap::new(),
        versions: Versions {
            recap: "0.1.0".to_owned(),
            reader: READER_VERSION.to_owned(),
            scrubber: SCRUBBER_VERSION.to_owned(),
            policy: POLICY_VERSION.to_owned(),
        },
    }
}

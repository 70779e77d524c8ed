//! Whatever the session, a skeleton breaks no rule but the one that asks for words.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use serde_json::Value;

use super::setting::{HIDDEN, OVERTAKEN};
use super::skeleton;
use crate::base::rules::Code;
use crate::evidence::command::observation::Outcome;
use crate::evidence::transcript::item::Status;
use crate::meaning::accounting::ClaimKind;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::check;
use crate::meaning::synthesis::document::Synthesis;
use crate::meaning::synthesis::testing::{Case, fill, found, ids};

/// About what a render of empty prose costs.
fn words(synthesis: &Synthesis, _: &Evidence<'_>) -> usize {
    let items = synthesis.story.len()
        + synthesis.timeline.len()
        + synthesis.changes.len()
        + synthesis.verification.len()
        + synthesis.failures_recoveries.len()
        + synthesis.final_state.len()
        + synthesis.open_work.len();
    200 + 12 * items + synthesis.changes.iter().map(|change| 4 * change.section.paths.len()).sum::<usize>()
}

fn written(case: &Case) -> Value {
    let bytes = case.with(|evidence| skeleton(evidence, &words)).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// The skeleton lacks words and nothing else; with words it is accepted.
fn stands(case: &Case) -> Value {
    let mut draft = written(case);
    let verdict = |draft: &Value| {
        let bytes = serde_json::to_vec(draft).unwrap();
        case.with(|evidence| check(&bytes, evidence, &words))
    };
    let rejected = verdict(&draft).unwrap_err();
    assert!(rejected.violations.counts().keys().eq([&Code::TextEmpty]), "{:?}\n{draft:#}", found(&rejected));
    assert!(!rejected.counts_as_attempt);
    let bare = draft.clone();
    fill(&mut draft);
    assert!(verdict(&draft).is_ok());
    bare
}

#[test]
fn everything_that_follows_from_the_evidence_is_filled_in() {
    let draft = stands(&Case::new());
    assert_eq!(draft["changes"][0]["paths"], serde_json::json!(["src/parser.rs", "src/lexer.rs"]));
    assert_eq!(draft["changes"][1]["commits"], serde_json::json!(["abc1234"]));
    assert_eq!(draft["verification"][0]["outcome"], "retried");
    assert_eq!(draft["verification"][0]["result_event_id"], ids(&[9])[0]);
    assert_eq!(draft["story"].as_array().unwrap().len(), 8);
    assert_eq!(draft["final_state"][0]["source_label"], "agent_report");
    assert!(!draft.to_string().contains("evidence_ids"));
    let entry: Vec<&String> = draft["timeline"][0].as_object().unwrap().keys().collect();
    assert!(!entry.iter().any(|name| name.contains("claim")), "{entry:?}");
}

#[test]
fn equal_partitions_are_broken() {
    let mut one = Case::empty();
    one.event("user", "Look.");
    one.claim("goal-1", ClaimKind::Goal, &[0]);
    assert_eq!(stands(&one)["timeline"].as_array().unwrap().len(), 1);

    let mut joined = Case::empty();
    for at in ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", "2026-01-01T00:20:00Z"] {
        joined.event_at("assistant", "Look.", at);
    }
    joined.claim("plan-1", ClaimKind::Decision, &[0, 1, 2]);
    let draft = stands(&joined);
    assert_eq!(draft["timeline"][0]["last_ordinal"], 1);

    let mut singles = Case::empty();
    singles.event("user", "Look.");
    singles.event("user", "Look again.");
    singles.claim("goal-1", ClaimKind::Goal, &[0]);
    singles.claim("goal-2", ClaimKind::Goal, &[1]);
    assert_eq!(stands(&singles)["story"].as_array().unwrap().len(), 1);
}

#[test]
fn caveats_that_must_stand_are_written() {
    let mut case = Case::new();
    case.redact(0);
    case.run(8, |_, _, stale| *stale = true);
    case.claims.retain(|(id, ..)| id != "check-1" && id != "end-1");
    case.claim("end-1", ClaimKind::FinalState, &[8, 9, 15]);
    let draft = stands(&case);
    assert_eq!(draft["story"][0]["caveat"], HIDDEN);
    assert_eq!(draft["final_state"][0]["caveat"], OVERTAKEN);
    assert_eq!(draft["verification"][0]["command_event_id"], ids(&[8])[0]);
}

#[test]
fn runs_of_one_command_with_one_outcome_are_one_item() {
    let mut case = Case::new();
    case.run(8, |outcome, _, _| *outcome = Outcome::Failed);
    let draft = stands(&case);
    assert_eq!(draft["verification"].as_array().unwrap().len(), 1);
    assert_eq!(draft["verification"][0]["further_runs"], ids(&[4]));
}

#[test]
fn without_a_claim_there_is_nothing_to_draft() {
    let mut case = Case::empty();
    case.event("system", "started");
    case.group("noise", 0, 0);
    let refusal = case.with(|evidence| skeleton(evidence, &words)).unwrap_err();
    assert_eq!(refusal.code(), Code::NothingToRecap);
}

#[test]
fn a_long_session_leaves_room_for_words() {
    let mut case = Case::empty();
    for number in 0..400_u64 {
        let at = format!("2026-01-{:02}T{:02}:00:00Z", 1 + number / 24, number % 24);
        for (surface, text) in
            [("user", "Go on."), ("tool_call", "edit"), ("tool_result", "ok"), ("tool_call", "test")]
        {
            case.event_at(surface, text, &at);
        }
        case.event_at("tool_result", "fine", &at);
        let first = number * 5;
        case.edit(first + 1, &format!("src/file-{number}.rs"), Status::Ok);
        case.test_run(first + 3, &format!("test {number}"), Outcome::Passed, 0, true);
        case.claim(&format!("goal-{number}"), ClaimKind::Goal, &[first]);
        case.claim(&format!("change-{number}"), ClaimKind::Change, &[first + 1, first + 2]);
        case.claim(&format!("check-{number}"), ClaimKind::Verification, &[first + 3, first + 4]);
    }
    let draft = stands(&case);
    assert!(draft["story"].as_array().unwrap().len() > 1);
    assert_eq!(draft["verification"].as_array().unwrap().len(), 1);
}

/// One step of a made-up session.
#[derive(Debug, Clone, Copy)]
enum Step {
    Ask,
    Say,
    Look,
    Edit { fails: bool },
    Run { key: u8, outcome: Outcome, reported: Option<Outcome>, stale: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let outcome = prop_oneof![Just(Outcome::Passed), Just(Outcome::Failed), Just(Outcome::Unknown)];
    let run = (0..3_u8, outcome.clone(), proptest::option::of(outcome), any::<bool>());
    prop_oneof![
        Just(Step::Ask),
        Just(Step::Say),
        Just(Step::Look),
        any::<bool>().prop_map(|fails| Step::Edit { fails }),
        run.prop_map(|(key, outcome, reported, stale)| Step::Run { key, outcome, reported, stale }),
    ]
}

/// Builds the session; neighbours of one kind share a claim where `join` says so.
fn case(steps: &[(Step, bool, bool, u8)]) -> Case {
    let mut case = Case::empty();
    let mut minute = 0_u64;
    let mut failures = [0_u64; 3];
    for (step, join, hidden, gap) in steps {
        minute += u64::from(*gap);
        let at = format!("2026-01-{:02}T{:02}:{:02}:00Z", 1 + minute / 1440, minute / 60 % 24, minute % 60);
        let first = case.events.len() as u64;
        let (surfaces, kind): (&[&str], Option<ClaimKind>) = match step {
            Step::Ask => (&["user"], Some(ClaimKind::Goal)),
            Step::Say => (&["assistant"], Some(ClaimKind::Decision)),
            Step::Look => (&["tool_call", "tool_result"], None),
            Step::Edit { fails: false } => (&["tool_call", "tool_result"], Some(ClaimKind::Change)),
            Step::Edit { fails: true } => (&["tool_call", "error"], Some(ClaimKind::Change)),
            Step::Run { outcome: Outcome::Failed, .. } => (&["tool_call", "error"], Some(ClaimKind::Failure)),
            Step::Run { .. } => (&["tool_call", "tool_result"], Some(ClaimKind::Verification)),
        };
        for (index, surface) in surfaces.iter().enumerate() {
            case.event_at(surface, &format!("text {first} {index}"), &at);
        }
        let events: Vec<u64> = (first..case.events.len() as u64).collect();
        if *hidden {
            events.iter().for_each(|event| case.redact(*event));
        }
        match *step {
            Step::Edit { fails } => {
                case.edit(first, "src/lib.rs", if fails { Status::Error } else { Status::Ok })
            }
            Step::Run { key, outcome, reported, stale } => {
                let before = &mut failures[usize::from(key)];
                case.test_run(first, &format!("test {key}"), outcome, *before, stale);
                case.run(first, |_, own, _| *own = reported);
                *before += u64::from(outcome == Outcome::Failed);
            }
            Step::Ask | Step::Say | Step::Look => {}
        }
        match (kind, case.claims.last_mut()) {
            (None, _) => case.group(&format!("look-{first}"), first, first + 1),
            (Some(kind), Some((_, last, owned))) if *join && *last == kind => owned.extend(events),
            (Some(kind), _) => case.claim(&format!("claim-{first}"), kind, &events),
        }
    }
    case
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_session_has_a_skeleton_that_only_lacks_words(
        steps in proptest::collection::vec((step(), any::<bool>(), proptest::bool::weighted(0.2), 0..50_u8), 1..60),
    ) {
        let case = case(&steps);
        if !case.claims.is_empty() {
            stands(&case);
        }
    }
}

#[test]
fn a_skeleton_stands_on_an_accounting_that_was_drafted_by_rule() {
    let case = Case::new();
    let table = case.table();
    let mut draft: Value = serde_json::from_slice(&crate::meaning::accounting::skeleton(&table)).unwrap();
    fill(&mut draft);
    let accounting = crate::meaning::accounting::seal(&serde_json::to_vec(&draft).unwrap(), &table).unwrap();
    case.with(|evidence| {
        let evidence = Evidence { table: &table, accounting: &accounting, ..*evidence };
        let rejected = check(&skeleton(&evidence, &words).unwrap(), &evidence, &words).unwrap_err();
        assert!(rejected.violations.counts().keys().eq([&Code::TextEmpty]), "{:?}", found(&rejected));
    });
}

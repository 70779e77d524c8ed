//! Skeletons of any session, and accountings that are carried over to a longer ledger.

use serde_json::{Value, json};

use super::rule_tests::{bytes, draft, places, session, try_seal};
use super::{
    Older, Sealed, Unsettled, gaps, gaps_extending, seal, seal_extending, skeleton, skeleton_extending,
};
use crate::base::rules::Code;
use crate::evidence::command::observation::Outcome;
use crate::evidence::sample::Sample;
use crate::evidence::slice::Run;
use crate::evidence::table::{LedgerState, Table};
use crate::evidence::transcript::item::{Status, facet};

/// Fills the labels of a skeleton.
fn labelled(skeleton: &[u8]) -> Value {
    let mut value: Value = serde_json::from_slice(skeleton).unwrap();
    for list in ["claims", "low_signal_groups"] {
        for entry in value[list].as_array_mut().unwrap() {
            entry["label"] = json!("words");
        }
    }
    value
}

/// A session of some hundred events out of all there are, the same for the same seed.
fn any_session(mut seed: u64, steps: usize) -> Sample {
    let mut sample = Sample::new();
    for _ in 0..steps {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sample = match (seed >> 33) % 17 {
            0 => sample.user("more"),
            1 => sample.edit("a.rs"),
            2 => sample.shell_write("b.txt", false),
            3 => sample.shell_write("/tmp/c", true),
            4 => sample.git("commit"),
            5 => sample.effect("push"),
            6 => sample.run("make test", Outcome::Failed, Status::Error),
            7 => sample.run("make test", Outcome::Unknown, Status::Ok),
            8 => sample.no_match("rg"),
            9 => sample.call("x").result(Status::Rejected, "no"),
            10 => sample.system(facet::COMPACTION, "summary"),
            11 => sample.system(facet::INTERRUPT, "stopped"),
            12 => sample.system(facet::TASK, "task"),
            13 => sample.pause(45).call("y"),
            14 => sample.call("y").call("y").call("y"),
            _ => sample.assistant("thinking aloud"),
        };
    }
    sample
}

#[test]
fn a_skeleton_passes_every_rule_but_empty_labels() {
    for seed in 0..60 {
        let table = any_session(seed, usize::try_from(seed * 7 + 1).unwrap()).table();
        let skeleton = skeleton(&table);
        let rejected = seal(&skeleton, &table).err();
        let codes: Vec<Code> =
            rejected.iter().flat_map(|one| one.violations.counts().keys().copied()).collect();
        assert!(codes.iter().all(|code| *code == Code::LabelEmpty), "{seed}: {codes:?}");
        let sealed = try_seal(&labelled(&skeleton), &table).unwrap();
        assert!(sealed.claims().len() <= 60, "{seed}: {}", sealed.claims().len());
        assert_eq!(gaps(&skeleton, &table).unwrap(), Unsettled::default());
        assert!(Sealed::open(&sealed.to_bytes().unwrap(), &table).is_ok());
    }
}

#[test]
fn a_skeleton_shows_kinds_and_selections() {
    let text = String::from_utf8(skeleton(&session().table())).unwrap();
    let expected = [
        r#"{"claim_id": "goal-1", "kind": "goal", "label": "", "select": {"class": "user_message", "ranges": [[0, 15]]}}"#,
        r#"{"claim_id": "verification-1", "kind": "verification", "label": "", "select": {"class": "verification_run", "ranges": [[0, 15]]}, "ranges": [[4, 4]]}"#,
        r#"{"claim_id": "final-state-1", "kind": "final_state", "label": "", "select": {"class": "last_message", "ranges": [[0, 15]]}}"#,
        r#"{"group_id": "routine", "label": "", "ranges": [[2, 2], [6, 6], [8, 12], [14, 14]]}"#,
    ];
    for line in expected {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn sixty_claims_are_one_an_episode_and_one_more_joins_them() {
    let claims = |wishes: usize| {
        let session =
            (0..wishes).fold(Sample::new(), |sample, number| sample.user(&format!("wish {number}")));
        let table = session.table();
        try_seal(&labelled(&skeleton(&table)), &table).unwrap().claims().len()
    };
    assert_eq!((claims(60), claims(61)), (60, 31));
}

#[test]
fn a_session_without_anything_significant_has_groups_only() {
    let table = Sample::new().call("ls").result(Status::Ok, "a").table();
    let sealed = try_seal(&labelled(&skeleton(&table)), &table).unwrap();
    assert!(sealed.claims().is_empty());
    assert_eq!(sealed.groups().len(), 1);
}

fn longer() -> Sample {
    session().user("and the gate").edit("gate.rs").assistant("painted, too")
}

fn older(table: &Table) -> Older {
    let sealed = try_seal(&draft(), &session().table()).unwrap().to_bytes().unwrap();
    Older::open(&sealed, table, |state| state == session().table().state()).unwrap()
}

#[test]
fn an_older_accounting_is_carried_over_and_added_to() {
    let table = longer().table();
    let older = older(&table);
    let value = json!({"schema_version": "recap.accounting.v1", "low_signal_groups": [], "claims": [
        {"claim_id": "goal-1", "kind": "goal", "label": "", "ranges": [[16, 16]]},
        {"claim_id": "change-1", "kind": "change", "label": "Three edits", "ranges": [[17, 18]]},
        {"claim_id": "end-1", "kind": "final_state", "label": "", "ranges": [[19, 19]]}]});
    let sealed = seal_extending(&bytes(&value), &table, &older).unwrap();
    assert_eq!(sealed.claim("goal-1").unwrap().label, "Paint it");
    assert_eq!(sealed.claim("change-1").unwrap().label, "Three edits");
    assert_eq!(sealed.claim("change-1").unwrap().events, [1, 2, 5, 6, 17, 18]);
    assert_eq!(sealed.state(), table.state());
    assert_eq!(gaps_extending(&bytes(&value), &table, &older).unwrap(), Unsettled::default());
    let mut value = value;
    value["claims"].as_array_mut().unwrap().remove(1);
    assert_eq!(
        gaps_extending(&bytes(&value), &table, &older).unwrap().unowned,
        [Run { first: 17, last: 18 }],
        "what the older accounting owns is no gap"
    );
}

#[test]
fn an_older_event_cannot_be_taken_and_a_final_state_cannot_be_left_behind() {
    let table = longer().table();
    let value = json!({"schema_version": "recap.accounting.v1", "low_signal_groups": [], "claims": [
        {"claim_id": "rest", "kind": "goal", "label": "x", "ranges": [[12, 19]]}]});
    let rejected = seal_extending(&bytes(&value), &table, &older(&table)).unwrap_err();
    let expected =
        [("claim-kind-unsupported", String::new()), ("event-owned-twice", "/claims/0/ranges/0".to_owned())];
    assert_eq!(places(&rejected.violations), expected);
}

#[test]
fn the_skeleton_of_a_tail_seals_on_top_of_any_older_accounting() {
    for seed in 0..40 {
        let steps = usize::try_from(seed).unwrap() + 3;
        let short = any_session(seed, steps);
        let before = try_seal(&labelled(&skeleton(&short.table())), &short.table()).unwrap();
        let table = any_session(seed, steps + 40).table();
        let older = Older::open(&before.to_bytes().unwrap(), &table, |_| true).unwrap();
        let draft = labelled(&skeleton_extending(&table, &older));
        let sealed = seal_extending(&bytes(&draft), &table, &older);
        assert!(sealed.is_ok(), "{seed}: {:?}", sealed.unwrap_err().violations.sorted());
    }
}

#[test]
fn a_ledger_that_does_not_extend_the_older_one_is_another_ledger() {
    let table = longer().table();
    let sealed = try_seal(&draft(), &session().table()).unwrap().to_bytes().unwrap();
    let refused = |fits: fn(LedgerState) -> bool, table: &Table| {
        places(&Older::open(&sealed, table, fits).unwrap_err())
    };
    assert_eq!(refused(|_| false, &table), [("accounting-ledger-mismatch", "/ledger".to_owned())]);
    let same = session().table();
    assert!(Older::open(&sealed, &same, |_| true).is_ok(), "a ledger extends itself");
    let shorter = Sample::new().user("paint").table();
    assert_eq!(refused(|_| true, &shorter), [("accounting-ledger-mismatch", "/ledger".to_owned())]);
}

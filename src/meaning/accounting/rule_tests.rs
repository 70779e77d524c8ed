//! Each rule with a valid neighbour and the smallest change that it refuses.

use serde_json::{Value, json};

use super::{Rejected, Sealed, gaps, seal};
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::command::observation::Outcome;
use crate::evidence::sample::Sample;
use crate::evidence::slice::Run;
use crate::evidence::table::Table;
use crate::evidence::transcript::item::{Status, facet};

/// 0 wish · 1-2 edit · 3-4 failed run · 5-6 edit · 7-8 passed run · 9-10 read · 11-12 search · 13-14 push · 15 answer.
pub(super) fn session() -> Sample {
    Sample::new()
        .user("paint the fence")
        .edit("fence.rs")
        .run("cargo test", Outcome::Failed, Status::Error)
        .edit("fence.rs")
        .run("cargo test", Outcome::Passed, Status::Ok)
        .call("cat fence.rs")
        .result(Status::Ok, "green")
        .no_match("grep")
        .effect("push")
        .assistant("painted")
}

pub(super) fn draft() -> Value {
    let id = |ordinal| Sample::id(ordinal).to_string();
    json!({
        "schema_version": "recap.accounting.v1",
        "claims": [
            {"claim_id": "goal-1", "kind": "goal", "label": "Paint it", "event_ids": [id(0)]},
            {"claim_id": "change-1", "kind": "change", "label": "Two edits", "ranges": [[1, 2], [5, 6]]},
            {"claim_id": "failure-1", "kind": "failure", "label": "A red run", "ranges": [[3, 4]]},
            {"claim_id": "check-1", "kind": "verification", "label": "A green run", "event_ids": [id(7), id(8)]},
            {"claim_id": "effect-1", "kind": "external_effect", "label": "Pushed", "ranges": [[13, 14]]},
            {"claim_id": "end-1", "kind": "final_state", "label": "Done", "select": {"class": "last_message", "ranges": [[0, 15]]}}
        ],
        "low_signal_groups": [{"group_id": "reads", "label": "Looking around", "ranges": [[9, 12]]}]
    })
}

pub(super) fn bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}

pub(super) fn places(violations: &Violations) -> Vec<(&'static str, String)> {
    violations.sorted().iter().map(|one| (one.code.as_str(), one.pointer.to_string())).collect()
}

pub(super) fn try_seal(value: &Value, table: &Table) -> Result<Sealed, Rejected> {
    seal(&bytes(value), table)
}

/// Changes one place of the valid draft and gives what is refused then.
fn refused(place: &str, new: Value) -> Vec<(&'static str, String)> {
    let mut value = draft();
    *value.pointer_mut(place).unwrap() = new;
    places(&try_seal(&value, &session().table()).unwrap_err().violations)
}

#[track_caller]
fn assert_refused(place: &str, new: Value, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|(code, at)| ((*code).into(), (*at).into())).collect();
    let found: Vec<(String, String)> =
        refused(place, new).into_iter().map(|(code, at)| (code.into(), at)).collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn assert_accepted(place: &str, new: Value) {
    let mut value = draft();
    *value.pointer_mut(place).unwrap() = new;
    if let Err(rejected) = try_seal(&value, &session().table()) {
        panic!("{:?}", rejected.violations.sorted());
    }
}

#[test]
fn the_valid_draft_is_sealed_and_opens_again() {
    let table = session().table();
    let sealed = try_seal(&draft(), &table).unwrap();
    let bytes = sealed.to_bytes().unwrap();
    let opened = Sealed::open(&bytes, &table).unwrap();
    assert_eq!(opened.to_bytes().unwrap(), bytes);
    assert_eq!(opened.digest().unwrap(), crate::base::digest::Digest::of(&bytes));
    assert_eq!(opened.claim("change-1").unwrap().events, [1, 2, 5, 6]);
    assert_eq!(opened.owner(6).unwrap().id, "change-1");
    assert!(opened.is_significant(15) && !opened.is_significant(9) && !opened.is_significant(99));
    assert_eq!(opened.groups()[0].count(), 4);
}

#[test]
fn a_seal_can_be_recomputed_by_hand() {
    let table = session().table();
    let sealed: Value =
        serde_json::from_slice(&try_seal(&draft(), &table).unwrap().to_bytes().unwrap()).unwrap();
    let ids: String = [1, 2, 5, 6].map(|ordinal| format!("{}\n", Sample::id(ordinal))).concat();
    let expected = crate::base::digest::Digest::of(ids.as_bytes()).to_string();
    assert_eq!(sealed["claims"][1]["event_ids_sha256"], expected);
    assert_eq!(sealed["claims"][1]["ranges"], json!([[1, 2], [5, 6]]));
    assert_eq!(sealed["claims"][1]["count"], 4);
}

#[test]
fn the_order_of_the_draft_does_not_matter() {
    let table = session().table();
    let mut other = draft();
    other["claims"].as_array_mut().unwrap().reverse();
    other["claims"][4]["ranges"] = json!([[6, 6], [1, 2], [5, 5]]);
    let (one, two) = (try_seal(&draft(), &table).unwrap(), try_seal(&other, &table).unwrap());
    assert_eq!(one.digest().unwrap(), two.digest().unwrap());
}

#[test]
fn names_and_labels() {
    assert_refused("/claims/0/claim_id", json!("Goal_1"), &[("id-malformed", "/claims/0/claim_id")]);
    assert_accepted("/claims/0/claim_id", json!("g".repeat(48)));
    assert_refused("/claims/0/claim_id", json!("g".repeat(49)), &[("id-malformed", "/claims/0/claim_id")]);
    assert_refused("/claims/1/claim_id", json!("goal-1"), &[("claim-id-duplicate", "/claims/1/claim_id")]);
    assert_refused(
        "/low_signal_groups/0/group_id",
        json!("goal-1"),
        &[("id-collides", "/low_signal_groups/0/group_id")],
    );
    let two = json!([{"group_id": "reads", "label": "a", "ranges": [[9, 10]]}, {"group_id": "reads", "label": "b", "ranges": [[11, 12]]}]);
    assert_refused("/low_signal_groups", two, &[("group-id-duplicate", "/low_signal_groups/1/group_id")]);
    assert_refused("/claims/0/label", json!("  "), &[("label-empty", "/claims/0/label")]);
    assert_accepted("/claims/0/label", json!("ä".repeat(160)));
    assert_refused("/claims/0/label", json!("ä".repeat(161)), &[("label-too-long", "/claims/0/label")]);
    assert_refused("/claims/0/label", json!("a\nb"), &[("text-unsafe", "/claims/0/label")]);
    assert_refused(
        "/low_signal_groups/0/label",
        json!("a\u{202e}b"),
        &[("text-unsafe", "/low_signal_groups/0/label")],
    );
    assert_refused("/claims/1/kind", json!("gaol"), &[("claim-kind-unknown", "/claims/1/kind")]);
}

#[test]
fn events_and_ranges() {
    let wrong = Sample::id(1).to_string().replacen("e1-", "e0-", 1);
    let unaccounted = ("event-unaccounted", "");
    assert_refused(
        "/claims/0/event_ids/0",
        json!(wrong),
        &[unaccounted, ("event-unknown", "/claims/0/event_ids/0")],
    );
    assert_refused(
        "/claims/0/event_ids/0",
        json!("E3"),
        &[unaccounted, ("event-unknown", "/claims/0/event_ids/0")],
    );
    assert_refused(
        "/claims/2/ranges/0",
        json!([4, 3]),
        &[unaccounted, ("range-invalid", "/claims/2/ranges/0")],
    );
    assert_refused(
        "/claims/4/ranges/0",
        json!([13, 16]),
        &[("range-out-of-bounds", "/claims/4/ranges/0"), ("claim-without-evidence", "/claims/5")],
    );
    assert_refused(
        "/claims/1/ranges",
        json!([[1, 2], [5, 6], [2, 2]]),
        &[("range-overlap", "/claims/1/ranges/2")],
    );
    assert_accepted("/claims/1/ranges", json!([[5, 6], [2, 2], [1, 1]]));
    let empty = json!({"group_id": "empty", "label": "x", "ranges": []});
    let reads = draft()["low_signal_groups"][0].clone();
    assert_refused(
        "/low_signal_groups",
        json!([reads, empty]),
        &[("group-without-range", "/low_signal_groups/1/ranges")],
    );
}

#[test]
fn exactly_one_owner() {
    let id = |ordinal: u64| Sample::id(ordinal).to_string();
    assert_refused(
        "/claims/0/event_ids",
        json!([id(0), id(7)]),
        &[("event-owned-twice", "/claims/3/event_ids/0")],
    );
    assert_refused(
        "/claims/0/event_ids",
        json!([id(0), id(0)]),
        &[("event-owned-twice", "/claims/0/event_ids/1")],
    );
    assert_refused(
        "/low_signal_groups/0/ranges/0",
        json!([8, 12]),
        &[("event-owned-twice", "/low_signal_groups/0/ranges/0")],
    );
    assert_refused("/low_signal_groups/0/ranges/0", json!([9, 11]), &[("event-unaccounted", "")]);
    let mut value = draft();
    value["low_signal_groups"][0]["ranges"] = json!([[10, 10]]);
    let rejected = try_seal(&value, &session().table()).unwrap_err();
    assert_eq!(
        rejected.violations.sorted()[0].detail,
        "found no owner for events 9, 11-12 (3 of 16), expected one each"
    );
    let found = gaps(&bytes(&value), &session().table()).unwrap();
    assert_eq!(found.unowned, [Run { first: 9, last: 9 }, Run { first: 11, last: 12 }]);
    assert_eq!(found.twice, []);
    value["low_signal_groups"][0]["ranges"] = json!([[8, 12]]);
    let found = gaps(&bytes(&value), &session().table()).unwrap();
    assert_eq!((found.unowned, found.twice), (Vec::new(), vec![Run { first: 8, last: 8 }]));
}

#[test]
fn what_is_never_noise_cannot_be_set_aside() {
    let mut value = draft();
    value["claims"][3]["event_ids"] = json!([Sample::id(7).to_string()]);
    value["low_signal_groups"][0]["ranges"] = json!([[8, 12]]);
    assert!(
        try_seal(&value, &session().table()).is_ok(),
        "an ok result and a search without a match may be set aside"
    );
    value["claims"][2]["ranges"] = json!([[3, 3]]);
    value["low_signal_groups"][0]["ranges"] = json!([[8, 12], [4, 4]]);
    let rejected = try_seal(&value, &session().table()).unwrap_err();
    assert_eq!(
        places(&rejected.violations),
        [("significant-event-set-aside", "/low_signal_groups/0/ranges/1".into())]
    );
    assert_eq!(
        rejected.violations.sorted()[0].detail,
        "found events 4 (error_result), expected claims to own them"
    );
}

#[test]
fn kinds_rest_on_their_evidence() {
    let unsupported = |place: &str| vec![("claim-kind-unsupported", format!("{place}/kind"))];
    for (place, wrong, right) in [
        ("/claims/1", "goal", "action"),
        ("/claims/2", "change", "verification"),
        ("/claims/1", "verification", "decision"),
        ("/claims/1", "failure", "recovery"),
        ("/claims/3", "external_effect", "recovery"),
        ("/claims/0", "final_state", "open_work"),
        ("/claims/4", "failure", "final_state"),
        ("/claims/0", "recovery", "decision"),
    ] {
        let kind = format!("{place}/kind");
        if (place, right) != ("/claims/1", "recovery") {
            assert_accepted(&kind, json!(right));
        }
        assert_eq!(refused(&kind, json!(wrong)), unsupported(place), "{wrong}");
    }
    // A recovery that begins before the failure does not come after it; one that begins behind it does.
    assert_eq!(refused("/claims/1/kind", json!("recovery")), unsupported("/claims/1"));
}

#[test]
fn a_recovery_that_begins_with_the_failure_does_not_come_after_it() {
    let events = [3, 7, 8].map(|ordinal| Sample::id(ordinal).to_string());
    assert_refused(
        "/claims/3",
        json!({"claim_id": "check-1", "kind": "recovery", "label": "A green run", "event_ids": events}),
        &[("event-owned-twice", "/claims/3/event_ids/0"), ("claim-kind-unsupported", "/claims/3/kind")],
    );
}

#[test]
fn of_many_owners_the_first_is_named_to_the_others() {
    let mut value = draft();
    value["claims"][1]["ranges"] = json!([[0, 0], [1, 2], [5, 6]]);
    value["claims"][3]["event_ids"] = json!([7, 8, 0].map(|ordinal| Sample::id(ordinal).to_string()));
    let violations = try_seal(&value, &session().table()).unwrap_err().violations;
    let found: Vec<_> =
        violations.sorted().iter().map(|one| (one.pointer.to_string(), one.detail.clone())).collect();
    let detail = "found events 0 in `/claims/0`, too, expected one owner each".to_owned();
    assert_eq!(
        found,
        [("/claims/1/ranges/0".to_owned(), detail.clone()), ("/claims/3/event_ids/2".to_owned(), detail)]
    );
}

#[test]
fn a_masked_failed_run_and_trouble_carry_a_failure_and_a_task_a_goal() {
    let sample = Sample::new()
        .system(facet::TASK, "look after the gate")
        .run("cargo test | tail", Outcome::Failed, Status::Ok)
        .system(facet::API_ERROR, "overloaded")
        .assistant("gave up");
    let value = json!({"schema_version": "recap.accounting.v1", "low_signal_groups": [], "claims": [
        {"claim_id": "a", "kind": "goal", "label": "x", "ranges": [[0, 0]]},
        {"claim_id": "b", "kind": "failure", "label": "x", "ranges": [[1, 2]]},
        {"claim_id": "c", "kind": "failure", "label": "x", "ranges": [[3, 3]]},
        {"claim_id": "d", "kind": "final_state", "label": "x", "ranges": [[4, 4]]}]});
    assert!(try_seal(&value, &sample.table()).is_ok());
}

#[test]
fn selections_take_what_nothing_else_names_and_the_first_wins() {
    let mut value = draft();
    value["claims"][1] = json!({"claim_id": "change-1", "kind": "change", "label": "x", "ranges": [[2, 2], [6, 6]],
        "select": {"class": "mutation", "ranges": [[0, 15]]}});
    let sealed = try_seal(&value, &session().table()).unwrap();
    assert_eq!(sealed.claim("change-1").unwrap().events, [1, 2, 5, 6]);
    let named = json!([Sample::id(0).to_string(), Sample::id(5).to_string()]);
    value["claims"][0]["event_ids"] = named;
    let sealed = try_seal(&value, &session().table()).unwrap();
    assert_eq!(sealed.claim("change-1").unwrap().events, [1, 2, 6]);
    let again = json!({"claim_id": "again", "kind": "action", "label": "x", "select": {"class": "mutation", "ranges": [[0, 15]]}});
    value["claims"].as_array_mut().unwrap().push(again);
    let rejected = try_seal(&value, &session().table()).unwrap_err();
    assert_eq!(places(&rejected.violations), [("claim-without-evidence", "/claims/6".into())]);
}

#[test]
fn five_faults_are_reported_in_one_run() {
    let table = Sample::new().user("paint").assistant("painted").table();
    let first = Sample::id(0).to_string();
    let value = json!({"schema_version": "recap.accounting.v1", "claims": [
        {"claim_id": "c1", "kind": "gaol", "label": "paint", "event_ids": [first]},
        {"claim_id": "c1", "kind": "goal", "label": "again", "event_ids": [first], "extra": 1}],
        "low_signal_groups": [{"group_id": "g1", "label": "rest", "ranges": [[1, 0]]}]});
    let rejected = try_seal(&value, &table).unwrap_err();
    let found: Vec<(&str, String)> = places(&rejected.violations);
    let expected = [
        ("event-unaccounted", ""),
        ("claim-kind-unknown", "/claims/0/kind"),
        ("claim-id-duplicate", "/claims/1/claim_id"),
        ("event-owned-twice", "/claims/1/event_ids/0"),
        ("schema-violation", "/claims/1/extra"),
        ("range-invalid", "/low_signal_groups/0/ranges/0"),
    ];
    assert_eq!(found, expected.map(|(code, at)| (code, at.to_owned())));
    assert!(!rejected.counts_as_attempt && rejected.document_sha256.is_none());
    assert!(gaps(&bytes(&value), &table).is_err());
}

#[test]
fn unreadable_drafts_and_empty_ledgers() {
    let table = session().table();
    let only = |bytes: &[u8]| places(&seal(bytes, &table).unwrap_err().violations);
    assert_eq!(only(b"{\"a\":1,\"a\":1}"), [("json-malformed", String::new())]);
    assert_eq!(only(b"7")[0], ("schema-violation", String::new()));
    let large = vec![b' '; usize::try_from(crate::base::limits::DRAFT_BYTES).unwrap() + 1];
    assert_eq!(only(&large), [("draft-too-large", String::new())]);
    let empty = json!({"schema_version": "recap.accounting.v1", "claims": [], "low_signal_groups": []});
    let rejected = try_seal(&empty, &Sample::new().table()).unwrap_err();
    assert_eq!(places(&rejected.violations), [("nothing-to-recap", String::new())]);
}

#[test]
fn an_attempt_is_recognised_however_it_is_written_down() {
    let table = session().table();
    let mut value = draft();
    value["claims"][0]["kind"] = json!("change");
    let first = try_seal(&value, &table).unwrap_err();
    value["claims"][1]["ranges"] = json!([[5, 5], [6, 6], [1, 2]]);
    value["claims"].as_array_mut().unwrap().reverse();
    let second = try_seal(&value, &table).unwrap_err();
    assert!(first.counts_as_attempt && second.counts_as_attempt);
    assert_eq!(first.document_sha256, second.document_sha256);
    assert_ne!(first.file_sha256, second.file_sha256);
    value["claims"][0]["label"] = json!("Other words");
    assert_ne!(try_seal(&value, &table).unwrap_err().document_sha256, first.document_sha256);
}

#[test]
fn the_digest_of_a_refused_draft_can_be_recomputed_by_hand() {
    let table = Sample::new().user("paint").assistant("painted").table();
    let value = json!({"schema_version": "recap.accounting.v1",
        "claims": [{"claim_id": "goal-1", "kind": "goal", "label": "Paint", "event_ids": [Sample::id(0).to_string()]}],
        "low_signal_groups": [{"group_id": "rest", "label": "Rest", "ranges": [[1, 1]]}]});
    let rejected = try_seal(&value, &table).unwrap_err();
    assert_eq!(
        places(&rejected.violations),
        [("significant-event-set-aside", "/low_signal_groups/0/ranges/0".into())]
    );
    let expanded = json!({"schema_version": "recap.accounting.v1",
        "claims": [{"id": "goal-1", "kind": "goal", "label": "Paint", "ranges": [[0, 0]]}],
        "low_signal_groups": [{"id": "rest", "label": "Rest", "ranges": [[1, 1]]}]});
    let digest = crate::base::json::canonical::digest_of(&expanded).unwrap();
    assert_eq!(rejected.document_sha256, Some(digest));
}

#[test]
fn what_cannot_be_resolved_tells_two_drafts_apart() {
    let table = session().table();
    let digest = |place: &str, new: Value| {
        let mut value = draft();
        value["claims"][0]["kind"] = json!("change");
        *value.pointer_mut(place).unwrap() = new;
        try_seal(&value, &table).unwrap_err().document_sha256.unwrap()
    };
    let id = |ordinal: u64| Sample::id(ordinal).to_string();
    let unknown = |text: &str| digest("/claims/0/event_ids", json!([id(0), text]));
    assert_ne!(unknown("e0-000000000000"), unknown("e1-000000000000"));
    // A known id is resolved, and says the same as a range.
    assert_eq!(
        digest("/claims/3/event_ids", json!([id(7), id(8)])),
        digest("/claims/3/event_ids", json!([id(8), id(7)]))
    );
    let ranges = |ranges: Value| digest("/claims/1/ranges", ranges);
    assert_ne!(ranges(json!([[1, 2], [5, 6], [9, 8]])), ranges(json!([[1, 2], [5, 6], [9, 7]])));
    assert_ne!(ranges(json!([[1, 2], [5, 6], [15, 16]])), ranges(json!([[1, 2], [5, 6], [15, 17]])));
    assert_eq!(ranges(json!([[1, 2], [5, 6]])), ranges(json!([[5, 5], [6, 6], [1, 2]])));
}

fn reopened(change: impl FnOnce(&mut Value)) -> Vec<(&'static str, String)> {
    let table = session().table();
    let mut value: Value =
        serde_json::from_slice(&try_seal(&draft(), &table).unwrap().to_bytes().unwrap()).unwrap();
    change(&mut value);
    Sealed::open(&bytes(&value), &table).map_or_else(|violations| places(&violations), |_| Vec::new())
}

#[test]
fn a_sealed_document_holds_against_its_own_ledger_only() {
    assert_eq!(reopened(|_| ()), []);
    assert_eq!(reopened(|value| *value = draft()), [("not-sealed", String::new())]);
    assert_eq!(
        reopened(|value| value["ledger"]["size"] = json!(17)),
        [("accounting-ledger-mismatch", "/ledger".into())]
    );
    assert_eq!(
        reopened(|value| value["ledger"]["size"] = json!("17")),
        [("schema-violation", "/ledger/size".into())]
    );
    let groups = "/low_signal_groups/0";
    assert_eq!(
        reopened(|value| value["low_signal_groups"][0]["count"] = json!(5)),
        [("group-seal-broken", format!("{groups}/count"))]
    );
    let other = crate::base::digest::Digest::of(b"").to_string();
    assert_eq!(
        reopened(|value| value["claims"][0]["event_ids_sha256"] = json!(other)),
        [("group-seal-broken", "/claims/0/event_ids_sha256".into())]
    );
    assert_eq!(
        reopened(|value| value["claims"].as_array_mut().unwrap().reverse()),
        [("group-seal-broken", String::new())]
    );
    assert_eq!(
        reopened(|value| value["claims"][1]["ranges"] = json!([[1, 1], [2, 2], [5, 6]])),
        [("group-seal-broken", String::new())]
    );
    assert_eq!(
        reopened(|value| value["claims"][0]["kind"] = json!("failure")),
        [("claim-kind-unsupported", "/claims/0/kind".into())]
    );
}

#[test]
fn hostile_overlaps_stay_cheap() {
    let mut sample = Sample::new();
    for _ in 0..2_000 {
        sample = sample.user("go");
    }
    let table = sample.table();
    let everything = |place: usize| {
        json!({"claim_id": format!("c-{place}"), "kind": "goal", "label": "x", "ranges": [[0, 1_999]],
        "select": {"class": "user_message", "ranges": [[0, 1_999]]}})
    };
    let claims: Vec<Value> = (0..20_000).map(everything).collect();
    let value = json!({"schema_version": "recap.accounting.v1", "claims": claims, "low_signal_groups": []});
    let rejected = try_seal(&value, &table).unwrap_err();
    assert_eq!(rejected.violations.counts().get(&Code::EventOwnedTwice), Some(&19_999));
}

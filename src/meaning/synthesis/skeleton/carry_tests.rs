//! An older draft on evidence that has grown or was accounted for anew.

use serde_json::{Value, json};

use super::{Carried, carry_over};
use crate::base::rules::Code;
use crate::evidence::command::observation::Outcome;
use crate::meaning::accounting::ClaimKind;
use crate::meaning::synthesis::testing::{Case, draft, id, secret};
use crate::meaning::synthesis::validated::expanded_bytes;

fn carry(case: &Case, older: &[u8]) -> (Value, Carried) {
    let carried = case.with(|evidence| carry_over(older, evidence, &|_, _| 900)).unwrap();
    (serde_json::from_slice(&carried.draft).unwrap(), carried)
}

#[test]
fn on_the_same_evidence_nothing_changes() {
    let case = Case::new();
    let validated = case.accepts(|_| {});
    for older in [serde_json::to_vec(&draft()).unwrap(), expanded_bytes(&validated)] {
        let (_, carried) = carry(&case, &older);
        assert!(carried.left_behind.is_empty() && carried.violations.is_empty());
        let again = case.check_bytes(&carried.draft).unwrap();
        assert_eq!(again.document_sha256(), validated.document_sha256());
    }
}

#[test]
fn what_is_new_gets_items_that_only_lack_words() {
    let mut grown = Case::new();
    grown.claims.retain(|(id, ..)| id != "end-1");
    grown.claim("end-1", ClaimKind::Action, &[15]);
    for (surface, text) in [
        ("user", "And the docs?"),
        ("tool_call", "make docs"),
        ("tool_result", "built"),
        ("assistant", "Built."),
    ] {
        grown.event(surface, text);
    }
    grown.test_run(17, "docs", Outcome::Passed, 0, false);
    grown.claim("goal-2", ClaimKind::Goal, &[16]);
    grown.claim("check-2", ClaimKind::Verification, &[17, 18]);
    grown.claim("end-2", ClaimKind::FinalState, &[19]);
    let (new, carried) = carry(&grown, &serde_json::to_vec(&draft()).unwrap());
    assert!(carried.left_behind.is_empty());
    assert!(carried.violations.counts().keys().eq([&Code::TextEmpty]), "{:?}", carried.violations);
    assert_eq!(new["story"][0]["title"], "Title of story-1");
    assert_eq!(new["story"][5]["accounting_claim_ids"], json!(["goal-2"]));
    assert_eq!(new["timeline"][2]["first_ordinal"], 16);
    assert_eq!(new["verification"][1]["accounting_claim_ids"], json!(["check-2"]));
    assert_eq!(new["final_state"][1]["id"], "end-2");
    let mut taken = draft();
    taken["open_work"][0]["id"] = json!("end-2");
    let (new, _) = carry(&grown, &serde_json::to_vec(&taken).unwrap());
    assert_eq!(new["final_state"][1]["id"], "end-3", "the author has that id already");
}

#[test]
fn a_text_that_holds_a_secret_is_not_written_again() {
    let mut older = draft();
    older["story"][1]["summary"] = json!(format!("The key is {}.", secret()));
    let (new, carried) = carry(&Case::new(), &serde_json::to_vec(&older).unwrap());
    assert_eq!(new["story"][1]["summary"], "");
    let left = carried.left_behind.sorted();
    let left: Vec<_> = left.iter().map(|one| (one.code, one.pointer.to_string())).collect();
    assert_eq!(left, [(Code::CredentialShaped, "/story/1/summary".to_owned())]);
}

#[test]
fn a_run_that_must_be_told_by_now_gets_an_item() {
    let mut case = Case::new();
    // Without its pass, the failed run before it is what a reader asks for.
    case.run(8, |outcome, _, _| *outcome = Outcome::Unknown);
    let (new, _) = carry(&case, &serde_json::to_vec(&draft()).unwrap());
    assert_eq!(new["verification"][1]["command_event_id"], json!(id(4)));
}

#[test]
fn entries_that_hold_something_are_kept_and_part_what_is_new() {
    let entries = |bounds: &[(u64, u64)]| {
        let mut older = draft();
        let entry = older["timeline"][0].clone();
        let entry = |(first, last): &(u64, u64)| {
            let mut entry = entry.clone();
            entry["id"] = json!(format!("from-{first}"));
            (entry["first_ordinal"], entry["last_ordinal"]) = (json!(first), json!(last));
            entry
        };
        older["timeline"] = bounds.iter().map(entry).collect();
        let (new, carried) = carry(&Case::new(), &serde_json::to_vec(&older).unwrap());
        let bound = |entry: &Value, name: &str| entry[name].as_u64().unwrap();
        let new = new["timeline"].as_array().unwrap().iter();
        let new = new.map(|entry| (bound(entry, "first_ordinal"), bound(entry, "last_ordinal")));
        (new.collect::<Vec<_>>(), carried.left_behind.sorted().len())
    };
    assert_eq!(entries(&[(0, 0), (1, 11), (12, 13), (14, 15)]), (vec![(0, 0), (1, 11), (14, 15)], 1));
    assert_eq!(entries(&[(6, 9)]), (vec![(0, 5), (6, 9), (10, 15)], 0));
}

#[test]
fn what_no_longer_fits_is_listed() {
    let case = Case::new();
    let mut older = draft();
    older["open_work"][0]["accounting_claim_ids"] = json!(["gone-1"]);
    older["timeline"][1]["first_ordinal"] = json!(3);
    older["verification"][0]["outcome"] = json!("failed");
    let (new, carried) = carry(&case, &serde_json::to_vec(&older).unwrap());
    let left: Vec<String> = carried.left_behind.sorted().iter().map(|one| one.pointer.to_string()).collect();
    assert_eq!(left, ["/open_work/0/accounting_claim_ids/0", "/timeline/1"]);
    assert_eq!(new["open_work"][0]["summary"], "");
    assert!(carried.violations.counts().contains_key(&Code::VerificationOutcomeMismatch));
    let refusal = case.with(|evidence| carry_over(b"{", evidence, &|_, _| 1)).unwrap_err();
    assert_eq!(refusal.code(), Code::JsonMalformed);
}

#[test]
fn evidence_is_kept_where_it_is_a_part_of_what_the_claims_own() {
    let case = Case::new();
    let kept = |member: &str, value: Value| {
        let mut older = draft();
        // Goal and check own events 0, 8 and 9.
        older["headline"][member] = value;
        let (new, _) = carry(&case, &serde_json::to_vec(&older).unwrap());
        !new["headline"][member].is_null()
    };
    use crate::meaning::synthesis::testing::ids;
    assert!(kept("evidence_ids", ids(&[0, 8])));
    assert!(!kept("evidence_ids", ids(&[0, 8, 9])), "all of them need not be written");
    assert!(!kept("evidence_ids", ids(&[0, 4])), "of another claim");
    assert!(!kept("evidence_ids", json!(["e0-000000000000"])), "no event");
    assert!(kept("evidence_ranges", json!([[8, 9]])));
    assert!(!kept("evidence_ranges", json!([[0, 0], [8, 9]])));
    assert!(!kept("evidence_ranges", json!([[3, 4]])));
    assert!(!kept("evidence_ranges", json!([[0, 9_007_199_254_740_991_u64]])));
}

#[test]
fn a_draft_that_is_too_long_is_joined_further() {
    let mut grown = Case::new();
    for text in ["One.", "Two.", "Three."] {
        grown.event("user", text);
    }
    grown.claims.retain(|(id, ..)| id != "end-1");
    grown.claim("end-1", ClaimKind::Action, &[15]);
    grown.claim("goal-2", ClaimKind::Goal, &[16]);
    grown.claim("goal-3", ClaimKind::Goal, &[17]);
    grown.claim("goal-4", ClaimKind::Goal, &[18]);
    let items = |words: usize| {
        let older = serde_json::to_vec(&draft()).unwrap();
        let carried = grown.with(|evidence| carry_over(&older, evidence, &|_, _| words)).unwrap();
        let new: Value = serde_json::from_slice(&carried.draft).unwrap();
        new["story"].as_array().unwrap().len()
    };
    assert_eq!((items(2_500), items(2_501)), (8, 6), "three new items, or one for all");
}

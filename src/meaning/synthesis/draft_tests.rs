//! The reader and the schema refuse the same drafts; shorthand and expanded form are one document.

use serde_json::{Value, json};

use super::Draft;
use crate::base::violations::Violations;
use crate::meaning::synthesis::testing::{Case, draft, id, ids};
use crate::meaning::synthesis::validated::expanded_bytes;

const SCHEMA: &str = include_str!("../../../schemas/synthesis-draft.json");

fn schema() -> jsonschema::Validator {
    jsonschema::draft202012::new(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

fn is_read(value: &Value) -> bool {
    let mut violations = Violations::default();
    Draft::read(value, &mut violations);
    violations.is_empty()
}

#[test]
fn reader_and_schema_agree() {
    let schema = schema();
    assert!(schema.is_valid(&draft()) && is_read(&draft()));
    let wrong: [(&str, Value); 21] = [
        ("/schema_version", json!("recap.synthesis-draft.v2")),
        ("/manifest_sha256", json!("AB")),
        ("/accounting_sha256", Value::Null),
        ("/headline", json!([])),
        ("/headline/summary", json!(1)),
        ("/story", json!({})),
        ("/story/0", json!("x")),
        ("/story/0/source_label", json!("seen")),
        ("/story/0/source_label", json!({"inference": null})),
        ("/story/0/narrative_role", json!("ending")),
        ("/story/0/accounting_claim_ids", json!("goal-1")),
        ("/story/0/accounting_claim_ids/0", json!(1)),
        ("/timeline/0/first_ordinal", json!("0")),
        ("/timeline/0/last_ordinal", Value::Null),
        ("/changes/0/paths", Value::Null),
        ("/verification/0/outcome", json!("ok")),
        ("/verification/0/outcome", Value::Null),
        ("/verification/0/command_event_id", json!("e08-000000000000")),
        ("/verification/0/result_event_id", json!(9)),
        ("/verification/0/further_runs", json!([Value::Null])),
        ("/coverage/low_signal_group_ids", json!({})),
    ];
    for (place, value) in wrong {
        let mut draft = draft();
        *draft.pointer_mut(place).unwrap() = value;
        assert!(!schema.is_valid(&draft) && !is_read(&draft), "{place}");
    }
}

#[test]
fn no_member_may_be_missing_or_added() {
    let schema = schema();
    let places = [
        "",
        "/headline",
        "/story/0",
        "/timeline/0",
        "/changes/0",
        "/verification/0",
        "/open_work/0",
        "/coverage",
    ];
    let mut removed = 0;
    for place in places {
        let names: Vec<String> =
            draft().pointer(place).unwrap().as_object().unwrap().keys().cloned().collect();
        for name in names {
            let mut draft = draft();
            draft.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(&name);
            assert!(!schema.is_valid(&draft) && !is_read(&draft), "{place}/{name}");
            removed += 1;
        }
        let mut draft = draft();
        draft.pointer_mut(place).unwrap()["note"] = json!("x");
        assert!(!schema.is_valid(&draft) && !is_read(&draft), "{place}/note");
    }
    assert!(removed > 40);
}

#[test]
fn optional_members_have_a_shape_too() {
    let schema = schema();
    let members: [(&str, Value, bool); 12] = [
        ("caveat", json!("x"), true),
        ("caveat", Value::Null, false),
        ("evidence_ids", ids(&[0]), true),
        ("evidence_ids", json!(["e0"]), false),
        ("evidence_ranges", json!([[0, 0]]), true),
        ("evidence_ranges", json!([[0]]), false),
        ("evidence_ranges", json!([[0, 1, 2]]), false),
        ("git_evidence", json!([]), true),
        ("git_evidence", json!([{"repository": "repo-1", "kind": "any", "value": "x"}]), true),
        ("git_evidence", json!([{"repository": "repo-1", "kind": "head"}]), false),
        ("title", json!(""), true),
        ("basis", json!("reported_by_output"), false),
    ];
    for (member, value, right) in members {
        let mut draft = draft();
        draft["story"][0][member] = value;
        assert_eq!((schema.is_valid(&draft), is_read(&draft)), (right, right), "{member}");
    }
    let mut both = draft();
    both["story"][0]["evidence_ids"] = ids(&[0]);
    both["story"][0]["evidence_ranges"] = json!([[0, 0]]);
    assert!(!schema.is_valid(&both) && !is_read(&both));
    for (basis, right) in [(json!("reported_by_output"), true), (Value::Null, false)] {
        let mut draft = draft();
        draft["verification"][0]["basis"] = basis;
        assert_eq!((schema.is_valid(&draft), is_read(&draft)), (right, right));
    }
}

#[test]
fn the_expanded_form_is_a_draft_of_the_same_document() {
    let case = Case::new();
    let short = case.accepts(|_| {});
    let bytes = expanded_bytes(&short);
    let again = case.check_bytes(&bytes).unwrap();
    assert_eq!(expanded_bytes(&again), bytes);
    assert_eq!(again.document_sha256(), short.document_sha256());
    assert_eq!(again.document_sha256(), again.file_sha256());
    assert!(schema().is_valid(&serde_json::from_slice(&bytes).unwrap()));
}

#[test]
fn ranges_stand_for_every_event_between_them() {
    let case = Case::new();
    let story = |draft: &mut Value, ranges: Value| draft["story"][2]["evidence_ranges"] = ranges;
    let spelled = case.accepts(|draft| draft["story"][2]["evidence_ids"] = ids(&[2, 3, 4, 5, 6, 7]));
    let ranged = case.accepts(|draft| story(draft, json!([[2, 4], [5, 7]])));
    assert_eq!(ranged.document_sha256(), spelled.document_sha256());
    let incomplete = "story-evidence-incomplete /story/2";
    let place = "/story/2/evidence_ranges";
    case.refuses(|draft| story(draft, json!([[2, 7], [9, 8]])), &[&format!("range-invalid {place}/1")]);
    case.refuses(
        |draft| story(draft, json!([[2, 7], [16, 16]])),
        &[&format!("range-out-of-bounds {place}/1")],
    );
    case.refuses(|draft| story(draft, json!([[2, 7], [7, 7]])), &[&format!("evidence-duplicate {place}/1")]);
    case.refuses(|draft| story(draft, json!([[2, 5], [7, 7]])), &[incomplete]);
}

#[test]
fn a_claim_named_twice_outside_the_story_is_one_claim() {
    let case = Case::new();
    let once = case.accepts(|_| {});
    let twice = case
        .accepts(|draft| draft["headline"]["accounting_claim_ids"] = json!(["goal-1", "check-1", "goal-1"]));
    assert_eq!(once.document_sha256(), twice.document_sha256());
}

#[test]
fn an_event_id_beyond_the_largest_integer_is_no_event_id() {
    let mut draft = draft();
    draft["headline"]["evidence_ids"] = json!([id(0), "e9999999999999999-000000000000"]);
    assert!(!is_read(&draft));
}

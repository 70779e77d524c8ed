//! The draft that every rule accepts on the case, and texts for it.

use serde_json::{Value, json};

use super::events::{accounting_digest, id, manifest_digest};
use crate::base::ids::Ordinal;

/// A secret-looking text that no scanner finds in this file.
pub fn secret() -> String {
    ["gh", "p_", "x9Kq2mZ7Lw4Rt8Yv3Bn6", "Cd1Fg5Hj0Pq2Sa7E"].concat()
}

/// One item in short form.
pub fn item(id: &str, label: &str, claims: &[&str]) -> Value {
    json!({"id": id, "title": format!("Title of {id}"), "summary": format!("What {id} says."), "source_label": label,
        "accounting_claim_ids": claims})
}

/// Words where a skeleton has none.
pub fn fill(value: &mut Value) {
    match value {
        Value::String(text) if text.is_empty() => *value = json!("Words."),
        Value::Array(items) => items.iter_mut().for_each(fill),
        Value::Object(members) => members.values_mut().for_each(fill),
        _ => {}
    }
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

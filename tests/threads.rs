//! Small Codex threads put together line by line, collected and checked.

use serde_json::{Value, json};

use super::evidence::{Evidence, text};
use super::program::Room;

const THREAD: &str = "0196a2b4-11aa-7c3d-8e5f-60718293a4b5";

/// A line of the response items.
pub fn raw(payload: Value) -> Value {
    json!({"type": "response_item", "payload": payload})
}

/// A line of the events.
pub fn event(payload: Value) -> Value {
    json!({"type": "event_msg", "payload": payload})
}

/// A completed item.
pub fn done(item: Value) -> Value {
    event(json!({"type": "item_completed", "thread_id": THREAD, "turn_id": "turn", "item": item}))
}

/// The edge of a turn.
pub fn turn() -> Value {
    event(json!({"type": "task_started", "turn_id": "turn"}))
}

/// A raw message.
pub fn message(role: &str, id: &str, words: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    raw(json!({"type": "message", "id": id, "role": role, "content": [{"type": kind, "text": words}]}))
}

/// A raw call.
pub fn call(name: &str, id: &str, arguments: Value) -> Value {
    raw(json!({"type": "function_call", "name": name, "call_id": id, "arguments": arguments.to_string()}))
}

/// A raw output.
pub fn output(id: &str, words: &str) -> Value {
    raw(json!({"type": "function_call_output", "call_id": id, "output": words}))
}

/// The name that a thread's file has.
pub fn file_name() -> String {
    format!("rollout-2026-05-04T09-30-00-{THREAD}.jsonl")
}

/// A thread as it is written.
pub fn written(mode: Option<&str>, lines: &[Value]) -> String {
    let payload = json!({"id": THREAD, "cwd": "/w", "cli_version": "0.171.0"});
    let mut meta = json!({"type": "session_meta", "payload": payload});
    if let Some(mode) = mode {
        meta["payload"]["history_mode"] = mode.into();
    }
    let mut file = String::new();
    for (ordinal, line) in std::iter::once(&meta).chain(lines).enumerate() {
        let mut line = line.clone();
        line["timestamp"] = "2026-05-04T09:30:00.000Z".into();
        if mode == Some("paginated") {
            line["ordinal"] = ordinal.into();
        }
        file.push_str(&format!("{line}\n"));
    }
    file
}

/// What became of a thread; packetized and validated.
pub fn collected(mode: Option<&str>, lines: &[Value]) -> Evidence {
    let room = Room::in_memory();
    let session = room.file(&format!("in/{}", file_name()), written(mode, lines));
    let manifest = room.path("out/manifest.json");
    room.collect(&session, &manifest).unwrap();
    room.packetize(&manifest).unwrap();
    room.validate(&manifest).unwrap();
    Evidence::open(&manifest).keep(room)
}

/// `surface text` of every event.
pub fn told(evidence: &Evidence) -> Vec<String> {
    let events = evidence.events();
    events.iter().map(|event| format!("{} {}", text(&event["surface"]), text(&event["text"]))).collect()
}

/// `grade` of every mirror, in order.
pub fn grades(evidence: &Evidence) -> Vec<String> {
    let records = evidence.records();
    let mirrors = records.iter().filter(|record| record["disposition"] == "mirror");
    mirrors.map(|record| text(&record["mirror_of"]["grade"]).to_owned()).collect()
}

/// Rows of a kind, each event as its ordinal.
pub fn relations(evidence: &Evidence, kind: &str) -> Vec<Value> {
    let rows = evidence.stream("relations").into_iter().filter(|row| row["relation"] == kind);
    let shortened = |mut row: Value| {
        let members = row.as_object_mut().unwrap();
        members.remove("relation");
        members.remove("record_offset");
        for value in members.values_mut() {
            let ordinal =
                value.as_str().and_then(|id| id.strip_prefix('e')?.split('-').next()?.parse::<u64>().ok());
            if let Some(ordinal) = ordinal {
                *value = ordinal.into();
            }
        }
        row
    };
    rows.map(shortened).collect()
}

/// The facets of one event.
pub fn facets(evidence: &Evidence, place: usize) -> Vec<String> {
    let events = evidence.events();
    let facets = events[place]["facets"].as_array().unwrap();
    facets.iter().map(|facet| text(facet).to_owned()).collect()
}

//! One message of the service over several rows with rows of others between them, and results that stand before
//! their calls: what a reader of the ledger can join, and by what.

use serde_json::{Value, json};

use super::evidence::{Evidence, text};
use super::program::Room;
use super::resume::Growing;

const SESSION: &str = "2d2e2f20-1111-4222-8333-444455556666";

/// An assistant row with one block.
fn said(uuid: &str, message: (&str, &str), block: usize, content: Value) -> Value {
    json!({
        "type": "assistant", "uuid": uuid, "sessionId": SESSION, "requestId": message.1, "apiBlockIndex": block,
        "message": {"id": message.0, "role": "assistant", "model": "claude-x", "content": [content]},
    })
}

fn words(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "true"}})
}

fn result(uuid: &str, id: &str) -> Value {
    json!({
        "type": "user", "uuid": uuid, "sessionId": SESSION,
        "toolUseResult": {"stdout": "", "stderr": "", "interrupted": false},
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "", "is_error": false}]},
    })
}

fn collect(rows: &[Value]) -> Evidence {
    let room = Room::new();
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let source = room.file(&format!("{SESSION}.jsonl"), lines);
    Evidence::collect(&room, &source).keep(room)
}

fn messages(evidence: &Evidence) -> Vec<Option<String>> {
    let of = |event: &Value| {
        let entities = event["entities"].as_array().unwrap().iter();
        entities
            .filter(|entity| entity["kind"] == "message")
            .map(|entity| text(&entity["value"]).to_owned())
            .next()
    };
    evidence.events().iter().map(of).collect()
}

#[test]
fn rows_of_one_message_are_joined_over_what_stands_between_them() {
    let (one, retried) = (("msg_1", "req_1"), ("msg_1", "req_2"));
    let evidence = collect(&[
        said("a1", one, 0, words("Two calls.")),
        said("a2", one, 1, call("toolu_1")),
        result("r1", "toolu_1"),
        said("a3", one, 2, call("toolu_2")),
        result("r2", "toolu_2"),
        said("b1", retried, 0, words("Two calls.")),
    ]);
    let (one, retried) = (Some("msg_1/req_1".to_owned()), Some("msg_1/req_2".to_owned()));
    assert_eq!(messages(&evidence), [one.clone(), one.clone(), None, one, None, retried]);
    let events = evidence.events();
    for (result, call) in [(2, 1), (4, 3)] {
        assert_eq!(events[result]["tool"]["call_event_id"], events[call]["event_id"]);
    }
    assert_eq!(evidence.manifest["coverage"]["calls"]["paired"], 2);
}

#[test]
fn a_block_that_is_written_again_is_told_once() {
    let message = ("msg_1", "req_1");
    let evidence = collect(&[
        said("a1", message, 0, words("Now.")),
        said("a2", message, 1, call("toolu_1")),
        said("a3", message, 0, words("Now.")),
        said("a4", ("msg_2", "req_2"), 0, call("toolu_1")),
        // Nothing proves that the model did not say it twice.
        said("a5", ("msg_2", "req_2"), 1, words("Now.")),
    ]);
    assert_eq!(evidence.dispositions(), ["events", "events", "mirror", "mirror", "events"]);
    assert_eq!(evidence.manifest["coverage"]["calls"]["total"], 1);
}

#[test]
fn a_result_before_its_call_is_joined_in_the_relations() {
    let message = ("msg_1", "req_1");
    let evidence = collect(&[
        result("r1", "toolu_1"),
        said("a1", message, 0, call("toolu_1")),
        result("r2", "toolu_2"),
        said("a2", message, 1, call("toolu_3")),
    ]);
    let events = evidence.events();
    let id = |place: usize| events[place]["event_id"].clone();
    assert_eq!(events[0]["tool"]["pairing"], "none", "a line knows only what stands before it");
    assert_eq!(
        evidence.stream("relations"),
        [
            json!({
                "relation": "result", "call": id(1), "result": id(0), "pairing": "call_id", "status": "ok",
                "exit_code": 0,
            }),
            json!({"relation": "orphan_result", "result": id(2)}),
            json!({"relation": "open_call", "call": id(3)}),
        ]
    );
    assert_eq!(
        evidence.manifest["coverage"]["calls"],
        json!({"total": 2, "paired": 1, "open": 1, "orphan_results": 1})
    );
}

#[test]
fn a_call_that_was_written_later_is_joined_however_the_transcript_was_read_before() {
    let rows = [result("r1", "toolu_1"), said("a1", ("m", "r"), 0, call("toolu_1")), result("r2", "toolu_2")];
    let whole: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let first = whole.find('\n').unwrap() + 1;
    let growing = Growing::new(&format!("{SESSION}.jsonl"), whole.clone().into_bytes());
    assert!(!growing.collect(first).unwrap());
    assert!(growing.collect(whole.len()).unwrap());
    growing.is_as_if_collected_at_once();
}

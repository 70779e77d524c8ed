//! Our readers, each with a sample that tells the same small story.

use std::cell::OnceCell;
use std::fs;

use recap::base::ids::Harness;
use recap::evidence::transcript::detect::reader_of;
use recap::evidence::transcript::reading::Identity;
use serde_json::{Value, json};

use super::asked::Candidate;
use crate::samples::{DOCUMENT, bundled};

const SESSION: &str = "0196a2b4-11aa-7c3d-8e5f-60718293a4b5";
const CLAUDE_SESSION: &str = "2d2e2f20-1111-4222-8333-444455556666";
const TYPED: &str = "Please mend the gate.";
const INJECTED: &str = "/w and a shell";
const HIDDEN: &str = "PONDER the hinges";

fn identity(harness: Harness, session: &str, form: &'static str) -> Identity {
    Identity {
        harness,
        session: session.to_owned(),
        agent: None,
        rollout: None,
        form,
        own_from: None,
        forked: false,
        child: false,
    }
}

fn lines(records: &[Value]) -> (Vec<String>, Vec<u8>) {
    let records: Vec<String> = records.iter().map(Value::to_string).collect();
    let sample = records.iter().map(|record| format!("{record}\n")).collect::<String>().into_bytes();
    (records, sample)
}

pub fn claude() -> Candidate<'static> {
    let row = |number: u32, kind: &str, more: Value, content: Value| {
        let mut row = json!({
            "type": kind, "uuid": format!("u{number}"), "parentUuid": number.checked_sub(1).map(|number| format!("u{number}")),
            "sessionId": CLAUDE_SESSION, "version": "2.1.332", "cwd": "/w", "timestamp": format!("2026-11-01T10:00:{number:02}.000Z"),
            "message": {"id": format!("m{number}"), "role": kind, "model": "m", "content": content},
        });
        row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        row
    };
    let (records, sample) = lines(&[
        json!({"type": "mode", "mode": "normal", "sessionId": CLAUDE_SESSION}),
        row(0, "user", json!({"promptSource": "typed"}), json!(TYPED)),
        row(
            1,
            "user",
            json!({"isMeta": true}),
            json!(format!("<system-reminder>{INJECTED}</system-reminder>")),
        ),
        row(2, "assistant", json!({}), json!([{"type": "thinking", "thinking": HIDDEN, "signature": "s"}])),
        row(
            3,
            "assistant",
            json!({}),
            json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]),
        ),
        row(
            4,
            "user",
            json!({"toolUseResult": {"stdout": "gate", "stderr": "", "interrupted": false}}),
            json!([{"type": "tool_result", "tool_use_id": "t1", "content": "gate"}]),
        ),
        row(5, "assistant", json!({}), json!([{"type": "text", "text": "Mended."}])),
        json!({"type": "system", "subtype": "turn_duration", "uuid": "u6", "durationMs": 5, "sessionId": CLAUDE_SESSION}),
    ]);
    Candidate {
        name: "claude",
        reader: reader_of(Harness::Claude),
        identity: identity(Harness::Claude, CLAUDE_SESSION, "claude-jsonl"),
        file: "2d2e2f20-1111-4222-8333-444455556666.jsonl",
        sample,
        records,
        unknown: "{\"type\":\"gate-ballad\",\"uuid\":\"u9\",\"content\":\"la\"}",
        typed: TYPED,
        injected: INJECTED,
        hidden: HIDDEN,
        room: OnceCell::new(),
    }
}

/// G0 to G3, each with the same story.
pub fn codex() -> Vec<Candidate<'static>> {
    vec![
        document(),
        bare(),
        lined("codex legacy", "codex-legacy"),
        lined("codex paginated", "codex-paginated"),
    ]
}

fn candidate(
    name: &'static str,
    form: &'static str,
    session: &str,
    file: &'static str,
    (records, sample): (Vec<String>, Vec<u8>),
) -> Candidate<'static> {
    Candidate {
        name,
        reader: reader_of(Harness::Codex),
        identity: identity(Harness::Codex, session, form),
        file,
        sample,
        records,
        unknown: "{\"timestamp\":\"2026-05-04T09:30:00.000Z\",\"type\":\"gate_ballad\",\"payload\":{\"la\":1}}",
        typed: TYPED,
        injected: INJECTED,
        hidden: HIDDEN,
        room: OnceCell::new(),
    }
}

/// The bundled document: pretty-printed, so that its records are not its lines.
fn document() -> Candidate<'static> {
    let sample = fs::read(bundled(DOCUMENT)).unwrap();
    let whole: Value = serde_json::from_slice(&sample).unwrap();
    let items = whole["items"].as_array().unwrap().iter().filter(|item| item.is_object());
    let records = std::iter::once(&whole["session"]).chain(items).map(Value::to_string).collect();
    Candidate {
        typed: "Count the shells in beach.txt.",
        // The first CLI wrote no context of its own.
        injected: "",
        hidden: "PONDER the shells",
        unknown: "{\"type\":\"gate_ballad\",\"la\":1}",
        ..candidate(
            "codex document",
            "codex-document",
            "cf4def41-21e0-4b91-adb4-5397c1492084",
            DOCUMENT,
            (records, sample),
        )
    }
}

fn story() -> [Value; 6] {
    let words = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    [
        words("user", "input_text", &format!("<environment_context>{INJECTED}</environment_context>")),
        words("user", "input_text", TYPED),
        json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": HIDDEN}], "encrypted_content": "b"}),
        json!({"type": "function_call", "name": "shell", "call_id": "c1", "arguments": "{\"command\":[\"ls\"]}"}),
        json!({"type": "function_call_output", "call_id": "c1",
            "output": "{\"output\":\"gate\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}"}),
        words("assistant", "output_text", "Mended."),
    ]
}

fn bare() -> Candidate<'static> {
    let head = json!({"id": SESSION, "timestamp": "2025-08-01T10:00:00.000Z", "instructions": null});
    let state = json!({"record_type": "state"});
    let records: Vec<Value> = [head, state].into_iter().chain(story()).collect();
    let file = "rollout-2025-08-01T10-00-00-0196a2b4-11aa-7c3d-8e5f-60718293a4b5.jsonl";
    let unknown = "{\"type\":\"gate_ballad\",\"la\":1}";
    Candidate { unknown, ..candidate("codex bare", "codex-bare", SESSION, file, lines(&records)) }
}

fn lined(name: &'static str, form: &'static str) -> Candidate<'static> {
    let paginated = form == "codex-paginated";
    let line = |ordinal: usize, kind: &str, payload: Value| {
        let mut line = json!({"timestamp": format!("2026-05-04T09:30:{ordinal:02}.000Z"), "type": kind, "payload": payload});
        if paginated {
            line["ordinal"] = ordinal.into();
        }
        line
    };
    let mut meta = json!({"id": SESSION, "timestamp": "2026-05-04T09:30:00.000Z", "cwd": "/w", "cli_version": "0.171.0", "source": "cli"});
    if paginated {
        meta["history_mode"] = "paginated".into();
    }
    let turn = [
        ("session_meta", meta),
        ("event_msg", json!({"type": "task_started", "turn_id": "turn_1", "started_at": 1_777_887_000})),
        ("turn_context", json!({"turn_id": "turn_1", "cwd": "/w", "model": "m"})),
    ];
    let items = story().map(|item| ("response_item", item));
    let end = [(
        "event_msg",
        json!({"type": "task_complete", "turn_id": "turn_1", "last_agent_message": "Mended."}),
    )];
    let records: Vec<Value> = turn
        .into_iter()
        .chain(items)
        .chain(end)
        .enumerate()
        .map(|(ordinal, (kind, payload))| line(ordinal, kind, payload))
        .collect();
    let file = "rollout-2026-05-04T09-30-00-0196a2b4-11aa-7c3d-8e5f-60718293a4b5.jsonl";
    candidate(name, form, SESSION, file, lines(&records))
}

//! Homes of both harnesses, made up file by file: sessions with children, forks and everything else that joins one
//! transcript to another, as small as the formats allow.

use std::collections::BTreeMap;
use std::fs;

use camino::Utf8PathBuf;
use recap::base::ids::{BoundaryId, Harness};
use serde_json::{Value, json};

use super::program::{Ran, Room};

/// A session of Claude Code.
pub const MAIN: &str = "5e551011-0000-4000-8000-000000000001";
/// Another one.
pub const OTHER: &str = "5e551011-0000-4000-8000-000000000002";
/// A thread of Codex.
pub const THREAD: &str = "0199aa00-1111-7222-8333-000000000001";
/// Another one, made later.
pub const LATER: &str = "0199aa00-2222-7222-8333-000000000002";
/// A rollout, made later still.
pub const ROLLOUT: &str = "0199aa00-3333-7222-8333-000000000003";

/// A room with `.claude` and `.codex` in it, which the program finds by the home folder.
pub struct Home {
    pub room: Room,
    names: BTreeMap<BoundaryId, &'static str>,
}

impl Home {
    /// A session with two children whose results came back, one of them with a notification.
    pub fn with_two_children() -> Self {
        let home = Self::new();
        let rows = [
            prompt(MAIN, "m1"),
            call(MAIN, "m2", "toolu_1"),
            result(MAIN, "m3", "toolu_1", "a1"),
            call(MAIN, "m4", "toolu_2"),
            result(MAIN, "m5", "toolu_2", "a2"),
            notification(MAIN, "a2"),
            answer(MAIN, "m6"),
        ];
        home.claude(&format!("{MAIN}.jsonl"), &rows);
        for agent in ["a1", "a2"] {
            home.claude(&format!("{MAIN}/subagents/agent-{agent}.jsonl"), &child(MAIN, agent));
        }
        home
    }

    pub fn new() -> Self {
        let known = [
            (MAIN, None, None, "main"),
            (OTHER, None, None, "other"),
            (MAIN, Some("a1"), None, "a1"),
            (MAIN, Some("a2"), None, "a2"),
            (MAIN, Some("b1"), None, "b1"),
            (MAIN, Some("w1"), None, "w1"),
            (MAIN, Some("acompact-c1"), None, "acompact"),
        ];
        let claude = known.map(|(session, agent, rollout, name)| {
            (BoundaryId::derive(Harness::Claude, session, agent, rollout), name)
        });
        let known = [(THREAD, None, "thread"), (LATER, None, "later"), (THREAD, Some(ROLLOUT), "segment")];
        let codex = known
            .map(|(thread, rollout, name)| (BoundaryId::derive(Harness::Codex, thread, None, rollout), name));
        Self { room: Room::in_memory(), names: claude.into_iter().chain(codex).collect() }
    }

    /// Writes a transcript below the project folder.
    pub fn claude(&self, file: &str, rows: &[Value]) -> Utf8PathBuf {
        self.lines(&format!(".claude/projects/p/{file}"), rows)
    }

    /// Writes a rollout.
    pub fn codex(&self, stem: &str, lines: &[Value]) -> Utf8PathBuf {
        self.lines(&format!(".codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-{stem}.jsonl"), lines)
    }

    fn lines(&self, file: &str, rows: &[Value]) -> Utf8PathBuf {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        self.room.file(file, text)
    }

    /// Where the tests put their set.
    pub fn set(&self) -> Utf8PathBuf {
        self.room.path("sets/set.json")
    }

    /// Runs `collect-set`.
    pub fn collect(&self, session: &str, options: &[&str]) -> Ran {
        let set = self.set();
        self.room.run(&[&["collect-set", "--session", session, "--output", set.as_str()], options].concat())
    }

    /// The set document.
    pub fn document(&self) -> Value {
        serde_json::from_slice(&fs::read(self.set()).unwrap()).unwrap()
    }

    /// Collects, validates, and gives the edges as `from>to`, `~` for a continuation, with what proves each.
    pub fn edges(&self, session: &str, options: &[&str]) -> Vec<String> {
        self.collect(session, options).receipt();
        self.room.run(&["validate-set", self.set().as_str()]).receipt();
        let document = self.document();
        let edge = |edge: &Value| {
            let sign = if edge["type"] == "child" { '>' } else { '~' };
            let by = edge["proof"].as_array().unwrap().iter().map(|proof| proof["by"].as_str().unwrap());
            let (from, to) = (self.name(&edge["from"]), self.name(&edge["to"]));
            format!("{from}{sign}{to}: {}", by.collect::<Vec<_>>().join(" "))
        };
        document["edges"].as_array().unwrap().iter().map(edge).collect()
    }

    /// Members by name, in order, with their kinds.
    pub fn members(&self) -> Vec<String> {
        let document = self.document();
        let member = |member: &Value| {
            format!("{} {}", self.name(&member["boundary"]), member["kind"].as_str().unwrap())
        };
        document["members"].as_array().unwrap().iter().map(member).collect()
    }

    /// The name of a boundary in these tests.
    pub fn name(&self, boundary: &Value) -> &'static str {
        self.names[&BoundaryId::parse(boundary.as_str().unwrap()).unwrap()]
    }

    /// The boundary of a name.
    pub fn boundary(&self, name: &str) -> BoundaryId {
        *self.names.iter().find(|(_, known)| **known == name).unwrap().0
    }

    /// The manifest of a member.
    pub fn manifest(&self, name: &str) -> Utf8PathBuf {
        self.room.path(&format!("sets/set.json.boundaries/{}/manifest.json", self.boundary(name).hex()))
    }
}

/// A person's prompt.
pub fn prompt(session: &str, uuid: &str) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": null, "sessionId": session,
        "timestamp": "2026-11-30T10:00:00.000Z", "message": {"role": "user", "content": "Look into it."}})
}

/// An answer.
pub fn answer(session: &str, uuid: &str) -> Value {
    json!({"type": "assistant", "uuid": uuid, "parentUuid": null, "sessionId": session,
        "timestamp": "2026-11-30T10:01:00.000Z",
        "message": {"role": "assistant", "id": format!("msg_{uuid}"),
            "content": [{"type": "text", "text": "I looked."}]}})
}

/// The call of a child.
pub fn call(session: &str, uuid: &str, call: &str) -> Value {
    with(
        answer(session, uuid),
        "message",
        json!({"role": "assistant", "id": format!("msg_{uuid}"),
        "content": [{"type": "tool_use", "id": call, "name": "Agent", "input": {"prompt": "Look."}}]}),
    )
}

/// What came back from a child.
pub fn result(session: &str, uuid: &str, call: &str, agent: &str) -> Value {
    let mut row = prompt(session, uuid);
    row["message"]["content"] = json!([{"type": "tool_result", "tool_use_id": call, "content": "done"}]);
    row["toolUseResult"] = json!({"status": "completed", "agentId": agent, "content": []});
    row
}

/// A row of a child.
pub fn of_child(mut row: Value, agent: &str) -> Value {
    row["isSidechain"] = json!(true);
    row["agentId"] = json!(agent);
    row
}

/// Everything that a small child says.
pub fn child(session: &str, agent: &str) -> Vec<Value> {
    vec![
        of_child(prompt(session, &format!("{agent}-1")), agent),
        of_child(answer(session, &format!("{agent}-2")), agent),
    ]
}

/// A notification that a child ended.
pub fn notification(session: &str, agent: &str) -> Value {
    json!({"type": "queue-operation", "operation": "enqueue", "sessionId": session,
        "timestamp": "2026-11-30T10:02:00.000Z",
        "content": format!("<task-notification><task-id>{agent}</task-id><status>completed</status>\
            <summary>Agent \"look\" finished</summary><result>done</result></task-notification>")})
}

/// A row with another member.
pub fn with(mut row: Value, member: &str, value: Value) -> Value {
    row[member] = value;
    row
}

/// The identity line of a thread.
pub fn meta(thread: &str, more: Value) -> Value {
    let mut payload = json!({"id": thread, "timestamp": "2026-11-30T10:00:00.000Z", "cwd": "/w",
        "cli_version": "0.171.0", "history_mode": "paginated", "source": "cli"});
    for (member, value) in more.as_object().unwrap() {
        payload[member] = value.clone();
    }
    json!({"timestamp": "2026-11-30T10:00:00.000Z", "ordinal": 0, "type": "session_meta", "payload": payload})
}

/// A line of a paginated thread.
pub fn line(ordinal: u64, kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-11-30T10:01:00.000Z", "ordinal": ordinal, "type": kind, "payload": payload})
}

/// An assistant's message.
pub fn said(ordinal: u64, text: &str) -> Value {
    line(
        ordinal,
        "response_item",
        json!({"type": "message", "role": "assistant", "id": format!("msg_{ordinal}"),
        "content": [{"type": "output_text", "text": text}]}),
    )
}

/// A spawning call and what came back.
pub fn spawn(ordinal: u64, output: &str) -> Vec<Value> {
    vec![
        line(
            ordinal,
            "response_item",
            json!({"type": "function_call", "name": "spawn_agent",
            "arguments": "{\"message\":\"look\"}", "call_id": "call_1"}),
        ),
        line(
            ordinal + 1,
            "response_item",
            json!({"type": "function_call_output", "call_id": "call_1", "output": output}),
        ),
    ]
}

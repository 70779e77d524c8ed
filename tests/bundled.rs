//! The bundled transcripts. Each tells a small story whose facts are known: who said what, which call has which
//! result, what is told once although it was written twice, and what became of damaged bytes.

use std::fs;

use serde_json::Value;

use super::evidence::{Evidence, number, numbers, span, text};
use super::program::Room;
use super::samples::{CLAUDE, CODEX, DAMAGED, DOCUMENT, bundled};

fn collected(name: &str) -> (Room, Evidence) {
    let room = Room::new();
    let evidence = Evidence::collect(&room, &bundled(name));
    (room, evidence)
}

/// `surface tool status exit pairing` of every event.
fn shapes(evidence: &Evidence) -> Vec<String> {
    let word = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let events = evidence.events();
    let shape = events.iter().map(|event| match &event["tool"] {
        Value::Null => word(&event["surface"]),
        tool if event["surface"] == "tool_call" => format!("call {}", word(&tool["name"])),
        tool => {
            let parts = ["name", "status", "exit_code", "pairing"].map(|name| word(&tool[name]));
            format!("result {}", parts.join(" "))
        }
    });
    shape.collect()
}

/// The first place of some bytes in a bundled file.
fn place(name: &str, bytes: &[u8]) -> usize {
    let file = fs::read(bundled(name)).unwrap();
    file.windows(bytes.len()).position(|window| window == bytes).unwrap()
}

#[test]
fn a_claude_session_is_told_in_order_with_every_result_at_its_call() {
    let (_room, evidence) = collected(CLAUDE);
    let expected = [
        "user",
        "assistant",
        "call Bash",
        "result Bash error 1 call_id",
        "call Read",
        "result Read ok - call_id",
        "call Edit",
        "result Edit ok - call_id",
        "call Bash",
        "result Bash ok 0 call_id",
        "call Bash",
        "result Bash ok 0 call_id",
        "assistant",
        "user",
        "user",
        "user",
        "call Bash",
    ];
    assert_eq!(shapes(&evidence), expected);
    let events = evidence.events();
    for (place, event) in events.iter().enumerate() {
        assert_eq!(number(&event["ordinal"]) as usize, place);
        if event["surface"] == "tool_result" {
            assert_eq!(event["tool"]["call_event_id"], events[place - 1]["event_id"]);
        }
    }
    let calls = &evidence.manifest["coverage"]["calls"];
    assert_eq!(numbers(calls), [("open", 1), ("orphan_results", 0), ("paired", 5), ("total", 6)]);
}

#[test]
fn a_row_written_twice_is_a_mirror_and_a_word_said_twice_is_not() {
    let (_room, evidence) = collected(CLAUDE);
    let said = evidence.texts("user");
    assert_eq!(said.iter().filter(|text| *text == "Continue with the moon.").count(), 2);
    assert_eq!(evidence.texts("assistant").iter().filter(|text| text.contains("added twice")).count(), 1);
    let records = evidence.records();
    let mirror = records.iter().position(|record| record["disposition"] == "mirror").unwrap();
    assert_eq!(records[mirror]["mirror_of"]["offset"], records[mirror - 1]["offset"]);
    assert_eq!(records[mirror]["mirror_of"]["grade"], "id");
}

#[test]
fn what_is_learnt_later_stands_in_relations() {
    let (_room, evidence) = collected(CLAUDE);
    let relations = evidence.stream("relations");
    let of = |kind: &str| -> Vec<Value> {
        relations.iter().filter(|row| row["relation"] == kind).cloned().collect()
    };
    let events = evidence.events();
    assert_eq!(of("result").len(), 5);
    assert_eq!(
        of("open_call"),
        [serde_json::json!({"relation": "open_call", "call": events[16]["event_id"]})]
    );
    assert_eq!(of("last_message")[0]["event"], events[12]["event_id"]);
    let dangling = of("dangling_parent");
    assert_eq!(dangling.len(), 1);
    assert!(text(&dangling[0]["parent"]).ends_with("000000000077"));
    assert_eq!(dangling[0]["record_offset"], events[14]["record"]["offset"]);
}

#[test]
fn hidden_reasoning_is_counted_and_stored_nowhere() {
    for (name, kind, hidden) in
        [(CLAUDE, "thinking", "PONDER"), (CODEX, "encrypted", "UE9OREVS"), (DOCUMENT, "reasoning", "PONDER")]
    {
        let (room, evidence) = collected(name);
        assert!(fs::read_to_string(bundled(name)).unwrap().contains(hidden));
        assert_eq!(evidence.manifest["coverage"]["records"]["withheld"], 1);
        let withheld = &evidence.manifest["coverage"]["withheld"];
        assert_eq!(withheld[kind]["parts"], 1, "{withheld}");
        for (path, (_, _, bytes)) in super::program::listing(&room.path("out")) {
            assert!(!String::from_utf8_lossy(&bytes).contains(hidden), "{path}");
        }
    }
}

#[test]
fn a_session_shows_its_changes_runs_and_commits() {
    let (_room, evidence) = collected(CLAUDE);
    let counts = numbers(&evidence.manifest["git"]["session_observed"]["counts"]);
    println!("{counts:?}");
    let rows = evidence.stream("observations");
    let all = serde_json::to_string(&rows).unwrap();
    assert!(all.contains("4f2a91c") && all.contains("tides.py"), "{all}");
    let runs: Vec<&Value> = rows.iter().filter(|row| row["row"] == "verification_run").collect();
    let outcomes: Vec<&str> = runs.iter().map(|run| text(&run["outcome"])).collect();
    assert_eq!(outcomes, ["failed", "passed"]);
    // Git's report of the commit is the last that was said, and a `sleep` changes nothing of it.
    let git = &evidence.manifest["git"];
    let facts = git["session_end"]["facts"].as_array().unwrap();
    let told: Vec<_> = facts.iter().map(|fact| (text(&fact["kind"]), text(&fact["value"]))).collect();
    assert_eq!(told, [("head", "4f2a91c"), ("branch", "main")]);
    let commit = rows.iter().find(|row| row["row"] == "commit_reported").unwrap();
    assert!(facts.iter().all(|fact| fact["event"] == commit["attempt"]["call"]));
    assert_eq!(git["session_observed"]["last_mutation"]["kind"], "file_mutation");
    assert_eq!(evidence.manifest["git"]["verified_now"], serde_json::json!([]));
}

#[test]
fn a_document_is_read_item_by_item() {
    let (_room, evidence) = collected(DOCUMENT);
    let expected =
        ["user", "call shell", "result shell ok 0 call_id", "assistant", "user", "user"].map(str::to_owned);
    assert_eq!(shapes(&evidence), expected);
    let boundary = &evidence.manifest["boundary"];
    assert_eq!(boundary["form"], "codex-document");
    assert_eq!(boundary["session"], "cf4def41-21e0-4b91-adb4-5397c1492084");
    let records = numbers(&evidence.manifest["coverage"]["records"]);
    assert_eq!(records, [("events", 6), ("malformed", 1), ("structural", 1), ("withheld", 1)]);
    assert_eq!(evidence.manifest["coverage"]["partial_tail"], Value::Null);
    let session = fs::read_to_string(bundled(DOCUMENT)).unwrap();
    let (offset, length) = evidence.spans()[2];
    assert!(session[offset..offset + length].starts_with("{\n      \"id\": \"rs_1\""));
    assert_eq!(evidence.texts("user")[1..], ["Continue.", "Continue."]);
}

#[test]
fn a_codex_thread_tells_each_message_once() {
    let (_room, evidence) = collected(CODEX);
    let expected = [
        "system",
        "user",
        "assistant",
        "call exec_command",
        "result exec_command error 101 call_id",
        "call apply_patch",
        "result apply_patch ok 0 call_id",
        "call exec_command",
        "result exec_command ok 0 call_id",
        "assistant",
        "call exec_command",
    ];
    assert_eq!(shapes(&evidence), expected);
    assert_eq!(evidence.texts("user"), ["The kiln log loses its last line. Mend it."]);
    assert_eq!(evidence.events()[0]["actor"], "harness");
    assert_eq!(evidence.manifest["boundary"]["form"], "codex-paginated");
    assert_eq!(numbers(&evidence.manifest["coverage"]["mirrors"]), [("id", 2), ("order", 1)]);
    assert_eq!(evidence.manifest["coverage"]["calls"]["open"], 1);
    assert_eq!(evidence.manifest["coverage"]["source_complete"], true);
}

#[test]
fn damaged_bytes_are_counted_where_they_lie_and_whole_records_are_kept() {
    let (_room, evidence) = collected(DAMAGED);
    let dispositions = evidence.dispositions();
    let expected = [
        "events",
        "events",
        "malformed",
        "malformed",
        "events",
        "events",
        "events",
        "events",
        "malformed",
        "malformed",
        "malformed",
        "malformed",
        "structural",
        "events",
        "events",
    ];
    assert_eq!(dispositions, expected);
    let spans = evidence.spans();
    let malformed: Vec<(usize, usize)> = spans
        .iter()
        .zip(&dispositions)
        .filter(|(_, disposition)| *disposition == "malformed")
        .map(|(span, _)| *span)
        .collect();
    let nul_line = place(DAMAGED, &[0; 37]);
    let nul_tail = place(DAMAGED, b"}\0") + 1;
    let words = place(DAMAGED, b"plain words");
    assert_eq!((malformed[0], malformed[2]), ((nul_line, 37), (nul_tail, 21)));
    assert_eq!(malformed[1], (nul_line + 38, 220), "the fragment before the whole record");
    assert_eq!(malformed[5], (words, "plain words where a record should be".len()));
    let coverage = &evidence.manifest["coverage"];
    assert_eq!(coverage["source_complete"], false);
    let (offset, length) = span(&coverage["partial_tail"]);
    assert_eq!((length, offset + length), (310, fs::read(bundled(DAMAGED)).unwrap().len()));
    let flags = evidence.manifest["source"]["flags"].as_array().unwrap();
    assert!(flags.contains(&"byte_order_mark".into()), "{flags:?}");
    assert_eq!(evidence.manifest["source"]["terminated"], false);
}

#[test]
fn what_was_mended_in_reading_is_flagged() {
    let (_room, evidence) = collected(DAMAGED);
    let flagged = numbers(&evidence.manifest["coverage"]["flags"]);
    assert_eq!(
        flagged,
        [("duplicate_keys", 1), ("fused", 1), ("recovered", 1), ("repaired", 1), ("unknown_type", 1)]
    );
    assert_eq!(numbers(&evidence.manifest["coverage"]["unknown_types"]), [("seashell-of-tomorrow", 1)]);
    let assistant = evidence.texts("assistant");
    assert_eq!(assistant[0], "Sorted: white, ro\u{fffd}se, grey.");
    assert!(evidence.texts("user").contains(&"A key twice.".to_owned()));
    let limits = numbers(&evidence.manifest["limitations"]);
    for code in
        ["duplicate-keys", "malformed-records", "partial-tail", "repaired-records", "unknown-record-type"]
    {
        assert!(limits.iter().any(|(name, _)| *name == code), "{code}: {limits:?}");
    }
}

#[test]
fn a_copied_history_is_not_told_again_and_says_where_it_comes_from() {
    let old = "0d0e0f00-1111-4222-8333-444455556666";
    let new = "1d1e1f10-1111-4222-8333-444455556666";
    let row = |number: u32, kind: &str, text: &str, copied: bool| {
        let mut row = serde_json::json!({
            "type": kind, "uuid": format!("d0d0d0d0-0000-4000-8000-00000000000{number}"), "sessionId": new,
            "timestamp": format!("2031-03-04T05:00:0{number}.000Z"), "message": {"role": kind, "content": text},
        });
        if copied {
            row["forkedFrom"] = serde_json::json!({"sessionId": old, "messageUuid": row["uuid"]});
        }
        format!("{row}\n")
    };
    let rows = [
        row(1, "user", "Knit a scarf.", true),
        row(2, "assistant", "Knitted.", true),
        row(3, "user", "Now a hat.", false),
        row(4, "assistant", "Knitted too.", false),
    ];
    let room = Room::new();
    let file = room.file(&format!("{new}.jsonl"), rows.concat());
    let evidence = Evidence::collect(&room, &file);
    assert_eq!(evidence.dispositions(), ["inherited", "inherited", "events", "events"]);
    let from: Vec<Value> = evidence.records().iter().map(|record| record["inherited_from"].clone()).collect();
    assert_eq!(from, [Value::from(old), old.into(), Value::Null, Value::Null]);
    assert_eq!(evidence.texts("user"), ["Now a hat."]);

    // Growth that would change where the copied history ends is a rewrite.
    let cut = room.path("cut/manifest.json");
    let copy = room.file(&format!("in/{new}.jsonl"), rows[..1].concat());
    let collect = ["collect", "--session", copy.as_str(), "--output", cut.as_str()];
    room.run(&collect).receipt();
    fs::write(&copy, rows[..2].concat()).unwrap();
    room.run(&collect).receipt();
    fs::write(&copy, rows.concat()).unwrap();
    room.run(&collect).receipt();
    room.run(&["validate", cut.as_str()]).receipt();
}

//! Boundary sets: which transcripts belong together in either harness, what refuses, what growing keeps.

use std::fs;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

use super::homes::{
    Home, LATER, MAIN, OTHER, ROLLOUT, THREAD, answer, call, child, line, meta, of_child, prompt, result,
    said, spawn, with,
};
use super::hostile::{BREAKS_CONTRACT, UNSAFE, USAGE, refused};
use super::program::listing;

const CHILDREN: &[&str] = &["--include-children"];
const CHAIN: &[&str] = &["--chain"];
const BOTH: &[&str] = &["--include-children", "--chain"];

/// A session that began two children, one of which began a third, with a side run and a workflow's agent.
fn family() -> Home {
    let home = Home::with_two_children();
    for agent in ["b1", "acompact-c1"] {
        home.claude(&format!("{MAIN}/subagents/agent-{agent}.jsonl"), &child(MAIN, agent));
    }
    home.claude(&format!("{MAIN}/subagents/workflows/wf_1/agent-w1.jsonl"), &child(MAIN, "w1"));
    let file = format!(".claude/projects/p/{MAIN}/subagents/agent-b1.meta.json");
    home.room.file(&file, json!({"parentAgentId": "a1", "spawnDepth": 2}).to_string());
    home
}

#[test]
fn children_of_the_new_layout_nested_and_flat() {
    let home = family();
    let expected = [
        "main>a1: result_agent_id row_session_id",
        "a1>b1: meta_file",
        "main>a2: result_agent_id notification_agent_id row_session_id",
    ];
    let edges = home.edges(MAIN, CHILDREN);
    assert_eq!(edges[..3], expected);
    let mut rest = edges[3..].to_vec();
    rest.sort();
    assert_eq!(rest, ["main>acompact: row_session_id", "main>w1: row_session_id"]);
    let members = home.members();
    assert_eq!(members[..4], ["main session", "a1 agent", "b1 agent", "a2 agent"]);
    assert!(members.contains(&"acompact compaction".to_owned()) && members.contains(&"w1 agent".to_owned()));
    // A child's own set holds what it began.
    fs::remove_file(home.set()).unwrap();
    let path = home.room.path(&format!(".claude/projects/p/{MAIN}/subagents/agent-a1.jsonl"));
    assert_eq!(home.edges(path.as_str(), CHILDREN), ["a1>b1: meta_file"]);
}

#[test]
fn children_of_the_old_layout_lie_beside_the_session() {
    let home = Home::new();
    let progress = json!({"type": "progress", "uuid": "m3", "parentUuid": "m2", "sessionId": MAIN,
        "toolUseID": "x", "parentToolUseID": "toolu_1", "data": {"type": "agent_progress", "agentId": "a1"}});
    home.claude(&format!("{MAIN}.jsonl"), &[prompt(MAIN, "m1"), call(MAIN, "m2", "toolu_1"), progress]);
    home.claude("agent-a1.jsonl", &child(MAIN, "a1"));
    home.claude("agent-a2.jsonl", &child(OTHER, "a2"));
    assert_eq!(home.edges(MAIN, CHILDREN), ["main>a1: progress_agent_id row_session_id"]);
}

#[test]
fn the_call_that_a_sidecar_names_proves_the_parent() {
    let home = Home::new();
    home.claude(&format!("{MAIN}.jsonl"), &[prompt(MAIN, "m1"), call(MAIN, "m2", "toolu_1")]);
    let nested = [child(MAIN, "a1"), vec![of_child(call(MAIN, "a1-3", "toolu_2"), "a1")]].concat();
    home.claude(&format!("{MAIN}/subagents/agent-a1.jsonl"), &nested);
    home.claude(&format!("{MAIN}/subagents/agent-b1.jsonl"), &child(MAIN, "b1"));
    for (agent, call, depth) in [("a1", "toolu_1", 1), ("b1", "toolu_2", 2)] {
        let file = format!(".claude/projects/p/{MAIN}/subagents/agent-{agent}.meta.json");
        home.room.file(&file, json!({"toolUseId": call, "spawnDepth": depth}).to_string());
    }
    let expected = ["main>a1: meta_tool_use meta_file row_session_id", "a1>b1: meta_tool_use"];
    assert_eq!(home.edges(MAIN, CHILDREN), expected);
}

#[test]
fn a_missing_child_refuses_until_it_is_left_out_by_name() {
    let home = family();
    fs::remove_file(home.room.path(&format!(".claude/projects/p/{MAIN}/subagents/agent-a2.jsonl"))).unwrap();
    refused(&home.collect(MAIN, CHILDREN), BREAKS_CONTRACT, "set-relation-missing");
    assert!(
        !home.room.path("sets/set.json.boundaries").exists(),
        "a refusal comes before anything is collected"
    );
    let receipt = home.collect(MAIN, &["--include-children", "--without", "a2"]).receipt();
    assert_eq!(
        (&receipt["counts"]["left_out"], &receipt["counts"]["left_out_missing"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(receipt["limitations"]["relatives-left-out"], 1);
    let left = &home.document()["left_out"][0];
    assert_eq!(left["boundary"], json!(home.boundary("a2")));
    assert_eq!((&left["missing"], &left["type"]), (&json!(true), &json!("child")));
    home.room.run(&["validate-set", home.set().as_str()]).receipt();
    // One that is there can be left out, too; what it began stays out with it.
    let a1 = home.boundary("a1").to_string();
    home.collect(MAIN, &["--include-children", "--without", "a2", "--without", &a1]).receipt();
    assert!(!home.members().iter().any(|member| member.starts_with("a1") || member.starts_with("b1")));
    let mistaken = ["--include-children", "--without", "a2", "--without", "nobody"];
    refused(&home.collect(MAIN, &mistaken), USAGE, "set-without-unknown");
}

#[test]
fn a_sidecar_without_its_transcript_is_a_missing_child() {
    let home = family();
    fs::remove_file(home.room.path(&format!(".claude/projects/p/{MAIN}/subagents/agent-b1.jsonl"))).unwrap();
    refused(&home.collect(MAIN, CHILDREN), BREAKS_CONTRACT, "set-relation-missing");
    home.collect(MAIN, &["--include-children", "--without", "b1"]).receipt();
}

#[test]
fn a_child_that_two_members_claim_is_ambiguous() {
    let home = family();
    let both = [child(MAIN, "a2"), vec![of_child(result(MAIN, "x", "toolu_9", "a1"), "a2")]].concat();
    home.claude(&format!("{MAIN}/subagents/agent-a2.jsonl"), &both);
    refused(&home.collect(MAIN, CHILDREN), BREAKS_CONTRACT, "set-relation-ambiguous");
    home.collect(MAIN, &["--include-children", "--without", "a1"]).receipt();
}

#[test]
fn an_agent_id_that_is_a_path_is_unsafe() {
    let home = family();
    let rows = [prompt(MAIN, "m1"), result(MAIN, "m2", "toolu_1", "../../../etc/passwd")];
    home.claude(&format!("{MAIN}.jsonl"), &rows);
    refused(&home.collect(MAIN, CHILDREN), UNSAFE, "set-relation-unsafe");
}

#[test]
fn a_document_holds_no_path_no_native_id_and_no_text() {
    let home = family();
    let ran = home.collect(MAIN, CHILDREN);
    ran.receipt();
    for text in [fs::read_to_string(home.set()).unwrap(), ran.stdout] {
        for private in ["Look", "I looked", MAIN, "acompact", ".claude", home.room.path("").as_str()] {
            assert!(!text.contains(private), "{private}: {text}");
        }
    }
}

#[test]
fn an_unchanged_set_writes_nothing_and_a_grown_one_grows() {
    let home = family();
    let first = home.collect(MAIN, CHILDREN).receipt();
    let before = listing(&home.room.path("sets"));
    let again = home.collect(MAIN, CHILDREN).receipt();
    assert_eq!((&again["flags"]["unchanged"], &again["previous"]), (&json!(true), &Value::Null));
    assert_eq!(again["digests"], first["digests"]);
    assert_eq!(listing(&home.room.path("sets")), before);

    let main = home.room.path(&format!(".claude/projects/p/{MAIN}.jsonl"));
    let more = [call(MAIN, "m7", "toolu_3"), result(MAIN, "m8", "toolu_3", "a3")];
    let grown: String = fs::read_to_string(&main).unwrap() + &more.map(|row| format!("{row}\n")).concat();
    fs::write(&main, grown).unwrap();
    refused(&home.collect(MAIN, CHILDREN), BREAKS_CONTRACT, "set-relation-missing");
    home.claude(&format!("{MAIN}/subagents/agent-a3.jsonl"), &child(MAIN, "a3"));
    let receipt = home.collect(MAIN, CHILDREN).receipt();
    assert_eq!((&receipt["counts"]["members"], &receipt["flags"]["unchanged"]), (&json!(7), &json!(false)));
    assert_eq!(receipt["previous"], first["digests"]["set_sha256"]);
    home.room.run(&["validate-set", home.set().as_str()]).receipt();
}

#[test]
fn a_set_grows_around_one_session() {
    let home = family();
    home.claude(&format!("{OTHER}.jsonl"), &[prompt(OTHER, "o1"), answer(OTHER, "o2")]);
    home.collect(MAIN, CHILDREN).receipt();
    refused(&home.collect(OTHER, CHILDREN), BREAKS_CONTRACT, "set-of-another-session");
    home.room.file("sets/set.json", "{}");
    refused(&home.collect(MAIN, CHILDREN), BREAKS_CONTRACT, "set-invalid");
    refused(&home.room.run(&["validate-set", home.set().as_str()]), BREAKS_CONTRACT, "set-invalid");
}

#[test]
fn forks_of_claude_code_by_each_of_their_marks() {
    let forked = json!({"sessionId": MAIN, "messageUuid": "m1"});
    let copied = [
        with(prompt(OTHER, "m1"), "forkedFrom", forked.clone()),
        with(answer(OTHER, "m2"), "forkedFrom", forked),
    ];
    let asked = [prompt(OTHER, "m1"), with(answer(OTHER, "m2"), "requestSessionId", json!(MAIN))];
    let kept = [prompt(MAIN, "m1"), answer(MAIN, "m2")];
    let mixed = [prompt(MAIN, "m1"), answer(OTHER, "m2")];
    let own = json!({"type": "queue-operation", "operation": "dequeue", "sessionId": OTHER});
    for (copy, proof, inherited) in [
        (copied.to_vec(), "forked_from", json!({"records": 2, "shown_by": "own_marks"})),
        (asked.to_vec(), "request_session_id", json!({"records": 2, "shown_by": "own_marks"})),
        (
            [vec![own.clone()], kept.to_vec()].concat(),
            "copied_row_session_id",
            json!({"records": 3, "shown_by": "own_marks"}),
        ),
        (
            [vec![own], mixed.to_vec()].concat(),
            "copied_row_session_id",
            json!({"records": 3, "shown_by": "other_transcript"}),
        ),
    ] {
        let home = Home::new();
        home.claude(&format!("{MAIN}.jsonl"), &[prompt(MAIN, "m1"), answer(MAIN, "m2"), answer(MAIN, "m3")]);
        home.claude(
            &format!("{OTHER}.jsonl"),
            &[copy, vec![prompt(OTHER, "o1"), answer(OTHER, "o2")]].concat(),
        );
        let expected = [format!("main~other: {proof}")];
        assert_eq!(home.edges(OTHER, CHAIN), expected);
        assert_eq!(home.document()["edges"][0]["inherited"], inherited, "{proof}");
        fs::remove_file(home.set()).unwrap();
        assert_eq!(home.edges(MAIN, CHAIN), expected, "from the other end");
        assert_eq!(home.members(), ["main session", "other session"]);
        fs::remove_file(home.room.path(&format!(".claude/projects/p/{MAIN}.jsonl"))).unwrap();
        fs::remove_file(home.set()).unwrap();
        refused(&home.collect(OTHER, CHAIN), BREAKS_CONTRACT, "set-relation-missing");
        home.collect(OTHER, &["--chain", "--without", MAIN]).receipt();
        home.collect(OTHER, CHILDREN).receipt();
    }
}

#[test]
fn background_copies_and_conversations_that_go_on_elsewhere() {
    let home = Home::new();
    let copied = |row: Value| with(row, "sessionKind", json!("bg"));
    let suppressed =
        json!({"type": "history-suppression", "sessionId": OTHER, "cause": "fork_inherit", "ts": 1});
    let copy =
        [suppressed, copied(prompt(OTHER, "m1")), copied(answer(OTHER, "m2")), copied(answer(OTHER, "o3"))];
    home.claude(&format!("{OTHER}.jsonl"), &copy);
    home.claude(&format!("{MAIN}.jsonl"), &[prompt(MAIN, "m1"), answer(MAIN, "m2")]);
    assert_eq!(home.edges(OTHER, CHAIN), ["main~other: root_uuid"]);
    let goes_on = json!({"type": "continued-in", "sessionId": MAIN, "continuedInSessionId": OTHER,
        "timestamp": "2026-11-30T10:05:00.000Z"});
    home.claude(&format!("{MAIN}.jsonl"), &[prompt(MAIN, "m1"), answer(MAIN, "m2"), goes_on]);
    assert_eq!(home.edges(OTHER, CHAIN), ["main~other: continued_in root_uuid"]);
    fs::remove_file(home.set()).unwrap();
    assert_eq!(home.edges(MAIN, CHAIN), ["main~other: continued_in root_uuid"]);
    // A second session with the same first row: nothing tells which of the two was copied.
    let twin = "5e551011-0000-4000-8000-000000000003";
    home.claude(&format!("{twin}.jsonl"), &[prompt(twin, "m1"), answer(twin, "t2")]);
    home.claude(&format!("{MAIN}.jsonl"), &[prompt(MAIN, "m1"), answer(MAIN, "m2")]);
    fs::remove_dir_all(home.room.path("sets")).unwrap();
    refused(&home.collect(OTHER, CHAIN), BREAKS_CONTRACT, "set-relation-ambiguous");
}

#[test]
fn a_first_row_whose_parent_another_file_holds() {
    let home = Home::new();
    home.claude(&format!("{MAIN}.jsonl"), &[prompt(MAIN, "m1"), answer(MAIN, "m2")]);
    let first = with(prompt(OTHER, "o1"), "parentUuid", json!("m2"));
    home.claude(&format!("{OTHER}.jsonl"), &[first, answer(OTHER, "o2")]);
    assert_eq!(home.edges(OTHER, CHAIN), ["main~other: parent_uuid"]);
    fs::remove_file(home.set()).unwrap();
    assert_eq!(home.edges(MAIN, CHAIN), ["main~other: parent_uuid"]);
}

#[test]
fn threads_begun_by_either_version_of_agents() {
    let parent = json!({"parent_thread_id": THREAD, "source": {"subagent": {"thread_spawn": {"parent_thread_id": THREAD}}}});
    let v1 =
        [vec![meta(THREAD, json!({})), said(1, "Begin.")], spawn(2, &json!({"agent_id": LATER}).to_string())];
    let started = line(
        4,
        "event_msg",
        json!({"type": "item_completed", "thread_id": THREAD,
        "item": {"type": "SubAgentActivity", "id": "call_1", "kind": "started", "agent_thread_id": LATER}}),
    );
    let v2 =
        [vec![meta(THREAD, json!({})), said(1, "Begin.")], spawn(2, "{\"task_name\":\"/x\"}"), vec![started]];
    let quiet = [vec![meta(THREAD, json!({})), said(1, "Begin.")], spawn(2, "{\"task_name\":\"/x\"}")];
    for (lines, proofs) in [
        (v1.concat(), "spawn_output parent_thread_id"),
        (v2.concat(), "agent_activity parent_thread_id"),
        // What the spawning call of v2 does not tell, the child's own identity line does.
        (quiet.concat(), "parent_thread_id"),
    ] {
        let home = Home::new();
        home.codex(THREAD, &lines);
        home.codex(LATER, &[meta(LATER, parent.clone()), said(1, "Done.")]);
        assert_eq!(home.edges(THREAD, CHILDREN), [format!("thread>later: {proofs}")]);
        assert_eq!(home.members(), ["thread session", "later agent"]);
    }
    let home = Home::new();
    home.codex(THREAD, &v1.concat());
    refused(&home.collect(THREAD, CHILDREN), BREAKS_CONTRACT, "set-relation-missing");
    let receipt = home.collect(THREAD, &["--include-children", "--without", LATER]).receipt();
    assert_eq!(receipt["counts"]["left_out_missing"], 1);
}

#[test]
fn compressed_threads_are_heard_like_plain_ones() {
    let home = Home::new();
    let parent = json!({"parent_thread_id": THREAD, "source": {"subagent": "review"}});
    let spawning =
        [vec![meta(THREAD, json!({})), said(1, "Begin.")], spawn(2, &json!({"agent_id": LATER}).to_string())];
    for file in
        [home.codex(THREAD, &spawning.concat()), home.codex(LATER, &[meta(LATER, parent), said(1, "Done.")])]
    {
        let packed = compress_to_vec(fs::read(&file).unwrap().as_slice(), CompressionLevel::Fastest);
        fs::write(format!("{file}.zst"), packed).unwrap();
        fs::remove_file(file).unwrap();
    }
    assert_eq!(home.edges(THREAD, CHILDREN), ["thread>later: spawn_output parent_thread_id"]);
    assert_eq!(home.collect(THREAD, CHILDREN).receipt()["flags"]["unchanged"], true);
}

#[test]
fn a_review_belongs_to_the_segment_whose_lines_hold_it() {
    let home = Home::new();
    let reviewed = line(
        2,
        "event_msg",
        json!({"type": "item_completed", "thread_id": LATER,
        "item": {"type": "UserMessage", "id": "i1", "content": []}}),
    );
    home.codex(THREAD, &[meta(THREAD, json!({})), said(1, "Begin."), reviewed]);
    let base =
        json!({"history_base": {"thread_id": THREAD, "end_ordinal_exclusive": 2, "end_byte_offset": 100}});
    home.codex(&format!("{THREAD}_{ROLLOUT}"), &[meta(THREAD, base), said(1, "Again.")]);
    let review = json!({"parent_thread_id": THREAD, "source": {"subagent": "review"}});
    let child = home.codex(LATER, &[meta(LATER, review), said(1, "Fine.")]);
    let first =
        home.room.path(&format!(".codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-{THREAD}.jsonl"));
    assert_eq!(
        home.edges(first.as_str(), BOTH),
        ["thread>later: foreign_item parent_thread_id", "thread~segment: history_base"]
    );
    assert_eq!(home.members(), ["thread session", "later agent", "segment segment"]);
    // Where no segment names the child, it is not said whose it is.
    home.codex(THREAD, &[meta(THREAD, json!({})), said(1, "Begin.")]);
    fs::remove_dir_all(home.room.path("sets")).unwrap();
    refused(&home.collect(first.as_str(), CHILDREN), BREAKS_CONTRACT, "set-relation-ambiguous");
    fs::remove_file(child).unwrap();
    home.collect(first.as_str(), CHILDREN).receipt();
}

#[test]
fn forks_of_threads_by_copy_and_by_reference() {
    let home = Home::new();
    let legacy = json!({"history_mode": "legacy"});
    let turn = |id: &str| {
        json!({"timestamp": "2026-11-30T10:01:00.000Z", "type": "event_msg",
        "payload": {"type": "task_started", "turn_id": id}})
    };
    let (old, own) = ("0199aa00-1112-7222-8333-00000000000a", "0199aa00-2223-7222-8333-00000000000b");
    let origin = [meta(THREAD, legacy), turn(old), said(0, "Begin.")];
    home.codex(THREAD, &origin);
    let fork = meta(LATER, json!({"history_mode": "legacy", "forked_from_id": THREAD}));
    home.codex(LATER, &[vec![fork], origin.to_vec(), vec![turn(own), said(1, "On.")]].concat());
    assert_eq!(home.edges(LATER, CHAIN), ["thread~later: forked_from_id"]);
    let inherited = &home.document()["edges"][0]["inherited"];
    assert_eq!(inherited["shown_by"], "own_marks");

    let home = Home::new();
    home.codex(THREAD, &[meta(THREAD, json!({})), said(1, "Begin.")]);
    let base = json!({"thread_id": THREAD, "end_ordinal_exclusive": 2, "end_byte_offset": 100});
    let fork = meta(LATER, json!({"forked_from_id": THREAD, "history_base": base}));
    home.codex(LATER, &[fork, said(2, "On.")]);
    assert_eq!(home.edges(THREAD, CHAIN), ["thread~later: forked_from_id history_base"]);
    assert_eq!(home.document()["edges"][0]["inherited"], Value::Null);
}

#[test]
fn sessions_that_name_each_other_are_a_loop() {
    let home = Home::new();
    home.codex(THREAD, &[meta(THREAD, json!({"forked_from_id": LATER})), said(1, "Begin.")]);
    home.codex(LATER, &[meta(LATER, json!({"forked_from_id": THREAD})), said(1, "On.")]);
    refused(&home.collect(THREAD, CHAIN), BREAKS_CONTRACT, "set-relation-loop");
    home.codex(LATER, &[meta(LATER, json!({"forked_from_id": LATER})), said(1, "On.")]);
    refused(&home.collect(LATER, CHAIN), BREAKS_CONTRACT, "set-relation-self");
}

#[test]
fn a_set_asks_for_what_it_follows_and_one_session() {
    let home = family();
    for arguments in [
        &["collect-set", "--session", MAIN, "--output", "sets/x"][..],
        &["collect-set", "--include-children", "--output", "sets/x"],
        &["collect-set", "--session", MAIN, "--include-children"],
        &["collect-set", "--current", "--session", MAIN, "--chain", "--output", "sets/x"],
    ] {
        assert_eq!(home.room.run(arguments).status, USAGE, "{arguments:?}");
    }
    let set = home.set();
    let current = ["collect-set", "--current", "--include-children", "--output", set.as_str()];
    refused(&home.room.run(&current), BREAKS_CONTRACT, "current-unknown");
    home.room.run_with(&current, &[("CLAUDE_CODE_SESSION_ID", MAIN)]).receipt();
}

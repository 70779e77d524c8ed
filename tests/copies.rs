//! Codex writes most facts two to five times. For every fact and every way of keeping history: it is told once, by
//! the record that came first, and what is only alike is told for itself.

use serde_json::{Value, json};

use super::threads::{call, collected, done, event, grades, message, output, raw, told, turn};

/// Both orders of two carriers tell the fact once, with the grade.
#[track_caller]
fn once(mode: &str, first: &Value, second: &Value, events: usize, grade: &str) {
    for lines in [[turn(), first.clone(), second.clone()], [turn(), second.clone(), first.clone()]] {
        let evidence = collected(Some(mode), &lines);
        assert_eq!(evidence.events().len(), events, "{mode}: {:#?}", told(&evidence));
        assert_eq!(grades(&evidence), [grade], "{mode}");
    }
}

fn user_message(words: &str) -> Value {
    event(json!({"type": "user_message", "message": words, "images": []}))
}

fn user_item(id: &str, words: &str) -> Value {
    done(json!({"type": "UserMessage", "id": id, "content": [{"type": "text", "text": words}]}))
}

fn agent_item(id: &str, words: &str) -> Value {
    done(json!({"type": "AgentMessage", "id": id, "content": [{"type": "Text", "text": words}]}))
}

#[test]
fn a_prompt() {
    let prompt = message("user", "msg_1", "Mend it.");
    once("legacy", &prompt, &user_message("Mend it."), 1, "order");
    for id in ["item_u1", "item-1"] {
        once("paginated", &prompt, &user_item(id, "Mend it."), 1, "order");
    }
    let picture = "data:image/png;base64,aGk=";
    let shown = raw(json!({"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "Look."},
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": picture},
        {"type": "input_text", "text": "</image>"}]}));
    once(
        "legacy",
        &shown,
        &event(json!({"type": "user_message", "message": "Look.", "images": [picture]})),
        1,
        "order",
    );
    let path = event(json!({"type": "user_message", "message": "Look.", "local_images": ["/w/a.png"]}));
    once("legacy", &shown, &path, 1, "order");
}

#[test]
fn a_word_that_is_said_again_is_told_again() {
    let again = |copy: &dyn Fn(&str) -> Value| {
        let say = |id: &str| message("user", id, "continue");
        vec![
            turn(),
            say("a"),
            copy("1"),
            message("assistant", "x", "Done."),
            turn(),
            say("b"),
            copy("2"),
            // Two in one turn, and their copies behind both.
            turn(),
            say("c"),
            say("d"),
            copy("3"),
            copy("4"),
            // One side only, as importers write it.
            turn(),
            copy("5"),
            turn(),
            say("e"),
        ]
    };
    for (mode, lines) in [
        ("legacy", again(&|_| user_message("continue"))),
        ("paginated", again(&|id| user_item(id, "continue"))),
        ("paginated", again(&|id| user_item(&format!("item-{id}"), "continue"))),
    ] {
        let evidence = collected(Some(mode), &lines);
        assert_eq!(evidence.texts("user").len(), 6, "{mode}: {:#?}", told(&evidence));
        assert_eq!(grades(&evidence), ["order"; 4]);
    }
}

#[test]
fn an_answer() {
    let answer = message("assistant", "msg_1", "It is mended.");
    let legacy = event(json!({"type": "agent_message", "message": "It is mended.", "phase": "final_answer"}));
    once("legacy", &answer, &legacy, 1, "order");
    once("paginated", &answer, &agent_item("msg_1", "It is mended."), 1, "id");
    once("paginated", &answer, &agent_item("item-2", "It is mended."), 1, "order");
    // Citations and plans stand in the raw message only.
    let cited = "Mended.<oai-mem-citation>x</oai-mem-citation><proposed_plan>1. a</proposed_plan>";
    once("paginated", &message("assistant", "msg_1", cited), &agent_item("msg_1", "Mended."), 1, "id");
}

#[test]
fn an_answer_with_another_id_or_other_words_is_another_one() {
    let answer = message("assistant", "msg_1", "Half an ans");
    for other in [agent_item("msg_1", "Half an answer"), message("assistant", "msg_2", "Half an ans")] {
        let evidence = collected(Some("paginated"), &[turn(), answer.clone(), other]);
        assert_eq!(evidence.texts("assistant").len(), 2);
    }
}

#[test]
fn the_last_message_of_a_turn_and_what_a_compaction_keeps_are_copies() {
    let evidence = collected(
        Some("legacy"),
        &[
            turn(),
            message("user", "u", "Mend it."),
            message("assistant", "a", "Mended."),
            event(json!({"type": "task_complete", "turn_id": "turn", "last_agent_message": "Mended."})),
            json!({"type": "compacted", "payload": {
                "message": "",
                "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Mend it."}]}],
                "retained_context": [{"questions": [{"question": "Which?", "answer": "Mend it."}]}],
                "guardian_history": [{"text": "Mend it."}],
                "window_id": 7}}),
            event(json!({"type": "context_compacted"})),
        ],
    );
    assert_eq!(told(&evidence), ["user Mend it.", "assistant Mended.", "system "]);
}

#[test]
fn thinking_is_told_never() {
    let evidence = collected(
        Some("legacy"),
        &[
            turn(),
            event(json!({"type": "agent_reasoning", "text": "one"})),
            event(json!({"type": "agent_reasoning", "text": "two"})),
            event(json!({"type": "agent_reasoning_raw_content", "text": "deep"})),
            raw(
                json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"}], "content": null, "encrypted_content": "gAAA"}),
            ),
            done(json!({"type": "Reasoning", "id": "r", "summary_text": ["one", "two"], "raw_content": []})),
        ],
    );
    assert_eq!(evidence.events().len(), 0);
    assert_eq!(evidence.manifest["coverage"]["records"]["withheld"], 5);
}

/// A call, its copy and its output in both orders that occur: two events, and the copy is a mirror by id.
#[track_caller]
fn repeated_call(mode: &str, call: &Value, copy: &Value, output: &Value) {
    for lines in [[call, copy, output], [call, output, copy]] {
        let lines: Vec<Value> = std::iter::once(turn()).chain(lines.into_iter().cloned()).collect();
        let evidence = collected(Some(mode), &lines);
        assert_eq!(evidence.events().len(), 2, "{:#?}", told(&evidence));
        assert_eq!(grades(&evidence), ["id"]);
        assert_eq!(evidence.manifest["coverage"]["calls"]["paired"], 1);
    }
}

/// The copy alone is the call and its result.
#[track_caller]
fn lone_copy(copy: &Value, events: usize) {
    let evidence = collected(Some("paginated"), &[turn(), copy.clone()]);
    assert_eq!(evidence.events().len(), events, "{:#?}", told(&evidence));
    assert_eq!(grades(&evidence), Vec::<String>::new());
}

#[test]
fn a_command() {
    let first = call("exec_command", "c", json!({"cmd": "ls"}));
    let answer = output("c", "Wall time: 1.0 seconds\nProcess exited with code 0\nOutput:\na");
    let end = json!({"call_id": "c", "id": "c", "command": ["bash", "-lc", "ls"], "status": "completed", "exit_code": 0, "aggregated_output": "a", "source": "agent"});
    let with = |kind: &str| {
        let mut body = end.clone();
        body["type"] = kind.into();
        body
    };
    repeated_call("legacy", &first, &event(with("exec_command_end")), &answer);
    repeated_call("paginated", &first, &done(with("CommandExecution")), &answer);
    lone_copy(&done(with("CommandExecution")), 2);
}

#[test]
fn a_patch() {
    let first = raw(
        json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "p", "input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}),
    );
    let answer = raw(
        json!({"type": "custom_tool_call_output", "call_id": "p", "output": "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nA a\n"}),
    );
    let changes = json!({"/w/a": {"type": "add", "content": "x"}});
    let legacy =
        event(json!({"type": "patch_apply_end", "call_id": "p", "success": true, "changes": changes}));
    let item = done(json!({"type": "FileChange", "id": "p", "status": "completed", "changes": changes}));
    repeated_call("legacy", &first, &legacy, &answer);
    repeated_call("paginated", &first, &item, &answer);
    lone_copy(&item, 2);
}

#[test]
fn a_call_of_another_server() {
    let first = call("mcp__s__t", "m", json!({"a": 1}));
    let answer = output("m", "Wall time: 0.1 seconds\nOutput:\nyes");
    let legacy = event(
        json!({"type": "mcp_tool_call_end", "call_id": "m", "invocation": {"server": "s", "tool": "t", "arguments": {"a": 1}}, "result": {"Ok": {"content": [{"type": "text", "text": "yes"}], "isError": false}}}),
    );
    let item = done(
        json!({"type": "McpToolCall", "id": "m", "server": "s", "tool": "t", "arguments": {"a": 1}, "status": "completed", "result": {"content": [{"type": "text", "text": "yes"}], "isError": false}}),
    );
    repeated_call("legacy", &first, &legacy, &answer);
    repeated_call("paginated", &first, &item, &answer);
    lone_copy(&item, 2);
    // The output of such a call tells no status; its copy does.
    let evidence = collected(Some("paginated"), &[turn(), first, item, answer]);
    assert_eq!(evidence.events()[1]["tool"]["status"], "ok");
}

#[test]
fn a_search() {
    let action = json!({"type": "search", "query": "tides", "queries": ["tides"]});
    let search =
        raw(json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": action}));
    let legacy =
        event(json!({"type": "web_search_end", "call_id": "ws_1", "query": "tides", "action": action}));
    let item = done(json!({"type": "WebSearch", "id": "ws_1", "query": "tides", "action": action}));
    let bare = done(json!({"type": "WebSearch", "id": "ws_1", "query": "tides", "action": null}));
    let extension = done(
        json!({"type": "Extension", "id": "ws_1", "kind": "web.search", "query": "tides", "action": action}),
    );
    once("legacy", &search, &legacy, 2, "id");
    for copy in [item, bare, extension] {
        once("paginated", &search, &copy, 2, "id");
    }
    let nameless = raw(json!({"type": "web_search_call", "status": "completed", "action": action}));
    once("legacy", &nameless, &legacy, 2, "order");
    let evidence = collected(Some("legacy"), &[turn(), search]);
    assert_eq!(evidence.manifest["coverage"]["calls"]["open"], 0);
}

#[test]
fn a_picture() {
    let body = |kind: &str, key: &str| json!({"type": kind, key: "ig_1", "status": "completed", "result": "iVBORw0KGgo=", "revised_prompt": "a cat"});
    let picture = raw(body("image_generation_call", "id"));
    once("legacy", &picture, &event(body("image_generation_end", "call_id")), 2, "id");
    once("paginated", &picture, &done(body("ImageGeneration", "id")), 2, "id");
    let mut extension = body("Extension", "id");
    extension["kind"] = "image_gen.generation".into();
    once("paginated", &picture, &done(extension), 2, "id");
}

#[test]
fn a_compaction() {
    let prefix = "Another language model started to solve this problem and produced a summary of its thinking process. Build on it, here is the summary:\n";
    let compacted = json!({"type": "compacted", "payload": {"message": format!("{prefix}So far: tides.")}});
    let mut summary = message("assistant", "msg_s", "So far: tides.");
    summary["metadata"] = json!({"compaction_output": true});
    for (mode, notice) in [
        ("legacy", event(json!({"type": "context_compacted"}))),
        ("paginated", done(json!({"type": "ContextCompaction", "id": "x"}))),
    ] {
        let evidence = collected(Some(mode), &[turn(), summary.clone(), compacted.clone(), notice.clone()]);
        assert_eq!(told(&evidence), ["system So far: tides."]);
        assert_eq!(grades(&evidence), ["order"]);
        let evidence = collected(Some(mode), &[turn(), compacted.clone(), notice]);
        assert_eq!(super::threads::facets(&evidence, 0), ["injected:compaction_summary", "compaction"]);
    }
}

#[test]
fn an_agent() {
    let first = call("spawn_agent", "s", json!({"message": "look"}));
    let answer = output("s", r#"{"agent_id":"child","nickname":"n"}"#);
    let legacy = event(
        json!({"type": "collab_agent_spawn_end", "call_id": "s", "new_thread_id": "child", "prompt": "look", "status": "pending_init"}),
    );
    let item = done(
        json!({"type": "CollabAgentToolCall", "id": "s", "tool": "spawn_agent", "status": "completed", "prompt": "look", "receiver_thread_ids": ["child"]}),
    );
    repeated_call("legacy", &first, &legacy, &answer);
    repeated_call("paginated", &first, &item, &answer);
    // Only the activity names the child of a newer call; it is no copy.
    let named = done(
        json!({"type": "SubAgentActivity", "id": "s", "kind": "started", "agent_thread_id": "child", "agent_path": "/root/look"}),
    );
    let evidence = collected(Some("paginated"), &[turn(), first, named, answer]);
    assert_eq!(evidence.events().len(), 3);
}

#[test]
fn a_plan() {
    let plan = done(json!({"type": "Plan", "id": "turn-plan", "text": "1. look"}));
    let lone = message("assistant", "msg_1", "<proposed_plan>\n1. look\n</proposed_plan>");
    once("legacy", &lone, &plan, 1, "order");
    once("paginated", &lone, &plan, 1, "order");
    let among = message("assistant", "msg_1", "I looked.\n<proposed_plan>\n1. look\n</proposed_plan>");
    let evidence = collected(Some("paginated"), &[turn(), plan, among]);
    assert_eq!(evidence.texts("assistant").len(), 2);
}

#[test]
fn a_failure() {
    let error =
        json!({"message": "You’ve hit your usage limit.", "codex_error_info": "usage_limit_exceeded"});
    let mut told = error.clone();
    told["type"] = "error".into();
    let ended = event(json!({"type": "task_complete", "last_agent_message": null, "error": error}));
    once("legacy", &event(told), &ended, 1, "order");
}

#[test]
fn the_answers_of_a_person() {
    let first = call("request_user_input", "q", json!({"questions": [{"id": "a", "question": "Which?"}]}));
    let answer = output("q", r#"{"answers":{"a":{"answers":["The blue one"]}}}"#);
    let retained = json!({"type": "retained_context", "payload": {"type": "verified_answer", "turn_id": "turn", "call_id": "q", "questions": [{"question": "Which?", "answer": "The blue one"}]}});
    repeated_call("paginated", &first, &retained, &answer);
    let evidence = collected(Some("paginated"), &[turn(), first.clone(), answer]);
    let told = &evidence.events()[1];
    assert_eq!(
        (&told["actor"], &told["actor_grade"], &told["tool"]["status"]),
        (&json!("person"), &json!("assumed"), &json!("ok"))
    );
    let evidence = collected(Some("paginated"), &[turn(), retained]);
    let told = &evidence.events()[0];
    assert_eq!(
        (&told["actor"], &told["actor_grade"], &told["text"]),
        (&json!("person"), &json!("proven"), &json!("Which?\nThe blue one"))
    );
}

//! What goes wrong in a Codex turn, and what goes on behind it: aborts, failures, rollbacks, compactions, processes
//! that outlive their call, scripts with calls inside.

use serde_json::{Value, json};

use super::evidence::Evidence;
use super::resume::Growing;
use super::threads::{
    call, collected, done, event, facets, file_name, message, output, raw, relations, told, turn, written,
};

/// Facets of the one event that the lines give.
#[track_caller]
fn notice(line: Value) -> Vec<String> {
    let evidence = collected(Some("legacy"), &[turn(), line]);
    assert_eq!(evidence.events().len(), 1);
    assert_eq!(evidence.events()[0]["surface"], "system");
    facets(&evidence, 0)
}

#[test]
fn every_reason_of_an_abort_is_an_event() {
    let aborted =
        |reason: &str| notice(event(json!({"type": "turn_aborted", "turn_id": "t", "reason": reason})));
    assert_eq!(aborted("interrupted"), ["aborted_turn", "interrupt"]);
    assert_eq!(aborted("replaced"), ["aborted_turn", "interrupt"]);
    assert_eq!(aborted("budget_limited"), ["aborted_turn", "limit"]);
    assert_eq!(aborted("review_ended"), ["aborted_turn"]);
    assert_eq!(aborted("something_new"), ["aborted_turn"]);
    assert_eq!(notice(event(json!({"type": "turn_aborted"}))), ["aborted_turn"]);
}

#[test]
fn every_form_of_a_failure_is_an_event_and_limits_are_told_apart() {
    let failed = |info: Value| {
        notice(event(
            json!({"type": "task_complete", "turn_id": "t", "last_agent_message": null, "error": {"message": "m", "codex_error_info": info}}),
        ))
    };
    let plain = ["api_error", "aborted_turn"];
    let limited = ["api_error", "aborted_turn", "limit"];
    for info in ["usage_limit_exceeded", "session_budget_exceeded", "rate_limit_exceeded"] {
        assert_eq!(failed(info.into()), limited, "{info}");
    }
    for info in [
        "context_window_exceeded",
        "server_overloaded",
        "internal_server_error",
        "unauthorized",
        "bad_request",
        "cyber_policy",
        "misalignment_policy_violation",
        "bio_policy",
        "sandbox_error",
        "thread_rollback_failed",
        "other",
        "something_new",
    ] {
        assert_eq!(failed(info.into()), plain, "{info}");
    }
    for kind in [
        "http_connection_failed",
        "response_stream_connection_failed",
        "response_stream_disconnected",
        "response_too_many_failed_attempts",
    ] {
        assert_eq!(failed(json!({kind: {"http_status_code": 500}})), plain, "{kind}");
        assert_eq!(failed(json!({kind: {"http_status_code": 429}})), limited, "{kind}");
    }
    assert_eq!(failed(json!({"active_turn_not_steerable": {"turn_kind": "review"}})), plain);
    assert_eq!(failed(Value::Null), plain);
    for words in ["You’ve hit your usage limit. Try again at 5 PM.", "You've hit your usage limit."] {
        assert_eq!(notice(event(json!({"type": "error", "message": words}))), ["api_error", "limit"]);
    }
    // Without an error the end of a turn is the edge of a turn and no success.
    let evidence =
        collected(None, &[turn(), event(json!({"type": "task_complete", "last_agent_message": null}))]);
    assert_eq!(evidence.events().len(), 0);
}

#[test]
fn a_failure_without_a_message_says_its_kind() {
    let ended = event(json!({"type": "turn_complete", "error": {"codex_error_info": "unauthorized"}}));
    assert_eq!(told(&collected(None, &[turn(), ended])), [r#"system {"codex_error_info":"unauthorized"}"#]);
}

#[test]
fn rolled_back_turns_stay_and_are_named() {
    let say = |words: &str| message("user", words, words);
    let echo = |words: &str| event(json!({"type": "user_message", "message": words}));
    let back = |turns: u64| event(json!({"type": "thread_rolled_back", "num_turns": turns}));
    let lines = [
        turn(),
        message("developer", "d", "<permissions instructions>p</permissions instructions>"),
        say("one"),
        echo("one"),
        message("assistant", "a1", "First."),
        turn(),
        say("two"),
        echo("two"),
        message("assistant", "a2", "Second."),
        back(1),
        turn(),
        say("three"),
        echo("three"),
        message("assistant", "a3", "Third."),
        back(2),
        turn(),
        say("four"),
        echo("four"),
    ];
    let evidence = collected(Some("legacy"), &lines);
    assert_eq!(evidence.texts("user"), ["one", "two", "three", "four"]);
    assert_eq!(
        relations(&evidence, "rolled_back"),
        [
            json!({"by": 5, "first": 3, "last": 4}),
            json!({"by": 8, "first": 1, "last": 2}),
            json!({"by": 8, "first": 6, "last": 7}),
        ]
    );
    assert_eq!(facets(&evidence, 5), ["rollback"]);
    let kept = collected(
        Some("legacy"),
        &[turn(), say("one"), event(json!({"type": "undo_completed", "success": true}))],
    );
    assert_eq!(relations(&kept, "rolled_back"), Vec::<Value>::new());
}

#[test]
fn polls_belong_to_the_call_that_began_and_their_end_is_its_end() {
    let runs = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n";
    let ends = "Wall time: 1.0 seconds\nProcess exited with code 2\nOutput:\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
    let evidence = collected(
        Some("legacy"),
        &[
            turn(),
            call("exec_command", "a", json!({"cmd": "cargo test"})),
            output("a", runs),
            call("write_stdin", "b", json!({"session_id": 7, "chars": ""})),
            output("b", runs),
            call("write_stdin", "c", json!({"session_id": 7, "chars": "y\n"})),
            output("c", ends),
            // The process is gone, and another one begins nothing.
            call("write_stdin", "d", json!({"session_id": 7, "chars": ""})),
            output("d", "write_stdin failed: Unknown process id 7"),
            call("write_stdin", "e", json!({"session_id": 8, "chars": ""})),
            output("e", "aborted by user after 5.0s"),
        ],
    );
    assert_eq!(
        relations(&evidence, "continues"),
        [json!({"call": 2, "begun": 0}), json!({"call": 4, "begun": 0})]
    );
    assert_eq!(relations(&evidence, "learnt"), [json!({"call": 0, "status": "error", "exit_code": 2})]);
    let status = |place: usize| evidence.events()[place]["tool"]["status"].clone();
    assert_eq!(
        [1, 3, 5, 7, 9].map(status),
        ["unknown", "unknown", "error", "unknown", "interrupted"].map(Value::from)
    );
    let runs: Vec<Value> =
        evidence.stream("observations").into_iter().filter(|row| row["row"] == "verification_run").collect();
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["outcome"], "failed");
    assert_eq!(runs[0]["reported"], "failed");
}

#[test]
fn the_item_of_a_late_command_says_how_it_ended() {
    let evidence = collected(
        Some("paginated"),
        &[
            turn(),
            call("exec_command", "a", json!({"cmd": "sleep 100"})),
            output("a", "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"),
            event(json!({"type": "task_complete", "last_agent_message": "Waiting."})),
            done(
                json!({"type": "CommandExecution", "id": "a", "command": ["bash", "-lc", "sleep 100"], "status": "failed", "exit_code": -1, "source": "unified_exec_startup"}),
            ),
        ],
    );
    assert_eq!(evidence.events().len(), 2);
    assert_eq!(
        relations(&evidence, "learnt"),
        [json!({"call": 0, "status": "interrupted", "exit_code": null})]
    );
}

#[test]
fn a_script_is_one_call_and_the_commands_in_it_are_calls_of_their_own() {
    let parts = |words: &str| json!([{"type": "input_text", "text": words}]);
    let evidence = collected(
        Some("paginated"),
        &[
            turn(),
            raw(
                json!({"type": "custom_tool_call", "name": "exec", "call_id": "x", "input": "await tools.exec_command({cmd: \"ls\"})"}),
            ),
            done(
                json!({"type": "CommandExecution", "id": "exec-1", "command": ["bash", "-lc", "ls"], "status": "completed", "exit_code": 0, "aggregated_output": "a"}),
            ),
            raw(
                json!({"type": "custom_tool_call_output", "call_id": "x", "output": parts("Script running with cell ID 3\nWall time 0.2 seconds\nOutput:\n")}),
            ),
            call("wait", "w", json!({"cell_id": "3"})),
            output("w", "Script failed\nWall time 1.0 seconds\nOutput:\nScript error:\nno"),
        ],
    );
    let tools: Vec<Value> = evidence.events().iter().map(|event| event["tool"]["name"].clone()).collect();
    assert_eq!(
        tools,
        ["exec", "CommandExecution", "CommandExecution", "exec", "wait", "wait"].map(Value::from)
    );
    assert_eq!(evidence.events()[2]["tool"]["exit_code"], 0);
    assert_eq!(relations(&evidence, "continues"), [json!({"call": 4, "begun": 0})]);
    assert_eq!(relations(&evidence, "learnt"), [json!({"call": 0, "status": "error", "exit_code": null})]);
}

#[test]
fn parallel_calls_find_their_results_in_any_order_and_the_dead_stay_open() {
    let evidence = collected(
        None,
        &[
            turn(),
            call("exec_command", "a", json!({"cmd": "one"})),
            call("exec_command", "b", json!({"cmd": "two"})),
            call("exec_command", "c", json!({"cmd": "three"})),
            output("b", "aborted by user after 1.0s"),
            output("a", "Wall time: 1 seconds\nProcess exited with code 0\nOutput:\n"),
            output("gone", "plain"),
        ],
    );
    let calls = &evidence.manifest["coverage"]["calls"];
    assert_eq!(calls, &json!({"total": 3, "paired": 2, "open": 1, "orphan_results": 1}));
    assert_eq!(relations(&evidence, "open_call"), [json!({"call": 2})]);
    assert_eq!(relations(&evidence, "orphan_result"), [json!({"result": 5})]);
}

#[test]
fn agents_speak_as_agents() {
    let evidence = collected(
        Some("paginated"),
        &[
            turn(),
            message("user", "u", "Look around."),
            message(
                "user",
                "n",
                "<subagent_notification>\n{\"agent_id\":\"child\",\"status\":{\"completed\":\"Found it.\"}}\n</subagent_notification>",
            ),
            json!({"type": "inter_agent_communication_metadata", "payload": {"trigger_turn": true}}),
            raw(
                json!({"type": "agent_message", "id": "amsg_1", "author": "/root/look", "recipient": "/root", "content": [{"type": "input_text", "text": "Message Type: FINAL_ANSWER\nTask name: /root/look\nSender: /root/look\nPayload:\nFound it."}]}),
            ),
            raw(
                json!({"type": "agent_message", "id": "amsg_2", "author": "/root", "recipient": "/root/look", "content": [{"type": "encrypted_content", "encrypted_content": "gAAA"}]}),
            ),
            json!({"type": "inter_agent_communication", "payload": {"author": "/root/look", "recipient": "/root", "content": "Older."}}),
        ],
    );
    assert_eq!(evidence.texts("user"), ["Look around."]);
    let events = evidence.events();
    let agents: Vec<&Value> = events.iter().filter(|event| event["actor"] == "agent").collect();
    assert_eq!(agents.len(), 4);
    assert!(agents.iter().all(|event| event["surface"] == "system"));
    assert!(facets(&evidence, 1).contains(&"agent_report".to_owned()));
    assert_eq!(evidence.manifest["coverage"]["withheld"]["encrypted"]["parts"], 1);
}

#[test]
fn a_mode_that_nobody_knows_is_told_as_a_limitation() {
    let lines = [turn(), message("user", "u", "Hello.")];
    let unknown = collected(Some("default"), &lines).manifest;
    assert_eq!(unknown["boundary"]["form"], "codex-unknown-mode");
    assert_eq!(unknown["limitations"]["unknown-history-mode"], 1);
    for mode in [None, Some("legacy"), Some("paginated")] {
        assert_eq!(collected(mode, &lines).manifest["limitations"]["unknown-history-mode"], Value::Null);
    }
}

#[test]
fn what_another_thread_writes_into_the_file_is_nobodys_word_here() {
    let mut foreign =
        done(json!({"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": "continue"}]}));
    foreign["payload"]["thread_id"] = "another-thread".into();
    let evidence = collected(Some("paginated"), &[turn(), message("user", "u", "continue"), foreign]);
    assert_eq!(told(&evidence), ["user continue", "system continue"]);
    assert_eq!(evidence.events()[1]["actor"], "agent");
    assert_eq!(facets(&evidence, 1), ["injected:other_session"]);
}

#[test]
fn a_thread_that_grows_keeps_what_runs_and_what_counts() {
    let say = |words: &str| message("user", words, words);
    let runs = "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n";
    let lines = [
        turn(),
        say("one"),
        call("exec_command", "a", json!({"cmd": "cargo test"})),
        output("a", runs),
        turn(),
        say("two"),
        call("write_stdin", "b", json!({"session_id": 7, "chars": ""})),
        output("b", "Wall time: 1.0 seconds\nProcess exited with code 0\nOutput:\n"),
        event(json!({"type": "thread_rolled_back", "num_turns": 1})),
        say("three"),
        event(json!({"type": "thread_rolled_back", "num_turns": 2})),
    ];
    let whole = written(Some("legacy"), &lines);
    let growing = Growing::new(&file_name(), whole.clone().into_bytes());
    let feeds = whole.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    for (feed, _) in feeds.skip(1) {
        // Behind each line, so that every state is written down and gone on from.
        growing.collect(feed + 1).unwrap();
        growing.is_as_if_collected_at_once();
    }
    let evidence = Evidence::open(&growing.manifest);
    assert_eq!(relations(&evidence, "continues").len(), 1);
    assert_eq!(relations(&evidence, "learnt").len(), 1);
    assert_eq!(relations(&evidence, "rolled_back").len(), 3);
}

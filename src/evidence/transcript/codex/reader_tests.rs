//! What becomes of the other kinds of records.

use super::CodexReader;
use crate::evidence::transcript::codex::kinds::{Becomes, KINDS};
use crate::evidence::transcript::item::{Status, Surface, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{
    FactKind, Key, MirrorClaim, NativeType, Reader, Reading, Role, WindowMark,
};

fn read(record: &str) -> Reading<Raw> {
    CodexReader.read(&Json::parse(record, CodexReader.dropped()).unwrap().value)
}

fn item(body: &str) -> Reading<Raw> {
    read(&format!(r#"{{"timestamp":"t","type":"response_item","payload":{body}}}"#))
}

fn event(body: &str) -> Reading<Raw> {
    read(&format!(r#"{{"timestamp":"t","type":"event_msg","payload":{body}}}"#))
}

fn completed(body: &str) -> Reading<Raw> {
    event(&format!(r#"{{"type":"item_completed","thread_id":"th","item":{body}}}"#))
}

fn text(reading: &Reading<Raw>, place: usize) -> &str {
    reading.items[place].text.expose()
}

fn status(reading: &Reading<Raw>, place: usize) -> (Option<Status>, Option<u32>) {
    let tool = reading.items[place].tool.as_ref().unwrap();
    (tool.status, tool.exit_code)
}

#[test]
fn a_call_keeps_its_arguments_as_written_even_if_broken() {
    let reading = item(
        r#"{"type":"function_call","id":"f","name":"exec_command","namespace":"ns","arguments":"{\"cmd\": ","call_id":"c"}"#,
    );
    let tool = reading.items[0].tool.as_ref().unwrap();
    assert_eq!(tool.name.as_ref().unwrap().expose(), "ns.exec_command");
    assert_eq!(tool.call_id.as_ref().unwrap().expose(), "c");
    assert_eq!((text(&reading, 0), reading.native_id.as_ref().unwrap().expose()), ("{\"cmd\": ", "f"));
}

#[test]
fn a_patch_names_its_paths() {
    let reading = item(
        r#"{"type":"custom_tool_call","name":"apply_patch","call_id":"c","input":"*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch"}"#,
    );
    assert_eq!(
        (reading.items[0].entities[0].kind, reading.items[0].entities[0].value.expose()),
        ("path", "a.txt")
    );
}

#[test]
fn outputs_come_as_text_as_parts_or_as_a_lone_part() {
    let plain = item(
        r#"{"type":"function_call_output","call_id":"c","output":"Exit code: 2\nWall time: 1 seconds\nOutput:\nno"}"#,
    );
    assert_eq!(status(&plain, 0), (Some(Status::Error), Some(2)));
    let parts = item(
        r#"{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"Script completed\nWall time 1 seconds\nOutput:\n"},{"type":"input_image","image_url":"data:image/png;base64,aGk="},{"type":"encrypted_content","encrypted_content":"gAA"}]}"#,
    );
    assert_eq!(status(&parts, 0), (Some(Status::Ok), None));
    assert!(
        text(&parts, 0).contains("\n[image image/png, 2 bytes, sha256 ") && !text(&parts, 0).contains("gAA")
    );
    let lone = item(
        r#"{"type":"function_call_output","call_id":"c","output":{"type":"input_text","text":"a.txt\n"}}"#,
    );
    assert_eq!(text(&lone, 0), "a.txt\n");
}

#[test]
fn a_spawned_agent_is_named_in_the_output() {
    let reading = item(
        r#"{"type":"function_call_output","call_id":"c","output":"{\"agent_id\":\"child\",\"nickname\":\"n\"}"}"#,
    );
    assert_eq!(reading.items[0].entities[0].value.expose(), "child");
}

#[test]
fn searches_and_pictures_are_complete_in_themselves() {
    let search = item(
        r#"{"type":"web_search_call","id":"ws","status":"completed","action":{"type":"search","query":"q"}}"#,
    );
    assert_eq!((search.items.len(), text(&search, 0)), (2, r#"{"type":"search","query":"q"}"#));
    assert_eq!((status(&search, 1).0, text(&search, 1)), (Some(Status::Ok), r#"{"status":"completed"}"#));
    let copy = event(
        r#"{"type":"web_search_end","call_id":"ws","query":"q","action":{"type":"search","query":"q"}}"#,
    );
    assert!(copy.mirrors.contains(&search.mirrors[0]));
    let picture = item(
        r#"{"type":"image_generation_call","id":"ig","status":"completed","revised_prompt":"a cat","result":"iVBORw0KGgo="}"#,
    );
    assert_eq!(status(&picture, 1).0, Some(Status::Ok));
    assert!(text(&picture, 1).starts_with("[image image/png, 8 bytes, sha256 "));
}

#[test]
fn hidden_reasoning_is_counted_and_never_kept() {
    let reading = item(
        r#"{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"abc"}],"content":null,"encrypted_content":"gAAAA"}"#,
    );
    assert_eq!((reading.role, reading.items.len()), (Role::Withheld, 0));
    assert_eq!(
        reading.withheld.iter().map(|part| (part.kind, part.bytes)).collect::<Vec<_>>(),
        [("reasoning", 3), ("encrypted", 5)]
    );
    assert_eq!(event(r#"{"type":"agent_reasoning","text":"abc"}"#).role, Role::Withheld);
    assert_eq!(
        completed(r#"{"type":"Reasoning","summary_text":["abc"],"raw_content":[]}"#).withheld[0].bytes,
        3
    );
}

#[test]
fn a_command_execution_repeats_its_call_and_tells_the_outcome() {
    let reading = completed(
        r#"{"type":"CommandExecution","id":"c","command":["bash","-lc","ls"],"cwd":"file:///w","source":"agent","status":"failed","aggregated_output":"no\n","exit_code":3,"parsed_cmd":[]}"#,
    );
    assert_eq!(reading.mirrors, [MirrorClaim::OfCall { call: Key::of(&["c"]) }]);
    assert_eq!((reading.learnt[0].status, reading.learnt[0].exit_code), (Status::Error, Some(3)));
    assert_eq!(text(&reading, 0), r#"{"command":["bash","-lc","ls"],"cwd":"file:///w"}"#);
    assert_eq!((text(&reading, 1), status(&reading, 1)), ("no\n", (Some(Status::Error), Some(3))));
    assert!(reading.facts.iter().any(|fact| fact.kind == FactKind::SessionId && fact.value.expose() == "th"));
    let killed = completed(r#"{"type":"CommandExecution","id":"c","status":"failed","exit_code":-1}"#);
    assert_eq!(status(&killed, 1), (Some(Status::Interrupted), None));
    let declined = event(r#"{"type":"exec_command_end","call_id":"c","status":"declined","exit_code":-1}"#);
    assert_eq!(status(&declined, 1), (Some(Status::Rejected), None));
}

#[test]
fn both_failures_of_mcp_are_errors() {
    let broken = event(
        r#"{"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"s","tool":"t","arguments":{"a":1}},"result":{"Err":"down"}}"#,
    );
    assert_eq!(
        (text(&broken, 0), text(&broken, 1), status(&broken, 1).0),
        ("{\"a\":1}", "down", Some(Status::Error))
    );
    let refused = event(
        r#"{"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"s","tool":"t"},"result":{"Ok":{"content":[{"type":"text","text":"no"}],"isError":true}}}"#,
    );
    assert_eq!((text(&refused, 1), status(&refused, 1).0), ("no", Some(Status::Error)));
    let fine = completed(
        r#"{"type":"McpToolCall","id":"c","server":"s","tool":"t","arguments":{},"status":"completed","result":{"content":[{"type":"text","text":"y"}],"isError":false}}"#,
    );
    assert_eq!((text(&fine, 1), status(&fine, 1).0), ("y", Some(Status::Ok)));
}

#[test]
fn a_file_change_names_its_paths() {
    let reading = event(
        r#"{"type":"patch_apply_end","call_id":"c","success":false,"stdout":"","stderr":"bad","changes":{"/w/a":{"type":"update","move_path":"/w/b"}}}"#,
    );
    let paths: Vec<&str> = reading.items[0].entities.iter().map(|entity| entity.value.expose()).collect();
    assert_eq!((paths, status(&reading, 1).0), (vec!["/w/a", "/w/b"], Some(Status::Error)));
}

#[test]
fn failed_turns_limits_and_aborts_are_events() {
    let limit = event(
        r#"{"type":"task_complete","last_agent_message":null,"error":{"message":"You’ve hit your usage limit.","codex_error_info":"usage_limit_exceeded"}}"#,
    );
    assert_eq!(limit.items[0].facets, [facet::API_ERROR, facet::ABORTED_TURN, facet::LIMIT]);
    assert_eq!(text(&limit, 0), "You’ve hit your usage limit.");
    assert_eq!(event(r#"{"type":"task_complete","last_agent_message":"done"}"#).role, Role::Structural);
    let throttled = event(
        r#"{"type":"error","message":"m","codex_error_info":{"response_too_many_failed_attempts":{"http_status_code":429}}}"#,
    );
    assert!(throttled.items[0].facets.contains(&facet::LIMIT));
    let aborted = event(r#"{"type":"turn_aborted","reason":"interrupted"}"#);
    assert_eq!(aborted.items[0].facets, [facet::ABORTED_TURN, facet::INTERRUPT]);
    let rolled = event(r#"{"type":"thread_rolled_back","num_turns":2}"#);
    assert_eq!(
        (rolled.items[0].entities[0].kind, rolled.items[0].entities[0].value.expose()),
        ("turns", "2")
    );
}

#[test]
fn a_new_turn_closes_the_pairing_windows() {
    assert!(event(r#"{"type":"task_started","turn_id":"t"}"#).marks.contains(&WindowMark::Clear("prompt")));
}

#[test]
fn a_child_is_named_only_by_its_activity() {
    let reading = completed(
        r#"{"type":"SubAgentActivity","id":"c","kind":"started","agent_thread_id":"th2","agent_path":"/root/w"}"#,
    );
    assert_eq!(reading.items[0].surface, Surface::System);
    assert_eq!(reading.items[0].entities[0].value.expose(), "th2");
}

#[test]
fn settings_give_facts_and_no_events() {
    let meta = read(
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a","cwd":"/w","cli_version":"0.1","git":{"branch":"main"},"base_instructions":{"text":"long"}}}"#,
    );
    assert_eq!((meta.role, meta.facts.len()), (Role::Structural, 4));
    let turn = read(r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w","model":"m"}}"#);
    assert!(turn.facts.iter().any(|fact| fact.kind == FactKind::Model));
}

#[test]
fn bare_items_headers_and_states_are_recognised_by_shape() {
    let header = read(r#"{"id":"h","timestamp":"2025","instructions":null,"git":{"branch":"b"}}"#);
    assert!(matches!(header.native_type, NativeType::Known("bare/header")));
    assert!(matches!(read(r#"{"record_type":"state"}"#).native_type, NativeType::Known("bare/state")));
    let call = read(r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}"#);
    assert!(matches!(call.native_type, NativeType::Known("response_item/function_call")));
    assert_eq!((call.items.len(), call.timestamp.is_none()), (1, true));
}

#[test]
fn unknown_kinds_are_structural_and_counted_by_name() {
    for (record, name) in [
        (r#"{"type":"rollout_reference","payload":{"a":1}}"#, "rollout_reference"),
        (r#"{"type":"event_msg","payload":{"type":"new_thing"}}"#, "event_msg/new_thing"),
        (
            r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"New"}}}"#,
            "event_msg/item_completed/New",
        ),
        (r#"{"type":"response_item"}"#, "response_item"),
        (r#"{"a":1}"#, "untyped"),
        ("\"a string\"", "untyped"),
    ] {
        let reading = read(record);
        assert_eq!(reading.role, Role::Structural);
        assert!(
            matches!(reading.native_type, NativeType::Unknown(found) if found.expose() == name),
            "{record}"
        );
    }
}

/// Every kind with every member of the wrong JSON type, and with members that would be content.
#[test]
fn wrong_types_never_panic_and_bookkeeping_never_speaks() {
    const KEYS: &[&str] = &[
        "role",
        "content",
        "message",
        "text",
        "id",
        "call_id",
        "name",
        "arguments",
        "input",
        "output",
        "action",
        "result",
        "status",
        "command",
        "changes",
        "invocation",
        "item",
        "error",
        "data",
        "questions",
        "review_output",
        "exit_code",
    ];
    for kind in KINDS {
        for value in
            ["null", "1", "true", "\"words\"", "[\"words\",1,{\"text\":\"t\"}]", "{\"a\":{\"b\":[1]}}"]
        {
            let members: Vec<String> = KEYS.iter().map(|key| format!("\"{key}\":{value}")).collect();
            let members = members.join(",");
            let mut words = kind.name.split('/');
            let (line, inner, item) = (words.next().unwrap_or(""), words.next(), words.next());
            let body = match (inner, item) {
                (Some(inner), Some(item)) => {
                    format!("{{\"type\":\"{inner}\",\"item\":{{\"type\":\"{item}\",{members}}}}}")
                }
                (Some(inner), None) => format!("{{\"type\":\"{inner}\",{members}}}"),
                _ => format!("{{{members}}}"),
            };
            let record = format!("{{\"type\":\"{line}\",\"payload\":{body},\"metadata\":{value}}}");
            let reading = CodexReader.read(&Json::parse(&record, &[]).unwrap().value);
            if kind.becomes == Becomes::Structural {
                assert!(reading.items.is_empty(), "{record}");
            }
            if kind.becomes == Becomes::Withheld {
                assert_ne!(reading.role, Role::Content, "{record}");
            }
        }
    }
}

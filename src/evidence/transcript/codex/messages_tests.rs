//! Who speaks in a message.

use crate::evidence::transcript::codex::CodexReader;
use crate::evidence::transcript::item::{Actor, ActorGrade, Surface, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{MirrorClaim, Reader, Reading, Role};

fn read(record: &str) -> Reading<Raw> {
    CodexReader.read(&Json::parse(record, CodexReader.dropped()).unwrap().value)
}

/// A message whose parts are `(text, mark)`; without marks it is one of an older version.
fn message(role: &str, parts: &[(&str, Option<(&str, &str)>)]) -> Reading<Raw> {
    let quoted = |text: &str| Json::String(text.into()).to_text();
    let content: Vec<String> = parts
        .iter()
        .map(|(text, _)| format!("{{\"type\":\"input_text\",\"text\":{}}}", quoted(text)))
        .collect();
    let kinds: Vec<String> =
        parts.iter().filter_map(|(_, mark)| mark.map(|(kind, _)| quoted(kind))).collect();
    let sources: Vec<String> = parts
        .iter()
        .filter_map(|(_, mark)| {
            mark.map(|(_, source)| format!("{{\"provenance\":{{\"type\":{}}}}}", quoted(source)))
        })
        .collect();
    read(&format!(
        "{{\"timestamp\":\"t\",\"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\"id\":\"m\",\"role\":\"{role}\",\
         \"content\":[{}],\"internal_chat_message_metadata_passthrough\":{{\"content_item_kinds\":[{}],\
         \"content_item_metadata\":[{}]}}}}}}",
        content.join(","),
        kinds.join(","),
        sources.join(",")
    ))
}

fn voice(reading: &Reading<Raw>, place: usize) -> (Surface, Actor, ActorGrade, &[&'static str]) {
    let item = &reading.items[place];
    (item.surface, item.actor, item.actor_grade, &item.facets)
}

#[test]
fn a_marked_prompt_is_a_persons_even_if_it_looks_injected() {
    let text = "<environment_context>mine</environment_context>";
    let reading = message("user", &[(text, Some(("user.text", "user")))]);
    assert_eq!(voice(&reading, 0), (Surface::User, Actor::Person, ActorGrade::Proven, &[][..]));
}

#[test]
fn without_marks_a_prompt_is_assumed_and_a_wrapper_is_injected() {
    let reading = message("user", &[("<user_instructions>a</user_instructions>", None), ("fix it", None)]);
    assert_eq!(reading.items.len(), 2);
    let injected = &["injected:user_instructions"][..];
    assert_eq!(voice(&reading, 0), (Surface::System, Actor::Harness, ActorGrade::Proven, injected));
    assert_eq!(voice(&reading, 1), (Surface::User, Actor::Person, ActorGrade::Assumed, &[][..]));
}

#[test]
fn a_mark_of_an_unknown_kind_is_still_not_a_person() {
    let reading = message("user", &[("something new", Some(("brand.new", "harness")))]);
    assert_eq!(voice(&reading, 0).3, ["injected:other"]);
    let reading = message("developer", &[("be brief", None)]);
    assert_eq!(voice(&reading, 0).3, ["injected:developer"]);
}

#[test]
fn a_lone_string_is_content_too() {
    let reading = read(r#"{"type":"message","role":"user","content":"fix it"}"#);
    assert_eq!(reading.items[0].text.expose(), "fix it");
}

#[test]
fn neighbours_of_one_voice_are_one_item() {
    let reading = message("user", &[("one", None), ("two", None)]);
    assert_eq!(reading.items.len(), 1);
    assert_eq!(reading.items[0].text.expose(), "one\ntwo");
}

#[test]
fn an_abort_told_to_the_model_is_an_interrupt() {
    let reading =
        message("user", &[("<turn_aborted>\nx\n</turn_aborted>", Some(("generic.turn_aborted", "harness")))]);
    assert!(voice(&reading, 0).3.contains(&facet::INTERRUPT));
}

#[test]
fn a_childs_notification_is_an_agents_report_and_names_the_child() {
    let text = "<subagent_notification>\n{\"agent_path\":\"c1\",\"status\":{\"completed\":\"done\"}}\n</subagent_notification>";
    let reading = message("user", &[(text, Some(("multi_agent.subagent_notification", "tool")))]);
    assert_eq!(voice(&reading, 0).1, Actor::Agent);
    assert!(voice(&reading, 0).3.contains(&facet::AGENT_REPORT));
    assert_eq!(reading.items[0].entities[0].value.expose(), "c1");
}

#[test]
fn the_persons_shell_command_is_split_from_its_output() {
    let text = "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 0\nDuration: 0.1 seconds\nOutput:\na\n</result>\n</user_shell_command>";
    let reading = message("user", &[(text, Some(("shell.user_command", "harness")))]);
    assert_eq!(voice(&reading, 0).0, Surface::User);
    assert_eq!(reading.items[0].text.expose(), "ls");
    assert_eq!(voice(&reading, 1).3, ["injected:user_shell_output"]);
}

#[test]
fn a_picture_in_a_prompt_is_a_descriptor_line_and_no_part_of_the_pairing() {
    let with = read(
        r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"data:image/png;base64,aGk="},{"type":"input_text","text":"</image>"}]}}"#,
    );
    assert_eq!(with.items.len(), 1);
    assert!(with.items[0].text.expose().contains("[image image/png, 2 bytes, sha256 "));
    let event = read(
        r#"{"type":"event_msg","payload":{"type":"user_message","message":"look","local_images":["/a.png"]}}"#,
    );
    let key = |reading: &Reading<Raw>| match reading.mirrors[0] {
        MirrorClaim::Order { class: "prompt", content, second_lane } => (content, second_lane),
        _ => panic!("no prompt claim"),
    };
    assert_eq!(key(&with).0, key(&event).0);
    assert_ne!(key(&with).1, key(&event).1);
}

#[test]
fn answers_claim_their_copies_by_id_and_by_order() {
    let raw = read(
        r#"{"type":"response_item","payload":{"type":"message","id":"m1","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"hi<oai-mem-citation>x</oai-mem-citation>"}]}}"#,
    );
    let item = read(
        r#"{"ordinal":3,"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","id":"m1","content":[{"type":"Text","text":"hi"}]}}}"#,
    );
    let event = read(r#"{"type":"event_msg","payload":{"type":"agent_message","message":"hi"}}"#);
    let migrated = read(
        r#"{"ordinal":3,"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","id":"item-4","content":[{"type":"Text","text":"hi"}]}}}"#,
    );
    assert_eq!(raw.items[0].facets, ["commentary"]);
    assert_eq!(raw.mirrors[0], item.mirrors[0]);
    assert_eq!(event.mirrors, migrated.mirrors);
    assert!(matches!(raw.mirrors[1], MirrorClaim::Order { class: "answer", second_lane: false, .. }));
}

#[test]
fn a_compaction_is_told_once() {
    let summary = read(
        r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"what was done"}]},"metadata":{"compaction_output":true}}"#,
    );
    assert_eq!(
        voice(&summary, 0),
        (Surface::System, Actor::Model, ActorGrade::Proven, &[facet::COMPACTION][..])
    );
    let line = read(
        r#"{"type":"compacted","payload":{"message":"Another language model started to solve this problem and produced a summary of its thinking process. Use it, here it is, to assist with your own analysis:\nwhat was done","replacement_history":[{"type":"message"}]}}"#,
    );
    let content = |reading: &Reading<Raw>| match reading.mirrors[..] {
        [MirrorClaim::Order { class: "compaction", content, .. }] => content,
        _ => panic!("no compaction claim"),
    };
    assert_eq!(content(&summary), content(&line));
    let remote = read(r#"{"type":"compacted","payload":{"message":"","window_id":3}}"#);
    assert_eq!((remote.role, remote.mirrors.len()), (Role::Content, 0));
}

#[test]
fn an_agents_message_is_a_task_or_a_report_and_keeps_no_encrypted_part() {
    let reading = read(
        r#"{"type":"response_item","payload":{"type":"agent_message","id":"a","author":"/root","recipient":"/root/w","content":[{"type":"input_text","text":"Message Type: NEW_TASK\nPayload:\n"},{"type":"encrypted_content","encrypted_content":"gAAAA"}]}}"#,
    );
    assert_eq!(reading.items[0].facets, ["injected:agent_message", facet::TASK]);
    assert!(!reading.items[0].text.expose().contains("gAAAA"));
    assert_eq!((reading.withheld[0].kind, reading.withheld[0].bytes), ("encrypted", 5));
}

#[test]
fn a_hooks_words_and_their_item_claim_each_other() {
    let text = "<hook_prompt hook_run_id=\"1\">Go &amp; on</hook_prompt>";
    let raw = message("user", &[(text, None)]);
    assert_eq!(voice(&raw, 0).1, Actor::Hook);
    let item = read(
        r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"HookPrompt","id":"m","fragments":[{"text":"Go & on","hookRunId":"1"}]}}}"#,
    );
    assert_eq!(raw.mirrors[0], item.mirrors[0]);
}

//! Decisions on whole rows, through the seam that the pipeline uses.

use super::ClaudeReader;
use crate::evidence::transcript::item::{Actor, ActorGrade, Status, Surface, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, NativeType, Reader, Reading, Role, WindowMark};

fn read(row: &str) -> Reading<Raw> {
    ClaudeReader.read(&Json::parse(row, ClaudeReader.dropped()).unwrap().value)
}

/// A user row with extra members and a text.
fn user(members: &str, text: &str) -> Reading<Raw> {
    let text = Json::String(text.into()).to_text();
    read(&format!(
        r#"{{"type":"user","uuid":"u1","parentUuid":"p1",{members}"message":{{"role":"user","content":{text}}}}}"#
    ))
}

type Told<'r> = (Surface, Actor, ActorGrade, &'r [&'static str], &'r str);

fn told(reading: &Reading<Raw>) -> Vec<Told<'_>> {
    let items = reading.items.iter();
    items
        .map(|item| (item.surface, item.actor, item.actor_grade, item.facets.as_slice(), item.text.expose()))
        .collect()
}

fn only(reading: &Reading<Raw>) -> (Surface, Actor, ActorGrade, Vec<&'static str>) {
    let [(surface, actor, grade, facets, _)] = told(reading)[..] else { panic!("not one item") };
    (surface, actor, grade, facets.to_vec())
}

#[test]
fn a_prompt_is_a_persons_by_mark_or_by_assumption() {
    use ActorGrade::{Assumed, Proven};
    for (members, grade) in [
        (r#""promptSource":"typed","#, Proven),
        (r#""promptSource":"sdk","permissionMode":"default","#, Proven),
        (r#""origin":{"kind":"human"},"#, Proven),
        (r#""permissionMode":"default","#, Assumed),
        (r#""isMeta":false,"#, Assumed),
    ] {
        assert_eq!(
            only(&user(members, "<b>Fix</b> it")),
            (Surface::User, Actor::Person, grade, vec![]),
            "{members}"
        );
    }
}

#[test]
fn what_was_put_in_is_never_a_persons() {
    let cases: &[(&str, &str, Actor, &[&'static str])] = &[
        (r#""isMeta":true,"#, "Caveat: hm", Actor::Harness, &["injected:meta"]),
        (r#""isMeta":true,"sourceToolUseID":"t","#, "# Skill", Actor::Harness, &["injected:skill"]),
        (
            r#""isMeta":true,"turnCompanion":true,"#,
            "Output token limit hit.",
            Actor::Harness,
            &["injected:notice"],
        ),
        (
            r#""isMeta":true,"#,
            "Stop hook feedback:\nno",
            Actor::Hook,
            &["injected:hook_feedback", facet::HOOK_BLOCK],
        ),
        (
            r#""isCompactSummary":true,"#,
            "Summary",
            Actor::Harness,
            &["injected:compact_summary", facet::COMPACTION],
        ),
        (r#""interruptedByShutdown":true,"#, "x", Actor::Harness, &["injected:interrupt", facet::INTERRUPT]),
        ("", "[Request interrupted by user]", Actor::Harness, &["injected:interrupt", facet::INTERRUPT]),
        (r#""origin":{"kind":"peer"},"#, "hi", Actor::Agent, &["injected:peer", facet::AGENT_REPORT]),
        (r#""origin":{"kind":"task-notification"},"#, "done", Actor::Harness, &["injected:notification"]),
        (r#""promptSource":"system","#, "later", Actor::Harness, &["injected:other"]),
        ("", "<local-command-stdout>ok</local-command-stdout>", Actor::Harness, &["injected:command_output"]),
        ("", "<command-name>/mcp</command-name>", Actor::Harness, &["injected:command"]),
        (
            "",
            "<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>",
            Actor::Harness,
            &["injected:bash_output"],
        ),
        ("", "<user-prompt-submit-hook>x</user-prompt-submit-hook>", Actor::Hook, &["injected:hook_context"]),
        (
            "",
            "<teammate-message teammate_id=\"a\" color=\"red\">idle</teammate-message>",
            Actor::Agent,
            &["injected:peer", facet::AGENT_REPORT],
        ),
        (
            "",
            "<cross-session-message from=\"s2\">hi</cross-session-message>",
            Actor::Agent,
            &["injected:peer", facet::AGENT_REPORT],
        ),
        (r#""isMeta":true,"#, "[Image: source: /tmp/1.png]", Actor::Harness, &["injected:image_source"]),
        (r#""sourceToolUseID":"t","#, "# Skill", Actor::Harness, &["injected:skill"]),
        (r#""turnCompanion":true,"#, "Resume directly.", Actor::Harness, &["injected:notice"]),
        (r#""interruptedMessageId":"m","#, "x", Actor::Harness, &["injected:interrupt", facet::INTERRUPT]),
        (r#""rowSource":"harness","#, "x", Actor::Harness, &["injected:other"]),
        (r#""rowSource":"hook","#, "x", Actor::Hook, &["injected:hook_context"]),
        (
            r#""isMeta":true,"hookText":"say more","#,
            "The text below is the output of a hook.",
            Actor::Hook,
            &["injected:hook_context"],
        ),
        (
            r##""planContent":"# Do","##,
            "Implement the following plan:\n\n# Do",
            Actor::Harness,
            &["injected:plan", facet::TASK],
        ),
        (r#""origin":{"kind":"auto-continuation"},"#, "Go on.", Actor::Harness, &["injected:continuation"]),
    ];
    for (members, text, actor, facets) in cases {
        let expected = (Surface::System, *actor, ActorGrade::Proven, facets.to_vec());
        assert_eq!(only(&user(members, text)), expected, "{members}{text}");
    }
}

#[test]
fn a_persons_mark_is_stronger_than_how_the_words_begin() {
    for words in [
        "<system-reminder> is what tag?",
        "[Request interrupted by user] keeps coming, why?",
        "<task-notification> rows pile up",
        "<command-name>/plan</command-name> is shown twice",
        "Stop hook feedback: what is it?",
        "<div>is broken</div>",
    ] {
        for mark in
            [r#""promptSource":"typed","#, r#""promptSource":"queued","#, r#""origin":{"kind":"human"},"#]
        {
            let reading = user(mark, words);
            let told = only(&reading);
            assert_eq!((told.0, told.2), (Surface::User, ActorGrade::Proven), "{mark}{words}");
            assert_eq!(reading.items[0].text.expose(), words);
        }
    }
}

#[test]
fn a_prompt_that_a_hook_blocked_is_told_as_blocked() {
    let reading = read(
        r#"{"type":"system","subtype":"informational","uuid":"u","content":"Delete it all","preventContinuation":true,"level":"warning"}"#,
    );
    let blocked = vec![facet::BLOCKED_PROMPT, facet::HOOK_BLOCK];
    assert_eq!(only(&reading), (Surface::System, Actor::Hook, ActorGrade::Proven, blocked));
}

#[test]
fn a_childs_first_row_is_its_task_and_inline_children_are_marked() {
    let row = |members: &str| {
        read(&format!(
            r#"{{"type":"user","uuid":"u",{members}"isSidechain":true,"message":{{"content":"Do it"}}}}"#
        ))
    };
    let own_file = row(r#""parentUuid":null,"agentId":"a1","#);
    assert_eq!(
        only(&own_file),
        (Surface::System, Actor::Agent, ActorGrade::Proven, vec!["injected:task", facet::TASK])
    );
    let inline = row(r#""parentUuid":null,"#);
    assert_eq!(only(&inline).3, ["injected:task", facet::TASK, "sidechain"]);
    assert_eq!(only(&row(r#""parentUuid":"p","agentId":"a1","#)).3, ["injected:peer"]);
    let answer =
        read(r#"{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"k"}]}}"#);
    assert_eq!(only(&answer), (Surface::Assistant, Actor::Agent, ActorGrade::Proven, vec!["sidechain"]));
}

#[test]
fn a_prompt_with_a_picture_is_one_event_with_a_descriptor() {
    let reading = read(
        r#"{"type":"user","uuid":"u","promptSource":"sdk","message":{"content":[{"type":"text","text":"See"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAEC"}}]}}"#,
    );
    assert_eq!(reading.items.len(), 1);
    assert!(reading.items[0].text.expose().starts_with("See\n[image image/png, 3 bytes, sha256 ae4b3280"));
    assert_eq!(reading.mirrors.len(), 1, "pictures are enqueued without text, so only the uuid claims");
}

#[test]
fn a_result_row_has_its_call_status_and_text_of_all_parts() {
    let reading = read(
        r#"{"type":"user","uuid":"u","toolUseResult":{"stdout":"a","stderr":"","interrupted":false},"message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":false,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"type":"text","text":"[Request interrupted by user]"}]}}"#,
    );
    let tool = reading.items[0].tool.as_ref().unwrap();
    assert_eq!((tool.status, tool.exit_code), (Some(Status::Ok), Some(0)));
    assert_eq!(tool.call_id.as_ref().unwrap().expose(), "t1");
    assert_eq!(reading.items[0].text.expose(), "a\nb");
    assert_eq!(reading.items[1].facets, ["injected:interrupt", facet::INTERRUPT]);
}

#[test]
fn what_a_person_says_while_refusing_is_a_persons() {
    let refused = |members: &str, shown: &str, is_error: bool| {
        let shown = Json::String(shown.into()).to_text();
        read(&format!(
            r#"{{"type":"user","uuid":"u",{members}"message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","is_error":{is_error},"content":{shown}}}]}}}}"#
        ))
    };
    let sentence = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nUse tabs.";
    let denied = r#""toolDenialKind":"permission-rule","permissionDecision":{"decision":"reject","source":"user_reject"},"#;
    for (members, shown) in [
        ("", sentence.to_owned()),
        (&*format!(r#"{denied}"holdsPersonsWords":true,"#), "Use tabs.".to_owned()),
        (&*format!(r#"{denied}"userFeedback":"Use tabs.","#), "The user said no: Use tabs.".to_owned()),
    ] {
        let reading = refused(members, &shown, true);
        let told = told(&reading);
        assert_eq!(told[0].0, Surface::ToolResult);
        let words = (Surface::User, Actor::Person, ActorGrade::Proven, ["feedback"].as_slice(), "Use tabs.");
        assert_eq!(told[1], words, "{members}");
    }
    // Nobody said anything, a tool printed the sentence, or the row is a child's.
    assert_eq!(refused(denied, "No.", true).items.len(), 1);
    assert_eq!(refused("", sentence, false).items.len(), 1);
    assert_eq!(refused(r#""isSidechain":true,"agentId":"a","#, sentence, true).items.len(), 1);
}

#[test]
fn claims_are_the_uuid_and_for_prompts_the_queue() {
    let queued = user(r#""promptSource":"queued","#, "go on");
    let [
        MirrorClaim::Id { class: "uuid", id, .. },
        MirrorClaim::Order { class: "queue", second_lane: true, content },
    ] = queued.mirrors[..]
    else {
        panic!("two claims")
    };
    assert_eq!((id, content), (Key::of(&["u1"]), Key::of(&["go on"])));
    let typed = user(r#""promptSource":"typed","#, "go on");
    assert_eq!((typed.mirrors.len(), typed.marks.as_slice()), (1, [WindowMark::Clear("queue")].as_slice()));
    assert_eq!(user(r#""isMeta":true,"#, "go on").mirrors.len(), 1);
    let command = user("", "<command-name>/compact</command-name><command-args>keep names</command-args>");
    assert!(
        matches!(command.mirrors[1], MirrorClaim::Order { content, .. } if content == Key::of(&["/compact keep names"]))
    );
}

#[test]
fn a_prompt_in_mid_turn_pairs_with_its_queue_row() {
    let row = r#"{"type":"attachment","uuid":"u","attachment":{"type":"queued_command","prompt":"go on","commandMode":"prompt","origin":{"kind":"human"}}}"#;
    let attachment = read(row);
    assert_eq!(only(&attachment), (Surface::User, Actor::Person, ActorGrade::Proven, vec![facet::QUEUED]));
    let enqueue = read(r#"{"type":"queue-operation","operation":"enqueue","content":"go on"}"#);
    let (MirrorClaim::Order { content: first, .. }, MirrorClaim::Order { content: second, .. }) =
        (enqueue.mirrors[0], attachment.mirrors[1])
    else {
        panic!("order claims")
    };
    assert_eq!(first, second);
}

#[test]
fn what_was_taken_into_a_turn_is_a_prompt_a_notification_or_a_peers() {
    let queued = |members: &str| {
        read(&format!(
            r#"{{"type":"attachment","uuid":"u","attachment":{{"type":"queued_command",{members}}}}}"#
        ))
    };
    let notification = "<task-notification><task-id>b1</task-id><tool-use-id>t1</tool-use-id><status>failed</status><summary>Background command \"x\" failed with exit code 2</summary></task-notification>";
    let text = Json::String(notification.into()).to_text();
    for prompt in [text.clone(), format!(r#"[{{"type":"text","text":{text}}}]"#)] {
        for origin in ["", r#","origin":{"kind":"task-notification"}"#] {
            let reading = queued(&format!(r#""prompt":{prompt},"commandMode":"task-notification"{origin}"#));
            assert_eq!(only(&reading).3, ["injected:notification"]);
            let learnt = &reading.learnt[0];
            assert_eq!((learnt.status, learnt.exit_code), (Status::Error, Some(2)));
        }
    }
    let prompt = queued(
        r#""prompt":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAEC"}},{"type":"text","text":"See"}],"commandMode":"prompt""#,
    );
    assert_eq!((only(&prompt).0, only(&prompt).2), (Surface::User, ActorGrade::Assumed));
    assert_eq!(prompt.mirrors.len(), 1, "a picture is enqueued without text");
    let peer = queued(r#""prompt":"done","origin":{"kind":"peer","from":"a","senderTaskId":"t"}"#);
    assert_eq!(only(&peer).1, Actor::Agent);
    assert_eq!(only(&queued(r#""prompt":"x","isMeta":true"#)).3, ["injected:meta"]);
}

#[test]
fn hooks_and_limits_on_attachments_are_events() {
    let attachment =
        |body: &str| read(&format!(r#"{{"type":"attachment","uuid":"u","attachment":{{{body}}}}}"#));
    let block =
        attachment(r#""type":"hook_blocking_error","blockingError":{"blockingError":"no","command":"c"}"#);
    assert_eq!(told(&block)[0].3, ["injected:hook_block", facet::HOOK_BLOCK]);
    let context = attachment(r#""type":"hook_additional_context","content":["a","b"]"#);
    assert_eq!(told(&context)[0].4, "a\nb");
    assert_eq!(attachment(r#""type":"hook_success","content":"","stdout":"{}""#).role, Role::Structural);
    let turns = attachment(r#""type":"max_turns_reached","maxTurns":2,"turnCount":3"#);
    assert_eq!(
        (told(&turns)[0].3, told(&turns)[0].4),
        ([facet::LIMIT].as_slice(), "Limit of 2 turns reached")
    );
    assert_eq!(
        attachment(r#""type":"budget_usd","used":1.5,"total":2,"remaining":0.5"#).role,
        Role::Structural
    );
    let output = attachment(r#""type":"structured_output","data":{"n":3},"toolUseID":"t1""#);
    assert!(output.mirrors.contains(&MirrorClaim::OfCall { call: Key::of(&["t1"]) }));
}

#[test]
fn unknown_kinds_are_structural_and_keep_their_ids() {
    let reading =
        read(r#"{"type":"hologram","uuid":"u","timestamp":"2026-01-01T00:00:00Z","sessionId":"s"}"#);
    assert!(matches!(&reading.native_type, NativeType::Unknown(name) if name.expose() == "hologram"));
    assert_eq!((reading.role, reading.mirrors.len(), reading.facts.len()), (Role::Structural, 0, 1));
    assert!(reading.native_id.is_some() && reading.timestamp.is_some());
}

/// Puts values of every type in every place of rows of every family, one at a time.
#[test]
fn no_type_in_no_place_stops_the_reader() {
    let rows = [
        r#"{"type":"user","uuid":"u","isMeta":true,"origin":{"kind":"peer"},"message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"image","source":{"type":"base64","data":"AA"}}]},{"type":"text","text":"x"}]},"toolUseResult":{"status":"completed","task":{"status":"x"},"file":{"filePath":"p"}}}"#,
        r#"{"type":"assistant","error":"e","message":{"model":"m","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"t","name":"n","input":{"path":"p"}},{"type":"fallback","from":{"model":"a"}}]}}"#,
        r#"{"type":"system","subtype":"api_error","error":{"message":"m","error":{"error":{"message":"m"}}},"retryAttempt":1,"maxRetries":2}"#,
        r#"{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":1}}"#,
        r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":["x"],"preventedContinuation":true,"stopReason":"s"}"#,
        r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"x"}],"origin":{"kind":"human"}}}"#,
        r#"{"type":"attachment","attachment":{"type":"file","filename":"f","content":{"file":{"content":"c"}}}}"#,
        r#"{"type":"attachment","attachment":{"type":"teammate_mailbox","messages":[{"from":"a","text":"t"}]}}"#,
        r#"{"type":"progress","data":{"type":"bash_progress","output":"x"}}"#,
        r#"{"type":"queue-operation","operation":"popAll","content":"c","timestamp":"t","sessionId":"s"}"#,
        r#"{"type":"queue-operation","operation":"enqueue","content":"{\"task_id\":\"b\",\"status\":\"failed\"}"}"#,
        r#"{"type":"system","subtype":"local_command","commandRun":{"command":"c","args":"a"}}"#,
        r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":["x"],"failedHookErrorIndexes":[0],"hookAdditionalContext":["y"]}"#,
        r#"{"type":"system","subtype":"api_refusal","retractedMessageUuids":["u"],"originalModel":"m"}"#,
        r#"{"type":"continued-in","sessionId":"s","continuedInSessionId":"n","timestamp":"t"}"#,
        r#"{"type":"last-prompt","leafUuid":null,"explicit":true}"#,
        r#"{"type":"marble-origami-commit","collapseId":"c","summaryContent":"s"}"#,
        r#"{"type":"auto-mode-denial","toolName":"t","reason":"r"}"#,
        r#"{"type":"tool_use","name":"bash","input":{"command":"ls"},"uuid":"u"}"#,
        r#"{"type":"tool_result","name":"bash","output":"o","is_error":true,"uuid":"u"}"#,
        r#"{"type":"user","userFeedback":"f","toolUseResult":{"persistedOutputPath":"/a/b"},"message":{"content":[{"type":"tool_result","is_error":true,"content":"This command requires approval"}]}}"#,
        r#"{"type":"assistant","requestId":"r","apiBlockIndex":0,"supersedesUuids":["u"],"message":{"id":"m","content":[{"type":"tool_use","id":"toolu_1","name":"n","input":{}}]}}"#,
    ];
    let values = [
        "null",
        "true",
        "-1.5e300",
        r#""""#,
        r#""<command-name>""#,
        "[]",
        "[null,{}]",
        "{}",
        r#"{"type":"text"}"#,
    ];
    for row in rows {
        // Every member value and list element begins behind one of these letters.
        let starts = row
            .char_indices()
            .filter(|(_, letter)| matches!(letter, ':' | '[' | ','))
            .map(|(place, _)| place + 1);
        for start in starts {
            let (before, rest) = row.split_at(start);
            let mut one = serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
            if one.next().is_none_or(|value| value.is_err()) {
                continue;
            }
            let after = rest.split_at(one.byte_offset()).1;
            for value in values {
                let changed = format!("{before}{value}{after}");
                if let Ok(parsed) = Json::parse(&changed, ClaudeReader.dropped()) {
                    ClaudeReader.read(&parsed.value);
                }
            }
        }
    }
}

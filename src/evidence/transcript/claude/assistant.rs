//! `assistant` rows: words, calls and withheld reasoning of the model, and what the harness writes under its
//! name (`<synthetic>`): errors of the service, limits, filler. One response is several rows; each block is
//! an event.

use super::blocks::{self, Part};
use super::envelope::{flag, id, observable, text, unknown_block};
use super::parts::part;
use super::results;
use super::voice::{Voice, is_silent};
use crate::evidence::transcript::item::{Actor, ActorGrade, Entity, Item, Surface, Tool, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading, Withheld};

/// Reads an `assistant` row.
pub fn read(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let content = row.path(&["message", "content"]);
    let speaks = |text: &str| (!is_silent(text)).then(|| voice(row, text).says(text));
    reading.items.extend(content.as_str().and_then(speaks));
    let mut unknown = Vec::new();
    for block in content.items() {
        match block.get("type").as_str().and_then(blocks::find) {
            Some(Part::Text) => reading.items.extend(block.get("text").as_str().and_then(speaks)),
            Some(Part::Thinking) => {
                withhold("thinking", &[block.get("thinking"), block.get("signature")], reading)
            }
            Some(Part::Redacted) => withhold("redacted_thinking", &[block.get("data")], reading),
            Some(Part::Call) => reading.items.push(call(block)),
            Some(Part::Result) => reading.items.push(results::item(row, block)),
            Some(Part::Line) => reading.items.extend(part(block).as_deref().and_then(speaks)),
            Some(Part::Fallback) => reading.items.push(fallback(block)),
            None if block.is_null() => {}
            None => unknown.push(block),
        }
    }
    unknown.into_iter().for_each(|block| unknown_block("assistant", block, reading));
    message(row, reading);
}

/// Says which message of the service the row is a part of, and which rows it takes the place of. A message is
/// known by its id and its request: another request may use the id again. A row that tells a block of the message
/// again, or a call again, under another uuid is a second copy by the service's own ids.
fn message(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let name = message_name(row);
    for item in &mut reading.items {
        item.entities.extend(name.as_deref().map(|name| Entity { kind: "message", value: Raw::from(name) }));
    }
    if let Some(first) = reading.items.first_mut() {
        let older = row.get("supersedesUuids").items().iter().filter_map(Json::as_str);
        first.entities.extend(older.map(|uuid| Entity { kind: "supersedes", value: Raw::from(uuid) }));
    }
    let content = observable(reading);
    if let (Some(name), Some(block)) = (&name, row.get("apiBlockIndex").as_u64()) {
        let id = Key::of(&[name, &block.to_string()]);
        reading.mirrors.push(MirrorClaim::Id { class: "block", id, content });
    }
    if let [item] = reading.items.as_slice()
        && let Some(call) = item.tool.as_ref().filter(|_| item.surface == Surface::ToolCall)
        // Ids of the service are unique; those that a gateway makes up may not be.
        && let Some(call) = call.call_id.as_ref().filter(|id| id.expose().starts_with("toolu_"))
    {
        let id = Key::of(&[call.expose()]);
        reading.mirrors.push(MirrorClaim::Id { class: "call", id, content });
    }
}

/// `<message id>/<request id>`; without a request id the message id alone. What the harness wrote itself is no
/// message of the service.
fn message_name(row: &Json<'_>) -> Option<String> {
    let message = row.get("message");
    let written = message.get("model").as_str() == Some("<synthetic>") || flag(row, "isApiErrorMessage");
    let name = id(message, "id").filter(|_| !written)?;
    Some(id(row, "requestId").map_or_else(|| name.to_owned(), |request| format!("{name}/{request}")))
}

fn withhold(kind: &'static str, parts: &[&Json<'_>], reading: &mut Reading<Raw>) {
    let bytes = parts.iter().filter_map(|part| part.as_str()).map(|part| part.len() as u64).sum();
    reading.withheld.push(Withheld { kind, bytes });
}

/// The model, or the harness where it wrote the text itself.
fn voice(row: &Json<'_>, words: &str) -> Voice {
    let failed = flag(row, "isApiErrorMessage");
    if !failed && row.path(&["message", "model"]).as_str() != Some("<synthetic>") {
        let grade = ActorGrade::Proven;
        let model = Voice { surface: Surface::Assistant, actor: Actor::Model, grade, facets: Vec::new() };
        return if flag(row, "isAbortedMidStream") { model.with("cut_midstream") } else { model };
    }
    let harness = |facets: &[&'static str]| Voice::put_in(Actor::Harness, facets);
    if failed || text(row, "error").is_some() {
        let voice = harness(&[facet::API_ERROR]);
        return if is_limit(row, words) { voice.with(facet::LIMIT) } else { voice };
    }
    // Written after a resume or a local command, to keep user and assistant in turn.
    harness(&[if words == "No response requested." { "injected:filler" } else { "injected:synthetic" }])
}

/// A usage or rate limit: by native fields; versions up to 2.1.42 have only the text, in the harness's fixed
/// words.
fn is_limit(row: &Json<'_>, words: &str) -> bool {
    row.get("error").as_str() == Some("rate_limit")
        || row.get("apiError").as_str() == Some("usage_limit_reached")
        || row.get("apiErrorStatus").as_u64() == Some(429)
        || row.get("quotaLimits").is_object()
        || words.starts_with("API Error: 429 ")
        || words.starts_with("API Error: Request rejected (429)")
        || words.starts_with("Claude AI usage limit reached")
        || (words.starts_with("You've hit your ") && words.contains("limit"))
}

/// A call: a block, or a row of its own in versions before 1.0.
pub fn call(block: &Json<'_>) -> Item<Raw> {
    let input = block.get("input");
    let words = match input {
        Json::String(written) => written.to_string(),
        Json::Null => String::new(),
        other => other.to_text(),
    };
    let grade = ActorGrade::Proven;
    let voice = Voice { surface: Surface::ToolCall, actor: Actor::Model, grade, facets: Vec::new() };
    let mut item = voice.says(words);
    item.tool = Some(Tool {
        name: text(block, "name").map(Raw::from),
        call_id: id(block, "id").map(Raw::from),
        status: None,
        exit_code: None,
    });
    item.entities = entities(input);
    item
}

/// Fields that mean the same in every tool that has them.
fn entities(input: &Json<'_>) -> Vec<Entity<Raw>> {
    const NAMED: &[(&str, &str)] = &[
        ("path", "file_path"),
        ("path", "notebook_path"),
        ("path", "path"),
        ("url", "url"),
        ("task", "task_id"),
        ("task", "bash_id"),
        ("task", "shell_id"),
        ("agent", "resume"),
        ("model", "model"),
    ];
    let named = NAMED.iter().filter_map(|(kind, key)| {
        let value = text(input, key)?;
        Some(Entity { kind, value: Raw::from(value) })
    });
    named.collect()
}

/// The service went on with another model.
fn fallback(block: &Json<'_>) -> Item<Raw> {
    let model = |side| block.path(&[side, "model"]).as_str().unwrap_or("unknown");
    let words = format!("Model changed from {} to {}", model("from"), model("to"));
    Voice::put_in(Actor::Harness, &["model_fallback"]).says(words)
}

#[cfg(test)]
mod tests {
    use super::{Actor, Json, Raw, Reading, Surface, Withheld, facet, read};
    use crate::evidence::transcript::reading::NativeType;

    fn reading(row: &str) -> Reading<Raw> {
        let mut reading = Reading::structural("assistant");
        read(&Json::parse(row, &[]).unwrap().value, &mut reading);
        reading
    }

    fn texts(reading: &Reading<Raw>) -> Vec<(Surface, &str, &[&'static str])> {
        reading.items.iter().map(|item| (item.surface, item.text.expose(), item.facets.as_slice())).collect()
    }

    #[test]
    fn thinking_is_counted_and_never_text() {
        let reading = reading(
            r#"{"message":{"content":[{"type":"thinking","thinking":"hidden","signature":"c2ln"},{"type":"redacted_thinking","data":"xyz"}]}}"#,
        );
        assert!(reading.items.is_empty());
        assert_eq!(
            reading.withheld,
            [Withheld { kind: "thinking", bytes: 10 }, Withheld { kind: "redacted_thinking", bytes: 3 }]
        );
    }

    #[test]
    fn a_call_has_its_input_as_written() {
        let reading = reading(
            r#"{"message":{"content":[{"type":"text","text":"Now"},{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a","originalFile":"x","n":1}},{"type":"mcp_tool_use","id":"t2","name":"q","input":"{\"a\":1"}]}}"#,
        );
        assert_eq!(
            texts(&reading),
            [
                (Surface::Assistant, "Now", [].as_slice()),
                (Surface::ToolCall, r#"{"file_path":"/a","originalFile":"x","n":1}"#, &[]),
                (Surface::ToolCall, r#"{"a":1"#, &[]),
            ]
        );
        let tool = reading.items[1].tool.as_ref().unwrap();
        assert_eq!(tool.call_id.as_ref().unwrap().expose(), "t1");
        assert_eq!(reading.items[1].entities[0].kind, "path");
    }

    fn named<'r>(reading: &'r Reading<Raw>, kind: &str) -> Vec<&'r str> {
        let entities = reading.items.iter().flat_map(|item| &item.entities);
        entities.filter(|entity| entity.kind == kind).map(|entity| entity.value.expose()).collect()
    }

    #[test]
    fn the_rows_of_one_message_have_its_name_and_those_of_another_request_have_not() {
        let row = |request: &str, block: &str| {
            reading(&format!(r#"{{"requestId":"{request}","message":{{"id":"msg_1","content":[{block}]}}}}"#))
        };
        let words = row("req_1", r#"{"type":"text","text":"Now"}"#);
        let call = row("req_1", r#"{"type":"tool_use","id":"t1","name":"Bash","input":{}}"#);
        assert_eq!(named(&words, "message"), ["msg_1/req_1"]);
        assert_eq!(named(&words, "message"), named(&call, "message"));
        let retried = row("req_2", r#"{"type":"text","text":"Now"}"#);
        assert_eq!(named(&retried, "message"), ["msg_1/req_2"]);
        let gateway = reading(r#"{"message":{"id":"m","content":"hi"}}"#);
        assert_eq!(named(&gateway, "message"), ["m"]);
        for none in [
            r#"{"message":{"id":"REDACTED","content":"hi"}}"#,
            r#"{"message":{"content":"hi"}}"#,
            r#"{"message":{"id":"b","model":"<synthetic>","content":"No response requested."}}"#,
        ] {
            assert!(named(&reading(none), "message").is_empty(), "{none}");
        }
    }

    #[test]
    fn a_block_or_call_told_again_by_the_services_own_ids_is_a_copy() {
        let row = |uuid: &str, index: u8, text: &str| {
            let block = format!(r#"{{"type":"text","text":"{text}"}}"#);
            reading(&format!(
                r#"{{"uuid":"{uuid}","requestId":"r","apiBlockIndex":{index},"message":{{"id":"m","content":[{block}]}}}}"#
            ))
            .mirrors
        };
        assert_eq!(row("a", 0, "Now"), row("b", 0, "Now"));
        assert_ne!(row("a", 0, "Now"), row("a", 1, "Now"));
        assert_ne!(row("a", 0, "Now"), row("a", 0, "Then"));
        let call = |message: &str, input: &str| {
            let block = format!(
                r#"{{"type":"tool_use","id":"toolu_1","name":"Bash","input":{{"command":"{input}"}}}}"#
            );
            reading(&format!(r#"{{"message":{{"id":"{message}","content":[{block}]}}}}"#)).mirrors
        };
        assert_eq!(call("m1", "ls"), call("m2", "ls"));
        assert_ne!(call("m1", "ls"), call("m1", "rm"));
        let gateway =
            r#"{"message":{"content":[{"type":"tool_use","id":"call_0","name":"Bash","input":{}}]}}"#;
        assert!(reading(gateway).mirrors.is_empty());
        // The blocks of a cut stream in another message prove nothing: the model may have said them twice.
        let again = r#"{"requestId":"r","message":{"id":"m2","content":[{"type":"text","text":"Now"},{"type":"text","text":"Then"}]}}"#;
        assert!(reading(again).mirrors.is_empty());
    }

    #[test]
    fn a_row_that_takes_the_place_of_others_names_them() {
        let row = r#"{"supersedesUuids":["a2",7],"message":{"content":[{"type":"text","text":"Partial"},{"type":"text","text":"b"}]}}"#;
        assert_eq!(named(&reading(row), "supersedes"), ["a2"]);
    }

    #[test]
    fn errors_and_limits_of_the_service_are_the_harnesss() {
        let row = |fields: &str, text: &str| {
            format!(
                r#"{{"message":{{"model":"<synthetic>","content":[{{"type":"text","text":"{text}"}}]}}{fields}}}"#
            )
        };
        let limit =
            reading(&row(r#","isApiErrorMessage":true,"error":"rate_limit""#, "You've hit your limit"));
        assert_eq!(limit.items[0].facets, [facet::API_ERROR, facet::LIMIT]);
        assert_eq!(limit.items[0].actor, Actor::Harness);
        let old = reading(&row(r#","isApiErrorMessage":true"#, "API Error: 429 {}"));
        assert_eq!(old.items[0].facets, [facet::API_ERROR, facet::LIMIT]);
        let error = reading(&row(r#","isApiErrorMessage":true,"error":"server_error""#, "API Error: 500"));
        assert_eq!(error.items[0].facets, [facet::API_ERROR]);
        let filler = reading(&row(r#","isApiErrorMessage":false"#, "No response requested."));
        assert_eq!(filler.items[0].facets, ["injected:filler"]);
    }

    #[test]
    fn unknown_blocks_are_named_and_odd_shapes_survive() {
        let alone = reading(r#"{"message":{"content":[{"type":"hologram"},null,7]}}"#);
        let NativeType::Unknown(name) = &alone.native_type else { panic!("a known row") };
        assert_eq!(name.expose(), "assistant/hologram");
        let beside = reading(r#"{"message":{"content":[{"type":"text","text":"a"},{"type":"hologram"}]}}"#);
        assert_eq!(beside.items[0].facets, ["beside_unknown_block"]);
        for odd in [
            r#"{"message":[]}"#,
            r#"{"message":{"content":{"type":"text"}}}"#,
            r#"{"message":{"content":""}}"#,
        ] {
            assert!(reading(odd).items.is_empty());
        }
    }
}

//! `assistant` rows: words, calls and withheld reasoning of the model, and what the harness writes under its
//! name (`<synthetic>`): errors of the service, limits, filler. One response is several rows; each block is
//! an event.

use super::envelope::{flag, text, unknown_block};
use super::results;
use super::voice::{Voice, is_silent};
use crate::evidence::transcript::item::{Actor, ActorGrade, Entity, Item, Surface, Tool, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Reading, Withheld};

/// Reads an `assistant` row.
pub fn read(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let content = row.path(&["message", "content"]);
    let speaks = |text: &str| (!is_silent(text)).then(|| voice(row, text).says(text));
    reading.items.extend(content.as_str().and_then(speaks));
    let mut unknown = Vec::new();
    for block in content.items() {
        match block.get("type").as_str() {
            Some("text") => reading.items.extend(block.get("text").as_str().and_then(speaks)),
            Some("thinking") => {
                withhold("thinking", &[block.get("thinking"), block.get("signature")], reading)
            }
            Some("redacted_thinking") => withhold("redacted_thinking", &[block.get("data")], reading),
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => reading.items.push(call(block)),
            Some("fallback") => reading.items.push(fallback(block)),
            Some(kind) if kind == "tool_result" || kind.ends_with("_tool_result") => {
                reading.items.push(results::item(row, block));
            }
            _ if block.is_null() => {}
            _ => unknown.push(block),
        }
    }
    unknown.into_iter().for_each(|block| unknown_block("assistant", block, reading));
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
        || words.starts_with("Claude AI usage limit reached")
        || (words.starts_with("You've hit your ") && words.contains("limit"))
}

fn call(block: &Json<'_>) -> Item<Raw> {
    let input = block.get("input");
    let words = match input {
        Json::String(written) => written.to_string(),
        Json::Null => String::new(),
        other => other.to_text(),
    };
    let grade = ActorGrade::Proven;
    let voice = Voice { surface: Surface::ToolCall, actor: Actor::Model, grade, facets: Vec::new() };
    let mut item = voice.says(words);
    let named = |key| text(block, key).map(Raw::from);
    item.tool = Some(Tool { name: named("name"), call_id: named("id"), status: None, exit_code: None });
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

//! Calls as the model wrote them: arguments as text, names as written (a namespace in front, joined by a dot).
//! Calls that the service completes by itself have no output record; an image that it made stands as a
//! descriptor line.

use super::line::{Line, listed, name, spoken, withhold};
use super::media;
use super::outcome::Outcome;
use crate::evidence::transcript::item::{Actor, ActorGrade, Item, Status, Surface, Tool};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading};

/// A call event.
pub fn call(tool: &str, call_id: Option<&str>, text: impl Into<Raw>) -> Item<Raw> {
    let mut item = spoken(Surface::ToolCall, Actor::Model, ActorGrade::Proven, Vec::new(), text);
    item.tool = Some(Tool {
        name: Some(tool.into()),
        call_id: call_id.map(Raw::from),
        status: None,
        exit_code: None,
    });
    item
}

/// A result event.
pub fn result(
    tool: Option<&str>,
    call_id: Option<&str>,
    outcome: Outcome,
    text: impl Into<Raw>,
) -> Item<Raw> {
    let mut item = spoken(Surface::ToolResult, Actor::Tool, ActorGrade::Proven, outcome.facets, text);
    item.tool = Some(Tool {
        name: tool.map(Raw::from),
        call_id: call_id.map(Raw::from),
        status: Some(outcome.status),
        exit_code: outcome.exit_code,
    });
    item
}

/// The claim of a record that repeats an earlier call.
pub fn of_call(call_id: &str) -> MirrorClaim {
    MirrorClaim::OfCall { call: Key::of(&[call_id]) }
}

/// `namespace.name`, or the bare name.
pub fn full_name(body: &Json<'_>, key: &str) -> String {
    let bare = body.get(key).as_str().unwrap_or("");
    match body.get("namespace").as_str().filter(|space| !space.is_empty()) {
        Some(space) => format!("{space}.{bare}"),
        None => bare.to_owned(),
    }
}

/// A string as it is, anything else as compact JSON, nothing for null.
pub fn as_written(value: &Json<'_>) -> String {
    match value {
        Json::String(text) => text.to_string(),
        Json::Null => String::new(),
        _ => value.to_text(),
    }
}

/// `function_call`: `arguments` is a JSON text, perhaps a broken one; it is not touched.
pub fn function(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    withhold(reading, "encrypted", line.body.get("encrypted_function_args"));
    written(line, line.body.get("arguments"), reading);
}

/// `custom_tool_call`: `input` is free text, for example a patch or a script.
pub fn custom(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    written(line, line.body.get("input"), reading);
}

fn written(line: &Line<'_, '_>, arguments: &Json<'_>, reading: &mut Reading<Raw>) {
    let tool = full_name(line.body, "name");
    let text = as_written(arguments);
    let entities = entities(line.text("name").unwrap_or(""), &text);
    let mut item = call(&tool, line.text("call_id"), text);
    for (kind, value) in &entities {
        name(&mut item, kind, Some(value));
    }
    reading.items.push(item);
}

/// What stands in a fixed place of the arguments: paths of patch headers and of `view_image`, and the name of the
/// process or script that a call goes on with.
fn entities(tool: &str, text: &str) -> Vec<(&'static str, String)> {
    let argument = |key| {
        let parsed = Json::parse(text, &[]).ok()?;
        let value = parsed.value.get(key);
        value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()))
    };
    let named = |kind, value: Option<String>| value.into_iter().map(|value| (kind, value)).collect();
    let paths = |patch: &str| patched(patch).into_iter().map(|path| ("path", path)).collect();
    match tool {
        "apply_patch" if text.starts_with('{') => paths(&argument("input").unwrap_or_default()),
        "apply_patch" => paths(text),
        "shell" | "container.exec" | "local_shell" if text.contains("*** Begin Patch") => {
            paths(&patch_argument(text).unwrap_or_default())
        }
        "view_image" => named("path", argument("path")),
        "write_stdin" => named("process", argument("session_id")),
        "wait" => named("cell", argument("cell_id")),
        _ => Vec::new(),
    }
}

/// The patch of `["apply_patch", "…"]`, the oldest way to patch.
fn patch_argument(text: &str) -> Option<String> {
    let parsed = Json::parse(text, &[]).ok()?;
    let words =
        ["command", "cmd"].iter().map(|key| parsed.value.get(key).items()).find(|words| !words.is_empty())?;
    match words {
        [program, patch] if matches!(program.as_str(), Some("apply_patch" | "applypatch")) => {
            patch.as_str().map(str::to_owned)
        }
        _ => None,
    }
}

fn patched(patch: &str) -> Vec<String> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    patch
        .lines()
        .filter_map(|line| HEADERS.iter().find_map(|header| line.strip_prefix(header)))
        .map(|path| path.trim().to_owned())
        .collect()
}

/// `local_shell_call`: the action object is the arguments.
pub fn local_shell(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let call_id = line.text("call_id").or_else(|| line.text("id"));
    let text = as_written(line.body.get("action"));
    let entities = entities("local_shell", &text);
    let mut item = call("local_shell", call_id, text);
    for (kind, value) in &entities {
        name(&mut item, kind, Some(value));
    }
    reading.items.push(item);
}

/// `tool_search_call`: arguments are an object here.
pub fn tool_search(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    reading.items.push(call("tool_search", line.text("call_id"), as_written(line.body.get("arguments"))));
}

/// `web_search_call`: complete in itself, so that its status is its result; what was found is not in the record.
pub fn web_search(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let action = line.body.get("action");
    let id = line.text("id");
    reading.mirrors.push(web_search_claim(false, id, line.body));
    let mut item = call("web_search", id, as_written(action));
    name(&mut item, "url", action.get("url").as_str());
    reading.items.push(item);
    if let Some(status) = line.text("status") {
        let outcome = Outcome::named(Some(status));
        reading.items.push(result(Some("web_search"), id, outcome, listed(line.body, &["status"])));
    }
}

/// Joins the carriers of one search: by its id, by order where the raw record has none. The query is what all of
/// them have.
pub fn web_search_claim(second_lane: bool, id: Option<&str>, body: &Json<'_>) -> MirrorClaim {
    let action = body.get("action");
    let asked = |key| action.get(key).as_str();
    let first = action.get("queries").items().first().and_then(Json::as_str);
    let query = asked("query").or(first).or_else(|| asked("pattern")).or_else(|| asked("url"));
    let query = query.or_else(|| body.get("query").as_str()).unwrap_or("");
    joined_by("web_search", second_lane, id, Key::of(&["web_search", query]))
}

/// `image_generation_call`: complete in itself, the image included.
pub fn image_generation(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let id = line.text("id");
    let image = line.text("result").unwrap_or("");
    reading.mirrors.push(image_claim(false, id, image));
    reading.items.extend(image_items(id, line.body));
}

/// Joins the carriers of one image: by its id, by order where the raw record has none. The picture is what all of
/// them have.
pub fn image_claim(second_lane: bool, id: Option<&str>, image: &str) -> MirrorClaim {
    joined_by("image", second_lane, id, Key::of(&["image", image]))
}

fn joined_by(class: &'static str, second_lane: bool, id: Option<&str>, content: Key) -> MirrorClaim {
    match id {
        Some(id) => MirrorClaim::Id { class, id: Key::of(&[id]), content },
        None => MirrorClaim::Order { class, second_lane, content },
    }
}

/// The call with the prompt, and the picture as its result.
pub fn image_items(id: Option<&str>, body: &Json<'_>) -> [Item<Raw>; 2] {
    let image = body.get("result").as_str().unwrap_or("");
    let outcome = match Outcome::named(body.get("status").as_str()) {
        // A finished picture is its own proof, whatever the status is called.
        Outcome { status: Status::Unknown, .. } if !image.is_empty() => Outcome::succeeded(true),
        named => named,
    };
    let shown =
        if image.is_empty() { media::of_url("image", None) } else { media::of_base64("image", None, image) };
    let mut made = result(Some("image_generation"), id, outcome, shown);
    name(&mut made, "path", body.get("saved_path").as_str());
    [call("image_generation", id, listed(body, &["status", "revised_prompt"])), made]
}

#[cfg(test)]
mod tests {
    use super::{entities, full_name, patched};
    use crate::evidence::transcript::json::Json;

    #[test]
    fn a_namespace_stands_in_front_of_the_name() {
        let body = Json::parse(r#"{"name":"spawn_agent","namespace":"collaboration"}"#, &[]).unwrap().value;
        assert_eq!(full_name(&body, "name"), "collaboration.spawn_agent");
    }

    #[test]
    fn a_patch_names_its_paths_in_every_fixed_place() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
        let quoted = Json::String(patch.into()).to_text();
        for (tool, text) in [
            ("apply_patch", patch.to_owned()),
            ("apply_patch", format!("{{\"input\":{quoted}}}")),
            ("shell", format!("{{\"command\":[\"apply_patch\",{quoted}]}}")),
            ("local_shell", format!("{{\"type\":\"exec\",\"command\":[\"apply_patch\",{quoted}]}}")),
        ] {
            assert_eq!(entities(tool, &text), [("path", "a".to_owned())], "{text}");
        }
        // What a command prints is no patch.
        assert_eq!(entities("shell", &format!("{{\"command\":[\"echo\",{quoted}]}}")), []);
    }

    #[test]
    fn patch_headers_are_paths_and_patch_lines_are_not() {
        let patch =
            "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n+*** Add File: no\n*** End Patch";
        assert_eq!(patched(patch), ["a.rs", "b.rs"]);
    }
}

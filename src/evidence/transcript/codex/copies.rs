//! Second tellings of calls: items of `item_completed` and legacy events. Where the call came earlier they are
//! mirrors that add an outcome; where it did not (code mode, imported files) they are the call and its result.
//! Their texts hold listed fields only.

use super::calls::{
    as_written, call, full_name, image_claim, image_items, of_call, result, web_search_claim,
};
use super::line::{Line, listed, name};
use super::outcome::Outcome;
use super::parts::joined;
use super::shell;
use crate::evidence::transcript::item::{Entity, Status};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Learnt, Reading};
use crate::evidence::transcript::wiped;

/// One such record, read.
struct Copy<'a> {
    tool: String,
    call_id: Option<&'a str>,
    arguments: String,
    /// Text and verdict, where the record tells of an end.
    result: Option<(String, Outcome)>,
    entities: Vec<Entity<Raw>>,
}

impl<'a> Copy<'a> {
    fn new(line: &Line<'a, '_>, tool: impl Into<String>, arguments: String) -> Self {
        // Items have the call's id as their own; legacy events name it.
        let call_id =
            ["call_id", "callId", "id"].iter().find_map(|key| line.text(key)).filter(|id| !id.is_empty());
        Self { tool: tool.into(), call_id, arguments, result: None, entities: Vec::new() }
    }

    fn named<'v>(mut self, kind: &'static str, values: impl IntoIterator<Item = &'v str>) -> Self {
        self.entities.extend(values.into_iter().map(|value| Entity { kind, value: value.into() }));
        self
    }

    fn ending(mut self, text: String, outcome: Outcome) -> Self {
        self.result = Some((text, outcome));
        self
    }

    fn tell(self, reading: &mut Reading<Raw>) {
        reading.mirrors.extend(self.call_id.map(of_call));
        let mut first = call(&self.tool, self.call_id, self.arguments);
        for entity in &self.entities {
            name(&mut first, entity.kind, Some(entity.value.expose()));
        }
        reading.items.push(first);
        let Some((text, outcome)) = self.result else { return };
        if let Some(call_id) = self.call_id.filter(|_| outcome.status != Status::Unknown) {
            let learnt =
                Learnt { call_id: call_id.into(), status: outcome.status, exit_code: outcome.exit_code };
            reading.learnt.push(learnt);
        }
        reading.items.push(result(Some(&self.tool), self.call_id, outcome, text));
    }
}

/// `CommandExecution` and `exec_command_end`.
pub fn command(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    if line.text("source") == Some("user_shell") {
        return shell::executed(line.body, reading);
    }
    let named = Outcome::named(line.text("status"));
    let outcome = match line.body.get("exit_code").as_i64() {
        // A declined command has -1 and never ran.
        Some(code) if named.status != Status::Rejected => Outcome::exited(code),
        _ => named,
    };
    let output = line.text("aggregated_output").unwrap_or("").to_owned();
    Copy::new(line, "CommandExecution", listed(line.body, &["command", "cwd", "interaction_input"]))
        .ending(output, outcome)
        .tell(reading);
}

/// `FileChange` and `patch_apply_end`.
pub fn patch(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let changes = line.body.get("changes").members();
    let paths = changes.iter().map(|(path, _)| path.as_ref());
    let moved = changes.iter().filter_map(|(_, change)| change.get("move_path").as_str());
    let outcome = match (line.text("status"), line.body.get("success").as_bool()) {
        (None, Some(success)) => Outcome::succeeded(success),
        (status, _) => Outcome::named(status),
    };
    let output: Vec<&str> = ["stdout", "stderr"]
        .iter()
        .filter_map(|key| line.text(key))
        .filter(|text| !text.is_empty())
        .collect();
    Copy::new(line, "FileChange", listed(line.body, &["changes"]))
        .named("path", paths.chain(moved))
        .ending(output.join("\n"), outcome)
        .tell(reading);
}

/// `mcp_tool_call_end`: `Err` and `isError` inside `Ok` are both failures.
pub fn mcp_event(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let call = line.body.get("invocation");
    let (content, outcome) = match line.body.get("result").get("Ok") {
        Json::Null => (line.body.path(&["result", "Err"]), Outcome::succeeded(false)),
        answer => (answer.get("content"), Outcome::succeeded(answer.get("isError").as_bool() != Some(true))),
    };
    mcp(line, call, content, outcome, reading);
}

/// `McpToolCall`.
pub fn mcp_item(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let failed =
        line.body.path(&["result", "isError"]).as_bool() == Some(true) || line.body.get("error").is_object();
    let outcome = if failed { Outcome::succeeded(false) } else { Outcome::named(line.text("status")) };
    let content = match line.body.path(&["result", "content"]) {
        Json::Null => line.body.path(&["error", "message"]),
        content => content,
    };
    mcp(line, line.body, content, outcome, reading);
}

fn mcp(
    line: &Line<'_, '_>,
    call: &Json<'_>,
    content: &Json<'_>,
    outcome: Outcome,
    reading: &mut Reading<Raw>,
) {
    let tool =
        format!("{}.{}", call.get("server").as_str().unwrap_or(""), call.get("tool").as_str().unwrap_or(""));
    let text = joined(content, reading);
    Copy::new(line, tool, as_written(call.get("arguments"))).ending(text, outcome).tell(reading);
}

/// `DynamicToolCall` and `dynamic_tool_call_response`.
pub fn dynamic(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let outcome = match line.body.get("success").as_bool() {
        Some(success) => Outcome::succeeded(success),
        None => Outcome::named(line.text("status")),
    };
    let mut text = joined(line.body.get("content_items"), reading);
    if text.is_empty() {
        text = as_written(line.body.get("error"));
    }
    Copy::new(line, full_name(line.body, "tool"), as_written(line.body.get("arguments")))
        .ending(text, outcome)
        .tell(reading);
}

/// What an agent call was asked, in the spellings of items and legacy events.
const ASKED: &[&str] = &["prompt", "model", "reasoning_effort", "receiver_thread_ids", "receiver_thread_id"];
/// What it brought.
const BROUGHT: &[&str] = &[
    "new_thread_id",
    "new_agent_nickname",
    "new_agent_role",
    "status",
    "statuses",
    "agent_statuses",
    "agents_states",
];

/// `CollabAgentToolCall`.
pub fn collab_item(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let tool = line.text("tool").unwrap_or("").to_owned();
    collab(line, tool, Outcome::named(line.text("status")), reading);
}

/// `collab_*_end`: their `status` is the agent's, not the call's, so it proves nothing about the call.
pub fn collab_event(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let tool = match line.text("type").unwrap_or("") {
        "collab_agent_spawn_end" => "spawn_agent",
        "collab_agent_interaction_end" => "send_input",
        "collab_waiting_end" => "wait",
        "collab_close_end" => "close_agent",
        _ => "resume_agent",
    };
    collab(line, tool.to_owned(), Outcome::unknown(), reading);
}

fn collab(line: &Line<'_, '_>, tool: String, outcome: Outcome, reading: &mut Reading<Raw>) {
    let several = line.body.get("receiver_thread_ids").items().iter().filter_map(Json::as_str);
    let lone = ["new_thread_id", "receiver_thread_id"].into_iter().filter_map(|key| line.text(key));
    Copy::new(line, tool, listed(line.body, ASKED))
        .named("agent", several.chain(lone))
        .named("model", line.text("model"))
        .ending(listed(line.body, BROUGHT), outcome)
        .tell(reading);
}

/// `view_image_tool_call` and `ImageView`.
pub fn view_image(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    Copy::new(line, "view_image", listed(line.body, &["path"]))
        .named("path", line.text("path"))
        .ending(String::new(), Outcome::unknown())
        .tell(reading);
}

/// `web_search_end`, `WebSearch` and the extension that searches.
pub fn web_search(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let mut copy = Copy::new(line, "web_search", listed(line.body, &["query", "action"]));
    let id = copy.call_id;
    let results = line.body.get("results").items();
    let found = results.iter().map(|found| listed(found, &["title", "url", "snippet"]));
    copy = copy.ending(wiped::joined(found.collect(), "\n"), Outcome::unknown());
    copy = copy.named("url", results.iter().filter_map(|found| found.get("url").as_str()));
    copy.tell(reading);
    reading.mirrors.extend(id.map(|id| web_search_claim(true, Some(id), line.body)));
    reading.mirrors.push(web_search_claim(true, None, line.body));
}

/// `image_generation_end`, `ImageGeneration` and the extension that draws.
pub fn image_generation(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let id = line.text("call_id").or_else(|| line.text("id"));
    reading.mirrors.extend(id.map(of_call));
    let image = line.text("result").unwrap_or("");
    reading.mirrors.extend(id.map(|id| image_claim(true, Some(id), image)));
    reading.mirrors.push(image_claim(true, None, image));
    reading.items.extend(image_items(id, line.body));
}

/// `Extension`: by its `kind`.
pub fn extension(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    match line.text("kind").unwrap_or("") {
        "web.search" => web_search(line, reading),
        "image_gen.generation" => image_generation(line, reading),
        kind => waited(line, kind, &["query", "action", "duration_ms"], reading),
    }
}

/// `Sleep`.
pub fn sleep(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    waited(line, "sleep", &["duration_ms"], reading);
}

/// Only what has ended is written so, and how is not told.
fn waited(line: &Line<'_, '_>, tool: &str, members: &[&str], reading: &mut Reading<Raw>) {
    Copy::new(line, tool, listed(line.body, members)).ending(String::new(), Outcome::unknown()).tell(reading);
}

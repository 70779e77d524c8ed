//! `attachment` rows with something a reader of the session needs: prompts taken out of the queue, hooks,
//! limits, files and notices put before the model. Which kinds are events is decided in `kinds.rs`; here is
//! what their text is.

use super::envelope::{id, is_child, push_pieces, text};
use super::notification::learn_all;
use super::parts::descriptor;
use super::queue::{self, Lane};
use super::user::{by_origin, first_text, whole_text};
use super::voice::{Voice, is_silent};
use super::words::Speaker;
use crate::evidence::transcript::item::{Actor, ActorGrade, Entity, Surface, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading};

/// `queued_command`: a prompt or notification that reached the model in the middle of a turn.
pub fn queued_command(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let prompt = body.get("prompt");
    let first = first_text(prompt);
    let meta = body.get("isMeta").as_bool() == Some(true);
    let speaker = by_origin(body, first).unwrap_or_else(|| {
        if meta {
            Speaker::PutIn(Voice::put_in(Actor::Harness, &["injected:meta"]))
        } else if is_child(row) {
            Speaker::Child(Voice::put_in(Actor::Agent, &["injected:peer"]))
        } else {
            // `commandMode` is no mark: "task-notification" has been seen on a person's message, too.
            Speaker::Person(ActorGrade::Assumed)
        }
    });
    let mut pieces = prompt.as_str().map(|whole| speaker.pieces(whole)).unwrap_or_default();
    let mut pictures = false;
    for block in prompt.items() {
        match block.get("type").as_str() {
            Some("text") => pieces.extend(speaker.pieces(block.get("text").as_str().unwrap_or_default())),
            Some(kind) => {
                pictures = true;
                pieces.push((speaker.voice(), descriptor(kind, block)));
            }
            None => {}
        }
    }
    for (voice, _) in &mut pieces {
        if voice.surface == Surface::User {
            voice.facets.push(facet::QUEUED);
        }
    }
    push_pieces(pieces, &mut reading.items);
    learn_all(reading);
    if !pictures && !reading.items.is_empty() {
        reading.mirrors.push(queue::claim(Lane::Taken, &whole_text(prompt)));
    }
}

/// Text of a hook that was put before the model: `hook_success`, `hook_additional_context`.
pub fn hook_context(row: &Json<'_>, reading: &mut Reading<Raw>) {
    say(strings(row.path(&["attachment", "content"])), Actor::Hook, &["injected:hook_context"], reading);
}

/// `async_hook_response`: what a hook in the background answered.
pub fn async_hook(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let response = body.get("response");
    let context = response.path(&["hookSpecificOutput", "additionalContext"]).as_str();
    let words = context.or_else(|| text(response, "systemMessage")).or_else(|| text(body, "stdout"));
    say(words.unwrap_or_default().to_owned(), Actor::Hook, &["injected:hook_context"], reading);
}

/// `hook_system_message`, `hook_stopped_continuation`: a sentence of a hook.
pub fn hook_message(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let stopped = body.get("type").as_str() == Some("hook_stopped_continuation");
    let words = text(body, "message").map_or_else(|| strings(body.get("content")), ToOwned::to_owned);
    let facets: &[&'static str] =
        if stopped { &["injected:hook_block", facet::HOOK_BLOCK] } else { &["injected:hook_message"] };
    say(words, Actor::Hook, facets, reading);
}

/// `hook_blocking_error`: a hook said no.
pub fn hook_block(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let error = row.path(&["attachment", "blockingError"]);
    let words = text(error, "blockingError").or_else(|| error.as_str()).unwrap_or("A hook blocked.");
    say(words.to_owned(), Actor::Hook, &["injected:hook_block", facet::HOOK_BLOCK], reading);
}

/// `hook_non_blocking_error`, `hook_error_during_execution`: a hook failed, and the session went on.
pub fn hook_error(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let words = ["stderr", "content", "error", "stdout"].into_iter().find_map(|key| text(body, key));
    let hook = text(body, "hookName").unwrap_or("hook");
    let told = words.map_or_else(|| format!("{hook} failed"), |words| format!("{hook} failed: {words}"));
    say(told, Actor::Hook, &["injected:hook_error"], reading);
}

/// `structured_output`: repeats the input of the call that it names.
pub fn structured_output(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    say(body.get("data").to_text(), Actor::Harness, &["structured_output"], reading);
    let call = id(body, "toolUseID").map(|call| MirrorClaim::OfCall { call: Key::of(&[call]) });
    reading.mirrors.extend(call);
}

/// `file`, `directory`, `edited_text_file`, `nested_memory`: a path and what of it was shown.
pub fn file(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let path = text(body, "filename").or_else(|| text(body, "path")).unwrap_or("?");
    let content = body.get("content");
    let shown = [body.get("snippet"), content, content.get("content"), content.path(&["file", "content"])];
    let shown = shown.into_iter().find_map(Json::as_str).unwrap_or_default();
    let kind = match body.get("type").as_str() {
        Some("edited_text_file") => "injected:edited_file",
        Some("nested_memory") => "injected:memory",
        _ => "injected:file",
    };
    say(format!("{path}\n{shown}"), Actor::Harness, &[kind], reading);
    entity("path", path, reading);
}

/// `selected_lines_in_ide`: what the person had selected when the prompt was sent.
pub fn selection(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let words = text(body, "content").or_else(|| text(body, "text")).unwrap_or_default();
    say(words.to_owned(), Actor::Harness, &["injected:selection"], reading);
    entity("path", text(body, "filename").unwrap_or_default(), reading);
}

/// `diagnostics`: what a language server said about edited files.
pub fn diagnostics(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let files = row.path(&["attachment", "files"]);
    if !files.items().is_empty() {
        say(files.to_text(), Actor::Harness, &["injected:diagnostics"], reading);
    }
}

/// `task_status`: the state of background work.
pub fn task_status(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let parts = ["description", "status", "deltaSummary"].into_iter().filter_map(|key| text(body, key));
    say(parts.collect::<Vec<_>>().join("\n"), Actor::Harness, &["injected:task_status"], reading);
    entity("task", text(body, "taskId").unwrap_or_default(), reading);
}

/// `teammate_mailbox`: messages of other agents.
pub fn mailbox(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let messages = row.path(&["attachment", "messages"]).items().iter().filter_map(|message| {
        let from = text(message, "from").unwrap_or("?");
        Some(format!("{from}: {}", text(message, "text")?))
    });
    let words = messages.collect::<Vec<_>>().join("\n");
    say(words, Actor::Agent, &["injected:peer", facet::AGENT_REPORT], reading);
}

/// `plan_mode`, `plan_mode_reentry`, `plan_mode_exit`: while it is on, edits are forbidden.
pub fn plan_mode(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let state = if body.get("type").as_str() == Some("plan_mode_exit") { "off" } else { "on" };
    let plan = text(body, "planFilePath");
    let told = plan
        .map_or_else(|| format!("Plan mode {state}"), |path| format!("Plan mode {state}, plan file {path}"));
    say(told, Actor::Harness, &["injected:plan_mode"], reading);
    entity("path", plan.unwrap_or_default(), reading);
}

/// `max_turns_reached`: the session ended for it.
pub fn max_turns(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let most = row.path(&["attachment", "maxTurns"]).as_u64();
    let told =
        most.map_or_else(|| "Most turns reached".to_owned(), |most| format!("Limit of {most} turns reached"));
    say(told, Actor::Harness, &[facet::LIMIT], reading);
    if let Some(turns) = row.path(&["attachment", "turnCount"]).as_u64() {
        entity("turns", &turns.to_string(), reading);
    }
}

/// `budget_usd`: written as a reminder along the way; a limit only once nothing remains.
pub fn budget(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let amount = |key| if let Json::Number(number) = body.get(key) { number.as_f64() } else { None };
    if amount("remaining").is_some_and(|remaining| remaining <= 0.0) {
        let total = body.get("total").to_text();
        say(format!("Budget of {total} USD used up"), Actor::Harness, &[facet::LIMIT], reading);
    }
}

/// A reminder or notice with a text of its own: `critical_system_reminder`, `read_truncation_notice`.
pub fn reminder(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let body = row.get("attachment");
    let words = ["content", "banner", "text"].into_iter().find_map(|key| text(body, key));
    say(words.unwrap_or_default().to_owned(), Actor::Harness, &["injected:reminder"], reading);
}

fn say(words: String, actor: Actor, facets: &[&'static str], reading: &mut Reading<Raw>) {
    if !is_silent(&words) {
        reading.items.push(Voice::put_in(actor, facets).says(words));
    }
}

fn entity(kind: &'static str, value: &str, reading: &mut Reading<Raw>) {
    if let Some(item) = reading.items.last_mut().filter(|_| !value.is_empty()) {
        item.entities.push(Entity { kind, value: Raw::from(value) });
    }
}

/// A string, or the strings of a list.
fn strings(content: &Json<'_>) -> String {
    let lines: Vec<&str> =
        content.as_str().into_iter().chain(content.items().iter().filter_map(Json::as_str)).collect();
    lines.join("\n")
}

//! `user` rows: prompts, everything the harness writes under the user's name, and tool results.
//!
//! Marks on the row decide first (`isCompactSummary`, `interruptedMessageId`, `isMeta`, `turnCompanion`, `origin`,
//! `promptSource`, `sourceToolUseID`, `planContent`, and `rowSource` where it names the harness or a hook); only rows without one are judged by how their text begins. `permissionMode` and `turnOrigin` are no marks
//! of a person: the harness writes them on notifications and on the output of `!` commands, too.

use super::blocks::{self, Part};
use super::envelope::{childs_principal, flag, has_person, is_child, push_pieces, text, unknown_block};
use super::notification::learn_all;
use super::parts::part;
use super::queue::{self, Lane};
use super::results;
use super::voice::{Voice, by_opening, is_silent};
use super::words::{Speaker, is_envelope, typed_command};
use crate::evidence::transcript::item::{Actor, ActorGrade, Item, Status, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Reading, WindowMark};
use crate::evidence::transcript::wiped::Text;

/// Reads a `user` row.
pub fn read(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let content = row.path(&["message", "content"]);
    let first = first_text(content);
    let speaker = speaker(row, first);
    let mut has_results = false;
    let mut pieces: Vec<(Voice, String)> = Vec::new();
    if let Some(whole) = content.as_str() {
        pieces = speaker.pieces(whole);
    }
    let mut unknown = Vec::new();
    for block in content.items() {
        match block.get("type").as_str().and_then(blocks::find) {
            Some(Part::Text) => pieces.extend(speaker.pieces(block.get("text").as_str().unwrap_or_default())),
            Some(Part::Line) => pieces.extend(part(block).map(|line| (speaker.voice(), line))),
            Some(Part::Result) => {
                has_results = true;
                push_pieces(std::mem::take(&mut pieces), &mut reading.items);
                let result = results::item(row, block);
                pieces.extend(refusal_words(row, &result));
                reading.items.push(result);
            }
            None if block.is_null() => {}
            // The other known blocks are a model's and have never been seen here.
            _ => unknown.push(block),
        }
    }
    push_pieces(pieces, &mut reading.items);
    unknown.into_iter().for_each(|block| unknown_block("user", block, reading));
    learn_all(reading);
    if !has_results {
        waited(row, content, reading);
    }
}

/// What a person said while refusing a call: the harness puts it into the result. Its field or mark tells it, or its
/// fixed sentence before the words.
fn refusal_words(row: &Json<'_>, result: &Item<Raw>) -> Option<(Voice, String)> {
    let refused = result.tool.as_ref().and_then(|tool| tool.status) == Some(Status::Rejected);
    if !refused || is_child(row) {
        return None;
    }
    let shown = result.text.expose();
    let behind = || shown.split_once("To tell you how to proceed, the user said:\n").map(|(_, words)| words);
    let marked = || Some(shown).filter(|_| flag(row, "holdsPersonsWords"));
    let words = text(row, "userFeedback").or_else(behind).or_else(marked)?;
    let voice = Voice::person(ActorGrade::Proven).with("feedback");
    (!is_silent(words)).then(|| (voice, words.trim().to_owned()))
}

/// Who wrote the texts of a row.
fn speaker(row: &Json<'_>, first: &str) -> Speaker {
    if flag(row, "isCompactSummary") {
        return Speaker::PutIn(Voice::put_in(
            Actor::Harness,
            &["injected:compact_summary", facet::COMPACTION],
        ));
    }
    if flag(row, "interruptedByShutdown") || text(row, "interruptedMessageId").is_some() {
        return Speaker::PutIn(Voice::put_in(Actor::Harness, &["injected:interrupt", facet::INTERRUPT]));
    }
    // A companion of a turn is never a turn of its own.
    if flag(row, "isMeta") || flag(row, "turnCompanion") {
        return Speaker::PutIn(meta(row, first));
    }
    if let Some(speaker) = by_origin(row, first) {
        return speaker;
    }
    if text(row, "sourceToolUseID").is_some() {
        return Speaker::PutIn(Voice::put_in(Actor::Harness, &["injected:skill"]));
    }
    if text(row, "planContent").is_some_and(|plan| first.contains(plan)) {
        return Speaker::PutIn(Voice::put_in(Actor::Harness, &["injected:plan", facet::TASK]));
    }
    match text(row, "rowSource") {
        Some("harness") => return Speaker::PutIn(other(first)),
        Some("hook") => return Speaker::PutIn(Voice::put_in(Actor::Hook, &["injected:hook_context"])),
        _ => {}
    }
    if is_child(row) { Speaker::Child(childs_principal(row)) } else { Speaker::Person(ActorGrade::Assumed) }
}

/// `origin.kind` and `promptSource`, the marks of versions from 2.1.8x on.
pub fn by_origin(row: &Json<'_>, first: &str) -> Option<Speaker> {
    let from_agent = || Voice::put_in(Actor::Agent, &["injected:peer", facet::AGENT_REPORT]);
    match row.path(&["origin", "kind"]).as_str() {
        Some("human") => return Some(Speaker::Person(ActorGrade::Proven)),
        Some("peer" | "coordinator") => return Some(Speaker::PutIn(from_agent())),
        Some("auto-continuation") => {
            return Some(Speaker::PutIn(Voice::put_in(Actor::Harness, &["injected:continuation"])));
        }
        Some("task-notification") => {
            let plain = || Voice::put_in(Actor::Harness, &["injected:notification"]);
            return Some(Speaker::PutIn(by_opening(first).unwrap_or_else(plain)));
        }
        Some(_) => return Some(Speaker::PutIn(other(first))),
        None => {}
    }
    match text(row, "promptSource")? {
        "typed" | "queued" | "sdk" | "suggestion_accepted" => Some(Speaker::Person(ActorGrade::Proven)),
        "system" => Some(Speaker::PutIn(other(first))),
        _ => None,
    }
}

fn other(first: &str) -> Voice {
    by_opening(first).unwrap_or_else(|| Voice::put_in(Actor::Harness, &["injected:other"]))
}

/// The kind of an injected row (`isMeta`).
fn meta(row: &Json<'_>, first: &str) -> Voice {
    if let Some(voice) = by_opening(first) {
        return voice;
    }
    if text(row, "hookText").is_some() || text(row, "rowSource") == Some("hook") {
        return Voice::put_in(Actor::Hook, &["injected:hook_context"]);
    }
    if matches!(row.path(&["origin", "kind"]).as_str(), Some("peer" | "coordinator")) {
        return Voice::put_in(Actor::Agent, &["injected:peer", facet::AGENT_REPORT]);
    }
    let kind = if text(row, "sourceToolUseID").is_some() {
        "injected:skill"
    } else if first.starts_with("[Image: source:") {
        "injected:image_source"
    } else if first.starts_with("Continue from where you left off") {
        "injected:continuation"
    } else if flag(row, "turnCompanion") {
        "injected:notice"
    } else {
        "injected:meta"
    };
    Voice::put_in(Actor::Harness, &[kind])
}

/// The claim of a prompt or notification that may have waited in the queue before. Rules: `queue.rs`.
fn waited(row: &Json<'_>, content: &Json<'_>, reading: &mut Reading<Raw>) {
    if text(row, "promptSource") == Some("typed") {
        // Typed into an idle session: the queue was empty, so nothing that still waits can be this prompt.
        reading.marks.push(WindowMark::Clear(queue::CLASS));
        return;
    }
    // What is enqueued with a picture or a document is enqueued without text.
    if content.items().iter().any(|block| block.get("text").is_null()) {
        return;
    }
    let injected = flag(row, "isMeta") || flag(row, "isCompactSummary") || is_child(row);
    if !injected
        && (has_person(&reading.items) || has_notification(&reading.items) || has_command(&reading.items))
    {
        let whole = whole_text(content);
        let typed = if is_envelope(&whole) { typed_command(&whole) } else { None };
        reading.mirrors.push(queue::claim(Lane::Taken, typed.as_deref().unwrap_or(&whole)));
    }
}

fn has_notification(items: &[Item<Raw>]) -> bool {
    items.iter().any(|item| item.facets.contains(&"injected:notification"))
}

fn has_command(items: &[Item<Raw>]) -> bool {
    items.iter().any(|item| item.facets.contains(&"injected:command"))
}

/// The texts of a prompt as one, the way a queue row has it.
pub fn whole_text<'c>(content: &'c Json<'_>) -> Text<'c> {
    if let Some(text) = content.as_str() {
        return Text::Line(text);
    }
    let texts: Vec<&str> = content.items().iter().filter_map(|block| block.get("text").as_str()).collect();
    Text::from(texts.join("\n"))
}

/// The first text of a content, by which unmarked and injected rows are judged.
pub fn first_text<'c>(content: &'c Json<'_>) -> &'c str {
    let first = || content.items().iter().find_map(|block| block.get("text").as_str());
    content.as_str().or_else(first).unwrap_or_default()
}

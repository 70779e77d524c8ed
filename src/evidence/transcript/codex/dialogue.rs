//! Second tellings of words: `user_message`, `agent_message`, `UserMessage`, `AgentMessage`, and a plan.
//! The raw message is the other carrier; which of the two is told depends only on which came first.

use super::line::{Line, name};
use super::media;
use super::messages::{answer, answer_id_claim, answer_order_claim, copied_prompt, prompt_claim};
use super::parts::{Part, joined, part};
use super::plans;
use crate::evidence::transcript::item::Surface;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Reading, WindowMark};

/// `user_message`: the words, and media in members of their own.
pub fn user_event(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let mut shown = Vec::new();
    for (kind, key) in [("image", "images"), ("audio", "audio")] {
        shown.extend(line.body.get(key).items().iter().map(|url| media::of_url(kind, url.as_str())));
    }
    let mut paths = Vec::new();
    for (kind, key) in [("image", "local_images"), ("audio", "local_audio")] {
        for path in line.body.get(key).items().iter().filter_map(Json::as_str) {
            shown.push(format!("[{kind} at {path}]"));
            paths.push(path);
        }
    }
    prompt(line.text("message").unwrap_or(""), &shown, &paths, reading);
}

/// `UserMessage`: parts.
pub fn user_item(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let parts = line.body.get("content").items();
    let mut words = String::new();
    let mut shown = Vec::new();
    for value in parts {
        match part(value) {
            Part::Text(text) => words.push_str(text),
            Part::Shown(line) => shown.push(line),
            Part::Encrypted => {}
        }
    }
    let paths: Vec<&str> = parts.iter().filter_map(|value| value.get("path").as_str()).collect();
    prompt(&words, &shown, &paths, reading);
}

fn prompt(words: &str, shown: &[String], paths: &[&str], reading: &mut Reading<Raw>) {
    if words.is_empty() && shown.is_empty() {
        return;
    }
    let mut item = copied_prompt(words, shown);
    for path in paths {
        name(&mut item, "path", Some(path));
    }
    if item.surface == Surface::User {
        reading.marks.push(WindowMark::Clear("answer"));
    }
    reading.mirrors.push(prompt_claim(true, words));
    reading.items.push(item);
}

/// `agent_message`: no id, so only order joins it to the raw message.
pub fn agent_event(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = line.text("message").unwrap_or("");
    if !text.is_empty() {
        reading.mirrors.push(answer_order_claim(true, text));
        said(line, text.to_owned(), reading);
    }
}

/// `AgentMessage`: has the raw message's id, except in migrated files, whose items are called `item-<n>`.
pub fn agent_item(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = joined(line.body.get("content"), reading);
    if text.is_empty() {
        return;
    }
    reading.mirrors.push(match line.text("id").filter(|id| !id.starts_with("item-")) {
        Some(id) => answer_id_claim(id, &text),
        None => answer_order_claim(true, &text),
    });
    said(line, text, reading);
}

fn said(line: &Line<'_, '_>, text: String, reading: &mut Reading<Raw>) {
    reading.marks.push(WindowMark::Clear("prompt"));
    reading.items.push(answer(line.text("phase"), text));
}

/// `Plan`: the text of a `<proposed_plan>`. Where the raw answer holds it among other words, both are told.
pub fn plan(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    if let Some(text) = line.text("text").filter(|text| !text.is_empty()) {
        reading.mirrors.push(plans::claim(true, text));
        let mut item = answer(None, text.to_owned());
        item.facets.push("plan");
        reading.items.push(item);
    }
}

//! Outputs as the model saw them. An output record names its call by id and rarely by name.

use super::calls::{as_written, of_call, result};
use super::line::{Line, name};
use super::outcome::{Outcome, judged, running};
use super::parts::joined;
use crate::evidence::transcript::item::{Actor, ActorGrade, Item};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::Reading;
use crate::evidence::transcript::wiped;

/// `function_call_output` and `custom_tool_call_output`.
pub fn output(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let output = line.body.get("output");
    // Some writers keep the envelope of the wire: `{content, success}`.
    let content = match output.get("content") {
        Json::Null => output,
        content => content,
    };
    let text = joined(content, reading);
    let mut outcome = judged(&text);
    if let Some(success) = output.get("success").as_bool() {
        outcome = Outcome { facets: outcome.facets, ..Outcome::succeeded(success) };
    }
    let children = children(&text);
    let answered = is_answer(&text);
    let runs = running(&text).map(|(kind, id)| (kind, id.to_owned()));
    let mut item = result(line.text("name"), line.text("call_id"), outcome, text);
    if answered {
        spoken_by_person(&mut item, ActorGrade::Assumed);
    }
    for (kind, id) in children.iter().chain(&runs) {
        name(&mut item, kind, Some(id));
    }
    reading.items.push(item);
}

/// A person's words stay the result of their call, so that question and answer are joined.
fn spoken_by_person(item: &mut Item<Raw>, grade: ActorGrade) {
    item.actor = Actor::Person;
    item.actor_grade = grade;
    item.facets.push("user_answer");
}

/// `{"answers": {"<question>": {"answers": ["…"]}}}`, what `request_user_input` gives and no output with a head has.
fn is_answer(text: &str) -> bool {
    if !text.starts_with('{') || !text.contains("\"answers\"") {
        return false;
    }
    let Ok(parsed) = Json::parse(text, &[]) else { return false };
    let [(name, questions)] = parsed.value.members() else { return false };
    let questions = questions.members();
    name == "answers"
        && !questions.is_empty()
        && questions.iter().all(|(_, question)| matches!(question.get("answers"), Json::Array(_)))
}

/// Agents and tasks that the agent tools name in fixed places of their answer.
fn children(text: &str) -> Vec<(&'static str, String)> {
    const MARKS: [&str; 3] = ["\"agent_id\"", "\"task_name\"", "\"timed_out\""];
    if !text.starts_with('{') || !MARKS.iter().any(|mark| text.contains(mark)) {
        return Vec::new();
    }
    let Ok(parsed) = Json::parse(text, &[]) else { return Vec::new() };
    let lone = |kind, key| parsed.value.get(key).as_str().map(|id| (kind, id.to_owned()));
    let waited = parsed.value.get("status").members().iter().map(|(id, _)| ("agent", id.to_string()));
    lone("agent", "agent_id").into_iter().chain(lone("task", "task_name")).chain(waited).collect()
}

/// `tool_search_output`: the tools that were offered.
pub fn tool_search(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let outcome = Outcome::named(line.text("status"));
    let item = result(Some("tool_search"), line.text("call_id"), outcome, as_written(line.body.get("tools")));
    reading.items.push(item);
}

/// `retained_context`: the person's answers to `request_user_input`, which the call's output carries, too.
pub fn answers(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let answers: Vec<String> = line
        .body
        .get("questions")
        .items()
        .iter()
        .map(|pair| format!("{}\n{}", as_written(pair.get("question")), as_written(pair.get("answer"))))
        .collect();
    if answers.is_empty() {
        return;
    }
    let mut item = result(
        Some("request_user_input"),
        line.text("call_id"),
        Outcome::succeeded(true),
        wiped::joined(answers, "\n"),
    );
    spoken_by_person(&mut item, ActorGrade::Proven);
    reading.mirrors.extend(line.text("call_id").map(of_call));
    reading.items.push(item);
}

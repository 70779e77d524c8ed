//! What happened to the session: errors, limits, interrupts, rollbacks, compactions, reviews, children. These
//! are events, because without them a reader would believe something false.

use super::line::{Line, listed, name, system};
use super::messages::summary_claim;
use super::wrappers::SUMMARY_PREFIX;
use crate::evidence::transcript::item::{Actor, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading, WindowMark};

/// Pairing windows that a new turn closes.
const WINDOWS: [&str; 8] =
    ["prompt", "answer", "plan", "user_shell", "compaction", "error", "web_search", "image"];

/// `task_started`: nothing of an earlier turn can be copied in this one.
pub fn turn_started(_: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    reading.marks.extend(WINDOWS.map(WindowMark::Clear));
}

/// `task_complete`: an event only where the turn failed; the last message in it is a copy.
pub fn turn_ended(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let error = line.body.get("error");
    if !error.is_null() {
        failed(error, true, vec![facet::API_ERROR, facet::ABORTED_TURN], reading);
    }
}

/// `error`: the same failure, in extended files.
pub fn error(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    failed(line.body, false, vec![facet::API_ERROR], reading);
}

fn failed(error: &Json<'_>, second_lane: bool, mut facets: Vec<&'static str>, reading: &mut Reading<Raw>) {
    let message = error.get("message").as_str().or_else(|| error.as_str()).unwrap_or("");
    let info = error.get("codex_error_info");
    const LIMITS: [&str; 3] = ["usage_limit_exceeded", "session_budget_exceeded", "rate_limit_exceeded"];
    let refused =
        info.members().iter().any(|(_, detail)| detail.get("http_status_code").as_u64() == Some(429));
    // The older builds that gave no kind had an ASCII apostrophe.
    let said = ["You\u{2019}ve hit your usage limit", "You've hit your usage limit"];
    if refused
        || info.as_str().is_some_and(|info| LIMITS.contains(&info))
        || said.iter().any(|opening| message.starts_with(opening))
    {
        facets.push(facet::LIMIT);
    }
    let content = Key::of(&["error", message]);
    reading.mirrors.push(MirrorClaim::Order { class: "error", second_lane, content });
    let text = if message.is_empty() { listed(error, &["codex_error_info"]) } else { message.to_owned() };
    reading.items.push(system(Actor::Harness, facets, text));
}

/// `turn_aborted`.
pub fn turn_aborted(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let mut facets = vec![facet::ABORTED_TURN];
    match line.text("reason") {
        Some("interrupted" | "replaced") => facets.push(facet::INTERRUPT),
        Some("budget_limited") => facets.push(facet::LIMIT),
        _ => {}
    }
    reading.items.push(system(Actor::Harness, facets, listed(line.body, &["reason"])));
}

/// `thread_rolled_back`: the last turns are void; their lines stay.
pub fn rolled_back(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let mut item = system(Actor::Harness, vec![facet::ROLLBACK], listed(line.body, &["num_turns"]));
    let turns = line.body.get("num_turns").as_u64().map(|turns| turns.to_string());
    name(&mut item, "turns", turns.as_deref());
    reading.items.push(item);
}

/// `undo_completed`: files were put back, history was not.
pub fn undone(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    reading.items.push(system(Actor::Harness, vec!["undo"], listed(line.body, &["success", "message"])));
}

/// `compacted`: the summary as the successor got it; what else the model keeps is a copy of earlier lines.
pub fn compacted(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let message = line.text("message").unwrap_or("");
    if message.starts_with(SUMMARY_PREFIX) {
        reading.mirrors.push(summary_claim(true, message));
    }
    reading.items.push(system(
        Actor::Harness,
        vec!["injected:compaction_summary", facet::COMPACTION],
        message,
    ));
}

/// Entering a review, in either mode.
pub fn review_entered(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = listed(line.body, &["target", "prompt", "user_facing_hint"]);
    reading.items.push(system(Actor::Harness, vec!["review"], text));
}

/// Leaving a review: the reviewer's findings, the report of another agent.
pub fn review_left(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = listed(line.body, &["review_output"]);
    let facets = vec!["injected:review_output", "review", facet::AGENT_REPORT];
    let mut item = system(Actor::Agent, facets, text);
    for finding in line.body.path(&["review_output", "findings"]).items() {
        name(&mut item, "path", finding.path(&["code_location", "absolute_file_path"]).as_str());
    }
    reading.items.push(item);
}

/// `SubAgentActivity` and `sub_agent_activity`: the only place in the parent's file that names the child's thread.
pub fn child(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = listed(line.body, &["kind", "agent_thread_id", "agent_path", "model"]);
    let mut item = system(Actor::Harness, vec!["subagent_activity"], text);
    name(&mut item, "agent", line.text("agent_thread_id"));
    name(&mut item, "task", line.text("agent_path"));
    name(&mut item, "model", line.text("model"));
    reading.items.push(item);
}

/// `guardian_assessment`: an event only where the automatic reviewer said no.
pub fn assessed(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    if matches!(line.text("status"), Some("denied" | "timed_out" | "timedOut")) {
        let text = listed(line.body, &["status", "risk_level", "user_authorization", "rationale", "action"]);
        reading.items.push(system(Actor::Harness, vec![facet::REFUSED], text));
    }
}

/// `inter_agent_communication`: the older form of an agent's message.
pub fn agents_talked(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = listed(line.body, &["author", "recipient", "other_recipients", "content", "message"]);
    let mut item = system(Actor::Agent, vec!["injected:agent_message"], text);
    name(&mut item, "agent", line.text("author"));
    name(&mut item, "agent", line.text("recipient"));
    reading.items.push(item);
}

/// `injected_message`: the words of an extension.
pub fn injected(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = listed(line.body, &["role", "message", "content", "text"]);
    reading.items.push(system(Actor::Harness, vec!["injected:message"], text));
}

/// `realtime_item`: only what was spoken is an event.
pub fn spoke(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    if line.text("type") == Some("transcript_segment") {
        let text = listed(line.body, &["data"]);
        reading.items.push(system(Actor::Harness, vec!["injected:realtime_transcript"], text));
    }
}

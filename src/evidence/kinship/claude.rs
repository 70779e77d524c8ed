//! What rows of Claude Code say of other sessions. A child's rows carry the session that it belongs to; the parent's
//! rows name the child where its call came back, while it ran, and in notifications; copies are marked on their rows.

use std::collections::BTreeMap;

use super::said::{By, Heard, Native, Relation};
use crate::evidence::event::line::RecordSpan;
use crate::evidence::transcript::detect::reader_of;
use crate::evidence::transcript::json::Json;

/// Words without which a row behind the head says nothing of others.
pub(super) const NEEDLES: [&str; 7] = [
    "agentId",
    "<task-id>",
    "continued-in",
    "forkedFrom",
    "totalToolUseCount",
    "fork_inherit",
    "\"sessionKind\"",
];

/// Takes one row. `copied` is true in the history that this session inherited: what it names there is not its own.
/// `calls` are those that files beside children name, with the child.
pub(super) fn hear(
    heard: &mut Heard,
    row: &Json<'_>,
    record: RecordSpan,
    copied: bool,
    calls: &BTreeMap<String, Native>,
) {
    if let Some(uuid) = text(row, "uuid") {
        row_of_chain(heard, row, uuid, record);
    }
    match heard.identity.agent.clone() {
        Some(agent) => of_child(heard, row, &agent, record),
        None => of_session(heard, row, record, copied),
    }
    let from_elsewhere = copied || row.get("forkedFrom").is_object();
    if !from_elsewhere {
        children(heard, row, record);
        called(heard, row, record, calls);
    }
}

fn text<'r>(row: &'r Json<'_>, key: &str) -> Option<&'r str> {
    row.get(key).as_str().filter(|text| !text.is_empty())
}

fn row_of_chain(heard: &mut Heard, row: &Json<'_>, uuid: &str, record: RecordSpan) {
    if heard.root.is_none() {
        heard.root = Some(uuid.to_owned());
        heard.root_record = Some(record);
        let parent = text(row, "parentUuid").or(text(row, "logicalParentUuid"));
        heard.follows = parent.map(str::to_owned);
    }
    if heard.follows.as_deref() == Some(uuid) {
        heard.follows = None;
    }
}

/// A child says to which session it belongs, never which call began it.
fn of_child(heard: &mut Heard, row: &Json<'_>, agent: &str, record: RecordSpan) {
    if text(row, "agentId") != Some(agent) {
        return;
    }
    if text(row, "type") == Some("fork-context-ref") {
        if let Some(parent) = text(row, "parentSessionId") {
            heard.add(within(parent), By::ForkContextRef, Some(record));
        }
    } else if text(row, "sessionId") == Some(heard.identity.session.as_str()) {
        heard.add(within(&heard.identity.session.clone()), By::RowSessionId, Some(record));
    }
}

fn within(session: &str) -> Relation {
    Relation::Within(Native::Session(session.to_owned()))
}

fn of_session(heard: &mut Heard, row: &Json<'_>, record: RecordSpan, copied: bool) {
    let own = heard.identity.session.clone();
    let other = |id: Option<&str>| id.filter(|id| *id != own).map(|id| Native::Session(id.to_owned()));
    if text(row, "type") == Some("continued-in") {
        if let Some(next) = other(text(row, "continuedInSessionId")) {
            heard.add(Relation::ContinuedIn(next), By::ContinuedIn, Some(record));
        }
        return;
    }
    heard.copy |= text(row, "cause") == Some("fork_inherit")
        || (text(row, "uuid").is_some() && text(row, "sessionKind") == Some("bg"));
    if let Some(origin) = other(row.get("forkedFrom").get("sessionId").as_str()) {
        heard.add(Relation::Continues(origin), By::ForkedFrom, Some(record));
    }
    if text(row, "uuid").is_none() {
        return;
    }
    if let Some(origin) = other(text(row, "requestSessionId")).filter(|_| copied) {
        heard.add(Relation::Continues(origin), By::RequestSessionId, Some(record));
    }
    let elsewhere = other(text(row, "sessionId"));
    // Some versions rewrite the id on copied answers and keep it on copied prompts: what stands before the first
    // answer of a fork is a copy all the same.
    heard.answered |= elsewhere.is_none() && !copied && text(row, "type") == Some("assistant");
    if let Some(origin) = elsewhere.filter(|_| copied || (heard.identity.forked && !heard.answered)) {
        heard.add(Relation::Continues(origin), By::CopiedRowSessionId, Some(record));
    }
}

/// The call that began a child, as the file beside the child names it.
fn called(heard: &mut Heard, row: &Json<'_>, record: RecordSpan, calls: &BTreeMap<String, Native>) {
    if calls.is_empty() || text(row, "type") != Some("assistant") {
        return;
    }
    for block in row.path(&["message", "content"]).items() {
        let call = text(block, "id").filter(|_| text(block, "type") == Some("tool_use"));
        let child = call.and_then(|call| calls.get(call));
        // A copied call is no second parent: the child's rows carry the session that made it.
        let own = |child: &&Native| matches!(child, Native::Agent { session, .. } if *session == heard.identity.session);
        if let Some(child) = child.filter(own) {
            heard.add(Relation::Began(child.clone()), By::MetaToolUse, Some(record));
        }
    }
}

fn children(heard: &mut Heard, row: &Json<'_>, record: RecordSpan) {
    let session = heard.identity.session.clone();
    let child = |agent: &str| Native::Agent { session: session.clone(), agent: agent.to_owned() };
    let result = row.get("toolUseResult");
    if let Some(agent) = text(result, "agentId") {
        heard.add(Relation::Began(child(agent)), By::ResultAgentId, Some(record));
    } else if !result.get("totalToolUseCount").is_null() {
        heard.nameless += 1;
    }
    let progress = row.get("data");
    if text(progress, "type") == Some("agent_progress")
        && let Some(agent) = text(progress, "agentId")
    {
        heard.add(Relation::Began(child(agent)), By::ProgressAgentId, Some(record));
    }
    for agent in notified(heard, row) {
        heard.add(Relation::Knows(child(&agent)), By::NotificationAgentId, Some(record));
    }
}

/// Agents of which the harness itself notifies, wherever the notification stands; the reader knows its frame from
/// what an agent wrote.
fn notified(heard: &Heard, row: &Json<'_>) -> Vec<String> {
    let kinds = ["user", "attachment", "queue-operation"];
    if !text(row, "type").is_some_and(|kind| kinds.contains(&kind)) {
        return Vec::new();
    }
    let reading = reader_of(heard.identity.harness).read(row);
    let notices = reading.items.iter().filter(|item| item.facets.contains(&"injected:notification"));
    let named = notices.flat_map(|item| &item.entities).filter(|entity| entity.kind == "agent");
    named.map(|entity| entity.value.expose().to_owned()).collect()
}

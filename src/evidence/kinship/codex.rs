//! What lines of Codex say of other threads. A child's own identity line names its parent, a fork's its origin; the
//! parent's lines name children in calls, items and notifications, though not in every version.

use super::said::{By, Heard, Native, Relation};
use crate::evidence::event::line::RecordSpan;
use crate::evidence::transcript::codex::lineage::lineage;
use crate::evidence::transcript::detect::reader_of;
use crate::evidence::transcript::json::Json;

/// Words without which a line behind the head says nothing of others.
pub(super) const NEEDLES: [&str; 8] = [
    "session_meta",
    "subagent_notification",
    "spawn_agent",
    "agent_id",
    "agent_thread_id",
    "receiver_thread_ids",
    "new_thread_id",
    "item_completed",
];

/// Spawning calls that are remembered until their output; a line of output then costs one look.
const SPAWN_CALLS: usize = 10_000;

/// Length of a thread's id, a UUID in text.
const THREAD_ID_CHARS: usize = 36;

/// Takes one line. `copied` is true in the history that this thread inherited: what it names there is not its own.
pub(super) fn hear(heard: &mut Heard, line: &Json<'_>, record: RecordSpan, copied: bool) {
    let payload = if line.get("payload").is_object() { line.get("payload") } else { line };
    if line.get("type").as_str() == Some("session_meta") {
        identity_line(heard, line, payload, record);
    } else if !copied {
        children(heard, line, payload, record);
    }
}

fn text<'r>(line: &'r Json<'_>, key: &str) -> Option<&'r str> {
    line.get(key).as_str().filter(|text| !text.is_empty())
}

fn session(id: &str) -> Native {
    Native::Session(id.to_owned())
}

fn identity_line(heard: &mut Heard, line: &Json<'_>, meta: &Json<'_>, record: RecordSpan) {
    let Some(id) = text(meta, "id").or(text(meta, "session_id")) else { return };
    if id != heard.identity.session {
        heard.ancestors.insert(id.to_owned());
        return;
    }
    let kin = lineage(std::slice::from_ref(line));
    let parent = kin.parent_thread.or(kin.spawned_by);
    if let Some(parent) = &parent {
        heard.add(Relation::BegunBy(session(parent)), By::ParentThreadId, Some(record));
    }
    // The history that a child got from its parent belongs to its beginning, whether by copy or by reference.
    if parent.is_some() && (kin.forked_from.is_none() || kin.forked_from == parent) {
        return;
    }
    if let Some(origin) = &kin.forked_from {
        heard.add(Relation::Continues(session(origin)), By::ForkedFromId, Some(record));
    }
    if let Some(base) = kin.base_rollout {
        heard.add(Relation::Continues(Native::Rollout(base)), By::HistoryBase, Some(record));
    }
}

fn children(heard: &mut Heard, line: &Json<'_>, payload: &Json<'_>, record: RecordSpan) {
    match text(payload, "type") {
        Some("function_call") if text(payload, "name") == Some("spawn_agent") => {
            if let Some(call) = text(payload, "call_id").filter(|_| heard.spawn_calls.len() < SPAWN_CALLS) {
                heard.spawn_calls.insert(call.to_owned());
            }
        }
        Some("function_call_output") => spawn_output(heard, payload, record),
        Some("collab_agent_spawn_end") => {
            begun(heard, text(payload, "new_thread_id"), By::CollabCall, record);
        }
        Some("sub_agent_activity") => activity(heard, payload, record),
        Some("item_completed") => item(heard, payload, record),
        Some("message") => notification(heard, line, record),
        _ => {}
    }
}

fn begun(heard: &mut Heard, child: Option<&str>, by: By, record: RecordSpan) {
    if let Some(child) = child {
        heard.add(Relation::Began(session(child)), by, Some(record));
    }
}

/// Only the output of a spawning call tells a child's id; any other tool may print the same text.
fn spawn_output(heard: &mut Heard, payload: &Json<'_>, record: RecordSpan) {
    let spawned = text(payload, "call_id").is_some_and(|call| heard.spawn_calls.contains(call));
    let Some(output) = text(payload, "output").filter(|_| spawned) else { return };
    if let Ok(parsed) = Json::parse(output, &[]) {
        begun(heard, text(&parsed.value, "agent_id"), By::SpawnOutput, record);
    }
}

fn activity(heard: &mut Heard, body: &Json<'_>, record: RecordSpan) {
    let Some(child) = text(body, "agent_thread_id") else { return };
    let named = session(child);
    let started = text(body, "kind") == Some("started");
    let relation = if started { Relation::Began(named) } else { Relation::Knows(named) };
    heard.add(relation, By::AgentActivity, Some(record));
}

fn item(heard: &mut Heard, payload: &Json<'_>, record: RecordSpan) {
    let item = payload.get("item");
    match text(item, "type") {
        Some("SubAgentActivity") => activity(heard, item, record),
        Some("CollabAgentToolCall") if text(item, "tool") == Some("spawn_agent") => {
            for child in item.get("receiver_thread_ids").items() {
                begun(heard, child.as_str(), By::CollabCall, record);
            }
        }
        _ => {}
    }
    let foreign = text(payload, "thread_id").filter(|thread| *thread != heard.identity.session);
    // A copied history whose end this file cannot prove names its origin.
    let origin =
        |thread: &str| heard.ancestors.contains(thread) || heard.says(&Relation::Continues(session(thread)));
    if let Some(thread) = foreign.filter(|thread| !origin(thread)).map(session) {
        heard.add(Relation::Knows(thread), By::ForeignItem, Some(record));
    }
}

/// The reader tells a `<subagent_notification>` of the harness from a person's words; ids of threads only, v2 has
/// paths there.
fn notification(heard: &mut Heard, line: &Json<'_>, record: RecordSpan) {
    let reading = reader_of(heard.identity.harness).read(line);
    let notices = reading.items.iter().filter(|item| item.facets.contains(&"injected:subagent_notification"));
    for entity in notices.flat_map(|item| &item.entities).filter(|entity| entity.kind == "agent") {
        let id = entity.value.expose();
        if id.len() == THREAD_ID_CHARS {
            heard.add(Relation::Knows(session(id)), By::AgentNotification, Some(record));
        }
    }
}

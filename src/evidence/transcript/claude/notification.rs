//! Notifications of background work: which call they belong to and how it ended. Only the harness's own tags
//! are read, never the report inside `<result>`, which a model wrote.

use super::envelope::{id, text};
use super::words::between;
use crate::evidence::transcript::item::{Entity, Item, Status};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Learnt, Reading};

/// Lets notifications among the items tell how their calls ended.
pub fn learn_all(reading: &mut Reading<Raw>) {
    let mut items = std::mem::take(&mut reading.items);
    items.iter_mut().for_each(|item| learn(item, reading));
    reading.items = items;
}

/// Adds what a notification tells about its call and its task.
fn learn(item: &mut Item<Raw>, reading: &mut Reading<Raw>) {
    if !item.facets.contains(&"injected:notification") {
        return;
    }
    let text = item.text.expose();
    if text.trim_start().starts_with('{') {
        let members = Json::parse(text, &[]).map(|parsed| members(&parsed.value)).unwrap_or_default();
        let (task, learnt) = members;
        reading.learnt.extend(learnt);
        item.entities.extend(task.map(|value| Entity { kind: "task", value }));
        return;
    }
    let frame = text.split_once("<result>").map_or(text, |(frame, _)| frame);
    let (status, exit_code) = outcome(frame);
    let call = between(frame, ("<tool-use-id>", "</tool-use-id>")).filter(|call| *call != "REDACTED");
    if let (Some(call), Some(status)) = (call, status) {
        reading.learnt.push(Learnt { call_id: Raw::from(call), status, exit_code });
    }
    let agent = between(frame, ("<summary>", "</summary>")).is_some_and(|text| text.starts_with("Agent "));
    let shell = || between(frame, ("<shell-id>", "</shell-id>"));
    if let Some(task) = between(frame, ("<task-id>", "</task-id>")).or_else(shell) {
        let kind = if agent { "agent" } else { "task" };
        let value = Raw::from(task);
        item.entities.push(Entity { kind, value });
    }
}

/// The older form, one JSON object: its task, and how the call ended.
fn members(frame: &Json<'_>) -> (Option<Raw>, Option<Learnt<Raw>>) {
    let learnt = id(frame, "tool_use_id").zip(frame.get("status").as_str().and_then(ended));
    let learnt = learnt.map(|(call, status)| {
        let exit_code = text(frame, "summary").and_then(exit_code);
        let failed = status == Status::Ok && exit_code.is_some_and(|code| code != 0);
        let status = if failed { Status::Error } else { status };
        Learnt { call_id: Raw::from(call), status, exit_code }
    });
    (text(frame, "task_id").map(Raw::from), learnt)
}

/// The status of background work as a notification spells it.
pub fn ended(status: &str) -> Option<Status> {
    match status {
        "completed" => Some(Status::Ok),
        "failed" => Some(Status::Error),
        "killed" | "stopped" | "cancelled" => Some(Status::Interrupted),
        _ => None,
    }
}

fn outcome(frame: &str) -> (Option<Status>, Option<u32>) {
    let exit_code = between(frame, ("<summary>", "</summary>")).and_then(exit_code);
    let status = between(frame, ("<status>", "</status>")).and_then(ended);
    let failed = status == Some(Status::Ok) && exit_code.is_some_and(|code| code != 0);
    (if failed { Some(Status::Error) } else { status }, exit_code)
}

/// The harness ends the summary of a command with its exit status; the description before it is the model's.
fn exit_code(summary: &str) -> Option<u32> {
    let (_, rest) = summary.rsplit_once("exit code ")?;
    rest.trim_end_matches(['.', ')']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Raw, Reading, Status, learn};
    use crate::evidence::transcript::claude::voice::by_opening;

    fn read(text: &str) -> (Reading<Raw>, Vec<(&'static str, String)>) {
        let mut reading = Reading::structural("user");
        let mut item = by_opening(text).unwrap().says(text);
        learn(&mut item, &mut reading);
        (
            reading,
            item.entities.iter().map(|entity| (entity.kind, entity.value.expose().to_owned())).collect(),
        )
    }

    #[test]
    fn the_summary_ends_with_the_exit_status() {
        let (reading, entities) = read(
            "<task-notification><task-id>b1</task-id><tool-use-id>t1</tool-use-id><status>completed</status><summary>Background command \"exit code 0\" completed (exit code 3)</summary></task-notification>",
        );
        let learnt = &reading.learnt[0];
        assert_eq!(
            (learnt.call_id.expose(), learnt.status, learnt.exit_code),
            ("t1", Status::Error, Some(3))
        );
        assert_eq!(entities, [("task", "b1".to_owned())]);
    }

    #[test]
    fn the_older_form_is_an_object() {
        let (reading, entities) = read(r#"{"task_id":"b1","tool_use_id":"t1","status":"failed"}"#);
        assert_eq!((reading.learnt[0].call_id.expose(), reading.learnt[0].status), ("t1", Status::Error));
        assert_eq!(entities, [("task", "b1".to_owned())]);
        assert!(read(r#"{"task_id":7,"tool_use_id":"t1"}"#).0.learnt.is_empty());
        assert!(read(r#"{"task_id":"cut"#).1.is_empty());
    }

    #[test]
    fn a_report_cannot_forge_the_frame() {
        let (reading, entities) = read(
            "<task-notification><task-id>a1</task-id><summary>Agent \"x\" finished</summary><result><tool-use-id>t9</tool-use-id><status>failed</status></result>",
        );
        assert!(reading.learnt.is_empty());
        assert_eq!(entities, [("agent", "a1".to_owned())]);
    }
}

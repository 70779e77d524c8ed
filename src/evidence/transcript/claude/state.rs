//! Rows without an id that tell more than the state of the interface: where the conversation went on, that it
//! ended or was taken back, that a call was denied, and the calls and results of versions before 1.0. State rows
//! are written again and again; one with a time of its own is told once.

use super::assistant::call;
use super::envelope::text;
use super::outcome;
use super::parts::shown;
use super::voice::{Voice, is_silent};
use crate::evidence::transcript::item::{Actor, ActorGrade, Entity, Status, Surface, Tool, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading};

/// The name space of state rows that are told once.
const STATE: &str = "state";

/// `continued-in`: the conversation goes on in another file.
pub fn continued_in(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let session = text(row, "continuedInSessionId");
    let told = match session {
        Some(session) => format!("The conversation goes on in session {session}."),
        None => "The conversation goes on in another session.".to_owned(),
    };
    say(told, &["continued"], reading);
    if let (Some(item), Some(session)) = (reading.items.last_mut(), session) {
        item.entities.push(Entity { kind: "session", value: Raw::from(session) });
    }
    told_once(row, &["continued-in", session.unwrap_or_default()], reading);
}

/// `ended-by-model`: the model ended the conversation, and the session takes no further turn.
pub fn ended_by_model(row: &Json<'_>, reading: &mut Reading<Raw>) {
    say("The model ended the conversation.", &["ended_by_model"], reading);
    told_once(row, &["ended-by-model"], reading);
}

/// `last-prompt` that somebody set (`explicit`): the only row that a rewind or a clear leaves in its file. The
/// row without that mark is bookkeeping.
pub fn last_prompt(row: &Json<'_>, reading: &mut Reading<Raw>) {
    if row.get("explicit").as_bool() == Some(true) {
        let told = "The conversation was cleared or taken back to an earlier message.";
        say(told, &[facet::ROLLBACK], reading);
    }
}

/// `rewind-pointer`: the conversation goes on behind an earlier row.
pub fn rewind_pointer(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let told = match text(row, "rewindToUuid") {
        Some(id) => format!("The conversation was taken back to message {id}."),
        None => "The conversation was taken back to an earlier message.".to_owned(),
    };
    say(told, &[facet::ROLLBACK], reading);
}

/// `marble-origami-commit`: a stretch of the conversation was replaced by a summary for the model.
pub fn collapse(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let summary = ["summaryContent", "summary"].into_iter().find_map(|key| text(row, key));
    let told = summary.map_or_else(
        || "A stretch of the conversation was replaced by a summary for the model.".to_owned(),
        |summary| format!("A stretch of the conversation was replaced by this summary:\n{summary}"),
    );
    say(told, &["injected:compact_summary", facet::COMPACTION], reading);
    if let Some(id) = text(row, "collapseId") {
        claim(&["marble-origami-commit", id], reading);
    }
}

/// `auto-mode-denial`, `permission-denial`: a call was not allowed.
pub fn denial(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let what = text(row, "toolName").map_or_else(|| "A call".to_owned(), |name| format!("A call of {name}"));
    let told = match text(row, "reason") {
        Some(reason) => format!("{what} was denied: {reason}"),
        None => format!("{what} was denied."),
    };
    say(told, &[facet::REFUSED], reading);
}

/// `tool_use` as a row: its members are those of the block.
pub fn old_call(row: &Json<'_>, reading: &mut Reading<Raw>) {
    reading.items.push(call(row));
}

/// `tool_result` as a row. It has no id of its call, and seldom a mark of success: what has none proves nothing.
pub fn old_result(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let output = ["output", "content"].into_iter().map(|key| row.get(key)).find(|part| !part.is_null());
    let words = output.map(shown).unwrap_or_default();
    let mut outcome = outcome::of(row, row, &words);
    if row.get("is_error").as_bool().is_none() && outcome.status == Status::Ok {
        (outcome.status, outcome.exit_code) = (Status::Unknown, None);
    }
    let (actor, grade) = (Actor::Tool, ActorGrade::Proven);
    let mut item = Voice { surface: Surface::ToolResult, actor, grade, facets: outcome.facets }.says(words);
    item.tool = Some(Tool {
        name: text(row, "name").map(Raw::from),
        call_id: text(row, "tool_use_id").map(Raw::from),
        status: Some(outcome.status),
        exit_code: outcome.exit_code,
    });
    reading.items.push(item);
}

fn say(words: impl Into<String>, facets: &[&'static str], reading: &mut Reading<Raw>) {
    let words = words.into();
    if !is_silent(&words) {
        reading.items.push(Voice::put_in(Actor::Harness, facets).says(words));
    }
}

/// The same row again, word for word and with the same time, is the same fact.
fn told_once(row: &Json<'_>, parts: &[&str], reading: &mut Reading<Raw>) {
    if let Some(time) = text(row, "timestamp") {
        claim(&[parts, &[text(row, "sessionId").unwrap_or_default(), time]].concat(), reading);
    }
}

fn claim(id: &[&str], reading: &mut Reading<Raw>) {
    let words: Vec<&str> = reading.items.iter().map(|item| item.text.expose()).collect();
    reading.mirrors.push(MirrorClaim::Id { class: STATE, id: Key::of(id), content: Key::of(&words) });
}

#[cfg(test)]
mod tests {
    use super::{
        Json, Raw, Reading, Status, collapse, continued_in, denial, ended_by_model, facet, last_prompt,
        old_call, old_result, rewind_pointer,
    };

    fn read(fill: fn(&Json<'_>, &mut Reading<Raw>), row: &str) -> Reading<Raw> {
        let mut reading = Reading::structural("state");
        fill(&Json::parse(row, &[]).unwrap().value, &mut reading);
        reading
    }

    fn told(reading: &Reading<Raw>) -> Vec<(&str, &[&'static str])> {
        reading.items.iter().map(|item| (item.text.expose(), item.facets.as_slice())).collect()
    }

    #[test]
    fn the_file_that_goes_on_is_named_and_told_once() {
        let row = r#"{"type":"continued-in","sessionId":"s","continuedInSessionId":"n","timestamp":"t1"}"#;
        let first = read(continued_in, row);
        assert_eq!(told(&first), [("The conversation goes on in session n.", ["continued"].as_slice())]);
        assert_eq!(first.items[0].entities[0].value.expose(), "n");
        assert_eq!(first.mirrors, read(continued_in, row).mirrors);
        assert_ne!(first.mirrors, read(continued_in, &row.replace("t1", "t2")).mirrors);
        assert!(read(continued_in, r#"{"sessionId":"s"}"#).mirrors.is_empty());
    }

    #[test]
    fn an_end_by_the_model_is_an_event() {
        let ended = read(ended_by_model, r#"{"sessionId":"s","timestamp":"t"}"#);
        assert_eq!(told(&ended), [("The model ended the conversation.", ["ended_by_model"].as_slice())]);
    }

    #[test]
    fn only_an_explicit_last_prompt_takes_the_conversation_back() {
        let zero = "00000000-0000-0000-0000-000000000000";
        let rewound = read(last_prompt, &format!(r#"{{"leafUuid":"{zero}","explicit":true}}"#));
        assert_eq!(rewound.items[0].facets, [facet::ROLLBACK]);
        assert!(read(last_prompt, r#"{"lastPrompt":"hi","leafUuid":"u"}"#).items.is_empty());
        let pointer = read(rewind_pointer, r#"{"rewindToUuid":"u1"}"#);
        assert_eq!(
            told(&pointer),
            [("The conversation was taken back to message u1.", [facet::ROLLBACK].as_slice())]
        );
    }

    #[test]
    fn a_collapse_is_a_compaction_with_its_summary() {
        let row = r#"{"collapseId":"c1","summaryUuid":"u","summaryContent":"They chose B.","summary":"x"}"#;
        let collapsed = read(collapse, row);
        assert!(told(&collapsed)[0].0.ends_with("summary:\nThey chose B."));
        assert_eq!(collapsed.items[0].facets, ["injected:compact_summary", facet::COMPACTION]);
        assert_eq!(collapsed.mirrors.len(), 1);
    }

    #[test]
    fn a_denial_names_the_tool_and_the_reason() {
        let row = r#"{"type":"auto-mode-denial","toolName":"Bash","reason":"it deletes"}"#;
        assert_eq!(
            told(&read(denial, row)),
            [("A call of Bash was denied: it deletes", [facet::REFUSED].as_slice())]
        );
        assert_eq!(told(&read(denial, "{}"))[0].0, "A call was denied.");
    }

    #[test]
    fn calls_and_results_as_rows_are_events_and_a_result_without_a_mark_proves_nothing() {
        let call = read(old_call, r#"{"type":"tool_use","name":"bash","input":{"command":"ls"}}"#);
        assert_eq!(told(&call), [(r#"{"command":"ls"}"#, [].as_slice())]);
        let status = |row: &str| {
            let reading = read(old_result, row);
            let tool = reading.items[0].tool.as_ref().unwrap();
            (reading.items[0].text.expose().to_owned(), tool.status.unwrap(), tool.exit_code)
        };
        let row = r##"{"type":"tool_result","name":"bash","output":"# Title\n"}"##;
        assert_eq!(status(row), ("# Title\n".to_owned(), Status::Unknown, None));
        let failed = r#"{"type":"tool_result","content":"no such file","is_error":true}"#;
        assert_eq!(status(failed), ("no such file".to_owned(), Status::Error, None));
        assert_eq!(status(r#"{"is_error":false}"#), (String::new(), Status::Ok, None));
    }
}

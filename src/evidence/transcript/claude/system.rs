//! `system` rows that change what a reader believes: errors of the service, compactions, hook blocks,
//! refusals. What they say is told in the harness's text where it has one, else in our words from listed
//! fields.

use super::envelope::{flag, push_pieces, text};
use super::notification::ended;
use super::voice::{Voice, is_silent};
use super::words::Speaker;
use crate::evidence::transcript::item::{Actor, ActorGrade, Entity, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Learnt, Reading};

/// `api_error`: one failed attempt, perhaps of several.
pub fn api_error(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let error = row.get("error");
    let message = ["formatted", "message"].into_iter().find_map(|key| text(error, key));
    let nested = || text(error.path(&["error", "error"]), "message");
    let cause = || text(error.get("connection"), "message").or_else(|| text(error.get("cause"), "code"));
    let status = error.get("status").as_u64();
    let mut words = vec![message.or_else(nested).or_else(cause).unwrap_or("API error").to_owned()];
    words.extend(status.map(|status| format!("status {status}")));
    if let (Some(attempt), Some(most)) = (row.get("retryAttempt").as_u64(), row.get("maxRetries").as_u64()) {
        words.push(format!("attempt {attempt} of {most}"));
    }
    let voice = Voice::put_in(Actor::Harness, &[facet::API_ERROR]);
    let voice = if status == Some(429) { voice.with(facet::LIMIT) } else { voice };
    reading.items.push(voice.says(words.join(", ")));
}

/// `compact_boundary`.
pub fn compact_boundary(row: &Json<'_>, reading: &mut Reading<Raw>) {
    compaction("Conversation compacted", row.get("compactMetadata"), reading);
}

/// `microcompact_boundary`: old tool outputs are no longer shown to the model; the rows keep them.
pub fn microcompact_boundary(row: &Json<'_>, reading: &mut Reading<Raw>) {
    compaction("Old tool outputs cleared for the model", row.get("microcompactMetadata"), reading);
}

fn compaction(what: &str, metadata: &Json<'_>, reading: &mut Reading<Raw>) {
    let mut words: Vec<String> = text(metadata, "trigger").map(ToOwned::to_owned).into_iter().collect();
    for (key, says) in [("preTokens", "before"), ("postTokens", "after"), ("tokensSaved", "saved")] {
        words.extend(metadata.get(key).as_u64().map(|tokens| format!("{tokens} tokens {says}")));
    }
    let told = if words.is_empty() { what.to_owned() } else { format!("{what} ({})", words.join(", ")) };
    reading.items.push(Voice::put_in(Actor::Harness, &[facet::COMPACTION]).says(told));
}

/// `informational`: a notice to the person, or the only place where a prompt blocked by a hook survives.
pub fn informational(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let Some(words) = text(row, "content") else { return };
    let blocked =
        flag(row, "preventContinuation") || words.starts_with("UserPromptSubmit operation blocked by hook");
    let voice = if blocked {
        Voice::put_in(Actor::Hook, &[facet::BLOCKED_PROMPT, facet::HOOK_BLOCK])
    } else {
        Voice::put_in(Actor::Harness, &["notice"])
    };
    reading.items.push(voice.says(words));
}

/// `stop_hook_summary`: of interest where a hook kept the session from ending, failed, or put a text before the
/// model. Versions that do not say which errors are failures (`failedHookErrorIndexes`) tell an objection by a row
/// of its own, too.
pub fn stop_hook_summary(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let failed = row.get("failedHookErrorIndexes");
    let is_objection = |place: usize| {
        let place = place as u64;
        matches!(failed, Json::Array(_)) && !failed.items().iter().any(|index| index.as_u64() == Some(place))
    };
    let errors = row.get("hookErrors").items().iter().filter_map(Json::as_str).enumerate();
    let (mut objections, failures): (Vec<_>, Vec<_>) = errors.partition(|(place, _)| is_objection(*place));
    let reason = text(row, "stopReason").unwrap_or("A stop hook prevented the continuation.");
    objections.extend(flag(row, "preventedContinuation").then_some((0, reason)));
    let context: Vec<_> =
        row.get("hookAdditionalContext").items().iter().filter_map(Json::as_str).enumerate().collect();
    for (texts, facet) in [
        (objections, facet::HOOK_BLOCK),
        (failures, "injected:hook_error"),
        (context, "injected:hook_context"),
    ] {
        let words: Vec<&str> = texts.into_iter().map(|(_, words)| words).collect();
        let words = words.join("\n");
        if !is_silent(&words) {
            reading.items.push(Voice::put_in(Actor::Hook, &[facet]).says(words));
        }
    }
}

/// `local_command`: the envelope of a slash command, or what it printed.
pub fn local_command(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let run = row.get("commandRun");
    let command = || {
        let name = text(run, "command").map(|name| name.trim_start_matches('/'))?;
        let args = text(run, "args").unwrap_or_default();
        Some(format!("<command-name>/{name}</command-name><command-args>{args}</command-args>"))
    };
    let content = text(row, "content").map(ToOwned::to_owned).or_else(command).unwrap_or_default();
    push_pieces(Speaker::Person(ActorGrade::Assumed).pieces(&content), &mut reading.items);
}

/// `away_summary`: a recap that a model wrote for the person.
pub fn away_summary(row: &Json<'_>, reading: &mut Reading<Raw>) {
    content(row, &["injected:away_summary"], reading);
}

/// `scheduled_task_fire`: the prompt itself is the injected user row behind it.
pub fn scheduled_task_fire(row: &Json<'_>, reading: &mut Reading<Raw>) {
    content(row, &["injected:scheduled"], reading);
}

/// `permission_retry`: told where it has words.
pub fn notice(row: &Json<'_>, reading: &mut Reading<Raw>) {
    content(row, &["notice"], reading);
}

/// `task_notification`: how background work ended, for the call that began it.
pub fn task_notification(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let call = ["tool_use_id", "toolUseId"].into_iter().find_map(|key| text(row, key));
    if let (Some(call), Some(status)) = (call, row.get("status").as_str().and_then(ended)) {
        reading.learnt.push(Learnt { call_id: Raw::from(call), status, exit_code: None });
    }
}

fn content(row: &Json<'_>, facets: &[&'static str], reading: &mut Reading<Raw>) {
    let words = text(row, "content").filter(|words| !is_silent(words));
    reading.items.extend(words.map(|words| Voice::put_in(Actor::Harness, facets).says(words)));
}

/// `model_refusal_*`, `model_*fallback`, `api_refusal`: the model declined or was replaced; rows may have
/// been withdrawn.
pub fn refusal(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let models = match (text(row, "originalModel"), text(row, "fallbackModel")) {
        (Some(original), Some(fallback)) => Some(format!("Model {original} was replaced by {fallback}")),
        (Some(original), None) => Some(format!("Model {original} refused")),
        (None, _) => None,
    };
    let retracted = row.get("retractedMessageUuids").items().len();
    let mut words: Vec<String> = text(row, "content").map(ToOwned::to_owned).into_iter().collect();
    words.extend(models);
    for key in ["apiRefusalCategory", "apiRefusalExplanation"] {
        words.extend(text(row, key).map(ToOwned::to_owned));
    }
    if retracted > 0 {
        words.push(format!("{retracted} messages withdrawn"));
    }
    if words.is_empty() {
        words.push("The model refused".to_owned());
    }
    let voice = Voice::put_in(Actor::Harness, &["refusal"]);
    let voice = if retracted > 0 { voice.with(facet::ROLLBACK) } else { voice };
    let mut item = voice.says(words.join("\n"));
    let rows = row.get("retractedMessageUuids").items().iter().filter_map(Json::as_str);
    item.entities = rows.map(|uuid| Entity { kind: "withdrawn", value: Raw::from(uuid) }).collect();
    reading.items.push(item);
}

/// `agents_killed`.
pub fn agents_killed(_: &Json<'_>, reading: &mut Reading<Raw>) {
    let voice = Voice::put_in(Actor::Harness, &[facet::INTERRUPT]);
    reading.items.push(voice.says("All background agents were stopped."));
}

#[cfg(test)]
mod tests {
    use super::{
        Json, Raw, Reading, api_error, compact_boundary, facet, informational, local_command, refusal,
        stop_hook_summary, task_notification,
    };
    use crate::evidence::transcript::item::Status;

    fn check(fill: fn(&Json<'_>, &mut Reading<Raw>), row: &str, expected: Option<(&str, &[&str])>) {
        let mut reading = Reading::structural("system");
        fill(&Json::parse(row, &[]).unwrap().value, &mut reading);
        let item = reading.items.first().map(|item| (item.text.expose(), item.facets.as_slice()));
        assert_eq!(item, expected, "{row}");
    }

    #[test]
    fn an_attempt_says_which_and_why() {
        let nested = r#"{"error":{"status":529,"error":{"error":{"message":"Overloaded"}}},"retryAttempt":2,"maxRetries":10}"#;
        check(api_error, nested, Some(("Overloaded, status 529, attempt 2 of 10", &[facet::API_ERROR])));
        let limit = r#"{"error":{"message":"m","status":429}}"#;
        check(api_error, limit, Some(("m, status 429", &[facet::API_ERROR, facet::LIMIT])));
        check(api_error, r#"{"error":{}}"#, Some(("API error", &[facet::API_ERROR])));
    }

    #[test]
    fn a_boundary_is_told_from_its_numbers() {
        let row = r#"{"content":"x","compactMetadata":{"trigger":"auto","preTokens":170240}}"#;
        let told = "Conversation compacted (auto, 170240 tokens before)";
        check(compact_boundary, row, Some((told, &[facet::COMPACTION])));
        check(
            compact_boundary,
            r#"{"compactMetadata":[]}"#,
            Some(("Conversation compacted", &[facet::COMPACTION])),
        );
    }

    #[test]
    fn a_blocked_prompt_is_no_notice() {
        let words = "UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: x";
        let row = format!(r#"{{"content":{}}}"#, Json::String(words.into()).to_text());
        check(informational, &row, Some((words, &[facet::BLOCKED_PROMPT, facet::HOOK_BLOCK])));
        check(informational, r#"{"content":"Tip"}"#, Some(("Tip", &["notice"])));
    }

    #[test]
    fn a_stop_hook_without_objection_is_bookkeeping() {
        check(stop_hook_summary, r#"{"hookErrors":[],"preventedContinuation":false}"#, None);
        check(stop_hook_summary, r#"{"hookErrors":["exit 1"]}"#, Some(("exit 1", &["injected:hook_error"])));
        let objection = r#"{"hookErrors":["say more"],"failedHookErrorIndexes":[]}"#;
        check(stop_hook_summary, objection, Some(("say more", &[facet::HOOK_BLOCK])));
        let failure = r#"{"hookErrors":["exit 1"],"failedHookErrorIndexes":[0]}"#;
        check(stop_hook_summary, failure, Some(("exit 1", &["injected:hook_error"])));
        let stopped = r#"{"preventedContinuation":true,"stopReason":"enough"}"#;
        check(stop_hook_summary, stopped, Some(("enough", &[facet::HOOK_BLOCK])));
        let context = r#"{"hookErrors":[],"hookAdditionalContext":["keep going"]}"#;
        check(stop_hook_summary, context, Some(("keep going", &["injected:hook_context"])));
    }

    #[test]
    fn a_command_without_its_envelope_is_made_from_its_parts() {
        let row = r#"{"commandRun":{"command":"rename","args":"demo"}}"#;
        let mut reading = Reading::structural("system");
        local_command(&Json::parse(row, &[]).unwrap().value, &mut reading);
        let told: Vec<&str> = reading.items.iter().map(|item| item.text.expose()).collect();
        assert_eq!(told, ["<command-name>/rename</command-name>", "demo"]);
    }

    #[test]
    fn a_notification_of_the_program_tells_how_the_call_ended() {
        let row = r#"{"tool_use_id":"t1","task_id":"b1","status":"stopped"}"#;
        let mut reading = Reading::structural("system");
        task_notification(&Json::parse(row, &[]).unwrap().value, &mut reading);
        assert!(reading.items.is_empty());
        assert_eq!(
            (reading.learnt[0].call_id.expose(), reading.learnt[0].status),
            ("t1", Status::Interrupted)
        );
    }

    #[test]
    fn withdrawn_rows_are_a_rollback() {
        let row = r#"{"originalModel":"a","fallbackModel":"b","retractedMessageUuids":["u"]}"#;
        check(
            refusal,
            row,
            Some(("Model a was replaced by b\n1 messages withdrawn", &["refusal", facet::ROLLBACK])),
        );
    }
}

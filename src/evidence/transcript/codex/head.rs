//! Where a rollout's own work begins, from native marks of single records: ordinals of a child, copied identity
//! lines, inherited messages, and turn ids, which keep the time of their making when a fork copies them. What
//! none of these proves stays the session's own.

use super::identity::{is_session_meta, made_at_ms};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::reading::{Head, Identity};

/// A fork writes its copies and its first settings in one go; later settings come from a resume.
const FORK_MS: u64 = 60_000;

/// What the record says about inherited history.
pub fn head(identity: &Identity, record: &Json<'_>) -> Head {
    let payload = record.get("payload");
    let is_meta = is_session_meta(record);
    if is_meta && payload.get("id").as_str() != Some(identity.session.as_str()) {
        return Head::Inherited(false);
    }
    if let (Some(own_from), Some(ordinal)) = (identity.own_from, record.get("ordinal").as_u64()) {
        return match ordinal < own_from {
            true if is_meta => Head::Neutral,
            true => Head::Inherited(false),
            false => Head::BeginsOwn,
        };
    }
    if record.path(&["metadata", "inherited_user_message"]).as_bool() == Some(true) {
        return Head::Inherited(false);
    }
    if is_meta {
        return Head::Neutral;
    }
    if !identity.forked {
        return if is_work(record) { Head::Own } else { Head::Neutral };
    }
    if payload.get("type").as_str() == Some("thread_settings_applied") {
        return settings(identity, record, payload);
    }
    match (made_at_ms(&identity.session), turn_id(payload).and_then(made_at_ms)) {
        (Some(thread_ms), Some(turn_ms)) if turn_ms < thread_ms => Head::Inherited(false),
        (Some(_), Some(_)) => Head::Own,
        _ => Head::Neutral,
    }
}

/// A fork by copy ends its copies with settings of its own thread.
fn settings(identity: &Identity, record: &Json<'_>, payload: &Json<'_>) -> Head {
    match payload.get("thread_id").as_str() {
        None => Head::Neutral,
        Some(thread) if thread != identity.session => Head::Inherited(false),
        Some(_) => match (made_at_ms(&identity.session), written_at_ms(record)) {
            (Some(made), Some(written)) if written > made.saturating_add(FORK_MS) => Head::Own,
            _ => Head::BeginsOwn,
        },
    }
}

fn written_at_ms(record: &Json<'_>) -> Option<u64> {
    let time: jiff::Timestamp = record.get("timestamp").as_str()?.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

/// The turn that a record belongs to.
fn turn_id<'j>(payload: &'j Json<'_>) -> Option<&'j str> {
    ["internal_chat_message_metadata_passthrough", "metadata"]
        .iter()
        .find_map(|key| payload.get(key).get("turn_id").as_str())
        .or_else(|| payload.get("turn_id").as_str())
}

/// The model's words or calls.
fn is_work(record: &Json<'_>) -> bool {
    let payload = record.get("payload");
    let body = match payload.get("item") {
        Json::Null if payload.is_object() => payload,
        Json::Null => record,
        item => item,
    };
    match body.get("type").as_str() {
        Some("message") => body.get("role").as_str() == Some("assistant"),
        Some("function_call" | "custom_tool_call" | "local_shell_call" | "AgentMessage") => true,
        // In an event it is the model's answer, in a response item the words of another agent.
        Some("agent_message") => record.get("type").as_str() == Some("event_msg"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::head;
    use crate::base::ids::Harness;
    use crate::evidence::transcript::json::Json;
    use crate::evidence::transcript::reading::{Head, Identity};

    const THREAD: &str = "01a229c3-4bc6-7013-b262-da0497828b81";
    const OLDER_TURN: &str = "01a229c3-4b9e-7fc3-bf61-3537ca33edc2";
    const OWN_TURN: &str = "01a229c3-4beb-7ff3-898f-ff6d1b9a1bd9";

    fn asked(forked: bool, own_from: Option<u64>, record: &str) -> Head {
        let identity = Identity {
            harness: Harness::Codex,
            session: THREAD.to_owned(),
            agent: None,
            rollout: None,
            form: "codex-legacy",
            own_from,
            forked,
            child: false,
        };
        head(&identity, &Json::parse(record, &[]).unwrap().value)
    }

    #[test]
    fn without_a_fork_the_first_answer_is_own_work() {
        let answer =
            r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[]}}"#;
        assert_eq!(asked(false, None, answer), Head::Own);
        assert_eq!(asked(false, None, r#"{"type":"message","role":"assistant","content":[]}"#), Head::Own);
        assert_eq!(asked(true, None, answer), Head::Neutral);
    }

    #[test]
    fn a_foreign_identity_line_is_inherited_and_the_own_one_says_nothing() {
        let meta = |id: &str| format!(r#"{{"type":"session_meta","payload":{{"id":"{id}"}}}}"#);
        assert_eq!(asked(true, None, &meta("other")), Head::Inherited(false));
        assert_eq!(asked(true, None, &meta(THREAD)), Head::Neutral);
    }

    #[test]
    fn a_childs_ordinals_are_exact() {
        let line = |ordinal| format!(r#"{{"ordinal":{ordinal},"type":"turn_context","payload":{{}}}}"#);
        assert_eq!(asked(true, Some(14), &line(13)), Head::Inherited(false));
        assert_eq!(asked(true, Some(14), &line(14)), Head::BeginsOwn);
    }

    #[test]
    fn turn_ids_tell_copies_from_own_turns_in_a_fork() {
        let turn = |id: &str| {
            format!(r#"{{"type":"event_msg","payload":{{"type":"task_started","turn_id":"{id}"}}}}"#)
        };
        assert_eq!(asked(true, None, &turn(OLDER_TURN)), Head::Inherited(false));
        assert_eq!(asked(true, None, &turn(OWN_TURN)), Head::Own);
        assert_eq!(asked(false, None, &turn(OLDER_TURN)), Head::Neutral);
    }

    #[test]
    fn settings_begin_own_work_only_in_the_moment_of_the_fork() {
        let line = |time: &str, id: &str| {
            format!(
                r#"{{"timestamp":"{time}","type":"event_msg","payload":{{"type":"thread_settings_applied","thread_id":"{id}"}}}}"#
            )
        };
        let at_fork = "2026-11-30T00:03:14.532Z";
        assert_eq!(asked(true, None, &line(at_fork, THREAD)), Head::BeginsOwn);
        assert_eq!(asked(true, None, &line("2026-12-01T00:00:00.000Z", THREAD)), Head::Own);
        assert_eq!(asked(true, None, &line(at_fork, "parent")), Head::Inherited(false));
    }
}

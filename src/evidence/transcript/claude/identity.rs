//! Which session a file holds, from its name and the first records, and whether those records name another
//! session that this one was copied from.

use super::envelope::{flag, text};
use super::kinds;
use crate::base::ids::Harness;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::reading::{Head, Identity};

/// The form of these files.
const FORM: &str = "claude-jsonl";

/// `None` if the head is no Claude Code session. `file_stem` is the name without `.jsonl`, `head` the first
/// parsable records.
///
/// The stem is the session id if it is a UUID: rows may carry the id of another session (copies, a file put
/// under another name). `agent-<id>` is a child; its rows carry the id of the session it belongs to.
pub fn identify(file_stem: &str, head: &[Json<'_>]) -> Option<Identity> {
    if !head.iter().any(is_claude) {
        return None;
    }
    let on_rows = head.iter().find_map(|row| text(row, "sessionId"));
    // A file of snapshots or titles alone names no session: its first row's own id is the only identity it has.
    let on_rows = on_rows.or_else(|| {
        head.iter()
            .find(|row| is_claude(row))
            .and_then(|row| text(row, "messageId").or(text(row, "leafUuid")))
    });
    let child = file_stem.strip_prefix("agent-").filter(|id| !id.is_empty());
    let (session, agent) = match child {
        Some(agent) => (on_rows?, Some(agent)),
        None if is_uuid(file_stem) => (file_stem, None),
        None => (on_rows?, head.iter().find(|row| text(row, "uuid").is_some()).and_then(agent_of)),
    };
    Some(Identity {
        harness: Harness::Claude,
        session: session.to_owned(),
        agent: agent.map(ToOwned::to_owned),
        rollout: None,
        form: FORM,
        own_from: None,
        forked: is_forked(session, agent.is_some(), head),
        child: agent.is_some(),
    })
}

/// What a record of the head says about inherited history. Copies stand at the start of the file, so whatever
/// is before a marked row belongs to them.
pub fn head(identity: &Identity, record: &Json<'_>) -> Head {
    if record.get("forkedFrom").is_object() {
        return Head::Inherited(true);
    }
    if record.get("type").as_str() != Some("assistant") {
        return Head::Neutral;
    }
    // `--fork-session` marks only copied answers: up to 2.1.42 by the row's own `sessionId` (not in every
    // version), in 2.1.332 by `requestSessionId`. A file under another name has the foreign id on all of its
    // rows; that is no fork.
    let foreign = |key| text(record, key).is_some_and(|id| id != identity.session);
    if foreign("requestSessionId") || (identity.forked && foreign("sessionId")) {
        return Head::Inherited(true);
    }
    Head::Own
}

fn is_claude(row: &Json<'_>) -> bool {
    let Some(kind) = text(row, "type") else { return false };
    match kind {
        "summary" => text(row, "leafUuid").is_some() && row.get("summary").as_str().is_some(),
        "file-history-snapshot" | "file-history-delta" => text(row, "messageId").is_some(),
        // The journal of a workflow has rows without a session; captures of the SDK's stream write
        // `session_id`.
        "started" | "result" | "launched" | "failed" => false,
        "user" | "assistant" => text(row, "sessionId").is_some() && row.get("message").is_object(),
        "system" | "attachment" | "progress" | "queue-operation" => text(row, "sessionId").is_some(),
        _ => text(row, "sessionId").is_some() && kinds::find(row).is_ok(),
    }
}

/// The child's id on the row of a child whose file has lost its name.
fn agent_of<'r>(row: &'r Json<'_>) -> Option<&'r str> {
    if flag(row, "isSidechain") { text(row, "agentId") } else { None }
}

/// Only what stands before the session's first own answer is a copy: an old version wrote the rows of a fork
/// behind the rows of its origin. In a child's file the ids of two sessions mean that a resumed session
/// resumed the child.
fn is_forked(session: &str, child: bool, head: &[Json<'_>]) -> bool {
    let own = head.iter().any(|row| text(row, "sessionId") == Some(session));
    let foreign = |row: &Json<'_>, key: &str| text(row, key).is_some_and(|id| id != session);
    let copied = |row: &Json<'_>| row.get("forkedFrom").is_object() || foreign(row, "requestSessionId");
    let elsewhere =
        |row: &Json<'_>| own && !child && text(row, "uuid").is_some() && foreign(row, "sessionId");
    let answer = |row: &Json<'_>| row.get("type").as_str() == Some("assistant");
    head.iter()
        .take_while(|row| !answer(row) || copied(row) || foreign(row, "sessionId"))
        .any(|row| copied(row) || elsewhere(row) || row.get("cause").as_str() == Some("fork_inherit"))
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::{Head, Identity, Json, head, identify};

    const STEM: &str = "00000000-0000-4000-8000-000000000001";

    fn named(stem: &str, rows: &[&str]) -> Option<Identity> {
        let rows: Vec<Json<'_>> = rows.iter().map(|row| Json::parse(row, &[]).unwrap().value).collect();
        identify(stem, &rows)
    }

    #[test]
    fn state_rows_and_titles_are_enough() {
        let queue = r#"{"type":"queue-operation","operation":"dequeue","sessionId":"s"}"#;
        assert_eq!(named(STEM, &[queue]).unwrap().session, STEM);
        assert_eq!(
            named(STEM, &[r#"{"type":"summary","summary":"t","leafUuid":"u"}"#]).unwrap().session,
            STEM
        );
        let snapshot = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#;
        assert_eq!(named("copy", &[snapshot, queue]).unwrap().session, "s");
        assert_eq!(named("copy", &[snapshot]).unwrap().session, "m");
    }

    #[test]
    fn a_child_belongs_to_the_session_on_its_rows() {
        let row = r#"{"type":"user","uuid":"u","isSidechain":true,"agentId":"a1","sessionId":"s","message":{"content":"x"}}"#;
        let identity = named("agent-a1", &[row]).unwrap();
        assert_eq!((identity.session.as_str(), identity.agent.as_deref()), ("s", Some("a1")));
        assert_eq!(named("renamed", &[row]).unwrap().agent.as_deref(), Some("a1"));
    }

    #[test]
    fn other_files_are_not_claude() {
        for row in [
            r#"{"type":"started","key":"k","agentId":"a"}"#,
            r#"{"type":"session_meta","payload":{"id":"x"}}"#,
            r#"{"type":"user","id":"1","content":"gemini"}"#,
            r#"{"type":"assistant","session_id":"s","uuid":"u","message":{}}"#,
            r#"["user"]"#,
        ] {
            assert!(named(STEM, &[row]).is_none(), "{row}");
        }
    }

    #[test]
    fn copied_answers_are_inherited_and_a_renamed_file_is_not() {
        let own = format!(r#"{{"type":"queue-operation","sessionId":"{STEM}"}}"#);
        let copy = r#"{"type":"assistant","uuid":"u","sessionId":"old","message":{"content":[]}}"#;
        let record = Json::parse(copy, &[]).unwrap().value;
        assert_eq!(head(&named(STEM, &[&own, copy]).unwrap(), &record), Head::Inherited(true));
        let renamed = named(STEM, &[copy]).unwrap();
        assert!(!renamed.forked);
        assert_eq!(head(&renamed, &record), Head::Own);
    }

    #[test]
    fn a_mark_of_the_fork_is_inherited_from_the_start() {
        let identity = named(STEM, &[r#"{"type":"mode","sessionId":"s"}"#]).unwrap();
        let says = |row: &str| head(&identity, &Json::parse(row, &[]).unwrap().value);
        assert_eq!(says(r#"{"type":"user","forkedFrom":{"sessionId":"o"}}"#), Head::Inherited(true));
        assert_eq!(says(r#"{"type":"assistant","requestSessionId":"o"}"#), Head::Inherited(true));
        assert_eq!(says(&format!(r#"{{"type":"assistant","requestSessionId":"{STEM}"}}"#)), Head::Own);
        assert_eq!(says(r#"{"type":"user","sessionId":"o"}"#), Head::Neutral);
    }
}

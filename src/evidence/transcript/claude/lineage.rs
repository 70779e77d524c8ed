//! What rows say about other sessions: where a copy was taken from, whom a child belongs to, where a conversation goes on.
//! Not used to read records. Which members prove something is a fact of the format; uuids that stand in two files, titles
//! and `slug` are not among them.

use super::envelope::{flag, text};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::reading::Identity;

/// What one row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The row is a copy out of this session.
    ForkedFrom(String),
    /// The answer was asked for by this session: a copy without another mark.
    RequestedBy(String),
    /// The row carries the id of this session, not of the file's own.
    OfSession(String),
    /// The file took over a history; from whom it does not say.
    ForkInherit,
    /// The conversation goes on in this session.
    ContinuedIn(String),
    /// The child began with the context of this session.
    ContextOf(String),
    /// The row belongs to this agent.
    OfAgent(String),
    /// The file moved with its work directory.
    Relocated,
}

/// Everything that a row says, in a fixed order.
pub fn ties(identity: &Identity, row: &Json<'_>) -> Vec<Tie> {
    let mut ties = Vec::new();
    let other = |id: &&str| *id != identity.session;
    let mut tie = |id: Option<&str>, make: fn(String) -> Tie| ties.extend(id.map(|id| make(id.to_owned())));
    tie(text(row.get("forkedFrom"), "sessionId").filter(other), Tie::ForkedFrom);
    tie(text(row, "requestSessionId").filter(other), Tie::RequestedBy);
    tie(text(row, "sessionId").filter(other), Tie::OfSession);
    let kind = row.get("type").as_str().unwrap_or_default();
    match kind {
        "continued-in" => tie(text(row, "continuedInSessionId").filter(other), Tie::ContinuedIn),
        "fork-context-ref" => tie(text(row, "parentSessionId"), Tie::ContextOf),
        _ => {}
    }
    if flag(row, "isSidechain") || kind == "fork-context-ref" {
        tie(text(row, "agentId"), Tie::OfAgent);
    }
    match kind {
        "history-suppression" if row.get("cause").as_str() == Some("fork_inherit") => {
            ties.push(Tie::ForkInherit)
        }
        "relocated" => ties.push(Tie::Relocated),
        _ => {}
    }
    ties
}

/// A row that only a conversation has; a file without any holds titles, modes and the like.
pub fn is_conversation(row: &Json<'_>) -> bool {
    const KINDS: [&str; 6] = ["user", "assistant", "system", "attachment", "progress", "queue-operation"];
    row.get("type").as_str().is_some_and(|kind| KINDS.contains(&kind))
}

/// A row of a workflow's journal.
pub fn is_journal(row: &Json<'_>) -> bool {
    const KINDS: [&str; 4] = ["started", "result", "launched", "failed"];
    row.get("type").as_str().is_some_and(|kind| KINDS.contains(&kind))
        && (text(row, "agentId").is_some() || text(row, "key").is_some())
        && text(row, "sessionId").is_none()
}

#[cfg(test)]
mod tests {
    use super::{Json, Tie, is_conversation, is_journal, ties};
    use crate::evidence::transcript::claude::identify;

    const STEM: &str = "00000000-0000-4000-8000-000000000001";

    fn said(row: &str) -> Vec<Tie> {
        let user = format!(r#"{{"type":"mode","sessionId":"{STEM}"}}"#);
        let identity = identify(STEM, &[Json::parse(&user, &[]).unwrap().value]).unwrap();
        ties(&identity, &Json::parse(row, &[]).unwrap().value)
    }

    #[test]
    fn members_that_prove_something_are_ties() {
        let id = "b".to_owned();
        assert_eq!(
            said(r#"{"type":"user","sessionId":"b","forkedFrom":{"sessionId":"b"},"requestSessionId":"b"}"#),
            [Tie::ForkedFrom(id.clone()), Tie::RequestedBy(id.clone()), Tie::OfSession(id.clone())]
        );
        assert_eq!(
            said(&format!(r#"{{"type":"continued-in","sessionId":"{STEM}","continuedInSessionId":"b"}}"#)),
            [Tie::ContinuedIn(id.clone())]
        );
        assert_eq!(
            said(r#"{"type":"fork-context-ref","agentId":"a","parentSessionId":"b"}"#),
            [Tie::ContextOf(id), Tie::OfAgent("a".to_owned())]
        );
        assert_eq!(said(r#"{"type":"history-suppression","cause":"fork_inherit"}"#), [Tie::ForkInherit]);
        assert_eq!(said(r#"{"type":"relocated","relocatedCwd":"/w"}"#), [Tie::Relocated]);
    }

    #[test]
    fn what_proves_nothing_is_none() {
        for row in [
            r#"{"type":"history-suppression","cause":"restored_owner_mismatch"}"#,
            r#"{"type":"user","slug":"b","uuid":"u","logicalParentUuid":"v"}"#,
            r#"{"type":"user","agentId":"a"}"#,
            r#"{"type":"continued-in","continuedInSessionId":""}"#,
            r#"{"type":"user","forkedFrom":"b","sessionId":7}"#,
        ] {
            assert_eq!(said(row), [], "{row}");
        }
        assert_eq!(said(&format!(r#"{{"type":"user","sessionId":"{STEM}"}}"#)), []);
    }

    #[test]
    fn side_rows_and_journals_are_no_conversation() {
        let row = |text: &'static str| Json::parse(text, &[]).unwrap().value;
        assert!(!is_conversation(&row(r#"{"type":"ai-title","aiTitle":"t","sessionId":"s"}"#)));
        assert!(is_conversation(&row(r#"{"type":"user","sessionId":"s","message":{}}"#)));
        assert!(is_journal(&row(r#"{"type":"started","key":"k","agentId":"a"}"#)));
        assert!(!is_journal(&row(r#"{"type":"result","session_id":"s"}"#)));
    }
}

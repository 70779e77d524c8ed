//! What a rollout's own identity line says about other threads: the edges of a boundary set. Not used to read
//! records.

use super::identity::{is_child, is_session_meta};
use crate::evidence::transcript::json::Json;

/// Threads that the file names as its relatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The thread that spawned this one.
    pub parent_thread: Option<String>,
    /// The same, as the source of the thread says it.
    pub spawned_by: Option<String>,
    /// The root of the tree of agents, where that is another thread.
    pub root: Option<String>,
    /// The thread whose history this one took over, by copy or by reference.
    pub forked_from: Option<String>,
    /// The *rollout* whose beginning is this file's history (forks by reference, reverts).
    pub base_rollout: Option<String>,
    /// How much of the base belongs to it, in bytes.
    pub base_end_bytes: Option<u64>,
    /// True for a session that another agent or the harness began: its prompts are no person's words.
    pub subagent: bool,
    /// True for a run of the harness's own: it compacts, keeps memories or guards.
    pub housekeeping: bool,
}

/// Reads the first `session_meta`; older files have none and no relatives.
pub fn lineage(head: &[Json<'_>]) -> Lineage {
    let Some(meta) = head.iter().find(|record| is_session_meta(record)).map(|record| record.get("payload"))
    else {
        return Lineage::default();
    };
    let text = |value: &Json<'_>| value.as_str().map(str::to_owned);
    let spawn = meta.path(&["source", "subagent", "thread_spawn", "parent_thread_id"]);
    let own = meta.get("id").as_str();
    let source = meta.get("source");
    Lineage {
        parent_thread: text(meta.get("parent_thread_id")),
        spawned_by: text(spawn),
        root: text(meta.get("session_id")).filter(|root| own.is_some_and(|own| own != root)),
        forked_from: text(meta.get("forked_from_id")),
        base_rollout: text(meta.path(&["history_base", "thread_id"])),
        base_end_bytes: meta.path(&["history_base", "end_byte_offset"]).as_u64(),
        subagent: is_child(meta),
        housekeeping: source.get("internal").as_str().is_some()
            || matches!(source.get("subagent").as_str(), Some("compact" | "memory_consolidation"))
            || matches!(meta.get("thread_source").as_str(), Some("guardian_review" | "memory_consolidation")),
    }
}

#[cfg(test)]
mod tests {
    use super::lineage;
    use crate::evidence::transcript::json::Json;

    #[test]
    fn a_spawned_child_names_its_parent() {
        let line = r#"{"type":"session_meta","payload":{"id":"c","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}}}"#;
        let found = lineage(&[Json::parse(line, &[]).unwrap().value]);
        assert_eq!(
            (found.spawned_by.as_deref(), found.parent_thread, found.subagent),
            (Some("p"), None, true)
        );
    }

    #[test]
    fn the_root_is_said_where_it_is_another_thread() {
        let root = |id: &str| {
            let line = format!(
                r#"{{"type":"session_meta","payload":{{"id":"{id}","session_id":"r","source":{{"subagent":"compact"}}}}}}"#
            );
            let found = lineage(&[Json::parse(&line, &[]).unwrap().value]);
            (found.root, found.housekeeping)
        };
        assert_eq!(root("c"), (Some("r".to_owned()), true));
        assert_eq!(root("r"), (None, true));
    }
}

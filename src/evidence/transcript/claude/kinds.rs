//! The one table of record kinds of Claude Code (1.0.x to 2.1.332): what each becomes, and why. Kinds that
//! are not here are unknown: kept as structural and counted by name. "Structural" is bookkeeping without
//! anything that a reader of the session needs; an event kind is read by the function beside it (and is
//! structural where that finds nothing).

use Becomes::{Read, Structural};

use super::{assistant, attachment, queue, state, system, user};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::Reading;

/// Fills a reading from a record.
pub type Fill = fn(&Json<'_>, &mut Reading<Raw>);

/// What a kind becomes.
#[derive(Clone, Copy)]
pub enum Becomes {
    /// Bookkeeping.
    Structural,
    /// What this function finds.
    Read(Fill),
}

/// Name in our spelling, decision, reason.
pub type Kind = (&'static str, Becomes, &'static str);

/// Kinds by `type` alone.
pub const RECORDS: &[Kind] = &[
    ("user", Read(user::read), "prompts, injected texts and tool results"),
    ("assistant", Read(assistant::read), "words, calls and withheld reasoning"),
    ("summary", Structural, "an old title, perhaps of a conversation in another file"),
    ("custom-title", Structural, "a title; the last one counts"),
    ("ai-title", Structural, "a title made by a model; the last one counts"),
    ("tag", Structural, "a label of the session list"),
    ("agent-name", Structural, "a label of the session list"),
    ("agent-color", Structural, "a label of the session list"),
    ("agent-setting", Structural, "the agent definition in use"),
    (
        "last-prompt",
        Read(state::last_prompt),
        "repeats a prompt; an event only where a rewind or clear set it",
    ),
    ("mode", Structural, "state of the interface, repeated"),
    ("permission-mode", Structural, "state of the interface, repeated"),
    ("pr-link", Structural, "a link for the session list; the command that made it is an event"),
    ("frame-link", Structural, "a link of the artifact preview"),
    ("worktree-state", Structural, "state; the tool calls that changed it are events"),
    ("relocated", Structural, "the file moved with its work directory"),
    (
        "continued-in",
        Read(state::continued_in),
        "the conversation did not end here, it goes on in another file",
    ),
    ("history-suppression", Structural, "why the history is not shown; makes the identity a fork"),
    ("fork-context-ref", Structural, "names the context that a forked child began with"),
    ("file-history-snapshot", Structural, "names of backups of edited files"),
    ("file-history-delta", Structural, "names of backups of edited files"),
    ("bridge-session", Structural, "link to a remote client"),
    ("cost-state", Structural, "running totals"),
    (
        "content-replacement",
        Structural,
        "outputs shortened for the model, who has the name of the whole; the rows keep them",
    ),
    ("attribution-snapshot", Structural, "bookkeeping of authorship"),
    ("speculation-accept", Structural, "bookkeeping of a guess at the next prompt"),
    ("task-summary", Structural, "a progress line for a task list"),
    ("marble-origami-commit", Read(state::collapse), "the model lost a stretch of its context here"),
    ("marble-origami-snapshot", Structural, "what a context collapse may take next; nothing is lost yet"),
    ("marble-origami-reset", Structural, "a planned context collapse was given up"),
    ("isolation-latch", Structural, "a latch of the process"),
    ("atis-latch", Structural, "a latch of the process"),
    ("memory-mode", Structural, "a latch of the process"),
    ("dev-mods", Structural, "a latch of the process"),
    ("observer-ref", Structural, "link to an observing agent"),
    ("ended-by-model", Read(state::ended_by_model), "the model ended the conversation"),
    ("artifact-autoreact-ledger", Structural, "bookkeeping of artifact comments"),
    ("artifact-comment-monitor", Structural, "bookkeeping of artifact comments"),
    ("tools-used", Structural, "names of tools so far, repeated; the calls are events"),
    ("api-request", Structural, "a capture of what was sent; carries a message but is no turn"),
    ("api-request-shape", Structural, "a capture of what was sent"),
    ("api-request-blob", Structural, "a capture of what was sent; repeats prompts and results"),
    ("agent_metadata", Structural, "a mirror of the SDK"),
    ("rewind-pointer", Read(state::rewind_pointer), "a person took the conversation back; the rows stay"),
    ("auto-mode-denial", Read(state::denial), "a call was not allowed"),
    ("permission-denial", Read(state::denial), "a call was not allowed"),
    ("compact_boundary", Read(system::compact_boundary), "the model lost its earlier context here"),
    ("tool_use", Read(state::old_call), "a call, as a row of versions before 1.0"),
    ("tool_result", Read(state::old_result), "a result, as a row of versions before 1.0"),
    ("workflow-start", Structural, "a workflow began; the call that began it is an event"),
    ("workflow-progress", Structural, "a tick of a workflow"),
    ("workflow-complete", Structural, "a workflow ended; its notification tells how"),
    ("workflow-cancelled", Structural, "a workflow ended; its notification tells how"),
    ("workflow-error", Structural, "a workflow ended; its notification tells how"),
    ("started", Structural, "journal of a workflow"),
    ("result", Structural, "journal of a workflow"),
    ("launched", Structural, "journal of a workflow"),
    ("failed", Structural, "journal of a workflow"),
];

/// `queue-operation` by `operation`.
pub const QUEUE: &[Kind] = &[
    ("queue-operation/enqueue", Read(queue::enqueue), "first carrier of a prompt that waited"),
    ("queue-operation/dequeue", Structural, "never names what it took"),
    ("queue-operation/remove", Read(queue::remove), "taken into the running turn; only ends pairing"),
    ("queue-operation/popAll", Read(queue::pop_all), "a person took waiting prompts back"),
];

/// `system` by `subtype`.
pub const SYSTEM: &[Kind] = &[
    ("system/api_error", Read(system::api_error), "the service failed; one attempt each"),
    ("system/error", Read(system::api_error), "the same under an older name"),
    ("system/compact_boundary", Read(system::compact_boundary), "the model lost its earlier context here"),
    ("system/microcompact_boundary", Read(system::microcompact_boundary), "the model lost old outputs here"),
    ("system/informational", Read(system::informational), "notices; the only trace of a blocked prompt"),
    ("system/stop_hook_summary", Read(system::stop_hook_summary), "an event only where a hook objected"),
    ("system/local_command", Read(system::local_command), "a slash command or its output"),
    ("system/away_summary", Read(system::away_summary), "a recap by a model, shown to the person"),
    (
        "system/scheduled_task_fire",
        Read(system::scheduled_task_fire),
        "work that no person started at that time",
    ),
    (
        "system/model_refusal_fallback",
        Read(system::refusal),
        "a refusal; the model changed, rows were withdrawn",
    ),
    ("system/model_refusal_no_fallback", Read(system::refusal), "a refusal"),
    ("system/model_consent_fallback", Read(system::refusal), "the model changed"),
    ("system/model_fallback", Read(system::refusal), "the model changed"),
    ("system/api_refusal", Read(system::refusal), "a refusal by the service"),
    ("system/agents_killed", Read(system::agents_killed), "children were stopped"),
    ("system/turn_duration", Structural, "a measurement at the end of a turn"),
    ("system/bridge_status", Structural, "link to a remote client"),
    ("system/permission_retry", Read(system::notice), "a permission given after the call was denied"),
    ("system/api_metrics", Structural, "measurements"),
    ("system/file_snapshot", Structural, "bookkeeping of backups"),
    ("system/memory_saved", Structural, "the write itself is a call"),
    ("system/thinking", Structural, "a state of the interface"),
    ("system/post_turn_summary", Structural, "a progress line for a task list"),
    ("system/task_started", Structural, "repeats the launching result"),
    ("system/task_progress", Structural, "a tick"),
    (
        "system/task_notification",
        Read(system::task_notification),
        "repeats the notification row; how the call ended is learnt from it",
    ),
    ("system/session_start", Structural, "bookkeeping of the process"),
    ("system/end_session", Structural, "bookkeeping of the process"),
    ("system/status", Structural, "a state of the interface"),
    ("system/init", Structural, "bookkeeping of the process"),
];

/// `attachment` by `attachment.type`.
pub const ATTACHMENTS: &[Kind] = &[
    (
        "attachment/queued_command",
        Read(attachment::queued_command),
        "a prompt or notification taken in mid turn",
    ),
    (
        "attachment/hook_success",
        Read(attachment::hook_context),
        "text that a hook put before the model, if any",
    ),
    (
        "attachment/hook_additional_context",
        Read(attachment::hook_context),
        "text that a hook put before the model",
    ),
    ("attachment/async_hook_response", Read(attachment::async_hook), "text of a hook in the background"),
    ("attachment/hook_system_message", Read(attachment::hook_message), "a hook spoke to the person"),
    ("attachment/hook_stopped_continuation", Read(attachment::hook_message), "a hook ended the turn"),
    ("attachment/hook_blocking_error", Read(attachment::hook_block), "a hook said no"),
    ("attachment/hook_non_blocking_error", Read(attachment::hook_error), "a hook failed"),
    ("attachment/hook_error_during_execution", Read(attachment::hook_error), "a hook failed"),
    ("attachment/hook_cancelled", Structural, "a hook that had no effect"),
    ("attachment/hook_permission_decision", Structural, "the result of the call tells it"),
    (
        "attachment/structured_output",
        Read(attachment::structured_output),
        "repeats the call; an event only without it",
    ),
    ("attachment/edited_text_file", Read(attachment::file), "a file changed behind the agent's back"),
    ("attachment/file", Read(attachment::file), "a file that the prompt names, as shown"),
    ("attachment/directory", Read(attachment::file), "a folder that the prompt names, as shown"),
    ("attachment/nested_memory", Read(attachment::file), "instructions of a folder that the agent entered"),
    ("attachment/selected_lines_in_ide", Read(attachment::selection), "what the person pointed at"),
    ("attachment/diagnostics", Read(attachment::diagnostics), "errors that the agent was told about"),
    ("attachment/task_status", Read(attachment::task_status), "state of background work"),
    ("attachment/teammate_mailbox", Read(attachment::mailbox), "messages of other agents"),
    ("attachment/plan_mode", Read(attachment::plan_mode), "edits are forbidden from here"),
    ("attachment/plan_mode_reentry", Read(attachment::plan_mode), "edits are forbidden from here"),
    ("attachment/plan_mode_exit", Read(attachment::plan_mode), "edits are allowed again"),
    ("attachment/max_turns_reached", Read(attachment::max_turns), "why the session ended"),
    ("attachment/budget_usd", Read(attachment::budget), "an event only when nothing remains"),
    ("attachment/critical_system_reminder", Read(attachment::reminder), "a standing instruction"),
    ("attachment/read_truncation_notice", Read(attachment::reminder), "the agent saw only a part"),
    ("attachment/environment", Structural, "prompt bookkeeping at the start"),
    ("attachment/model", Structural, "prompt bookkeeping; the model is on every answer"),
    ("attachment/date", Structural, "prompt bookkeeping"),
    ("attachment/date_change", Structural, "prompt bookkeeping"),
    ("attachment/session_context", Structural, "prompt bookkeeping: git status at the start, not an action"),
    ("attachment/remote_session_change", Structural, "prompt bookkeeping: trailers of commits"),
    ("attachment/prompt_snapshot", Structural, "the system prompt, 7 to 58 KB, twice a session"),
    ("attachment/deferred_tools_delta", Structural, "prompt bookkeeping: tools on offer"),
    ("attachment/deferred_tools_record", Structural, "prompt bookkeeping: descriptions of tools"),
    ("attachment/agent_listing_delta", Structural, "prompt bookkeeping: agents on offer"),
    ("attachment/mcp_instructions_delta", Structural, "prompt bookkeeping: texts of servers"),
    ("attachment/skill_listing", Structural, "prompt bookkeeping: skills on offer"),
    ("attachment/invoked_skills", Structural, "repeats skill texts after a compaction"),
    ("attachment/dynamic_skill", Structural, "prompt bookkeeping: skills on offer"),
    ("attachment/skill_discovery", Structural, "prompt bookkeeping: skills on offer"),
    ("attachment/command_permissions", Structural, "tools that a command may use"),
    ("attachment/task_reminder", Structural, "repeats the task list; its changes are calls"),
    ("attachment/todo_reminder", Structural, "repeats the task list; its changes are calls"),
    ("attachment/todo", Structural, "repeats the task list; its changes are calls"),
    ("attachment/plan_file_reference", Structural, "repeats the plan after a compaction"),
    ("attachment/compact_file_reference", Structural, "names a file read before a compaction"),
    ("attachment/already_read_file", Structural, "names a file that was not shown again"),
    ("attachment/pdf_reference", Structural, "names a file that was not shown"),
    ("attachment/opened_file_in_ide", Structural, "names the file in front of the person; nothing was shown"),
    ("attachment/auto_mode", Structural, "a reminder of the permission mode"),
    ("attachment/auto_mode_exit", Structural, "a reminder of the permission mode"),
    ("attachment/ultra_effort_enter", Structural, "a reminder of the effort"),
    ("attachment/ultra_effort_exit", Structural, "a reminder of the effort"),
    ("attachment/output_style", Structural, "prompt bookkeeping"),
    ("attachment/team_context", Structural, "prompt bookkeeping"),
    ("attachment/token_usage", Structural, "a counter"),
    ("attachment/total_tokens_reminder", Structural, "a counter"),
    ("attachment/output_token_usage", Structural, "a counter"),
    ("attachment/batching_reminder_sent", Structural, "advice on style"),
    ("attachment/silent_turn_reminder", Structural, "advice on style"),
    ("attachment/verify_plan_reminder", Structural, "advice on style"),
    ("attachment/compaction_reminder", Structural, "advice on style"),
];

/// `progress` by `data.type`: ticks of work in progress, up to 2.1.42. What came of it stands in other rows.
pub const PROGRESS: &[Kind] = &[
    ("progress/hook_progress", Structural, "a hook began; its effect is another row"),
    ("progress/bash_progress", Structural, "the output so far, again at each tick; the result has it"),
    ("progress/powershell_progress", Structural, "the output so far, again at each tick; the result has it"),
    ("progress/agent_progress", Structural, "rows of a child, which are the child's, not this session's"),
    ("progress/skill_progress", Structural, "rows of a skill that ran as a child"),
    ("progress/mcp_progress", Structural, "a tick"),
    ("progress/query_update", Structural, "a tick of a web search"),
    ("progress/search_results_received", Structural, "a tick of a web search"),
    ("progress/waiting_for_task", Structural, "a tick"),
    ("progress/heartbeat", Structural, "a tick without data: a call still runs"),
];

/// The kind of a record, or its name in the transcript's words where it is unknown.
pub fn find(record: &Json<'_>) -> Result<Kind, String> {
    let name = record.get("type").as_str().unwrap_or("untyped");
    let (family, member) = match name {
        "system" => (SYSTEM, record.get("subtype")),
        "attachment" => (ATTACHMENTS, record.path(&["attachment", "type"])),
        "progress" => (PROGRESS, record.path(&["data", "type"])),
        "queue-operation" => (QUEUE, record.get("operation")),
        _ => return RECORDS.iter().find(|kind| kind.0 == name).copied().ok_or_else(|| name.to_owned()),
    };
    // Some ticks have no data at all.
    let beats = name == "progress" && member.is_null() && !record.get("elapsedMs").is_null();
    let member = if beats { "heartbeat" } else { member.as_str().unwrap_or("untyped") };
    let named = |kind: &&Kind| kind.0.split_once('/').is_some_and(|(_, known)| known == member);
    family.iter().find(named).copied().ok_or_else(|| format!("{name}/{member}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::blocks::BLOCKS;
    use super::{ATTACHMENTS, Json, Kind, PROGRESS, QUEUE, RECORDS, SYSTEM, find};

    #[test]
    fn every_kind_stands_once_with_a_reason_and_is_found() {
        let all: Vec<&Kind> = [RECORDS, QUEUE, SYSTEM, ATTACHMENTS, PROGRESS].into_iter().flatten().collect();
        let names: BTreeSet<&str> = all.iter().map(|kind| kind.0).collect();
        assert_eq!(names.len(), all.len());
        for (name, _, reason) in all {
            assert!(!reason.is_empty());
            let (family, member) = name.split_once('/').unwrap_or((name, ""));
            let row = format!(
                r#"{{"type":"{family}","subtype":"{member}","operation":"{member}","attachment":{{"type":"{member}"}},"data":{{"type":"{member}"}}}}"#
            );
            assert_eq!(find(&Json::parse(&row, &[]).unwrap().value).ok().map(|kind| kind.0), Some(*name));
        }
    }

    #[test]
    fn every_kind_of_the_format_is_in_the_tables() {
        let listed = include_str!("../../../../tests/data/claude-kinds.txt");
        let kinds = listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut count = 0;
        for kind in kinds {
            let known = match kind.strip_prefix("block/") {
                Some(block) => BLOCKS.iter().any(|(name, _, _)| *name == block),
                None => [RECORDS, QUEUE, SYSTEM, ATTACHMENTS, PROGRESS]
                    .into_iter()
                    .flatten()
                    .any(|(name, _, _)| *name == kind),
            };
            assert!(known, "{kind}");
            count += 1;
        }
        assert!(count > 150, "{count} kinds are listed");
    }

    #[test]
    fn a_tick_without_data_is_a_heartbeat() {
        let row = r#"{"type":"progress","toolUseId":"t1","elapsedMs":5000,"seq":1}"#;
        assert_eq!(find(&Json::parse(row, &[]).unwrap().value).unwrap().0, "progress/heartbeat");
        let other = r#"{"type":"progress","toolUseID":"t1"}"#;
        assert_eq!(find(&Json::parse(other, &[]).unwrap().value).err().as_deref(), Some("progress/untyped"));
    }

    #[test]
    fn unknown_kinds_keep_their_name() {
        let name = |row: &str| find(&Json::parse(row, &[]).unwrap().value).err();
        assert_eq!(name(r#"{"type":"system","subtype":"new"}"#).as_deref(), Some("system/new"));
        assert_eq!(name(r#"{"type":["user"]}"#).as_deref(), Some("untyped"));
        assert_eq!(name(r#"{"type":"attachment","attachment":null}"#).as_deref(), Some("attachment/untyped"));
    }
}

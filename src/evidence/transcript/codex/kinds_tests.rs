//! Every kind that any version of the format has, as the format lists them; each is in the table.

use std::collections::BTreeSet;

use super::{Becomes, KINDS, find};

/// Kinds of lines, and the two of bare files.
const LINES: &str = "session_meta turn_context compacted world_state inter_agent_communication \
    inter_agent_communication_metadata token_usage_record security_risk_score retained_context realtime_item \
    dynamic_tools_updated id_allocation bare/header bare/state";
/// Kinds of response items, aliases included.
const ITEMS: &str = "message agent_message reasoning local_shell_call function_call function_call_output \
    custom_tool_call custom_tool_call_output tool_search_call tool_search_output web_search_call \
    image_generation_call compaction compaction_summary context_compaction ghost_snapshot additional_tools \
    configuration_update other";
/// Kinds of events that reach the disk: both modes, legacy mode, the older limited set, extended files.
const EVENTS: &str = "token_count task_started turn_started task_complete turn_complete turn_aborted \
    thread_rolled_back thread_settings_applied thread_goal_updated user_message agent_message agent_reasoning \
    agent_reasoning_raw_content entered_review_mode exited_review_mode patch_apply_end context_compacted \
    mcp_tool_call_end web_search_end image_generation_end sub_agent_activity thread_name_updated undo_completed \
    injected_message error guardian_assessment exec_command_end view_image_tool_call collab_agent_spawn_end \
    collab_agent_interaction_end collab_waiting_end collab_close_end collab_resume_end dynamic_tool_call_request \
    dynamic_tool_call_response";
/// Kinds of completed items.
const COMPLETED: &str = "UserMessage HookPrompt AgentMessage Plan Reasoning CommandExecution FileChange McpToolCall \
    DynamicToolCall CollabAgentToolCall SubAgentActivity WebSearch ImageView ImageGeneration Extension \
    EnteredReviewMode ExitedReviewMode ContextCompaction Sleep";

#[test]
fn the_table_has_the_kinds_of_the_format_and_no_others() {
    let below = |folder: &str, names: &str| -> Vec<String> {
        names.split_whitespace().map(|name| format!("{folder}{name}")).collect()
    };
    let listed: BTreeSet<String> = [
        below("", LINES),
        below("response_item/", ITEMS),
        below("event_msg/", EVENTS),
        below("event_msg/item_completed/", COMPLETED),
    ]
    .concat()
    .into_iter()
    .collect();
    let known: BTreeSet<String> = KINDS.iter().map(|kind| kind.name.to_owned()).collect();
    assert_eq!(listed.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the table");
    assert_eq!(known.difference(&listed).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the format");
}

#[test]
fn no_kind_is_listed_twice_and_each_has_a_reason() {
    for kind in KINDS {
        assert!(std::ptr::eq(find(kind.name).unwrap(), kind), "{}", kind.name);
        assert!(!kind.why.is_empty(), "{}", kind.name);
    }
}

#[test]
fn settings_states_and_token_counts_are_bookkeeping() {
    for name in [
        "turn_context",
        "world_state",
        "token_usage_record",
        "event_msg/token_count",
        "event_msg/thread_settings_applied",
        "response_item/ghost_snapshot",
    ] {
        assert_eq!(find(name).unwrap().becomes, Becomes::Structural, "{name}");
    }
}

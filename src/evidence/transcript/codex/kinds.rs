//! The one table of record kinds: every line type, response item, event and completed item, what becomes of
//! it, and why. A kind that is not here is structural, counted by its own name.

use super::line::Line;
use super::{calls, copies, dialogue, hooks, messages, notices, outputs, settings};
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::Reading;

/// What becomes of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// Events, whenever it has content.
    Events,
    /// The second telling of a fact: a mirror where the first is in the file, else events.
    Repeats,
    /// Events only where it tells of a failure or of spoken words, else bookkeeping.
    Notice,
    /// Hidden reasoning or encrypted state: counted, never stored.
    Withheld,
    /// Bookkeeping without observable content.
    Structural,
}

/// One kind.
pub struct Kind {
    /// Our spelling of its name; bare items are counted under the name of their response item.
    pub name: &'static str,
    /// The decision.
    pub becomes: Becomes,
    /// Takes the content out of a record.
    pub read: fn(&Line<'_, '_>, &mut Reading<Raw>),
    /// The reason for the decision.
    pub why: &'static str,
}

const fn kind(
    name: &'static str,
    becomes: Becomes,
    read: fn(&Line<'_, '_>, &mut Reading<Raw>),
    why: &'static str,
) -> Kind {
    Kind { name, becomes, read, why }
}

use Becomes::{Events, Notice, Repeats, Structural, Withheld};

/// In the order of the format: lines, response items, events, completed items.
#[rustfmt::skip]
pub static KINDS: &[Kind] = &[
    // Lines.
    kind("session_meta", Structural, settings::session, "identity and settings; gives facts"),
    kind("bare/header", Structural, settings::session, "identity of a bare file; gives facts"),
    kind("bare/state", Structural, settings::nothing, "an empty mark of the 2025 writer"),
    kind("turn_context", Structural, settings::turn, "settings of a turn; gives facts"),
    kind("world_state", Structural, settings::nothing, "state that the context messages tell in words"),
    kind("compacted", Events, notices::compacted, "from here on the model knows only the summary; the replacement history copies earlier lines and is not kept"),
    kind("inter_agent_communication", Events, notices::agents_talked, "another agent's words, older form"),
    kind("inter_agent_communication_metadata", Structural, settings::nothing, "only says whether the next agent message starts a turn"),
    kind("token_usage_record", Structural, settings::nothing, "token counts"),
    kind("security_risk_score", Structural, settings::nothing, "a classifier's number that nobody in the session saw"),
    kind("retained_context", Repeats, outputs::answers, "the person's answers, which the output of request_user_input has, too"),
    kind("realtime_item", Notice, notices::spoke, "a transcript of speech is words; the rest is connection state"),
    kind("dynamic_tools_updated", Structural, settings::nothing, "which tools are on offer"),
    kind("id_allocation", Structural, settings::nothing, "counters of the writer"),

    // Response items: what the model saw or said.
    kind("response_item/message", Events, messages::message, "words of a person, the model or the harness, judged part by part; injected context changed what the model knew"),
    kind("response_item/agent_message", Events, messages::agent_message, "a task from or a report of another agent; its encrypted parts are withheld"),
    kind("response_item/reasoning", Withheld, settings::hidden, "hidden reasoning is never evidence"),
    kind("response_item/local_shell_call", Events, calls::local_shell, "a call"),
    kind("response_item/function_call", Events, calls::function, "a call"),
    kind("response_item/function_call_output", Events, outputs::output, "what the model got back"),
    kind("response_item/custom_tool_call", Events, calls::custom, "a call with free text: patches, scripts"),
    kind("response_item/custom_tool_call_output", Events, outputs::output, "what the model got back"),
    kind("response_item/tool_search_call", Events, calls::tool_search, "a call"),
    kind("response_item/tool_search_output", Events, outputs::tool_search, "what the model got back"),
    kind("response_item/web_search_call", Events, calls::web_search, "a call that the service completes; what it found is not in the record"),
    kind("response_item/image_generation_call", Events, calls::image_generation, "a call and its picture in one record"),
    kind("response_item/compaction", Withheld, settings::hidden, "encrypted state; the compacted line is the event"),
    kind("response_item/compaction_summary", Withheld, settings::hidden, "older name of the same"),
    kind("response_item/context_compaction", Withheld, settings::hidden, "encrypted state; the compacted line is the event"),
    kind("response_item/ghost_snapshot", Structural, settings::nothing, "an undo point of the harness; undo_completed tells when one was used"),
    kind("response_item/additional_tools", Structural, settings::nothing, "which tools are on offer"),
    kind("response_item/configuration_update", Structural, settings::nothing, "settings"),
    kind("response_item/other", Structural, settings::nothing, "what its own writer did not know"),

    // Events of both modes.
    kind("event_msg/token_count", Structural, settings::nothing, "token counts and rate limits; half of them are repeats"),
    kind("event_msg/task_started", Structural, notices::turn_started, "the edge of a turn; closes the pairing windows"),
    kind("event_msg/turn_started", Structural, notices::turn_started, "other name of the same"),
    kind("event_msg/task_complete", Notice, notices::turn_ended, "an error in it is the only trace of a failed turn; the last message in it is a copy"),
    kind("event_msg/turn_complete", Notice, notices::turn_ended, "other name of the same"),
    kind("event_msg/turn_aborted", Events, notices::turn_aborted, "the turn did not end by itself"),
    kind("event_msg/thread_rolled_back", Events, notices::rolled_back, "earlier turns are void"),
    kind("event_msg/thread_settings_applied", Structural, settings::thread, "settings; gives facts"),
    kind("event_msg/thread_goal_updated", Structural, settings::nothing, "repeats for every count of tokens; goal texts come as context messages"),
    kind("event_msg/thread_name_updated", Structural, settings::nothing, "a title"),

    // Events of legacy mode.
    kind("event_msg/user_message", Repeats, dialogue::user_event, "the raw message is the other carrier, joined by order"),
    kind("event_msg/agent_message", Repeats, dialogue::agent_event, "the raw message is the other carrier, joined by order"),
    kind("event_msg/agent_reasoning", Withheld, settings::hidden, "hidden reasoning, one summary part"),
    kind("event_msg/agent_reasoning_raw_content", Withheld, settings::hidden, "hidden reasoning"),
    kind("event_msg/entered_review_mode", Events, notices::review_entered, "what follows is a review"),
    kind("event_msg/exited_review_mode", Events, notices::review_left, "the reviewer's findings"),
    kind("event_msg/context_compacted", Structural, settings::nothing, "the compacted line is the event"),
    kind("event_msg/patch_apply_end", Repeats, copies::patch, "repeats a call by its id, with the outcome"),
    kind("event_msg/mcp_tool_call_end", Repeats, copies::mcp_event, "repeats a call by its id, with the outcome"),
    kind("event_msg/web_search_end", Repeats, copies::web_search, "repeats a search by its id"),
    kind("event_msg/image_generation_end", Repeats, copies::image_generation, "repeats a picture by its id"),
    kind("event_msg/sub_agent_activity", Events, notices::child, "names the child's thread, which no output does"),
    kind("event_msg/undo_completed", Events, notices::undone, "the harness put files back"),
    kind("event_msg/injected_message", Events, notices::injected, "words of an extension"),

    // Events of extended files.
    kind("event_msg/error", Events, notices::error, "a failure of the service or the harness"),
    kind("event_msg/guardian_assessment", Notice, notices::assessed, "a refusal by the automatic reviewer; what it let pass shows in the call's outcome"),
    kind("event_msg/exec_command_end", Repeats, copies::command, "repeats a call by its id, with the outcome"),
    kind("event_msg/view_image_tool_call", Repeats, copies::view_image, "repeats a call by its id"),
    kind("event_msg/collab_agent_spawn_end", Repeats, copies::collab_event, "repeats a call by its id"),
    kind("event_msg/collab_agent_interaction_end", Repeats, copies::collab_event, "repeats a call by its id"),
    kind("event_msg/collab_waiting_end", Repeats, copies::collab_event, "repeats a call by its id"),
    kind("event_msg/collab_close_end", Repeats, copies::collab_event, "repeats a call by its id"),
    kind("event_msg/collab_resume_end", Repeats, copies::collab_event, "repeats a call by its id"),
    kind("event_msg/dynamic_tool_call_request", Structural, settings::nothing, "the raw call and the response have all of it; as a call of its own it would hide the response"),
    kind("event_msg/dynamic_tool_call_response", Repeats, copies::dynamic, "repeats a call by its id, with the outcome"),

    // Completed items: paginated mode, and plans and sleeps in legacy mode.
    kind("event_msg/item_completed/UserMessage", Repeats, dialogue::user_item, "the raw message is the other carrier, joined by order"),
    kind("event_msg/item_completed/AgentMessage", Repeats, dialogue::agent_item, "the raw message is the other carrier, joined by its id, in migrated files by order"),
    kind("event_msg/item_completed/HookPrompt", Repeats, |line, reading| hooks::prompt(line.body, reading), "the raw message is the other carrier, joined by its id"),
    kind("event_msg/item_completed/Plan", Repeats, dialogue::plan, "the plan alone; a raw answer that is nothing else is the other carrier, joined by order; among other words both are told"),
    kind("event_msg/item_completed/Reasoning", Withheld, settings::hidden, "hidden reasoning"),
    kind("event_msg/item_completed/CommandExecution", Repeats, copies::command, "repeats a call by its id; in code mode the only trace of a command"),
    kind("event_msg/item_completed/FileChange", Repeats, copies::patch, "repeats a call by its id; in code mode the only trace of a change"),
    kind("event_msg/item_completed/McpToolCall", Repeats, copies::mcp_item, "repeats a call by its id; in code mode the only trace of it"),
    kind("event_msg/item_completed/DynamicToolCall", Repeats, copies::dynamic, "repeats a call by its id"),
    kind("event_msg/item_completed/CollabAgentToolCall", Repeats, copies::collab_item, "repeats a call by its id"),
    kind("event_msg/item_completed/SubAgentActivity", Events, notices::child, "names the child's thread, which no output does"),
    kind("event_msg/item_completed/WebSearch", Repeats, copies::web_search, "repeats a search by its id"),
    kind("event_msg/item_completed/ImageView", Repeats, copies::view_image, "repeats a call by its id"),
    kind("event_msg/item_completed/ImageGeneration", Repeats, copies::image_generation, "repeats a picture by its id"),
    kind("event_msg/item_completed/Extension", Repeats, copies::extension, "repeats a call by its id: searches, pictures, sleeps of extensions"),
    kind("event_msg/item_completed/Sleep", Repeats, copies::sleep, "repeats a call by its id"),
    kind("event_msg/item_completed/EnteredReviewMode", Events, notices::review_entered, "what follows is a review"),
    kind("event_msg/item_completed/ExitedReviewMode", Events, notices::review_left, "the reviewer's findings"),
    kind("event_msg/item_completed/ContextCompaction", Structural, settings::nothing, "the compacted line is the event"),
];

/// The kind of that name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;

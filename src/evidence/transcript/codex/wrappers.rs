//! Texts that the harness puts into messages of role `user` or `developer`: the one table of their openings and
//! endings, and of the marks that newer versions give. Whether a text *is* injected is decided in `messages`;
//! this file only says what kind it would be.

use crate::evidence::transcript::item::{Actor, facet};

/// One kind of injected text.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// How it begins; for tags without the `>`, since some carry attributes.
    opening: &'static str,
    /// How it ends, where that is fixed; a person who types such an opening rarely types the ending, too.
    ending: &'static str,
    /// Who speaks.
    pub actor: Actor,
    /// `injected:<kind>` first.
    pub facets: &'static [&'static str],
}

const fn tag(opening: &'static str, ending: &'static str, facets: &'static [&'static str]) -> Wrapper {
    Wrapper { opening, ending, actor: Actor::Harness, facets }
}

const fn by(actor: Actor, wrapper: Wrapper) -> Wrapper {
    Wrapper { actor, ..wrapper }
}

/// Injected without a kind of our own.
pub const OTHER: Wrapper = tag("", "", &["injected:other"]);
/// A developer message without a known opening or mark: the person never writes this role.
pub const DEVELOPER: Wrapper = tag("", "", &["injected:developer"]);
/// A hook's context without a known opening.
pub const HOOK: Wrapper = by(Actor::Hook, tag("", "", &["injected:hook_context"]));
/// The opening of a command that the person ran with `!`.
const USER_SHELL: &str = "<user_shell_command>";

/// By opening and ending. All of them are kept as events: they changed what the model knew.
const WRAPPERS: &[Wrapper] = &[
    tag("# AGENTS.md instructions", "</INSTRUCTIONS>", &["injected:agents_md"]),
    tag("<user_instructions", "</user_instructions>", &["injected:user_instructions"]),
    tag("<project_context", "</project_context>", &["injected:project_context"]),
    tag("<environment_context", "</environment_context>", &["injected:environment_context"]),
    tag(
        "<environments_instructions",
        "</environments_instructions>",
        &["injected:environments_instructions"],
    ),
    tag("<skill>", "</skill>", &["injected:skill"]),
    tag("<skills_instructions", "</skills_instructions>", &["injected:skills_instructions"]),
    tag(USER_SHELL, "</user_shell_command>", &["injected:user_shell_command"]),
    tag("<turn_aborted", "</turn_aborted>", &["injected:turn_aborted", facet::INTERRUPT]),
    by(
        Actor::Agent,
        tag(
            "<subagent_notification",
            "</subagent_notification>",
            &["injected:subagent_notification", facet::AGENT_REPORT],
        ),
    ),
    tag("<goal_context", "</goal_context>", &["injected:goal_context"]),
    tag("<codex_internal_context", "</codex_internal_context>", &["injected:codex_internal_context"]),
    by(Actor::Hook, tag("<hook_prompt", "</hook_prompt>", &["injected:hook_prompt"])),
    tag("<extension_context", "</extension_context>", &["injected:extension_context"]),
    tag("<external_", ">", &["injected:external_context"]),
    tag("<recommended_plugins", "</recommended_plugins>", &["injected:recommended_plugins"]),
    tag("<user_action", "</user_action>", &["injected:user_action"]),
    tag("<image_resize_notice", "</image_resize_notice>", &["injected:image_resize_notice"]),
    tag("<current_time_reminder", "</current_time_reminder>", &["injected:current_time_reminder"]),
    tag("<rollout_budget", "</rollout_budget>", &["injected:rollout_budget"]),
    tag("<realtime_delegation", "</realtime_delegation>", &["injected:realtime_delegation"]),
    tag("<guardian_sync_review", "</guardian_sync_review>", &["injected:guardian_sync_review"]),
    tag("<permissions instructions", "</permissions instructions>", &["injected:permissions_instructions"]),
    tag(
        "<managed_developer_instructions",
        "</managed_developer_instructions>",
        &["injected:managed_developer_instructions"],
    ),
    tag("<collaboration_mode", "</collaboration_mode>", &["injected:collaboration_mode"]),
    tag("<multi_agent_mode", "</multi_agent_mode>", &["injected:multi_agent_mode"]),
    tag("<multi_agent_role", "</multi_agent_role>", &["injected:multi_agent_role"]),
    tag("<model_switch", "</model_switch>", &["injected:model_switch"]),
    tag("<apps_instructions", "</apps_instructions>", &["injected:apps_instructions"]),
    tag("<plugins_instructions", "</plugins_instructions>", &["injected:plugins_instructions"]),
    tag("<tools>", "</tools>", &["injected:tools"]),
    tag("<token_budget", "</token_budget>", &["injected:token_budget"]),
    tag("<context_window", ">", &["injected:context_window"]),
    tag("<realtime_conversation", "</realtime_conversation>", &["injected:realtime_conversation"]),
    tag("<personality_spec", "</personality_spec>", &["injected:personality_spec"]),
    tag("<git_attribution", "</git_attribution>", &["injected:git_attribution"]),
    tag("You are performing a CONTEXT CHECKPOINT COMPACTION.", "", &["injected:compaction_prompt"]),
    tag(SUMMARY_PREFIX, "", &["injected:compaction_summary", facet::COMPACTION]),
    tag(
        "Warning: The maximum number of unified exec processes you can keep open is",
        "",
        &["injected:warning"],
    ),
    tag("Warning: apply_patch was requested via ", "", &["injected:warning"]),
    tag(
        "Warning: Your account was flagged for potentially high-risk cyber activity",
        "",
        &["injected:warning"],
    ),
];

/// The fixed beginning of a compaction's summary; its last sentence ends in a colon and a line break.
pub const SUMMARY_PREFIX: &str =
    "Another language model started to solve this problem and produced a summary of its";

/// By the mark of 0.171 (`content_item_kinds`), for texts without a tag of their own.
const MARKS: &[(&str, Wrapper)] = &[
    ("host_skills.instructions", tag("", "", &["injected:skills_instructions"])),
    ("multi_agent.usage_hint", tag("", "", &["injected:multi_agent_usage_hint"])),
    ("multi_agent.role_instructions", tag("", "", &["injected:multi_agent_role"])),
    ("multi_agent.mode_instructions", tag("", "", &["injected:multi_agent_mode"])),
    ("permissions.instructions", tag("", "", &["injected:permissions_instructions"])),
    ("environments.environment_context", tag("", "", &["injected:environment_context"])),
];

/// The kind of a text with a known opening and ending.
pub fn by_text(text: &str) -> Option<&'static Wrapper> {
    let text = text.trim();
    WRAPPERS.iter().find(|wrapper| text.starts_with(wrapper.opening) && text.ends_with(wrapper.ending))
}

/// The kind of a marked text.
pub fn by_mark(mark: &str) -> Option<&'static Wrapper> {
    MARKS.iter().find(|(name, _)| *name == mark).map(|(_, wrapper)| wrapper)
}

/// A command that the person ran with `!`, and its output.
pub fn is_user_shell(text: &str) -> bool {
    text.trim_start().starts_with(USER_SHELL)
}

/// `<image name=…>`, `<audio name=…>` and their ends: labels around a media part, told with it.
pub fn is_media_label(text: &str) -> bool {
    let text = text.trim();
    let opens = (text.starts_with("<image name=") || text.starts_with("<audio name=")) && text.ends_with('>');
    (opens && !text.contains('\n')) || matches!(text, "</image>" | "</audio>" | "<image>" | "<audio>")
}

#[cfg(test)]
mod tests {
    use super::{WRAPPERS, by_text};

    #[test]
    fn an_opening_without_its_ending_is_a_persons_text() {
        assert!(by_text("<environment_context>\n<cwd>/w</cwd>\n</environment_context>").is_some());
        assert!(by_text("<environment_context> is a strange name, rename it").is_none());
    }

    #[test]
    fn every_kind_names_itself_as_injected() {
        for wrapper in WRAPPERS {
            assert!(
                wrapper.facets.first().is_some_and(|facet| facet.starts_with("injected:")),
                "{wrapper:?}"
            );
        }
    }
}

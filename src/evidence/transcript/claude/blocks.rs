//! The one table of content blocks (parts of `message.content`, and of a tool's answer): what each becomes, and
//! why. Blocks that are not here are unknown: named, and counted where nothing else is on their row.

/// What a block becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Words, in the voice of the row.
    Text,
    /// Hidden reasoning: the text and its signature are counted in bytes.
    Thinking,
    /// Hidden reasoning that the service encrypted: counted in bytes.
    Redacted,
    /// A call.
    Call,
    /// A result.
    Result,
    /// One line that stands for it, in the voice of the row.
    Line,
    /// The service went on with another model.
    Fallback,
}

/// Name, decision, reason.
pub const BLOCKS: &[(&str, Part, &str)] = &[
    ("text", Part::Text, "words"),
    ("thinking", Part::Thinking, "reasoning that nobody was shown; often empty, with a signature"),
    ("redacted_thinking", Part::Redacted, "reasoning that only the service can read"),
    ("tool_use", Part::Call, "a call"),
    ("server_tool_use", Part::Call, "a call that the service runs itself"),
    ("mcp_tool_use", Part::Call, "a call that the service passes on to a server"),
    ("tool_result", Part::Result, "what a call gave"),
    ("web_search_tool_result", Part::Result, "what a call of the service gave"),
    ("web_fetch_tool_result", Part::Result, "what a call of the service gave"),
    ("code_execution_tool_result", Part::Result, "what a call of the service gave"),
    ("mcp_tool_result", Part::Result, "what a call of the service gave"),
    ("advisor_tool_result", Part::Result, "what another model advised when it was called"),
    ("fallback", Part::Fallback, "what follows is another model's"),
    ("image", Part::Line, "media: type, size and digest are told, the bytes are not"),
    ("document", Part::Line, "media: type, size and digest are told, the bytes are not"),
    ("container_upload", Part::Line, "names a file that only the service holds"),
    ("tool_reference", Part::Line, "names a tool that is now on offer"),
];

/// What becomes of a block of this `type`. A result of a tool that came later is a result all the same.
pub fn find(kind: &str) -> Option<Part> {
    let named = BLOCKS.iter().find(|(name, _, _)| *name == kind).map(|(_, part, _)| *part);
    named.or_else(|| kind.ends_with("_tool_result").then_some(Part::Result))
}

#[cfg(test)]
mod tests {
    use super::{BLOCKS, Part, find};

    #[test]
    fn every_block_stands_once_with_a_reason() {
        for (place, (name, part, reason)) in BLOCKS.iter().enumerate() {
            assert!(!reason.is_empty() && find(name) == Some(*part), "{name}");
            assert!(BLOCKS.iter().take(place).all(|(other, _, _)| other != name), "{name}");
        }
        assert_eq!((find("later_tool_result"), find("hologram")), (Some(Part::Result), None));
    }
}

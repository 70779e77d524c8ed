//! The reader for Claude Code: one record at a time, without memory. What a kind becomes is decided in
//! `kinds.rs`; order, mirrors, pairing and inherited history are decided behind the seam.

use super::kinds::{self, Becomes};
use super::{envelope, identity};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Head, Identity, NativeType, Reader, Reading, Role};

/// Reads records of Claude Code 1.0.x to 2.1.332, and what is like them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaudeReader;

/// Harness-side bulk: copies of files, outputs and prompts beside the texts that the model saw. Only paths
/// from the root, since a tool's input may have any of these names as its own.
const DROPPED: &[&str] = &[
    "toolUseResult.originalFile",
    "toolUseResult.originalFileContents",
    "toolUseResult.structuredPatch",
    "toolUseResult.bashEditDiff",
    "toolUseResult.oldString",
    "toolUseResult.newString",
    "toolUseResult.edits",
    "toolUseResult.stdout",
    "toolUseResult.stderr",
    "toolUseResult.content",
    "toolUseResult.prompt",
    "toolUseResult.usage",
    "toolUseResult.results",
    "toolUseResult.result",
    "toolUseResult.file.content",
    "toolUseResult.file.base64",
    "toolUseResult.task.output",
    "message.usage",
    "message.diagnostics",
    "data.output",
    "data.fullOutput",
    "data.message",
    "data.normalizedMessages",
    "attachment.systemPrompt",
    "attachment.tools",
    "attachment.entries",
    ".rendered",
    ".snapshot",
    ".shape",
    ".modelUsage",
];

impl Reader for ClaudeReader {
    fn dropped(&self) -> &'static [&'static str] {
        DROPPED
    }

    fn read(&self, record: &Json<'_>) -> Reading<Raw> {
        let mut reading = Reading::new(NativeType::Known(""), Role::Structural);
        envelope::open(record, &mut reading);
        match kinds::find(record) {
            Ok((name, becomes, _)) => {
                reading.native_type = NativeType::Known(name);
                if let Becomes::Read(fill) = becomes {
                    fill(record, &mut reading);
                }
            }
            Err(name) => reading.native_type = NativeType::Unknown(Raw::from(name)),
        }
        envelope::close(record, &mut reading);
        reading
    }

    fn head(&self, identity: &Identity, record: &Json<'_>) -> Head {
        identity::head(identity, record)
    }
}

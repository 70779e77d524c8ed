//! Bookkeeping: facts about the session that a record names, and hidden parts that are only counted.

use super::line::{Line, fact, withhold};
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{FactKind, Reading};

/// Nothing to take from it.
pub fn nothing(_: &Line<'_, '_>, _: &mut Reading<Raw>) {}

/// `session_meta`, and the header of a bare file.
pub fn session(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    fact(reading, FactKind::SessionId, line.body.get("id"));
    fact(reading, FactKind::Cwd, line.body.get("cwd"));
    fact(reading, FactKind::HarnessVersion, line.body.get("cli_version"));
    fact(reading, FactKind::GitBranch, line.body.path(&["git", "branch"]));
}

/// `turn_context`: the model of a turn stands here, not in the session.
pub fn turn(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    fact(reading, FactKind::Cwd, line.body.get("cwd"));
    fact(reading, FactKind::Model, line.body.get("model"));
}

/// `thread_settings_applied`.
pub fn thread(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    fact(reading, FactKind::SessionId, line.body.get("thread_id"));
    fact(reading, FactKind::Cwd, line.body.path(&["thread_settings", "cwd"]));
    fact(reading, FactKind::Model, line.body.path(&["thread_settings", "model"]));
}

/// `reasoning`, its item, its legacy events and the encrypted state of a remote compaction.
pub fn hidden(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    for key in ["summary", "content", "summary_text", "raw_content"] {
        for part in line.body.get(key).items() {
            withhold(reading, "reasoning", if part.is_object() { part.get("text") } else { part });
        }
    }
    withhold(reading, "reasoning", line.body.get("text"));
    withhold(reading, "encrypted", line.body.get("encrypted_content"));
}

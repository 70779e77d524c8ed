//! What the result of a call says: how the whole ended, and what its text adds.

use std::borrow::Cow;

use super::observation::Reason;
use super::shell::outcome::Whole;
use super::visible::Kept;
use crate::evidence::event::Event;
use crate::evidence::transcript::item::{Status, facet};
use crate::evidence::transcript::json::Json;

/// How the whole command of a call ended, from status and facets alone. `error_is_failure` says that an error
/// without an exit status is a failed command.
pub fn whole(event: &Event, error_is_failure: bool) -> Whole {
    let has = |name: &str| event.has_facet(name);
    let status = event.status().unwrap_or(Status::Unknown);
    if has(facet::TIMED_OUT) {
        return Whole::Unknown(Reason::TimedOut);
    }
    if status == Status::Rejected || has(facet::NOT_RUN) || has(facet::REFUSED) {
        return Whole::Unknown(Reason::Rejected);
    }
    if status == Status::Interrupted || has(facet::INTERRUPT) {
        return Whole::Unknown(Reason::Interrupted);
    }
    if has(facet::BACKGROUND) {
        return Whole::Unknown(Reason::Backgrounded);
    }
    if has(facet::SANDBOXED) || (status == Status::Error && names_sandbox(event.text.as_str())) {
        return Whole::Unknown(Reason::Sandboxed);
    }
    let code = event.tool.as_ref().and_then(|tool| tool.exit_code);
    if has(facet::HARMLESS_EXIT) {
        return Whole::Failed(code.filter(|code| *code != 0).or(Some(1)));
    }
    of_status(status, code, error_is_failure)
}

/// What Claude Code adds to the output of a command whose sandbox denied it something.
const VIOLATIONS: &str = "<sandbox_violations>";
/// How sandboxes begin their own complaint when they cannot run a command at all.
const COMPLAINTS: &[&str] = &[
    "bwrap: ",
    "sandbox-exec: ",
    "codex-linux-sandbox: ",
    "error running landlock: ",
    "error applying Landlock ",
];
/// Lines before an output that the harness writes.
const HEAD_LINES: usize = 8;

/// The output of a failed command that a sandbox ended or disturbed.
fn names_sandbox(text: &str) -> bool {
    let begins = |line: &str| COMPLAINTS.iter().any(|start| line.starts_with(start));
    text.contains(VIOLATIONS) || text.lines().take(HEAD_LINES).any(begins)
}

/// The same from a status and an exit status.
pub fn of_status(status: Status, code: Option<u32>, error_is_failure: bool) -> Whole {
    match (status, code) {
        (Status::Rejected, _) => Whole::Unknown(Reason::Rejected),
        (Status::Interrupted, _) => Whole::Unknown(Reason::Interrupted),
        (Status::Error, Some(0)) => Whole::Unknown(Reason::NoStatus),
        (_, Some(0)) => Whole::Ok,
        (_, Some(code)) => Whole::Failed(Some(code)),
        (Status::Ok, None) => Whole::Ok,
        (Status::Error, None) if error_is_failure => Whole::Failed(None),
        (Status::Error | Status::Unknown, None) => Whole::Unknown(Reason::NoStatus),
    }
}

/// The output in the text of a result: the text itself, or what the envelope of 2025 wraps.
pub fn output(text: &str) -> Cow<'_, str> {
    if text.starts_with('{') && text.contains("\"metadata\"") {
        let parsed = Json::parse(text, &[]).ok().filter(|parsed| parsed.value.get("metadata").is_object());
        if let Some(output) = parsed.as_ref().and_then(|parsed| parsed.value.get("output").as_str()) {
            return Cow::Owned(output.to_owned());
        }
    }
    Cow::Borrowed(text)
}

/// What the harness kept of a long output.
pub fn kept(event: &Event, output: &str) -> Kept {
    if !event.has_facet(facet::CUT_OUTPUT) {
        return Kept::Whole;
    }
    let end = output.trim_end();
    let beginning = end.ends_with("</persisted-output>")
        || end.ends_with("truncated] ...")
        || end.ends_with("lines ...]");
    if beginning { Kept::Beginning } else { Kept::Ending }
}

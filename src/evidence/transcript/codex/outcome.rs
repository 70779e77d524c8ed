//! What became of a call, read off the text that the harness gave to the model. Only the head of that text is
//! the harness's own; what follows `Output:` came from the tool and decides nothing.

use crate::evidence::transcript::item::{Status, facet};
use crate::evidence::transcript::json::Json;

/// The verdict on one output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// From native evidence only.
    pub status: Status,
    /// Where the harness gives one that a process can have.
    pub exit_code: Option<u32>,
    /// Notices for the result.
    pub facets: Vec<&'static str>,
}

impl Outcome {
    /// A verdict without an exit status.
    pub fn plain(status: Status, facets: &[&'static str]) -> Self {
        Self { status, exit_code: None, facets: facets.to_vec() }
    }

    /// No native evidence.
    pub fn unknown() -> Self {
        Self::plain(Status::Unknown, &[])
    }

    /// From an exit status; below zero means killed, and is no exit status.
    pub fn exited(code: i64) -> Self {
        let status = match code {
            0 => Status::Ok,
            ..0 => Status::Interrupted,
            _ => Status::Error,
        };
        let facets = if code < 0 { vec![facet::KILLED] } else { Vec::new() };
        Self { status, exit_code: u32::try_from(code).ok(), facets }
    }

    /// From the `status` of an item or a legacy event, in either spelling.
    pub fn named(name: Option<&str>) -> Self {
        match name.unwrap_or("") {
            "completed" => Self::plain(Status::Ok, &[]),
            "failed" => Self::plain(Status::Error, &[]),
            "declined" => Self::plain(Status::Rejected, &[facet::REFUSED]),
            "in_progress" | "inProgress" => Self::plain(Status::Unknown, &[facet::BACKGROUND]),
            _ => Self::unknown(),
        }
    }

    /// From a success mark.
    pub fn succeeded(yes: bool) -> Self {
        Self::plain(if yes { Status::Ok } else { Status::Error }, &[])
    }
}

/// The heads of outputs of what still runs, up to its name.
const PROCESS_RUNS: &str = "Process running with session ID ";
const CELL_RUNS: &str = "Script running with cell ID ";

/// Texts that stand for a whole output from their first byte on.
const OPENINGS: &[(&str, Status, &[&str])] = &[
    ("unsupported call: ", Status::Error, &[facet::NOT_RUN]),
    ("unsupported custom tool call: ", Status::Error, &[facet::NOT_RUN]),
    ("failed to parse function arguments: ", Status::Error, &[facet::NOT_RUN]),
    ("apply_patch verification failed: ", Status::Error, &[facet::NOT_RUN]),
    ("error: Failed to find expected lines ", Status::Error, &[]),
    ("exec_command failed", Status::Error, &[]),
    ("execution error: ", Status::Error, &[]),
    ("tool call error: ", Status::Error, &[]),
    ("aborted by user", Status::Interrupted, &[]),
    ("command timed out after ", Status::Interrupted, &[facet::TIMED_OUT]),
    ("exec command rejected by user", Status::Rejected, &[facet::REFUSED]),
    ("patch rejected", Status::Rejected, &[facet::REFUSED]),
    ("rejected by user", Status::Rejected, &[facet::REFUSED]),
    ("rejected: ", Status::Rejected, &[facet::REFUSED]),
    ("This action was rejected due to unacceptable risk.", Status::Rejected, &[facet::REFUSED]),
    ("Network access was denied by the Codex sandbox network proxy.", Status::Rejected, &[facet::REFUSED]),
    ("Success. Updated the following files:", Status::Ok, &[]),
];

/// Judges the text of an output.
pub fn judged(text: &str) -> Outcome {
    let mut outcome =
        enveloped(text).or_else(|| headed(text)).or_else(|| opened(text)).unwrap_or_else(Outcome::unknown);
    let cut = text.contains(" tokens truncated\u{2026}")
        || text.starts_with("Total output lines: ")
        || text.starts_with("Warning: truncated output ")
        || (text.contains("[... omitted ") && text.contains(" lines ...]"));
    if cut && !outcome.facets.contains(&facet::CUT_OUTPUT) {
        outcome.facets.push(facet::CUT_OUTPUT);
    }
    outcome
}

fn opened(text: &str) -> Option<Outcome> {
    // The only output of `update_plan`; equal, not a prefix, since a tool may print such a word.
    if text == "Plan updated" {
        return Some(Outcome::plain(Status::Ok, &[]));
    }
    if text.ends_with("rejected by user approval settings") && !text.contains('\n') {
        return Some(Outcome::plain(Status::Rejected, &[facet::REFUSED]));
    }
    if text.starts_with("failed in sandbox ") {
        return Some(failed_in_sandbox(text));
    }
    OPENINGS
        .iter()
        .find(|(opening, _, _)| text.starts_with(opening))
        .map(|(_, status, facets)| Outcome::plain(*status, facets))
}

/// 2025: `failed in sandbox X with execution error: sandbox denied exec error, exit code: N, stdout: …`. The command did run.
fn failed_in_sandbox(text: &str) -> Outcome {
    let denied = text.split_once("sandbox denied exec error, exit code: ").map(|(_, rest)| rest);
    let code =
        denied.and_then(|rest| rest.split([',', '\n']).next()).and_then(|digits| digits.trim().parse().ok());
    let mut outcome = code.map_or_else(|| Outcome::succeeded(false), Outcome::exited);
    if outcome.status == Status::Ok {
        outcome.status = Status::Error;
    }
    outcome.facets.push(facet::SANDBOXED);
    outcome
}

/// Outputs that are one JSON object: `{"output", "metadata"}` of 2025, results of MCP and of the agent tools.
fn enveloped(text: &str) -> Option<Outcome> {
    if !text.starts_with('{') {
        return None;
    }
    let value = Json::parse(text, &[]).ok()?.value;
    if let Some(code) = value.path(&["metadata", "exit_code"]).as_i64() {
        let output = value.get("output").as_str().unwrap_or("");
        return Some(timed(Outcome::exited(code), output));
    }
    if !value.get("content").items().is_empty() {
        return value.get("isError").as_bool().map(|failed| Outcome::succeeded(!failed));
    }
    // The agent tools and `request_user_input` answer with these members and no others; a refusal is plain text.
    const ANSWERS: &[&str] = &[
        "agent_id",
        "nickname",
        "task_name",
        "submission_id",
        "previous_status",
        "status",
        "message",
        "answers",
    ];
    if value.get("timed_out").as_bool() == Some(true) {
        return Some(Outcome::plain(Status::Unknown, &[facet::TIMED_OUT]));
    }
    let known =
        value.members().iter().all(|(name, _)| name == "timed_out" || ANSWERS.contains(&name.as_ref()));
    let telling = ["agent_id", "task_name", "submission_id", "previous_status", "timed_out", "answers"];
    (known && telling.iter().any(|key| !value.get(key).is_null())).then(|| Outcome::plain(Status::Ok, &[]))
}

/// Outputs with a head of the harness: lines of known openings up to `Output:`, the time among them.
fn headed(text: &str) -> Option<Outcome> {
    let mut outcome = None;
    let mut cut = false;
    let mut timed_head = false;
    let mut lines = text.split('\n');
    for line in lines.by_ref() {
        if line == "Output:" {
            break;
        } else if let Some(code) = number(line, "Exit code: ") {
            outcome = Some(Outcome::exited(code));
        } else if let Some(code) = number(line, "Process exited with code ") {
            outcome = Some(Outcome::exited(code));
        } else if line.starts_with(PROCESS_RUNS) {
            outcome = Some(Outcome::plain(Status::Unknown, &[facet::BACKGROUND]));
        } else if let Some(rest) = line.strip_prefix("Script ") {
            outcome = Some(script(rest)?);
        } else if timed_head && line.starts_with("aborted by user") {
            return Some(Outcome::plain(Status::Interrupted, &[]));
        } else if line.starts_with("Total output lines: ") || line.starts_with("Warning: truncated output ") {
            cut = true;
        } else if line.starts_with("Wall time: ") || line.starts_with("Wall time ") {
            timed_head = true;
        } else if !["Chunk ID: ", "Original token count: "].iter().any(|opening| line.starts_with(opening)) {
            break;
        }
    }
    // Every head tells the time. Without it such words are the tool's own.
    if !timed_head {
        return None;
    }
    let mut outcome = outcome.unwrap_or_else(Outcome::unknown);
    if cut {
        outcome.facets.push(facet::CUT_OUTPUT);
    }
    Some(timed(outcome, lines.next().unwrap_or("")))
}

/// What still runs, by the head of an output: kind of its name and the name, with which later calls ask for it.
pub fn running(text: &str) -> Option<(&'static str, &str)> {
    let judged = headed(text).filter(|outcome| outcome.facets.contains(&facet::BACKGROUND));
    let mut head = text.split('\n').take_while(|line| *line != "Output:").filter(|_| judged.is_some());
    head.find_map(|line| {
        let process = line.strip_prefix(PROCESS_RUNS).map(|name| ("process", name));
        process.or_else(|| line.strip_prefix(CELL_RUNS).map(|name| ("cell", name)))
    })
}

/// Code mode: how the script ended, not what its commands returned.
fn script(rest: &str) -> Option<Outcome> {
    match rest {
        "completed" => Some(Outcome::plain(Status::Ok, &[])),
        "failed" => Some(Outcome::plain(Status::Error, &[])),
        "terminated" => Some(Outcome::plain(Status::Interrupted, &[])),
        _ => CELL_RUNS
            .strip_prefix("Script ")
            .is_some_and(|opening| rest.starts_with(opening))
            .then(|| Outcome::plain(Status::Unknown, &[facet::BACKGROUND])),
    }
}

/// Exit status 124 is a timeout only where the harness says so.
fn timed(mut outcome: Outcome, output: &str) -> Outcome {
    if outcome.exit_code == Some(124) && output.starts_with("command timed out after ") {
        outcome.status = Status::Interrupted;
        outcome.facets.push(facet::TIMED_OUT);
    }
    outcome
}

fn number(line: &str, opening: &str) -> Option<i64> {
    line.strip_prefix(opening)?.parse().ok()
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;

//! What became of a call, from what the harness wrote on the result row: its flags, its own fixed sentences,
//! and listed fields of `toolUseResult`. What a tool printed proves nothing here.

use super::envelope::{flag, text};
use crate::evidence::transcript::item::{Status, facet};
use crate::evidence::transcript::json::Json;

/// Status, exit status and notices of a result.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What became of the call.
    pub status: Status,
    /// Where the harness tells or proves one.
    pub exit_code: Option<u32>,
    /// Our own words about it.
    pub facets: Vec<&'static str>,
}

impl Outcome {
    fn of(status: Status, facets: &[&'static str]) -> Self {
        Self { status, exit_code: None, facets: facets.to_vec() }
    }

    const fn exited(mut self, exit_code: Option<u32>) -> Self {
        self.exit_code = exit_code;
        self
    }
}

/// The one table of the harness's own sentences on an error (`is_error`): how the text begins, what became of the
/// call, notices, and why. A text that is not here is an error of the tool itself. The first row that fits counts.
pub const SENTENCES: &[(&str, Status, &[&str], &str)] = &[
    (
        "<tool_use_error>Sibling tool call errored",
        Status::Interrupted,
        &["sibling_error"],
        "given up because a call beside it failed; it may have begun",
    ),
    (
        "<tool_use_error>Cancelled: parallel tool call ",
        Status::Interrupted,
        &["sibling_error"],
        "the same in later versions",
    ),
    ("Sibling tool call errored", Status::Interrupted, &["sibling_error"], "the same without its frame"),
    (
        "<tool_use_error>",
        Status::Error,
        &[facet::NOT_RUN],
        "input not valid, or no such tool: the call never ran",
    ),
    ("Blocked: sleep ", Status::Error, &[facet::NOT_RUN], "idle waiting is not run"),
    ("The user doesn't want to proceed with this tool use.", Status::Rejected, REFUSED, "a person said no"),
    ("The user doesn't want to take this action right now.", Status::Rejected, REFUSED, "a person said no"),
    ("Answer questions?", Status::Rejected, REFUSED, "nobody could be asked"),
    ("Exit plan mode?", Status::Rejected, REFUSED, "nobody could be asked"),
    ("This command requires approval", Status::Rejected, REFUSED, "nobody could be asked"),
    ("Claude requested permissions to ", Status::Rejected, REFUSED, "nobody could be asked"),
    ("Permission to use ", Status::Rejected, REFUSED, "a rule said no"),
    ("Permission for this action has been denied", Status::Rejected, REFUSED, "a rule said no"),
    ("Permission for this action was denied", Status::Rejected, REFUSED, "a classifier said no"),
    (
        "[Tool call interrupted: the session ended",
        Status::Unknown,
        &[facet::INTERRUPT],
        "added by a resume: nobody recorded what became of it",
    ),
    (
        "Agent terminated early due to an API error",
        Status::Error,
        &[facet::API_ERROR],
        "the service failed the child before it had said anything",
    ),
];

/// The same for a command that was stopped. These stand behind the line `Exit code N`, too, where N tells a
/// signal: a command that prints such a sentence and fails on its own has another.
pub const STOPS: &[(&str, Status, &[&str], &str)] = &[
    (
        "[Request interrupted by user",
        Status::Interrupted,
        &[facet::INTERRUPT],
        "a person or a signal stopped it",
    ),
    ("Command timed out after ", Status::Interrupted, &[facet::TIMED_OUT], "its time was over"),
];

const REFUSED: &[&str] = &[facet::REFUSED];
/// Exit statuses from here on stand for signals.
const SIGNALS: u32 = 128;

/// The outcome of the result `block` on `row`, whose text for the model is `shown`.
pub fn of(row: &Json<'_>, block: &Json<'_>, shown: &str) -> Outcome {
    let refused = flag(row, "toolDenialBeforeRun")
        || row.path(&["permissionDecision", "decision"]).as_str() == Some("reject");
    if let Some(outcome) = text(row, "toolDenialKind").and_then(|kind| denied(kind, refused, shown)) {
        return outcome;
    }
    // Tools that the service ran itself answer with an error part instead of a flag.
    let kind = block.path(&["content", "type"]).as_str();
    if kind.is_some_and(|kind| kind.ends_with("_error")) {
        return Outcome::of(Status::Error, &[]);
    }
    if flag(block, "is_error") { failed(row, refused, shown) } else { ended(row.get("toolUseResult"), shown) }
}

/// `toolDenialKind`, of versions from 2.1.8x on.
fn denied(kind: &str, refused: bool, shown: &str) -> Option<Outcome> {
    Some(match kind {
        // Written for a refused call and for one that a person or a signal stopped while it ran. Only the
        // other two marks prove that it never ran.
        "user-rejected" if refused && !shown.contains("this call was stopped while running") => {
            Outcome::of(Status::Rejected, &[facet::REFUSED])
        }
        "user-rejected" | "cancelled" => Outcome::of(Status::Interrupted, &[facet::INTERRUPT]),
        "permission-rule" if is_hook_refusal(shown) => {
            Outcome::of(Status::Rejected, &[facet::REFUSED, facet::HOOK_BLOCK])
        }
        "permission-rule" | "automode-blocked" => Outcome::of(Status::Rejected, &[facet::REFUSED]),
        // Added by a resume: "the session ended before this call's result was recorded, so its outcome is
        // unknown".
        "interrupted" => Outcome::of(Status::Unknown, &[facet::INTERRUPT]),
        _ => return None,
    })
}

/// `is_error` is true.
fn failed(row: &Json<'_>, refused: bool, shown: &str) -> Outcome {
    if is_hook_refusal(shown) {
        return Outcome::of(Status::Rejected, &[facet::REFUSED, facet::HOOK_BLOCK]);
    }
    // Versions 1.x write no line of their own: what looks like one was printed by the command.
    let own_line = text(row, "version").is_none_or(|version| !version.starts_with("1."));
    let (exit_code, rest) = if own_line { exit_line(shown) } else { (None, shown) };
    let own = if exit_code.is_none() { SENTENCES } else { &[] };
    let stops = if exit_code.is_none_or(|code| code > SIGNALS) { STOPS } else { &[] };
    let said = stops.iter().chain(own).find(|(opening, ..)| rest.starts_with(opening));
    if let Some((_, status, facets, _)) = said {
        return Outcome::of(*status, facets).exited(exit_code);
    }
    let said_no = row.get("toolUseResult").as_str() == Some("User rejected tool use");
    if refused || said_no || is_path_refusal(shown) {
        return Outcome::of(Status::Rejected, REFUSED);
    }
    Outcome::of(Status::Error, &[]).exited(exit_code)
}

/// How a launch reads where the row has nothing but the text.
const LAUNCHED: &[&str] = &["Command running in background with ID: ", "Async agent launched successfully"];

/// `is_error` is false or absent: the harness's way to write success, unless its own data say otherwise.
fn ended(data: &Json<'_>, shown: &str) -> Outcome {
    let background = text(data, "backgroundTaskId").is_some()
        || flag(data, "isAsync")
        || matches!(data.get("status").as_str(), Some("async_launched" | "remote_launched" | "running"))
        || matches!(data.get("retrieval_status").as_str(), Some("timeout" | "not_ready"))
        || data.path(&["task", "status"]).as_str() == Some("running")
        || (text(data, "runId").is_some()
            && !matches!(data.get("status").as_str(), Some("completed" | "failed")))
        || (!data.is_object() && LAUNCHED.iter().any(|opening| shown.starts_with(opening)));
    if background {
        return Outcome::of(Status::Unknown, &[facet::BACKGROUND]);
    }
    if flag(data, "interrupted") {
        return Outcome::of(Status::Interrupted, &[facet::INTERRUPT]);
    }
    if text(data, "returnCodeInterpretation").is_some() {
        return Outcome::of(Status::Ok, &[facet::HARMLESS_EXIT]);
    }
    if data.get("success").as_bool() == Some(false) {
        return Outcome::of(Status::Error, &[]);
    }
    // A child that a limit cut off is "completed" all the same; the harness says so in the first line.
    let child = text(data, "agentId").is_some() || !data.get("totalToolUseCount").is_null();
    if child && shown.trim_start().starts_with("Agent terminated early due to an API error") {
        return Outcome::of(Status::Error, &[facet::API_ERROR]);
    }
    if let Some(outcome) = polled(data) {
        return outcome;
    }
    // Commands have no exit status on the row; without error, interpretation or background it is 0.
    let command = !data.get("stdout").is_null()
        && !data.get("stderr").is_null()
        && data.get("interrupted").as_bool() == Some(false);
    Outcome::of(Status::Ok, &[]).exited(command.then_some(0))
}

/// Results of tools that ask after background work (`BashOutput`, `TaskOutput`) tell how that work ended.
fn polled(data: &Json<'_>) -> Option<Outcome> {
    let task = data.get("task");
    let (state, code) = if task.get("status").is_null() || data.get("retrieval_status").is_null() {
        let shell = !data.get("shellId").is_null();
        (data.get("status").as_str().filter(|_| shell)?, data.get("exitCode"))
    } else {
        (task.get("status").as_str()?, task.get("exitCode"))
    };
    let exit_code = code.as_u64().and_then(|code| u32::try_from(code).ok());
    let status = match state {
        "killed" | "stopped" | "cancelled" => Status::Interrupted,
        "failed" => Status::Error,
        "completed" if exit_code.is_none_or(|code| code == 0) => Status::Ok,
        "completed" => Status::Error,
        _ => Status::Unknown,
    };
    Some(Outcome::of(status, &[]).exited(exit_code))
}

/// `Exit code N` in the first line, and what follows it.
fn exit_line(shown: &str) -> (Option<u32>, &str) {
    let Some(rest) = shown.strip_prefix("Exit code ") else { return (None, shown) };
    let (digits, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    digits.trim().parse().map_or((None, shown), |code| (Some(code), rest))
}

/// `PreToolUse:Bash hook error: …` and `Hook PreToolUse:Bash denied this tool`.
fn is_hook_refusal(shown: &str) -> bool {
    let line = shown.lines().next().unwrap_or_default();
    (line.starts_with("PreToolUse:") && line.contains(" hook error"))
        || (line.starts_with("Hook PreToolUse:") && line.contains(" denied this tool"))
}

/// `cd in '/x' was blocked. For security, Claude Code may only change directories …`
fn is_path_refusal(shown: &str) -> bool {
    shown
        .lines()
        .next()
        .is_some_and(|line| line.contains(" was blocked. For security, Claude Code may only "))
}

#[cfg(test)]
mod tests {
    use super::{Json, Outcome, SENTENCES, STOPS, Status, facet, of};

    fn outcome(row: &str, block: &str, shown: &str) -> Outcome {
        of(&Json::parse(row, &[]).unwrap().value, &Json::parse(block, &[]).unwrap().value, shown)
    }

    fn check(row: &str, is_error: bool, shown: &str, expected: (Status, Option<u32>, &[&'static str])) {
        let block = format!(r#"{{"type":"tool_result","is_error":{is_error}}}"#);
        let outcome = outcome(row, &block, shown);
        assert_eq!((outcome.status, outcome.exit_code, outcome.facets.as_slice()), expected, "{row} {shown}");
    }

    const SHELL: &str = r#"{"toolUseResult":{"stdout":"","stderr":"","interrupted":false}}"#;

    #[test]
    fn a_plain_success_of_a_command_is_exit_status_0() {
        check(SHELL, false, "x", (Status::Ok, Some(0), &[]));
        check("{}", false, "x", (Status::Ok, None, &[]));
        check(r#"{"toolUseResult":{"filePath":"a"}}"#, false, "x", (Status::Ok, None, &[]));
    }

    #[test]
    fn what_is_not_a_plain_success_proves_no_exit_status() {
        let with = |field: &str| {
            format!(r#"{{"toolUseResult":{{"stdout":"","stderr":"","interrupted":false,{field}}}}}"#)
        };
        let harmless = with(r#""returnCodeInterpretation":"No matches found""#);
        check(&harmless, false, "", (Status::Ok, None, &[facet::HARMLESS_EXIT]));
        let launched = with(r#""backgroundTaskId":"b1""#);
        check(&launched, false, "Command running", (Status::Unknown, None, &[facet::BACKGROUND]));
        let cut = r#"{"toolUseResult":{"stdout":"","stderr":"","interrupted":true}}"#;
        check(cut, false, "", (Status::Interrupted, None, &[facet::INTERRUPT]));
        let launch = r#"{"toolUseResult":{"isAsync":true,"status":"async_launched","agentId":"a1"}}"#;
        check(launch, false, "Async agent", (Status::Unknown, None, &[facet::BACKGROUND]));
        check(r#"{"toolUseResult":{"success":false}}"#, false, "Task not found", (Status::Error, None, &[]));
    }

    #[test]
    fn errors_tell_their_exit_status() {
        check("{}", true, "Exit code 3\nerr", (Status::Error, Some(3), &[]));
        check("{}", true, "err\n\nout", (Status::Error, None, &[]));
        check(
            "{}",
            true,
            "Exit code 143\nCommand timed out after 2m",
            (Status::Interrupted, Some(143), &[facet::TIMED_OUT]),
        );
        check(
            "{}",
            true,
            "Exit code 137\n[Request interrupted by user for tool use]\n1",
            (Status::Interrupted, Some(137), &[facet::INTERRUPT]),
        );
        check(
            "{}",
            true,
            "<tool_use_error>String not found</tool_use_error>",
            (Status::Error, None, &[facet::NOT_RUN]),
        );
    }

    #[test]
    fn every_sentence_stands_once_with_a_reason() {
        let all: Vec<_> = SENTENCES.iter().chain(STOPS).collect();
        for (place, (opening, status, facets, reason)) in all.iter().enumerate() {
            assert!(!reason.is_empty());
            // A later row that begins like an earlier one would never count.
            assert!(all.iter().take(place).all(|(other, ..)| !opening.starts_with(other)), "{opening}");
            check("{}", true, &format!("{opening} and more"), (*status, None, facets));
        }
    }

    #[test]
    fn what_a_command_prints_is_not_the_harness_speaking() {
        check("{}", false, "<tool_use_error>x</tool_use_error>", (Status::Ok, None, &[]));
        check("{}", true, "Exit code 1\n<tool_use_error>x", (Status::Error, Some(1), &[]));
        check("{}", true, "Exit code 1\nCommand timed out after 2s", (Status::Error, Some(1), &[]));
        check(r#"{"version":"1.0.128"}"#, true, "Exit code 3\nx", (Status::Error, None, &[]));
        check(r#"{"version":"2.0.76"}"#, true, "Exit code 3\nx", (Status::Error, Some(3), &[]));
        check(SHELL, false, "Command running in background with ID: b1", (Status::Ok, Some(0), &[]));
        check(SHELL, false, "Agent terminated early due to an API error", (Status::Ok, Some(0), &[]));
    }

    #[test]
    fn a_call_given_up_for_its_sibling_is_no_failure_of_its_own() {
        for shown in [
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
            "<tool_use_error>Cancelled: parallel tool call Bash(ls) errored</tool_use_error>",
        ] {
            check("{}", true, shown, (Status::Interrupted, None, &["sibling_error"]));
        }
    }

    #[test]
    fn a_timeout_is_known_in_every_version() {
        let timed_out = (Status::Interrupted, None, [facet::TIMED_OUT].as_slice());
        check(r#"{"version":"1.0.128"}"#, true, "Command timed out after 0.5s", timed_out);
        let later = (Status::Interrupted, Some(143), [facet::TIMED_OUT].as_slice());
        check(r#"{"version":"2.1.332"}"#, true, "Exit code 143\nCommand timed out after 0s", later);
        // A signal from outside is told by its number alone.
        check(r#"{"version":"2.1.332"}"#, true, "Exit code 137\nbegin", (Status::Error, Some(137), &[]));
    }

    #[test]
    fn the_harnesss_own_word_for_a_refusal_is_enough() {
        let row = r#"{"toolUseResult":"User rejected tool use"}"#;
        check(row, true, "No.", (Status::Rejected, None, &[facet::REFUSED]));
    }

    #[test]
    fn a_workflow_that_was_only_launched_still_runs() {
        let launched = r#"{"toolUseResult":{"runId":"wf_1","taskId":"t1","status":"started"}}"#;
        check(launched, false, "Workflow started", (Status::Unknown, None, &[facet::BACKGROUND]));
        let ended = r#"{"toolUseResult":{"runId":"wf_1","status":"completed"}}"#;
        check(ended, false, "Workflow done", (Status::Ok, None, &[]));
    }

    #[test]
    fn a_refusal_is_rejected_and_a_stopped_run_is_interrupted() {
        let sentence = "The user doesn't want to proceed with this tool use. The tool use was rejected";
        check("{}", true, sentence, (Status::Rejected, None, &[facet::REFUSED]));
        let kind = r#"{"toolDenialKind":"user-rejected","toolDenialBeforeRun":true}"#;
        check(kind, true, sentence, (Status::Rejected, None, &[facet::REFUSED]));
        let signal = r#"{"toolDenialKind":"user-rejected"}"#;
        check(signal, true, sentence, (Status::Interrupted, None, &[facet::INTERRUPT]));
        let decision = r#"{"toolDenialKind":"user-rejected","permissionDecision":{"decision":"reject"}}"#;
        check(decision, true, "This command requires approval", (Status::Rejected, None, &[facet::REFUSED]));
        let resumed = r#"{"toolDenialKind":"interrupted"}"#;
        check(
            resumed,
            true,
            "[Tool call interrupted: the session",
            (Status::Unknown, None, &[facet::INTERRUPT]),
        );
    }

    #[test]
    fn a_tool_of_the_service_fails_by_its_part() {
        let block = r#"{"content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}"#;
        assert_eq!(outcome("{}", block, "").status, Status::Error);
    }

    #[test]
    fn a_hook_that_says_no_is_a_hook_block() {
        let shown = "PreToolUse:Bash hook error: [/h.sh PreToolUse]: the word is not allowed\n";
        check("{}", true, shown, (Status::Rejected, None, &[facet::REFUSED, facet::HOOK_BLOCK]));
    }

    #[test]
    fn polls_tell_how_the_background_work_ended() {
        let poll = |state: &str, code: &str| {
            format!(
                r#"{{"toolUseResult":{{"shellId":"s","status":"{state}","exitCode":{code},"stdout":"","stderr":""}}}}"#
            )
        };
        check(&poll("running", "null"), false, "", (Status::Unknown, None, &[facet::BACKGROUND]));
        check(&poll("completed", "0"), false, "", (Status::Ok, Some(0), &[]));
        check(&poll("failed", "2"), false, "", (Status::Error, Some(2), &[]));
        let task =
            r#"{"toolUseResult":{"retrieval_status":"success","task":{"status":"completed","exitCode":1}}}"#;
        check(task, false, "", (Status::Error, Some(1), &[]));
    }

    #[test]
    fn a_child_cut_off_by_a_limit_did_not_succeed() {
        let done = r#"{"toolUseResult":{"status":"completed","agentId":"a1"}}"#;
        let shown = "  Agent terminated early due to an API error: You've hit your limit";
        check(done, false, shown, (Status::Error, None, &[facet::API_ERROR]));
    }
}

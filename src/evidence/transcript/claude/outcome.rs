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

/// Sentences of the harness for calls that a permission stopped before they ran. Older versions have no other
/// mark.
const REFUSALS: &[&str] = &[
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "This command requires approval",
    "Claude requested permissions to ",
    "Permission to use ",
    "Permission for this action has been denied",
    "Answer questions?",
    "Exit plan mode?",
];

/// The outcome of the result `block` on `row`, whose text for the model is `shown`.
pub fn of(row: &Json<'_>, block: &Json<'_>, shown: &str) -> Outcome {
    let refused = flag(row, "toolDenialBeforeRun")
        || row.path(&["permissionDecision", "decision"]).as_str() == Some("reject");
    if shown.starts_with("<tool_use_error>") {
        return Outcome::of(Status::Error, &[facet::NOT_RUN]);
    }
    if let Some(outcome) = text(row, "toolDenialKind").and_then(|kind| denied(kind, refused, shown)) {
        return outcome;
    }
    // Tools that the service ran itself answer with an error part instead of a flag.
    let kind = block.path(&["content", "type"]).as_str();
    if kind.is_some_and(|kind| kind.ends_with("_error")) {
        return Outcome::of(Status::Error, &[]);
    }
    if flag(block, "is_error") { failed(refused, shown) } else { ended(row.get("toolUseResult"), shown) }
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
fn failed(refused: bool, shown: &str) -> Outcome {
    if is_hook_refusal(shown) {
        return Outcome::of(Status::Rejected, &[facet::REFUSED, facet::HOOK_BLOCK]);
    }
    if refused || REFUSALS.iter().any(|sentence| shown.starts_with(sentence)) || is_path_refusal(shown) {
        return Outcome::of(Status::Rejected, &[facet::REFUSED]);
    }
    let (exit_code, rest) = exit_line(shown);
    if rest.starts_with("[Request interrupted by user") {
        return Outcome::of(Status::Interrupted, &[facet::INTERRUPT]).exited(exit_code);
    }
    if rest.starts_with("Command timed out after ") {
        return Outcome::of(Status::Interrupted, &[facet::TIMED_OUT]).exited(exit_code);
    }
    if rest.starts_with("Agent terminated early due to an API error") {
        return Outcome::of(Status::Error, &[facet::API_ERROR]);
    }
    Outcome::of(Status::Error, &[]).exited(exit_code)
}

/// `is_error` is false or absent: the harness's way to write success, unless its own data say otherwise.
fn ended(data: &Json<'_>, shown: &str) -> Outcome {
    let background = text(data, "backgroundTaskId").is_some()
        || flag(data, "isAsync")
        || matches!(data.get("status").as_str(), Some("async_launched" | "remote_launched" | "running"))
        || matches!(data.get("retrieval_status").as_str(), Some("timeout" | "not_ready"))
        || data.path(&["task", "status"]).as_str() == Some("running")
        || shown.starts_with("Command running in background with ID: ")
        || shown.starts_with("Async agent launched successfully");
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
    if shown.trim_start().starts_with("Agent terminated early due to an API error") {
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
    use super::{Json, Outcome, Status, facet, of};

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

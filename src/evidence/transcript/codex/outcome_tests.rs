//! What became of a call, in every shape that an output has or had.

use super::{Outcome, judged, running};
use crate::evidence::transcript::item::{Status, facet};

#[test]
fn exit_statuses_are_read_in_all_three_shapes() {
    let wrapped = r#"{"output":"a","metadata":{"exit_code":3,"duration_seconds":0.1}}"#;
    for text in [wrapped, "Exit code: 3\nWall time: 1 seconds\nOutput:\na"] {
        assert_eq!(judged(text), Outcome::exited(3), "{text}");
    }
    let ended = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess exited with code 3\nOutput:\n";
    assert_eq!(judged(ended), Outcome::exited(3));
    assert_eq!(judged("Wall time: 1 seconds\nProcess exited with code 0\nOutput:\n").status, Status::Ok);
    assert_eq!(Outcome::exited(-1), Outcome::plain(Status::Interrupted, &[facet::KILLED]));
}

#[test]
fn the_output_of_the_tool_decides_nothing() {
    assert_eq!(
        judged("Wall time: 1.0 seconds\nOutput:\nProcess exited with code 1\n").status,
        Status::Unknown
    );
    for text in ["hello\nExit code: 1", "Exit code: 1", "Script failed", "Exit code: 1\nOutput:\n"] {
        assert_eq!(judged(text), Outcome::unknown(), "{text}");
    }
    assert_eq!(judged("Wall time: 1 seconds\nOutput:\naborted by user").status, Status::Unknown);
}

#[test]
fn a_running_process_is_unknown_and_marked() {
    let text = "Wall time: 0.3 seconds\nProcess running with session ID 26641\nOutput:\n";
    assert_eq!(judged(text), Outcome::plain(Status::Unknown, &[facet::BACKGROUND]));
    assert_eq!(running(text), Some(("process", "26641")));
    let cell = "Script running with cell ID 3\nWall time 0.2 seconds\nOutput:\n";
    assert_eq!(judged(cell).status, Status::Unknown);
    assert_eq!(running(cell), Some(("cell", "3")));
    assert_eq!(running("Wall time: 1 seconds\nOutput:\nProcess running with session ID 5\n"), None);
}

#[test]
fn a_timeout_is_an_interruption_only_where_the_harness_says_so() {
    let said =
        judged("Exit code: 124\nWall time: 10 seconds\nOutput:\ncommand timed out after 10000 milliseconds");
    assert_eq!((said.status, said.exit_code), (Status::Interrupted, Some(124)));
    assert!(said.facets.contains(&facet::TIMED_OUT));
    assert_eq!(judged("Exit code: 124\nWall time: 1 seconds\nOutput:\n").status, Status::Error);
}

#[test]
fn refusals_aborts_and_calls_that_never_ran_are_told_apart() {
    assert_eq!(judged("exec command rejected by user").status, Status::Rejected);
    assert_eq!(
        judged("writing outside of the project; rejected by user approval settings").status,
        Status::Rejected
    );
    assert_eq!(judged("Wall time: 5.0 seconds\naborted by user").status, Status::Interrupted);
    assert_eq!(judged("aborted by user after 5.0s").status, Status::Interrupted);
    assert_eq!(judged("unsupported call: x"), Outcome::plain(Status::Error, &[facet::NOT_RUN]));
    let sandbox = "failed in sandbox LinuxSeccomp with execution error: sandbox denied exec error, exit code: 2, stdout: ";
    assert_eq!(judged(sandbox).exit_code, Some(2));
}

#[test]
fn scripts_and_agent_tools_have_their_own_words() {
    assert_eq!(judged("Script failed\nWall time 0.0 seconds\nOutput:\n").status, Status::Error);
    assert_eq!(judged(r#"{"agent_id":"a","nickname":"b"}"#).status, Status::Ok);
    assert_eq!(judged(r#"{"status":{},"timed_out":true}"#).status, Status::Unknown);
    assert_eq!(judged(r#"{"agent_id":"a","other":1}"#).status, Status::Unknown);
    assert_eq!(judged(r#"{"content":[{"type":"text","text":"x"}],"isError":true}"#).status, Status::Error);
}

/// Every shape of the format with what it proves: status, exit status, whether it is marked so.
#[test]
fn every_shape_of_an_output() {
    use Status::{Error, Interrupted, Ok, Rejected, Unknown};
    let shapes: &[(&str, Status, Option<u32>, &[&str])] = &[
        // The shell of 2025 and its patches.
        (r#"{"output":"a\n","metadata":{"exit_code":0,"duration_seconds":0.1}}"#, Ok, Some(0), &[]),
        (
            r#"{"output":"","metadata":{"exit_code":-1,"duration_seconds":0.1}}"#,
            Interrupted,
            None,
            &[facet::KILLED],
        ),
        (
            r#"{"output":"command timed out after 1000 milliseconds\na","metadata":{"exit_code":124,"duration_seconds":1.0}}"#,
            Interrupted,
            Some(124),
            &[facet::TIMED_OUT],
        ),
        // `shell_command` and patches from late 2025 on.
        (
            "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nA a",
            Ok,
            Some(0),
            &[],
        ),
        (
            "Exit code: 1\nWall time: 0.1 seconds\nTotal output lines: 900\nOutput:\nx",
            Error,
            Some(1),
            &[facet::CUT_OUTPUT],
        ),
        // Unified exec.
        (
            "Chunk ID: 0a\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\n",
            Ok,
            Some(0),
            &[],
        ),
        (
            "Wall time: 0.1 seconds\nProcess exited with code -1\nOutput:\n",
            Interrupted,
            None,
            &[facet::KILLED],
        ),
        (
            "Wall time: 9 seconds\nProcess running with session ID 7\nOutput:\n",
            Unknown,
            None,
            &[facet::BACKGROUND],
        ),
        // MCP.
        ("Wall time: 0.1 seconds\nOutput:\nfine", Unknown, None, &[]),
        (r#"[{"type":"text","text":"fine"}]"#, Unknown, None, &[]),
        (r#"{"content":[{"type":"text","text":"fine"}],"isError":false}"#, Ok, None, &[]),
        // Code mode.
        ("Script completed\nWall time 0.1 seconds\nOutput:\n", Ok, None, &[]),
        ("Script failed\nWall time 0.1 seconds\nOutput:\nScript error:\nx", Error, None, &[]),
        ("Script terminated\nWall time 0.1 seconds\nOutput:\n", Interrupted, None, &[]),
        (
            "Script running with cell ID 3\nWall time 0.1 seconds\nOutput:\n",
            Unknown,
            None,
            &[facet::BACKGROUND],
        ),
        // Fixed words.
        ("Plan updated", Ok, None, &[]),
        ("Plan updated twice", Unknown, None, &[]),
        ("unsupported call: collaborationspawn_agent", Error, None, &[facet::NOT_RUN]),
        ("unsupported custom tool call: x", Error, None, &[facet::NOT_RUN]),
        ("failed to parse function arguments: missing field", Error, None, &[facet::NOT_RUN]),
        ("apply_patch verification failed: no such lines", Error, None, &[facet::NOT_RUN]),
        ("exec_command failed for `x`: no such file", Error, None, &[]),
        ("aborted by user after 5.0s", Interrupted, None, &[]),
        ("Wall time: 5.0 seconds\naborted by user", Interrupted, None, &[]),
        ("command timed out after 1000 milliseconds", Interrupted, None, &[facet::TIMED_OUT]),
        ("execution error: Io(x)", Error, None, &[]),
        ("tool call error: x", Error, None, &[]),
        ("exec command rejected by user", Rejected, None, &[facet::REFUSED]),
        ("patch rejected by user", Rejected, None, &[facet::REFUSED]),
        ("rejected by user approval settings", Rejected, None, &[facet::REFUSED]),
        ("Network access was denied by the Codex sandbox network proxy.", Rejected, None, &[facet::REFUSED]),
        // Marks of what was cut.
        ("Warning: truncated output (original token count: 9)\nx", Unknown, None, &[facet::CUT_OUTPUT]),
        ("a\u{2026}9 tokens truncated\u{2026}b", Unknown, None, &[facet::CUT_OUTPUT]),
        ("a\n[... omitted 9 of 99 lines ...]\nb", Unknown, None, &[facet::CUT_OUTPUT]),
        // Anything else.
        ("", Unknown, None, &[]),
        ("Exit code 1", Unknown, None, &[]),
    ];
    for (text, status, exit_code, facets) in shapes {
        let outcome = judged(text);
        let told = (outcome.status, outcome.exit_code, outcome.facets.as_slice());
        assert_eq!(told, (*status, *exit_code, *facets), "{text}");
    }
}

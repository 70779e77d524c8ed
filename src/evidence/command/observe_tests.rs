//! Whole calls and sessions: events in, rows out.

use serde_json::json;

use super::Observations;
use super::observation::{Observation, Operation, Reason, ReportedCounts};
use super::sample::{FAILED, PASSED, Session, UNKNOWN, rows, run_of, runs};
use crate::base::ids::EventId;
use crate::base::limits::OBSERVATION_ROWS;
use crate::evidence::transcript::item::Status;

#[test]
fn a_session_of_tests_is_told_in_order() {
    let mut session = Session::default();
    session.bash("python3 -m unittest -v 2>&1", 1, "Ran 1 test in 0.000s\n\nFAILED (failures=1)");
    session.edit("/w/calc.py");
    session.bash("python3 -m unittest -v 2>&1", 0, "Ran 1 test in 0.000s\n\nOK");
    session.bash("python3 -m unittest 2>&1 | tail -3", 0, "Ran 1 test in 0.000s\n\nOK");
    session.bash("git commit -am 'Fix add'", 0, "[main 7a92e2a] Fix add\n 1 file changed");
    let rows = session.rows();
    assert_eq!(
        runs(&rows),
        [
            (FAILED, None, Some(FAILED), 0, true),
            (PASSED, None, Some(PASSED), 1, false),
            (UNKNOWN, Some(Reason::MaskedByPipeline), Some(PASSED), 0, false),
        ]
    );
    let Some(Observation::VerificationRun { runner, command, reported_counts, .. }) = rows.first() else {
        panic!()
    };
    assert_eq!((runner.as_str(), command.as_str()), ("unittest", "python3 -m unittest -v"));
    assert_eq!(*reported_counts, Some(ReportedCounts { passed: 0, failed: 1, skipped: 0 }));
    let ordinals: Vec<_> = rows.iter().map(|row| row.call_ordinal().unwrap()).collect();
    assert!(ordinals.is_sorted());
    let commit = rows.iter().find_map(|row| match row {
        Observation::CommitReported { commit, branch, .. } => Some((commit.clone(), branch.clone())),
        _ => None,
    });
    assert_eq!(commit, Some(("7a92e2a".to_owned(), Some("main".to_owned()))));
}

#[test]
fn closing_lines_are_a_runs_own_or_nobodys() {
    let ok = "test result: ok. 3 passed; 0 failed; 0 ignored";
    let failed = "test result: FAILED. 1 passed; 1 failed; 0 ignored";
    for (command, output, reported) in [
        ("cargo test | tail", ok, Some(PASSED)),
        ("cargo test 2>&1 | tail -20; echo \"exit: $?\"", ok, Some(PASSED)),
        ("cargo fmt --check && cargo clippy && cargo test", ok, Some(PASSED)),
        ("cargo clippy; cargo test", "error: could not compile `x`", None),
        ("cargo test | grep 'test result'", ok, None),
        ("cargo test | grep 'test result'", failed, Some(FAILED)),
        ("cargo test --no-fail-fast | tail -1", ok, None),
        ("cargo test --no-fail-fast", ok, Some(PASSED)),
        ("cargo test > log; tail log", ok, None),
        ("cargo test || echo 'test result: ok. 1 passed; 0 failed'", ok, None),
        ("cargo test; cat old.log", ok, None),
        ("cargo test | tail; cat < old.log", ok, None),
        ("cargo fmt && cargo test 2>&1 | tail -5", ok, Some(PASSED)),
        ("cargo test -p a; cargo test -p b", ok, None),
        ("X=$(cargo test); echo \"$X\"", ok, None),
        ("cargo test &", ok, None),
        ("pytest; cargo test", ok, Some(PASSED)),
    ] {
        assert_eq!(run_of(command, 0, output).2, reported, "{command}");
    }
}

#[test]
fn numbers_that_are_added_up_need_the_whole_output() {
    let counts = |command: &str, output: &str| {
        let mut session = Session::default();
        session.bash(command, 0, output);
        session.rows().iter().find_map(|row| match row {
            Observation::VerificationRun { reported, reported_counts, .. } => {
                Some((*reported, reported_counts.map(|counts| counts.passed)))
            }
            _ => None,
        })
    };
    // The doc tests, which come last.
    let last =
        "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    assert_eq!(counts("cargo test", last), Some((Some(PASSED), Some(0))));
    assert_eq!(counts("cargo test 2>&1 | tee log", last), Some((Some(PASSED), Some(0))));
    assert_eq!(counts("cargo test 2>&1 | tail -5", last), Some((Some(PASSED), None)));
    assert_eq!(counts("make test 2>&1 | tail -5", last), Some((Some(PASSED), None)));
    assert_eq!(counts("pytest | tail -1", "3 passed in 0.10s"), Some((Some(PASSED), Some(3))));
    // The last app of an umbrella says nothing of the others.
    assert_eq!(counts("mix test | tail -3", "3 tests, 0 failures"), Some((None, None)));
    assert_eq!(counts("mix test", "3 tests, 0 failures"), Some((Some(PASSED), Some(3))));
    assert_eq!(
        counts("npm test --workspaces | tail -3", "Tests:       5 passed, 5 total"),
        Some((None, None))
    );
}

#[test]
fn interrupted_rejected_and_unfinished_runs_say_so() {
    let output = "test result: ok. 3 passed; 0 failed; 0 ignored";
    for (status, code, facets, reason) in [
        ("interrupted", None, &[][..], Reason::Interrupted),
        ("error", Some(143), &["timed_out"], Reason::TimedOut),
        ("error", Some(137), &[], Reason::Interrupted),
        ("rejected", None, &[], Reason::Rejected),
        ("error", None, &["not_run"], Reason::Rejected),
        ("error", Some(2), &["refused"], Reason::Rejected),
        ("rejected", None, &["refused", "hook_block"], Reason::Rejected),
        ("error", Some(1), &["sandboxed"], Reason::Sandboxed),
        ("interrupted", None, &["sibling_error"], Reason::Interrupted),
        ("interrupted", None, &["killed"], Reason::Interrupted),
        ("unknown", None, &["interrupt"], Reason::Interrupted),
        ("ok", None, &["background"], Reason::Backgrounded),
        ("unknown", None, &["background"], Reason::Backgrounded),
    ] {
        let mut session = Session::default();
        let call = session.call("Bash", r#"{"command":"cargo test"}"#);
        session.result(call, status, code, facets, output);
        assert_eq!(runs(&session.rows()), [(UNKNOWN, Some(reason), None, 0, false)], "{status} {facets:?}");
    }
    let mut session = Session::default();
    session.call("Bash", r#"{"command":"cargo test"}"#);
    assert_eq!(runs(&session.rows())[0].1, Some(Reason::NoResult));
    let mut session = Session::default();
    let call = session.call("Bash", r#"{"command":"cargo test","run_in_background":true}"#);
    session.result(call, "ok", None, &[], "");
    assert_eq!(runs(&session.rows())[0].1, Some(Reason::Backgrounded));
}

#[test]
fn what_a_sandbox_ends_is_no_failure_of_the_tests() {
    for (text, status, reason) in [
        ("bwrap: No permissions to create new namespace", "error", Some(Reason::Sandboxed)),
        ("sandbox-exec: sandbox_apply: Operation not permitted", "error", Some(Reason::Sandboxed)),
        (
            "x\n<sandbox_violations>\ndeny(1) file-write-create /x\n</sandbox_violations>",
            "error",
            Some(Reason::Sandboxed),
        ),
        ("5 passed in 0.1s\nbwrap: printed by a test", "ok", None),
        ("E   PermissionError: Operation not permitted\n1 failed in 0.1s", "error", None),
    ] {
        let mut session = Session::default();
        let call = session.call("exec_command", r#"{"cmd":"pytest","workdir":"/w"}"#);
        let head =
            format!("Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n{text}");
        session.result(call, status, Some(u32::from(status == "error")), &[], &head);
        let run = runs(&session.rows())[0];
        assert_eq!(run.1, reason, "{text}");
        assert_eq!(run.0 == UNKNOWN, reason.is_some(), "{text}");
    }
}

#[test]
fn a_commit_stands_whatever_failed_behind_it() {
    let commits = |command: &str, code: u32, output: &str| {
        let mut session = Session::default();
        session.bash(command, code, output);
        session.rows().iter().filter(|row| matches!(row, Observation::CommitReported { .. })).count()
    };
    let line = "[main 1234567] z\n 1 file changed";
    assert_eq!(commits("git commit -m z && cargo test", 101, line), 1);
    assert_eq!(commits("git commit -m z; git push", 1, line), 1);
    assert_eq!(commits("git commit -m z", 0, line), 1);
    // It failed itself: a hook printed that.
    assert_eq!(commits("git commit -m z", 1, line), 0);
    assert_eq!(commits("cargo test && git commit -m z", 0, line), 1);
    assert_eq!(commits("cargo test && echo '[main 1234567] z'", 0, line), 0);
}

#[test]
fn a_patch_in_a_script_is_told_once() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: b.rs\n+x\n*** End Patch";
    let mut session = Session::default();
    let script = session.call("exec", &format!("await tools.apply_patch({})", json!(patch)));
    let item = session.call("FileChange", r#"{"changes":{"/w/a.rs":{"type":"update","unified_diff":""}}}"#);
    session.result(item, "ok", None, &[], "");
    session.result(script, "error", None, &[], "Script failed");
    session.call("FileChange", r#"{"changes":{"/w/other/b.rs":{"type":"add","content":"x"}}}"#);
    let (rows, observed) = rows(session.observer);
    let told: Vec<_> = rows
        .iter()
        .filter_map(|row| match row {
            Observation::FileMutation { path, attempt, .. } => Some((path.as_str(), attempt.status)),
            _ => None,
        })
        .collect();
    assert_eq!(told, [("/w/a.rs", Status::Ok), ("/w/other/b.rs", Status::Unknown)]);
    assert_eq!(observed.counts.get("file_mutation"), Some(&2));
}

#[test]
fn a_shell_without_a_known_grammar_is_not_analysed() {
    let mut session = Session::default();
    session.call("PowerShell", r#"{"command":"Remove-Item a"}"#);
    session.call("shell", r#"{"command":["powershell.exe","-Command","Remove-Item a"]}"#);
    let rows = session.rows();
    assert!(rows.iter().all(|row| matches!(row, Observation::Unparsed { .. })) && rows.len() == 2);
}

#[test]
fn a_later_record_fills_what_results_leave_open() {
    let mut session = Session::default();
    let call = session.call("exec_command", r#"{"cmd":"cargo test","workdir":"/w"}"#);
    session.result(call, "unknown", None, &["background"], "Process running with session ID 1");
    session.observer.learn(call, Status::Error, Some(101));
    let rows = session.rows();
    assert_eq!(runs(&rows), [(FAILED, None, None, 0, false)]);
    assert_eq!(rows[0].attempt().unwrap().status, Status::Error);
    let mut session = Session::default();
    let call = session.call("exec_command", r#"{"cmd":"cargo test"}"#);
    session.observer.learn(call, Status::Error, Some(101));
    session.result(call, "ok", Some(0), &[], "");
    assert_eq!(runs(&session.rows())[0].0, PASSED);
}

#[test]
fn an_error_without_an_exit_status_fails_only_where_the_harness_means_it() {
    for (name, text, outcome) in [
        ("Bash", r#"{"command":"cargo test"}"#, FAILED),
        ("exec_command", r#"{"cmd":"cargo test"}"#, UNKNOWN),
    ] {
        let mut session = Session::default();
        let call = session.call(name, text);
        session.result(call, "error", None, &[], "");
        assert_eq!(runs(&session.rows())[0].0, outcome, "{name}");
    }
}

#[test]
fn only_equal_commands_count_as_retried() {
    for (first, second, failures) in [
        ("pytest a", "pytest a", 1),
        ("pytest a", "timeout 60 pytest a", 1),
        ("pytest a", "pytest b", 0),
        ("pytest a", "X=1 pytest a", 0),
        ("X=1 pytest a", "env X=1 pytest a", 1),
        ("pytest $A", "pytest $A", 0),
        ("pytest t/*.py", "pytest t/*.py", 1),
        ("docker exec a pytest", "docker exec b pytest", 0),
        ("cd /a && pytest", "cd /a && pytest", 1),
        ("cd /a; pytest", "cd /a; pytest", 0),
        ("cd /a; pytest", "cd /b; pytest", 0),
        ("cd a; pytest", "cd a; pytest", 0),
    ] {
        let mut session = Session::default();
        session.bash(first, 9, "");
        session.bash(second, 0, "");
        assert_eq!(runs(&session.rows())[1].3, failures, "{first} / {second}");
    }
}

#[test]
fn a_shell_that_moved_makes_another_command() {
    let mut session = Session::default();
    session.bash("pytest", 1, "");
    session.bash("cd sub && ls", 0, "");
    session.bash("pytest", 0, "");
    session.bash("(cd sub && ls)", 0, "");
    session.bash("pytest", 0, "");
    assert_eq!(runs(&session.rows()).iter().map(|run| run.3).collect::<Vec<_>>(), [0, 0, 0]);
}

#[test]
fn a_run_is_stale_after_a_change_and_not_after_others() {
    for (after, stale) in [
        ("sed -i s/a/b/ x.rs", true),
        ("echo x > y", true),
        ("git checkout main", true),
        ("git stash", true),
        ("git commit -am x", false),
        ("git checkout -b x", false),
        ("echo x > /tmp/y", false),
        ("echo x > /dev/null 2>&1", false),
        ("cat y", false),
    ] {
        let mut session = Session::default();
        session.bash("pytest", 0, "");
        session.bash(after, 0, "");
        assert_eq!(runs(&session.rows())[0].4, stale, "{after}");
    }
    for (command, stale) in [
        ("cargo test && sed -i s/a/b/ x", true),
        ("sed -i s/a/b/ x && cargo test", false),
        ("cargo test | tee out.log", false),
        ("cargo test > out.log", false),
    ] {
        assert_eq!(run_of(command, 0, "").4, stale, "{command}");
    }
    let mut session = Session::default();
    session.bash("pytest", 0, "");
    let call = session.call("Edit", r#"{"file_path":"/a"}"#);
    session.result(call, "error", None, &[], "String to replace not found");
    session.bash("rm x", 1, "");
    assert!(!runs(&session.rows())[0].4);
}

#[test]
fn patches_of_all_shapes_are_file_mutations() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** End Patch";
    for (name, text) in [
        ("apply_patch", patch.to_owned()),
        ("apply_patch", json!({"input": patch}).to_string()),
        ("shell", json!({"command": ["apply_patch", patch]}).to_string()),
        (
            "shell",
            json!({"command": ["bash", "-lc", format!("apply_patch <<'EOF'\n{patch}\nEOF")]}).to_string(),
        ),
        (
            "shell_command",
            json!({"command": format!("cd . && applypatch << 'PATCH'\n{patch}\nPATCH\n")}).to_string(),
        ),
        ("exec", format!("await tools.apply_patch({})", json!(patch))),
        (
            "apply_patch",
            json!({"changes": {"a.rs": {"type": "update", "unified_diff": "", "move_path": "b.rs"}}})
                .to_string(),
        ),
    ] {
        let mut session = Session::default();
        session.call(name, &text);
        let rows = session.rows();
        let [Observation::FileMutation { operation, path, moved_to, .. }] = rows.as_slice() else {
            panic!("{rows:?}")
        };
        assert_eq!(
            (*operation, path.as_str(), moved_to.as_deref()),
            (Operation::Move, "a.rs", Some("b.rs")),
            "{text}"
        );
    }
}

#[test]
fn a_written_file_is_new_unless_the_result_says_otherwise() {
    for (said, expected) in [
        ("File created successfully at: /a", Operation::Add),
        ("The file /a has been updated.", Operation::Update),
        ("", Operation::Add),
    ] {
        let mut session = Session::default();
        let call = session.call("Write", r#"{"file_path":"/a","content":"x"}"#);
        session.result(call, "ok", None, &[], said);
        let rows = session.rows();
        let [Observation::FileMutation { operation, .. }] = rows.as_slice() else { panic!() };
        assert_eq!(*operation, expected, "{said}");
    }
}

#[test]
fn git_is_told_with_commits_and_branches() {
    let mut session = Session::default();
    session.bash(
        "git commit --amend -m x && git checkout -q -b topic && git mv a b && git commit -m y",
        0,
        "[main b2d8cfd] x\n Date: z\n[topic b52988f] y\n",
    );
    session.bash("git checkout main", 0, "Switched to branch 'main'\nYour branch is up to date");
    session.bash("git checkout a.rs", 0, "Updated 1 path from the index");
    session.bash("cd /w && git -C sub status", 0, "");
    session.bash("git commit -m z; echo '[main 1234567] forged'", 0, "[main 1234567] forged");
    session.bash("git commit -m z && cat notes", 0, "[main 1234567] z\n[main 7654321] not git's");
    session.bash("git commit -m z", 1, "[main 1234567] z");
    session.bash("git commit -qm z && cargo test", 101, "[main 1234567] not git's");
    let (rows, observations) = rows(session.observer);
    assert_eq!(observations.counts.get("commit_reported"), Some(&2));
    let branches: Vec<_> = rows
        .iter()
        .filter_map(|row| match row {
            Observation::BranchSwitch { branch, outcome, .. } => Some((branch.as_str(), *outcome)),
            _ => None,
        })
        .collect();
    assert_eq!(branches, [("topic", PASSED), ("main", PASSED)]);
    let status = rows.iter().find_map(|row| match row {
        Observation::GitCommand { verb, workdir, mutating, outcome, .. } if verb == "status" => {
            Some((workdir.clone(), *mutating, *outcome))
        }
        _ => None,
    });
    assert_eq!(status, Some((Some("/w/sub".to_owned()), false, PASSED)));
    assert!(matches!(&rows[0], Observation::RepositoryCandidate { path, .. } if path == "/w/sub"));
}

#[test]
fn a_search_without_a_match_is_no_failure() {
    let found = |command: &str, code: u32, facets: &[&str], output: &str| {
        let mut session = Session::default();
        let call = session.call("Bash", &json!({"command": command}).to_string());
        let status = if facets.is_empty() { "error" } else { "ok" };
        session.result(call, status, (code > 0).then_some(code), facets, output);
        session.rows().iter().any(|row| matches!(row, Observation::NoMatch { .. }))
    };
    assert!(found("grep x y", 1, &[], ""));
    assert!(found("cat y | grep x", 1, &[], ""));
    assert!(found("cd a && rg x", 1, &[], ""));
    assert!(found("git grep x", 1, &[], ""));
    assert!(found("grep x y", 0, &["harmless_exit"], ""));
    assert!(!found("cd a && rg x", 1, &[], "bash: cd: a: No such file or directory"));
    assert!(!found("grep x y", 2, &[], ""));
    assert!(!found("make && grep x y", 1, &[], ""));
    assert!(!found("grep x y || true", 1, &[], ""));
    assert!(!found("cargo test | grep FAILED", 1, &[], ""));
    assert!(!found("python x.py", 1, &[], ""));
}

#[test]
fn effects_and_unparsed_commands_have_rows() {
    let mut session = Session::default();
    session.bash("git push && gh pr create --fill", 0, "");
    session.bash("echo 'open", 2, "");
    let rows = session.rows();
    let effects: Vec<_> = rows
        .iter()
        .filter_map(|row| match row {
            Observation::ExternalEffect { effect, outcome, .. } => Some((effect.as_str(), *outcome)),
            _ => None,
        })
        .collect();
    assert_eq!(effects, [("push", PASSED), ("pull_request", PASSED)]);
    assert!(matches!(rows.last(), Some(Observation::Unparsed { .. })));
}

#[test]
fn old_codex_results_are_unwrapped() {
    let mut session = Session::default();
    let call = session.call("shell", r#"{"command":["bash","-lc","cargo test | tail"],"workdir":"/w"}"#);
    let text = json!({"output": "test result: FAILED. 1 passed; 2 failed; 0 ignored\n", "metadata": {"exit_code": 0}});
    session.result(call, "ok", Some(0), &[], &text.to_string());
    let rows = session.rows();
    assert_eq!(runs(&rows), [(UNKNOWN, Some(Reason::MaskedByPipeline), Some(FAILED), 0, false)]);
    let Observation::VerificationRun { workdir, .. } = &rows[0] else { panic!() };
    assert_eq!(workdir.as_deref(), Some("/w"));
}

#[test]
fn nothing_is_kept_of_calls_that_say_nothing() {
    let mut session = Session::default();
    session.bash("ls", 0, "");
    session.call("Read", r#"{"file_path":"/a"}"#);
    session.result(EventId::new(99, [0; 6]), "ok", None, &[], "");
    assert_eq!(rows(session.observer).1, Observations::default());
}

#[test]
fn what_is_over_the_bound_is_counted_and_makes_earlier_runs_stale() {
    let full: String = (0..OBSERVATION_ROWS).map(|file| format!("*** Add File: f{file}\n")).collect();
    let mut session = Session::default();
    session.call("apply_patch", &format!("*** Begin Patch\n{full}*** End Patch"));
    session.bash("pytest a", 0, "");
    session.bash("echo x > /tmp/y", 0, "");
    session.edit("/w/over");
    session.bash("pytest b", 0, "");
    let (rows, observed) = rows(session.observer);
    assert_eq!(runs(&rows).iter().map(|run| run.4).collect::<Vec<_>>(), [true, false]);
    assert_eq!(observed.omitted.get("file_mutation"), Some(&1));
    assert_eq!(observed.counts.get("file_mutation"), Some(&(OBSERVATION_ROWS as u64)));
    assert_eq!(observed.omitted.get("shell_write"), None);
}

#[test]
fn calls_that_wait_for_a_result_are_bounded() {
    let mut session = Session::default();
    let first = session.call("Bash", r#"{"command":"grep x y"}"#);
    let mut full = serde_json::to_value(&session.observer).unwrap();
    full["rowless"] = json!(OBSERVATION_ROWS);
    session.observer = serde_json::from_value(full).unwrap();
    session.call("Bash", r#"{"command":"grep x z"}"#);
    session.result(first, "error", Some(1), &[], "Exit code 1");
    let (rows, observed) = rows(session.observer);
    assert_eq!((rows.len(), observed.omitted.get("no_match")), (1, Some(&1)));
}

#[test]
fn rows_survive_their_json() {
    let mut session = Session::default();
    session.bash("cd /w && cargo test && git push > log", 1, "");
    for row in session.rows() {
        let text = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Observation>(&text).unwrap(), row);
    }
}

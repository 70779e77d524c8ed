//! The rules of changes, verification and git evidence over what the analyzer itself observes: sessions are commands
//! with their outputs, and each rule has a neighbour that it lets pass and the smallest change that it refuses.

use serde_json::{Value, json};

use super::testing::{Acted, HEAD, id};
use crate::evidence::transcribed::Transcribed;
use crate::meaning::accounting::seal;

const OK: &str =
    "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
const BAD: &str =
    "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
const MISMATCH: &[&str] = &["verification-outcome-mismatch"];
const NOTHING: &[&str] = &[];

/// What the last verification item says.
fn says(draft: &mut Value, outcome: &str, basis: Option<&str>) {
    let item = draft["verification"].as_array_mut().unwrap().last_mut().unwrap();
    item["outcome"] = json!(outcome);
    item["basis"] = json!(basis);
    if basis.is_none() {
        item.as_object_mut().unwrap().remove("basis");
    }
}

#[test]
fn an_outcome_is_stated_as_far_as_status_and_output_show_it() {
    const REPORTED: Option<&str> = Some("reported_by_output");
    for (command, output, status, allowed) in [
        ("cargo test", OK, 0, &[("passed", None)][..]),
        ("cargo test", BAD, 101, &[("failed", None)]),
        // A pipe hides the status; the closing lines may tell.
        ("cargo test | tail -3", OK, 0, &[("unknown", None), ("passed", REPORTED)]),
        ("cargo test | tail -3", BAD, 0, &[("unknown", None), ("failed", REPORTED)]),
        ("cargo test | tail -3", "warning: unused", 0, &[("unknown", None)]),
        ("set -o pipefail; cargo test | tail -3", OK, 0, &[("passed", None)]),
        ("set -o pipefail; cargo test | tail -3", BAD, 101, &[("failed", None)]),
        ("cargo test || true", BAD, 0, &[("unknown", None), ("failed", REPORTED)]),
        ("cargo test; echo done", OK, 0, &[("unknown", None), ("passed", REPORTED)]),
        ("cargo test &", "", 0, &[("unknown", None)]),
        // Somebody else may have printed those lines.
        ("cargo test > log; cat old.log", OK, 0, &[("unknown", None)]),
        ("if cargo test; then echo yes; fi", OK, 0, &[("unknown", None), ("passed", REPORTED)]),
        ("cd x && cargo test", OK, 0, &[("passed", None)]),
        ("cd x && cargo test", "bash: cd: x: No such file or directory", 1, &[("unknown", None)]),
        // The status is known, whatever the output says.
        ("cargo test", "no closing line", 0, &[("passed", None)]),
    ] {
        let acted = Acted::commands(&[(command, output, status)]);
        for outcome in ["passed", "failed", "unknown", "retried"] {
            for basis in [None, REPORTED] {
                let allowed = allowed.contains(&(outcome, basis));
                let expected = if allowed { NOTHING } else { MISMATCH };
                let found = acted.codes(|draft| says(draft, outcome, basis));
                assert_eq!(found, expected, "{command} {status}: {outcome} {basis:?}");
            }
        }
    }
}

#[test]
fn retried_is_a_pass_after_failures_of_the_same_command() {
    let fixed = |first: &str, status, second: &str| {
        Acted::new(|session| {
            session.bash(first, BAD, status);
            session.edit("/w/a.rs", true);
            session.bash(second, OK, 0);
        })
    };
    for (first, status, second, expected) in [
        ("cargo test", 101, "cargo test", NOTHING),
        ("cargo test", 101, "timeout 60 cargo test", NOTHING),
        ("cargo test -p a", 101, "cargo test -p b", MISMATCH),
        ("X=1 cargo test", 101, "cargo test", MISMATCH),
        // A run that was masked is not known to have failed.
        ("cargo test | tail", 0, "cargo test", MISMATCH),
    ] {
        let acted = fixed(first, status, second);
        assert_eq!(acted.codes(|draft| says(draft, "passed", None)), NOTHING, "{first} {second}");
        assert_eq!(acted.codes(|draft| says(draft, "retried", None)), expected, "{first} {second}");
    }
}

#[test]
fn a_run_is_named_with_its_own_result_and_a_talk_names_none() {
    let acted = Acted::new(|session| {
        session.bash("cargo test", OK, 0);
        session.edit("/w/a.rs", true);
        session.bash("ls", "", 0);
    });
    assert_eq!(acted.draft["verification"][0]["command_event_id"], json!(id(1)));
    let set = |member: &'static str, value: Value| {
        move |draft: &mut Value| draft["verification"][0][member] = value
    };
    let at = |code: &str, member: &str| format!("{code} /verification/0/{member}");
    for (member, value, expected) in [
        ("result_event_id", json!(id(2)), vec![]),
        ("result_event_id", json!(id(4)), vec![at("verification-result-mismatch", "result_event_id")]),
        ("result_event_id", Value::Null, vec![at("verification-result-mismatch", "result_event_id")]),
        ("command_event_id", Value::Null, vec![at("verification-needs-command", "command_event_id")]),
        ("command_event_id", json!(id(3)), vec![at("verification-command-unknown", "command_event_id")]),
        ("command_event_id", json!(id(5)), vec![at("verification-command-unknown", "command_event_id")]),
        (
            "outcome",
            json!("discussed_only"),
            vec![
                at("verification-must-not-name-command", "command_event_id"),
                at("verification-must-not-name-command", "result_event_id"),
            ],
        ),
    ] {
        let mut found = acted.found(set(member, value.clone()));
        // Whoever names another run, or none, does not tell this one.
        found.retain(|one| one != "verification-run-omitted /verification");
        found.sort();
        assert_eq!(found, expected, "{member} {value}");
    }
    // A command that only looks like a run is none.
    for command in ["echo cargo test", "grep -rn 'cargo test' .", "git commit -m 'cargo test'"] {
        let acted = Acted::commands(&[(command, "", 0)]);
        assert_eq!(acted.draft["verification"], json!([]), "{command}");
    }
}

#[test]
fn the_last_run_of_each_command_and_failures_without_a_later_pass_are_told() {
    let (pass, fail) = (("cargo test", OK, 0), ("cargo test", BAD, 101));
    for (list, told) in [
        (&[pass][..], 1),
        (&[fail, pass], 1),
        (&[pass, fail], 1),
        (&[fail, fail], 2),
        (&[fail, ("cargo test | tail -3", OK, 0)], 2),
        (&[pass, ("cargo clippy", "", 0)], 2),
        (&[("ls", "", 0)], 0),
    ] {
        let acted = Acted::commands(list);
        assert_eq!(acted.found(|_| {}), NOTHING, "{list:?}");
        let found = acted.found(|draft| draft["verification"] = json!([]));
        let omitted = found.iter().filter(|one| *one == "verification-run-omitted /verification").count();
        assert_eq!(omitted, told, "{list:?}");
    }
}

/// What is found when a final state rests on the run of a call without saying more.
fn rests_on(run: u64, acted: &Acted) -> Vec<String> {
    let last = acted.case.events.len() as u64 - 1;
    let claims = [acted.owner(last), acted.owner(run)];
    let rests = |draft: &mut Value| {
        let state = &mut draft["final_state"][0];
        state["accounting_claim_ids"] = json!(claims);
        state["source_label"] = json!("session_observed");
    };
    let with_caveat = acted.found(|draft| {
        rests(draft);
        draft["final_state"][0]["caveat"] = json!("Edits followed the run.");
    });
    assert_eq!(with_caveat, NOTHING);
    acted.found(rests)
}

#[test]
fn a_run_is_overtaken_by_what_changes_files_and_by_nothing_else() {
    let stale = &["verification-stale /final_state/0"][..];
    for (after, output, status, expected) in [
        ("sed -i s/a/b/ src/a.rs", "", 0, stale),
        ("echo x > notes.md", "", 0, stale),
        ("git checkout other", "Switched to branch 'other'", 0, stale),
        ("git stash", "", 0, stale),
        ("git reset --hard HEAD~1", "", 0, stale),
        ("echo x > /tmp/notes.md", "", 0, NOTHING),
        ("echo x > /dev/null", "", 0, NOTHING),
        ("cat src/a.rs", "", 0, NOTHING),
        ("cargo fmt --check", "", 0, NOTHING),
        ("git add . && git commit -qm x", "", 0, NOTHING),
        ("git checkout -b topic", "", 0, NOTHING),
        ("git push", "", 0, NOTHING),
        // It failed, and nothing was written before.
        ("git checkout other", "error: pathspec", 1, NOTHING),
        ("rm src/a.rs", "rm: cannot remove", 1, NOTHING),
    ] {
        let acted = Acted::commands(&[("cargo test", OK, 0), (after, output, status)]);
        assert_eq!(rests_on(1, &acted), expected, "{after} {status}");
    }
    for (works, expected) in [(true, stale), (false, NOTHING)] {
        let acted = Acted::new(|session| {
            session.bash("cargo test", OK, 0);
            session.edit("/w/src/a.rs", works);
        });
        assert_eq!(rests_on(1, &acted), expected, "an edit that works: {works}");
    }
    // In one script the order counts.
    for (command, expected) in
        [("cargo test && sed -i s/a/b/ x", stale), ("sed -i s/a/b/ x && cargo test", NOTHING)]
    {
        assert_eq!(rests_on(1, &Acted::commands(&[(command, OK, 0)])), expected, "{command}");
    }
    // A later run takes its place.
    let acted = Acted::commands(&[("sed -i s/a/b/ x", "", 0), ("cargo test", OK, 0)]);
    assert_eq!(rests_on(3, &acted), NOTHING);
}

/// What is found when the first change names a path.
fn names_path(acted: &Acted, label: &str, path: &str) -> Vec<String> {
    acted.found(|draft| {
        draft["changes"][0]["source_label"] = json!(label);
        if label == "inference" {
            draft["changes"][0]["caveat"] = json!("Concluded.");
        }
        draft["changes"][0]["paths"] = json!([path]);
    })
}

#[test]
fn a_command_that_names_no_file_is_a_change_without_a_path() {
    for command in ["cargo fmt", "rm *.o", "tar xf a.tar", "echo x > \"$OUT\""] {
        let acted = Acted::commands(&[(command, "", 0)]);
        assert_eq!(acted.found(|_| {}), NOTHING, "{command}");
        let path = ["change-path-unobserved /changes/0/paths/0"];
        assert_eq!(names_path(&acted, "session_observed", "src/a.rs"), path, "{command}");
        assert_eq!(names_path(&acted, "inference", "src/a.rs"), path, "{command}");
        // It makes an earlier run stale all the same.
        let acted = Acted::commands(&[("cargo test", OK, 0), (command, "", 0)]);
        assert_eq!(rests_on(1, &acted), ["verification-stale /final_state/0"], "{command}");
    }
}

#[test]
fn a_path_is_one_that_the_events_carry() {
    const PATH: &[&str] = &["change-path-unobserved /changes/0/paths/0"];
    let edits = |session: &mut Transcribed| {
        session.edit("/w/a.rs", true);
    };
    let patch = |session: &mut Transcribed| {
        let text = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** End Patch";
        let call = session.call("apply_patch", text);
        session.result(call, "ok", &[], "Success.");
    };
    let failed = |session: &mut Transcribed| {
        session.edit("/w/a.rs", true);
        session.edit("/w/failed.rs", false);
    };
    let rejected = |session: &mut Transcribed| {
        session.edit("/w/a.rs", true);
        let call = session.call("Write", r#"{"file_path":"/w/refused.rs","content":"x"}"#);
        session.result(call, "rejected", &["refused"], "");
    };
    let shell = |command: &'static str, status| {
        move |session: &mut Transcribed| {
            session.bash(command, "", status);
        }
    };
    type PathCase<'a> = (&'a str, &'a dyn Fn(&mut Transcribed), &'a str, &'a [&'a str], &'a [&'a str]);
    let cases: &[PathCase<'_>] = &[
        ("edit", &edits, "/w/a.rs", NOTHING, NOTHING),
        ("another file", &edits, "/w/b.rs", PATH, PATH),
        // What failed may be spoken of, and was not observed to happen.
        ("failed edit", &failed, "/w/failed.rs", PATH, NOTHING),
        ("refused edit", &rejected, "/w/refused.rs", PATH, NOTHING),
        ("move, from", &patch, "a.rs", NOTHING, NOTHING),
        ("move, to", &patch, "b.rs", NOTHING, NOTHING),
        ("git mv, from", &shell("git mv a.rs b.rs", 0), "a.rs", NOTHING, NOTHING),
        ("git mv, to", &shell("git mv a.rs b.rs", 0), "b.rs", NOTHING, NOTHING),
        ("shell write", &shell("cd sub && sed -i s/a/b/ x.rs", 0), "sub/x.rs", NOTHING, NOTHING),
        ("as written", &shell("cd sub && sed -i s/a/b/ x.rs", 0), "x.rs", PATH, PATH),
        ("scratch", &shell("echo x > a.rs; echo y > /tmp/b.rs", 0), "/tmp/b.rs", NOTHING, NOTHING),
        ("no write", &shell("echo x > a.rs; echo y > /dev/null", 0), "/dev/null", PATH, PATH),
        ("not literal", &shell("echo x > a.rs; echo y > \"$OUT\"", 0), "$OUT", PATH, PATH),
        ("only read", &shell("cat b.rs > a.rs", 0), "b.rs", PATH, PATH),
    ];
    for (what, act, path, observed, concluded) in cases {
        let acted = Acted::new(act);
        assert_eq!(names_path(&acted, "session_observed", path), *observed, "{what}");
        assert_eq!(names_path(&acted, "inference", path), *concluded, "{what}");
    }
    // The path of another claim's event is not this item's.
    let acted = Acted::new(|session| {
        session.edit("/w/a.rs", true);
        session.bash("echo x > b.rs", "", 0);
    });
    assert_eq!(acted.draft["changes"].as_array().unwrap().len(), 2);
    let own = acted.draft["changes"][0]["paths"][0].as_str().unwrap().to_owned();
    let other = acted.draft["changes"][1]["paths"][0].as_str().unwrap().to_owned();
    assert_eq!(
        (names_path(&acted, "session_observed", &own), names_path(&acted, "session_observed", &other)),
        (vec![], PATH.iter().map(|one| (*one).to_owned()).collect())
    );
}

#[test]
fn a_commit_is_one_that_git_reported() {
    const COMMIT: &[&str] = &["change-commit-unobserved /changes/0/commits/0"];
    for (command, output, status, expected) in [
        ("git commit -m x", "[main abc1234] x\n 1 file changed", 0, NOTHING),
        ("git add . && git commit -m x", "[main abc1234] x\n 1 file changed", 0, NOTHING),
        ("git commit -m x", "On branch main\nnothing to commit", 0, COMMIT),
        ("git commit -m x", "[main abc1234] x", 1, COMMIT),
        ("git commit -qm x", "[main abc1234] x", 0, COMMIT),
        ("git commit -m x > log", "[main abc1234] x", 0, COMMIT),
        ("git commit -m x; echo '[main abc1234] x'", "[main abc1234] x", 0, COMMIT),
        ("git commit -m x && cat notes", "[main 1234567] x\n[main abc1234] y", 0, COMMIT),
        ("git checkout -b y && cat notes", "[main abc1234] x", 0, COMMIT),
        ("git commit -m x", "abc1234", 0, COMMIT),
    ] {
        let acted = Acted::commands(&[(command, output, status)]);
        let found = acted.found(|draft| draft["changes"][0]["commits"] = json!(["abc1234"]));
        assert_eq!(found, expected, "{command}: {output}");
    }
}

#[test]
fn what_an_event_says_of_the_end_is_no_snapshot() {
    let acted = Acted::commands(&[("git rev-parse HEAD", "89abcdef0123456789abcdef0123456789abcdef", 0)]);
    assert_eq!(acted.case.manifest.git.session_end.facts().len(), 1);
    let verified = |value: &str| {
        let value = value.to_owned();
        move |draft: &mut Value| {
            draft["story"][0]["source_label"] = json!("verified_now");
            draft["story"][0]["git_evidence"] =
                json!([{"repository": "repo-1", "kind": "head", "value": value}]);
        }
    };
    assert_eq!(acted.found(verified(HEAD)), NOTHING);
    let said = acted.found(verified("89abcdef0123456789abcdef0123456789abcdef"));
    assert_eq!(said, ["git-evidence-value-mismatch /story/0/git_evidence/0"]);
}

/// What is found when the first call and its result are a claim of a kind and everything else is an action.
fn claimed(session: &Acted, kind: &str) -> Vec<String> {
    let last = session.case.events.len() - 1;
    let draft = json!({"schema_version": "recap.accounting.v1", "low_signal_groups": [], "claims": [
        {"claim_id": "own", "kind": kind, "label": "x", "ranges": [[1, 2]]},
        {"claim_id": "rest", "kind": "action", "label": "x", "ranges": [[0, 0], [3, last]]}]});
    match seal(&serde_json::to_vec(&draft).unwrap(), &session.case.table()) {
        Ok(_) => Vec::new(),
        Err(rejected) => {
            let sorted = rejected.violations.sorted();
            sorted.iter().map(|one| format!("{} {}", one.code.as_str(), one.pointer)).collect()
        }
    }
}

#[test]
fn a_kind_is_carried_by_what_is_observed() {
    const UNSUPPORTED: &[&str] = &["claim-kind-unsupported /claims/0/kind"];
    for (kind, command, expected) in [
        ("change", "sed -i s/a/b/ x", NOTHING),
        ("change", "git commit -qm x", NOTHING),
        ("change", "echo x > /tmp/a", UNSUPPORTED),
        ("change", "git status", UNSUPPORTED),
        ("change", "cat a", UNSUPPORTED),
        ("verification", "cd a && timeout 9 cargo test 2>&1 | tail -3", NOTHING),
        ("verification", "echo cargo test", UNSUPPORTED),
        ("external_effect", "git push", NOTHING),
        ("external_effect", "curl -X POST -d @a https://service.example", NOTHING),
        ("external_effect", "git push --dry-run", UNSUPPORTED),
        ("external_effect", "curl https://service.example", UNSUPPORTED),
    ] {
        let acted = Acted::commands(&[(command, "", 0)]);
        assert_eq!(claimed(&acted, kind), expected, "{kind}: {command}");
    }
}

#[test]
fn a_final_state_does_not_come_before_the_last_mutation() {
    const BEFORE: &[&str] = &["claim-kind-unsupported /claims/0/kind"];
    for (after, status, expected) in [
        ("sed -i s/a/b/ x", 0, BEFORE),
        ("git checkout other", 0, BEFORE),
        // The same idea as for runs that are overtaken.
        ("echo x > /tmp/a", 0, NOTHING),
        ("rm a", 1, NOTHING),
        ("git commit -qm x", 0, NOTHING),
        ("cat a", 0, NOTHING),
    ] {
        let acted = Acted::commands(&[("cargo test", OK, 0), (after, "", status)]);
        assert_eq!(claimed(&acted, "final_state"), expected, "{after} {status}");
        let last = acted.case.manifest.git.session_observed.last_mutation;
        assert_eq!(last.map(|last| last.event), (expected == BEFORE).then(|| id(3)), "{after} {status}");
    }
    for (works, expected) in [(true, BEFORE), (false, NOTHING)] {
        let acted = Acted::new(|session| {
            session.bash("cargo test", OK, 0);
            session.edit("/w/a.rs", works);
        });
        assert_eq!(claimed(&acted, "final_state"), expected, "an edit that works: {works}");
    }
    // The mutation itself is not before itself.
    assert_eq!(claimed(&Acted::commands(&[("sed -i s/a/b/ x", "", 0)]), "final_state"), NOTHING);
}

//! What events state of the end of a session, and everything that ends such a fact.

use serde_json::json;

use crate::base::ids::EventId;
use crate::evidence::command::fact::{EndFact, FactKind, SessionEnd};
use crate::evidence::command::mutation::MutationKind;
use crate::evidence::transcribed::Transcribed;
use crate::evidence::transcript::item::Status;

const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";

fn facts(session: &Transcribed) -> Vec<EndFact> {
    let observed = session.observed();
    assert_eq!(observed, session.observed_in_pieces());
    observed.1.session_end.facts().to_vec()
}

/// Kind, value and folder of all facts, in words.
fn told(session: &Transcribed) -> String {
    let one = |fact: EndFact| {
        let place = fact.workdir.map(|workdir| format!(" in {workdir}")).unwrap_or_default();
        format!("{} {}{place}", fact.kind.name(), fact.value)
    };
    facts(session).into_iter().map(one).collect::<Vec<_>>().join(", ")
}

fn said(command: &str, output: &str) -> String {
    let mut session = Transcribed::default();
    session.bash(command, output, 0);
    told(&session)
}

#[test]
fn git_states_head_branch_and_clean() {
    let line = |text: &str| format!("{HEAD} {text}");
    for (command, output, expected) in [
        ("git rev-parse HEAD", HEAD, format!("head {HEAD}")),
        ("git rev-parse --short HEAD", "0123456", "head 0123456".to_owned()),
        ("git --no-pager log -1 --format=%H", HEAD, format!("head {HEAD}")),
        ("git log --oneline -2", "0123456 Fix\n89abcde Add", "head 0123456".to_owned()),
        ("git log --oneline -2", "0123456 Fix\n89abcde Add\nfedcba9 Begin", String::new()),
        (
            "git log -1",
            &format!("commit {HEAD} (HEAD -> main)\nAuthor: A\n\n    Fix"),
            format!("head {HEAD}"),
        ),
        ("git show -s --format='%H %s'", &line("Fix"), format!("head {HEAD}")),
        ("git rev-parse --abbrev-ref HEAD", "main", "branch main".to_owned()),
        ("git rev-parse --abbrev-ref HEAD", "HEAD", String::new()),
        ("git branch --show-current", "a/b", "branch a/b".to_owned()),
        ("git symbolic-ref --short HEAD", "main", "branch main".to_owned()),
        ("git branch", "  a\n* main\n  z", "branch main".to_owned()),
        ("git branch", "  a\n* (HEAD detached at 0123456)", String::new()),
        ("git status --porcelain", "", "clean true".to_owned()),
        ("git status -s", " M a\n?? b", "clean false".to_owned()),
        ("git status -s", "M a\n?? b", "clean false".to_owned()),
        ("git status -sb", "## main...origin/main [ahead 1]", "branch main, clean true".to_owned()),
        ("git status -sb", "## HEAD (no branch)\n M a", "clean false".to_owned()),
        (
            "git status",
            "On branch main\nYour branch is up to date with 'origin/main'.\n\nnothing to commit, working tree clean",
            "branch main, clean true".to_owned(),
        ),
        (
            "git status 2>&1",
            "On branch main\nUntracked files:\n  (use \"git add\")\n\ta\n\nnothing added to commit but untracked files present",
            "branch main, clean false".to_owned(),
        ),
        (
            "git status",
            "On branch main\nnothing to commit (use -u to show untracked files)",
            "branch main".to_owned(),
        ),
        (
            "git status --porcelain=v2 --branch",
            &format!("# branch.oid {HEAD}\n# branch.head main\n1 .M N... 100644 100644 100644 a b c"),
            format!("head {HEAD}, branch main, clean false"),
        ),
        ("git commit -m x", "[main 0123456] x\n 1 file changed", "head 0123456, branch main".to_owned()),
        ("git commit -m x", "[detached HEAD 0123456] x", "head 0123456".to_owned()),
    ] {
        assert_eq!(said(command, output), expected, "{command}: {output}");
    }
}

#[test]
fn outputs_of_several_commands_are_told_apart_or_state_nothing() {
    let status = "On branch main\nnothing to commit, working tree clean";
    for (command, output, expected) in [
        ("git rev-parse HEAD && git status --porcelain", HEAD, format!("head {HEAD}, clean true")),
        (
            "git status --short && git log --oneline -3",
            " M a\n0123456 Fix\n89abcde Add",
            "head 0123456, clean false".to_owned(),
        ),
        (
            "git status -s && echo --- && git log --oneline -1",
            "---\n0123456 Fix",
            "head 0123456, clean true".to_owned(),
        ),
        ("git status -s && echo --- && git log --oneline -1", "0123456 Fix", String::new()),
        (
            "git add -A && git commit -m x && git status",
            &format!("[main 0123456] x\n 1 file changed\n{status}"),
            "head 0123456, branch main, clean true".to_owned(),
        ),
        ("git commit -qm x && git rev-parse --short HEAD", "0123456", "head 0123456".to_owned()),
        // Only the last of a list is known to have passed.
        ("git rev-parse HEAD; git status --porcelain", HEAD, "clean true".to_owned()),
        // What was said before the commit is over; what is said of the branch by the commit counts.
        (
            "git status -sb && git commit -m x",
            "## topic\nM  a\n[main 0123456] x",
            "head 0123456, branch main".to_owned(),
        ),
        ("git rev-parse HEAD && make", HEAD, String::new()),
        ("cat notes && git rev-parse HEAD", HEAD, String::new()),
        ("git rev-parse HEAD | head -1", HEAD, String::new()),
        ("git status | grep branch", "On branch main", String::new()),
        ("git status --porcelain > out.txt", "", String::new()),
        ("git status --porcelain || true", "", String::new()),
        ("if git status --porcelain; then true; fi", "", String::new()),
        ("x=$(git rev-parse HEAD)", "", String::new()),
        ("git rev-parse HEAD &", HEAD, String::new()),
        ("git status --porcelain\ngit rev-parse HEAD", "warning: x\n", String::new()),
    ] {
        assert_eq!(said(command, output), expected, "{command}: {output}");
    }
}

#[test]
fn only_the_whole_repository_and_a_known_folder_count() {
    for (command, output, expected) in [
        ("cd /w && git rev-parse HEAD", HEAD, format!("head {HEAD} in /w")),
        ("git -C /w status --porcelain", "", "clean true in /w".to_owned()),
        ("cd sub && git -C .. status --porcelain", "", "clean true in .".to_owned()),
        ("cd /w; git rev-parse HEAD", HEAD, String::new()),
        ("cd \"$X\" && git rev-parse HEAD", HEAD, String::new()),
        ("git -C $X rev-parse HEAD", HEAD, String::new()),
        ("git --git-dir=/x/.git rev-parse HEAD", HEAD, String::new()),
        ("GIT_DIR=/x/.git git rev-parse HEAD", HEAD, String::new()),
        ("docker exec web git rev-parse HEAD", HEAD, String::new()),
        ("./git rev-parse HEAD", HEAD, String::new()),
        ("/usr/bin/git rev-parse HEAD", HEAD, format!("head {HEAD}")),
        ("cd /v && git status -s", "\nShell cwd was reset to /w", "clean true in /v".to_owned()),
        ("cd /v && git status -s", "?? a\nShell cwd was reset to /w", "clean false in /v".to_owned()),
        ("git -c status.showUntrackedFiles=no status --porcelain", "", String::new()),
        ("git status --porcelain -uno", "", String::new()),
        ("git status --porcelain src", "", String::new()),
        ("git log -1 --format=%H main", HEAD, String::new()),
        ("git log -1 --format=%H -- src", HEAD, String::new()),
        ("git log --oneline --grep=x -1", "0123456 x", String::new()),
        ("git rev-parse main", HEAD, String::new()),
        ("git rev-parse HEAD~1", HEAD, String::new()),
    ] {
        assert_eq!(said(command, output), expected, "{command}");
    }
    // The session's own shell may have gone elsewhere in an earlier call.
    let mut session = Transcribed::default();
    session.bash("cd sub", "", 0);
    session.bash("git rev-parse HEAD", HEAD, 0);
    assert_eq!(told(&session), "");
    session.bash("cd /w && git rev-parse HEAD", HEAD, 0);
    assert_eq!(told(&session), format!("head {HEAD} in /w"));
    session.bash("git -C /w rev-parse --short HEAD", "89abcde", 0);
    assert_eq!(told(&session), "head 89abcde in /w");
}

#[test]
fn the_result_is_its_own_whole_and_well() {
    let asked = |name: &str, input: &str, status: &str, facets: &[&str], text: &str| {
        let mut session = Transcribed::default();
        let call = session.call(name, input);
        session.result(call, status, facets, text);
        (told(&session), session)
    };
    let bash = r#"{"command":"git status --porcelain"}"#;
    assert_eq!(asked("Bash", bash, "ok", &[], "(Bash completed with no output)").0, "clean true");
    for (status, facets, text) in [
        ("error", &[][..], ""),
        ("unknown", &[], ""),
        ("interrupted", &[], ""),
        ("rejected", &[], ""),
        ("ok", &["cut_output"], ""),
        ("ok", &["background"], ""),
        ("ok", &["timed_out"], ""),
        ("ok", &[], "fatal: not a git repository"),
    ] {
        assert_eq!(asked("Bash", bash, status, facets, text).0, "", "{status} {facets:?}");
    }
    assert_eq!(
        asked("Bash", r#"{"command":"git status --porcelain","run_in_background":true}"#, "ok", &[], "").0,
        ""
    );
    // Joined by order alone.
    let (_, mut session) = asked("Bash", bash, "ok", &[], "");
    session.lines[1]["tool"]["pairing"] = json!("order_inferred");
    assert_eq!(told(&session), "");
    // Two results of one call.
    let (_, mut session) = asked("Bash", bash, "ok", &[], "");
    session.result(Transcribed::id(0), "ok", &[], " M a");
    assert_eq!(told(&session), "");
    let codex = r#"{"cmd":"git status --porcelain","workdir":"/w"}"#;
    let headed = "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n";
    for (text, expected) in [
        (headed.to_owned(), "clean true in /w"),
        (format!("{headed} M a"), "clean false in /w"),
        (String::new(), ""),
        ("Exit code: 0\nWall time: 0 seconds\nTotal output lines: 900\nOutput:\n M a".to_owned(), ""),
    ] {
        assert_eq!(asked("exec_command", codex, "ok", &[], &text).0, expected, "{text}");
    }
    let old = json!({"output": "", "metadata": {"exit_code": 0}}).to_string();
    assert_eq!(
        asked("shell", r#"{"command":["git","status","--porcelain"],"workdir":"/w"}"#, "ok", &[], &old).0,
        "clean true in /w"
    );
}

/// Everything stated, then something more: which kinds of facts are left.
fn left(then: impl Fn(&mut Transcribed) -> EventId) -> String {
    let mut session = Transcribed::default();
    session.bash(
        "git status --porcelain=v2 --branch",
        &format!("# branch.oid {HEAD}\n# branch.head main"),
        0,
    );
    then(&mut session);
    facts(&session).iter().map(|fact| fact.kind.name()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_fact_ends_with_what_may_change_it() {
    let (all, no_longer_clean) = ("head branch clean", "head branch");
    for (command, kept) in [
        ("git log --stat && ls -la | head && cat a | grep -n b", all),
        ("git diff > /dev/null 2>&1", all),
        ("sed -n 1,20p a; find . -name '*.rs'; awk '{print $1}' a", all),
        ("echo x > a", no_longer_clean),
        ("echo x > /tmp/a", no_longer_clean),
        ("sed -i s/a/b/ a", no_longer_clean),
        ("touch a && mkdir b", no_longer_clean),
        ("echo x > .git/HEAD", ""),
        ("echo x > \"$X\"", ""),
        ("sed -i 's/a/b/w .git/HEAD' a", ""),
        ("mv a b", ""),
        ("rm -rf .", ""),
        ("cargo test", ""),
        ("cargo fmt --check", ""),
        ("python3 x.py", ""),
        ("./ls", ""),
        ("git commit -qm x", ""),
        ("git push", ""),
        ("git checkout main", ""),
        ("git frobnicate", ""),
        ("git -c alias.log='!rm a' log", ""),
        ("git -C log -c alias.log='!rm a' log", ""),
        ("find . -name a -delete", ""),
        ("find . -exec rm {} +", ""),
        ("awk '{print > \"a\"}' b", ""),
        ("echo 'open", ""),
        ("bash -c \"$X\"", ""),
        ("$EDITOR a", ""),
        ("source x", ""),
        ("export GIT_DIR=/x", ""),
        ("tmux new -d", ""),
    ] {
        assert_eq!(left(|session| session.bash(command, "", 0)), kept, "{command}");
    }
    // A command that was refused never ran; one that failed did.
    assert_eq!(
        left(|session| {
            let call = session.call("Bash", r#"{"command":"make"}"#);
            session.result(call, "rejected", &["refused"], "")
        }),
        all
    );
    assert_eq!(left(|session| session.bash("make", "", 2)), "");
    assert_eq!(left(|session| session.edit("/w/a", true)), no_longer_clean);
    assert_eq!(left(|session| session.edit("/w/.git/HEAD", true)), "");
}

#[test]
fn other_tools_persons_hooks_and_agents_end_facts() {
    let (all, none) = ("head branch clean", "");
    for (name, kept) in [
        ("Read", all),
        ("Grep", all),
        ("TodoWrite", all),
        ("update_plan", all),
        ("Agent", none),
        ("mcp__x__run", none),
        ("spawn_agent", none),
        ("collaboration.spawn_agent", none),
        ("Bash", none),
        ("exec", none),
    ] {
        let tool = |session: &mut Transcribed| {
            let call = session.call(name, "{}");
            session.result(call, "ok", &[], "")
        };
        assert_eq!(left(tool), kept, "{name}");
    }
    assert_eq!(left(|session| session.call("Read", "{}")), all);
    assert_eq!(left(|session| session.call("Bash", r#"{"command":"make"}"#)), none);
    for (actor, facets, text, kept) in [
        ("harness", &["injected:reminder"][..], "", all),
        ("harness", &["injected:command"], "<command-name>/exit</command-name>", all),
        ("harness", &["injected:command"], "<command-name>/ship</command-name>", none),
        ("harness", &["interrupt"], "", none),
        ("harness", &["rollback"], "", none),
        ("harness", &["aborted_turn"], "", none),
        ("harness", &["agent_report"], "", none),
        ("hook", &["injected:hook_context"], "", none),
        ("agent", &["injected:peer"], "", none),
    ] {
        assert_eq!(left(|session| session.notice(actor, facets, text)), kept, "{actor} {facets:?} {text}");
    }
    assert_eq!(left(|session| session.says("assistant", "Done.")), all);
    assert_eq!(left(|session| session.says("user", "Thanks.")), all);
    let typed = |facet: &'static str| {
        move |session: &mut Transcribed| session.event("user", "person", &[facet], &json!(null), "make")
    };
    assert_eq!((left(typed("bash_input")), left(typed("user_shell"))), (none.to_owned(), none.to_owned()));
}

#[test]
fn what_runs_beside_is_waited_for() {
    let clean = |session: &mut Transcribed| session.bash("git -C /w status --porcelain", "", 0);
    // A parallel call.
    let mut session = Transcribed::default();
    let make = session.call("Bash", r#"{"command":"make"}"#);
    let status = session.call("Bash", r#"{"command":"git -C /w status --porcelain"}"#);
    let mut other = session.clone();
    session.result(make, "ok", &[], "");
    session.result(status, "ok", &[], "");
    assert_eq!(told(&session), "");
    other.result(status, "ok", &[], "");
    other.result(make, "ok", &[], "");
    assert_eq!(told(&other), "");
    // In the background: until its end is told.
    let mut session = Transcribed::default();
    let make = session.call("Bash", r#"{"command":"make","run_in_background":true}"#);
    session.result(make, "ok", &[], "Command running in background with ID: b1");
    clean(&mut session);
    assert_eq!(told(&session), "");
    let mut observer = crate::evidence::command::Observer::new();
    let events = session.events();
    let ended = |observer: &mut crate::evidence::command::Observer, call: EventId| {
        observer.learn(call, Status::Ok, Some(0))
    };
    events[..2].iter().for_each(|event| observer.observe(event));
    ended(&mut observer, make);
    events[2..].iter().for_each(|event| observer.observe(event));
    assert_eq!(observer.finish(&mut |_| Ok(())).unwrap().session_end.facts().len(), 1);
    let mut observer = crate::evidence::command::Observer::new();
    events.iter().for_each(|event| observer.observe(event));
    ended(&mut observer, make);
    assert_eq!(observer.finish(&mut |_| Ok(())).unwrap().session_end, SessionEnd::default());
    // With `&` nobody tells.
    for command in ["make &", "(sleep 5; make) & true", "true && { make & }"] {
        let mut session = Transcribed::default();
        session.bash(command, "", 0);
        clean(&mut session);
        assert_eq!(told(&session), "", "{command}");
    }
    // A result without a call that anybody saw.
    let mut session = Transcribed::default();
    clean(&mut session);
    let tool = json!({"name": "Bash", "call_id": "x", "call_event_id": null, "pairing": "none", "status": "ok", "exit_code": null});
    session.event("tool_result", "tool", &[], &tool, "");
    assert_eq!(told(&session), "");
}

#[test]
fn a_fact_names_call_and_result_and_the_last_word_counts() {
    let mut session = Transcribed::default();
    session.bash("git -C /w status --porcelain", " M a", 0);
    session.bash("git -C /w status --porcelain", "", 0);
    session.bash("git -C /v rev-parse HEAD", HEAD, 0);
    let fact = |kind, value: &str, workdir: &str, event| EndFact {
        kind,
        value: value.to_owned(),
        workdir: Some(workdir.to_owned()),
        event: Transcribed::id(event),
        result: Transcribed::id(event + 1),
    };
    assert_eq!(
        facts(&session),
        [fact(FactKind::Clean, "true", "/w", 2), fact(FactKind::Head, HEAD, "/v", 4)]
    );
    for number in 0..100 {
        session.bash(&format!("git -C /{number} rev-parse HEAD"), HEAD, 0);
    }
    let facts = facts(&session);
    assert_eq!((facts.len(), facts[0].workdir.as_deref()), (crate::base::limits::END_FACTS, Some("/68")));
}

#[test]
fn the_last_mutation_is_the_last_that_is_not_shown_to_have_failed() {
    let mut session = Transcribed::default();
    let last = |session: &Transcribed| {
        let last = session.observed().1.last_mutation;
        last.map(|last| (last.event.ordinal(), last.kind))
    };
    session.bash("cargo test", "", 0);
    assert_eq!(last(&session), None);
    session.edit("/w/a", true);
    let edit = last(&session);
    assert_eq!(edit, Some((2, MutationKind::FileMutation)));
    for harmless in ["git commit -qm x", "echo x > /tmp/a", "cargo fmt --check", "git add ."] {
        session.bash(harmless, "", 0);
    }
    session.edit("/w/b", false);
    session.bash("rm /w/c", "rm: cannot remove", 1);
    assert_eq!(last(&session), edit);
    session.bash("sed -i s/a/b/ /w/a", "", 0);
    assert!(last(&session).unwrap().1 == MutationKind::ShellWrite);
    let switch = session.bash("git checkout main", "", 0);
    assert_eq!(last(&session), Some((switch.ordinal(), MutationKind::GitCommand)));
}

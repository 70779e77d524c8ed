//! Every setting that names a program, alone and all at once. Where plain git runs it, that is shown first to be so.

use std::os::unix::fs::PermissionsExt;

use super::super::Git;
use super::Fixture;
use super::attacks::{Trap, touch};
use crate::base::rules::Code;

/// Settings in which `@` is the program, and plain git that runs it, with what it reads.
struct Case {
    settings: &'static [(&'static str, &'static str)],
    plain: &'static [&'static str],
    input: &'static str,
}

const fn case(
    settings: &'static [(&'static str, &'static str)],
    plain: &'static [&'static str],
    input: &'static str,
) -> Case {
    Case { settings, plain, input }
}

/// What `credential fill` reads.
const ASKED: &str = "protocol=https\nhost=example.invalid\n\n";

const CASES: &[Case] = &[
    case(&[("core.sshCommand", "@")], &["fetch", "ssh://example.invalid/x"], ""),
    case(&[("core.gitProxy", "@")], &["fetch", "git://example.invalid/x"], ""),
    case(&[("credential.helper", "@")], &["credential", "fill"], ASKED),
    case(&[("credential.helper", "!@")], &["credential", "fill"], ASKED),
    case(&[("credential.https://example.invalid.helper", "@")], &["credential", "fill"], ASKED),
    case(&[("core.askPass", "@")], &["credential", "fill"], ASKED),
    case(&[("core.editor", "@")], &["commit", "--allow-empty"], ""),
    case(&[("sequence.editor", "@")], &["rebase", "--interactive", "--root", "--autostash"], ""),
    case(&[("alias.probe", "!@")], &["probe"], ""),
    case(&[("remote.o.url", "/nowhere"), ("remote.o.uploadpack", "@")], &["fetch", "o"], ""),
    case(&[("remote.o.url", "/nowhere"), ("remote.o.receivepack", "@")], &["push", "o", "main"], ""),
    case(&[("trailer.x.command", "@")], &["interpret-trailers", "--trailer", "x=1"], ""),
    case(&[("trailer.x.cmd", "@")], &["interpret-trailers", "--trailer", "x=1"], ""),
    case(&[("tar.x.command", "@")], &["archive", "--format=x", "HEAD"], ""),
    case(&[("man.viewer", "x"), ("man.x.cmd", "@")], &["help", "--man", "git"], ""),
    case(&[("difftool.x.cmd", "@")], &["difftool", "--no-prompt", "--tool=x", "HEAD~1"], ""),
    case(
        &[("gpg.format", "ssh"), ("gpg.ssh.defaultKeyCommand", "@")],
        &["commit", "--allow-empty", "--gpg-sign", "-m", "x"],
        "",
    ),
    case(&[("gpg.program", "@")], &["commit", "--allow-empty", "--gpg-sign", "-m", "x"], ""),
    case(&[("core.fsmonitor", "@"), ("core.fsmonitorHookVersion", "1")], &["status"], ""),
    case(&[("interactive.diffFilter", "@"), ("color.ui", "always")], &["add", "--patch"], "q\n"),
];

/// Settings whose program plain git runs at no moment that a test can make, or only for a newer git.
const FURTHER: &[(&str, &str)] = &[
    ("core.fsmonitor", "@"),
    ("core.alternateRefsCommand", "@"),
    ("core.pager", "@"),
    ("pager.status", "@"),
    ("pager.log", "@"),
    ("pager.config", "@"),
    ("hook.first.event", "post-index-change"),
    ("hook.first.command", "@"),
    ("hook.post-index-change.command", "@"),
    ("hook.second.event", "reference-transaction"),
    ("hook.second.command", "@"),
    ("uploadpack.packObjectsHook", "@"),
    ("submodule.sub.update", "!@"),
    ("submodule.sub.url", "/nowhere"),
    ("receive.procReceiveRefs", "refs"),
    ("merge.evil.driver", "@"),
    ("diff.external", "@"),
    ("diff.evil.command", "@"),
    ("diff.evil.textconv", "@"),
    ("diff.evil.cachetextconv", "true"),
    ("filter.evil.clean", "@"),
    ("filter.evil.smudge", "@"),
    ("filter.evil.process", "@"),
    ("filter.evil.required", "true"),
    ("mergetool.x.cmd", "@"),
    ("browser.x.cmd", "@"),
    ("web.browser", "x"),
    ("sendemail.sendmailcmd", "@"),
    ("sendemail.tocmd", "@"),
    ("imap.tunnel", "@"),
    ("gpg.ssh.program", "@"),
    ("gpg.x509.program", "@"),
    ("gpg.openpgp.program", "@"),
    ("log.showSignature", "true"),
    ("status.submoduleSummary", "true"),
    ("status.showStash", "true"),
    ("status.branch", "true"),
    ("status.short", "true"),
    ("status.showUntrackedFiles", "no"),
    ("status.relativePaths", "false"),
    ("status.renames", "copies"),
    ("submodule.recurse", "true"),
    ("diff.submodule", "log"),
    ("diff.ignoreSubmodules", "none"),
    ("fetch.recurseSubmodules", "true"),
    ("color.ui", "always"),
    ("color.status", "always"),
    ("column.ui", "always"),
    ("log.decorate", "full"),
    ("log.follow", "true"),
    ("log.showRoot", "true"),
    ("log.diffMerges", "on"),
    ("log.date", "format:%Y"),
    ("log.mailmap", "true"),
    ("format.pretty", "evil"),
    ("pretty.evil", "format:%C(red)%an%n%x00%x00"),
    ("format.notes", "*"),
    ("notes.displayRef", "*"),
    ("core.notesRef", "refs/heads/main"),
    ("core.quotePath", "false"),
    ("core.logAllRefUpdates", "always"),
    ("core.splitIndex", "true"),
    ("core.untrackedCache", "true"),
    ("core.preloadIndex", "false"),
    ("feature.manyFiles", "true"),
    ("gc.auto", "1"),
    ("maintenance.auto", "true"),
    ("i18n.logOutputEncoding", "UTF-16"),
    ("i18n.commitEncoding", "UTF-7"),
    ("rerere.enabled", "true"),
    ("trace2.normalTarget", "@.trace"),
    ("trace2.eventTarget", "@.trace"),
    ("trace2.perfTarget", "@.trace"),
    ("alias.status", "!@"),
    ("alias.log", "!@"),
    ("alias.config", "!@"),
    ("alias.rev-parse", "!@"),
    ("alias.for-each-ref", "!@"),
    ("alias.worktree", "!@"),
    ("alias.reflog", "!@"),
    ("alias.check-attr", "!@"),
];

/// Every hook that git knows of, and one that it may come to know.
const HOOKS: &[&str] = &[
    "post-index-change",
    "reference-transaction",
    "fsmonitor-watchman",
    "query-watchman",
    "pre-auto-gc",
    "post-checkout",
    "pre-commit",
    "post-rewrite",
    "proc-receive",
    "pre-status",
];

#[test]
fn no_setting_runs_its_program() {
    for Case { settings, plain, input } in CASES {
        let fixture = Fixture::new();
        fixture.commit("a.txt", "two\n", "second");
        let trap = Trap::set(&fixture);
        fixture.write("a.txt", "three\n");
        for (key, value) in *settings {
            fixture.plain(["config", key, &value.replace('@', &trap.program)]);
        }
        trap.does_not_spring(&fixture, Ok(()));
        let plain: Vec<String> = plain.iter().map(|word| word.replace('@', &trap.program)).collect();
        fixture.feed(&plain.iter().map(String::as_str).collect::<Vec<_>>(), input);
        assert!(trap.sprung(), "plain git does not run {settings:?}, so this shows nothing");
    }
}

#[test]
fn a_pager_does_not_run() {
    for key in ["core.pager", "pager.log"] {
        let fixture = Fixture::new();
        let trap = Trap::set(&fixture);
        fixture.plain(["config", key, &trap.program]);
        trap.does_not_spring(&fixture, Ok(()));
        // A pager runs for a terminal only, and `script` makes one.
        let mut command = std::process::Command::new("script");
        let git = format!("{} log", fixture.git.path().display());
        command.args(["-q", "-e", "-c", &git, "/dev/null"]).current_dir(&fixture.root).env("TERM", "xterm");
        command.env_remove("GIT_PAGER").env_remove("PAGER").stdin(std::process::Stdio::null());
        match command.output() {
            Ok(_) => assert!(trap.sprung(), "plain git does not run {key}, so this shows nothing"),
            Err(_) => println!("no `script` on this machine: plain git is not shown to run {key}"),
        }
    }
}

#[test]
fn settings_of_the_person_and_of_the_machine_are_not_asked() {
    let fixture = Fixture::new();
    let trap = Trap::set(&fixture);
    let settings = format!("[core]\nfsmonitor = {}\n", trap.program);
    std::fs::write(fixture.home.join(".gitconfig"), settings).expect("write");
    trap.springs_only_for_plain_git(&fixture, &["status"], Ok(()));
}

#[test]
fn a_home_folder_in_a_setting_leads_nowhere() {
    let fixture = Fixture::new();
    let trap = Trap::set(&fixture);
    let settings = format!("[core]\nfsmonitor = {}\n[filter \"evil\"]\nclean = {0}\n", trap.program);
    std::fs::write(fixture.home.join("evil.cfg"), settings).expect("write");
    fixture.plain(["config", "include.path", "~/evil.cfg"]);
    trap.springs_only_for_plain_git(&fixture, &["status"], Ok(()));
}

/// A trace is written by settings of the person only, and never by a probe.
#[test]
fn a_trace_is_not_written() {
    for key in ["normalTarget", "eventTarget", "perfTarget"] {
        let fixture = Fixture::new();
        let trace = fixture.home.join("trace");
        let settings = format!("[trace2]\n{key} = {trace}\n");
        std::fs::write(fixture.home.join(".gitconfig"), settings).expect("write");
        let before = fixture.listing();
        assert!(fixture.probe().status.expect("status").clean);
        assert_eq!(fixture.listing(), before);
        fixture.try_in(&fixture.root, ["status"]);
        assert!(trace.exists(), "plain git does not write {key}, so this shows nothing");
    }
}

/// One repository with everything at once: no program runs, no file anywhere changes, and nothing true is lost.
#[test]
fn a_repository_full_of_traps_is_told_as_an_ordinary_one() {
    let fixture = Fixture::new();
    fixture.commit("b.txt", "one\n", "second");
    fixture.write("a.txt", "two\n");
    fixture.plain(["stash", "--quiet"]);
    fixture.write("untracked", "x");
    touch(&fixture, "a.txt");
    let ordinary = fixture.probe();

    let trap = Trap::set(&fixture);
    let config = fixture.root.join(".git/config");
    let mut text = std::fs::read_to_string(&config).expect("read");
    let all = CASES.iter().flat_map(|case| case.settings).chain(FURTHER);
    for (key, value) in all.filter(|(key, _)| !key.starts_with("remote.")) {
        let (section, rest) = key.split_once('.').expect("section");
        let value = value.replace('@', &trap.program);
        text += &match rest.rsplit_once('.') {
            Some((name, key)) => format!("[{section} \"{name}\"]\n{key} = {value}\n"),
            None => format!("[{section}]\n{rest} = {value}\n"),
        };
    }
    std::fs::write(config, text).expect("write");
    let lines = "* filter=evil diff=evil merge=evil text working-tree-encoding=UTF-8\n";
    fixture.write(".git/info/attributes", lines);
    for hook in HOOKS {
        let path = fixture.root.join(".git/hooks").join(hook);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::copy(&trap.program, &path).expect("copy");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("chmod");
    }
    let before = fixture.listing();
    for git in Git::all() {
        let mut snapshot = fixture.try_probe_with(&git).expect("probed");
        assert!(!trap.sprung(), "{git:?}");
        assert_eq!(fixture.listing(), before, "{git:?}");
        snapshot.limitations.retain(|code| *code != Code::FilteredPaths);
        assert_eq!(snapshot, ordinary, "{git:?}");
    }
    fixture.try_in(&fixture.root, ["status"]);
    assert!(trap.sprung(), "plain git runs nothing here, so this shows nothing");
}

//! Who may aim a probe, and at what: a transcript of our own at the work directory that it recorded, as long as that
//! is there; nobody at a repository around a folder that is gone; and the environment at nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::process::Command;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::verified::{Place, git};

const OURS: &str = ".claude/projects/x";

/// Everything that a collection says of repositories, and whether it holds the commit of the place's repository.
struct Said {
    probed: usize,
    codes: Vec<String>,
    knows_the_repository: bool,
}

fn said(place: &Place) -> Said {
    let head = fs::read_to_string(place.repository.join(".git/refs/heads/main")).unwrap();
    place.collect(&["--fresh"]);
    let facts = place.git_facts();
    let codes =
        facts["not_probed"].as_array().unwrap().iter().map(|row| row["code"].as_str().unwrap().to_owned());
    Said {
        probed: facts["verified_now"].as_array().unwrap().len(),
        codes: codes.collect(),
        knows_the_repository: facts.to_string().contains(head.trim()),
    }
}

/// The place's session with another recorded work directory is told no fact of the repository, and why.
fn tells_nothing(place: &Place, folder: &str, code: &str) {
    place.record(folder);
    let said = said(place);
    assert_eq!((said.probed, said.codes), (0, vec![code.to_owned()]), "{folder}");
    assert!(!said.knows_the_repository, "{folder}");
}

#[test]
fn a_work_directory_that_is_gone_yields_no_fact_of_the_repository_around_it() {
    let place = Place::new(OURS);
    assert!(said(&place).knows_the_repository);
    let inside = |name: &str| place.repository.join(name).into_string();
    for name in ["gone", "gone/deeper", ".git/gone", "tide.txt", "tide.txt/deeper"] {
        tells_nothing(&place, &inside(name), "folder-missing");
    }
    // The same folder, there again, is a folder of that repository.
    fs::create_dir(inside("gone")).unwrap();
    place.record(&inside("gone"));
    assert_eq!(said(&place).probed, 1);
}

#[test]
fn a_work_directory_that_is_another_place_now_is_not_followed() {
    let place = Place::new(OURS);
    let folder = place.room.folder("elsewhere/sub");
    fs::remove_dir(&folder).unwrap();
    symlink(&place.repository, &folder).unwrap();
    fs::create_dir(place.repository.join("deeper")).unwrap();
    tells_nothing(&place, folder.as_str(), "not-probed");
    tells_nothing(&place, folder.join("deeper").as_str(), "not-probed");
    tells_nothing(&place, place.room.path("elsewhere/../repository").as_str(), "not-probed");
    tells_nothing(&place, place.repository.join("deeper/..").as_str(), "not-probed");
    // What is no place at all.
    tells_nothing(&place, "repository", "not-probed");
    tells_nothing(&place, "~/repository", "not-probed");
    // A person who names the link means what it leads to.
    place.collect(&["--fresh", "--repo", folder.as_str()]);
    assert_eq!(place.git_facts()["verified_now"][0]["root"], place.repository.as_str());
}

#[test]
fn a_work_tree_without_its_repository_and_a_submodule_are_not_the_repository_around_them() {
    let place = Place::new(OURS);
    let main = place.room.folder("main");
    git(&main, &["init", "--quiet", "--initial-branch=main"]);
    git(&main, &["commit", "--quiet", "--allow-empty", "--message=main"]);
    let tree = place.repository.join("tree");
    git(&main, &["worktree", "add", "--quiet", tree.as_str()]);
    place.record(tree.as_str());
    assert_eq!(said(&place).probed, 1);
    git(&place.repository, &["submodule", "--quiet", "add", main.as_str(), "part"]);
    tells_nothing(&place, place.repository.join("part").as_str(), "repository-unusual");
    fs::remove_dir_all(&main).unwrap();
    tells_nothing(&place, tree.as_str(), "repository-unusual");
}

/// Whether the session may aim, with the transcript of the place as it lies now.
fn may_aim(place: &Place) -> bool {
    said(place).probed == 1
}

#[test]
fn only_a_transcript_where_the_harness_keeps_them_may_aim() {
    for (below, expected) in [
        (".claude/projects/-w", true),
        (".codex/sessions/2026/05/04", true),
        (".codex/archived_sessions", true),
        // What a plugin brought along is not what the harness wrote.
        (".claude/plugins/marketplaces/some", false),
        (".claude", false),
        (".claude/projects-of-others", false),
        ("mail", false),
    ] {
        assert_eq!(may_aim(&Place::new(below)), expected, "{below}");
    }
}

#[test]
fn a_transcript_that_somebody_else_could_have_put_there_may_not_aim() {
    let place = Place::new(OURS);
    assert!(may_aim(&place));
    let folder = place.transcript.parent().unwrap();
    let set =
        |path: &camino::Utf8Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&place.transcript, 0o666);
    assert!(!may_aim(&place), "everybody can write it");
    set(&place.transcript, 0o644);
    assert!(may_aim(&place));
    for folder in [folder, folder.parent().unwrap(), place.room.path(".claude").as_path()] {
        set(folder, 0o777);
        assert!(!may_aim(&place), "everybody can write {folder}");
        set(folder, 0o755);
    }
    assert!(may_aim(&place));
    let second = place.room.path("second-name");
    fs::hard_link(&place.transcript, &second).unwrap();
    assert!(!may_aim(&place), "it has a second name elsewhere");
    fs::remove_file(&second).unwrap();
    assert!(may_aim(&place));
    if chown(&place.transcript, Some(65_534), None).is_ok() {
        assert!(!may_aim(&place), "it belongs to somebody else");
    }
}

#[test]
fn a_link_below_the_harness_root_does_not_make_a_transcript_its_own() {
    let mut place = Place::new("mail");
    let real = place.transcript.clone();
    place.room.folder(OURS);
    let linked = place.room.path(OURS).join("linked");
    symlink(place.room.path("mail"), &linked).unwrap();
    place.transcript = linked.join(real.file_name().unwrap());
    assert!(!may_aim(&place), "a folder that is a link");
    let link = place.room.path(OURS).join(real.file_name().unwrap());
    symlink(&real, &link).unwrap();
    let manifest = place.manifest();
    let ran = place.room.run(&["collect", "--session", link.as_str(), "--output", manifest.as_str()]);
    assert_eq!(ran.code(), "source-not-regular", "{}", ran.stderr);
}

/// The environment of whoever runs us aims no probe, runs no program and writes no trace.
#[test]
fn variables_of_git_are_not_passed_on() {
    let place = Place::new(OURS);
    place.collect(&[]);
    let expected = place.git_facts()["verified_now"].clone();
    let (trace, sprung) = (place.room.path("trace"), place.room.path("sprung"));
    let programs = place.room.folder("programs");
    for name in ["trap", "git", "git-status", "git-config", "ssh", "less"] {
        let path = programs.join(name);
        fs::write(&path, format!("#!/bin/sh\n: > '{sprung}'\nexit 1\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let trap = programs.join("trap");
    let settings = place
        .room
        .file(".gitconfig", format!("[core]\nfsmonitor = {trap}\n[trace2]\neventTarget = {trace}\n"));
    place.room.file("git/config", format!("[core]\nfsmonitor = {trap}\n"));
    let other = place.room.folder("other");
    git(&other, &["init", "--quiet", "--initial-branch=secret"]);
    let other_git = other.join(".git");
    let parameters = format!("'core.fsmonitor={trap}'");
    let variables = [
        ("GIT_DIR", other_git.as_str()),
        ("GIT_COMMON_DIR", other_git.as_str()),
        ("GIT_WORK_TREE", other.as_str()),
        ("GIT_INDEX_FILE", "/dev/null"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere"),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "/nowhere"),
        ("GIT_NAMESPACE", "other"),
        ("GIT_REPLACE_REF_BASE", "refs/heads"),
        ("GIT_SHALLOW_FILE", "/nowhere"),
        ("GIT_ATTR_SOURCE", "HEAD"),
        ("GIT_CEILING_DIRECTORIES", "/"),
        ("GIT_CONFIG", settings.as_str()),
        ("GIT_CONFIG_GLOBAL", settings.as_str()),
        ("GIT_CONFIG_SYSTEM", settings.as_str()),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", trap.as_str()),
        ("GIT_CONFIG_PARAMETERS", parameters.as_str()),
        ("XDG_CONFIG_HOME", place.room.path("").as_str()),
        ("GIT_EXEC_PATH", programs.as_str()),
        ("GIT_EXTERNAL_DIFF", trap.as_str()),
        ("GIT_PAGER", trap.as_str()),
        ("PAGER", trap.as_str()),
        ("GIT_EDITOR", trap.as_str()),
        ("GIT_ASKPASS", trap.as_str()),
        ("SSH_ASKPASS", trap.as_str()),
        ("GIT_SSH", trap.as_str()),
        ("GIT_SSH_COMMAND", trap.as_str()),
        ("GIT_PROXY_COMMAND", trap.as_str()),
        ("GIT_TRACE", trace.as_str()),
        ("GIT_TRACE_SETUP", trace.as_str()),
        ("GIT_TRACE_PERFORMANCE", trace.as_str()),
        ("GIT_TRACE2", trace.as_str()),
        ("GIT_TRACE2_EVENT", trace.as_str()),
        ("GIT_TRACE2_PERF", trace.as_str()),
        ("GIT_REDIRECT_STDERR", trace.as_str()),
        ("GIT_OPTIONAL_LOCKS", "1"),
        ("GIT_LITERAL_PATHSPECS", "0"),
        ("GIT_FLUSH", "1"),
        ("PATH", programs.as_str()),
    ]
    .map(|(name, value)| (name, value.to_owned()));
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    place.collect_with(&["--refresh-git"], &variables);
    let mut told = place.git_facts()["verified_now"].clone();
    assert!(!trace.exists() && !sprung.exists());
    told[0]["probed_at"] = expected[0]["probed_at"].clone();
    assert_eq!(told, expected);
    // Plain git does both, in the same environment with the repository of its own.
    let aimed = [
        "GIT_DIR",
        "GIT_COMMON_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "PATH",
        "GIT_EXEC_PATH",
    ];
    let plain = variables.iter().filter(|(name, _)| !aimed.contains(name)).copied();
    Command::new("git").arg("status").envs(plain).current_dir(&place.repository).output().unwrap();
    assert!(trace.exists() && sprung.exists(), "plain git is not taken in, so this shows nothing");
}

/// Names that a repository chose go into files that are read and rendered: escaped, and without a secret.
#[test]
fn what_a_repository_calls_things_is_scrubbed_and_escaped() {
    let place = Place::new(OURS);
    let token = |last: char| format!("ghp_{}{last}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R");
    let tokens: Vec<String> = "STUVWX".chars().map(token).collect();
    let run = |arguments: &[&str]| git(&place.repository, arguments);
    run(&["checkout", "--quiet", "-b", &tokens[0]]);
    run(&["tag", &tokens[1]]);
    run(&["commit", "--quiet", "--allow-empty", "-m", &format!("use {} for now", tokens[2])]);
    fs::write(place.repository.join(&tokens[3]), "x").unwrap();
    let tree: Utf8PathBuf = place.room.path(&tokens[4]);
    run(&["worktree", "add", "--quiet", "-b", "tree", tree.as_str()]);
    run(&["branch", "--quiet", &tokens[5]]);
    run(&["branch", "--quiet", &format!("--set-upstream-to={}", tokens[5])]);
    let hostile = "line\nend\u{1b}[31m\u{202e}mark";
    fs::write(place.repository.join(hostile), "x").unwrap();
    place.collect(&[]);
    let text = fs::read_to_string(place.manifest()).unwrap();
    for token in &tokens {
        assert!(!text.contains(token.as_str()), "{token}");
    }
    let facts = place.git_facts();
    let snapshot = &facts["verified_now"][0];
    let is_mark = |value: &Value| value.as_str().unwrap().contains("[redacted:");
    assert!(is_mark(&snapshot["branch"]) && is_mark(&snapshot["upstream"]));
    assert!(is_mark(&snapshot["recent_commits"][0]["subject"]) && is_mark(&snapshot["reflog"][0]["action"]));
    let paths = snapshot["status"]["changed_paths"].as_array().unwrap();
    assert!(paths.iter().any(is_mark));
    assert!(snapshot["worktrees"]["rows"].as_array().unwrap().iter().any(|row| is_mark(&row["path"])));
    assert!(paths.contains(&json!("line\\u{a}end\\u{1b}[31m\\u{202e}mark")), "{paths:?}");
}

//! Ordinary and unusual repositories.

use super::super::layout::repository_of_recorded;
use super::super::{Candidates, Outcome, is_ignored, repository_of, survey};
use super::Fixture;
use crate::base::rules::Code;

#[test]
fn a_clean_repository_is_told_whole() {
    let fixture = Fixture::new();
    fixture.commit("b.txt", "two\n", "second: \\ and more");
    fixture.plain(["tag", "v1"]);
    let snapshot = fixture.probe();
    let head = fixture.plain(["rev-parse", "HEAD"]);
    assert_eq!(snapshot.repository, "repo-1");
    assert_eq!(snapshot.probed_at, "1970-01-01T00:00:00Z");
    assert_eq!((snapshot.root.as_str(), snapshot.object_format.as_str()), (fixture.root.as_str(), "sha1"));
    assert_eq!((snapshot.head.as_deref(), snapshot.branch.as_deref()), (Some(head.as_str()), Some("main")));
    let status = snapshot.status.expect("status");
    assert!(status.complete && status.clean && status.changed_paths.is_empty());
    let names: Vec<_> =
        snapshot.refs.iter().flat_map(|refs| &refs.rows).map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["refs/heads/main", "refs/tags/v1"]);
    let commits = snapshot.recent_commits.expect("commits");
    assert_eq!(commits.len(), 2);
    assert_eq!(
        (commits[0].oid.as_str(), commits[0].subject.as_str()),
        (head.as_str(), "second: \\\\ and more")
    );
    let reflog = snapshot.reflog.expect("reflog");
    assert_eq!(reflog[0].action, "commit: second: \\\\ and more");
    assert_eq!(snapshot.worktrees.map(|listing| listing.rows.len()), Some(1));
    assert_eq!(snapshot.stashes, Some(0));
    assert_eq!(snapshot.limitations, [Code::NoUpstream]);
}

#[test]
fn a_snapshot_survives_json_and_refuses_unknown_members() {
    let snapshot = Fixture::new().probe();
    let text = serde_json::to_string(&snapshot).expect("write");
    assert_eq!(serde_json::from_str::<super::Snapshot>(&text).expect("read"), snapshot);
    assert!(text.contains("\"label\":\"verified_now_only\""));
    assert!(serde_json::from_str::<super::Snapshot>(&text.replacen('{', "{\"extra\":1,", 1)).is_err());
}

#[test]
fn changed_renamed_and_untracked_paths_are_listed_and_ignored_ones_are_not() {
    let fixture = Fixture::new();
    fixture.commit("old name", "a longer text that git can recognise\n", "second");
    fixture.commit(".gitignore", "*.log\n", "third");
    fixture.plain(["mv", "old name", "new name"]);
    fixture.write("a.txt", "changed\n");
    fixture.write("untracked/file", "x");
    fixture.write("seen.log", "x");
    let status = fixture.probe().status.expect("status");
    assert!(status.complete && !status.clean);
    assert_eq!(status.changed_paths, ["a.txt", "new name", "old name", "untracked/"]);
}

#[test]
fn unsafe_names_are_escaped_and_counted() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    std::fs::write(fixture.root.join("new\nline"), "x").expect("write");
    // A name that looks like the escape of another one is not shown like it.
    for name in
        ["bad\\xff", "esc\u{1b}[31mred", "turned\u{202e}txt.exe", "tab\tand\rreturn", "zero\u{200b}width"]
    {
        std::fs::write(fixture.root.join(name), "x").expect("write");
    }
    let damaged = fixture.root.as_std_path().join(std::ffi::OsStr::from_bytes(b"bad\xff"));
    if std::fs::write(damaged, "x").is_err() {
        return; // This file system takes UTF-8 only.
    }
    let shown = [
        "bad\\\\xff",
        "bad\\xff",
        "esc\\u{1b}[31mred",
        "new\\u{a}line",
        "tab\\u{9}and\\u{d}return",
        "turned\\u{202e}txt.exe",
        "zero\\u{200b}width",
    ];
    assert_eq!(fixture.changed(), shown);
    assert_eq!(fixture.probe().damaged_texts, 1);
}

#[test]
fn no_commit_and_a_detached_head_are_limitations() {
    let fixture = Fixture::unborn();
    let snapshot = fixture.probe();
    assert_eq!((snapshot.head, snapshot.branch.as_deref()), (None, Some("main")));
    assert_eq!(snapshot.recent_commits, None);
    assert!(snapshot.limitations.contains(&Code::NoCommits));

    let fixture = Fixture::new();
    fixture.plain(["checkout", "--quiet", "--detach"]);
    let snapshot = fixture.probe();
    assert!(snapshot.head.is_some() && snapshot.branch.is_none());
    assert!(snapshot.limitations.contains(&Code::DetachedHead));
}

#[test]
fn the_upstream_is_compared_and_its_absence_is_told() {
    let fixture = Fixture::new();
    let base = fixture.plain(["rev-parse", "HEAD"]);
    let other = fixture.home.join("other");
    fixture.plain_in(&fixture.home, ["clone", "--quiet", "repo", "other"]);
    fixture.plain_in(&other, ["commit", "--quiet", "--allow-empty", "-m", "mine"]);
    fixture.plain_in(&other, ["commit", "--quiet", "--allow-empty", "-m", "mine too"]);
    fixture.plain(["commit", "--quiet", "--allow-empty", "-m", "theirs"]);
    fixture.plain_in(&other, ["fetch", "--quiet"]);
    let fixture = Fixture { root: other, ..fixture };
    let snapshot = fixture.probe();
    assert_eq!(snapshot.upstream.as_deref(), Some("refs/remotes/origin/main"));
    assert_eq!((snapshot.ahead, snapshot.behind), (Some(2), Some(1)));
    assert_eq!(snapshot.merge_base, Some(base));
    assert_eq!(snapshot.limitations, []);

    fixture.plain(["update-ref", "-d", "refs/remotes/origin/main"]);
    let snapshot = fixture.probe();
    assert_eq!((snapshot.ahead, snapshot.behind, snapshot.merge_base), (None, None, None));
    assert_eq!(snapshot.limitations, [Code::UpstreamGone]);
}

#[test]
fn unrelated_histories_have_no_merge_base() {
    let fixture = Fixture::new();
    fixture.plain(["checkout", "--quiet", "--orphan", "new"]);
    fixture.plain(["commit", "--quiet", "--allow-empty", "-m", "root"]);
    fixture.plain(["branch", "--quiet", "--set-upstream-to=main"]);
    let snapshot = fixture.probe();
    assert_eq!((snapshot.ahead, snapshot.behind, snapshot.merge_base), (Some(1), Some(1), None));
    assert_eq!(snapshot.limitations, [Code::NoMergeBase]);
}

#[test]
fn an_expired_reflog_is_not_an_empty_one() {
    let fixture = Fixture::new();
    fixture.plain(["reflog", "expire", "--expire=now", "--all"]);
    let snapshot = fixture.probe();
    assert_eq!(snapshot.reflog, None);
    assert!(snapshot.limitations.contains(&Code::ReflogMissing));
}

#[test]
fn stashes_are_counted() {
    let fixture = Fixture::new();
    for text in ["two\n", "three\n"] {
        fixture.write("a.txt", text);
        fixture.plain(["stash", "--quiet"]);
    }
    assert_eq!(fixture.probe().stashes, Some(2));
}

#[test]
fn a_missing_folder_inside_a_repository_is_not_that_repository() {
    let fixture = Fixture::new();
    let gone = fixture.root.join("gone");
    assert_eq!(repository_of(&gone), Err(Code::FolderMissing));
    assert_eq!(repository_of(&fixture.root.join("a.txt")), Err(Code::FolderMissing));
    std::fs::create_dir(&gone).expect("folder");
    assert_eq!(repository_of(&gone), Ok(fixture.root.clone()));
    assert_eq!(repository_of(&fixture.root.join(".git/refs")), Ok(fixture.root.clone()));
    assert_eq!(repository_of(&fixture.home), Err(Code::NotARepository));
}

#[test]
fn a_recorded_folder_is_where_it_was_recorded_or_it_is_not_probed() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.root.join("sub")).expect("folder");
    std::os::unix::fs::symlink(&fixture.root, fixture.home.join("link")).expect("link");
    for (folder, expected) in [
        ("repo/sub", Ok(fixture.root.clone())),
        ("repo/sub/", Ok(fixture.root.clone())),
        ("link", Err(Code::NotProbed)),
        ("link/sub", Err(Code::NotProbed)),
        ("repo/../repo", Err(Code::NotProbed)),
        ("repo/sub/gone", Err(Code::FolderMissing)),
        ("repo/a.txt", Err(Code::FolderMissing)),
    ] {
        assert_eq!(repository_of_recorded(&fixture.home.join(folder)), expected, "{folder}");
    }
    // A person who names a link means what it leads to.
    assert_eq!(repository_of(&fixture.home.join("link/sub")), Ok(fixture.root.clone()));
}

#[test]
fn a_linked_worktree_is_probed_and_a_removed_one_is_told() {
    let fixture = Fixture::new();
    fixture.plain(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let side = Fixture { root: fixture.home.join("side"), ..Fixture::empty() };
    std::fs::write(side.root.join("new"), "x").expect("write");
    let snapshot = side.probe();
    assert_eq!(snapshot.branch.as_deref(), Some("side"));
    assert_eq!(snapshot.git_dir, fixture.root.join(".git/worktrees/side"));
    assert_eq!(snapshot.common_dir, fixture.root.join(".git"));
    assert_eq!(snapshot.status.expect("status").changed_paths, ["new"]);

    std::fs::remove_dir_all(&side.root).expect("remove");
    let snapshot = fixture.probe();
    let listing = snapshot.worktrees.expect("worktrees");
    assert_eq!(listing.rows.iter().map(|row| row.missing).collect::<Vec<_>>(), [false, true]);
    assert!(snapshot.limitations.contains(&Code::WorktreeMissing));
    assert_eq!(side.try_probe(), Err(Code::FolderMissing));
}

#[test]
fn a_bare_repository_has_no_status() {
    let fixture = Fixture::new();
    fixture.plain_in(&fixture.home, ["clone", "--quiet", "--bare", "repo", "bare"]);
    let fixture = Fixture { root: fixture.home.join("bare"), ..fixture };
    assert_eq!(repository_of(&fixture.root.join("refs")), Ok(fixture.root.clone()));
    let snapshot = fixture.probe();
    assert_eq!(snapshot.status, None);
    assert!(snapshot.head.is_some());
    assert!(snapshot.limitations.contains(&Code::BareRepository));
}

#[test]
fn a_shallow_clone_says_that_its_history_is_cut() {
    let fixture = Fixture::new();
    fixture.commit("a.txt", "two\n", "second");
    let source = format!("file://{}", fixture.root);
    fixture.plain_in(&fixture.home, ["clone", "--quiet", "--depth=1", &source, "shallow"]);
    let fixture = Fixture { root: fixture.home.join("shallow"), ..fixture };
    let snapshot = fixture.probe();
    assert_eq!(snapshot.recent_commits.map(|commits| commits.len()), Some(1));
    assert_eq!(snapshot.limitations, [Code::ShallowRepository]);
}

#[test]
fn other_formats_are_probed_or_refused_and_never_misread() {
    for option in ["--object-format=sha256", "--ref-format=reftable"] {
        let fixture = Fixture::empty();
        if !fixture.try_in(&fixture.home, ["init", "--quiet", "-b", "main", option, "repo"]).status.success()
        {
            continue; // This git is older than the format.
        }
        fixture.commit("a.txt", "one\n", "first");
        let snapshot = fixture.probe();
        assert_eq!(snapshot.head, Some(fixture.plain(["rev-parse", "HEAD"])));
        assert_eq!(snapshot.branch.as_deref(), Some("main"));
        assert!(snapshot.status.expect("status").clean);
    }
    let fixture = Fixture::new();
    fixture.plain(["config", "core.repositoryFormatVersion", "1"]);
    fixture.plain(["config", "extensions.fromTheFuture", "true"]);
    let refused = fixture.try_probe().expect_err("refused");
    assert!(matches!(refused, Code::RepositoryUnusual | Code::ProbeFailed));
}

#[test]
fn clean_is_not_claimed_when_the_index_hides_paths() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let fixture = Fixture::new();
        fixture.plain(["update-index", flag, "a.txt"]);
        fixture.write("a.txt", "changed in secret\n");
        assert_eq!(fixture.plain(["status", "--porcelain"]), "");
        let snapshot = fixture.probe();
        let status = snapshot.status.expect("status");
        assert!(!status.complete && !status.clean);
        assert!(snapshot.limitations.contains(&Code::IndexHidesPaths));
    }
}

#[test]
fn clean_is_not_claimed_when_a_folder_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let locked = fixture.root.join("locked");
    std::fs::create_dir(&locked).expect("folder");
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o000)).expect("chmod");
    if std::fs::read_dir(&locked).is_ok() {
        return; // Nothing is locked to this user.
    }
    let snapshot = fixture.probe();
    assert!(!snapshot.status.expect("status").clean);
    assert!(snapshot.limitations.contains(&Code::StatusIncomplete));
}

#[test]
fn a_filtered_path_that_looks_changed_is_told() {
    let fixture = Fixture::new();
    fixture.commit(".gitattributes", "*.bin filter=large\n", "attributes");
    let pass = ["-c", "filter.large.clean=tr a-z A-Z"];
    fixture.write("x.bin", "abc\n");
    fixture.plain([&pass[..], &["add", "x.bin"]].concat());
    fixture.plain(["commit", "--quiet", "-m", "filtered"]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    fixture.write("x.bin", "abc\n");
    let snapshot = fixture.probe();
    let status = snapshot.status.expect("status");
    assert_eq!((status.complete, status.changed_paths), (false, vec!["x.bin".to_owned()]));
    assert!(snapshot.limitations.contains(&Code::FilteredPaths));
}

#[test]
fn long_lists_are_cut_and_the_rest_is_counted() {
    let fixture = Fixture::new();
    let head = fixture.plain(["rev-parse", "HEAD"]);
    for number in 0..crate::base::limits::PROBED_REFERENCES + 4 {
        fixture.write(&format!(".git/refs/tags/t{number}"), &format!("{head}\n"));
    }
    for number in 0..crate::base::limits::PROBED_PATHS + 3 {
        fixture.write(&format!("new-{number}"), "");
    }
    let snapshot = fixture.probe();
    assert_eq!(snapshot.refs.map(|refs| (refs.rows.len(), refs.omitted)), Some((200, 5)));
    assert_eq!(snapshot.status.map(|status| (status.changed_paths.len(), status.omitted)), Some((2_000, 3)));
    assert!(snapshot.limitations.contains(&Code::GitFactsOmitted));
}

#[test]
fn map_text_reaches_every_text_of_the_repository_and_no_id() {
    let fixture = Fixture::new();
    fixture.plain(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    fixture.plain(["branch", "--quiet", "--set-upstream-to=side"]);
    fixture.write("new", "x");
    let before = fixture.probe();
    let after = before.clone().map_text(&mut |text| format!("<{text}>"));
    let text = serde_json::to_string(&after).expect("write");
    // Seven texts of place and branch, then subjects, actions, references, worktrees and paths.
    let marked = text.matches("\"<").count();
    assert_eq!(marked, 5 + 1 + 1 + 2 + 4 + 1, "{text}");
    assert_eq!(text.matches(">\"").count(), marked);
    assert_eq!((after.head, after.merge_base), (before.head, before.merge_base));
}

#[test]
fn a_survey_probes_each_repository_once_and_lists_the_rest() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.root.join("sub")).expect("folder");
    let recorded =
        vec![fixture.root.join("sub"), fixture.root.clone(), fixture.home.join("gone"), fixture.home.clone()];
    let mut candidates = Candidates { recorded, others: vec!["/elsewhere".into()], ..Candidates::default() };
    let git = Ok(fixture.git.clone());
    let outcomes = survey(&candidates, jiff::Timestamp::UNIX_EPOCH, &git);
    let told: Vec<_> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Outcome::Probed(snapshot) => snapshot.repository.clone(),
            Outcome::NotProbed { reason, .. } => reason.as_str().to_owned(),
        })
        .collect();
    assert_eq!(told, ["repo-1", "folder-missing", "not-a-repository", "not-probed"]);
    (candidates.recorded, candidates.others) = (vec![fixture.root.clone()], Vec::new());
    let outcomes = survey(&candidates, jiff::Timestamp::UNIX_EPOCH, &Err(Code::GitMissing));
    assert!(matches!(&outcomes[..], [Outcome::NotProbed { reason: Code::GitMissing, .. }]));
}

#[test]
fn only_what_git_ignores_is_ignored() {
    let fixture = Fixture::new();
    fixture.commit(".gitignore", "private/\n*.json\n!kept.json\n", "ignore");
    fixture.commit("private-not/x", "x", "other");
    fixture.write("tracked.json", "{}");
    fixture.plain(["add", "--force", "tracked.json"]);
    let ignored = |name: &str| is_ignored(&fixture.git, &fixture.root, &fixture.root.join(name));
    assert!(ignored("private/deep/new"));
    assert!(ignored("a.json"));
    for name in ["kept.json", "tracked.json", "a.txt", "private-not/new", "private/../a.txt", ""] {
        assert!(!ignored(name), "{name}");
    }
    assert!(!is_ignored(&fixture.git, &fixture.root, &fixture.home.join("a.json")));
    assert!(!is_ignored(&fixture.git, &fixture.home, &fixture.home.join("a.json")));
    fixture.plain(["config", "remote.origin.promisor", "true"]);
    assert!(!is_ignored(&fixture.git, &fixture.root, &fixture.root.join("a.json")));
}

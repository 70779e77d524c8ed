//! Repositories that make git itself say what is not so, or change a file by being looked at.

use super::super::Git;
use super::Fixture;
use super::attacks::touch;
use crate::base::rules::Code;

#[test]
fn a_tag_that_is_called_head_is_no_commit_of_an_unborn_branch() {
    let fixture = Fixture::new();
    let head = fixture.plain(["rev-parse", "HEAD"]);
    fixture.plain(["update-ref", "refs/tags/HEAD", &head]);
    fixture.plain(["checkout", "--quiet", "--orphan", "new"]);
    assert_eq!(fixture.plain(["rev-parse", "--verify", "HEAD"]), head, "git takes the tag for HEAD");
    let snapshot = fixture.probe();
    assert_eq!((snapshot.head, snapshot.branch.as_deref()), (None, Some("new")));
    assert!(snapshot.limitations.contains(&Code::NoCommits));
}

#[test]
fn a_branch_that_is_called_like_the_stash_is_no_stash() {
    let fixture = Fixture::new();
    fixture.plain(["branch", "refs/stash"]);
    assert_ne!(fixture.plain(["rev-list", "--walk-reflogs", "refs/stash", "--"]), "");
    assert_eq!(fixture.probe().stashes, Some(0));
}

#[test]
fn a_branch_that_is_called_like_the_upstream_is_not_it() {
    let fixture = Fixture::new();
    for (key, value) in [
        ("branch.main.remote", "origin"),
        ("branch.main.merge", "refs/heads/main"),
        ("remote.origin.url", "/nowhere"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
    ] {
        fixture.plain(["config", key, value]);
    }
    fixture.plain(["branch", "refs/remotes/origin/main"]);
    assert_ne!(fixture.plain(["rev-parse", "--verify", "refs/remotes/origin/main"]), "");
    let snapshot = fixture.probe();
    assert_eq!((snapshot.ahead, snapshot.behind, snapshot.merge_base), (None, None, None));
    assert_eq!(snapshot.limitations, [Code::UpstreamGone]);
}

#[test]
fn movements_of_a_branch_are_not_told_as_those_of_head() {
    let fixture = Fixture::new();
    std::fs::remove_file(fixture.root.join(".git/logs/HEAD")).expect("remove");
    assert_ne!(fixture.plain(["log", "--walk-reflogs", "HEAD"]), "");
    let snapshot = fixture.probe();
    assert_eq!(snapshot.reflog, None);
    assert!(snapshot.limitations.contains(&Code::ReflogMissing));
}

#[test]
fn history_is_told_as_commits_tell_it_and_not_as_a_table_does() {
    let fixture = Fixture::new();
    fixture.commit("a.txt", "two\n", "second");
    fixture.plain(["commit-graph", "write", "--reachable"]);
    let path = fixture.root.join(".git/objects/info/commit-graph");
    let mut table = std::fs::read(&path).expect("read");
    // The chunk of commits: a tree, then the place of the parent, of which this value says that there is none.
    let chunks = (0..usize::from(table[6])).map(|chunk| 8 + chunk * 12);
    let chunk = chunks.into_iter().find(|at| &table[*at..at + 4] == b"CDAT").expect("chunk");
    let offset = u64::from_be_bytes(table[chunk + 4..chunk + 12].try_into().expect("eight"));
    for commit in 0..2 {
        let parent = usize::try_from(offset).expect("small") + commit * 36 + 20;
        table[parent..parent + 4].copy_from_slice(&0x7000_0000_u32.to_be_bytes());
    }
    std::fs::remove_file(&path).expect("remove");
    std::fs::write(&path, table).expect("write");
    assert_eq!(fixture.plain(["log", "--format=%s"]), "second", "git believes the table");
    let commits = fixture.probe().recent_commits.expect("commits");
    assert_eq!(commits.iter().map(|commit| commit.subject.as_str()).collect::<Vec<_>>(), ["second", "first"]);
}

#[test]
fn a_parent_that_is_grafted_is_not_told() {
    let fixture = Fixture::new();
    fixture.commit("a.txt", "two\n", "second");
    fixture.write(".git/info/grafts", &format!("{}\n", fixture.plain(["rev-parse", "HEAD"])));
    assert_eq!(fixture.plain(["log", "--format=%s"]), "second", "git believes the graft");
    let snapshot = fixture.probe();
    assert_eq!(snapshot.recent_commits.map(|commits| commits.len()), Some(2));
    // The warning about such a file does not make a whole status look incomplete.
    assert!(snapshot.status.expect("status").clean);
}

/// With several threads git finds the entries of an index by a table at its end, whatever stands before.
#[test]
fn an_index_has_no_second_set_of_entries() {
    let fixture = Fixture::unborn();
    for folder in ["a", "b", "c", "d", "e", "f"] {
        fixture.write(&format!("folder-{folder}/deeper-{folder}/file"), "one\n");
    }
    fixture.commit("z", "one\n", "first");
    for key in ["recordEndOfIndexEntries", "recordOffsetTable"] {
        fixture.plain(["config", &format!("index.{key}"), "true"]);
    }
    fixture.plain(["config", "index.threads", "4"]);
    fixture.write("folder-a/deeper-a/file", "one more\n");
    fixture.plain(["add", "--all"]);
    fixture.plain(["commit", "--quiet", "-m", "second"]);

    let path = fixture.root.join(".git/index");
    let mut index = std::fs::read(&path).expect("read");
    let find =
        |index: &[u8], what: &[u8]| index.windows(what.len()).rposition(|here| here == what).expect("found");
    let number = |index: &[u8], at: usize| u32::from_be_bytes(index[at..at + 4].try_into().expect("four"));
    // The last entry is that of `z`: 62 bytes before its name and two of the name and its end.
    let (table, tree) = (find(&index, b"IEOT"), find(&index, b"TREE"));
    let mut entry = index[table - 64..table].to_vec();
    assert_eq!(entry[62..], *b"z\0");
    entry[60] |= 0x80;
    assert!(number(&index, tree + 4) > 64);
    index[tree + 8..tree + 8 + 64].copy_from_slice(&entry);
    let last_block = table + 8 + usize::try_from(number(&index, table + 4)).expect("small") - 8;
    assert_eq!(number(&index, last_block + 4), 1, "entries of the last block");
    let hidden = u32::try_from(tree + 8).expect("small");
    index[last_block..last_block + 4].copy_from_slice(&hidden.to_be_bytes());
    std::fs::write(&path, index).expect("write");

    fixture.write("z", "changed\n");
    assert_eq!(fixture.plain(["--no-optional-locks", "status", "--porcelain"]), "", "git goes by the table");
    assert_eq!(fixture.changed(), ["z"]);
}

#[test]
fn an_index_in_two_files_is_not_touched() {
    let fixture = Fixture::new();
    fixture.plain(["update-index", "--split-index"]);
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let names = std::fs::read_dir(fixture.root.join(".git")).expect("folder");
    let mut paths = names.map(|entry| entry.expect("entry").path());
    let shared = paths.find(|path| path.to_string_lossy().contains("sharedindex.")).expect("shared");
    std::fs::File::open(&shared).expect("open").set_modified(long_ago).expect("touch");
    let before = fixture.listing();
    let snapshot = fixture.probe();
    assert_eq!((snapshot.status, fixture.listing()), (None, before));
    assert!(snapshot.limitations.contains(&Code::SplitIndex));
    fixture.plain(["--no-optional-locks", "status"]);
    let touched = std::fs::metadata(&shared).expect("facts").modified().expect("time");
    assert_ne!(touched, long_ago, "plain git does not touch it, so this shows nothing");
}

#[test]
fn what_a_monitor_once_said_hides_no_change() {
    let fixture = Fixture::new();
    let nothing_changed = fixture.script("monitor", "printf 'token\\0'");
    fixture.plain(["config", "core.fsmonitor", nothing_changed.as_str()]);
    fixture.plain(["config", "core.fsmonitorHookVersion", "2"]);
    for _ in 0..3 {
        fixture.plain(["status"]);
    }
    fixture.write("a.txt", "changed\n");
    assert_eq!(fixture.plain(["status", "--porcelain"]), "", "plain git believes the monitor");
    assert_eq!(fixture.changed(), ["a.txt"]);
}

#[test]
fn a_change_with_the_old_time_and_length_is_seen() {
    let fixture = Fixture::new();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let set_old = || {
        let file = std::fs::File::options().write(true).open(fixture.root.join("a.txt")).expect("open");
        file.set_modified(old).expect("touch");
    };
    set_old();
    fixture.plain(["config", "core.trustctime", "false"]);
    fixture.plain(["config", "core.checkStat", "minimal"]);
    fixture.plain(["status"]);
    // Another file of the same length in its place: git tells them apart by what the settings above forbid.
    fixture.write("new.txt", "two\n");
    std::fs::rename(fixture.root.join("new.txt"), fixture.root.join("a.txt")).expect("rename");
    set_old();
    assert_eq!(fixture.plain(["status", "--porcelain"]), "", "plain git is told not to look");
    assert_eq!(fixture.changed(), ["a.txt"]);
}

#[test]
fn what_is_remembered_of_a_folder_hides_no_new_file() {
    let fixture = Fixture::new();
    fixture.commit("deep/tracked", "x", "second");
    for (key, value) in
        [("core.untrackedCache", "true"), ("core.trustctime", "false"), ("core.checkStat", "minimal")]
    {
        fixture.plain(["config", key, value]);
    }
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let set_old = || {
        let folder = std::fs::File::open(fixture.root.join("deep")).expect("open");
        folder.set_modified(old).expect("touch");
    };
    set_old();
    for _ in 0..3 {
        fixture.plain(["status"]);
    }
    fixture.write("deep/new", "");
    set_old();
    assert_eq!(fixture.plain(["status", "--porcelain"]), "", "plain git remembers the folder");
    assert_eq!(fixture.changed(), ["deep/new"]);
}

#[test]
fn a_branch_that_leads_to_itself_is_neither_detached_nor_unborn() {
    let fixture = Fixture::new();
    fixture.write(".git/refs/heads/main", "ref: refs/heads/main\n");
    let snapshot = fixture.probe();
    assert_eq!((snapshot.head, snapshot.recent_commits), (None, None));
    assert!(snapshot.limitations.contains(&Code::ProbeFailed), "{:?}", snapshot.limitations);
    let untrue = [Code::DetachedHead, Code::NoCommits];
    assert!(!snapshot.limitations.iter().any(|code| untrue.contains(code)), "{:?}", snapshot.limitations);
}

#[test]
fn a_shown_stash_does_not_cost_the_status() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "two\n");
    fixture.plain(["stash", "--quiet"]);
    fixture.plain(["config", "status.showStash", "true"]);
    assert!(fixture.plain(["status", "--porcelain=v2"]).contains("# stash 1"));
    assert!(fixture.probe().status.expect("status").clean);
}

#[test]
fn a_damaged_reference_is_told_as_left_out() {
    let fixture = Fixture::new();
    fixture.write(".git/refs/heads/damaged", "no id\n");
    let snapshot = fixture.probe();
    assert_eq!(snapshot.refs.map(|refs| refs.rows.len()), Some(1));
    assert!(snapshot.limitations.contains(&Code::GitFactsOmitted));
    fixture.write(".git/refs/heads/main", "no id\n");
    let snapshot = fixture.probe();
    assert_eq!((snapshot.head, snapshot.recent_commits), (None, None));
    assert!(snapshot.limitations.contains(&Code::ProbeFailed));
    assert!(!snapshot.limitations.contains(&Code::NoCommits), "a damaged branch is not an unborn one");
}

#[test]
fn the_index_is_read_as_git_reads_it() {
    for (format, version) in [("sha1", "2"), ("sha1", "3"), ("sha1", "4"), ("sha256", "2"), ("sha256", "4")] {
        let fixture = Fixture::empty();
        let init = ["init", "--quiet", "-b", "main", &format!("--object-format={format}"), "repo"]
            .map(str::to_owned);
        fixture.plain_in(&fixture.home, init);
        for number in 0..40 {
            fixture.write(&format!("{}{number}", "deep/".repeat(number % 9)), "x");
        }
        fixture.plain(["add", "."]);
        fixture.plain(["commit", "--quiet", "-m", "first"]);
        fixture.plain(["update-index", "--index-version", version]);
        assert!(fixture.probe().status.expect("status").clean, "{format} {version}");
        for flag in ["assume-unchanged", "skip-worktree"] {
            fixture.plain(["update-index", &format!("--{flag}"), "deep/1"]);
            let tags = fixture.plain(["ls-files", "-v", "deep/1"]);
            assert!(!tags.starts_with('H'), "{tags}");
            assert!(
                fixture.probe().limitations.contains(&Code::IndexHidesPaths),
                "{format} {version} {flag}"
            );
            fixture.plain(["update-index", &format!("--no-{flag}"), "deep/1"]);
        }
        let head = fixture.plain(["rev-parse", "HEAD"]);
        fixture.plain(["update-index", "--add", "--cacheinfo", &format!("160000,{head},sub")]);
        assert!(fixture.probe().limitations.contains(&Code::SubmodulesNotRead), "{format} {version}");
    }
}

#[test]
fn a_damaged_index_gives_no_status() {
    let fixture = Fixture::new();
    fixture.write(".git/index", "DIRC");
    for git in Git::all() {
        let snapshot = fixture.try_probe_with(&git).expect("probed");
        assert_eq!(snapshot.status, None);
        assert!(snapshot.limitations.contains(&Code::ProbeFailed));
    }
}

#[test]
fn a_path_that_only_its_filter_changes_is_told_wherever_it_stands() {
    let fixture = Fixture::new();
    let last = crate::base::limits::FILTER_PATHS + 20;
    for number in 0..=last {
        fixture.write(&format!("f{number:04}"), "one\n");
    }
    fixture.plain(["add", "."]);
    fixture.plain(["commit", "--quiet", "-m", "many"]);
    for number in 0..=last {
        fixture.write(&format!("f{number:04}"), "changed\n");
    }
    assert!(fixture.probe().status.expect("status").complete);
    fixture.write(".git/info/attributes", &format!("f{last:04} filter=large\n"));
    let snapshot = fixture.probe();
    assert!(!snapshot.status.expect("status").complete);
    assert!(snapshot.limitations.contains(&Code::FilteredPaths));
}

#[test]
fn a_file_that_was_only_touched_is_not_changed() {
    let fixture = Fixture::new();
    touch(&fixture, "a.txt");
    let before = fixture.listing();
    assert!(fixture.probe().status.expect("status").clean);
    assert_eq!(fixture.listing(), before);
}

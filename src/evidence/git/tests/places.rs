//! Repositories that lead a probe to another place: to files of another repository, to pipes and endless files, to
//! what somebody else can write.

use std::os::unix::fs::{PermissionsExt, chown, symlink};

use camino::Utf8Path;

use super::super::{Git, is_ignored};
use super::attacks::{Trap, touch};
use super::bounds::if_begun;
use super::{Fixture, make_pipe};
use crate::base::rules::Code;

/// Puts a link in the place of a file or folder.
fn lead(from: &Utf8Path, to: &Utf8Path) {
    let _one_of_the_two = std::fs::remove_file(from);
    let _one_of_the_two = std::fs::remove_dir_all(from);
    symlink(to, from).expect("link");
}

/// A question that plain git answers of references whose commits it does not have.
const REFERENCES: &[&str] = &["for-each-ref", "--format=%(refname) %(objectname)"];

#[test]
fn a_link_inside_a_git_folder_shows_nothing_of_another_repository() {
    for (name, plain) in [
        ("index", &["ls-files"][..]),
        ("packed-refs", REFERENCES),
        ("refs/heads", REFERENCES),
        ("refs/heads/copy", REFERENCES),
        ("refs", REFERENCES),
        ("logs/HEAD", &["reflog"]),
        ("logs", &["reflog"]),
        ("objects", &["log", "--all"]),
        ("config", &["config", "remote.secret.url"]),
    ] {
        let fixture = Fixture::new();
        let other = fixture.other();
        fixture.plain_in(&other, ["config", "remote.secret.url", "secret-place"]);
        let secret = fixture.plain_in(&other, ["rev-parse", "HEAD"]);
        fixture.plain_in(&other, ["update-ref", "refs/heads/copy", "HEAD"]);
        if name == "packed-refs" {
            fixture.plain_in(&other, ["pack-refs", "--all"]);
        }
        if name == "objects" {
            fixture.write(".git/refs/heads/main", &format!("{secret}\n"));
        }
        if name.starts_with("logs") {
            // Of movements git tells those whose commits it has.
            fixture.plain(["fetch", "--quiet", other.as_str(), "secret-branch"]);
        }
        lead(&fixture.root.join(".git").join(name), &other.join(".git").join(name));
        let output = fixture.try_in(&fixture.root, plain);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            told.contains("secret") || told.contains(secret.split_at(7).0),
            "{name} shows nothing: {told}"
        );
        assert_eq!(fixture.try_probe(), Err(Code::RepositoryUnusual), "{name}");
        assert!(!is_ignored(&fixture.git, &fixture.root, &fixture.root.join("new")));
    }
}

#[test]
fn a_link_in_the_place_of_head_is_unusual() {
    let fixture = Fixture::new();
    let head = fixture.other().join(".git/HEAD");
    lead(&fixture.root.join(".git/HEAD"), &head);
    assert_eq!(fixture.try_probe(), Err(Code::RepositoryUnusual));
}

#[test]
fn objects_of_another_repository_are_not_borrowed() {
    let fixture = Fixture::new();
    let other = fixture.other();
    let secret = fixture.plain_in(&other, ["rev-parse", "HEAD"]);
    fixture.write(".git/objects/info/alternates", &format!("{other}/.git/objects\n"));
    fixture.write(".git/refs/heads/main", &format!("{secret}\n"));
    assert_eq!(fixture.plain(["log", "--format=%s"]), "secret-subject");
    assert_eq!(fixture.try_probe(), Err(Code::RepositoryUnusual));
    // One that borrows nothing is an ordinary one.
    fixture.write(".git/objects/info/alternates", "");
    fixture.plain(["update-ref", "-d", "refs/heads/main"]);
    assert!(fixture.try_probe().is_ok());
}

#[test]
fn a_pipe_in_a_git_folder_is_not_waited_for() {
    for name in [
        "HEAD",
        "config",
        "index",
        "packed-refs",
        "info/exclude",
        "info/attributes",
        "objects/info/alternates",
        "shallow",
    ] {
        let fixture = Fixture::new();
        fixture.commit(".gitattributes", "* -text\n", "attributes");
        touch(&fixture, "a.txt");
        make_pipe(&fixture.root.join(".git").join(name));
        let hung = fixture.hangs(&["status"]) || fixture.hangs(&["for-each-ref"]) || fixture.hangs(&["log"]);
        assert!(hung, "plain git does not wait for {name}, so this shows nothing");
        assert_eq!(fixture.try_probe(), Err(Code::RepositoryUnusual), "{name}");
    }
    for name in [
        "refs/heads/pipe",
        "reftable/tables.list",
        "logs/HEAD",
        "worktrees/x/gitdir",
        "worktrees/x/HEAD",
        "info/sparse-checkout",
        "info/grafts",
    ] {
        let fixture = Fixture::new();
        make_pipe(&fixture.root.join(".git").join(name));
        assert_eq!(fixture.try_probe(), Err(Code::RepositoryUnusual), "{name}");
    }
}

#[test]
fn a_pipe_that_a_setting_names_is_not_opened() {
    for (key, plain) in [
        ("core.excludesFile", &["status"][..]),
        ("core.attributesFile", &["status"]),
        ("diff.orderFile", &["diff"]),
        ("mailmap.file", &["log"]),
    ] {
        let fixture = Fixture::new();
        touch(&fixture, "a.txt");
        fixture.write("b.txt", "changed\n");
        fixture.plain(["add", "--intent-to-add", "b.txt"]);
        let pipe = fixture.home.join("pipe");
        make_pipe(&pipe);
        fixture.plain(["config", key, pipe.as_str()]);
        assert!(fixture.hangs(plain), "plain git does not wait for {key}, so this shows nothing");
        for git in Git::all() {
            let snapshot = fixture.try_probe_with(&git).expect("probed");
            assert_eq!(snapshot.limitations, [Code::NoUpstream], "{key}");
            assert_eq!(snapshot.status.expect("status").changed_paths, ["b.txt"], "{key}");
        }
    }
}

#[test]
fn an_endless_file_that_a_setting_names_is_not_read() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "changed\n");
    fixture.plain(["config", "diff.orderFile", "/dev/zero"]);
    assert!(fixture.hangs(&["diff"]), "plain git does not read it");
    assert_eq!(fixture.changed(), ["a.txt"]);
}

#[test]
fn included_settings_that_never_come_or_never_end_give_no_snapshot() {
    let fixture = Fixture::new();
    let pipe = fixture.home.join("pipe");
    make_pipe(&pipe);
    fixture.plain(["config", "include.path", pipe.as_str()]);
    assert!(fixture.hangs(&["status"]));
    assert_eq!(fixture.probe_patiently(&fixture.git, 500), Err(Code::ProbeTimeout));
    for (name, text) in [("cycle", "[include]\npath = cycle\n"), ("damaged", "[core\n"), ("endless", "")] {
        let fixture = Fixture::new();
        let path = fixture.home.join(name);
        match name {
            "endless" => symlink("/dev/zero", &path).expect("link"),
            _ => std::fs::write(&path, text).expect("write"),
        }
        fixture.plain(["config", "include.path", path.as_str()]);
        let refused = fixture.try_probe().expect_err("refused");
        let known = [Code::ProbeFailed, Code::ProbeTimeout, Code::RepositoryNotOurs];
        assert!(known.contains(&refused), "{name}: {refused:?}");
    }
}

#[test]
fn a_pipe_in_the_work_tree_takes_the_status_and_nothing_else() {
    for name in [".gitignore", ".gitattributes"] {
        let fixture = Fixture::new();
        fixture.write("new", "x");
        touch(&fixture, "a.txt");
        make_pipe(&fixture.root.join(name));
        assert!(fixture.hangs(&["status"]), "plain git does not wait for {name}, so this shows nothing");
        let Some(snapshot) = if_begun(fixture.probe_patiently(&fixture.git, 2_000)) else { continue };
        assert_eq!(snapshot.status, None, "{name}");
        assert!(snapshot.limitations.contains(&Code::ProbeTimeout), "{name}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_commit_takes_the_history_and_is_no_empty_one() {
    let fixture = Fixture::new();
    let head = fixture.plain(["rev-parse", "HEAD"]);
    make_pipe(&fixture.object(&head));
    assert!(fixture.hangs(&["log"]), "plain git does not wait for it, so this shows nothing");
    let Some(snapshot) = if_begun(fixture.probe_patiently(&fixture.git, 2_000)) else { return };
    assert_eq!((snapshot.recent_commits, snapshot.status), (None, None));
    assert!(snapshot.limitations.contains(&Code::ProbeTimeout));
}

#[test]
fn a_huge_file_of_a_git_folder_is_not_read() {
    for name in ["HEAD", "config", "info/exclude", "info/attributes"] {
        let fixture = Fixture::new();
        let path = fixture.root.join(".git").join(name);
        let file = std::fs::File::options().create(true).append(true).open(path).expect("open");
        file.set_len(1 << 40).expect("a sparse file");
        assert_eq!(fixture.try_probe(), Err(Code::RepositoryUnusual), "{name}");
    }
}

#[test]
fn what_others_can_write_is_not_ours() {
    for (name, mode) in
        [(".git", 0o777), (".git/config", 0o666), (".git/HEAD", 0o666), ("", 0o777), ("..", 0o777)]
    {
        let fixture = Fixture::new();
        std::fs::set_permissions(fixture.root.join(name), PermissionsExt::from_mode(mode)).expect("chmod");
        assert_eq!(fixture.try_probe(), Err(Code::RepositoryNotOurs), "{name:?}");
    }
}

#[test]
fn what_another_user_owns_is_not_ours() {
    for name in ["", ".git", ".git/config", ".git/HEAD", ".."] {
        let fixture = Fixture::new();
        let trap = Trap::set(&fixture);
        fixture.plain(["config", "core.fsmonitor", &trap.program]);
        if chown(fixture.root.join(name), Some(65_534), None).is_err() {
            println!("only root can give a file away: ownership is not shown here");
            return;
        }
        trap.does_not_spring(&fixture, Err(Code::RepositoryNotOurs));
        // Git itself asks for the owner only where it finds the repository by itself.
        fixture.try_in(&fixture.root, ["--git-dir=.git", "--work-tree=.", "status"]);
        assert!(trap.sprung(), "{name:?}");
    }
}

#[test]
fn settings_that_others_can_write_are_not_taken() {
    let fixture = Fixture::new();
    let shared = fixture.home.join("shared.cfg");
    std::fs::write(&shared, "[core]\nquotePath = false\n").expect("write");
    fixture.plain(["config", "include.path", shared.as_str()]);
    assert!(fixture.try_probe().is_ok());
    std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o666)).expect("chmod");
    assert_eq!(fixture.try_probe(), Err(Code::RepositoryNotOurs));
    // One that is not there yet, in a folder in which all can make files.
    std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o600)).expect("chmod");
    let open = fixture.home.join("open");
    std::fs::create_dir(&open).expect("folder");
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o1777)).expect("chmod");
    std::fs::write(&shared, format!("[include]\npath = {open}/later\n")).expect("write");
    assert_eq!(fixture.try_probe(), Err(Code::RepositoryNotOurs));
}

#[test]
fn a_bare_repository_has_no_work_tree_elsewhere() {
    let fixture = Fixture::new();
    let other = fixture.other();
    fixture.plain_in(&fixture.home, ["clone", "--quiet", "--bare", "repo", "bare"]);
    let bare = Fixture { root: fixture.home.join("bare"), ..fixture };
    bare.plain(["config", "core.bare", "false"]);
    bare.plain(["config", "core.worktree", other.as_str()]);
    assert!(bare.plain(["status", "--porcelain"]).contains("secret-file"));
    let snapshot = bare.probe();
    assert_eq!((&snapshot.status, snapshot.root.as_str()), (&None, bare.root.as_str()));
    assert!(!format!("{snapshot:?}").contains("secret"));
}

#[test]
fn a_pack_of_promises_alone_fetches_nothing() {
    let fixture = Fixture::new();
    let trap = Trap::set(&fixture);
    fixture.plain(["repack", "--quiet", "-a", "-d"]);
    let packs = std::fs::read_dir(fixture.root.join(".git/objects/pack")).expect("packs");
    let pack = packs
        .map(|entry| entry.expect("entry").path())
        .find(|path| path.extension().is_some_and(|it| it == "pack"));
    std::fs::write(pack.expect("a pack").with_extension("promisor"), "").expect("write");
    fixture.plain(["config", "core.sshCommand", &trap.program]);
    fixture.plain(["config", "remote.origin.url", "ssh://example.invalid/x"]);
    trap.does_not_spring(&fixture, Ok(()));
}

#[test]
fn a_work_tree_whose_repository_is_gone_is_not_the_one_around_it() {
    let fixture = Fixture::new();
    let other = fixture.other();
    fixture.plain_in(&other, ["worktree", "add", "--quiet", "-b", "side", "../repo/side"]);
    let side = Fixture { root: fixture.root.join("side"), ..Fixture::empty() };
    assert!(side.try_probe().is_ok());
    std::fs::remove_dir_all(&other).expect("remove");
    assert_eq!(side.try_probe(), Err(Code::RepositoryUnusual));
    assert_eq!(super::super::repository_of(&side.root), Ok(side.root.clone()));
}

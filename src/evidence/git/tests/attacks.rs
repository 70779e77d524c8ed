//! Repositories that run a program, or show another repository, when plain git looks at them. Each attack is
//! shown to work on plain git in the same repository, so that these tests can fail.

use std::os::unix::fs::PermissionsExt;

use super::super::{Git, repository_of};
use super::{Fixture, make_pipe};
use crate::base::rules::Code;

/// A program that only leaves a marker.
pub(super) struct Trap {
    pub(super) program: String,
    marker: camino::Utf8PathBuf,
}

impl Trap {
    pub(super) fn set(fixture: &Fixture) -> Self {
        let marker = fixture.home.join("sprung");
        let program = fixture.script("trap", &format!(": > '{marker}'\nexit 1"));
        Self { program: program.into_string(), marker }
    }

    /// Whether the program ran since the last question.
    pub(super) fn sprung(&self) -> bool {
        std::fs::remove_file(&self.marker).is_ok()
    }

    /// The probe, with each trusted git of this machine, does not run the program.
    pub(super) fn does_not_spring(&self, fixture: &Fixture, expected: Result<(), Code>) {
        self.sprung();
        for git in Git::all() {
            let result = fixture.try_probe_with(&git);
            assert!(!self.sprung(), "the probe ran a program of the repository by {git:?}");
            assert_eq!(result.as_ref().map(|_| ()).map_err(|code| *code), expected, "{git:?}");
            if let Ok(snapshot) = result {
                assert!(!snapshot.limitations.contains(&Code::ProbeFailed), "{:?}", snapshot.limitations);
            }
        }
    }

    /// Our probe first, then plain git: the one does not run the program, the other does.
    pub(super) fn springs_only_for_plain_git(
        &self,
        fixture: &Fixture,
        plain: &[&str],
        expected: Result<(), Code>,
    ) {
        self.does_not_spring(fixture, expected);
        fixture.try_in(&fixture.root, plain);
        assert!(self.sprung(), "the attack does not work on plain git, so this test shows nothing");
    }
}

/// Makes a file look changed to the index without being so: only then is its content read.
pub(super) fn touch(fixture: &Fixture, name: &str) {
    std::thread::sleep(std::time::Duration::from_millis(20));
    fixture.write(name, "one\n");
    let file = std::fs::File::options().write(true).open(fixture.root.join(name)).expect("open");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("touch");
}

#[test]
fn a_filter_driver_does_not_run() {
    for (name, kind) in
        [("evil", "clean"), ("", "clean"), ("Evil=x.y", "clean"), ("evil", "process"), ("e v\"i\\l", "clean")]
    {
        let fixture = Fixture::new();
        let trap = Trap::set(&fixture);
        // A name with a blank cannot stand in attributes; it must still not break the probe.
        let used = if name.contains(' ') { "plain" } else { name };
        fixture.write(".git/info/attributes", &format!("*.txt filter={used}\n"));
        fixture.plain(["config", &format!("filter.{name}.{kind}"), &trap.program]);
        fixture.plain(["config", &format!("filter.{used}.{kind}"), &trap.program]);
        fixture.plain(["config", &format!("filter.{used}.required"), "true"]);
        touch(&fixture, "a.txt");
        trap.springs_only_for_plain_git(&fixture, &["status"], Ok(()));
    }
}

#[test]
fn a_filter_driver_of_an_included_file_does_not_run() {
    for section in ["[include]", "[includeIf \"onbranch:main\"]", "[includeIf \"hasconfig:remote.*.url:/x\"]"]
    {
        let fixture = Fixture::new();
        let trap = Trap::set(&fixture);
        fixture.commit("hidden.cfg", &format!("[filter \"evil\"]\nclean = {}\n", trap.program), "config");
        fixture.commit(".gitattributes", "*.txt filter=evil\n", "attributes");
        let config = std::fs::read_to_string(fixture.root.join(".git/config")).expect("read");
        let more = format!("[remote \"o\"]\nurl = /x\n{section}\npath = ../hidden.cfg\n");
        fixture.write(".git/config", &format!("{config}{more}"));
        touch(&fixture, "a.txt");
        trap.springs_only_for_plain_git(&fixture, &["status"], Ok(()));
    }
}

#[test]
fn a_filter_driver_of_a_worktree_configuration_does_not_run() {
    let fixture = Fixture::new();
    let trap = Trap::set(&fixture);
    fixture.write(".git/info/attributes", "*.txt filter=evil\n");
    fixture.plain(["config", "extensions.worktreeConfig", "true"]);
    fixture.plain(["config", "--worktree", "filter.evil.clean", &trap.program]);
    touch(&fixture, "a.txt");
    trap.springs_only_for_plain_git(&fixture, &["status"], Ok(()));
}

#[test]
fn a_file_system_monitor_does_not_run() {
    let fixture = Fixture::new();
    let trap = Trap::set(&fixture);
    fixture.plain(["config", "core.fsmonitor", &trap.program]);
    trap.springs_only_for_plain_git(&fixture, &["status"], Ok(()));
}

#[test]
fn a_hook_does_not_run() {
    for setting in [true, false] {
        let fixture = Fixture::new();
        let trap = Trap::set(&fixture);
        let folder = if setting { fixture.home.join("hooks") } else { fixture.root.join(".git/hooks") };
        std::fs::create_dir_all(&folder).expect("folder");
        std::fs::copy(&trap.program, folder.join("post-index-change")).expect("copy");
        if setting {
            fixture.plain(["config", "core.hooksPath", folder.as_str()]);
        }
        touch(&fixture, "a.txt");
        trap.springs_only_for_plain_git(&fixture, &["status"], Ok(()));
    }
}

#[test]
fn a_signature_program_does_not_run() {
    for (key, armour) in [
        ("gpg.program", "PGP SIGNATURE"),
        ("gpg.openpgp.program", "PGP SIGNATURE"),
        ("gpg.ssh.program", "SSH SIGNATURE"),
        ("gpg.x509.program", "SIGNED MESSAGE"),
    ] {
        let fixture = Fixture::new();
        let trap = Trap::set(&fixture);
        let commit = fixture.plain(["cat-file", "commit", "HEAD"]);
        let (head, message) = commit.split_once("\n\n").expect("commit");
        let armour = format!("-----BEGIN {armour}-----\n \n x\n -----END {armour}-----");
        fixture.write(".git/signed", &format!("{head}\ngpgsig {armour}\n\n{message}\n"));
        let signed = fixture.plain(["hash-object", "-t", "commit", "-w", ".git/signed"]);
        fixture.plain(["update-ref", "refs/heads/main", &signed]);
        fixture.plain(["config", key, &trap.program]);
        fixture.plain(["config", "gpg.ssh.allowedSignersFile", &trap.program]);
        fixture.plain(["config", "log.showSignature", "true"]);
        trap.springs_only_for_plain_git(&fixture, &["log"], Ok(()));
    }
}

#[test]
fn a_diff_program_does_not_run() {
    for key in ["diff.evil.textconv", "diff.evil.command", "diff.external"] {
        let fixture = Fixture::new();
        let trap = Trap::set(&fixture);
        fixture.commit(".gitattributes", "*.txt diff=evil\n", "attributes");
        fixture.plain(["config", key, &trap.program]);
        fixture.write("a.txt", "two\n");
        trap.springs_only_for_plain_git(&fixture, &["diff"], Ok(()));
    }
}

#[test]
fn a_submodule_is_not_entered() {
    let fixture = Fixture::new();
    let trap = Trap::set(&fixture);
    fixture.plain_in(&fixture.home, ["clone", "--quiet", "repo", "other"]);
    fixture.plain(["submodule", "--quiet", "add", "../other", "sub"]);
    fixture.plain(["commit", "--quiet", "-m", "submodule"]);
    // Settings given to us reach git in the submodule, so only its filters could run there.
    fixture.plain_in(&fixture.root.join("sub"), ["config", "filter.evil.clean", &trap.program]);
    fixture.write(".git/modules/sub/info/attributes", "*.txt filter=evil\n");
    touch(&fixture, "sub/a.txt");
    trap.springs_only_for_plain_git(&fixture, &["status"], Ok(()));
    let snapshot = fixture.probe();
    assert!(!snapshot.status.expect("status").clean);
    assert!(snapshot.limitations.contains(&Code::SubmodulesNotRead));
    let inside = Fixture { root: fixture.root.join("sub"), ..fixture };
    assert_eq!(inside.try_probe(), Err(Code::RepositoryUnusual));
}

#[test]
fn a_missing_object_is_not_fetched() {
    let fixture = Fixture::new();
    let trap = Trap::set(&fixture);
    fixture.plain(["config", "remote.origin.url", &format!("ext::{}", trap.program)]);
    fixture.plain(["config", "protocol.ext.allow", "always"]);
    trap.springs_only_for_plain_git(&fixture, &["fetch", "origin"], Err(Code::ExternalTransport));

    fixture.plain(["config", "remote.origin.promisor", "true"]);
    fixture.plain(["config", "core.repositoryFormatVersion", "1"]);
    fixture.plain(["config", "extensions.partialClone", "origin"]);
    let tree = fixture.plain(["rev-parse", "HEAD^{tree}"]);
    std::fs::remove_file(fixture.object(&tree)).expect("remove");
    std::fs::remove_file(fixture.root.join(".git/index")).expect("remove");
    let result = fixture.try_probe();
    assert!(matches!(result, Err(Code::PartialClone | Code::ExternalTransport)));
    trap.springs_only_for_plain_git(&fixture, &["status"], result.map(|_| ()));
}

#[test]
fn another_work_tree_is_not_looked_at() {
    let fixture = Fixture::new();
    let other = fixture.home.join("other");
    std::fs::create_dir(&other).expect("folder");
    std::fs::write(other.join("foreign"), "x").expect("write");
    fixture.plain(["config", "core.worktree", other.as_str()]);
    assert!(fixture.plain(["status", "--porcelain"]).contains("foreign"));
    let snapshot = fixture.probe();
    assert_eq!(snapshot.root, fixture.root);
    assert!(snapshot.status.expect("status").clean);
}

#[test]
fn a_link_to_another_repository_is_unusual() {
    let fixture = Fixture::new();
    let foreign = fixture.root.join(".git");
    let linked = |name: &str| Fixture { root: fixture.home.join(name), ..Fixture::empty() };

    let by_file = linked("by-file");
    by_file.write(".git", &format!("gitdir: {foreign}\n"));
    let by_link = linked("by-link");
    std::fs::create_dir(&by_link.root).expect("folder");
    std::os::unix::fs::symlink(&foreign, by_link.root.join(".git")).expect("link");
    let by_common = linked("by-common");
    by_common.plain_in(&fixture.home, ["init", "--quiet", "by-common"]);
    by_common.write(".git/commondir", &format!("{foreign}\n"));
    by_common.write(".git/HEAD", "ref: refs/heads/main\n");
    // The folder of a real worktree, claimed by a second `.git`.
    fixture.plain(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let by_worktree = linked("by-worktree");
    by_worktree.write(".git", &format!("gitdir: {foreign}/worktrees/side\n"));

    for attack in [by_file, by_link, by_common, by_worktree] {
        assert_eq!(attack.plain(["log", "--format=%s"]), "first", "plain git follows {}", attack.root);
        assert_eq!(repository_of(&attack.root), Ok(attack.root.clone()));
        assert_eq!(attack.try_probe(), Err(Code::RepositoryUnusual), "{}", attack.root);
    }
}

#[test]
fn a_pipe_in_place_of_a_link_is_not_waited_for() {
    let fixture = Fixture::new();
    fixture.plain(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let side = Fixture { root: fixture.home.join("side"), ..Fixture::empty() };
    make_pipe(&fixture.root.join(".git/worktrees/side/commondir"));
    assert_eq!(side.try_probe(), Err(Code::RepositoryUnusual));
    make_pipe(&side.root.join(".git"));
    assert_eq!(side.try_probe(), Err(Code::RepositoryUnusual));
}

#[test]
fn a_repository_that_others_can_write_is_not_ours() {
    let fixture = Fixture::new();
    let config = fixture.root.join(".git/config");
    std::fs::set_permissions(config, PermissionsExt::from_mode(0o666)).expect("chmod");
    assert_eq!(fixture.try_probe(), Err(Code::RepositoryNotOurs));
}

#[test]
fn history_is_told_as_it_is_stored() {
    let fixture = Fixture::new();
    let head = fixture.plain(["rev-parse", "HEAD"]);
    let tree = fixture.plain(["rev-parse", "HEAD^{tree}"]);
    let false_one = fixture.plain(["commit-tree", &tree, "-m", "never happened"]);
    fixture.plain(["replace", &head, &false_one]);
    assert_eq!(fixture.plain(["log", "--format=%s"]), "never happened");
    let commits = fixture.probe().recent_commits.expect("commits");
    assert_eq!(commits[0].subject, "first");
}

#[test]
fn a_probe_writes_nothing() {
    let fixture = Fixture::new();
    touch(&fixture, "a.txt");
    let index = fixture.root.join(".git/index");
    let before = std::fs::read(&index).expect("read");
    assert!(fixture.probe().status.expect("status").clean);
    assert_eq!(std::fs::read(&index).expect("read"), before);
    fixture.plain(["status"]);
    assert_ne!(std::fs::read(&index).expect("read"), before, "plain git writes the index here");
}

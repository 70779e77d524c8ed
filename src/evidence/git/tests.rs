//! Probes against real repositories made by the real git: what they say of ordinary and unusual ones, and
//! what they do not let happen in hostile ones.

mod attacks;
mod programs;
mod bounds;
mod places;
mod claims;
mod states;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::deadline::Deadline;
use super::probe::probe_until;
use super::{Git, Snapshot, probe};
use crate::base::rules::Code;

/// A temporary home with one repository in it. `git` here is the plain one, as a person would run it.
struct Fixture {
    _home: tempfile::TempDir,
    home: Utf8PathBuf,
    root: Utf8PathBuf,
    git: Git,
}

impl Fixture {
    fn empty() -> Self {
        let home = tempfile::tempdir().expect("temp");
        let path = Utf8PathBuf::from_path_buf(home.path().canonicalize().expect("resolve")).expect("utf-8");
        let git = Git::find().expect("a trusted git");
        Self { _home: home, root: path.join("repo"), home: path, git }
    }

    /// A repository without a commit, on the branch `main`.
    fn unborn() -> Self {
        let fixture = Self::empty();
        fixture.plain_in(&fixture.home, ["init", "--quiet", "-b", "main", "repo"]);
        fixture
    }

    /// A repository with one commit that holds `a.txt`.
    fn new() -> Self {
        let fixture = Self::unborn();
        fixture.commit("a.txt", "one\n", "first");
        fixture
    }

    /// Plain git in `folder`, as a person would run it.
    fn command<S: AsRef<OsStr>>(&self, folder: &Utf8Path, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(self.git.path());
        command.env_clear().env("HOME", &self.home).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("GIT_CONFIG_NOSYSTEM", "1").current_dir(folder).stdin(Stdio::null());
        for setting in ["user.name=A", "user.email=a@example.org", "protocol.file.allow=always"] {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        command
    }

    /// Runs plain git in `folder` and returns its output, whatever its exit status.
    fn try_in<S: AsRef<OsStr>>(&self, folder: &Utf8Path, arguments: impl IntoIterator<Item = S>) -> Output {
        self.command(folder, arguments).output().expect("git ran")
    }

    /// Runs plain git with this on its standard input, whatever its exit status.
    fn feed(&self, arguments: &[&str], input: &str) {
        let mut command = self.command(&self.root, arguments);
        let quiet = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = quiet.spawn().expect("git ran");
        // One that does not read to the end is no fault.
        let _broken_pipe = child.stdin.take().expect("input").write_all(input.as_bytes());
        child.wait().expect("git ended");
    }

    /// Whether plain git waits for something that does not come.
    fn hangs(&self, arguments: &[&str]) -> bool {
        let mut command = self.command(&self.root, arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("git ran");
        std::thread::sleep(Duration::from_millis(700));
        let runs = child.try_wait().expect("git is there").is_none();
        child.kill().expect("killed");
        child.wait().expect("git ended");
        runs
    }

    fn plain_in<S: AsRef<OsStr>>(&self, folder: &Utf8Path, arguments: impl IntoIterator<Item = S>) -> String {
        let output = self.try_in(folder, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("utf-8").trim_end().to_owned()
    }

    fn plain<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        self.plain_in(&self.root, arguments)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        assert!(path.starts_with(&self.root), "{name} lies elsewhere");
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(path, text).expect("write");
    }

    fn commit(&self, name: &str, text: &str, subject: &str) {
        self.write(name, text);
        self.plain(["add", "--", name]);
        self.plain(["commit", "--quiet", "-m", subject]);
    }

    fn try_probe(&self) -> Result<Snapshot, Code> {
        self.try_probe_with(&self.git)
    }

    fn try_probe_with(&self, git: &Git) -> Result<Snapshot, Code> {
        probe(&self.root, 1, jiff::Timestamp::UNIX_EPOCH, git)
    }

    /// Probes with a bound for each question, in milliseconds.
    fn probe_patiently(&self, git: &Git, question: u64) -> Result<Snapshot, Code> {
        let deadline = Deadline::within(60_000, question);
        probe_until(&self.root, 1, jiff::Timestamp::UNIX_EPOCH, git, deadline)
    }

    fn probe(&self) -> Snapshot {
        self.try_probe().expect("probed")
    }

    fn changed(&self) -> Vec<String> {
        self.probe().status.expect("status").changed_paths
    }

    /// Another repository beside this one, on the branch `secret-branch`.
    fn other(&self) -> Utf8PathBuf {
        let other = self.home.join("other");
        self.plain_in(&self.home, ["init", "--quiet", "-b", "secret-branch", "other"]);
        std::fs::write(other.join("secret-file"), "x").expect("write");
        self.plain_in(&other, ["add", "."]);
        self.plain_in(&other, ["commit", "--quiet", "-m", "secret-subject"]);
        other
    }

    /// Where a loose object lies.
    fn object(&self, id: &str) -> Utf8PathBuf {
        let (folder, name) = id.split_at(2);
        self.root.join(format!(".git/objects/{folder}/{name}"))
    }

    /// An executable script beside the repository.
    fn script(&self, name: &str, text: &str) -> Utf8PathBuf {
        let path = self.home.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("write");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("chmod");
        path
    }

    /// Everything below the home folder: kind and mode, time of change, bytes.
    fn listing(&self) -> BTreeMap<Vec<u8>, (u32, i64, i64, Vec<u8>)> {
        let (mut found, mut folders) = (BTreeMap::new(), vec![self.home.clone().into_std_path_buf()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("folder") {
                let path = entry.expect("entry").path();
                let facts = std::fs::symlink_metadata(&path).expect("facts");
                let bytes = if facts.is_file() { std::fs::read(&path).expect("read") } else { Vec::new() };
                if facts.is_dir() {
                    folders.push(path.clone());
                }
                let name = path.as_os_str().as_bytes().to_vec();
                found.insert(name, (facts.mode(), facts.mtime(), facts.mtime_nsec(), bytes));
            }
        }
        found
    }
}

/// A pipe that nobody writes to.
fn make_pipe(path: &Utf8Path) {
    let _absent = std::fs::remove_file(path);
    std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

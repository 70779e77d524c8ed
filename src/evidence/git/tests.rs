//! Probes against real repositories made by the real git: what they say of ordinary and unusual ones, and
//! what they do not let happen in hostile ones.

mod attacks;
mod states;

use std::ffi::OsStr;
use std::process::{Command, Output};

use camino::{Utf8Path, Utf8PathBuf};

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

    /// Runs plain git in `folder` and returns its output, whatever its exit status.
    fn try_in<S: AsRef<OsStr>>(&self, folder: &Utf8Path, arguments: impl IntoIterator<Item = S>) -> Output {
        let mut command = Command::new(self.git.path());
        command.env_clear().env("HOME", &self.home).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("GIT_CONFIG_NOSYSTEM", "1").current_dir(folder);
        command.args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "-c",
            "protocol.file.allow=always",
        ]);
        command.args(arguments).output().expect("git ran")
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
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(path, text).expect("write");
    }

    fn commit(&self, name: &str, text: &str, subject: &str) {
        self.write(name, text);
        self.plain(["add", "--", name]);
        self.plain(["commit", "--quiet", "-m", subject]);
    }

    fn try_probe(&self) -> Result<Snapshot, Code> {
        probe(&self.root, 1, jiff::Timestamp::UNIX_EPOCH, &self.git)
    }

    fn probe(&self) -> Snapshot {
        self.try_probe().expect("probed")
    }

    fn changed(&self) -> Vec<String> {
        self.probe().status.expect("status").changed_paths
    }
}

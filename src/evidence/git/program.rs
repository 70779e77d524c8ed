//! Which git is run: one that root installed in a system folder, never one that a search path names. A
//! coding agent can write the folders of its user; it cannot write these.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::deadline::Deadline;
use super::process;
use crate::base::rules::Code;

/// System folders that may hold git. One that does not belong to root is passed over, which some package
/// managers for one user do.
const FOLDERS: &[&str] = &[
    "/usr/bin",
    "/usr/local/bin",
    "/bin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/usr/pkg/bin",
    "/run/current-system/sw/bin",
];

/// The oldest version whose hardening holds: before it `core.fsmonitor=false` names a program to run, and
/// `worktree list` has no `-z`. Lazy fetching is stopped by an environment variable in newer versions and
/// in all of them because partial clones are not probed.
const OLDEST: Version = Version(2, 36, 0);

/// A version of git: major, minor, patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32, u32);

/// A git that may be run.
#[derive(Debug, Clone)]
pub struct Git {
    path: PathBuf,
    version: Version,
}

impl Git {
    /// Finds the newest trusted git: repository formats grow. `git-missing` or `git-too-old` otherwise.
    pub fn find() -> Result<Self, Code> {
        Self::find_in(FOLDERS)
    }

    fn find_in(folders: &[&str]) -> Result<Self, Code> {
        let mut best: Option<Self> = None;
        for folder in folders {
            let Some(path) = trusted(&Path::new(folder).join("git")) else { continue };
            let Some(version) = ask_version(&path) else { continue };
            if best.as_ref().is_none_or(|best| best.version < version) {
                best = Some(Self { path, version });
            }
        }
        let best = best.ok_or(Code::GitMissing)?;
        if best.version < OLDEST { Err(Code::GitTooOld) } else { Ok(best) }
    }

    /// Another program in the place of git, for tests of what a slow or talkative one does.
    #[cfg(test)]
    pub(super) fn stand_in(path: PathBuf) -> Self {
        Self { path, version: OLDEST }
    }

    /// Every trusted git of this machine, so that tests show the hardening on each.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        FOLDERS.iter().filter_map(|folder| Self::find_in(&[folder]).ok()).collect()
    }

    /// The absolute path of the program.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The resolved program, if it and every folder above it belong to root and nobody else can change them.
fn trusted(path: &Path) -> Option<PathBuf> {
    let path = fs_err::canonicalize(path).ok()?;
    let safe = path.ancestors().all(|level| {
        fs_err::symlink_metadata(level).is_ok_and(|found| {
            let sticky_folder = found.is_dir() && found.mode() & 0o1000 != 0;
            found.uid() == 0 && (found.mode() & 0o022 == 0 || sticky_folder)
        })
    });
    (safe && path.is_file()).then_some(path)
}

fn ask_version(path: &Path) -> Option<Version> {
    let mut command = Command::new(path);
    command.arg("version").env_clear().env("LC_ALL", "C").env("HOME", "/dev/null").current_dir("/");
    let output = process::run(command, Deadline::of_question()).ok().filter(|output| output.exit == 0)?;
    parse_version(std::str::from_utf8(&output.stdout).ok()?)
}

/// Reads `git version 2.39.5 (Apple Git-154)` and its kin; a part that is no number counts as 0.
fn parse_version(text: &str) -> Option<Version> {
    let mut parts = text.strip_prefix("git version ")?.split_whitespace().next()?.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    let patch = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    Some(Version(major, minor, patch))
}

#[cfg(test)]
mod tests {
    use super::{Git, Version, parse_version, trusted};
    use crate::base::rules::Code;

    #[test]
    fn versions_of_vendors_are_read() {
        assert_eq!(parse_version("git version 2.39.5 (Apple Git-154)\n"), Some(Version(2, 39, 5)));
        assert_eq!(parse_version("git version 2.50.0.rc1\n"), Some(Version(2, 50, 0)));
        assert_eq!(parse_version("git version 2.40.1.windows.1"), Some(Version(2, 40, 1)));
        assert_eq!(parse_version("hub version 2"), None);
        assert!(Version(2, 9, 0) < Version(2, 36, 0));
    }

    #[test]
    fn a_program_below_a_folder_that_others_can_write_is_not_trusted() {
        let folder = tempfile::tempdir().expect("temp");
        let program = folder.path().join("git");
        std::fs::write(&program, "#!/bin/sh\necho git version 9.9.9\n").expect("write");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(&program, mode).expect("chmod");
        assert_eq!(trusted(&program), None);
        let folder = folder.path().to_str().expect("utf-8");
        assert_eq!(Git::find_in(&[folder]).err(), Some(Code::GitMissing));
    }
}

//! What a file or folder is, taken from an open handle or a held folder, and whether that is safe.
//! The checks are asked of the object that was opened, not of a path that could meanwhile mean another one.

use rustix::fs::{FileType, Mode, Stat};

use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Which file this is on this machine, whatever its name. Never stored: it is no identity of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// The facts of one `fstat`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Status {
    pub(super) identity: Identity,
    pub(super) kind: FileType,
    pub(super) mode: Mode,
    pub(super) owner: u32,
    pub(super) links: u64,
    pub(super) size_bytes: u64,
}

/// The user whose files are "ours".
pub(super) fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

impl Status {
    pub(super) fn is_open_to_others(&self) -> bool {
        self.mode.intersects(Mode::RWXG | Mode::RWXO)
    }

    /// Refuses what is no artifact of this user, in the order of the rule table.
    pub(super) fn check_artifact(&self, user: u32, place: impl std::fmt::Display) -> Result<()> {
        let broken = if self.kind != FileType::RegularFile {
            Code::ArtifactNotRegular
        } else if self.links != 1 {
            Code::ArtifactLinked
        } else if self.owner != user {
            Code::ArtifactNotOurs
        } else if self.is_open_to_others() {
            Code::ArtifactModeUnsafe
        } else {
            return Ok(());
        };
        Err(Refusal::new(broken).at(place))
    }

    /// Refuses a folder in which somebody else could replace what we are about to look up: not root's and not
    /// ours, or writable by others without the sticky bit.
    pub(super) fn check_ancestor(&self, user: u32, place: impl std::fmt::Display) -> Result<()> {
        let owned = self.owner == 0 || self.owner == user;
        let writable = self.mode.intersects(Mode::WGRP | Mode::WOTH);
        if owned && (!writable || self.mode.contains(Mode::SVTX)) {
            return Ok(());
        }
        Err(Refusal::new(Code::FolderUnsafe).at(place))
    }

    /// Refuses a folder that may not hold artifacts: not ours or open to others.
    pub(super) fn check_folder(&self, user: u32, place: impl std::fmt::Display) -> Result<()> {
        if self.owner == user && !self.is_open_to_others() {
            return Ok(());
        }
        Err(Refusal::new(Code::FolderNotOurs).at(place))
    }
}

impl From<Stat> for Status {
    fn from(stat: Stat) -> Self {
        Self {
            identity: Identity { device: wide(stat.st_dev), inode: wide(stat.st_ino) },
            kind: FileType::from_raw_mode(stat.st_mode),
            mode: Mode::from_raw_mode(stat.st_mode),
            owner: stat.st_uid,
            links: wide(stat.st_nlink),
            size_bytes: wide(stat.st_size),
        }
    }
}

/// The fields of `stat` have other widths on other systems; none is negative for a real file.
fn wide(value: impl TryInto<u64>) -> u64 {
    value.try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Code, FileType, Identity, Mode, Result, Status};

    const USER: u32 = 1000;

    fn status(kind: FileType, mode: u32, owner: u32, links: u64) -> Status {
        let identity = Identity { device: 1, inode: 2 };
        Status { identity, kind, mode: Mode::from_bits_truncate(mode as _), owner, links, size_bytes: 0 }
    }

    fn folder(mode: u32, owner: u32) -> Status {
        status(FileType::Directory, mode, owner, 2)
    }

    fn code(result: Result<()>) -> Option<Code> {
        result.err().map(|refusal| refusal.code())
    }

    #[test]
    fn an_artifact_is_regular_single_ours_and_closed() {
        let artifact =
            |kind, mode, owner, links| code(status(kind, mode, owner, links).check_artifact(USER, "a"));
        assert_eq!(artifact(FileType::RegularFile, 0o600, USER, 1), None);
        assert_eq!(artifact(FileType::Fifo, 0o600, USER, 1), Some(Code::ArtifactNotRegular));
        assert_eq!(artifact(FileType::RegularFile, 0o600, USER, 2), Some(Code::ArtifactLinked));
        assert_eq!(artifact(FileType::RegularFile, 0o600, 0, 1), Some(Code::ArtifactNotOurs));
        for mode in [0o640, 0o620, 0o604, 0o602, 0o601, 0o610] {
            assert_eq!(artifact(FileType::RegularFile, mode, USER, 1), Some(Code::ArtifactModeUnsafe));
        }
    }

    #[test]
    fn an_ancestor_may_be_shared_only_with_the_sticky_bit() {
        let ancestor = |mode, owner| code(folder(mode, owner).check_ancestor(USER, "a"));
        assert_eq!([ancestor(0o755, 0), ancestor(0o755, USER), ancestor(0o1777, 0)], [None, None, None]);
        for (mode, owner) in [(0o777, 0), (0o775, USER), (0o757, USER), (0o755, 1001), (0o1777, 1001)] {
            assert_eq!(ancestor(mode, owner), Some(Code::FolderUnsafe));
        }
    }

    #[test]
    fn a_folder_of_artifacts_is_ours_alone() {
        let holder = |mode, owner| code(folder(mode, owner).check_folder(USER, "a"));
        assert_eq!(holder(0o700, USER), None);
        for (mode, owner) in [(0o700, 0), (0o755, USER), (0o710, USER), (0o1777, USER)] {
            assert_eq!(holder(mode, owner), Some(Code::FolderNotOurs));
        }
    }
}

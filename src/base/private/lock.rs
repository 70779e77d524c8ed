//! Locks between processes: writers exclude everybody, readers share. Who does not get a lock within a fifth of a
//! second is told `lock-busy`. The system lets go of it when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::failure::{Attempt, write_failed};
use super::folder::Folder;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// How often a short exclusive section of another process is waited for, and how long each time: five seconds.
const WAITS: u32 = 250;
/// How often anything else is asked again: a fifth of a second, enough for a reader or writer that just ends.
const PATIENCE: u32 = 10;
const WAIT: Duration = Duration::from_millis(20);

/// Holds a lock until it is dropped. The lock file stays: removing it would let two processes hold two locks of
/// one name.
#[derive(Debug)]
#[must_use = "the lock is let go when this is dropped"]
pub struct Lock {
    /// None where the folder cannot be written and has no lock file: no writer can come there.
    _file: Option<File>,
}

impl Folder {
    /// Takes the writer's lock, or refuses with `lock-busy`.
    pub fn lock_exclusive(&self, name: &str) -> Result<Lock> {
        let opened = self.open_checked(name, OFlags::RDWR | OFlags::CREATE, Attempt::Write)?;
        let (file, _) = opened.ok_or_else(|| write_failed(Errno::NOENT, self.place(name)))?;
        self.wait(name, PATIENCE, || file.try_lock())?;
        Ok(Lock { _file: Some(file) })
    }

    /// Takes a reader's lock, or refuses with `lock-busy` while a writer has it.
    pub fn lock_shared(&self, name: &str) -> Result<Lock> {
        if !self.exists(name)? && !self.make_lock_file(name) {
            return Ok(Lock { _file: None });
        }
        let opened = self.open_checked(name, OFlags::RDONLY, Attempt::Read)?;
        let (file, _) = opened.ok_or_else(|| write_failed(Errno::NOENT, self.place(name)))?;
        self.wait(name, PATIENCE, || file.try_lock_shared())?;
        Ok(Lock { _file: Some(file) })
    }

    /// Creates the lock file. False where nobody with our rights can: on a read-only medium, in an archived folder.
    fn make_lock_file(&self, name: &str) -> bool {
        let flags = OFlags::RDONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let created = rustix::fs::openat(self.handle(), name, flags, Mode::RUSR | Mode::WUSR);
        !matches!(created, Err(Errno::ROFS | Errno::ACCESS | Errno::PERM))
    }

    fn take(&self, name: &str, answer: std::result::Result<(), TryLockError>) -> Result<()> {
        answer.map_err(|error| match error {
            TryLockError::WouldBlock => Refusal::new(Code::LockBusy).at(self.place(name)),
            TryLockError::Error(error) => write_failed(error, self.place(name)),
        })
    }

    /// Waits for an exclusive lock that others hold only for the time of one write.
    pub(super) fn wait_exclusive(&self, name: &str, file: &File) -> Result<()> {
        self.wait(name, WAITS, || file.try_lock())
    }

    fn wait(
        &self,
        name: &str,
        waits: u32,
        ask: impl Fn() -> std::result::Result<(), TryLockError>,
    ) -> Result<()> {
        for _ in 0..waits {
            match ask() {
                Err(TryLockError::WouldBlock) => std::thread::sleep(WAIT),
                answer => return self.take(name, answer),
            }
        }
        self.take(name, ask())
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder::tests::scratch;
    use super::{Code, Lock, Result};

    fn is_busy(answer: Result<Lock>) -> bool {
        answer.is_err_and(|refusal| refusal.code() == Code::LockBusy)
    }

    #[test]
    fn a_writer_excludes_everybody() {
        let (_keep, folder) = scratch();
        let writer = folder.lock_exclusive("m.lock").unwrap();
        assert!(is_busy(folder.lock_exclusive("m.lock")) && is_busy(folder.lock_shared("m.lock")));
        drop(writer);
        assert!(folder.lock_exclusive("m.lock").is_ok());
        assert!(folder.exists("m.lock").unwrap());
    }

    #[test]
    fn readers_share_and_hold_off_a_writer() {
        let (_keep, folder) = scratch();
        let first = folder.lock_shared("m.lock").unwrap();
        let second = folder.lock_shared("m.lock").unwrap();
        assert!(is_busy(folder.lock_exclusive("m.lock")));
        drop((first, second));
        assert!(folder.lock_exclusive("m.lock").is_ok());
    }

    #[test]
    fn a_lock_file_is_an_artifact_too() {
        let (keep, folder) = scratch();
        std::os::unix::fs::symlink("elsewhere", keep.path().join("m.lock")).unwrap();
        assert_eq!(folder.lock_exclusive("m.lock").unwrap_err().code(), Code::ArtifactNotRegular);
        assert_eq!(folder.lock_shared("m.lock").unwrap_err().code(), Code::ArtifactNotRegular);
        assert!(!keep.path().join("elsewhere").exists());
    }

    /// Root may write everywhere, so this says nothing when root runs it.
    #[test]
    fn a_folder_that_cannot_be_written_is_read_without_a_lock_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let (keep, folder) = scratch();
        let set_mode =
            |mode| std::fs::set_permissions(keep.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        set_mode(0o500);
        assert!(folder.lock_shared("m.lock").is_ok());
        if super::super::status::current_user() != 0 {
            assert_eq!(folder.lock_exclusive("m.lock").unwrap_err().code(), Code::WriteFailed);
            assert!(!folder.exists("m.lock").unwrap());
        }
        set_mode(0o700);
    }
}

//! A held folder: checked once on the way to it, then everything in it is named relative to the handle.
//! What can be created, opened and locked in it is in the files beside this one.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::failure::{Attempt, read_failed, write_failed};
use super::name::check_component;
use super::status::{Identity, Status};
use super::walk::{HOLD, Missing, Reached, Surroundings, flush_folder, make_folder, reach, status_of_handle};
use crate::base::limits::FOLDER_ENTRIES;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// A folder of mode 0700 that is ours, under folders that nobody else can change. Clones share the handle.
///
/// Names given to its methods are single components: `a/b`, `.` and `..` are refused as `usage`.
#[derive(Clone, Debug)]
pub struct Folder(Arc<Held>);

#[derive(Debug)]
struct Held {
    handle: File,
    /// Absolute and without links.
    path: Utf8PathBuf,
    /// As the person gave it, for messages.
    shown: Utf8PathBuf,
    identity: Identity,
    user: u32,
}

impl Folder {
    /// Walks to an existing folder from the root. A relative path begins in the working folder.
    pub fn open(path: &Utf8Path) -> Result<Self> {
        Self::reach(path, Missing::Refuse, &Surroundings::of_process())
    }

    /// Walks to a folder and creates what is missing, with mode 0700, below a folder that we own.
    pub fn open_or_create(path: &Utf8Path) -> Result<Self> {
        Self::reach(path, Missing::Create, &Surroundings::of_process())
    }

    pub(super) fn reach(shown: &Utf8Path, missing: Missing, around: &Surroundings) -> Result<Self> {
        let shown = if shown.as_str().is_empty() { Utf8Path::new(".") } else { shown };
        let Reached { handle, path, status } = reach(shown, missing, around)?;
        let (shown, identity) = (shown.to_owned(), status.identity);
        Ok(Self(Arc::new(Held { handle, path, shown, identity, user: around.user })))
    }

    /// An existing folder in this one.
    pub fn child(&self, name: &str) -> Result<Self> {
        check_component(name)?;
        let shown = self.place(name);
        let flags = HOLD | OFlags::NOFOLLOW;
        let handle = match retry_on_intr(|| rustix::fs::openat(&self.0.handle, name, flags, Mode::empty())) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Err(Refusal::new(Code::ArtifactMissing).at(shown)),
            Err(error) => return Err(self.why_no_folder(name, error)),
        };
        let status = status_of_handle(handle.as_fd(), &shown)?;
        status.check_folder(self.0.user, &shown)?;
        let path = self.0.path.join(name);
        let identity = status.identity;
        Ok(Self(Arc::new(Held { handle: handle.into(), path, shown, identity, user: self.0.user })))
    }

    /// A folder in this one, created with mode 0700 and flushed when it is missing.
    pub fn child_or_create(&self, name: &str) -> Result<Self> {
        check_component(name)?;
        make_folder(self.0.handle.as_fd(), name, &self.place(name))?;
        self.child(name)
    }

    /// Removes a name if it is there. A link is removed, not what it leads to.
    pub fn remove(&self, name: &str) -> Result<()> {
        check_component(name)?;
        match rustix::fs::unlinkat(&self.0.handle, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(write_failed(error, self.place(name))),
        }
    }

    /// Whether something has this name, whatever it is.
    pub fn exists(&self, name: &str) -> Result<bool> {
        Ok(self.status_of(name)?.is_some())
    }

    /// The names in this folder, sorted. Names that are not UTF-8 cannot be ours and are left out; more than
    /// [`FOLDER_ENTRIES`] are refused.
    pub fn list(&self) -> Result<Vec<String>> {
        let failed = |error: Errno| read_failed(error, &self.0.shown);
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0.handle).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            match entry.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(_) if names.len() >= FOLDER_ENTRIES => {
                    let refusal = Refusal::new(Code::ReadFailed).at(&self.0.shown);
                    return Err(refusal.hint("the folder holds too many files; use one of its own"));
                }
                Ok(name) => names.push(name.to_owned()),
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Makes the names in this folder durable: after it returns, no crash undoes a creation, a rename or a
    /// removal that came before.
    pub fn flush(&self) -> Result<()> {
        flush_folder(&self.0.handle, &self.0.shown)
    }

    /// The absolute path, without links, as it was when the folder was opened.
    pub fn path(&self) -> &Utf8Path {
        &self.0.path
    }

    /// Which folder this is on this machine.
    pub fn identity(&self) -> Identity {
        self.0.identity
    }

    pub(super) fn handle(&self) -> &File {
        &self.0.handle
    }

    pub(super) fn user(&self) -> u32 {
        self.0.user
    }

    /// How a file in this folder is named in a message.
    pub(super) fn place(&self, name: &str) -> Utf8PathBuf {
        self.0.shown.join(name)
    }

    /// What has this name, itself and not what it may link to.
    pub(super) fn status_of(&self, name: &str) -> Result<Option<Status>> {
        check_component(name)?;
        match rustix::fs::statat(&self.0.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat.into())),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(read_failed(error, self.place(name))),
        }
    }

    /// Opens a file of ours and checks what was opened; nothing at that name is `None`. Never waits: a pipe
    /// without a writer opens at once and is refused.
    pub(super) fn open_checked(
        &self,
        name: &str,
        flags: OFlags,
        attempt: Attempt,
    ) -> Result<Option<(File, Status)>> {
        check_component(name)?;
        let place = self.place(name);
        let safe = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let owner_only = Mode::RUSR | Mode::WUSR;
        match retry_on_intr(|| rustix::fs::openat(&self.0.handle, name, flags | safe, owner_only)) {
            Ok(handle) => {
                let status = status_of_handle(handle.as_fd(), &place)?;
                status.check_artifact(self.0.user, &place)?;
                if flags.contains(OFlags::CREATE) && !status.mode.contains(owner_only) {
                    // A umask took bits from the owner.
                    rustix::fs::fchmod(&handle, owner_only).map_err(|error| write_failed(error, &place))?;
                }
                Ok(Some((handle.into(), status)))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(error) => {
                // What is there says more than the error: a link, a socket, a folder, another user's file.
                if let Some(status) = self.status_of(name)? {
                    status.check_artifact(self.0.user, &place)?;
                }
                Err(attempt.refusal(error, place))
            }
        }
    }

    fn why_no_folder(&self, name: &str, error: Errno) -> Refusal {
        let place = self.place(name);
        match self.status_of(name) {
            Ok(Some(status)) if status.kind.is_symlink() => Refusal::new(Code::PathHasSymlink).at(place),
            Ok(Some(status)) if !status.kind.is_dir() => {
                Refusal::new(Code::ArtifactMissing).at(place).hint("there is a file where a folder should be")
            }
            Ok(Some(status)) => {
                status.check_folder(self.0.user, &place).err().unwrap_or_else(|| read_failed(error, place))
            }
            _ => read_failed(error, place),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::{Code, Folder, Result, Utf8Path};

    /// A held temporary folder, and its owner that removes it.
    pub(in crate::base::private) fn scratch() -> (tempfile::TempDir, Folder) {
        let closed = Permissions::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(closed).tempdir().unwrap();
        let path = Utf8Path::from_path(keep.path()).unwrap().canonicalize_utf8().unwrap();
        let folder = Folder::open(&path).unwrap();
        (keep, folder)
    }

    pub(in crate::base::private) fn make_pipe(path: &Path) {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
        result.unwrap_err().code()
    }

    #[test]
    fn a_child_is_private_and_no_link() {
        let (keep, folder) = scratch();
        assert_eq!(code(folder.child("ledger")), Code::ArtifactMissing);
        let made = folder.child_or_create("ledger").unwrap();
        assert_eq!(made.identity(), folder.child_or_create("ledger").unwrap().identity());
        assert_eq!(made.path(), folder.path().join("ledger"));
        symlink("ledger", keep.path().join("link")).unwrap();
        assert_eq!(code(folder.child("link")), Code::PathHasSymlink);
        assert_eq!(code(folder.child_or_create("link")), Code::PathHasSymlink);
        fs::write(keep.path().join("file"), "").unwrap();
        assert_eq!(code(folder.child("file")), Code::ArtifactMissing);
        fs::set_permissions(keep.path().join("ledger"), Permissions::from_mode(0o750)).unwrap();
        assert_eq!(code(folder.child("ledger")), Code::FolderNotOurs);
        assert_eq!(code(folder.child("..")), Code::Usage);
    }

    #[test]
    fn names_are_listed_sorted_and_removed_once_or_twice() {
        let (_keep, folder) = scratch();
        for name in ["b", "a"] {
            folder.create_exclusive(name, b"").unwrap();
        }
        assert_eq!(folder.list().unwrap(), ["a", "b"]);
        folder.remove("a").unwrap();
        folder.remove("a").unwrap();
        assert!(!folder.exists("a").unwrap() && folder.exists("b").unwrap());
        folder.flush().unwrap();
    }

    #[test]
    fn removing_a_link_leaves_what_it_leads_to() {
        let (keep, folder) = scratch();
        folder.create_exclusive("a", b"x").unwrap();
        symlink("a", keep.path().join("link")).unwrap();
        folder.remove("link").unwrap();
        assert_eq!(folder.list().unwrap(), ["a"]);
    }

    #[test]
    fn a_held_folder_stays_the_same_when_its_path_is_given_to_another() {
        let (keep, outer) = scratch();
        let held = outer.child_or_create("a").unwrap();
        fs::rename(keep.path().join("a"), keep.path().join("b")).unwrap();
        fs::create_dir(keep.path().join("a")).unwrap();
        held.create_exclusive("x", b"").unwrap();
        assert!(keep.path().join("b/x").exists() && !keep.path().join("a/x").exists());
    }
}

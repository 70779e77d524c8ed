//! How an artifact comes into being: written under a random temporary name, flushed, and only then given its
//! name by one rename in the held folder. A crash at any point leaves the old artifact or the new one, whole; what
//! else it can leave is a temporary file, which [`Folder::remove_stray_temps`] takes away.
//!
//! Not covered: a medium that reports a flush before it has done it.

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Write};

use camino::Utf8PathBuf;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::failure::write_failed;
use super::folder::Folder;
use super::name::{check_component, is_temporary, temporary};
use super::status::Status;
use crate::base::{Refusal, Result};

/// Tries for a free temporary name. With 64 random bits one is enough; more only bound the loop.
const TRIES: u32 = 8;
const BUFFER_BYTES: usize = 64 * 1024;

/// An artifact in the making. It appears only through [`PrivateFile::publish`]; dropped before that, it leaves
/// nothing.
///
/// ```no_run
/// # fn example(mut file: recap::base::private::PrivateFile) -> recap::base::Result<()> {
/// file.put(b"{}")?;
/// file.publish()?;
/// # Ok(())
/// # }
/// ```
///
/// What is published cannot be written any more:
///
/// ```compile_fail
/// # fn example(mut file: recap::base::private::PrivateFile) -> recap::base::Result<()> {
/// file.publish()?;
/// file.put(b"{}")?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PrivateFile {
    draft: Unpublished,
    name: String,
}

/// A stream file in the making, whose name is known only at the end because it is the digest of its content.
#[derive(Debug)]
pub struct StreamFile {
    draft: Unpublished,
}

impl Folder {
    /// Begins an artifact of this name. What has the name already must be an artifact of ours: it stays whole
    /// until `publish` replaces it.
    pub fn create(&self, name: &str) -> Result<PrivateFile> {
        self.check_replaceable(name)?;
        Ok(PrivateFile { draft: Unpublished::begin(self, name)?, name: name.to_owned() })
    }

    /// Writes a whole artifact: once this returns, the name durably has these bytes.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut file = self.create(name)?;
        file.put(bytes)?;
        file.publish()
    }

    /// Begins a stream file.
    pub fn create_stream(&self) -> Result<StreamFile> {
        Ok(StreamFile { draft: Unpublished::begin(self, "stream")? })
    }

    /// Creates a file that must not exist yet, whole and durable; false when the name is taken.
    pub fn create_exclusive(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        if self.exists(name)? {
            return Ok(false);
        }
        let mut draft = Unpublished::begin(self, name)?;
        draft.put(bytes)?;
        let created = draft.claim(name)?;
        if created {
            // Durable from here: the file and its name. Nothing may depend on its content before.
            self.flush()?;
        }
        Ok(created)
    }

    /// Removes what a crash left behind: files of our own temporary pattern that no running process holds.
    /// Returns how many. What another process writes is locked by it and stays.
    pub fn remove_stray_temps(&self) -> Result<u64> {
        let mut removed = 0;
        for name in self.list()?.iter().filter(|name| is_temporary(name)) {
            let Some(status) = self.status_of(name)? else { continue };
            // A link count of two is what a crash inside `claim` leaves; the other name is the artifact.
            if !status.kind.is_file() || status.owner != self.user() {
                continue;
            }
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let Ok(handle) = rustix::fs::openat(self.handle(), name.as_str(), flags, Mode::empty()) else {
                continue;
            };
            // Whoever writes a temporary file holds its lock; having it means that the writer is gone.
            if File::from(handle).try_lock().is_ok() {
                self.remove(name)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Refuses to replace what is no artifact of ours: a link, a folder, a pipe, a file of or for others.
    pub(super) fn check_replaceable(&self, name: &str) -> Result<()> {
        match self.status_of(name)? {
            Some(status) => status.check_artifact(self.user(), self.place(name)),
            None => Ok(()),
        }
    }
}

impl PrivateFile {
    /// Adds bytes. The same as its `Write`, with our refusal as the error.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.draft.put(bytes)
    }

    /// Bytes written so far.
    pub fn written_bytes(&self) -> u64 {
        self.draft.written_bytes
    }

    /// The refusal for an error of its `Write`.
    pub fn write_failed(&self, error: std::io::Error) -> Refusal {
        write_failed(error, &self.draft.place)
    }

    /// Commits: content flushed, old artifact replaced, name flushed.
    pub fn publish(mut self) -> Result<()> {
        self.draft.replace(&self.name)?;
        // Durable from here: the new artifact. Before, a crash leaves the old one or the new one, each whole; a
        // refusal here means that it could not be told which one the medium holds.
        self.draft.folder.flush()
    }
}

impl StreamFile {
    /// Adds bytes. The same as its `Write`, with our refusal as the error.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.draft.put(bytes)
    }

    /// Bytes written so far.
    pub fn written_bytes(&self) -> u64 {
        self.draft.written_bytes
    }

    /// The refusal for an error of its `Write`.
    pub fn write_failed(&self, error: std::io::Error) -> Refusal {
        write_failed(error, &self.draft.place)
    }

    /// Flushes the content and gives it its name. The name is durable only after the next [`Folder::flush`]: one
    /// flush serves all stream files, and nothing counts before the manifest names them.
    pub fn publish_as(mut self, name: &str) -> Result<()> {
        self.draft.replace(name)
    }
}

impl Write for PrivateFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.draft.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.draft.file.flush()
    }
}

impl Write for StreamFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.draft.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.draft.file.flush()
    }
}

/// The temporary file; removed when dropped before it got a name.
#[derive(Debug)]
struct Unpublished {
    folder: Folder,
    temporary: String,
    /// How messages name it.
    place: Utf8PathBuf,
    file: BufWriter<File>,
    written_bytes: u64,
    is_named: bool,
}

impl Unpublished {
    fn begin(folder: &Folder, name: &str) -> Result<Self> {
        check_component(name)?;
        let place = folder.place(name);
        let failed = |error: Errno| write_failed(error, &place);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let owner_only = Mode::RUSR | Mode::WUSR;
        for _ in 0..TRIES {
            let temporary = temporary(name)?;
            let opened =
                retry_on_intr(|| rustix::fs::openat(folder.handle(), temporary.as_str(), flags, owner_only));
            let file = match opened {
                Ok(handle) => File::from(handle),
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(failed(error)),
            };
            // Held while we write, so that nobody takes the file for a leftover. Where the file system has no
            // locks we go on without.
            let busy = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            let status = Status::from(rustix::fs::fstat(&file).map_err(failed)?);
            if busy || status.links == 0 {
                continue; // It was taken for a leftover in between.
            }
            let file = BufWriter::with_capacity(BUFFER_BYTES, file);
            let place = place.clone();
            let draft =
                Self { folder: folder.clone(), temporary, place, file, written_bytes: 0, is_named: false };
            // A umask can take bits from the owner. A file system that knows no modes is found out here.
            rustix::fs::fchmod(draft.file.get_ref(), owner_only).map_err(failed)?;
            let status = Status::from(rustix::fs::fstat(draft.file.get_ref()).map_err(failed)?);
            status.check_artifact(folder.user(), &draft.place)?;
            return Ok(draft);
        }
        Err(failed(Errno::EXIST))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|error| write_failed(error, &self.place))
    }

    /// Flushes the content and puts it in the place of what had the name.
    fn replace(&mut self, name: &str) -> Result<()> {
        self.settle(name)?;
        self.folder.check_replaceable(name)?;
        let folder = self.folder.handle();
        rustix::fs::renameat(folder, self.temporary.as_str(), folder, name)
            .map_err(|error| write_failed(error, self.folder.place(name)))?;
        self.is_named = true;
        Ok(())
    }

    /// Flushes the content and gives it a name that nothing has; false when something has it.
    fn claim(&mut self, name: &str) -> Result<bool> {
        self.settle(name)?;
        match rename_to_free(self.folder.handle(), &self.temporary, name) {
            Ok(()) => self.is_named = true,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(write_failed(error, self.folder.place(name))),
        }
        Ok(self.is_named)
    }

    /// Durable from here: the content, under the temporary name. A name given before this could after a crash
    /// lead to an empty or cut file.
    fn settle(&mut self, name: &str) -> Result<()> {
        check_component(name)?;
        let settled = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        settled.map_err(|error| write_failed(error, self.folder.place(name)))
    }
}

impl Write for Unpublished {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = self.file.write(bytes)?;
        self.written_bytes += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Unpublished {
    fn drop(&mut self) {
        if !self.is_named {
            // A refusal is on its way already; what stays behind is cleared by `remove_stray_temps`.
            let _ = rustix::fs::unlinkat(self.folder.handle(), self.temporary.as_str(), AtFlags::empty());
        }
    }
}

/// Renames only if nothing has the new name.
fn rename_to_free(folder: &File, from: &str, to: &str) -> rustix::io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    match rustix::fs::renameat_with(folder, from, folder, to, rustix::fs::RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        answer => return answer,
    }
    // Where the system or the file system cannot: a second name, then the first one away. A crash in between
    // leaves both; removing the temporary one mends it.
    rustix::fs::linkat(folder, from, folder, to, AtFlags::empty())?;
    rustix::fs::unlinkat(folder, from, AtFlags::empty())
}

#[cfg(test)]
#[path = "create_tests.rs"]
mod tests;

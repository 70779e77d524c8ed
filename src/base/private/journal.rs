//! A file that grows by whole lines: each one flushed before anybody is told of it. A crash can leave a cut last
//! line, which never counted: readers ignore bytes behind the last LF, the next writer removes them.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::FileExt as _;

use camino::Utf8PathBuf;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::failure::{Attempt, read_failed, write_failed};
use super::folder::Folder;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

const STEP_BYTES: usize = 8 * 1024;

/// An open journal under an exclusive lock, so that what was read still holds when a line is added.
#[derive(Debug)]
pub struct Journal {
    file: File,
    place: Utf8PathBuf,
    /// Size up to and with the last LF.
    whole_bytes: u64,
}

impl Folder {
    /// Opens or creates a journal and waits a few seconds for its lock.
    pub fn journal(&self, name: &str) -> Result<Journal> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::APPEND;
        let place = self.place(name);
        let opened = self.open_checked(name, flags, Attempt::Write)?;
        let (file, _) = opened.ok_or_else(|| write_failed(Errno::NOENT, &place))?;
        self.wait_exclusive(name, &file)?;
        let size_bytes = file.metadata().map_err(|error| read_failed(error, &place))?.len();
        if size_bytes == 0 {
            // Durable from here: the empty journal under its name. A line in a file whose name a crash undoes
            // would not have been counted.
            self.flush()?;
        }
        let whole_bytes = end_of_last_line(&file, size_bytes).map_err(|error| read_failed(error, &place))?;
        if whole_bytes < size_bytes {
            file.set_len(whole_bytes).map_err(|error| write_failed(error, &place))?;
        }
        Ok(Journal { file, place, whole_bytes })
    }

    /// Adds one line to a journal; it is durable when this returns.
    pub fn append_locked(&self, name: &str, line: &[u8]) -> Result<()> {
        self.journal(name)?.append(line)
    }
}

impl Journal {
    /// All whole lines; more than `limit_bytes` is `read-failed`.
    pub fn read_all(&mut self, limit_bytes: u64) -> Result<Vec<u8>> {
        if self.whole_bytes > limit_bytes {
            return Err(Refusal::new(Code::ReadFailed).at(&self.place).hint("the file has grown too large"));
        }
        let mut bytes = Vec::new();
        let from_start = std::io::Seek::rewind(&mut self.file);
        let reading = from_start.and_then(|()| (&self.file).take(self.whole_bytes).read_to_end(&mut bytes));
        reading.map_err(|error| read_failed(error, &self.place))?;
        Ok(bytes)
    }

    /// Adds one line, given without its LF; it is durable when this returns. When it is refused, the journal is
    /// as it was.
    pub fn append(&mut self, line: &[u8]) -> Result<()> {
        if line.contains(&b'\n') {
            return Err(Refusal::new(Code::WriteFailed)
                .at(&self.place)
                .hint("a journal takes one line at a time"));
        }
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        // Durable after the flush: the line. Before it, a crash leaves the older lines and perhaps a cut one.
        if let Err(error) = self.file.write_all(&bytes).and_then(|()| self.file.sync_all()) {
            // If this fails too, the cut line has no LF and does not count.
            let _ = self.file.set_len(self.whole_bytes);
            return Err(write_failed(error, &self.place));
        }
        self.whole_bytes += bytes.len() as u64;
        Ok(())
    }
}

/// Searches backwards, so that a long journal costs no more than its last line.
fn end_of_last_line(file: &File, size_bytes: u64) -> std::io::Result<u64> {
    let mut step = [0; STEP_BYTES];
    let mut end = size_bytes;
    while end > 0 {
        let start = end.saturating_sub(STEP_BYTES as u64);
        let (part, _) = step.split_at_mut(usize::try_from(end - start).unwrap_or(STEP_BYTES));
        file.read_exact_at(part, start)?;
        if let Some(found) = memchr::memrchr(b'\n', part) {
            return Ok(start + found as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::super::folder::tests::scratch;
    use super::{Code, STEP_BYTES};

    #[test]
    fn lines_are_added_and_read_back() {
        let (keep, folder) = scratch();
        folder.append_locked("attempts", b"one").unwrap();
        folder.append_locked("attempts", b"two").unwrap();
        let mut journal = folder.journal("attempts").unwrap();
        assert_eq!(journal.read_all(100).unwrap(), b"one\ntwo\n");
        journal.append(b"three").unwrap();
        assert_eq!(journal.read_all(100).unwrap(), b"one\ntwo\nthree\n");
        assert_eq!(journal.read_all(3).unwrap_err().code(), Code::ReadFailed);
        assert_eq!(fs::metadata(keep.path().join("attempts")).unwrap().mode() & 0o7777, 0o600);
    }

    #[test]
    fn a_line_cut_by_a_crash_never_counted() {
        let (keep, folder) = scratch();
        let long = "x".repeat(3 * STEP_BYTES);
        for (torn, whole) in [("one\ntw", "one\n"), ("tw", ""), ("", "")] {
            fs::write(keep.path().join("attempts"), format!("{torn}{long}")).unwrap();
            fs::set_permissions(
                keep.path().join("attempts"),
                std::os::unix::fs::PermissionsExt::from_mode(0o600),
            )
            .unwrap();
            folder.append_locked("attempts", b"three").unwrap();
            assert_eq!(fs::read_to_string(keep.path().join("attempts")).unwrap(), format!("{whole}three\n"));
        }
    }

    #[test]
    fn two_lines_at_once_are_refused_and_links_are_not_followed() {
        let (keep, folder) = scratch();
        assert_eq!(folder.append_locked("attempts", b"a\nb").unwrap_err().code(), Code::WriteFailed);
        symlink("elsewhere", keep.path().join("link")).unwrap();
        assert_eq!(folder.append_locked("link", b"a").unwrap_err().code(), Code::ArtifactNotRegular);
        assert!(!keep.path().join("elsewhere").exists());
    }

    #[test]
    fn writers_take_turns() {
        let (_keep, folder) = scratch();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..5).for_each(|_| folder.append_locked("attempts", b"line").unwrap()));
            }
        });
        assert_eq!(folder.journal("attempts").unwrap().read_all(1000).unwrap(), b"line\n".repeat(20));
    }
}

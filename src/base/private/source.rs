//! Opening a source: a transcript, a side file, an input of a checking command. It is somebody else's file, so
//! mode, owner and number of links are flags and no refusals; but it must be a regular file, because a pipe or a
//! device has no bytes that anyone could check again. Links in its folder are resolved once, by the system; the
//! file itself may not be one.

use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::failure::read_failed;
use super::name::check_component;
use super::status::{Identity, Status, current_user};
use super::walk::{PASS, status_of_handle};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// What is unusual about a source; goes to the manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceFlags {
    /// Others can read, write or execute it.
    pub mode_open_to_others: bool,
    /// It has more than one hard link.
    pub several_links: bool,
    /// It belongs to another user.
    pub not_ours: bool,
}

/// An open source.
#[derive(Debug)]
pub struct Source {
    file: File,
    folder: OwnedFd,
    path: Utf8PathBuf,
    status: Status,
    flags: SourceFlags,
}

impl Source {
    /// Opens a source without waiting and without following a link at its end.
    pub fn open(path: &Utf8Path) -> Result<Self> {
        let Some(name) = path.file_name() else {
            return Err(Refusal::new(Code::SourceNotRegular).at(path));
        };
        let parent = path.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
        let folder = retry_on_intr(|| rustix::fs::open(parent.as_std_path(), PASS, Mode::empty()))
            .map_err(|error| missing_or_unreadable(error, path))?;
        Self::open_in(folder, name, path)
    }

    fn open_in(folder: OwnedFd, name: &str, path: &Utf8Path) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let handle = retry_on_intr(|| rustix::fs::openat(&folder, name, flags, Mode::empty()))
            .map_err(|error| why_not(error, &folder, name, FileType::RegularFile, path))?;
        let status = status_of_handle(handle.as_fd(), path)?;
        if status.kind != FileType::RegularFile {
            return Err(not_regular(&status, path));
        }
        let flags = SourceFlags {
            mode_open_to_others: status.is_open_to_others(),
            several_links: status.links > 1,
            not_ours: status.owner != current_user(),
        };
        Ok(Self { file: handle.into(), folder, path: path.to_owned(), status, flags })
    }

    /// The handle to read from.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The path as it was given.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The size when it was opened.
    pub fn size_bytes_at_open(&self) -> u64 {
        self.status.size_bytes
    }

    /// The size now, of the file that was opened.
    pub fn size_bytes_now(&self) -> Result<u64> {
        status_of_handle(self.file.as_fd(), &self.path).map(|status| status.size_bytes)
    }

    /// Whether the path still leads to the file that was opened, or another one took its place.
    pub fn is_in_place(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default();
        rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| Status::from(stat).identity == self.status.identity)
    }

    /// Which file this is on this machine.
    pub fn identity(&self) -> Identity {
        self.status.identity
    }

    /// What is unusual about it.
    pub fn flags(&self) -> SourceFlags {
        self.flags
    }

    /// The refusal for an error while reading from [`Self::file`].
    pub fn read_failed(&self, error: std::io::Error) -> Refusal {
        read_failed(error, &self.path)
    }
}

/// A folder with sources, held: what is opened in it lies in it, whatever links lie there.
#[derive(Debug)]
pub struct SourceFolder {
    folder: OwnedFd,
    path: Utf8PathBuf,
}

impl SourceFolder {
    /// Opens a folder; links on the way to it are resolved once, by the system.
    pub fn open(path: &Utf8Path) -> Result<Self> {
        let folder = retry_on_intr(|| rustix::fs::open(path.as_std_path(), PASS, Mode::empty()))
            .map_err(|error| missing_or_unreadable(error, path))?;
        Ok(Self { folder, path: path.to_owned() })
    }

    /// A folder in this one. A link is `source-not-regular`, wherever it leads.
    pub fn child(&self, name: &str) -> Result<Self> {
        check_component(name)?;
        let path = self.path.join(name);
        let flags = PASS | OFlags::NOFOLLOW;
        let folder = retry_on_intr(|| rustix::fs::openat(&self.folder, name, flags, Mode::empty()))
            .map_err(|error| why_not(error, &self.folder, name, FileType::Directory, &path))?;
        Ok(Self { folder, path })
    }

    /// A source in this folder, opened as [`Source::open`] does.
    pub fn source(&self, name: &str) -> Result<Source> {
        check_component(name)?;
        let path = self.path.join(name);
        let folder = self.folder.try_clone().map_err(|error| read_failed(error, &path))?;
        Source::open_in(folder, name, &path)
    }
}

/// A link and a socket do not open at all; what is there says more than the error.
fn why_not(error: Errno, folder: &OwnedFd, name: &str, wanted: FileType, path: &Utf8Path) -> Refusal {
    let there = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(Status::from);
    match there {
        Ok(status) if status.kind != wanted => not_regular(&status, path),
        _ => missing_or_unreadable(error, path),
    }
}

fn not_regular(status: &Status, path: &Utf8Path) -> Refusal {
    let refusal = Refusal::new(Code::SourceNotRegular).at(path);
    match status.kind {
        FileType::Symlink => refusal.hint("give the path that the link leads to"),
        _ => refusal,
    }
}

fn missing_or_unreadable(error: Errno, path: &Utf8Path) -> Refusal {
    match error {
        Errno::NOENT | Errno::NOTDIR => Refusal::new(Code::SourceMissing).at(path),
        Errno::ACCESS | Errno::PERM => {
            Refusal::new(Code::SourceMissing).at(path).hint("permission was denied; check owner and mode")
        }
        _ => read_failed(error, path),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::super::folder::tests::make_pipe;
    use super::{Code, Source, SourceFlags, SourceFolder, Utf8Path, Utf8PathBuf};

    fn scratch() -> (tempfile::TempDir, Utf8PathBuf) {
        let keep = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(keep.path().to_owned()).unwrap();
        fs::write(path.join("s.jsonl"), "{}\n").unwrap();
        fs::set_permissions(path.join("s.jsonl"), Permissions::from_mode(0o600)).unwrap();
        (keep, path)
    }

    fn code(path: impl AsRef<Utf8Path>) -> Code {
        Source::open(path.as_ref()).unwrap_err().code()
    }

    #[test]
    fn mode_and_links_are_flags() {
        let (_keep, path) = scratch();
        let source = Source::open(&path.join("s.jsonl")).unwrap();
        assert_eq!((source.flags(), source.size_bytes_at_open()), (SourceFlags::default(), 3));
        fs::set_permissions(path.join("s.jsonl"), Permissions::from_mode(0o644)).unwrap();
        fs::hard_link(path.join("s.jsonl"), path.join("second")).unwrap();
        let flags = Source::open(&path.join("second")).unwrap().flags();
        assert!(flags.mode_open_to_others && flags.several_links && !flags.not_ours);
    }

    #[test]
    fn a_folder_link_is_resolved_and_a_file_link_is_not() {
        let (_keep, path) = scratch();
        symlink(".", path.join("here")).unwrap();
        assert!(Source::open(&path.join("here/s.jsonl")).is_ok());
        symlink("s.jsonl", path.join("link")).unwrap();
        assert_eq!(code(path.join("link")), Code::SourceNotRegular);
    }

    #[test]
    fn what_is_no_plain_file_refuses_without_waiting() {
        let (_keep, path) = scratch();
        make_pipe(path.join("pipe").as_std_path());
        let _socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
        for source in
            [path.join("pipe"), path.join("socket"), path.clone(), path.join(".."), "/dev/null".into()]
        {
            assert_eq!(code(&source), Code::SourceNotRegular, "{source}");
        }
        for source in [path.join("missing"), path.join("missing/s"), path.join("s.jsonl/s"), "".into()] {
            let expected =
                if source.as_str().is_empty() { Code::SourceNotRegular } else { Code::SourceMissing };
            assert_eq!(code(&source), expected, "{source}");
        }
    }

    #[test]
    fn growth_and_replacement_are_seen() {
        let (_keep, path) = scratch();
        let source = Source::open(&path.join("s.jsonl")).unwrap();
        fs::File::options().append(true).open(source.path()).unwrap().write_all(b"{}\n").unwrap();
        assert_eq!((source.size_bytes_now().unwrap(), source.size_bytes_at_open()), (6, 3));
        assert!(source.is_in_place());
        fs::write(path.join("other"), "").unwrap();
        fs::rename(path.join("other"), source.path()).unwrap();
        assert!(!source.is_in_place());
    }

    #[test]
    fn nothing_leads_out_of_a_held_folder() {
        let (_keep, path) = scratch();
        fs::create_dir(path.join("in")).unwrap();
        fs::write(path.join("in/a"), "x").unwrap();
        symlink("..", path.join("in/up")).unwrap();
        symlink("../s.jsonl", path.join("in/link")).unwrap();
        symlink("in", path.join("turned")).unwrap();
        make_pipe(path.join("in/pipe").as_std_path());
        let root = SourceFolder::open(&path).unwrap();
        let folder = root.child("in").unwrap();
        assert_eq!(folder.source("a").unwrap().size_bytes_at_open(), 1);
        let refused = |folder: &SourceFolder, name: &str| folder.source(name).unwrap_err().code();
        for name in ["up", "link", "pipe"] {
            assert_eq!(refused(&folder, name), Code::SourceNotRegular, "{name}");
        }
        for name in ["../s.jsonl", "..", ".", "", "up/s.jsonl"] {
            assert_eq!(refused(&folder, name), Code::Usage, "{name}");
        }
        assert_eq!(refused(&folder, "gone"), Code::SourceMissing);
        for (name, code) in [
            ("turned", Code::SourceNotRegular),
            ("s.jsonl", Code::SourceNotRegular),
            ("gone", Code::SourceMissing),
            ("in/up", Code::Usage),
        ] {
            assert_eq!(root.child(name).unwrap_err().code(), code, "{name}");
        }
    }
}

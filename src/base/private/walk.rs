//! From the root to a folder, one component at a time. Each step opens relative to the folder held before it and
//! is judged by what was opened, so nothing can be exchanged between check and use.
//!
//! Symbolic links: the home folder's own path is resolved once, below it none is followed. Elsewhere a link is
//! followed, once and by its text, only while no folder that we own has been passed.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::failure::{read_failed, write_failed};
use super::status::{Status, current_user};
use crate::base::limits::{PATH_COMPONENTS, PATH_LINKS};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Passing through a folder needs the right to search it, not to read it, where the system can say so.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) const PASS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Passing through a folder.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) const PASS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Holding a folder: it can be listed and flushed.
pub(super) const HOLD: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What to do about a folder that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Refuse,
    Create,
}

/// Who walks, and where relative paths and the home folder begin.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) user: u32,
    pub(super) home: Option<Utf8PathBuf>,
    pub(super) working_folder: Option<Utf8PathBuf>,
}

impl Surroundings {
    pub(super) fn of_process() -> Self {
        let utf8 = |path| Utf8PathBuf::from_path_buf(path).ok();
        Self {
            user: current_user(),
            home: std::env::home_dir()
                .and_then(utf8)
                .filter(|home| home.is_absolute() && home.parent().is_some()),
            working_folder: std::env::current_dir().ok().and_then(utf8),
        }
    }
}

/// A folder at the end of a walk: ours, closed to others, and with no link left in its path.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) handle: File,
    pub(super) path: Utf8PathBuf,
    pub(super) status: Status,
}

/// Walks to the folder at `shown`, the path as the person gave it.
pub(super) fn reach(shown: &Utf8Path, missing: Missing, around: &Surroundings) -> Result<Reached> {
    let (path, below_home) = start(shown, around)?;
    let (here, status) = root(shown)?;
    let mut walk = Walk {
        shown,
        missing,
        user: around.user,
        below_home,
        links_left: PATH_LINKS,
        pending: Vec::new(),
        passed: vec![Passed { name: String::new(), ours: status.owner == around.user }],
        here,
        status,
    };
    walk.queue(&path)?;
    while let Some(part) = walk.pending.pop() {
        walk.step(&part)?;
    }
    walk.finish()
}

/// The absolute path to walk, and whether it lies below the home folder.
fn start(shown: &Utf8Path, around: &Surroundings) -> Result<(Utf8PathBuf, bool)> {
    let absolute = match &around.working_folder {
        _ if shown.is_absolute() => shown.to_owned(),
        Some(folder) => folder.join(shown),
        None => return Err(Refusal::new(Code::PathNotUtf8).at(shown).hint("give an absolute path")),
    };
    if let Some(home) = &around.home
        && let Ok(rest) = absolute.strip_prefix(home)
        && let Ok(resolved) = home.canonicalize_utf8()
    {
        return Ok((resolved.join(rest), true));
    }
    Ok((absolute, false))
}

fn root(shown: &Utf8Path) -> Result<(OwnedFd, Status)> {
    let here = rustix::fs::open("/", PASS, Mode::empty()).map_err(|error| read_failed(error, shown))?;
    let status = status_of_handle(here.as_fd(), shown)?;
    Ok((here, status))
}

struct Passed {
    name: String,
    ours: bool,
}

struct Walk<'path> {
    shown: &'path Utf8Path,
    missing: Missing,
    user: u32,
    below_home: bool,
    links_left: usize,
    /// Components still to go, the next one last.
    pending: Vec<String>,
    /// The folders from the root to here, none of them a link.
    passed: Vec<Passed>,
    here: OwnedFd,
    status: Status,
}

impl Walk<'_> {
    fn queue(&mut self, path: &Utf8Path) -> Result<()> {
        self.pending
            .extend(path.as_str().split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned));
        if self.pending.len() > PATH_COMPONENTS {
            return Err(Refusal::new(Code::Usage).at(self.shown).hint("the path has too many parts"));
        }
        Ok(())
    }

    fn step(&mut self, part: &str) -> Result<()> {
        self.status.check_ancestor(self.user, self.shown)?;
        match part {
            "." => Ok(()),
            ".." if self.passed.len() < 2 => Ok(()),
            // The parent of a held folder is what was passed: nobody else can move a folder that passed the checks.
            ".." => {
                self.here = self.open("..").map_err(|error| read_failed(error, self.shown))?;
                self.status = status_of_handle(self.here.as_fd(), self.shown)?;
                self.passed.pop();
                Ok(())
            }
            name => self.enter(name),
        }
    }

    fn enter(&mut self, name: &str) -> Result<()> {
        let opened = match self.open(name) {
            Err(Errno::NOENT) if self.missing == Missing::Create => {
                self.make(name)?;
                self.open(name)
            }
            other => other,
        };
        match opened {
            Ok(folder) => {
                self.status = status_of_handle(folder.as_fd(), self.shown)?;
                self.here = folder;
                self.passed.push(Passed { name: name.to_owned(), ours: self.status.owner == self.user });
                Ok(())
            }
            Err(Errno::NOENT) => Err(Refusal::new(Code::ArtifactMissing).at(self.shown)),
            // What a link gives here differs between systems; `follow` asks what is there.
            Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => self.follow(name),
            Err(error) => Err(read_failed(error, self.shown)),
        }
    }

    fn open(&self, name: &str) -> rustix::io::Result<OwnedFd> {
        retry_on_intr(|| rustix::fs::openat(&self.here, name, PASS | OFlags::NOFOLLOW, Mode::empty()))
    }

    fn make(&self, name: &str) -> Result<()> {
        if !self.is_below_ours() {
            return Err(Refusal::new(Code::FolderNotOurs).at(self.shown));
        }
        make_folder(self.here.as_fd(), name, self.shown).map(|_| ())
    }

    fn follow(&mut self, name: &str) -> Result<()> {
        let link = rustix::fs::statat(&self.here, name, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|error| read_failed(error, self.shown))
            .map(Status::from)?;
        if link.kind != FileType::Symlink {
            return Err(Refusal::new(Code::ArtifactMissing)
                .at(self.shown)
                .hint("a part of the path is no folder"));
        }
        // In a sticky folder anybody can leave a link: only root's and our own are followed.
        let trusted = link.owner == 0 || link.owner == self.user;
        if self.below_home || self.is_below_ours() || !trusted || self.links_left == 0 {
            return Err(Refusal::new(Code::PathHasSymlink).at(self.shown));
        }
        self.links_left -= 1;
        let target = rustix::fs::readlinkat(&self.here, name, Vec::new())
            .map_err(|error| read_failed(error, self.shown))?
            .into_string()
            .map_err(|_| Refusal::new(Code::PathNotUtf8).at(self.shown))?;
        if target.starts_with('/') {
            (self.here, self.status) = root(self.shown)?;
            self.passed.truncate(1);
        }
        self.queue(Utf8Path::new(&target))
    }

    fn is_below_ours(&self) -> bool {
        self.passed.iter().any(|folder| folder.ours)
    }

    fn finish(self) -> Result<Reached> {
        self.status.check_folder(self.user, self.shown)?;
        let handle = hold(self.here.as_fd()).map_err(|error| read_failed(error, self.shown))?;
        let names: Vec<&str> = self.passed.iter().skip(1).map(|folder| folder.name.as_str()).collect();
        Ok(Reached { handle, path: format!("/{}", names.join("/")).into(), status: self.status })
    }
}

/// The same folder, opened so that it can be listed and flushed.
fn hold(folder: BorrowedFd<'_>) -> rustix::io::Result<File> {
    retry_on_intr(|| rustix::fs::openat(folder, ".", HOLD, Mode::empty())).map(File::from)
}

/// What an open handle leads to.
pub(super) fn status_of_handle(handle: BorrowedFd<'_>, place: &Utf8Path) -> Result<Status> {
    rustix::fs::fstat(handle).map(Status::from).map_err(|error| read_failed(error, place))
}

/// Creates a folder of mode 0700 in `parent`; false when the name exists already.
pub(super) fn make_folder(parent: BorrowedFd<'_>, name: &str, place: &Utf8Path) -> Result<bool> {
    let failed = |error: Errno| write_failed(error, place);
    match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
        Ok(()) => {}
        Err(Errno::EXIST) => return Ok(false),
        Err(error) => return Err(failed(error)),
    }
    // A umask can take bits from the owner; the folder is ours, so its name still means it.
    let made =
        rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).map(Status::from).map_err(failed)?;
    if !made.mode.contains(Mode::RWXU) {
        rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty()).map_err(failed)?;
    }
    // Durable from here: an empty folder under its name. Before, it may be gone after a crash, with nothing in it.
    flush_folder(&hold(parent).map_err(failed)?, place)?;
    Ok(true)
}

/// Makes the names in a folder durable. File systems that cannot flush a folder say that they do not know how;
/// nothing more can be done there.
pub(super) fn flush_folder(folder: &File, place: &Utf8Path) -> Result<()> {
    match folder.sync_all() {
        Ok(()) => Ok(()),
        Err(error) if matches!(Errno::from_io_error(&error), Some(Errno::INVAL | Errno::NOTSUP)) => Ok(()),
        Err(error) => Err(write_failed(error, place)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::{Code, Missing, PATH_COMPONENTS, Surroundings, Utf8Path, Utf8PathBuf, current_user, reach};

    /// A temporary folder without links in its path, with `a/b` in it, all of mode 0700.
    fn scratch() -> (tempfile::TempDir, Utf8PathBuf) {
        let closed = Permissions::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(closed).tempdir().unwrap();
        let path = Utf8Path::from_path(keep.path()).unwrap().canonicalize_utf8().unwrap();
        for name in ["a", "a/b"] {
            fs::create_dir(path.join(name)).unwrap();
            set_mode(&path.join(name), 0o700);
        }
        (keep, path)
    }

    fn set_mode(path: &Utf8Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn around(home: Option<&Utf8Path>) -> Surroundings {
        Surroundings { user: current_user(), home: home.map(Utf8Path::to_owned), working_folder: None }
    }

    fn code(path: impl AsRef<Utf8Path>, around: &Surroundings) -> Option<Code> {
        reach(path.as_ref(), Missing::Refuse, around).err().map(|refusal| refusal.code())
    }

    #[test]
    fn the_path_is_absolute_and_clean() {
        let (_keep, path) = scratch();
        let working_folder = Some(path.clone());
        let around = Surroundings { working_folder, ..around(None) };
        for shown in ["a/b", "./a//b/", "a/../a/b/.", "a/b/../../a/b"] {
            let reached = reach(Utf8Path::new(shown), Missing::Refuse, &around).unwrap();
            assert_eq!(reached.path, path.join("a/b"));
        }
        assert_eq!(reach(Utf8Path::new(""), Missing::Refuse, &around).unwrap().path, path);
    }

    #[test]
    fn a_folder_open_to_others_refuses_at_its_place_in_the_path() {
        let (_keep, path) = scratch();
        for mode in [0o777, 0o770, 0o720, 0o702] {
            set_mode(&path.join("a"), mode);
            assert_eq!(code(path.join("a/b"), &around(None)), Some(Code::FolderUnsafe));
            assert_eq!(code(path.join("a"), &around(None)), Some(Code::FolderNotOurs));
        }
        for mode in [0o755, 0o1777] {
            set_mode(&path.join("a"), mode);
            assert_eq!(code(path.join("a/b"), &around(None)), None);
            assert_eq!(code(path.join("a"), &around(None)), Some(Code::FolderNotOurs));
        }
    }

    #[test]
    fn another_users_folder_refuses() {
        let (_keep, path) = scratch();
        let stranger = Surroundings { user: current_user() + 1, ..around(None) };
        // Root's folders may lie above a stranger's; ours may not.
        let refused = [Some(Code::FolderNotOurs), Some(Code::FolderUnsafe)];
        assert!(
            refused.contains(&code(path.join("a/b"), &stranger)) && refused.contains(&code(path, &stranger))
        );
    }

    #[test]
    fn below_our_folder_no_link_is_followed() {
        let (_keep, path) = scratch();
        symlink(path.join("a"), path.join("link")).unwrap();
        assert_eq!(code(path.join("link"), &around(None)), Some(Code::PathHasSymlink));
        assert_eq!(code(path.join("link/b"), &around(None)), Some(Code::PathHasSymlink));
        let created = reach(&path.join("link/new"), Missing::Create, &around(None));
        assert_eq!(created.unwrap_err().code(), Code::PathHasSymlink);
        assert!(!path.join("a/new").exists());
    }

    #[test]
    fn the_home_folder_is_resolved_once_and_below_it_no_link_is_followed() {
        let (_keep, path) = scratch();
        symlink("a", path.join("home")).unwrap();
        let home = path.join("home");
        let reached = reach(&home.join("b"), Missing::Refuse, &around(Some(&home))).unwrap();
        assert_eq!(reached.path, path.join("a/b"));
        symlink("b", path.join("a/link")).unwrap();
        assert_eq!(code(home.join("link"), &around(Some(&home))), Some(Code::PathHasSymlink));
    }

    /// Needs folders of two owners, which only root can make.
    #[test]
    fn above_our_folders_a_link_of_root_is_followed() {
        if current_user() != 0 {
            return;
        }
        let (_keep, path) = scratch();
        let user = 4242;
        let around = Surroundings { user, ..around(None) };
        set_mode(&path, 0o755);
        std::os::unix::fs::chown(path.join("a"), Some(user), None).unwrap();
        std::os::unix::fs::chown(path.join("a/b"), Some(user), None).unwrap();
        symlink("./a", path.join("relative")).unwrap();
        symlink(path.join("relative"), path.join("absolute")).unwrap();
        for shown in ["relative/b", "absolute/b", "absolute/../absolute/b"] {
            assert_eq!(reach(&path.join(shown), Missing::Refuse, &around).unwrap().path, path.join("a/b"));
        }
        symlink("loop", path.join("loop")).unwrap();
        assert_eq!(code(path.join("loop/b"), &around), Some(Code::PathHasSymlink));
        std::os::unix::fs::lchown(path.join("relative"), Some(user + 1), None).unwrap();
        assert_eq!(code(path.join("relative/b"), &around), Some(Code::PathHasSymlink));
    }

    #[test]
    fn what_is_missing_is_created_closed_below_our_folders_only() {
        let (_keep, path) = scratch();
        assert_eq!(code(path.join("x/y"), &around(None)), Some(Code::ArtifactMissing));
        reach(&path.join("x/y"), Missing::Create, &around(None)).unwrap();
        for name in ["x", "x/y"] {
            assert_eq!(fs::metadata(path.join(name)).unwrap().mode() & 0o7777, 0o700);
        }
        let stranger = Surroundings { user: current_user() + 1, ..around(None) };
        let root_only = if current_user() == 0 { path } else { "/".into() };
        set_mode_if_root(&root_only);
        let refused = reach(&root_only.join("new-folder"), Missing::Create, &stranger).unwrap_err();
        assert_eq!(refused.code(), Code::FolderNotOurs);
        assert!(!root_only.join("new-folder").exists());
    }

    fn set_mode_if_root(path: &Utf8Path) {
        if current_user() == 0 {
            set_mode(path, 0o755);
        }
    }

    #[test]
    fn a_file_or_pipe_in_the_path_refuses_without_waiting() {
        let (_keep, path) = scratch();
        fs::write(path.join("file"), "").unwrap();
        super::super::folder::tests::make_pipe(path.join("pipe").as_std_path());
        for name in ["file", "file/b", "pipe", "pipe/b"] {
            assert_eq!(code(path.join(name), &around(None)), Some(Code::ArtifactMissing), "{name}");
        }
    }

    #[test]
    fn an_endless_path_is_not_walked() {
        let path = format!("/{}", "./".repeat(PATH_COMPONENTS + 1));
        assert_eq!(code(path, &around(None)), Some(Code::Usage));
    }
}

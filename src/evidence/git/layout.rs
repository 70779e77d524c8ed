//! Where a repository lies, read by ourselves before any git runs. It takes a plain `.git` folder, a bare
//! repository, or a linked worktree whose two links lead to one another; everything else is unusual. It
//! reads no configuration.

use std::io::{ErrorKind, Read as _};

use camino::{Utf8Path, Utf8PathBuf};

use super::owner::{facts, is_held_in_place, is_ours, open};
use crate::base::limits;
use crate::base::rules::Code;

/// The folders of one repository, all resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The top folder of the work tree; of a bare repository its own folder.
    pub root: Utf8PathBuf,
    /// What belongs to this work tree alone.
    pub git_dir: Utf8PathBuf,
    /// What all work trees share.
    pub common_dir: Utf8PathBuf,
    /// There is no work tree.
    pub bare: bool,
}

/// The root of the repository around an *existing* folder, found by walking up. A folder that is gone is
/// `folder-missing`: a repository around the place where it was is another matter.
pub fn repository_of(folder: &Utf8Path) -> Result<Utf8PathBuf, Code> {
    let folder = resolve_folder(folder)?;
    folder
        .ancestors()
        .find(|level| match facts(&level.join(".git")) {
            Some(_) => true,
            None => level.file_name() != Some(".git") && holds_a_repository(level),
        })
        .map(Utf8Path::to_owned)
        .ok_or(Code::NotARepository)
}

/// As [`repository_of`] for a folder that a transcript recorded. A harness records where it really is; a path that
/// leads over a link or `..` to another place is not that folder any more, or never was: `not-probed`.
pub fn repository_of_recorded(folder: &Utf8Path) -> Result<Utf8PathBuf, Code> {
    if resolve_folder(folder)? != folder {
        return Err(Code::NotProbed);
    }
    repository_of(folder)
}

impl Layout {
    /// Reads the layout of the repository whose root is `root`.
    pub fn read(root: &Utf8Path) -> Result<Self, Code> {
        let root = resolve_folder(root)?;
        let link = root.join(".git");
        let layout = match facts(&link) {
            Some(found) if found.is_dir() => Self::plain(root, link)?,
            Some(found) if found.is_file() => Self::linked(root, &link)?,
            Some(_) => return Err(Code::RepositoryUnusual),
            None => Self::bare(root)?,
        };
        layout.require_ours()?;
        Ok(layout)
    }

    fn plain(root: Utf8PathBuf, git_dir: Utf8PathBuf) -> Result<Self, Code> {
        require_whole(&git_dir)?;
        Ok(Self { root, common_dir: git_dir.clone(), git_dir, bare: false })
    }

    fn bare(root: Utf8PathBuf) -> Result<Self, Code> {
        if !holds_a_repository(&root) {
            return Err(Code::NotARepository);
        }
        require_whole(&root)?;
        Ok(Self { git_dir: root.clone(), common_dir: root.clone(), root, bare: true })
    }

    /// A linked worktree: `.git` names `<common>/worktrees/<name>`, whose `commondir` names `<common>` and
    /// whose `gitdir` names this `.git`. A one-sided link could show another repository as this one.
    fn linked(root: Utf8PathBuf, link: &Utf8Path) -> Result<Self, Code> {
        let text = read_small(link)?;
        let target = text.strip_prefix("gitdir: ").ok_or(Code::RepositoryUnusual)?;
        let git_dir = resolve_from(&root, target)?;
        let common_dir = resolve_from(&git_dir, &read_small(&git_dir.join("commondir"))?)?;
        let back = resolve_from(&git_dir, &read_small(&git_dir.join("gitdir"))?)?;
        if git_dir.parent() != Some(common_dir.join("worktrees").as_path()) || back != link {
            return Err(Code::RepositoryUnusual);
        }
        require_whole(&common_dir)?;
        Ok(Self { root, git_dir, common_dir, bare: false })
    }

    /// Whoever else owns or may write one of these decides what git reads.
    fn require_ours(&self) -> Result<(), Code> {
        let needed = [self.root.clone(), self.git_dir.clone(), self.common_dir.clone()];
        let optional = [
            self.root.join(".git"),
            self.common_dir.join("config"),
            self.git_dir.join("config.worktree"),
            self.git_dir.join("HEAD"),
        ];
        let ours = needed.iter().all(|path| is_held_in_place(path))
            && needed.iter().all(|path| facts(path).is_some_and(|found| is_ours(&found)))
            && optional.iter().all(|path| facts(path).is_none_or(|found| is_ours(&found)));
        if ours { Ok(()) } else { Err(Code::RepositoryNotOurs) }
    }
}

/// The signs by which git itself knows a repository.
fn holds_a_repository(folder: &Utf8Path) -> bool {
    let is_folder = |name: &str| facts(&folder.join(name)).is_some_and(|found| found.is_dir());
    facts(&folder.join("HEAD")).is_some() && is_folder("objects") && is_folder("refs")
}

/// A whole repository, and not one that names a shared folder elsewhere.
fn require_whole(folder: &Utf8Path) -> Result<(), Code> {
    let whole = holds_a_repository(folder) && facts(&folder.join("commondir")).is_none();
    if whole { Ok(()) } else { Err(Code::RepositoryUnusual) }
}

fn resolve_folder(folder: &Utf8Path) -> Result<Utf8PathBuf, Code> {
    let resolved = fs_err::canonicalize(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Code::FolderMissing,
        _ => Code::RepositoryUnusual,
    })?;
    let resolved = Utf8PathBuf::from_path_buf(resolved).map_err(|_| Code::RepositoryUnusual)?;
    if resolved.is_dir() { Ok(resolved) } else { Err(Code::FolderMissing) }
}

fn resolve_from(folder: &Utf8Path, target: &str) -> Result<Utf8PathBuf, Code> {
    let joined = folder.join(target);
    let resolved = fs_err::canonicalize(joined).map_err(|_| Code::RepositoryUnusual)?;
    Utf8PathBuf::from_path_buf(resolved).map_err(|_| Code::RepositoryUnusual)
}

/// Reads a one-line file of a repository without following a link or waiting for a pipe.
fn read_small(path: &Utf8Path) -> Result<String, Code> {
    let unusual = |_| Code::RepositoryUnusual;
    let file = open(path).map_err(unusual)?;
    if !file.metadata().map_err(unusual)?.is_file() {
        return Err(Code::RepositoryUnusual);
    }
    let mut text = String::new();
    let read = file.take(limits::GIT_LINK_BYTES + 1).read_to_string(&mut text).map_err(unusual)?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    if u64::try_from(read).unwrap_or(u64::MAX) > limits::GIT_LINK_BYTES
        || line.is_empty()
        || line.contains('\n')
    {
        return Err(Code::RepositoryUnusual);
    }
    Ok(line.to_owned())
}

//! What a git folder holds must lie in it. Git follows a link in place of its index, of a reference or of its
//! borrowed objects, and then tells of another repository; it waits for a pipe; it reads a HEAD of any size. So
//! those places are looked at before git is. It does not look at objects: their names say what they are.

use camino::Utf8Path;

use super::layout::Layout;
use super::owner::facts;
use crate::base::limits;
use crate::base::rules::Code;

/// Files from which git answers, in the folder of the work tree and in the shared one alike.
const FILES: &[&str] = &[
    "HEAD",
    "config",
    "config.worktree",
    "index",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/grafts",
    "info/sparse-checkout",
];

/// Files that are one line or a few.
const SMALL: &[&str] = &["HEAD", "config", "config.worktree", "info/attributes", "info/sparse-checkout"];

/// Folders in which each file is one from which git answers.
const FOLDERS: &[&str] = &["refs", "logs", "reftable"];

/// Reads the layout of the repository whose root is `root`, and refuses links, pipes and devices where git would look,
/// and objects that are borrowed from elsewhere.
pub fn read_whole(root: &Utf8Path) -> Result<Layout, Code> {
    let layout = Layout::read(root)?;
    require_own_files(&layout)?;
    Ok(layout)
}

fn require_own_files(layout: &Layout) -> Result<(), Code> {
    let mut left = limits::GIT_FOLDER_ENTRIES;
    let (own, shared) = (&layout.git_dir, &layout.common_dir);
    for folder in std::iter::once(own).chain((own != shared).then_some(shared)) {
        require_own_folder(folder, &mut left)?;
        require_exclude(folder)?;
    }
    for below in ["objects", "objects/info", "objects/pack", "worktrees"] {
        if facts(&shared.join(below)).is_some_and(|found| !found.is_dir()) {
            return Err(Code::RepositoryUnusual);
        }
    }
    if facts(&shared.join("objects/info/alternates")).is_some_and(|found| !found.is_file() || found.len() > 0)
    {
        return Err(Code::RepositoryUnusual);
    }
    require_worktrees(&shared.join("worktrees"), &mut left)
}

fn require_own_folder(folder: &Utf8Path, left: &mut usize) -> Result<(), Code> {
    for name in FILES {
        let most = if SMALL.contains(name) { limits::GIT_CONFIG_BYTES } else { u64::MAX };
        require_file(&folder.join(name), most)?;
    }
    for name in FOLDERS {
        require_tree(&folder.join(name), left)?;
    }
    Ok(())
}

/// `info/exclude` is often a link to a list of one's own; it is no source of facts, but a pipe blocks.
fn require_exclude(folder: &Utf8Path) -> Result<(), Code> {
    match fs_err::metadata(folder.join("info/exclude")) {
        Ok(found) if !found.is_file() || found.len() > limits::GIT_CONFIG_BYTES => {
            Err(Code::RepositoryUnusual)
        }
        _ => Ok(()),
    }
}

/// What `worktree list` reads of the other work trees.
fn require_worktrees(folder: &Utf8Path, left: &mut usize) -> Result<(), Code> {
    for_each(folder, left, |path, kind| {
        if !kind.is_dir() {
            return Err(Code::RepositoryUnusual);
        }
        ["HEAD", "gitdir", "commondir", "locked"]
            .iter()
            .try_for_each(|name| require_file(&path.join(name), limits::GIT_CONFIG_BYTES))?;
        // A reference of another work tree is one that `HEAD` there may lead to.
        require_one_kind(&path.join("refs"))
    })
}

fn require_one_kind(folder: &Utf8Path) -> Result<(), Code> {
    if facts(folder).is_none_or(|found| found.is_dir()) { Ok(()) } else { Err(Code::RepositoryUnusual) }
}

fn require_file(path: &Utf8Path, most_bytes: u64) -> Result<(), Code> {
    let plain = facts(path).is_none_or(|found| found.is_file() && found.len() <= most_bytes);
    if plain { Ok(()) } else { Err(Code::RepositoryUnusual) }
}

/// A folder, perhaps absent, in which there are only files and folders.
fn require_tree(folder: &Utf8Path, left: &mut usize) -> Result<(), Code> {
    require_one_kind(folder)?;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for_each(&folder, left, |path, kind| {
            if kind.is_dir() {
                folders.push(path.to_owned());
            }
            if kind.is_dir() || kind.is_file() { Ok(()) } else { Err(Code::RepositoryUnusual) }
        })?;
    }
    Ok(())
}

/// Calls `look` with each name in a folder, links not followed; a folder that is absent has none. A name that is
/// not UTF-8 is git's to show, unless it is no file: then its path is not needed.
fn for_each(
    folder: &Utf8Path,
    left: &mut usize,
    mut look: impl FnMut(&Utf8Path, std::fs::FileType) -> Result<(), Code>,
) -> Result<(), Code> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let entry = entry.map_err(|_| Code::RepositoryUnusual)?;
        *left = left.checked_sub(1).ok_or(Code::RepositoryUnusual)?;
        let kind = entry.file_type().map_err(|_| Code::RepositoryUnusual)?;
        match Utf8Path::from_path(&entry.path()) {
            Some(path) => look(path, kind)?,
            None if kind.is_file() => {}
            None => return Err(Code::RepositoryUnusual),
        }
    }
    Ok(())
}

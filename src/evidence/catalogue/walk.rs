//! Through the folders of a root: no link is followed below it, nothing that is no regular file is opened, and what is
//! passed over is counted with its reason.

use std::fs::{self, DirEntry};
use std::sync::atomic::{AtomicBool, Ordering};

use camino::{Utf8Path, Utf8PathBuf};

use super::roots::{Root, RootKind, Skip};
use crate::base::ids::Harness;
use crate::base::limits::{SESSION_FILES, SESSION_FOLDER_DEPTH};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Folders of a Claude project that hold outputs and notes: many files, and no transcript.
const NO_TRANSCRIPTS: [&str; 2] = ["tool-results", "memory"];

/// Files that could be sessions, sorted by path, and sidecars of children.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) transcripts: Vec<Utf8PathBuf>,
    pub(super) sidecars: Vec<Utf8PathBuf>,
}

/// Walks below a root and notes in it what was seen. The root itself may be a link: it is resolved once.
///
/// # Errors
/// `interrupted`.
pub(super) fn walk(root: &mut Root, interrupted: &AtomicBool) -> Result<Candidates> {
    let mut found = Candidates::default();
    let mut pending = vec![(root.path.clone(), 0)];
    while let Some((folder, depth)) = pending.pop() {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Refusal::new(Code::Interrupted));
        }
        let Ok(entries) = fs::read_dir(&folder) else {
            if depth > 0 || fs::symlink_metadata(&folder).is_ok() {
                skip(root, Skip::Unreadable);
            }
            continue;
        };
        root.exists = true;
        for entry in entries {
            match entry.map_err(|_| Skip::Unreadable).and_then(|entry| look(&folder, &entry)) {
                Err(why) => skip(root, why),
                Ok(Seen::Folder(path)) => {
                    root.folders += 1;
                    if depth + 1 > SESSION_FOLDER_DEPTH {
                        skip(root, Skip::TooDeep);
                    } else if !is_passed_over(root.kind, &path) {
                        pending.push((path, depth + 1));
                    }
                }
                Ok(Seen::File(path)) => {
                    root.files += 1;
                    file(root, path, &mut found);
                }
            }
        }
    }
    found.transcripts.sort();
    found.sidecars.sort();
    Ok(found)
}

enum Seen {
    Folder(Utf8PathBuf),
    File(Utf8PathBuf),
}

fn look(folder: &Utf8Path, entry: &DirEntry) -> std::result::Result<Seen, Skip> {
    let kind = entry.file_type().map_err(|_| Skip::Unreadable)?;
    if kind.is_symlink() {
        return Err(Skip::Link);
    }
    if !kind.is_dir() && !kind.is_file() {
        return Err(Skip::NotRegular);
    }
    let name = entry.file_name();
    let path = folder.join(name.to_str().ok_or(Skip::NameNotUtf8)?);
    Ok(if kind.is_dir() { Seen::Folder(path) } else { Seen::File(path) })
}

fn file(root: &mut Root, path: Utf8PathBuf, found: &mut Candidates) {
    let name = path.file_name().unwrap_or_default();
    let list = if is_transcript(root.kind, name) {
        &mut found.transcripts
    } else if is_sidecar(root.kind, name) {
        &mut found.sidecars
    } else {
        return;
    };
    if list.len() < SESSION_FILES {
        list.push(path);
    } else {
        skip(root, Skip::TooMany);
    }
}

fn is_passed_over(kind: RootKind, path: &Utf8Path) -> bool {
    kind == RootKind::Projects && path.file_name().is_some_and(|name| NO_TRANSCRIPTS.contains(&name))
}

fn is_transcript(kind: RootKind, name: &str) -> bool {
    match kind.harness() {
        Harness::Claude => name.ends_with(".jsonl"),
        Harness::Codex => {
            name.ends_with(".jsonl")
                || name.ends_with(".jsonl.zst")
                || (name.starts_with("rollout-") && name.ends_with(".json"))
        }
    }
}

fn is_sidecar(kind: RootKind, name: &str) -> bool {
    kind == RootKind::Projects && name.starts_with("agent-") && name.ends_with(super::sidecar::SUFFIX)
}

fn skip(root: &mut Root, why: Skip) {
    *root.skipped.entry(why).or_default() += 1;
}

//! Questions about commits, movements of HEAD, references, worktrees and stashes.

use super::asker::Asker;
use super::process::Output;
use super::snapshot::{Commit, Listing, Reference, Reflog, Snapshot, Worktree};
use super::text::{items, lines, object_id};
use crate::base::limits;
use crate::base::rules::Code;

/// The newest commits and movements of HEAD.
pub fn ask_history(asker: &mut Asker<'_>, snapshot: &mut Snapshot) {
    if snapshot.head.is_none() {
        return;
    }
    if let Some(output) = log(asker, "--format=%H%x00%ct%x00%s", &[]) {
        snapshot.recent_commits = asker.rows(&output, 3, |decoder, row| {
            let time = str::from_utf8(row.get(1)?).ok().and_then(|text| text.parse().ok());
            Some(Commit {
                oid: object_id(row.first()?)?,
                time: time
                    .and_then(|time| jiff::Timestamp::from_second(time).ok())
                    .map(|time| time.to_string()),
                subject: decoder.show(row.get(2)?),
            })
        });
    }
    if let Some(output) = log(asker, "--format=%H%x00%gs", &["--walk-reflogs"]) {
        snapshot.reflog = asker.rows(&output, 2, |decoder, row| {
            Some(Reflog { oid: object_id(row.first()?)?, action: decoder.show(row.get(1)?) })
        });
        if snapshot.reflog.as_ref().is_some_and(Vec::is_empty) {
            snapshot.reflog = None;
            asker.note(Code::ReflogMissing);
        }
    }
}

/// All references by name; only the first are listed.
pub fn ask_references(asker: &mut Asker<'_>) -> Option<Listing<Reference>> {
    let output = asker.ask_sure(&["for-each-ref", "--format=%(objectname) %(refname)"])?;
    let mut listing = Listing { rows: Vec::new(), omitted: 0 };
    for line in lines(&output.stdout) {
        let mut fields = line.splitn(2, |byte| *byte == b' ');
        let oid = asker.sure(fields.next().and_then(object_id))?;
        let name = fields.next().unwrap_or_default();
        asker.list(&mut listing, limits::PROBED_REFERENCES, |decoder| Reference {
            name: decoder.show(name),
            oid,
        });
    }
    Some(listing)
}

/// The main work tree and the linked ones.
pub fn ask_worktrees(asker: &mut Asker<'_>) -> Option<Listing<Worktree>> {
    let output = asker.ask_sure(&["worktree", "list", "--porcelain", "-z"])?;
    let items = asker.sure(items(&output.stdout))?;
    let mut listing = Listing { rows: Vec::new(), omitted: 0 };
    // Each worktree is a run of attributes that an empty item ends.
    for attributes in items.split(|item| item.is_empty()).filter(|attributes| !attributes.is_empty()) {
        let find = |label: &[u8]| attributes.iter().find_map(|item| item.strip_prefix(label));
        let path = asker.sure(find(b"worktree "))?;
        let missing = attributes.iter().any(|item| item.starts_with(b"prunable"));
        if missing {
            asker.note(Code::WorktreeMissing);
        }
        asker.list(&mut listing, limits::PROBED_WORKTREES, |decoder| Worktree {
            path: decoder.show(path),
            // An unborn branch is printed with an id of zeros.
            head: find(b"HEAD ").and_then(object_id).filter(|oid| oid.bytes().any(|digit| digit != b'0')),
            branch: find(b"branch ").map(|name| decoder.show(name)),
            missing,
        });
    }
    Some(listing)
}

/// How many entries the stash has.
pub fn ask_stashes(asker: &mut Asker<'_>) -> Option<u64> {
    let output = asker.ask(&["rev-parse", "--quiet", "--verify", "refs/stash"])?;
    match output.exit {
        0 => {}
        1 => return Some(0),
        _ => return asker.sure(None),
    }
    let output = asker.ask_sure(&["rev-list", "--walk-reflogs", "refs/stash", "--"])?;
    u64::try_from(lines(&output.stdout).count()).ok()
}

/// `log` without anything that a repository can hang on it.
fn log(asker: &mut Asker<'_>, format: &str, more: &[&str]) -> Option<Output> {
    let most = format!("--max-count={}", limits::PROBED_COMMITS);
    let mut arguments = vec!["log", "-z", &most, format];
    arguments.extend(["--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-patch", "--no-color"]);
    arguments.extend(["--no-mailmap", "--encoding=UTF-8"]);
    arguments.extend(more);
    arguments.extend(["HEAD", "--"]);
    asker.ask_sure(&arguments)
}

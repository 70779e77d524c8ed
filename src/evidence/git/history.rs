//! Questions about commits, movements of HEAD, references, worktrees and stashes.

use super::asker::Asker;
use super::process::Output;
use super::snapshot::{Commit, Listing, Reference, Reflog, Snapshot, Worktree};
use super::text::{items, lines, object_id};
use crate::base::limits;
use crate::base::rules::Code;

/// The newest commits and movements of HEAD.
pub fn ask_history(asker: &mut Asker<'_>, snapshot: &mut Snapshot) {
    let Some(head) = snapshot.head.clone() else { return };
    if let Some(output) = log(asker, "--format=%H%x00%ct%x00%s", &[&head]) {
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
    snapshot.reflog = ask_reflog(asker);
}

fn ask_reflog(asker: &mut Asker<'_>) -> Option<Vec<Reflog>> {
    let mut entries = Vec::new();
    if has_reflog(asker, "HEAD")? {
        let output = log(asker, "--format=%H%x00%gs", &["--walk-reflogs", "HEAD"])?;
        entries = asker.rows(&output, 2, |decoder, row| {
            Some(Reflog { oid: object_id(row.first()?)?, action: decoder.show(row.get(1)?) })
        })?;
    }
    if entries.is_empty() {
        asker.note(Code::ReflogMissing);
        return None;
    }
    Some(entries)
}

/// Whether movements of just this reference were written down. Without the question git would tell those of another
/// reference instead, HEAD's branch or a branch that is called so.
fn has_reflog(asker: &mut Asker<'_>, name: &str) -> Option<bool> {
    match asker.ask(&["reflog", "exists", name])?.exit {
        0 => Some(true),
        1 => Some(false),
        _ => asker.sure(None),
    }
}

/// All references by name; only the first are listed.
pub fn ask_references(asker: &mut Asker<'_>) -> Option<Listing<Reference>> {
    let output = asker.ask_sure(&["for-each-ref", "--format=%(objectname) %(refname)"])?;
    if output.warned {
        // Of a damaged reference git only warns.
        asker.note(Code::GitFactsOmitted);
    }
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
    if !has_reflog(asker, "refs/stash")? {
        return Some(0);
    }
    let output = asker.ask_sure(&["rev-list", "--walk-reflogs", "refs/stash", "--"])?;
    u64::try_from(lines(&output.stdout).count()).ok()
}

/// `log` without anything that a repository can hang on it.
fn log(asker: &mut Asker<'_>, format: &str, more: &[&str]) -> Option<Output> {
    let most = format!("--max-count={}", limits::PROBED_COMMITS);
    let mut arguments = vec!["log", "-z", &most, format];
    arguments.extend(["--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-patch", "--no-color"]);
    arguments.extend(["--no-mailmap", "--no-notes", "--encoding=UTF-8"]);
    arguments.extend(more);
    arguments.push("--");
    asker.ask_sure(&arguments)
}

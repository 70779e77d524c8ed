//! Questions about HEAD, its branch and its upstream. Names go to git in full and are looked for in what it answers:
//! git takes a short name for one of a tag or branch of that name, and finds a tag `HEAD` where there is no commit.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::asker::Asker;
use super::snapshot::Snapshot;
use super::text::{lines, object_id};
use crate::base::rules::Code;

/// HEAD, its branch, its upstream and how far the two are apart. A branch without a commit is no error.
pub fn ask_head(asker: &mut Asker<'_>, snapshot: &mut Snapshot) {
    match current_branch(asker) {
        Some(Some(branch)) => {
            let short = branch.strip_prefix(b"refs/heads/").unwrap_or(&branch);
            snapshot.branch = Some(asker.decoder.show(short));
            ask_branch(asker, snapshot, &branch);
        }
        Some(None) => {
            asker.note(Code::DetachedHead);
            if let Some(output) = asker.ask_sure(&["rev-parse", "--quiet", "--verify", "HEAD"]) {
                snapshot.head = asker.sure(lines(&output.stdout).next().and_then(object_id));
            }
        }
        None => {}
    }
}

/// The full name of the branch; `Some(None)` when HEAD is detached, `None` when it could not be learnt.
fn current_branch(asker: &mut Asker<'_>) -> Option<Option<Vec<u8>>> {
    let output = asker.ask(&["symbolic-ref", "--quiet", "HEAD"])?;
    match output.exit {
        0 => asker.sure(lines(&output.stdout).next().map(|name| Some(name.to_vec()))),
        1 => Some(None),
        _ => asker.sure(None),
    }
}

fn ask_branch(asker: &mut Asker<'_>, snapshot: &mut Snapshot, branch: &[u8]) {
    let Some(found) = ask_reference(asker, branch) else { return };
    let Some(Reference { oid, upstream }) = found else { return asker.note(Code::NoCommits) };
    snapshot.head = Some(oid.clone());
    if upstream.is_empty() {
        return asker.note(Code::NoUpstream);
    }
    snapshot.upstream = Some(asker.decoder.show(&upstream));
    match ask_reference(asker, &upstream) {
        Some(Some(theirs)) => compare(asker, snapshot, &oid, &theirs.oid),
        Some(None) => asker.note(Code::UpstreamGone),
        None => {}
    }
}

/// A reference that is there.
struct Reference {
    oid: String,
    upstream: Vec<u8>,
}

/// The reference of this full name; `Some(None)` when there is none, `None` when it could not be learnt.
fn ask_reference(asker: &mut Asker<'_>, name: &[u8]) -> Option<Option<Reference>> {
    let [question, format] =
        ["for-each-ref", "--format=%(refname)%00%(objectname)%00%(upstream)"].map(OsStr::new);
    let output = asker.ask_sure(&[question, format, OsStr::from_bytes(name)])?;
    let mut rows = lines(&output.stdout).map(|line| line.split(|byte| *byte == 0));
    let Some(mut row) = rows.find_map(|mut row| (row.next() == Some(name)).then_some(row)) else {
        // Of one that is damaged git only warns.
        return if output.warned { asker.sure(None) } else { Some(None) };
    };
    let oid = asker.sure(row.next().and_then(object_id))?;
    Some(Some(Reference { oid, upstream: row.next().unwrap_or_default().to_vec() }))
}

/// How far two commits are apart.
fn compare(asker: &mut Asker<'_>, snapshot: &mut Snapshot, ours: &str, theirs: &str) {
    let both = format!("{ours}...{theirs}");
    if let Some(output) = asker.ask_sure(&["rev-list", "--left-right", "--count", &both, "--"]) {
        let text = String::from_utf8_lossy(&output.stdout);
        let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
        snapshot.ahead = asker.sure(numbers.next().flatten());
        snapshot.behind = asker.sure(numbers.next().flatten());
    }
    if let Some(output) = asker.ask(&["merge-base", ours, theirs]) {
        match output.exit {
            0 => snapshot.merge_base = asker.sure(lines(&output.stdout).next().and_then(object_id)),
            1 => asker.note(Code::NoMergeBase),
            _ => asker.note(Code::ProbeFailed),
        }
    }
}

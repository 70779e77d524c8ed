//! Questions about HEAD, its branch and its upstream.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use super::asker::Asker;
use super::snapshot::Snapshot;
use super::text::{lines, object_id};
use crate::base::rules::Code;

/// HEAD and its branch. A branch without a commit is no error.
pub fn ask_head(asker: &mut Asker<'_>, snapshot: &mut Snapshot) {
    if let Some(output) = asker.ask(&["rev-parse", "--quiet", "--verify", "HEAD"]) {
        match output.exit {
            0 => snapshot.head = asker.sure(lines(&output.stdout).next().and_then(object_id)),
            1 => asker.note(Code::NoCommits),
            _ => asker.note(Code::ProbeFailed),
        }
    }
    match current_branch(asker) {
        Some(Some(name)) => {
            let short = name.strip_prefix(b"refs/heads/").unwrap_or(&name);
            snapshot.branch = Some(asker.decoder.show(short));
        }
        Some(None) => asker.note(Code::DetachedHead),
        None => {}
    }
}

/// The upstream of the branch and how far the two are apart. The names are asked for again, because the
/// snapshot holds them escaped.
pub fn ask_upstream(asker: &mut Asker<'_>, snapshot: &mut Snapshot) {
    if snapshot.branch.is_none() || snapshot.head.is_none() {
        return;
    }
    let Some(Some(branch)) = current_branch(asker) else { return };
    let question = ["for-each-ref", "--format=%(upstream)"].map(OsStr::new);
    let Some(output) = asker.ask_sure(&with(&question, &branch)) else { return };
    let Some(upstream) = lines(&output.stdout).next() else { return asker.note(Code::NoUpstream) };
    snapshot.upstream = Some(asker.decoder.show(upstream));
    let question = ["rev-parse", "--quiet", "--verify"].map(OsStr::new);
    match asker.ask(&with(&question, &[upstream, b"^{commit}"].concat())) {
        Some(output) if output.exit == 0 => compare(asker, snapshot, upstream),
        Some(_) => asker.note(Code::UpstreamGone),
        None => {}
    }
}

fn compare(asker: &mut Asker<'_>, snapshot: &mut Snapshot, upstream: &[u8]) {
    let question = ["rev-list", "--left-right", "--count"].map(OsStr::new);
    if let Some(output) = asker.ask_sure(&with(&question, &[b"HEAD...", upstream].concat())) {
        let text = String::from_utf8_lossy(&output.stdout);
        let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
        snapshot.ahead = asker.sure(numbers.next().flatten());
        snapshot.behind = asker.sure(numbers.next().flatten());
    }
    if let Some(output) = asker.ask(&with(&["merge-base", "HEAD"].map(OsStr::new), upstream)) {
        match output.exit {
            0 => snapshot.merge_base = asker.sure(lines(&output.stdout).next().and_then(object_id)),
            1 => asker.note(Code::NoMergeBase),
            _ => asker.note(Code::ProbeFailed),
        }
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

/// A question with a name of the repository at its end. Full names begin with `refs/`, never with `-`.
fn with(question: &[&OsStr], name: &[u8]) -> Vec<OsString> {
    let name = OsStr::from_bytes(name);
    question.iter().copied().chain([name]).map(OsStr::to_owned).collect()
}

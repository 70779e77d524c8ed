//! The fixed list of questions that make a snapshot. Each may fail alone: then its field is absent and a
//! code says why. The work tree, which takes longest, is looked at beside all other questions.

use camino::Utf8Path;

use super::asker::Asker;
use super::contents::read_whole;
use super::deadline::Deadline;
use super::guard::Guarded;
use super::head::ask_head;
use super::history::{ask_history, ask_references, ask_stashes, ask_worktrees};
use super::index::Index;
use super::layout::Layout;
use super::program::Git;
use super::snapshot::{Label, Snapshot, Status};
use super::status::ask_status;
use super::text::lines;
use crate::base::rules::Code;

/// Probes the repository whose root is `root` and calls it `repo-<number>`. The error is the code of why
/// there is no snapshot; nothing is learnt then.
pub fn probe(root: &Utf8Path, number: usize, now: jiff::Timestamp, git: &Git) -> Result<Snapshot, Code> {
    probe_until(root, number, now, git, Deadline::of_repository())
}

/// As [`probe`], with a bound of its own.
pub fn probe_until(
    root: &Utf8Path,
    number: usize,
    now: jiff::Timestamp,
    git: &Git,
    deadline: Deadline,
) -> Result<Snapshot, Code> {
    let place = root.to_owned();
    let layout = deadline.look(move || read_whole(&place))?;
    let guarded = Guarded::admit(git, &layout, deadline)?;
    let (object_format, shallow) = ask_format(&guarded)?;
    let mut asker = Asker::new(&guarded);
    if shallow {
        asker.note(Code::ShallowRepository);
    }
    let mut snapshot = begin(&mut asker, &layout, object_format);
    snapshot.repository = format!("repo-{number}");
    snapshot.probed_at = now.to_string();
    let mut beside = Asker::new(&guarded);
    std::thread::scope(|scope| {
        let status = scope.spawn(|| ask_work_tree(&mut beside, &layout, object_format, deadline));
        ask_history_of(&mut asker, &mut snapshot);
        snapshot.status = status.join().unwrap_or_default();
    });
    asker.join(beside);
    snapshot.damaged_texts = asker.decoder.damaged;
    snapshot.limitations = asker.into_limitations();
    Ok(snapshot)
}

/// Everything but the work tree.
fn ask_history_of(asker: &mut Asker<'_>, snapshot: &mut Snapshot) {
    ask_head(asker, snapshot);
    ask_history(asker, snapshot);
    snapshot.refs = ask_references(asker);
    snapshot.worktrees = ask_worktrees(asker);
    snapshot.stashes = ask_stashes(asker);
}

fn ask_work_tree(
    asker: &mut Asker<'_>,
    layout: &Layout,
    object_format: &str,
    deadline: Deadline,
) -> Option<Status> {
    if layout.bare {
        asker.note(Code::BareRepository);
        return None;
    }
    let path = layout.git_dir.join("index");
    let id_bytes = if object_format == "sha256" { 32 } else { 20 };
    match deadline.look(move || Index::read(&path, id_bytes)) {
        Ok(index) => ask_status(asker, index),
        Err(code) => {
            asker.note(code);
            None
        }
    }
}

/// The object format, and whether the history is cut.
fn ask_format(guarded: &Guarded<'_>) -> Result<(&'static str, bool), Code> {
    let output = guarded.run(&["rev-parse", "--show-object-format", "--is-shallow-repository"])?;
    let mut answers = lines(&output.stdout);
    let object_format = match answers.next() {
        Some(b"sha1") => "sha1",
        Some(b"sha256") => "sha256",
        _ => return Err(Code::ProbeFailed),
    };
    match answers.next() {
        Some(b"false") => Ok((object_format, false)),
        Some(b"true") => Ok((object_format, true)),
        _ => Err(Code::ProbeFailed),
    }
}

/// A snapshot in which nothing but the place is known.
fn begin(asker: &mut Asker<'_>, layout: &Layout, object_format: &str) -> Snapshot {
    let mut path = |path: &Utf8Path| asker.decoder.show(path.as_str().as_bytes());
    Snapshot {
        repository: String::new(),
        label: Label::VerifiedNowOnly,
        probed_at: String::new(),
        root: path(&layout.root),
        git_dir: path(&layout.git_dir),
        common_dir: path(&layout.common_dir),
        object_format: object_format.to_owned(),
        head: None,
        branch: None,
        upstream: None,
        ahead: None,
        behind: None,
        merge_base: None,
        status: None,
        refs: None,
        recent_commits: None,
        reflog: None,
        worktrees: None,
        stashes: None,
        damaged_texts: 0,
        limitations: Vec::new(),
    }
}

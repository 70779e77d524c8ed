//! Looks at one file: which session it holds, or why none.

use camino::Utf8Path;

use super::ends::{Tail, opening};
use super::entry::{Entry, Kind, Marks, NoSession, Rejected};
use super::facts::Facts;
use super::roots::{RootKind, Skip};
use super::sidecar;
use crate::base::ids::Harness;
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::transcript::claude::lineage::is_journal;
use crate::evidence::transcript::detect::{HEAD_RECORDS, identify_document, identify_records, looks_like};
use crate::evidence::transcript::input::FileReader;
use crate::evidence::transcript::opening::{Opening, stem};
use crate::evidence::transcript::reading::Identity;

/// What a file turned out to be.
#[derive(Debug)]
pub(super) enum Seen {
    Session(Box<Entry>),
    No(Rejected),
    Skipped(Skip),
}

/// Looks at a file below a root. Nothing about one file stops the search.
pub(super) fn look(path: &Utf8Path, root: RootKind) -> Seen {
    match Source::open(path).and_then(|source| look_at(&source, root == RootKind::ArchivedSessions)) {
        Ok(seen) => seen,
        Err(refusal) if refusal.code() == Code::SourceNotRegular => Seen::Skipped(Skip::NotRegular),
        Err(_) => Seen::Skipped(Skip::Unreadable),
    }
}

/// The session of a file that a person named.
///
/// # Errors
/// `source-missing`, `source-not-regular`, `read-failed`; `not-a-transcript`, `compressed-damaged`,
/// `compressed-too-large`.
pub fn session_at(path: &Utf8Path) -> Result<Entry> {
    let archived = path.parent().and_then(Utf8Path::file_name) == Some(RootKind::ArchivedSessions.folder());
    match look_at(&Source::open(path)?, archived)? {
        Seen::Session(entry) => Ok(*entry),
        Seen::No(Rejected { why: NoSession::Compressed(trouble), .. }) => {
            Err(Refusal::new(trouble.code()).at(path))
        }
        Seen::No(rejected) => Err(Refusal::new(Code::NotATranscript).at(rejected.why.sentence())),
        Seen::Skipped(_) => Err(Refusal::new(Code::SourceNotRegular).at(path)),
    }
}

fn look_at(source: &Source, archived: bool) -> Result<Seen> {
    let path = source.path();
    let compressed = path.as_str().ends_with(".zst");
    let changed = source.file().metadata().and_then(|metadata| metadata.modified()).ok();
    let changed = changed.and_then(|time| jiff::Timestamp::try_from(time).ok());
    let size_bytes = source.size_bytes_at_open();
    let no = |why| Seen::No(Rejected { path: path.to_owned(), why, size_bytes, changed });
    if size_bytes == 0 {
        return Ok(no(NoSession::Empty));
    }
    let (opening, identity) = match recognise(source, compressed)? {
        Ok(found) => found,
        Err(why) => return Ok(no(why)),
    };
    let head = opening.records();
    let tail = if opening.whole || compressed || identity.is_document() {
        Tail::default()
    } else {
        Tail::read(source)?
    };
    let sidecar = identity.agent.as_ref().and_then(|_| sidecar::read(path));
    let facts = Facts::of(&identity, sidecar.as_ref(), &head, &tail.records());
    if opening.whole && !facts.conversation && !identity.child {
        return Ok(no(NoSession::SideRowsOnly));
    }
    let marks = Marks {
        archived,
        compressed,
        relocated: facts.relocated,
        damaged: opening.damaged || tail.damaged,
        cut: (opening.whole && opening.cut) || tail.cut,
        name_disagrees: facts.other_agent || folder_disagrees(path, &identity),
    };
    Ok(Seen::Session(Box::new(Entry {
        path: path.to_owned(),
        boundary: identity.boundary(),
        kind: kind(path, &identity, &facts),
        size_bytes,
        changed,
        links: facts.links,
        sidecar,
        work_directories: facts.work_directories,
        branches: facts.branches,
        marks,
        identity,
    })))
}

fn document(source: &Source, stem: &str, count: usize) -> Result<Option<Identity>> {
    let reader = FileReader::at(source, 0)?;
    identify_document(stem, reader, source.size_bytes_at_open(), count)
        .map_err(|error| source.read_failed(error))
}

/// The first records and the identity, asked in the same steps as when the file is collected.
fn recognise(
    source: &Source,
    compressed: bool,
) -> Result<std::result::Result<(Opening, Identity), NoSession>> {
    let stem = stem(source.path());
    let mut why = NoSession::Empty;
    for count in HEAD_RECORDS {
        let opening = match opening(source, compressed, count)? {
            Ok(opening) => opening,
            Err(trouble) => return Ok(Err(NoSession::Compressed(trouble))),
        };
        let records = opening.records();
        if let Some(identity) = identify_records(stem, &records) {
            return Ok(Ok((opening, identity)));
        }
        if !compressed && let Some(identity) = document(source, stem, count)? {
            // It has no lines: nothing that its ends look like is damage.
            return Ok(Ok((Opening { end_bytes: opening.end_bytes, ..Opening::default() }, identity)));
        }
        why = if !records.is_empty() && records.iter().all(is_journal) {
            NoSession::Journal
        } else {
            NoSession::Other(looks_like(&opening.start, !records.is_empty()))
        };
        if opening.whole {
            break;
        }
    }
    Ok(Err(why))
}

fn kind(path: &Utf8Path, identity: &Identity, facts: &Facts) -> Kind {
    match (identity.harness, identity.agent.as_deref()) {
        (Harness::Claude, None) => Kind::Session,
        (Harness::Claude, Some(agent)) if agent.starts_with("acompact-") => Kind::SideRun,
        (Harness::Claude, Some(_)) if path.as_str().contains("/subagents/workflows/") => Kind::WorkflowAgent,
        (Harness::Claude, Some(_)) => Kind::Child,
        (Harness::Codex, _) if facts.housekeeping => Kind::SideRun,
        (Harness::Codex, _) if identity.child => Kind::Child,
        (Harness::Codex, _) => Kind::Session,
    }
}

/// A child in the folder of one session whose rows carry another.
fn folder_disagrees(path: &Utf8Path, identity: &Identity) -> bool {
    let below = path.ancestors().find(|folder| folder.file_name() == Some("subagents"));
    let session = below.and_then(Utf8Path::parent).and_then(Utf8Path::file_name);
    identity.agent.is_some() && session.is_some_and(|session| session != identity.session)
}

/// A sidecar without its transcript.
pub(super) fn lonely_sidecar(path: &Utf8Path) -> Option<Rejected> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    Some(Rejected {
        path: path.to_owned(),
        why: NoSession::SidecarAlone,
        size_bytes: metadata.len(),
        changed: metadata.modified().ok().and_then(|time| jiff::Timestamp::try_from(time).ok()),
    })
}

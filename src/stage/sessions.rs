//! sessions: what is there, newest first, and why the rest is not. The order by time is for a person's eye; no stage
//! ever chooses by it.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use super::find::search;
use super::world::World;
use crate::base::Result;
use crate::base::credential::Spotter;
use crate::base::ids::{BoundaryId, Harness};
use crate::evidence::catalogue::roots::Skip;
use crate::evidence::catalogue::{Catalogue, Entry, Kind, Link, NoSession, Rejected, Relation, Root};
use crate::evidence::scrub::{Numbering, Scrubbed, Spotted};
use crate::evidence::transcript::Raw;

/// Which sessions to list.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// Only of this harness.
    pub harness: Option<Harness>,
    /// Only those that worked in this folder or below.
    pub work_directory: Option<Utf8PathBuf>,
    /// Only those that worked on this branch.
    pub branch: Option<String>,
    /// Only those whose file changed since then.
    pub since: Option<jiff::Timestamp>,
    /// At most so many; `None` for all, with children, older files of a thread and what is no session.
    pub limit: Option<usize>,
}

/// The document of `recap sessions --json`.
#[derive(Debug, Serialize)]
pub struct Listing {
    /// `recap.sessions.v1`.
    pub schema_version: &'static str,
    /// Newest first.
    pub sessions: Vec<Row>,
    /// How many fit the question; more than are listed where a limit cut.
    pub matched: u64,
    /// What fits, too, and is listed with `--all` only, by kind.
    pub hidden: BTreeMap<&'static str, u64>,
    /// Files that are no session, by reason.
    pub not_sessions: BTreeMap<NoSession, u64>,
    /// The same one by one, with `--all` only.
    pub no_session_files: Vec<NoSessionRow>,
    /// Every root that was searched.
    pub roots: Vec<RootRow>,
}

/// One session.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its boundary id.
    pub boundary: BoundaryId,
    /// The kind of session.
    pub kind: &'static str,
    /// The form of its file.
    pub form: &'static str,
    /// The id that its harness gave it.
    pub native_id: Scrubbed,
    /// Where it lies.
    pub path: Scrubbed,
    /// Its size as stored.
    pub size_bytes: u64,
    /// When the file was last changed.
    pub changed: Option<String>,
    /// The work directory that it named last.
    pub work_directory: Option<Scrubbed>,
    /// The branch that it named last.
    pub branch: Option<Scrubbed>,
    /// What is so about it, in the order of the schema.
    pub flags: Vec<&'static str>,
    /// What it proves about others.
    pub links: Vec<LinkRow>,
}

/// One relation to other sessions.
#[derive(Debug, Serialize)]
pub struct LinkRow {
    /// How it stands to them.
    pub relation: &'static str,
    /// The native member that proves it.
    pub proof: &'static str,
    /// Whom it can mean: usually one; none where that is not known.
    pub boundaries: Vec<BoundaryId>,
}

/// A file that is no session.
#[derive(Debug, Serialize)]
pub struct NoSessionRow {
    /// Where it lies.
    pub path: Scrubbed,
    /// Why it is none.
    pub why: NoSession,
    /// Its size as stored.
    pub size_bytes: u64,
    /// When it was last changed.
    pub changed: Option<String>,
}

/// One root.
#[derive(Debug, Serialize)]
pub struct RootRow {
    /// Whose.
    pub harness: Harness,
    /// Its folder below the harness's home.
    pub name: &'static str,
    /// Where.
    pub path: Scrubbed,
    /// It is there and can be listed.
    pub exists: bool,
    /// Folders below it.
    pub folders: u64,
    /// Files below it.
    pub files: u64,
    /// What was passed over, by reason.
    pub skipped: BTreeMap<Skip, u64>,
}

/// Lists sessions.
///
/// # Errors
/// `interrupted`.
pub fn sessions(world: &World<'_>, ask: &Ask) -> Result<Listing> {
    let catalogue = search(world, ask.harness)?;
    let place = ask.work_directory.as_ref().map(|folder| Place::of(&world.absolute(folder)));
    let mut found: Vec<&Entry> =
        catalogue.entries().iter().filter(|entry| fits(entry, ask, place.as_ref())).collect();
    found.sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| one.path.cmp(&other.path)));
    let mut hidden = BTreeMap::new();
    if ask.limit.is_some() {
        found.retain(|entry| match aside(&catalogue, entry) {
            Some(why) => {
                *hidden.entry(why).or_default() += 1;
                false
            }
            None => true,
        });
    }
    let mut scrub = Scrub(Numbering::new([0; 32]));
    let matched = found.len() as u64;
    let rows = found.iter().take(ask.limit.unwrap_or(usize::MAX));
    let rows: Vec<Row> = rows.map(|entry| row(&catalogue, entry, &mut scrub)).collect();
    let mut not_sessions = BTreeMap::new();
    for file in catalogue.rejected() {
        *not_sessions.entry(file.why).or_default() += 1;
    }
    let files = if ask.limit.is_none() { catalogue.rejected() } else { &[] };
    Ok(Listing {
        schema_version: "recap.sessions.v1",
        sessions: rows,
        matched,
        hidden,
        not_sessions,
        no_session_files: files.iter().map(|file| no_session_row(file, &mut scrub)).collect(),
        roots: catalogue.roots().iter().map(|root| root_row(root, &mut scrub)).collect(),
    })
}

/// A folder, as it was given and with its links resolved: harnesses write the latter.
struct Place {
    given: Utf8PathBuf,
    resolved: Option<Utf8PathBuf>,
}

impl Place {
    fn of(given: &Utf8Path) -> Self {
        // `.` and `..` go by their text where the folder is gone.
        let mut plain = Utf8PathBuf::new();
        for part in given.components() {
            match part {
                camino::Utf8Component::ParentDir => {
                    plain.pop();
                }
                camino::Utf8Component::CurDir => {}
                part => plain.push(part),
            }
        }
        Self { resolved: given.canonicalize_utf8().ok(), given: plain }
    }

    fn holds(&self, folder: &str) -> bool {
        let folder = Utf8Path::new(folder);
        folder.starts_with(&self.given)
            || self.resolved.as_ref().is_some_and(|place| folder.starts_with(place))
    }
}

fn fits(entry: &Entry, ask: &Ask, place: Option<&Place>) -> bool {
    let in_place = |place: &Place| entry.work_directories.iter().any(|folder| place.holds(folder.expose()));
    let on_branch = |branch: &String| entry.branches.iter().any(|known| known.expose() == branch);
    place.is_none_or(in_place)
        && ask.branch.as_ref().is_none_or(on_branch)
        && ask.since.is_none_or(|since| entry.changed.is_some_and(|changed| changed >= since))
}

/// Why a session is not listed without `--all`: it is part of another one's story.
fn aside(catalogue: &Catalogue, entry: &Entry) -> Option<&'static str> {
    match entry.kind {
        Kind::Session if catalogue.is_superseded(entry) => Some("superseded"),
        Kind::Session => None,
        kind => Some(kind.name()),
    }
}

fn flags(catalogue: &Catalogue, entry: &Entry) -> Vec<&'static str> {
    let marks = &entry.marks;
    let linked = |relation| entry.linked(relation).next().is_some();
    let kind = entry.kind.name();
    let all = [
        (kind, entry.kind != Kind::Session),
        ("maybe-live", catalogue.is_running(entry)),
        ("archived", marks.archived),
        ("compressed", marks.compressed),
        ("fork", is_fork(catalogue, entry)),
        ("continued", linked(Relation::ContinuedIn)),
        ("superseded", catalogue.is_superseded(entry)),
        ("relocated", marks.relocated),
        ("several-files", catalogue.files_of(entry.boundary).len() > 1),
        ("parent-missing", catalogue.is_orphan(entry)),
        ("name-disagrees", marks.name_disagrees),
        ("damaged", marks.damaged),
        ("cut", marks.cut),
    ];
    all.into_iter().filter(|(_, is_so)| *is_so).map(|(flag, _)| flag).collect()
}

/// Whether it took over the history of another session; a later file of one thread is no fork of it.
fn is_fork(catalogue: &Catalogue, entry: &Entry) -> bool {
    entry.linked(Relation::ForkOf).any(|link| {
        let targets = catalogue.targets(&link.to);
        targets.is_empty() || targets.iter().any(|other| other.identity.session != entry.identity.session)
    })
}

/// Scrubs what stands in a list: the same secret has the same number within it.
struct Scrub(Numbering);

impl Scrub {
    fn text(&mut self, text: &str) -> Scrubbed {
        self.0.scrub(Spotted::new(Raw::from(text), Spotter::global()))
    }
}

fn row(catalogue: &Catalogue, entry: &Entry, scrub: &mut Scrub) -> Row {
    let identity = &entry.identity;
    let native = match &identity.agent {
        Some(agent) => format!("agent-{agent}"),
        None => identity.session.clone(),
    };
    Row {
        boundary: entry.boundary,
        kind: entry.kind.name(),
        form: identity.form,
        native_id: scrub.text(&native),
        path: scrub.text(entry.path.as_str()),
        size_bytes: entry.size_bytes,
        changed: entry.changed.map(|time| time.to_string()),
        work_directory: entry.work_directories.last().map(|folder| scrub.text(folder.expose())),
        branch: entry.branches.last().map(|branch| scrub.text(branch.expose())),
        flags: flags(catalogue, entry),
        links: entry.links.iter().map(|link| link_row(catalogue, link)).collect(),
    }
}

fn link_row(catalogue: &Catalogue, link: &Link) -> LinkRow {
    let mut boundaries: Vec<BoundaryId> = catalogue
        .targets(&link.to)
        .into_iter()
        .map(|entry| entry.boundary)
        .chain(link.to.boundary())
        .collect();
    boundaries.sort();
    boundaries.dedup();
    LinkRow { relation: link.relation.name(), proof: link.proof.name(), boundaries }
}

fn no_session_row(file: &Rejected, scrub: &mut Scrub) -> NoSessionRow {
    NoSessionRow {
        path: scrub.text(file.path.as_str()),
        why: file.why,
        size_bytes: file.size_bytes,
        changed: file.changed.map(|time| time.to_string()),
    }
}

fn root_row(root: &Root, scrub: &mut Scrub) -> RootRow {
    RootRow {
        harness: root.kind.harness(),
        name: root.kind.folder(),
        path: scrub.text(root.path.as_str()),
        exists: root.exists,
        folders: root.folders,
        files: root.files,
        skipped: root.skipped.clone(),
    }
}

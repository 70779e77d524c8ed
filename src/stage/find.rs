//! Which session is meant: a path, a native id, a boundary id, or the one that we run in.

use camino::{Utf8Path, Utf8PathBuf};

use super::world::World;
use crate::base::ids::{BoundaryId, Harness};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::catalogue::look::session_at;
use crate::evidence::catalogue::resolve::listed;
use crate::evidence::catalogue::{Catalogue, Entry, Roots, Spec};
use crate::evidence::transcript::reading::Identity;

/// Variables by which a harness tells its children which session they run in, exact ids both.
const CURRENT: [(Harness, &str); 2] =
    [(Harness::Codex, "CODEX_THREAD_ID"), (Harness::Claude, "CLAUDE_CODE_SESSION_ID")];

/// How a session is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The one that the harness's environment names.
    Current,
    /// By path, native id or boundary id.
    Named(String),
}

/// One file, found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it lies, absolute.
    pub path: Utf8PathBuf,
    /// Who it is.
    pub identity: Identity,
    /// The boundary id that follows.
    pub boundary: BoundaryId,
}

impl From<&Entry> for Found {
    fn from(entry: &Entry) -> Self {
        Self { path: entry.path.clone(), identity: entry.identity.clone(), boundary: entry.boundary }
    }
}

/// Where the file of a session lies. A path is taken as it is, and looked at by whoever opens it.
///
/// # Errors
/// As [`find`], but for a path.
pub fn locate(world: &World<'_>, wanted: &Wanted) -> Result<Utf8PathBuf> {
    if let Wanted::Named(name) = wanted
        && let Spec::Path(path) = parse(world, name)?
    {
        return Ok(path);
    }
    find(world, wanted).map(|found| found.path)
}

fn parse(world: &World<'_>, name: &str) -> Result<Spec> {
    // Claude Code keeps a folder beside each session, under the session's id: that is no path to a transcript.
    let is_there =
        |path: &Utf8Path| world.absolute(path).symlink_metadata().is_ok_and(|there| !there.is_dir());
    Spec::parse(name, is_there)
}

/// Finds the file of a session. Never the nearest by time: what content does not decide is refused.
///
/// # Errors
/// `session-not-found`, `session-ambiguous`, `current-unknown`, `current-ambiguous`, `usage`; what opening a source
/// refuses; `not-a-transcript`, `compressed-damaged`, `compressed-too-large`, `interrupted`.
pub fn find(world: &World<'_>, wanted: &Wanted) -> Result<Found> {
    let name = match wanted {
        Wanted::Current => return current(world),
        Wanted::Named(name) => name,
    };
    let spec = parse(world, name)?;
    if let Spec::Path(path) = &spec {
        let path = world.absolute(path);
        return session_at(&path).map(|entry| Found::from(&entry));
    }
    let catalogue = search(world, None)?;
    let stop = &world.interrupted;
    let found = match &spec {
        Spec::Boundary(boundary) => catalogue.boundary(*boundary, stop),
        Spec::Digits(digits) => catalogue.digits(digits, stop),
        Spec::Native(id) => catalogue.native(id, None, stop),
        Spec::Path(_) => return Err(Refusal::new(Code::Usage)),
    };
    found.map(Found::from).map_err(|unresolved| unresolved.refusal(world.terminal))
}

/// Searches the harness roots, of one harness or of all.
///
/// # Errors
/// `interrupted`.
pub fn search(world: &World<'_>, harness: Option<Harness>) -> Result<Catalogue> {
    let roots = Roots::of_homes(&world.harness_homes());
    let roots = match harness {
        Some(harness) => roots.only(harness),
        None => roots,
    };
    Catalogue::read(&roots, &world.interrupted)
}

fn current(world: &World<'_>) -> Result<Found> {
    let named: Vec<(Harness, &str)> = CURRENT
        .iter()
        .filter_map(|(harness, variable)| world.variable(variable).map(|id| (*harness, id)))
        .collect();
    let stop = &world.interrupted;
    match named.as_slice() {
        [] => Err(Refusal::new(Code::CurrentUnknown)),
        [(harness, id)] => {
            let catalogue = search(world, Some(*harness))?;
            let found = catalogue.native(id, Some(*harness), stop);
            found.map(Found::from).map_err(|unresolved| unresolved.refusal(world.terminal))
        }
        several => {
            let catalogue = search(world, None)?;
            let found: Vec<&Entry> = several
                .iter()
                .filter_map(|(harness, id)| catalogue.native(id, Some(*harness), stop).ok())
                .collect();
            let refusal = Refusal::new(Code::CurrentAmbiguous);
            Err(if found.is_empty() {
                refusal
            } else {
                refusal.hint(format!("candidates: {}; use --session", listed(&found, world.terminal)))
            })
        }
    }
}

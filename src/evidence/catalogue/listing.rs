//! The catalogue: everything below the roots, looked at once.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use camino::Utf8PathBuf;

use super::entry::{Entry, NoSession, Rejected};
use super::link::{Relation, Target};
use super::look::{Seen, lonely_sidecar, look};
use super::roots::{Root, RootKind, Roots};
use super::running::Running;
use super::walk::{Candidates, walk};
use super::{link::Proof, sidecar};
use crate::base::ids::{BoundaryId, Harness};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::transcript::opening::stem;

/// Most threads that look at files.
const THREADS: usize = 6;

/// What is there.
#[derive(Debug)]
pub struct Catalogue {
    entries: Vec<Entry>,
    rejected: Vec<Rejected>,
    roots: Vec<Root>,
    running: Running,
    by_boundary: BTreeMap<BoundaryId, Vec<usize>>,
    by_native: BTreeMap<(Harness, String), Vec<usize>>,
}

impl Catalogue {
    /// Searches the roots. What cannot be looked at is counted in its root and stops nothing.
    ///
    /// # Errors
    /// `interrupted`.
    pub fn read(roots: &Roots, interrupted: &AtomicBool) -> Result<Self> {
        let mut roots = roots.unsearched();
        let mut files: Vec<(usize, Utf8PathBuf)> = Vec::new();
        let mut rejected = Vec::new();
        for (place, root) in roots.iter_mut().enumerate() {
            let Candidates { transcripts, sidecars } = walk(root, interrupted)?;
            let there: HashSet<&Utf8PathBuf> = transcripts.iter().collect();
            let alone = sidecars.iter().filter(|path| {
                sidecar::transcript_beside(path).is_some_and(|transcript| !there.contains(&transcript))
            });
            rejected.extend(alone.filter_map(|path| lonely_sidecar(path)));
            files.extend(transcripts.into_iter().map(|path| (place, path)));
        }
        let kinds: Vec<RootKind> = roots.iter().map(|root| root.kind).collect();
        let mut entries = Vec::new();
        for (place, seen) in look_at_all(&files, &kinds, interrupted)? {
            match seen {
                Seen::Session(entry) => entries.push(*entry),
                Seen::No(file) => rejected.push(file),
                Seen::Skipped(why) => {
                    if let Some(root) = roots.get_mut(place) {
                        *root.skipped.entry(why).or_default() += 1;
                    }
                }
            }
        }
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        rejected.sort_by(|one, other| one.path.cmp(&other.path));
        let running = Running::read(&roots);
        Ok(Self::of(entries, rejected, roots, running))
    }

    fn of(entries: Vec<Entry>, rejected: Vec<Rejected>, roots: Vec<Root>, running: Running) -> Self {
        let mut by_boundary: BTreeMap<BoundaryId, Vec<usize>> = BTreeMap::new();
        let mut by_native: BTreeMap<(Harness, String), Vec<usize>> = BTreeMap::new();
        for (place, entry) in entries.iter().enumerate() {
            by_boundary.entry(entry.boundary).or_default().push(place);
            let identity = &entry.identity;
            let native = identity.agent.as_ref().unwrap_or(&identity.session);
            by_native.entry((identity.harness, native.clone())).or_default().push(place);
        }
        Self { entries, rejected, roots, running, by_boundary, by_native }
    }

    /// Every session, by path.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Every file that is none, by path.
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// The roots, and what was seen and skipped there.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Whether a harness says that a process has the session open. A hint: such files outlive a crash.
    pub fn is_running(&self, entry: &Entry) -> bool {
        self.running.has(&entry.identity)
    }

    /// The files of one boundary: usually one.
    pub fn files_of(&self, boundary: BoundaryId) -> Vec<&Entry> {
        self.at(self.by_boundary.get(&boundary))
    }

    /// Sessions without agent, or all files of a thread, with this native id; or the child with this agent id.
    pub fn named(&self, harness: Harness, native: &str) -> Vec<&Entry> {
        self.at(self.by_native.get(&(harness, native.to_owned())))
    }

    /// Files of Codex with this rollout id, whatever their thread.
    pub fn rollouts(&self, rollout: &str) -> Vec<&Entry> {
        let is_it = |entry: &&Entry| entry.identity.harness == Harness::Codex && entry.rollout() == rollout;
        self.entries.iter().filter(is_it).collect()
    }

    /// The files that a link can mean: of one boundary for Claude and for a rollout, of one thread for Codex.
    pub fn targets(&self, target: &Target) -> Vec<&Entry> {
        match target {
            Target::Session { harness: Harness::Claude, .. } => {
                target.boundary().map_or_else(Vec::new, |boundary| self.files_of(boundary))
            }
            Target::Session { harness, session, .. } => self.named(*harness, session),
            Target::Rollout { rollout, .. } => self.rollouts(rollout),
            Target::Unnamed => Vec::new(),
        }
    }

    /// Whether a later file of the same thread builds on this one: then it is not where the thread stands (Codex).
    pub fn is_superseded(&self, entry: &Entry) -> bool {
        entry.identity.harness == Harness::Codex
            && self.named(Harness::Codex, &entry.identity.session).into_iter().any(|other| {
                other.rollout() != entry.rollout()
                    && base_of(other).is_some_and(|base| base == entry.rollout())
            })
    }

    /// Whether a child names a parent of which there is no file.
    pub fn is_orphan(&self, entry: &Entry) -> bool {
        let mut parents = entry.linked(Relation::ChildOf).peekable();
        parents.peek().is_some() && parents.all(|link| self.targets(&link.to).is_empty())
    }

    /// Why a file with this native id in its name is no session.
    pub fn why_not(&self, native: &str) -> Option<NoSession> {
        let names = |file: &&Rejected| {
            let before = stem(&file.path).strip_suffix(native);
            before.is_some_and(|before| before.is_empty() || before.ends_with('-'))
        };
        self.rejected.iter().find(names).map(|file| file.why)
    }

    fn at(&self, places: Option<&Vec<usize>>) -> Vec<&Entry> {
        places.into_iter().flatten().filter_map(|place| self.entries.get(*place)).collect()
    }
}

/// The rollout that a file names as its history.
pub(super) fn base_of(entry: &Entry) -> Option<&str> {
    entry.links.iter().find_map(|link| match &link.to {
        Target::Rollout { rollout, .. } if link.proof == Proof::HistoryBase => Some(rollout.as_str()),
        _ => None,
    })
}

/// Looks at files in several threads; the order of the answers is that of nobody.
fn look_at_all(
    files: &[(usize, Utf8PathBuf)],
    kinds: &[RootKind],
    interrupted: &AtomicBool,
) -> Result<Vec<(usize, Seen)>> {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(1, THREADS);
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        let mut own = Vec::new();
        while !interrupted.load(Ordering::Relaxed) {
            let Some((place, path)) = files.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let Some(kind) = kinds.get(*place) else { break };
            own.push((*place, look(path, *kind)));
        }
        if let Ok(mut all) = all.lock() {
            all.append(&mut own);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    if interrupted.load(Ordering::Relaxed) {
        return Err(Refusal::new(Code::Interrupted));
    }
    Ok(all.into_inner().unwrap_or_default())
}

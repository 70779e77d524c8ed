//! From a name to one file. Never the nearest by time: where content does not decide, the answer is the candidates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use super::copies::{Agreement, compare};
use super::entry::Entry;
use super::listing::{Catalogue, base_of};
use crate::base::Refusal;
use crate::base::ids::{BoundaryId, Harness};
use crate::base::rules::Code;

/// Why no single file was found.
#[derive(Debug)]
pub enum Unresolved<'c> {
    /// None has that identity; perhaps a file of that name is no session.
    NotFound(Option<&'static str>),
    /// More than one has it.
    Ambiguous {
        /// What makes them several, in our own words.
        why: &'static str,
        /// The files.
        candidates: Vec<&'c Entry>,
    },
    /// A file could not be compared.
    Refused(Refusal),
}

impl Unresolved<'_> {
    /// The refusal. `details` adds times and sizes: for a person's terminal only.
    pub fn refusal(self, details: bool) -> Refusal {
        match self {
            Self::NotFound(None) => {
                Refusal::new(Code::SessionNotFound).hint("`recap sessions` says what was searched")
            }
            Self::NotFound(Some(why)) => Refusal::new(Code::SessionNotFound)
                .hint(format!("a file of that name is {why}; give its path to collect it all the same")),
            Self::Ambiguous { why, candidates } => Refusal::new(Code::SessionAmbiguous)
                .at(why)
                .hint(format!("candidates: {}; {}", listed(&candidates, details), advice(&candidates))),
            Self::Refused(refusal) => refusal,
        }
    }
}

/// Candidates as boundary ids, each once with the number of its files.
pub fn listed(candidates: &[&Entry], details: bool) -> String {
    let mut by_boundary: BTreeMap<BoundaryId, Vec<&Entry>> = BTreeMap::new();
    for entry in candidates {
        by_boundary.entry(entry.boundary).or_default().push(entry);
    }
    let one = |(boundary, files): (BoundaryId, Vec<&Entry>)| {
        let mut text = boundary.to_string();
        if files.len() > 1 {
            text.push_str(&format!(" in {} files", files.len()));
        }
        if details {
            let each = files.iter().map(|entry| {
                let changed = entry.changed.map_or_else(|| "no time".to_owned(), |time| time.to_string());
                format!("{} bytes, changed {changed}", entry.size_bytes)
            });
            text.push_str(&format!(" ({})", each.collect::<Vec<_>>().join(" / ")));
        }
        text
    };
    by_boundary.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

fn advice(candidates: &[&Entry]) -> &'static str {
    let boundaries: BTreeSet<BoundaryId> = candidates.iter().map(|entry| entry.boundary).collect();
    if boundaries.len() > 1 { "give one of these ids, or a path" } else { "give the path of one" }
}

impl Catalogue {
    /// The one file of a boundary.
    ///
    /// # Errors
    /// See [`Unresolved`].
    pub fn boundary(&self, boundary: BoundaryId, interrupted: &AtomicBool) -> Result<&Entry, Unresolved<'_>> {
        settle(self.files_of(boundary), interrupted)
    }

    /// The one file of a boundary of which only the digits are known.
    ///
    /// # Errors
    /// See [`Unresolved`].
    pub fn digits(&self, digits: &str, interrupted: &AtomicBool) -> Result<&Entry, Unresolved<'_>> {
        let found = self.entries().iter().filter(|entry| entry.boundary.hex() == digits).collect();
        settle(found, interrupted)
    }

    /// The one file of a session, thread, rollout or child by the id that its harness gave it.
    ///
    /// # Errors
    /// See [`Unresolved`].
    pub fn native(
        &self,
        id: &str,
        only: Option<Harness>,
        interrupted: &AtomicBool,
    ) -> Result<&Entry, Unresolved<'_>> {
        let asked = |harness| only.is_none_or(|only| only == harness);
        let mut found = Vec::new();
        if asked(Harness::Claude) {
            found.extend(self.named(Harness::Claude, id));
            found.extend(
                id.strip_prefix("agent-").into_iter().flat_map(|agent| self.named(Harness::Claude, agent)),
            );
        }
        let mut threads = Vec::new();
        if asked(Harness::Codex) {
            threads = self.named(Harness::Codex, id);
            if threads.is_empty() {
                found.extend(self.rollouts(id));
            }
        }
        match (found.is_empty(), threads.is_empty()) {
            (true, true) => Err(Unresolved::NotFound(self.why_not(id).map(super::NoSession::sentence))),
            (true, false) => head_of_thread(threads, interrupted),
            (false, true) => settle(found, interrupted),
            (false, false) => {
                found.append(&mut threads);
                Err(Unresolved::Ambiguous { why: "sessions of two harnesses", candidates: found })
            }
        }
    }

    /// Where a thread of Codex stands: the file that no other file of the thread builds on.
    ///
    /// # Errors
    /// See [`Unresolved`].
    pub fn thread(&self, thread: &str, interrupted: &AtomicBool) -> Result<&Entry, Unresolved<'_>> {
        head_of_thread(self.named(Harness::Codex, thread), interrupted)
    }
}

fn head_of_thread<'c>(files: Vec<&'c Entry>, interrupted: &AtomicBool) -> Result<&'c Entry, Unresolved<'c>> {
    if is_half_archived(&files) {
        return Err(Unresolved::Ambiguous { why: HALF_ARCHIVED, candidates: files });
    }
    let mut rollouts: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &files {
        rollouts.entry(entry.rollout()).or_default().push(entry);
    }
    let bases: BTreeSet<&str> =
        files.iter().filter_map(|entry| base_of(entry).filter(|base| *base != entry.rollout())).collect();
    let mut heads: Vec<Vec<&Entry>> = rollouts
        .into_iter()
        .filter(|(rollout, _)| !bases.contains(rollout))
        .map(|(_, files)| files)
        .collect();
    match (heads.pop(), heads.is_empty()) {
        (Some(head), true) => settle(head, interrupted),
        (None, _) if files.is_empty() => Err(Unresolved::NotFound(None)),
        (None, _) => Err(Unresolved::Ambiguous {
            why: "files of one thread that build on one another",
            candidates: files,
        }),
        (Some(head), false) => {
            let candidates = heads.into_iter().flatten().chain(head).collect();
            Err(Unresolved::Ambiguous {
                why: "several files of one thread that no other builds on",
                candidates,
            })
        }
    }
}

const HALF_ARCHIVED: &str = "one both live and archived";

fn is_half_archived(files: &[&Entry]) -> bool {
    files.iter().any(|entry| entry.marks.archived) && files.iter().any(|entry| !entry.marks.archived)
}

/// Of several files of one boundary the one that holds all that the others hold.
fn settle<'c>(files: Vec<&'c Entry>, interrupted: &AtomicBool) -> Result<&'c Entry, Unresolved<'c>> {
    let Some((first, rest)) = files.split_first() else { return Err(Unresolved::NotFound(None)) };
    let refuse = |why| Err(Unresolved::Ambiguous { why, candidates: files.clone() });
    if rest.iter().any(|entry| entry.boundary != first.boundary) {
        return refuse("several sessions");
    }
    if is_half_archived(&files) {
        return refuse(HALF_ARCHIVED);
    }
    let mut best = *first;
    for entry in rest {
        let agreement = match compare(best, entry, interrupted) {
            Ok(agreement) => agreement,
            // Codex reads the plain file; what does not decode says nothing against it.
            Err(refusal) if is_undecodable(&refusal) && best.marks.compressed != entry.marks.compressed => {
                best = if best.marks.compressed { *entry } else { best };
                continue;
            }
            Err(refusal) => return Err(Unresolved::Refused(refusal)),
        };
        let (longer, shorter) = match agreement {
            Agreement::Different => return refuse("copies that differ"),
            Agreement::Equal => {
                if best.marks.compressed && !entry.marks.compressed {
                    best = entry;
                }
                continue;
            }
            Agreement::FirstIsBeginning => (*entry, best),
            Agreement::SecondIsBeginning => (best, *entry),
        };
        // Codex goes on in the plain file. One that is shorter than what it was compressed to was cut, or is being written.
        if longer.marks.compressed && !shorter.marks.compressed {
            return refuse("a plain file that is shorter than the compressed one");
        }
        best = longer;
    }
    Ok(best)
}

fn is_undecodable(refusal: &Refusal) -> bool {
    matches!(refusal.code(), Code::CompressedDamaged | Code::CompressedTooLarge)
}

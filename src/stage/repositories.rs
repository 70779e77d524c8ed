//! Which repositories may be probed: those that a person names, and the recorded work directories of a transcript
//! under this machine's own harness roots. A transcript from elsewhere must not aim probes.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::world::World;
use crate::base::limits::LISTED_CANDIDATES;
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::evidence::git::{Git, Outcome, Snapshot, survey};
use crate::evidence::manifest::NotProbed;

/// What the probes showed.
pub struct Surveyed {
    /// Snapshots.
    pub verified_now: Vec<Snapshot>,
    /// Candidates without one.
    pub not_probed: Vec<NotProbed>,
    /// Codes with counts.
    pub limitations: BTreeMap<Code, u64>,
}

/// Probes what may be probed.
pub fn probe(
    world: &World<'_>,
    source: &Source,
    named: &[Utf8PathBuf],
    work_directories: &[String],
    candidates: &[String],
    scrub: &mut dyn FnMut(String) -> String,
) -> Surveyed {
    let own = is_own(world, source);
    let mut allowed: Vec<Utf8PathBuf> = named.iter().map(|folder| world.absolute(folder)).collect();
    let mut others = Vec::new();
    let recorded = work_directories.iter().map(Utf8PathBuf::from).filter(|folder| folder.is_absolute());
    if own {
        allowed.extend(recorded)
    } else {
        others.extend(recorded)
    }
    let mut known: BTreeSet<Utf8PathBuf> = allowed.iter().chain(&others).cloned().collect();
    for path in candidates.iter().map(Utf8PathBuf::from) {
        if known.insert(path.clone()) {
            others.push(path);
        }
    }
    let mut surveyed =
        Surveyed { verified_now: Vec::new(), not_probed: Vec::new(), limitations: BTreeMap::new() };
    for outcome in survey(&allowed, &others, world.clock.now(), &Git::find()) {
        match outcome.map_text(scrub) {
            Outcome::Probed(snapshot) => {
                for code in &snapshot.limitations {
                    *surveyed.limitations.entry(*code).or_default() += 1;
                }
                surveyed.verified_now.push(*snapshot);
            }
            Outcome::NotProbed { path, reason } => {
                *surveyed.limitations.entry(reason).or_default() += 1;
                if surveyed.not_probed.len() < LISTED_CANDIDATES {
                    surveyed.not_probed.push(NotProbed { path, code: reason });
                }
            }
        }
    }
    surveyed
}

/// The transcript is ours and lies under a harness root of this machine.
fn is_own(world: &World<'_>, source: &Source) -> bool {
    let resolve = |path: &Utf8Path| path.canonicalize_utf8().ok();
    let Some(path) = resolve(&world.absolute(source.path())) else { return false };
    let under =
        world.harness_homes().iter().filter_map(|(_, root)| resolve(root)).any(|root| path.starts_with(root));
    under && !source.flags().not_ours
}

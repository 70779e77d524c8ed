//! Which repositories may be probed: those that a person names, and the recorded work directories of a transcript
//! under this machine's own harness roots. A transcript from elsewhere must not aim probes.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;

use camino::{Utf8Path, Utf8PathBuf};

use super::world::World;
use crate::base::limits::LISTED_CANDIDATES;
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::evidence::catalogue::Roots;
use crate::evidence::git::{Candidates, Git, Outcome, Snapshot, is_held_in_place, is_ours, survey};
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
    let mut folders = Candidates {
        named: named.iter().map(|folder| world.absolute(folder)).collect(),
        ..Candidates::default()
    };
    let may_aim = is_own(world, source);
    for folder in work_directories.iter().map(Utf8PathBuf::from) {
        let list = if may_aim && folder.is_absolute() { &mut folders.recorded } else { &mut folders.others };
        list.push(folder);
    }
    let Candidates { named, recorded, others } = &folders;
    let mut known: BTreeSet<Utf8PathBuf> = named.iter().chain(recorded).chain(others).cloned().collect();
    for path in candidates.iter().map(Utf8PathBuf::from) {
        if known.insert(path.clone()) {
            folders.others.push(path);
        }
    }
    let mut surveyed =
        Surveyed { verified_now: Vec::new(), not_probed: Vec::new(), limitations: BTreeMap::new() };
    for outcome in survey(&folders, world.clock.now(), &Git::find()) {
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

/// The transcript is ours, lies where a harness of this machine keeps its transcripts, and nobody else could have put
/// or written it there: not by its mode, not by that of a folder above it, not by a second name elsewhere.
fn is_own(world: &World<'_>, source: &Source) -> bool {
    let resolve = |path: &Utf8Path| path.canonicalize_utf8().ok();
    let Some(path) = resolve(&world.absolute(source.path())) else { return false };
    let roots = Roots::of_homes(&world.harness_homes());
    let is_below = roots.paths().filter_map(resolve).any(|root| path.starts_with(root));
    let (Ok(opened), Ok(there)) = (source.file().metadata(), path.symlink_metadata()) else { return false };
    let is_the_same = (opened.dev(), opened.ino()) == (there.dev(), there.ino());
    is_below && is_the_same && is_ours(&opened) && opened.nlink() == 1 && is_held_in_place(&path)
}

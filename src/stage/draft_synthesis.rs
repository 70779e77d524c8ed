//! synthesis-draft: a skeleton that leaves only prose to the author.

use camino::Utf8Path;

use super::bound;
use super::place;
use super::verdict::{Verdict, refused};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::evidence::packet::packets_file;
use crate::meaning::synthesis::skeleton::skeleton;

/// Writes the skeleton.
///
/// # Errors
/// `packets-stale`, `packets-missing`; what reading the evidence or creating an artifact refuses.
pub fn synthesis_draft(
    world: &World<'_>,
    manifest: &Utf8Path,
    accounting: &Utf8Path,
    output: &Utf8Path,
) -> Result<Verdict> {
    let started = world.clock.elapsed_ms();
    let bound = match bound::open(world, manifest, accounting)? {
        Ok(bound) => bound,
        Err((path, receipt, violations)) => return refused(&path, receipt, violations),
    };
    packets_file::open(&bound.ledger)?;
    let output = place::output(world, output, &[], &[manifest, accounting])?;
    let bytes = skeleton(&bound.evidence(), &|synthesis, _| bound.recap(synthesis, false, false).word_count())?;
    let mut file = output.create()?;
    file.put(&bytes)?;
    file.publish()?;
    Ok(Verdict::valid(
        bound
            .receipt("synthesis-draft")
            .digest("draft_file_sha256", Digest::of(&bytes))
            .count("draft_bytes", bytes.len() as u64)
            .duration(world.clock.elapsed_ms() - started),
    ))
}

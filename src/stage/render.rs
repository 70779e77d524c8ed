//! render: what survived becomes a recap and its private evidence document.

use camino::Utf8Path;

use super::assay;
use super::bound::{self, Bound, too_long};
use super::place;
use super::validate_synthesis::{accept, described};
use super::verdict::{Verdict, refused};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::json::canonical;
use crate::report::Format;

/// What stands behind a recap's name for its evidence.
pub const EVIDENCE_SUFFIX: &str = ".evidence.json";

/// Renders a validated synthesis.
///
/// # Errors
/// What reading the evidence or the draft, counting the attempt or creating an artifact refuses.
pub fn render(
    world: &World<'_>,
    manifest: &Utf8Path,
    accounting: &Utf8Path,
    synthesis: &Utf8Path,
    output: &Utf8Path,
    format: Format,
) -> Result<Verdict> {
    let started = world.clock.elapsed_ms();
    let bound = match bound::open(world, manifest, accounting, "render")? {
        Ok(bound) => bound,
        Err(unbound) => return unbound.refused(),
    };
    let path = place::input(world, synthesis)?;
    let output = place::output(world, output, &[EVIDENCE_SUFFIX], &[manifest, accounting, synthesis])?;
    let receipt = bound.receipt("render");
    let accepted = match accept(world, &bound, &path, "render", false, receipt.clone())? {
        Ok(accepted) => accepted,
        Err(verdict) => return Ok(verdict),
    };
    let blocked = accepted.validated.blocked_evidence();
    let recap = bound.recap(accepted.validated.synthesis(), accepted.attempts_reset, blocked);
    let words = recap.word_count();
    if let Some(violations) = too_long(words) {
        // Only the first line can differ from what validation measured.
        return refused(&path, bound.ledger.search(), Vec::new(), receipt, violations);
    }
    let (receipt, document_sha256) = (described(receipt, &accepted), accepted.validated.document_sha256());
    // The largest evidence is as large as all that it was made of, which is needed no more.
    let Bound { ledger, table, accounting, .. } = bound;
    drop((accepted, table, accounting));
    let evidence = canonical::to_bytes(recap.evidence())?;
    let written = recap.written(format, document_sha256)?;
    // The evidence comes first: a recap that is there has its evidence beside it.
    let beside = output.with_suffix(EVIDENCE_SUFFIX);
    assay::publish_both((&beside, &evidence), (&output, &written), ledger.search())?;
    let manifest = ledger.manifest();
    Ok(Verdict::valid(
        receipt
            .digest("recap_sha256", Digest::of(&written))
            .digest("evidence_sha256", Digest::of(&evidence))
            .count("words", words as u64)
            .flag("incomplete", !recap.incomplete().is_empty())
            .flag("snapshot", manifest.source.live)
            .limitations(&manifest.limitations)
            .duration(world.clock.elapsed_ms() - started),
    ))
}

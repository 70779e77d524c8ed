//! accounting-draft and accounting-gaps: a skeleton that owns every event, and what a draft leaves unowned.

use camino::Utf8Path;

use super::place;
use super::verdict::{Verdict, read_draft, refused, write_skeleton};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::receipt::Receipt;
use crate::evidence::ledger::open::OpenLedger;
use crate::evidence::packet::packets_file;
use crate::evidence::table::Table;
use crate::meaning::accounting::{gaps, skeleton};

/// Writes the skeleton.
///
/// # Errors
/// `packets-stale`, `packets-missing`; what reading the ledger or creating an artifact refuses.
pub fn accounting_draft(world: &World<'_>, manifest: &Utf8Path, output: &Utf8Path) -> Result<Receipt> {
    let started = world.clock.elapsed_ms();
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    packets_file::open(&ledger)?;
    let output = place::output(world, output, &[], &[manifest])?;
    let table = ledger.table()?;
    let bytes = skeleton(&table);
    write_skeleton(&output, &bytes)?;
    Ok(Receipt::new("accounting-draft")
        .boundary(table.boundary())
        .digest("manifest_sha256", ledger.sha256())
        .digest("draft_file_sha256", Digest::of(&bytes))
        .count("events", table.rows().len() as u64)
        .count("never_noise", never_noise(&table))
        .count("draft_bytes", bytes.len() as u64)
        .duration(world.clock.elapsed_ms() - started))
}

fn never_noise(table: &Table) -> u64 {
    table.rows().iter().filter(|row| row.classes.never_noise()).count() as u64
}

/// The ordinals that a draft leaves to nobody, one range a line.
///
/// # Errors
/// What reading the ledger or the draft refuses.
pub fn accounting_gaps(
    world: &World<'_>,
    manifest: &Utf8Path,
    draft: &Utf8Path,
) -> Result<std::result::Result<String, Verdict>> {
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    let draft = place::input(world, draft)?;
    let receipt = Receipt::new("accounting-gaps")
        .boundary(ledger.manifest().boundary.id)
        .digest("manifest_sha256", ledger.sha256());
    let bytes = match read_draft(&draft)? {
        Ok(bytes) => bytes,
        Err(violations) => return refused(&draft, receipt, violations).map(Err),
    };
    match gaps(&bytes, &ledger.table()?) {
        Ok(runs) => Ok(Ok(runs.iter().map(|run| format!("{} {}\n", run.first, run.last)).collect())),
        Err(violations) => refused(&draft, receipt, violations).map(Err),
    }
}

//! accounting-draft and accounting-gaps: a skeleton that owns every event, and what a draft leaves unowned.

use camino::Utf8Path;

use super::place;
use super::verdict::{Faulty, Verdict, forget_report, read_draft, refused, write_skeleton};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::receipt::Receipt;
use crate::evidence::ledger::consistency::ledger_extends;
use crate::evidence::ledger::open::OpenLedger;
use crate::evidence::packet::packets_file;
use crate::evidence::table::Table;
use crate::meaning::accounting::{Older, Unsettled, gaps, gaps_extending, skeleton, skeleton_extending};

/// In a receipt: the places are those of the older accounting, beside which the report lies, and not of the draft.
pub const OLDER_REFUSED: &str = "older_refused";

/// Writes the skeleton; on top of an older accounting it owns only what came later.
///
/// # Errors
/// `packets-stale`, `packets-missing`; what reading the ledger or creating an artifact refuses.
pub fn accounting_draft(
    world: &World<'_>,
    manifest: &Utf8Path,
    output: &Utf8Path,
    extends: Option<&Utf8Path>,
) -> Result<Verdict> {
    let started = world.clock.elapsed_ms();
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    packets_file::open(&ledger)?;
    let inputs: Vec<&Utf8Path> = std::iter::once(manifest).chain(extends).collect();
    let output = place::output(world, output, &[], &inputs)?;
    let table = ledger.table()?;
    let receipt = Receipt::new("accounting-draft")
        .boundary(table.boundary())
        .digest("manifest_sha256", ledger.sha256());
    let older = match older(world, &ledger, &table, extends)? {
        Ok(older) => older,
        Err(faulty) => return faulty.refused(ledger.search(), receipt.flag(OLDER_REFUSED, true)),
    };
    let bytes = match &older {
        Some(older) => skeleton_extending(&table, older),
        None => skeleton(&table),
    };
    write_skeleton(&output, &bytes, ledger.search())?;
    forget_report(&output)?;
    Ok(Verdict::valid(
        receipt
            .digest("draft_file_sha256", Digest::of(&bytes))
            .count("events", table.rows().len() as u64)
            .count("never_noise", never_noise(&table))
            .count("draft_bytes", bytes.len() as u64)
            .duration(world.clock.elapsed_ms() - started),
    ))
}

/// The accounting of an earlier state, if one is named; one that does not fit comes back with its place and bytes.
///
/// # Errors
/// What opening the file refuses; `manifest-invalid`.
pub fn older(
    world: &World<'_>,
    ledger: &OpenLedger,
    table: &Table,
    extends: Option<&Utf8Path>,
) -> Result<std::result::Result<Option<Older>, Faulty>> {
    let Some(path) = extends else { return Ok(Ok(None)) };
    let path = place::input(world, path)?;
    let bytes = match read_draft(&path)? {
        Ok(bytes) => bytes,
        Err(violations) => return Ok(Err(Faulty { path, document: Vec::new(), violations })),
    };
    let mut failed = None;
    let opened = Older::open(&bytes, table, |state| {
        ledger_extends(ledger, state).unwrap_or_else(|refusal| {
            failed = Some(refusal);
            false
        })
    });
    match failed {
        Some(refusal) => Err(refusal),
        None => {
            if opened.is_ok() {
                forget_report(&path)?;
            }
            Ok(opened.map(Some).map_err(|violations| Faulty { path, document: bytes, violations }))
        }
    }
}

fn never_noise(table: &Table) -> u64 {
    table.rows().iter().filter(|row| row.classes.never_noise()).count() as u64
}

/// The ordinals that a draft leaves to nobody, one range a line, and those that it gives to several, marked `twice`.
///
/// # Errors
/// What reading the ledger or the draft refuses.
pub fn accounting_gaps(
    world: &World<'_>,
    manifest: &Utf8Path,
    draft: &Utf8Path,
    extends: Option<&Utf8Path>,
) -> Result<std::result::Result<String, Verdict>> {
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    let draft = place::input(world, draft)?;
    let receipt = Receipt::new("accounting-gaps")
        .boundary(ledger.manifest().boundary.id)
        .digest("manifest_sha256", ledger.sha256());
    let bytes = match read_draft(&draft)? {
        Ok(bytes) => bytes,
        Err(violations) => return refused(&draft, ledger.search(), Vec::new(), receipt, violations).map(Err),
    };
    let table = ledger.table()?;
    let found = match older(world, &ledger, &table, extends)? {
        Ok(Some(older)) => gaps_extending(&bytes, &table, &older),
        Ok(None) => gaps(&bytes, &table),
        Err(faulty) => {
            return faulty.refused(ledger.search(), receipt.flag(OLDER_REFUSED, true)).map(Err);
        }
    };
    match found {
        Ok(found) => Ok(Ok(listed(&found))),
        Err(violations) => refused(&draft, ledger.search(), bytes, receipt, violations).map(Err),
    }
}

fn listed(found: &Unsettled) -> String {
    let unowned = found.unowned.iter().map(|run| (run, ""));
    let mut lines: Vec<_> = unowned.chain(found.twice.iter().map(|run| (run, " twice"))).collect();
    lines.sort();
    lines.into_iter().map(|(run, mark)| format!("{} {}{mark}\n", run.first, run.last)).collect()
}

//! seal-accounting and validate-accounting: a draft becomes a sealed accounting, bound to one ledger state.

use camino::Utf8Path;

use super::assay;
use super::draft_accounting::{OLDER_REFUSED, older};
use super::place;
use super::verdict::{Verdict, attempts_of, close_if_exhausted, count, forget_report, read_draft, refused};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::private::ArtifactPath;
use crate::base::receipt::Receipt;
use crate::evidence::ledger::open::OpenLedger;
use crate::meaning::accounting::{Sealed, seal, seal_extending};
use crate::meaning::synthesis::attempts::Verdict as Attempt;

/// Seals a draft, on top of an older accounting if one is named.
///
/// # Errors
/// What reading the ledger or the draft, counting the attempt or creating an artifact refuses.
pub fn seal_accounting(
    world: &World<'_>,
    manifest: &Utf8Path,
    draft: &Utf8Path,
    output: &Utf8Path,
    extends: Option<&Utf8Path>,
) -> Result<Verdict> {
    let started = world.clock.elapsed_ms();
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    let draft_path = place::input(world, draft)?;
    let inputs: Vec<&Utf8Path> = [manifest, draft].into_iter().chain(extends).collect();
    let output = place::output(world, output, &[], &inputs)?;
    let receipt = receipt("seal-accounting", &ledger);
    let bytes = match read_draft(&draft_path)? {
        Ok(bytes) => bytes,
        Err(violations) => return refused(&draft_path, ledger.search(), Vec::new(), receipt, violations),
    };
    let table = ledger.table()?;
    let receipt = receipt.digest("draft_file_sha256", Digest::of(&bytes));
    let sealed = match older(world, &ledger, &table, extends)? {
        Ok(Some(older)) => seal_extending(&bytes, &table, &older),
        Ok(None) => seal(&bytes, &table),
        Err(faulty) => return faulty.refused(ledger.search(), receipt.flag(OLDER_REFUSED, true)),
    };
    match sealed {
        Ok(sealed) => {
            let previous = digest_at(&output)?;
            let bytes = sealed.to_bytes()?;
            assay::publish(&output, &bytes, ledger.search())?;
            forget_report(&draft_path)?;
            forget_report(&output)?;
            Ok(Verdict::valid(
                counts(receipt, &sealed)
                    .digest("accounting_sha256", Digest::of(&bytes))
                    .flag("attempts_reset", attempts_of(&ledger)?.resets() > 0)
                    .previous(previous)
                    .duration(world.clock.elapsed_ms() - started),
            ))
        }
        Err(mut rejected) => {
            let (decision, attempts) =
                count(world, &ledger, "seal-accounting", &Attempt::from(&rejected), false)?;
            close_if_exhausted(&decision, &mut rejected.violations);
            let receipt = receipt
                .count("attempts_left", decision.left as u64)
                .flag("counted", rejected.counts_as_attempt)
                .flag("attempts_reset", attempts.resets() > 0)
                .duration(world.clock.elapsed_ms() - started);
            refused(&draft_path, ledger.search(), bytes, receipt, rejected.violations)
        }
    }
}

/// Checks a sealed accounting against its ledger.
///
/// # Errors
/// What reading the ledger or the document refuses.
pub fn validate_accounting(world: &World<'_>, manifest: &Utf8Path, accounting: &Utf8Path) -> Result<Verdict> {
    let started = world.clock.elapsed_ms();
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    let path = place::input(world, accounting)?;
    let receipt = receipt("validate-accounting", &ledger);
    let bytes = match read_draft(&path)? {
        Ok(bytes) => bytes,
        Err(violations) => return refused(&path, ledger.search(), Vec::new(), receipt, violations),
    };
    let receipt = receipt.digest("accounting_sha256", Digest::of(&bytes));
    match Sealed::open(&bytes, &ledger.table()?) {
        Ok(sealed) => {
            forget_report(&path)?;
            Ok(Verdict::valid(counts(receipt, &sealed).duration(world.clock.elapsed_ms() - started)))
        }
        Err(violations) => refused(
            &path,
            ledger.search(),
            bytes,
            receipt.duration(world.clock.elapsed_ms() - started),
            violations,
        ),
    }
}

fn receipt(stage: &'static str, ledger: &OpenLedger) -> Receipt {
    let manifest = ledger.manifest();
    Receipt::new(stage)
        .boundary(manifest.boundary.id)
        .digest("manifest_sha256", ledger.sha256())
        .digest("ledger_root", manifest.ledger.state.root)
        .count("events", manifest.ledger.state.size)
}

fn counts(receipt: Receipt, sealed: &Sealed) -> Receipt {
    let significant: u64 = sealed.claims().iter().map(|claim| claim.events.len() as u64).sum();
    receipt
        .count("claims", sealed.claims().len() as u64)
        .count("low_signal_groups", sealed.groups().len() as u64)
        .count("significant_events", significant)
}

/// Digest of what an output replaces.
fn digest_at(output: &ArtifactPath) -> Result<Option<Digest>> {
    if !output.folder().exists(output.name())? {
        return Ok(None);
    }
    Ok(read_draft(output)?.ok().map(|bytes| Digest::of(&bytes)))
}

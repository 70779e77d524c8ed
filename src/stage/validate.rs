//! validate: everything that a manifest names is recomputed from its files.

use camino::Utf8Path;

use super::place;
use super::world::World;
use crate::base::Result;
use crate::base::receipt::Receipt;
use crate::evidence::ledger::check::check;
use crate::evidence::ledger::open::OpenLedger;
use crate::evidence::packet::packets_file;

/// Validates one manifest.
///
/// # Errors
/// The first thing that does not hold, with its code.
pub fn validate(world: &World<'_>, manifest: &Utf8Path) -> Result<Receipt> {
    let started = world.clock.elapsed_ms();
    let ledger = OpenLedger::open(&place::input(world, manifest)?, world.interrupted)?;
    let checked = check(&ledger)?;
    // The manifest names no packets: those of a state that this one extends are whole, too, and wait for packetize.
    let packets = match packets_file::open_of_any_state(&ledger)? {
        Some(packets) => {
            packets_file::check(&ledger, &packets)?;
            packets.size == checked.events
        }
        None => false,
    };
    let manifest = ledger.manifest();
    Ok(Receipt::new("validate")
        .boundary(manifest.boundary.id)
        .digest("manifest_sha256", ledger.sha256())
        .digest("ledger_root", manifest.ledger.state.root)
        .digest("records_root", manifest.ledger.state.records_root)
        .count("events", checked.events)
        .count("records", checked.records)
        .flag("ids_checked", checked.ids)
        .flag("packets_checked", packets)
        .flag("source_complete", manifest.coverage.source_complete)
        .limitations(&manifest.limitations)
        .duration(world.clock.elapsed_ms() - started))
}

//! validate: everything that a manifest names is recomputed from its files.

use camino::Utf8Path;

use super::place;
use super::world::World;
use crate::base::receipt::Receipt;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::Event;
use crate::evidence::ledger::check::check;
use crate::evidence::ledger::open::OpenLedger;
use crate::evidence::ledger::tree::{Frontier, leaf_hash};
use crate::evidence::packet::packets_file::{self, Packets, Recut};

/// Validates one manifest.
///
/// # Errors
/// The first thing that does not hold, with its code.
pub fn validate(world: &World<'_>, manifest: &Utf8Path) -> Result<Receipt> {
    let started = world.clock.elapsed_ms();
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    let mut cut = Cut::of(&ledger)?;
    let checked = check(&ledger, &mut |event, line| cut.push(event, line))?;
    let packets_checked = matches!(cut, Cut::Present(..));
    cut.finish(&ledger)?;
    let manifest = ledger.manifest();
    Ok(Receipt::new("validate")
        .boundary(manifest.boundary.id)
        .digest("manifest_sha256", ledger.sha256())
        .digest("ledger_root", manifest.ledger.state.root)
        .digest("records_root", manifest.ledger.state.records_root)
        .count("events", checked.events)
        .count("records", checked.records)
        .flag("ids_checked", checked.ids)
        .flag("packets_checked", packets_checked)
        .flag("source_complete", manifest.coverage.source_complete)
        .limitations(&manifest.limitations)
        .duration(world.clock.elapsed_ms() - started))
}

/// The packets beside a ledger. The manifest does not name them: without packets, or with those of an older state, it
/// can hold all the same.
enum Cut {
    None,
    Present(Packets, Box<Recut>),
    /// They must be of a state that this ledger extends.
    Older(Packets, Frontier),
}

impl Cut {
    fn of(ledger: &OpenLedger) -> Result<Self> {
        Ok(match packets_file::find(ledger)? {
            None => Self::None,
            Some(packets) if packets.is_of(ledger) => Self::Present(packets, Box::default()),
            Some(packets) => Self::Older(packets, Frontier::default()),
        })
    }

    fn push(&mut self, event: &Event, line: &[u8]) -> Result<()> {
        match self {
            Self::Present(_, recut) => recut.push(event, line),
            Self::Older(packets, frontier) if frontier.size() < packets.size => {
                frontier.push(leaf_hash(line), |_| {});
                Ok(())
            }
            Self::None | Self::Older(..) => Ok(()),
        }
    }

    fn finish(self, ledger: &OpenLedger) -> Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Present(packets, recut) => recut.finish(ledger, &packets),
            Self::Older(packets, frontier) => {
                let extended = (frontier.size(), frontier.root()) == (packets.size, packets.root);
                if extended { Ok(()) } else { Err(Refusal::new(Code::PacketsMismatch).at("packets")) }
            }
        }
    }
}

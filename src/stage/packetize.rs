//! packetize: a ledger becomes packets, episodes, repeat groups and an outline.

use camino::Utf8Path;

use super::assay;
use super::place;
use super::sums;
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::json::canonical;
use crate::base::receipt::Receipt;
use crate::evidence::ledger::open::OpenLedger;
use crate::evidence::packet::packets_file;

/// Cuts the ledger of a manifest.
///
/// # Errors
/// What opening and reading the ledger refuses, `write-failed`.
pub fn packetize(world: &World<'_>, manifest: &Utf8Path) -> Result<Receipt> {
    let started = world.clock.elapsed_ms();
    let ledger = OpenLedger::open_for_writing(&place::input(world, manifest)?, &world.interrupted)?;
    let path = packets_file::path_of(ledger.path());
    for folder in [path.folder(), ledger.folder()] {
        folder.remove_stray_temps()?;
    }
    let older = packets_file::named_streams(ledger.path())?;
    let packets = packets_file::write(&ledger)?;
    let bytes = canonical::to_bytes(&packets)?;
    let named: Vec<String> = packets.streams.values().map(|stream| stream.file.clone()).collect();
    let new = || named.iter().filter(|name| !older.contains(name)).cloned();
    let looked = assay::files(ledger.folder(), new(), ledger.search());
    if let Err(refusal) = looked.and_then(|()| assay::document(&bytes, ledger.search())) {
        // Nothing names them, and nothing will.
        new().try_for_each(|name| ledger.folder().remove(&name))?;
        return Err(refusal);
    }
    let existing = path.folder().exists(path.name())?;
    let older = if existing { Some(path.open()?.read_all(bytes.len() as u64 + 1)) } else { None };
    let unchanged = older.as_ref().is_some_and(|older| older.as_ref().is_ok_and(|older| *older == bytes));
    if !unchanged {
        ledger.folder().flush()?;
        // Durable: every stream of the packets. The document is their commit.
        assay::publish(&path, &bytes, ledger.search())?;
        sums::write(ledger.folder(), sums::files_of(ledger.manifest()).into_iter().chain(named))?;
    }
    let rows = |name: &str| packets.streams.get(name).map_or(0, |stream| stream.rows);
    let digest =
        |name: &str| packets.streams.get(name).map_or_else(|| Digest::of(&[]), |stream| stream.sha256);
    Ok(Receipt::new("packetize")
        .boundary(packets.boundary)
        .digest("manifest_sha256", ledger.sha256())
        .digest("ledger_root", packets.root)
        .digest("packets_sha256", Digest::of(&bytes))
        .digest("packets_rows_sha256", digest("packets"))
        .digest("episodes_rows_sha256", digest("episodes"))
        .digest("repeats_rows_sha256", digest("repeats"))
        .count("events", packets.size)
        .count("packets", rows("packets"))
        .count("episodes", rows("episodes"))
        .count("repeat_groups", rows("repeats"))
        .count("outline_parts", rows("outline-parts"))
        .flag("unchanged", unchanged)
        .duration(world.clock.elapsed_ms() - started))
}

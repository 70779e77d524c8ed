//! Whether today's ledger extends an earlier state of it, from a few stored nodes of each tree (RFC 9162, 2.1.4). The
//! nodes need not be trusted: they count only where both roots follow from them.

use super::open::OpenLedger;
use super::read::Table;
use super::tree::{NODE_BYTES, extends, stored_nodes};
use crate::base::Result;
use crate::base::digest::Digest;
use crate::evidence::table::LedgerState;

/// Both trees extend the older state.
///
/// # Errors
/// `manifest-invalid` where the manifest names other parts than there must be.
pub fn ledger_extends(ledger: &OpenLedger, older: LedgerState) -> Result<bool> {
    let state = ledger.manifest().ledger.state;
    let trees = [
        ("nodes", (older.size, older.root), (state.size, state.root)),
        ("records-nodes", (older.records, older.records_root), (state.records, state.records_root)),
    ];
    for (name, older, newer) in trees {
        let nodes = Table::<NODE_BYTES>::open(ledger, name, stored_nodes(newer.0))?;
        let mut read = |place| {
            let mut bytes = [0; 32];
            nodes.read(place, &mut bytes).ok()?;
            Some(Digest::from_bytes(bytes))
        };
        if !extends(older, newer, &mut read) {
            return Ok(false);
        }
    }
    Ok(true)
}

//! What a draft is held against: one manifest, its ledger in rows, one sealed accounting. Whoever builds it
//! has verified all three and that they belong together.

use crate::base::digest::Digest;
use crate::base::ids::{EventId, Ordinal};
use crate::evidence::manifest::Manifest;
use crate::evidence::table::{Row, Table};
use crate::meaning::accounting::Sealed;

/// The verified evidence of one boundary.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// Its digest.
    pub manifest_sha256: Digest,
    /// The ledger in rows.
    pub table: &'a Table,
    /// Who owns each event.
    pub accounting: &'a Sealed,
    /// Its digest.
    pub accounting_sha256: Digest,
}

impl Evidence<'_> {
    /// Ordinals that a claim owns, ascending.
    pub fn significant(&self) -> Vec<Ordinal> {
        let size = self.table.rows().len() as u64;
        (0..size).filter(|ordinal| self.accounting.is_significant(*ordinal)).collect()
    }

    /// Id of the claim that owns an event; `None` for events set aside and for ids that are not in the ledger.
    pub fn owner(&self, event: EventId) -> Option<&str> {
        self.table.find(event)?;
        self.accounting.owner(event.ordinal()).map(|claim| claim.id.as_str())
    }

    /// The rows of events, without ids that are not in the ledger.
    pub fn rows<'s>(&'s self, events: &'s [EventId]) -> impl Iterator<Item = &'s Row> {
        events.iter().filter_map(|event| self.table.find(*event))
    }
}

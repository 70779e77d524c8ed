//! An accounting of an earlier, shorter state of the same ledger, to be carried over. It is not a [`Sealed`] of
//! today: only sealing a draft on top of it makes one.

use std::collections::HashMap;

use super::check::Depth;
use super::draft::{Draft, Entry, Side};
use super::sealed::Sealed;
use crate::base::violations::Violations;
use crate::evidence::slice::Run;
use crate::evidence::table::{LedgerState, Table};

/// A sealed accounting whose ledger today's ledger extends.
#[derive(Debug)]
pub struct Older(Sealed);

impl Older {
    /// Opens it. `is_extended` must answer whether today's trees provably extend the given state (RFC 9162).
    ///
    /// Shape, seals, names and owners are checked; what kinds and groups need is checked on the whole when a draft
    /// is sealed on top of it.
    ///
    /// # Errors
    /// All violations, as [`Sealed::open`]; `accounting-ledger-mismatch` when the ledger does not extend it.
    pub fn open(
        bytes: &[u8],
        table: &Table,
        is_extended: impl FnOnce(LedgerState) -> bool,
    ) -> Result<Self, Violations> {
        let fits = |state: LedgerState| state.size <= table.state().size && is_extended(state);
        Sealed::open_at(bytes, table, Depth::Owners, fits).map(Self)
    }

    /// What was sealed.
    pub const fn sealed(&self) -> &Sealed {
        &self.0
    }

    /// Puts the older entries under a draft: an entry of the same id keeps the older events, states its kind anew and
    /// keeps the older label if its own is empty; all other older entries stand before those of the draft.
    pub(super) fn merge<'v>(&'v self, draft: &mut Draft<'v>) {
        let mut added: HashMap<(Side, &str), &mut Entry<'v>> = HashMap::new();
        for entry in &mut draft.entries {
            if let Some(id) = entry.id {
                added.entry((entry.side, id)).or_insert(entry);
            }
        }
        let mut kept = Vec::new();
        for old in self.entries() {
            let Some(entry) = old.id.and_then(|id| added.get_mut(&(old.side, id))) else {
                kept.push(old);
                continue;
            };
            entry.label = entry.label.filter(|label| !label.trim().is_empty()).or(old.label);
            entry.carried = old.carried;
        }
        draft.entries.splice(0..0, kept);
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let claims = self.0.claims().iter().map(|claim| {
            entry(Side::Claim, &claim.id, Some(claim.kind.name()), &claim.label, claim.ranges())
        });
        let groups = self
            .0
            .groups()
            .iter()
            .map(|group| entry(Side::Group, &group.id, None, &group.label, group.ranges.clone()));
        claims.chain(groups)
    }
}

fn entry<'v>(side: Side, id: &'v str, kind: Option<&'v str>, label: &'v str, carried: Vec<Run>) -> Entry<'v> {
    Entry {
        side,
        place: None,
        id: Some(id),
        kind,
        label: Some(label),
        event_ids: Vec::new(),
        ranges: Vec::new(),
        select: None,
        carried,
        bent: false,
    }
}

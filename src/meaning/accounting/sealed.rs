//! A sealed accounting: every event of one ledger state has exactly one owner, and count and digest of what each
//! holds show that nothing was moved since. It is made from a draft that broke no rule, or by opening a sealed
//! document against its own ledger; there is no other way.
//!
//! ```compile_fail
//! fn count(sealed: &recap::meaning::accounting::Sealed) -> usize { sealed.claims.len() }
//! ```
//! ```
//! fn count(sealed: &recap::meaning::accounting::Sealed) -> usize { sealed.claims().len() }
//! ```

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use super::check::{Accepted, Checked, Depth, check_meaning, check_shape, read};
use super::claim::{ACCOUNTING_SCHEMA, Claim, ClaimKind, Group};
use super::draft::{Draft, Entry, Side};
use super::expanded::pairs;
use super::ranges::{ids_digest, length, ordinals};
use super::resolve::Holding;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::ids::Ordinal;
use crate::base::json::canonical;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::table::{LedgerState, Table};

/// A sealed accounting.
#[derive(Debug)]
pub struct Sealed {
    state: LedgerState,
    claims: Vec<Claim>,
    claim_seals: Vec<Digest>,
    groups: Vec<Group>,
    group_seals: Vec<Digest>,
    by_id: HashMap<String, usize>,
    /// Place of the claim that owns each ordinal; `None` for what is set aside.
    owners: Vec<Option<u32>>,
}

/// Place of the claim that owns each ordinal of a ledger of that size.
fn owners(claims: &[Claim], size: u64) -> Vec<Option<u32>> {
    let mut owners = vec![None; usize::try_from(size).unwrap_or_default()];
    for (claim, place) in claims.iter().zip(0u32..) {
        for ordinal in &claim.events {
            if let Some(slot) = usize::try_from(*ordinal).ok().and_then(|ordinal| owners.get_mut(ordinal)) {
                *slot = Some(place);
            }
        }
    }
    owners
}

impl Sealed {
    /// Seals what broke no rule.
    pub(super) fn of(accepted: &Accepted<'_>, table: &Table) -> Self {
        let mut claims: Vec<Claim> =
            accepted.parts().filter_map(|(entry, holding)| claim(entry, holding)).collect();
        claims.sort_by(|one, two| (one.events.first(), &one.id).cmp(&(two.events.first(), &two.id)));
        let mut groups: Vec<Group> =
            accepted.parts().filter_map(|(entry, holding)| group(entry, holding)).collect();
        groups.sort_by(|one, two| (one.ranges.first(), &one.id).cmp(&(two.ranges.first(), &two.id)));
        let state = accepted.state();
        let owners = owners(&claims, state.size);
        Self {
            state,
            claim_seals: claims.iter().map(|claim| ids_digest(&claim.ranges(), table)).collect(),
            group_seals: groups.iter().map(|group| ids_digest(&group.ranges, table)).collect(),
            by_id: claims.iter().enumerate().map(|(place, claim)| (claim.id.clone(), place)).collect(),
            claims,
            groups,
            owners,
        }
    }

    /// A sealed accounting that nothing was checked for, for tests of what reads one.
    #[cfg(test)]
    pub(crate) fn sample(state: LedgerState, claims: Vec<Claim>, groups: Vec<Group>) -> Self {
        let owners = owners(&claims, state.size);
        Self {
            state,
            claim_seals: Vec::new(),
            group_seals: Vec::new(),
            by_id: claims.iter().enumerate().map(|(place, claim)| (claim.id.clone(), place)).collect(),
            claims,
            groups,
            owners,
        }
    }

    /// Opens a sealed document against its ledger and checks every rule again.
    ///
    /// # Errors
    /// All violations: `not-sealed` for a draft, `accounting-ledger-mismatch` for another ledger, shape, seals,
    /// and every rule that a draft must pass.
    pub fn open(bytes: &[u8], table: &Table) -> std::result::Result<Self, Violations> {
        Self::open_at(bytes, table, Depth::All, |state| state == table.state())
    }

    /// As [`Sealed::open`], for a ledger state that the caller accepts.
    pub(super) fn open_at(
        bytes: &[u8],
        table: &Table,
        depth: Depth,
        is_bound: impl FnOnce(LedgerState) -> bool,
    ) -> std::result::Result<Self, Violations> {
        let value = read(bytes)?;
        let mut violations = Violations::default();
        if value.is_object() && value.get("ledger").is_none() {
            violations.push(
                Code::NotSealed,
                Pointer::root(),
                "found no member `ledger`, expected the sealed form",
            );
            return Err(violations);
        }
        check_shape("accounting", &value, table.search(), &mut violations);
        let ledger = value.get("ledger").cloned().unwrap_or_default();
        let Ok(state) = serde_json::from_value::<LedgerState>(ledger) else { return Err(violations) };
        if !is_bound(state) {
            violations.push(
                Code::AccountingLedgerMismatch,
                Pointer::root().member("ledger"),
                mismatch(state, table),
            );
            return Err(violations);
        }
        if state.size == 0 {
            violations.push(
                Code::NothingToRecap,
                Pointer::root(),
                "found a ledger of 0 events, expected at least 1",
            );
        }
        let mut checked = check_meaning(Draft::read(&value), table, state, depth, violations);
        check_seals(&value, &mut checked, table);
        let sealed = Self::of(&checked.accept()?, table);
        if serde_json::to_value(sealed.document()).ok().as_ref() != Some(&value) {
            let mut violations = Violations::default();
            let detail =
                "found another order, expected ranges sorted and joined and entries by their first events";
            violations.push(Code::GroupSealBroken, Pointer::root(), detail);
            return Err(violations);
        }
        Ok(sealed)
    }

    /// All claims in the order of their first events.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// All groups in the order of their first events.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// A claim by its id.
    pub fn claim(&self, id: &str) -> Option<&Claim> {
        self.by_id.get(id).and_then(|place| self.claims.get(*place))
    }

    /// The claim that owns an event; `None` for what is set aside or not in the ledger.
    pub fn owner(&self, ordinal: Ordinal) -> Option<&Claim> {
        let place = usize::try_from(ordinal).ok().and_then(|ordinal| self.owners.get(ordinal))?;
        self.claims.get(usize::try_from((*place)?).ok()?)
    }

    /// True when a claim owns the event.
    pub fn is_significant(&self, ordinal: Ordinal) -> bool {
        self.owner(ordinal).is_some()
    }

    /// The ledger state that it is bound to.
    pub const fn state(&self) -> LedgerState {
        self.state
    }

    /// The RFC 8785 bytes of the sealed document.
    ///
    /// # Errors
    /// As [`canonical::to_bytes`]; not in practice.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        canonical::to_bytes(&self.document())
    }

    /// The digest of those bytes.
    ///
    /// # Errors
    /// As [`Sealed::to_bytes`].
    pub fn digest(&self) -> Result<Digest> {
        canonical::digest_of(&self.document())
    }

    fn document(&self) -> Document<'_> {
        let claims = self.claims.iter().zip(&self.claim_seals).map(|(claim, seal)| ClaimPart {
            claim_id: &claim.id,
            kind: claim.kind,
            label: &claim.label,
            ranges: pairs(&claim.ranges()),
            count: claim.events.len() as u64,
            event_ids_sha256: *seal,
        });
        let groups = self.groups.iter().zip(&self.group_seals).map(|(group, seal)| GroupPart {
            group_id: &group.id,
            label: &group.label,
            ranges: pairs(&group.ranges),
            count: group.count(),
            event_ids_sha256: *seal,
        });
        Document {
            schema_version: ACCOUNTING_SCHEMA,
            ledger: self.state,
            claims: claims.collect(),
            low_signal_groups: groups.collect(),
        }
    }
}

/// The parts of an accepted entry are all there.
fn claim(entry: &Entry<'_>, holding: &Holding) -> Option<Claim> {
    (entry.side == Side::Claim).then(|| {
        Some(Claim {
            id: entry.id?.to_owned(),
            kind: ClaimKind::parse(entry.kind?)?,
            label: entry.label?.to_owned(),
            events: holding.runs().into_iter().flat_map(ordinals).collect(),
        })
    })?
}

fn group(entry: &Entry<'_>, holding: &Holding) -> Option<Group> {
    (entry.side == Side::Group).then(|| {
        Some(Group { id: entry.id?.to_owned(), label: entry.label?.to_owned(), ranges: holding.runs() })
    })?
}

fn mismatch(state: LedgerState, table: &Table) -> String {
    let own = table.state();
    format!(
        "found {} events and {} records under root {}, expected {} events and {} records under root {}",
        state.size, state.records, state.root, own.size, own.records, own.root
    )
}

/// Recomputes counts and digests of what entries hold, unless events are held twice, which is refused anyway.
fn check_seals(value: &Value, checked: &mut Checked<'_>, table: &Table) {
    if !checked.is_disjoint() {
        return;
    }
    for (entry, holding) in checked.entries.iter().zip(&checked.holdings).filter(|(_, holding)| holding.sound)
    {
        let stated = entry.place.and_then(|place| value.get(entry.side.list())?.get(place));
        let runs = holding.runs();
        let count: u64 = runs.iter().copied().map(length).sum();
        if let Some(found) =
            stated.and_then(|entry| entry.get("count")?.as_u64()).filter(|found| *found != count)
        {
            let place = entry.pointer().member("count");
            checked.violations.push(Code::GroupSealBroken, place, format!("found {found}, expected {count}"));
        }
        let digest = ids_digest(&runs, table);
        let found = stated.and_then(|entry| Digest::parse(entry.get("event_ids_sha256")?.as_str()?));
        if let Some(found) = found.filter(|found| *found != digest) {
            let place = entry.pointer().member("event_ids_sha256");
            checked.violations.push(
                Code::GroupSealBroken,
                place,
                format!("found {found}, expected {digest}"),
            );
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    ledger: LedgerState,
    claims: Vec<ClaimPart<'a>>,
    low_signal_groups: Vec<GroupPart<'a>>,
}

#[derive(Serialize)]
struct ClaimPart<'a> {
    claim_id: &'a str,
    kind: ClaimKind,
    label: &'a str,
    ranges: Vec<[u64; 2]>,
    count: u64,
    event_ids_sha256: Digest,
}

#[derive(Serialize)]
struct GroupPart<'a> {
    group_id: &'a str,
    label: &'a str,
    ranges: Vec<[u64; 2]>,
    count: u64,
    event_ids_sha256: Digest,
}

//! All rules of an accounting in the order of the work: read, shape, texts, names, events, owners, kinds. Whatever
//! one of them finds, the others go on with the parts that are right.

use serde_json::Value;

use super::draft::{Draft, Entry};
use super::places::Places;
use super::resolve::{Holding, resolve};
use super::{kinds, naming, ownership, strings};
use crate::base::json::read::strict_located;
use crate::base::limits::DRAFT_BYTES;
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::violations::Violations;
use crate::evidence::table::{LedgerState, Table};

/// Members whose texts stay on one line: all there are.
const LINES: [&str; 4] = ["label", "claim_id", "group_id", "kind"];

/// How much of the law a document is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Every rule.
    All,
    /// Names and owners only: what kinds and groups need may change as a ledger grows, and is checked on the whole.
    Owners,
}

/// Entries with what they hold, whether right or not.
#[derive(Debug)]
pub struct Checked<'v> {
    /// Claims and groups.
    pub entries: Vec<Entry<'v>>,
    /// What each holds.
    pub holdings: Vec<Holding>,
    /// What was found so far.
    pub violations: Violations,
    state: LedgerState,
}

/// Entries that break no rule: only this can be sealed.
#[derive(Debug)]
pub struct Accepted<'v>(Checked<'v>);

impl<'v> Checked<'v> {
    /// Passes what broke no rule.
    ///
    /// # Errors
    /// The violations, if there are any.
    pub fn accept(self) -> Result<Accepted<'v>, Violations> {
        if self.violations.is_empty() { Ok(Accepted(self)) } else { Err(self.violations) }
    }

    /// True when nothing is held twice, so that walking all that is held costs no more than walking the ledger.
    pub fn is_disjoint(&self) -> bool {
        let spans = self.holdings.iter().flat_map(|holding| &holding.spans);
        let held = spans.fold(0u64, |sum, span| sum.saturating_add(super::ranges::length(span.run)));
        held <= self.state.size
    }
}

impl<'v> Accepted<'v> {
    /// Each entry with what it holds.
    pub fn parts(&self) -> impl Iterator<Item = (&Entry<'v>, &Holding)> {
        self.0.entries.iter().zip(&self.0.holdings)
    }

    /// The state that it was checked against.
    pub const fn state(&self) -> LedgerState {
        self.0.state
    }
}

/// Reads a document strictly.
///
/// # Errors
/// `draft-too-large` or `json-malformed`.
pub fn read(bytes: &[u8]) -> Result<Value, Violations> {
    let mut violations = Violations::default();
    if bytes.len() as u64 > DRAFT_BYTES {
        let detail = format!("found {} bytes, expected at most {DRAFT_BYTES}", bytes.len());
        violations.push(Code::DraftTooLarge, Pointer::root(), detail);
        return Err(violations);
    }
    strict_located(bytes).map_err(|fault| {
        violations.push(Code::JsonMalformed, Pointer::root(), fault.to_string());
        violations
    })
}

/// Checks shape and texts; true when the shape is right.
pub fn check_shape(
    schema: &'static str,
    value: &Value,
    search: &Search,
    violations: &mut Violations,
) -> bool {
    let right = schemas::check(schema, value, violations);
    if let Some(schema) = schemas::find(schema) {
        strings::check(schema, &LINES, value, search, violations);
    }
    right
}

/// Holds the entries against the first `state.size` events of the table; goes on from what was found before.
pub fn check_meaning<'v>(
    draft: Draft<'v>,
    table: &Table,
    state: LedgerState,
    depth: Depth,
    mut violations: Violations,
) -> Checked<'v> {
    let Draft { entries, whole } = draft;
    let places = Places::of(table);
    naming::check(&entries, &mut violations);
    let holdings = resolve(&entries, table, state.size, &places, &mut violations);
    ownership::check(whole, &entries, &holdings, state.size, &mut violations);
    if depth == Depth::All {
        ownership::check_groups(&entries, &holdings, &places, table, &mut violations);
        kinds::check(&entries, &holdings, &places, &mut violations);
    }
    Checked { entries, holdings, violations, state }
}

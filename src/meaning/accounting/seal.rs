//! From a draft to a sealed accounting, and to the list of what a draft still leaves unowned.

use super::check::{Depth, check_meaning, check_shape, read};
use super::draft::Draft;
use super::expanded;
use super::older::Older;
use super::ownership::Unsettled;
use super::places::Places;
use super::resolve::resolve;
use super::sealed::Sealed;
use super::verdict::Rejected;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::violations::Violations;
use crate::evidence::table::Table;

/// Seals a draft that breaks no rule.
///
/// # Errors
/// Every violation, with the digests that attempts are counted by.
pub fn seal(draft: &[u8], table: &Table) -> Result<Sealed, Rejected> {
    seal_on(draft, table, None)
}

/// Seals a draft on top of an accounting of an earlier state: the draft holds only later events and may add to the
/// older ids.
///
/// # Errors
/// As [`seal`].
pub fn seal_extending(draft: &[u8], table: &Table, older: &Older) -> Result<Sealed, Rejected> {
    seal_on(draft, table, Some(older))
}

/// The ordinals that nothing in a draft owns, and those that two entries own, whatever else is wrong with it.
///
/// # Errors
/// The violations of a draft that has not the shape of one.
pub fn gaps(draft: &[u8], table: &Table) -> Result<Unsettled, Violations> {
    gaps_on(draft, table, None)
}

/// As [`gaps`], on top of an accounting of an earlier state.
///
/// # Errors
/// As [`gaps`].
pub fn gaps_extending(draft: &[u8], table: &Table, older: &Older) -> Result<Unsettled, Violations> {
    gaps_on(draft, table, Some(older))
}

fn seal_on(bytes: &[u8], table: &Table, older: Option<&Older>) -> Result<Sealed, Rejected> {
    let value = read(bytes).map_err(|violations| Rejected::new(bytes, violations, None))?;
    let mut violations = Violations::default();
    let right_shape = check_shape("accounting-draft", &value, table.search(), &mut violations);
    if table.rows().is_empty() {
        violations.push(
            Code::NothingToRecap,
            Pointer::root(),
            "found a ledger of 0 events, expected at least 1",
        );
        return Err(Rejected::new(bytes, violations, None));
    }
    let mut draft = Draft::read(&value);
    if let Some(older) = older {
        older.merge(&mut draft);
    }
    let checked = check_meaning(draft, table, table.state(), Depth::All, violations);
    let is_refused = !checked.violations.is_empty();
    let document = if is_refused && right_shape { expanded::digest(&checked, table).ok() } else { None };
    match checked.accept() {
        Ok(accepted) => Ok(Sealed::of(&accepted, table)),
        Err(violations) => Err(Rejected::new(bytes, violations, document)),
    }
}

fn gaps_on(bytes: &[u8], table: &Table, older: Option<&Older>) -> Result<Unsettled, Violations> {
    let value = read(bytes)?;
    let mut violations = Violations::default();
    if !schemas::check("accounting-draft", &value, &mut violations) {
        return Err(violations);
    }
    let mut draft = Draft::read(&value);
    if let Some(older) = older {
        older.merge(&mut draft);
    }
    let size = table.state().size;
    let holdings = resolve(&draft.entries, table, size, &Places::of(table), &mut violations);
    Ok(Unsettled::of(&holdings, size))
}

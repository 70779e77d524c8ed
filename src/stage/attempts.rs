//! attempts: how many drafts of a ledger state have failed, and a person's reset.

use camino::Utf8Path;

use super::place;
use super::verdict::{ATTEMPTS_FILE, attempts_of, key_of};
use super::world::World;
use crate::base::receipt::Receipt;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::ledger::open::OpenLedger;
use crate::meaning::synthesis::attempts::AttemptLine;

/// Tells the attempts of the present ledger state. The root in the receipt is what a reset must confirm.
///
/// # Errors
/// What reading the ledger or the attempts refuses.
pub fn attempts(world: &World<'_>, manifest: &Utf8Path) -> Result<Receipt> {
    let ledger = OpenLedger::open(&place::input(world, manifest)?, world.interrupted)?;
    receipt(&ledger)
}

fn receipt(ledger: &OpenLedger) -> Result<Receipt> {
    let attempts = attempts_of(ledger)?;
    Ok(Receipt::new("attempts")
        .boundary(ledger.manifest().boundary.id)
        .digest("manifest_sha256", ledger.sha256())
        .digest("ledger_root", ledger.manifest().ledger.state.root)
        .count("failed", attempts.failed() as u64)
        .count("attempts_left", attempts.left() as u64)
        .count("resets", attempts.resets())
        .flag("exhausted", attempts.exhausted()))
}

/// Opens a closed ledger state again. It is a person's act and shows in every later receipt and render.
///
/// # Errors
/// `terminal-needed`, `confirm-mismatch`, `attempts-unwritable`.
pub fn reset(world: &World<'_>, manifest: &Utf8Path, confirm: &str) -> Result<Receipt> {
    if !world.terminal {
        return Err(Refusal::new(Code::TerminalNeeded));
    }
    let ledger = OpenLedger::open(&place::input(world, manifest)?, world.interrupted)?;
    if confirm != ledger.manifest().ledger.state.root.short() {
        return Err(Refusal::new(Code::ConfirmMismatch));
    }
    let line = AttemptLine::Reset { ledger: key_of(&ledger), at: world.clock.now().to_string() };
    let bytes = line.to_bytes()?;
    ledger
        .folder()
        .append_locked(ATTEMPTS_FILE, bytes.trim_ascii_end())
        .map_err(|_| Refusal::new(Code::AttemptsUnwritable))?;
    receipt(&ledger)
}

//! Exit status, chosen in one place.

use crate::base::Refusal;

/// Done and valid.
pub const DONE: u8 = 0;
/// The document, the evidence or a relation breaks the contract.
pub const BREAKS_CONTRACT: u8 = 1;
/// Wrong usage.
pub const USAGE: u8 = 2;
/// Ended by a second interruption: 128 and the number of the signal, as shells have it.
pub const INTERRUPTED: u8 = 130;
/// A fault of our own.
pub const FAULT: u8 = 70;

/// The status of a refusal: 1 the evidence, 2 usage, 3 safety, 4 reading or writing.
pub fn of(refusal: &Refusal) -> u8 {
    refusal.rule().exit
}

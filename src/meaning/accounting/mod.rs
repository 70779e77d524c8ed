//! The accounting: who owns each event. An author's draft is read leniently, resolved to ordinals, held against
//! every rule of ownership and evidence, and sealed to one ledger state. Nothing here reads a transcript or a file.

mod ranges;
mod claim;
mod places;
mod draft;
mod resolve;
mod ownership;
mod kinds;
mod naming;
pub(crate) mod strings;
mod check;
mod expanded;
mod verdict;
mod sealed;
mod by_itself;
mod older;
mod seal;
mod plan;
mod skeleton;
#[cfg(test)]
mod rule_tests;
#[cfg(test)]
mod carry_tests;

pub use by_itself::check as check_by_itself;
pub use check::read as read_strictly;
pub use claim::{ACCOUNTING_SCHEMA, Claim, ClaimKind, Group};
pub use older::Older;
pub use ownership::Unsettled;
pub use seal::{gaps, gaps_extending, seal, seal_extending};
pub use sealed::Sealed;
pub use skeleton::{skeleton, skeleton_extending};
pub use verdict::{Rejected, counts_as_attempt};

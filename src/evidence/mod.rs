//! What the program supplies: bytes become records, records become events, events become a ledger that
//! anyone can re-check. This folder never reads a draft.

pub mod transcript;
pub mod catalogue;
pub mod runs;
pub mod scrub;
pub mod event;
pub mod command;
pub mod slice;
pub mod git;
pub mod table;
pub mod manifest;
pub mod ledger;
pub mod packet;
pub mod kinship;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
pub(crate) mod transcribed;

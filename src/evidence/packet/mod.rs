//! Bounded reading: packets, episodes, repeat groups and the outline; and text that a transcript cannot use to
//! speak as the ledger or to the terminal.

pub mod show;
pub mod cut;
pub mod packets_file;
pub mod parts;

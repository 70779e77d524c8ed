//! Repository facts.

pub mod snapshot;

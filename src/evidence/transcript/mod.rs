//! Bytes to records: framing, JSON of a record, and one reader for each harness.

pub mod raw;
pub mod json;
pub mod item;
pub mod reading;
pub mod codex;

//! What the program supplies: bytes become records, events, a ledger and bounded readings.

pub mod transcript;
pub mod scrub;

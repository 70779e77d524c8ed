//! Ids and digests that all cases share.

use serde_json::Value;

use crate::base::digest::Digest;
use crate::base::ids::{EventId, Ordinal};

/// The id of an ordinal in these ledgers.
pub fn id(ordinal: Ordinal) -> EventId {
    EventId::new(ordinal, [7; 6])
}

/// Several ids as JSON.
pub fn ids(ordinals: &[Ordinal]) -> Value {
    ordinals.iter().map(|ordinal| id(*ordinal).to_string()).collect()
}

pub fn manifest_digest() -> Digest {
    Digest::of(b"manifest")
}

pub fn accounting_digest() -> Digest {
    Digest::of(b"accounting")
}

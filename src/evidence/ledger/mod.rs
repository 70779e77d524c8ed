//! Events become an append-only, owner-only, content-addressed ledger with its own tree heads.

pub mod tree;
pub mod stream;

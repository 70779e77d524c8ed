//! Events become an append-only, owner-only, content-addressed ledger with its own tree heads.

pub mod tree;
pub mod keys;
pub mod record_line;
pub mod stream;

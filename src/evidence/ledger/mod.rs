//! Events become an append-only, owner-only, content-addressed ledger with its own tree heads.

pub mod tree;
pub mod stream;
pub mod policy;
pub mod parts;
pub mod write;
pub mod gather;
pub mod derive;
pub mod resume;
pub mod build;
pub mod open;
pub mod read;
pub mod consistency;
pub mod side_files;
pub mod check;

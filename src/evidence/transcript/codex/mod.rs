//! Codex rollouts: one document or bare items (2025), legacy and paginated history. Start with `kinds`, the table of decisions.
//! Each record is read by itself; pairing, mirrors and inherited history are decided by others from the claims
//! made here.

pub mod line;
pub mod media;
pub mod parts;
pub mod outcome;
pub mod wrappers;
pub mod hooks;
pub mod shell;
pub mod plans;
pub mod messages;
pub mod calls;
pub mod outputs;
pub mod copies;
pub mod dialogue;
pub mod notices;
pub mod settings;
pub mod kinds;
pub mod identity;
pub mod lineage;
pub mod head;
pub mod reader;

pub use identity::{identify, identify_document};
pub use reader::CodexReader;

#[cfg(test)]
mod corpus_tests;

//! Recap answers *what did that coding agent actually do?* with evidence that a stranger can re-check.
//!
//! ```text
//! transcript ──collect──▶ manifest + ledger ──packetize──▶ packets, outline        (read by an author)
//!                             │                                   │
//!                             │        accounting draft ──seal──▶ sealed accounting: who owns each event
//!                             │                                   │
//!                             │         synthesis draft ──validate▶ verdict ──render──▶ recap
//!                             └──validate: everything again, from the files alone
//! ```
//!
//! The program supplies the evidence and refuses what it does not carry; an agent or a person supplies the meaning.
//! It never calls a model, never runs what a transcript says and never opens a connection.
//!
//! Six folders, each using only those before it:
//!
//! - [`base`]: limits, digests, ids, strict JSON, the table of codes, receipts, credential shapes, owner-only files
//! - [`evidence`]: bytes to records, records to events, scrubbing, ledger, observations, repository facts, packets
//! - [`meaning`]: the accounting and the synthesis, and every rule that they must pass
//! - [`report`]: what survived, counted in words and escaped for its format
//! - [`stage`]: the verbs, one file each: open, re-verify, compute, publish, receipt
//! - [`terminal`]: arguments, streams, exit status
//!
//! To read the code, begin with `stage/mod.rs` and `stage/seal_accounting.rs`; `references/architecture.md` is the map.

#![forbid(unsafe_code)]

pub mod base;
pub mod evidence;
pub mod meaning;
pub mod report;
pub mod stage;
pub mod terminal;

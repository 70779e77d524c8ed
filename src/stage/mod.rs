//! The verbs, one file each: open, re-verify, compute, publish, receipt. A stage fails closed: on any doubt there is
//! no output, only a refusal.

pub mod world;
pub mod find;
pub mod sessions;
pub mod sessions_text;
pub mod place;
pub mod repositories;
pub mod given;
pub mod policy;
pub mod scrub;
pub mod assay;
pub mod assemble;
pub mod sums;
pub mod collect;
pub mod packetize;
pub mod read;
pub mod validate;
pub mod relatives;
pub mod collect_set;
pub mod validate_set;
pub mod verdict;
pub mod draft_accounting;
pub mod seal_accounting;
pub mod bound;
pub mod draft_synthesis;
pub mod validate_synthesis;
pub mod render;
pub mod render_set;
pub mod attempts;
pub mod receipts;
pub mod links;
pub mod chain;
pub mod check_rules;
pub mod check_recap;
pub mod check;
pub mod demo;

pub use world::World;

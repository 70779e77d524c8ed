//! The verbs, one file each: open, re-verify, compute, publish, receipt. A stage fails closed: on any doubt there is
//! no output, only a refusal.

pub mod world;
pub mod place;
pub mod repositories;
pub mod collect;
pub mod packetize;
pub mod read;
pub mod validate;

pub use world::World;

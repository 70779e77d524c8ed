//! The handoff of a boundary set: what the author says of each edge, and the rules that this must keep.

pub mod edges;
pub mod check;

pub use check::{Handoff, check};

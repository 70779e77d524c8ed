//! The synthesis: two views of the claims and the sections that follow from their kinds. A draft is read
//! leniently, expanded by rule, and held against every rule; only what breaks none can be rendered.

pub mod document;
pub mod basis;
mod members;
pub mod draft;
pub mod runs;
pub mod observed;
pub mod expanded;
pub mod expand;
pub mod rules;
pub mod validated;
pub mod published;
pub mod skeleton;
pub mod attempts;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod acted_tests;

pub use validated::{Validated, check};

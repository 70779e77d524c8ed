//! A first draft by rule: everything that follows from claims and observations is filled in, every summary
//! and title is left empty. It passes every rule but `text-empty`, and it says nothing that needs judgement.

mod setting;
mod story;
mod timeline;
mod changes;
mod verification;
mod projections;
mod written;
mod write;
mod kept;
mod carry;

pub use carry::{Carried, carry_over};
pub use write::skeleton;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod carry_tests;

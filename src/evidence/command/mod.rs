//! What a command was and what its result proves. Text of a transcript is parsed here and never run; what the
//! shell's rules do not prove is `unknown`.

pub mod observation;
pub mod fact;
pub mod mutation;
pub mod shell;
pub mod summary;
pub mod catalogue;
pub mod runner;
pub mod operand;
pub mod vcs;
pub mod target;
pub mod rewrite;
pub mod found;
pub mod download;
pub mod write;
pub mod outside;
pub mod request;
pub mod effect;
pub mod patch;
pub mod tools;
pub mod visible;
pub mod rows;
pub mod result;
pub mod call;
pub mod ending;
pub mod observe;

pub use observe::{Observations, Observer};

#[cfg(test)]
mod sample;
#[cfg(test)]
mod write_tests;
#[cfg(test)]
mod observe_tests;

//! What a command was and what its result proves. Text of a transcript is parsed here and never run; what the
//! shell's rules do not prove is `unknown`.

pub mod observation;
pub mod fact;
pub mod mutation;
pub mod substitution;
pub mod word;
pub mod parse;
pub mod outcome;
pub mod directory;
pub mod launchers;
pub mod wrapper;
pub mod redirect;
pub mod member;
pub mod builtin;
pub mod shape;
pub mod walk;
mod inner;
pub mod tally;
pub mod test_summary;
pub mod build_summary;
pub mod check_summary;
pub mod closing;
pub mod catalogue;
pub mod runner;
pub mod operand;
pub mod vcs;
pub mod target;
pub mod rewrite;
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
pub mod harmless;
pub mod reach;
pub mod printed;
pub mod stated;
pub mod session_end;
pub mod observe;

pub use observe::{Observations, Observer};

#[cfg(test)]
mod sample;
#[cfg(test)]
mod closing_tests;
#[cfg(test)]
mod ecosystem_tests;
#[cfg(test)]
mod walk_tests;
#[cfg(test)]
mod write_tests;
#[cfg(test)]
mod observe_tests;
#[cfg(test)]
mod session_end_tests;

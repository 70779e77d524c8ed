//! From the text of a script to its simple commands, each with what the status of the whole proves about it. Only the
//! shell's own rules are known here, its builtins, and programs that run another one.

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

#[cfg(test)]
mod walk_tests;

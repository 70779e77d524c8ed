//! Recap answers *what did that coding agent actually do?* with evidence that a stranger can re-check.

#![forbid(unsafe_code)]

pub mod base;
pub mod evidence;
pub mod meaning;
pub mod report;
pub mod stage;
pub mod terminal;

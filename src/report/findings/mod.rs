//! What a check found, in the formats that people, programs and code scanning read. All of them hold codes, our own
//! sentences, pointer shapes, lines and columns, and relative file names; none has a place for text of a document.

pub mod found;
pub mod text;
pub mod json;
pub mod github;
pub mod sarif;
pub mod chain;

pub use found::{Examined, Finding, Held, Report, State};

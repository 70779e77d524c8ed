//! Bytes to records: framing, JSON of a record, one reader for each harness, and which of them a file needs.

pub mod raw;
pub mod wiped;
pub mod prefix;
pub mod compressed;
pub mod input;
pub mod json;
pub mod frame;
pub mod value;
pub mod document;
pub mod pieces;
pub mod lines;
pub mod opening;
pub mod item;
pub mod reading;
pub mod claude;
pub mod codex;
pub mod detect;

pub use raw::Raw;

//! Bytes of a transcript become records; nothing is dropped in silence.

pub mod raw;

pub use raw::Raw;

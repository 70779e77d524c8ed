//! Raw text becomes scrubbed text: secrets are found where no order matters, and numbered in the order of the session.
//!
//! [`Spotted`] is made in worker threads, each text by itself; [`Numbering`] then replaces the spans one text after
//! the other, so that the same value has the same number within a boundary. Nothing else makes [`Scrubbed`] text.

pub mod text;
pub mod look_back;
pub mod numbering;
pub mod stream;

pub use look_back::LookBack;
pub use numbering::Numbering;
pub use text::{Redaction, Scrubbed, Spotted};

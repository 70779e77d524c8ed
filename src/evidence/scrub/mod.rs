//! Raw text becomes scrubbed text: the only way into an artifact.

pub mod text;
pub mod numbering;

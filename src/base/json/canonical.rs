//! RFC 8785 bytes, so that `sha256sum FILE` prints the digest used everywhere.

use serde::Serialize;

use crate::base::digest::Digest;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// The canonical bytes of a document.
///
/// # Errors
/// `write-failed` when a value cannot be expressed in JSON; our own documents always can.
pub fn to_bytes<T: Serialize>(document: &T) -> Result<Vec<u8>> {
    serde_json_canonicalizer::to_vec(document).map_err(|_| Refusal::new(Code::WriteFailed))
}

/// The digest of the canonical bytes of a document.
///
/// # Errors
/// As [`to_bytes`].
pub fn digest_of<T: Serialize>(document: &T) -> Result<Digest> {
    Ok(Digest::of(&to_bytes(document)?))
}

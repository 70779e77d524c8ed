//! What looks like a secret in a piece of text.

/// stub
pub struct Spotter;
/// stub
pub fn has_secret(_text: &str) -> bool { false }

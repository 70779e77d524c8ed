//! What looks like a secret in a piece of text.

/// True when a text holds something like a credential. Placeholder for the table of kinds.
pub fn has_secret(text: &str) -> bool {
    text.split_once("ghp_").is_some_and(|(_, rest)| {
        rest.len() >= 36 && rest.bytes().take(36).all(|byte| byte.is_ascii_alphanumeric())
    })
}

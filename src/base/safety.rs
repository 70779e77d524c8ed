//! Text that is safe to show. Placeholder with the plainest rules.

use super::refusal::is_unsafe;

/// True when a text of several lines may be shown.
pub fn is_safe_text(text: &str) -> bool {
    !text.chars().any(|letter| letter != '\n' && is_unsafe(letter))
}

/// True when a text of one line may be shown.
pub fn is_safe_line(text: &str) -> bool {
    !text.chars().any(is_unsafe)
}

/// True for lower-case words joined by single hyphens, at most 48 characters.
pub fn is_author_id(text: &str) -> bool {
    text.len() <= super::limits::AUTHOR_ID_CHARS
        && text.split('-').all(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

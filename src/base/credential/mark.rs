//! Our redaction marks, and those that vendors leave: neither is ever taken for a secret.

use super::alphabet;

/// The mark that stands for secret number `number` of a kind.
pub fn marker(kind: &str, number: u64) -> String {
    format!("[redacted:{kind}#{number}]")
}

/// Words that, in brackets or alone, say that a secret was already taken out.
const VENDOR_WORDS: [&[u8]; 8] =
    [b"redacted", b"masked", b"hidden", b"removed", b"filtered", b"scrubbed", b"omitted", b"sensitive"];

/// Keys that vendors publish in their manuals, whole: no pattern is spared because of a word in it.
const PUBLISHED: [&str; 2] =
    [concat!("AKIA", "IOSFODNN7", "EXAMPLE"), concat!("wJalrXUtnFEMI", "/K7MDENG/bPxRfiCY", "EXAMPLEKEY")];

/// Whether `value` is an example that a vendor publishes.
pub fn is_published(value: &[u8]) -> bool {
    PUBLISHED.iter().any(|example| value == example.as_bytes())
}

/// Whether `value` holds a redaction mark of ours or of a vendor, is nothing but masking characters, or a published example.
pub fn is_masked(value: &[u8]) -> bool {
    holds_mark(value) || is_mask(value) || is_published(value)
}

/// Whether a mark stands anywhere in `value`.
pub fn holds_mark(value: &[u8]) -> bool {
    memchr::memchr3_iter(b'[', b'<', b'(', value).any(|at| opens_mark(value, at))
        || value.windows(3).any(|window| window == b"***")
        || VENDOR_WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether a bracketed mark begins at `at`.
pub fn opens_mark(bytes: &[u8], at: usize) -> bool {
    matches!(alphabet::byte(bytes, at), b'[' | b'<' | b'(')
        && VENDOR_WORDS
            .iter()
            .any(|word| alphabet::part(bytes, at + 1, at + 1 + word.len()).eq_ignore_ascii_case(word))
}

/// Whether the value is a row of one character (`xxxx-xxxx`, `......`, `000000`), whatever is written
/// between them in masks.
fn is_mask(value: &[u8]) -> bool {
    if value.starts_with("…".as_bytes()) {
        return true;
    }
    let mut drawn = value.iter().filter(|byte| !matches!(byte, b'-' | b'_' | b'.' | b' '));
    let first = drawn.next();
    drawn.all(|byte| Some(byte) == first)
}

#[cfg(test)]
mod tests {
    use super::is_masked;

    #[test]
    fn marks_of_ours_and_of_vendors_are_known() {
        for masked in [
            "[redacted:x#1]",
            "a[REDACTED]b",
            "<redacted>",
            "********",
            "xxxx-xxxx",
            "(sensitive value)",
            "…",
        ] {
            assert!(is_masked(masked.as_bytes()), "{masked}");
        }
        assert!(!is_masked(b"hunter2"));
    }
}

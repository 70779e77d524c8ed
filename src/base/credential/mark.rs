//! Our redaction marks, and those that vendors leave: neither is ever taken for a secret.

use super::alphabet;

/// The mark that stands for secret number `number` of a kind.
pub fn marker(kind: &str, number: u64) -> String {
    format!("[redacted:{kind}#{number}]")
}

/// Words that, in brackets or alone, say that a secret was already taken out.
const VENDOR_WORDS: [&[u8]; 8] =
    [b"redacted", b"masked", b"hidden", b"removed", b"filtered", b"scrubbed", b"omitted", b"sensitive"];

/// How marks of vendors begin, as they are searched for; brackets of every kind are tried there.
pub const VENDOR_OPENERS: [&str; 15] = [
    "[redacted",
    "[REDACTED",
    "[Redacted",
    "<redacted",
    "<REDACTED",
    "(redacted",
    "[masked",
    "[MASKED",
    "[filtered",
    "[FILTERED",
    "[Filtered",
    "[hidden",
    "(sensitive",
    "[removed",
    "[scrubbed",
];

/// Keys that vendors publish in their manuals, whole: no pattern is spared because of a word in it.
const PUBLISHED: [&str; 2] =
    [concat!("AKIA", "IOSFODNN7", "EXAMPLE"), concat!("wJalrXUtnFEMI", "/K7MDENG/bPxRfiCY", "EXAMPLEKEY")];

/// Whether `value` is an example that a vendor publishes.
pub fn is_published(value: &[u8]) -> bool {
    PUBLISHED.iter().any(|example| value == example.as_bytes())
}

/// Whether a token is drawn rather than written: a mask of few different characters behind its mark.
pub fn is_drawn(token: &[u8]) -> bool {
    let tail = alphabet::part(token, token.len().saturating_sub(16), token.len());
    let mut seen = [0u64; 4];
    for byte in tail {
        if let Some(slot) = seen.get_mut(usize::from(byte >> 6)) {
            *slot |= 1 << (byte & 63);
        }
    }
    seen.iter().map(|bits| bits.count_ones()).sum::<u32>() < 4
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

/// The quote that a mark needs on both sides in place of `start..end`: a number that stands bare behind a quoted name
/// is a value of JSON, and a bare mark would be none.
pub fn quote_for(text: &str, start: usize, end: usize) -> &str {
    let bytes = text.as_bytes();
    let is_number = alphabet::part(bytes, start, end)
        .iter()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    let colon = alphabet::run_back(bytes, start, alphabet::BLANK, 8);
    let closes = matches!(
        alphabet::byte(bytes, alphabet::run(bytes, end, alphabet::BLANK, 8)),
        b',' | b'}' | b']' | b'\n'
    );
    let Some(quote) = colon.checked_sub(2).filter(|quote| alphabet::part(bytes, *quote, colon) == b"\":")
    else {
        return "";
    };
    if !is_number || !closes {
        return "";
    }
    text.get(quote - alphabet::backslashes_before(bytes, quote)..=quote).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{is_masked, quote_for};

    #[test]
    fn a_bare_number_of_json_is_replaced_by_a_string() {
        assert_eq!(quote_for("{\"pin\": 40917}", 8, 13), "\"");
        assert_eq!(quote_for("{\\\"pin\\\":40917,", 9, 14), "\\\"");
        assert_eq!(quote_for("{\"pin\": \"40917\"}", 9, 14), "");
        assert_eq!(quote_for("pin: 40917\n", 5, 10), "");
    }

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

//! Byte classes of credential alphabets, and walks over runs of one class.
//!
//! Everything is one table look-up a byte. Bytes above 0x7F belong to no class, so a run always ends at a
//! character border.

/// A set of bytes, as bits of one table entry.
pub type Class = u16;

/// Lower-case letters.
pub const LOWER: Class = 1;
/// Upper-case letters.
pub const UPPER: Class = 1 << 1;
/// Decimal digits.
pub const DIGIT: Class = 1 << 2;
/// Letters and digits.
pub const ALNUM: Class = LOWER | UPPER | DIGIT;
/// Lower-case hexadecimal digits.
pub const HEX: Class = 1 << 3;
/// Hexadecimal digits of either case.
pub const HEX_ANY: Class = 1 << 4;
/// `A-Z2-7`.
pub const BASE32: Class = 1 << 5;
/// Letters, digits, `-` and `_`.
pub const URL_SAFE: Class = 1 << 6;
/// Letters, digits, `+` and `/`.
pub const BASE64: Class = 1 << 7;
/// [`URL_SAFE`] and `.`: what a key's name is made of, and dotted tokens.
pub const DOTTED: Class = 1 << 8;
/// [`URL_SAFE`], `.`, `~`, `%`, `+`, `/`, `=`, `:`, `@`: a secret path or query value in an address.
pub const ADDRESS: Class = 1 << 9;
/// Space and tab.
pub const BLANK: Class = 1 << 10;
/// Digits and lower-case letters.
pub const BASE36: Class = 1 << 11;
/// [`BASE64`], `-`, `_` and `=`: base64 of either alphabet with its padding.
pub const BASE64_ALL: Class = 1 << 12;
/// Letters, digits and `_`: what may not stand before a token.
pub const WORD: Class = 1 << 13;

/// What a piece of a secret is made of where the text breaks it: all that is visible and ends no value.
pub const PIECE: Class = 1 << 14;

const fn classes(byte: u8) -> Class {
    let mut class = 0;
    if byte.is_ascii_lowercase() {
        class |= LOWER | BASE36;
    }
    if byte.is_ascii_uppercase() {
        class |= UPPER;
    }
    if byte.is_ascii_digit() {
        class |= DIGIT | HEX | HEX_ANY | BASE36;
    }
    if matches!(byte, b'a'..=b'f') {
        class |= HEX;
    }
    if byte.is_ascii_hexdigit() {
        class |= HEX_ANY;
    }
    if matches!(byte, b'A'..=b'Z' | b'2'..=b'7') {
        class |= BASE32;
    }
    if byte.is_ascii_alphanumeric() {
        class |= URL_SAFE | BASE64 | DOTTED | ADDRESS | BASE64_ALL | WORD;
    }
    if matches!(byte, b'-' | b'_') {
        class |= URL_SAFE | DOTTED | ADDRESS | BASE64_ALL;
    }
    if byte == b'_' {
        class |= WORD;
    }
    if matches!(byte, b'+' | b'/') {
        class |= BASE64 | ADDRESS | BASE64_ALL;
    }
    if byte == b'.' {
        class |= DOTTED | ADDRESS;
    }
    if byte == b'=' {
        class |= ADDRESS | BASE64_ALL;
    }
    if matches!(byte, b'~' | b'%' | b':' | b'@') {
        class |= ADDRESS;
    }
    if byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'>' | b'|' | b'&' | b'\\' | b'(' | b')'
        )
        && !matches!(byte, b'{' | b'}' | b'[' | b']')
    {
        class |= PIECE;
    }
    if matches!(byte, b' ' | b'\t') {
        class |= BLANK;
    }
    class
}

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time; the index is below 256")]
const fn table() -> [Class; 256] {
    let mut table = [0; 256];
    let mut byte = 0u8;
    loop {
        table[byte as usize] = classes(byte);
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

static TABLE: [Class; 256] = table();

/// Whether `byte` is in `class`.
pub fn is(byte: u8, class: Class) -> bool {
    TABLE.get(usize::from(byte)).is_some_and(|entry| entry & class != 0)
}

/// The byte at `index`, or NUL outside the text: NUL is in no class and ends every walk.
pub fn byte(bytes: &[u8], index: usize) -> u8 {
    bytes.get(index).copied().unwrap_or(0)
}

/// The bytes of a range, or nothing where the range does not lie in the text.
pub fn part(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    bytes.get(start..end).unwrap_or(&[])
}

/// Where the run of `class` that begins at `from` ends, looking at no more than `most` bytes.
pub fn run(bytes: &[u8], from: usize, class: Class, most: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    from + rest.iter().take(most).take_while(|byte| is(**byte, class)).count()
}

/// Where the run of `class` that ends before `to` begins, looking at no more than `most` bytes.
pub fn run_back(bytes: &[u8], to: usize, class: Class, most: usize) -> usize {
    let head = bytes.get(..to).unwrap_or(&[]);
    to - head.iter().rev().take(most).take_while(|byte| is(**byte, class)).count()
}

/// Where a run of one byte that begins at `from` ends, looking at no more than `most` bytes.
pub fn run_of(bytes: &[u8], from: usize, byte: u8, most: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    from + rest.iter().take(most).take_while(|other| **other == byte).count()
}

/// How many backslashes stand directly before `at`, counted up to 64: deeper escaping than any log of logs.
pub fn backslashes_before(bytes: &[u8], at: usize) -> usize {
    let head = bytes.get(..at).unwrap_or(&[]);
    head.iter().rev().take(64).take_while(|byte| **byte == b'\\').count()
}

/// Whether a token may begin at `at`: no letter, digit or `_` before it, where the letter of an escape such as
/// `\n` is no letter.
pub fn opens_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let last = byte(bytes, before);
    !is(last, WORD) || is_escape_letter(bytes, before)
}

/// Where a run that was walked back to `start` really begins: behind the letter of `\n` and its kin, behind `\u0000`.
pub fn behind_escape(bytes: &[u8], start: usize) -> usize {
    let is_code = byte(bytes, start) == b'u'
        && backslashes_before(bytes, start) % 2 == 1
        && part(bytes, start + 1, start + 5).iter().filter(|byte| is(**byte, HEX_ANY)).count() == 4;
    if is_code { start + 5 } else { start + usize::from(is_escape_letter(bytes, start)) }
}

/// Whether the byte at `at` is the letter of `\n`, `\r`, `\t`, `\b` or `\f`.
pub fn is_escape_letter(bytes: &[u8], at: usize) -> bool {
    matches!(byte(bytes, at), b'n' | b'r' | b't' | b'b' | b'f') && at > 0 && byte(bytes, at - 1) == b'\\'
}

#[cfg(test)]
mod tests {
    use super::{ALNUM, opens_word, run, run_back};

    #[test]
    fn the_letter_of_an_escape_opens_a_word_and_a_plain_letter_does_not() {
        assert!(opens_word(b"a\\nghp", 3));
        assert!(!opens_word(b"anghp", 2));
        assert!(opens_word(b"ghp", 0));
    }

    #[test]
    fn a_run_ends_at_a_character_border() {
        let text = "abc→".as_bytes();
        assert_eq!(run(text, 0, ALNUM, usize::MAX), 3);
        assert_eq!(run_back(text, 3, ALNUM, 2), 1);
    }
}

//! Where a value ends, and whether it can be a secret at all.
//!
//! A quoted value ends at its own quote, at whatever depth of escaping; any other at a blank or at punctuation. What
//! only stands for a value is none: references, expressions, masks, placeholders, plain words, paths, addresses.

use super::alphabet::{self, ADDRESS, BLANK, HEX_ANY, WORD};
use super::mark;
use super::names::Promise;

/// Longest value that is looked at, in bytes; a longer one is cut here, as is the time it costs.
const LONGEST: usize = 8_192;

/// Length of the secret half of a pair of keys, the one base64 that often begins with a slash.
const AWS_SECRET: usize = 40;
/// Least joints of a phrase: random tokens hold a few of these signs, too.
const PHRASE: usize = 4;
/// Bytes from which a value is judged: what is no secret so far is none.
const JUDGED: usize = 1_024;

/// A value in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// First byte, behind the opening quote.
    pub start: usize,
    /// The byte behind the last one, before the closing quote and its backslashes.
    pub end: usize,
    /// Whether it stands in quotes of its own.
    pub quoted: bool,
}

impl Value {
    /// The bytes.
    pub fn of<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        alphabet::part(bytes, self.start, self.end)
    }
}

/// An opening quote at `at`, however many backslashes stand before it: the quote, its depth, the byte behind it.
pub fn quote_at(bytes: &[u8], at: usize) -> Option<(u8, usize, usize)> {
    let rest = bytes.get(at..)?;
    let depth = rest.iter().take(64).take_while(|byte| **byte == b'\\').count();
    let quote = alphabet::byte(bytes, at + depth);
    matches!(quote, b'"' | b'\'' | b'`').then_some((quote, depth, at + depth + 1))
}

/// The value that begins at `at`, quoted or not; `None` if nothing stands there.
pub fn read(bytes: &[u8], at: usize) -> Option<Value> {
    let value = match quote_at(bytes, at) {
        Some((quote, depth, start)) => {
            Value { start, end: quoted_end(bytes, start, quote, depth)?, quoted: true }
        }
        None => Value { start: at, end: bare_end(bytes, at), quoted: false },
    };
    (value.start < value.end).then_some(value)
}

/// What is left of a quoted value whose closing quote was cut off: up to a blank, and only where it is long and no word, so
/// that a stray quote hides nothing behind it.
pub fn read_cut(bytes: &[u8], at: usize) -> Option<Value> {
    let (_, _, start) = quote_at(bytes, at)?;
    let value = Value { start, end: bare_end(bytes, start), quoted: false };
    let text = value.of(bytes);
    let is_no_word = text.len() >= 16 && text.iter().any(u8::is_ascii_digit) && !is_wordy(text, true);
    is_no_word.then_some(value)
}

/// Where a quoted value ends: before the quote of equal depth, or of an outer text that ends here. `None` where no
/// quote closes it, so that a stray quote hides nothing behind it.
fn quoted_end(bytes: &[u8], start: usize, quote: u8, depth: usize) -> Option<usize> {
    let window = alphabet::part(bytes, start, bytes.len().min(start + LONGEST));
    for at in memchr::memchr_iter(quote, window) {
        let slashes = alphabet::backslashes_before(window, at);
        if slashes < depth {
            return Some(start + at - slashes);
        }
        if slashes % (2 * (depth + 1)) == depth {
            return Some(start + at - depth);
        }
    }
    None
}

/// Where a value without quotes ends.
fn bare_end(bytes: &[u8], start: usize) -> usize {
    let window = alphabet::part(bytes, start, bytes.len().min(start + LONGEST));
    let mut at = 0;
    while let Some(byte) = window.get(at) {
        let stops = match byte {
            0..=b' ' | 0x7f | b'"' | b'\'' | b'`' | b',' | b';' | b'|' | b'}' | b']' | b'<' | b'>' => true,
            b'&' if begins_entity(window, at) => true,
            b'&' | b')' => !goes_on(window, at),
            b'\\' => window.get(at + 1) != Some(&b'/'),
            b'[' => mark::opens_mark(window, at),
            0xe2 => matches!(window.get(at + 1), Some(0x80 | 0x86 | 0x94)),
            _ => false,
        };
        if stops {
            break;
        }
        at += 1;
    }
    if window.len() == LONGEST && at == LONGEST {
        // The cut may fall inside a character.
        while at > 0 && matches!(bytes.get(start + at), Some(0x80..=0xbf)) {
            at -= 1;
        }
    }
    let ends_sentence = bytes.get(start + at).is_none_or(|next| next.is_ascii_whitespace());
    let trimmed =
        alphabet::part(window, 0, at).iter().rev().take_while(|byte| matches!(byte, b'.' | b':')).count();
    start + at - if ends_sentence { trimmed } else { 0 }
}

/// Whether a sign of markup stands at `at`, written as an entity: `&quot;`, `&lt;`, `&#39;`.
fn begins_entity(window: &[u8], at: usize) -> bool {
    [&b"&quot;"[..], b"&lt;", b"&gt;", b"&apos;", b"&#39;", b"&#34;", b"&#x27;", b"&#x22;"]
        .iter()
        .any(|entity| alphabet::part(window, at, at + entity.len()) == *entity)
}

/// Whether a value without quotes goes on behind a sign that ends most: `a)b9`, but not `f(a9)`, `a9).b` or `a=1&b=2`.
fn goes_on(window: &[u8], at: usize) -> bool {
    let signs = alphabet::part(window, at, window.len().min(at + 8))
        .iter()
        .take_while(|byte| matches!(byte, b'&' | b')' | b'('))
        .count();
    let behind = at + signs;
    let name_end = alphabet::run(window, behind, alphabet::DOTTED, 40);
    let is_parameter = alphabet::byte(window, name_end) == b'=' && window.get(at) == Some(&b'&');
    let joins = alphabet::is(alphabet::byte(window, behind), WORD)
        || matches!(window.get(behind), Some(b'*' | b'^' | b'#' | b'@' | b'+' | b'%'));
    joins
        && !is_parameter
        && !(window.get(at) == Some(&b'&') && signs > 1 && window.get(at + 1) == Some(&b'&'))
}

/// What a value is made of, counted once.
#[derive(Debug, Default)]
struct Makeup {
    lower: usize,
    upper: usize,
    digits: usize,
    symbols: usize,
    blanks: usize,
    distinct: u32,
}

impl Makeup {
    fn of(value: &[u8]) -> Self {
        let mut makeup = Self::default();
        let mut seen = [0u64; 4];
        for byte in value.iter().take(JUDGED) {
            match byte {
                b'a'..=b'z' => makeup.lower += 1,
                b'A'..=b'Z' => makeup.upper += 1,
                b'0'..=b'9' => makeup.digits += 1,
                b' ' | b'\t' | b'\n' | b'\r' => makeup.blanks += 1,
                _ => makeup.symbols += 1,
            }
            if let Some(slot) = seen.get_mut(usize::from(byte >> 6)) {
                *slot |= 1 << (byte & 63);
            }
        }
        makeup.distinct = seen.iter().map(|bits| bits.count_ones()).sum();
        makeup
    }

    const fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Whether `value` can be the secret that its name promises.
pub fn is_plausible(value: &[u8], quoted: bool, promise: Promise) -> bool {
    let value = alphabet::part(value, 0, value.len().min(JUDGED));
    // Words are no secret whatever was promised, and most values are words.
    if value.len() < promise.least() || is_wordy(value, false) && !has_sign_inside(value, promise) {
        return false;
    }
    if mark::is_masked(value) || is_reference(value, quoted) {
        return false;
    }
    let makeup = Makeup::of(value);
    if makeup.letters() + makeup.symbols == 0 {
        return promise == Promise::Header || (quoted && promise == Promise::Password && value.len() >= 6);
    }
    if is_address(value) || is_path(value, &makeup) || is_pattern(value) {
        return false;
    }
    if makeup.blanks > 0 && !is_wrapped(value, &makeup) {
        return is_dense(&makeup, value.len());
    }
    if !quoted && is_expression(value) {
        return false;
    }
    match promise {
        // That these are no words was seen before.
        Promise::Password => value.len() >= 6,
        Promise::Secret | Promise::Header => !is_wordy(value, true) && !is_public(value) && value.len() >= 8,
        Promise::Weak => looks_random(value),
    }
}

/// Whether a password of words is none: between two letters stands what joins no words.
fn has_sign_inside(value: &[u8], promise: Promise) -> bool {
    let is_sign = |window: &[u8]| matches!(window, [before, b'!', behind] if before.is_ascii_alphanumeric() && behind.is_ascii_alphanumeric());
    promise == Promise::Password && value.len() >= 8 && value.windows(3).any(is_sign)
}

/// Whether a value stands out as random by itself: long, mixed, no word, no identifier that is public by nature.
pub fn looks_random(value: &[u8]) -> bool {
    let makeup = Makeup::of(value);
    value.len() >= 16
        && makeup.digits > 0
        && makeup.letters() > 0
        && makeup.distinct >= 8
        && (makeup.blanks == 0 || is_wrapped(value, &makeup))
        && !is_public(value)
        && !mark::is_masked(value)
        && !is_reference(value, true)
        && !is_path(value, &makeup)
        && !is_address(value)
        && !is_pattern(value)
        && !is_hash_of_words(value)
}

/// Whether a short value has what words have not: digits, letters of both cases, eight bytes of one piece.
pub fn is_mixed(value: &[u8]) -> bool {
    let makeup = Makeup::of(value);
    value.len() >= 8 && makeup.blanks == 0 && makeup.digits > 0 && makeup.upper > 0 && makeup.lower > 0
}

/// Whether the only blank is one line break inside a token.
fn is_wrapped(value: &[u8], makeup: &Makeup) -> bool {
    makeup.blanks == 1
        && makeup.digits > 0
        && value
            .split(|byte| *byte == b'\n')
            .all(|piece| piece.len() >= 4 && piece.iter().all(|byte| alphabet::is(*byte, ADDRESS)))
}

/// Text with blanks that is no sentence: long pieces, much besides letters (the keys of a `wp-config.php`).
const fn is_dense(makeup: &Makeup, length: usize) -> bool {
    length >= 24 && makeup.blanks * 10 < length && makeup.digits > 0 && makeup.symbols * 6 > length
}

/// References to a value that stands elsewhere: `$X`, `${X}`, `{{ x }}`, `%X%`, `<x>`, `!Ref x`, `@x@`, `secrets.X`.
fn is_reference(value: &[u8], quoted: bool) -> bool {
    let opens = |text: &str| value.starts_with(text.as_bytes());
    if [
        "${", "$(", "{{", "#{", "<", "$env:", "secrets.", "env.", "op://", "vault:", "arn:", "...", "\\(",
        "{",
    ]
    .into_iter()
    .any(opens)
    {
        return true;
    }
    let (first, rest) = match value.split_first() {
        Some((first, rest)) => (*first, rest),
        None => return true,
    };
    let is_name = |text: &[u8]| text.iter().all(|byte| alphabet::is(*byte, WORD) || *byte == b'.');
    match first {
        b'$' => is_name(rest),
        b'%' | b'@' => rest.last() == Some(&first) || (first == b'@' && is_name(rest)),
        b'!' => rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count() > 2 && rest.contains(&b' '),
        b'^' => true,
        b'&' | b'*' | b'(' | b'[' | b'|' | b'=' | b'~' | b'?' => !quoted,
        _ => false,
    }
}

/// Calls, indices, paths and members of code: `get_password()`, `os.environ[..]`, `config.apiKey`, `a::b`.
fn is_expression(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|byte| alphabet::is(**byte, WORD) || matches!(byte, b'.' | b'?' | b'!'))
        .count();
    match value.get(name..) {
        Some([b'(' | b'[', ..]) => name > 0,
        Some([b':', b':', ..] | [b'-', b'>', ..]) => true,
        _ => false,
    }
}

/// Addresses; their own passwords are found by their place.
fn is_address(value: &[u8]) -> bool {
    value.windows(3).any(|window| window == b"://")
}

/// Descriptions of tokens by a regular expression.
fn is_pattern(value: &[u8]) -> bool {
    value.windows(2).enumerate().any(|(at, pair)| match pair {
        b"\\w" | b"\\d" | b".*" | b".+" => true,
        b"[A" | b"[a" => value.get(at + 2) == Some(&b'-'),
        b"[0" => alphabet::part(value, at + 2, at + 4) == b"-9",
        _ => false,
    })
}

/// File paths: segments of words, however they begin.
fn is_path(value: &[u8], makeup: &Makeup) -> bool {
    let rooted = [&b"/"[..], b"./", b"../", b"~/", b"\\"].iter().any(|head| value.starts_with(head))
        || matches!(value, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let segments = value.split(|byte| matches!(byte, b'/' | b'\\'));
    let longest = segments.clone().map(<[u8]>::len).max().unwrap_or(0);
    if rooted {
        // Base64 can begin with a slash: then long segments mix both cases and digits.
        return !(longest >= 10
            && (makeup.digits > 1 || makeup.digits == 1 && value.len() == AWS_SECRET)
            && makeup.upper > 2
            && makeup.lower > 2
            && segments.count() <= 2 + value.len() / 12);
    }
    segments.clone().count() > 1 && segments.into_iter().all(|segment| is_wordy(segment, true))
}

/// Whether the value is words and not a secret: every piece between separators is a word. With `numbers`, short numbers and
/// words with a short number are words too (`api_key_2`).
pub fn is_wordy(value: &[u8], numbers: bool) -> bool {
    value
        .split(|byte| {
            matches!(
                byte,
                b'-' | b'_'
                    | b'.'
                    | b' '
                    | b'\n'
                    | b':'
                    | b'/'
                    | b'='
                    | b'?'
                    | b'!'
                    | b'#'
                    | b'*'
                    | b'('
                    | b')'
                    | b'$'
                    | b'{'
                    | b'}'
            )
        })
        .all(|piece| {
            let digits = piece.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let (letters, _) = piece.split_at_checked(piece.len() - digits).unwrap_or((piece, &[]));
            (digits == 0 || (numbers && digits <= 5))
                && letters.iter().all(|byte| !byte.is_ascii() || byte.is_ascii_alphabetic())
                && !mixes_cases(letters)
        })
}

/// Whether what has the form of a token is none: a mask, an example of a manual, words.
pub fn stands_for_none(token: &[u8]) -> bool {
    mark::is_drawn(token) || mark::is_published(token) || is_phrase(token)
}

/// Whether a token is small words that dashes join, as names of styles and packages are: `sk-estimator-doc-link-…`.
fn is_phrase(token: &[u8]) -> bool {
    let joints = token.iter().filter(|byte| matches!(byte, b'-' | b'_')).count();
    joints >= PHRASE && !token.iter().any(u8::is_ascii_uppercase) && is_wordy(token, true)
}

/// Whether every piece is a word or a run of hexadecimal digits: keys of caches, identifiers of objects.
fn is_hash_of_words(value: &[u8]) -> bool {
    value
        .split(|byte| matches!(byte, b'-' | b'_' | b'.' | b':' | b'/' | b'\n'))
        .all(|piece| piece.iter().all(|byte| alphabet::is(*byte, HEX_ANY)) || is_wordy(piece, true))
}

/// Heads of what looks random and is public: keys that are meant to be shown, digests, images.
fn is_public(value: &[u8]) -> bool {
    const HEADS: [&str; 20] = [
        "ssh-",
        "AAAAB3NzaC1",
        "AAAAC3NzaC1",
        "AAAAE2VjZHNh",
        "pk_live_",
        "pk_test_",
        "pk-lf-",
        "pk.eyJ",
        "phc_",
        "sb_publishable_",
        "age1",
        "npub1",
        "xpub",
        "sha1-",
        "sha256",
        "sha384-",
        "sha512",
        "SHA256:",
        "data:",
        "iVBORw0KGgo",
    ];
    HEADS.iter().any(|head| value.starts_with(head.as_bytes()))
}

/// Whether letters change their case too often for words in camel case.
fn mixes_cases(letters: &[u8]) -> bool {
    let upper = letters.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let lower = letters.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    letters.len() >= 12 && upper * 4 >= letters.len() && lower * 4 >= letters.len()
}

/// Skips blanks from `at`, a bounded number: a column of aligned values, not a page of spaces.
pub fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    alphabet::run(bytes, at, BLANK, 64)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test may panic")]
mod tests {
    use super::read;

    fn read_text(text: &str) -> Option<String> {
        let value = read(text.as_bytes(), 0)?;
        Some(text[value.start..value.end].to_owned())
    }

    #[test]
    fn a_value_ends_at_its_own_quote_at_any_depth() {
        assert_eq!(read_text(r#""a\"b" c"#), Some(r#"a\"b"#.to_owned()));
        assert_eq!(read_text(r#"\"ab\", \"c\""#), Some("ab".to_owned()));
        assert_eq!(read_text(r#"\\\"ab\\\" "#), Some("ab".to_owned()));
        assert_eq!(read_text(r#"\"ab" "#), Some("ab".to_owned()));
        assert_eq!(read_text(r#""ab"#), None);
    }

    #[test]
    fn a_bare_value_ends_at_a_blank_or_an_escape() {
        assert_eq!(read_text("ab1&x=2"), Some("ab1".to_owned()));
        assert_eq!(read_text("a)b1&x)"), Some("a)b1&x".to_owned()));
        assert_eq!(read_text(r"ab\/c\nd"), Some(r"ab\/c".to_owned()));
        assert_eq!(read_text("ab. "), Some("ab".to_owned()));
    }
}

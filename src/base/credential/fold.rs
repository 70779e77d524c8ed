//! A second view of a text without its disguises: colours and invisible characters dropped, `%2F`, `\u0067`, `&#103;` and
//! their kin written out, with a map back to the bytes of the text.
//!
//! The view is made only of texts that hold such a disguise. What a finding covers in the view it covers in
//! the text with everything in between.

use zeroize::Zeroizing;

use super::alphabet::{self, DIGIT, HEX_ANY};
use super::reach;

/// Most backslashes of one escape.
const MOST_SLASHES: usize = 64;

/// A changed copy of a text and its way back. The copy is wiped when it is no longer needed.
#[derive(Debug)]
pub struct Folded {
    bytes: Zeroizing<Vec<u8>>,
    /// For every change the offset in the copy from which on the source lies `source - copy` further.
    changes: Vec<(usize, usize)>,
    source_bytes: usize,
}

impl Folded {
    /// The copy of `text`, or nothing where there is no disguise.
    pub fn of(text: &[u8]) -> Option<Self> {
        // The first change is the start of the text; it is noted with the first disguise, which most texts never have.
        let mut folded = Self { bytes: Zeroizing::default(), changes: Vec::new(), source_bytes: text.len() };
        let mut copied = 0;
        let mut signs = Signs::default();
        let mut at = 0;
        while let Some(step) = signs.next(text, at) {
            at = step;
            let Some((length, replacement)) = disguise_at(text, at) else {
                // The other backslashes of a run stand for no more than the first.
                at += slashes_at(text, at).max(1);
                continue;
            };
            if folded.changes.is_empty() {
                folded.changes.push((0, 0));
                // No disguise is shorter than what it stands for: the copy never grows, which would leave pieces behind.
                folded.bytes.reserve_exact(text.len());
            }
            folded.bytes.extend_from_slice(alphabet::part(text, copied, at));
            folded.changes.push((folded.bytes.len(), at));
            folded.bytes.extend(replacement);
            at += length;
            copied = at;
            folded.changes.push((folded.bytes.len(), at));
        }
        if copied == 0 {
            return None;
        }
        folded.bytes.extend_from_slice(alphabet::part(text, copied, text.len()));
        Some(folded)
    }

    /// The bytes of the copy; not necessarily UTF-8.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What lies near the changes, in the copy.
    pub fn near_changes(&self) -> Vec<(usize, usize)> {
        let changes = self.changes.get(1..).unwrap_or_default().chunks_exact(2);
        let places = changes.filter_map(|change| Some((change.first()?.0, change.last()?.0)));
        reach::around(places, self.bytes.len())
    }

    /// The bytes of the source that the range of the copy stands for.
    pub fn source(&self, start: usize, end: usize) -> (usize, usize) {
        (self.source_of(start), self.source_of(end.saturating_sub(1)).max(self.source_end(end)))
    }

    fn source_of(&self, at: usize) -> usize {
        let index = self.changes.partition_point(|(copy, _)| *copy <= at);
        let (copy, source) =
            index.checked_sub(1).and_then(|index| self.changes.get(index)).copied().unwrap_or((0, 0));
        source + (at - copy)
    }

    /// Where the source of the byte before `end` ends: before a dropped sequence, behind a rewritten one.
    fn source_end(&self, end: usize) -> usize {
        let index = self.changes.partition_point(|(copy, _)| *copy < end);
        let (copy, source) =
            index.checked_sub(1).and_then(|index| self.changes.get(index)).copied().unwrap_or((0, 0));
        let plain = source + (end - copy);
        // The last byte itself may be the writing out of a longer sequence, whose end is the next change.
        match self.changes.get(index) {
            Some((next_copy, next_source)) if *next_copy == end && end - copy == 1 && index % 2 == 0 => {
                *next_source
            }
            _ => plain.min(self.source_bytes),
        }
    }
}

/// The next bytes at which a disguise may begin, ASCII and other, each searched only once it was passed.
#[derive(Debug, Default)]
struct Signs {
    ascii: Option<usize>,
    other: Option<usize>,
    rare: Option<usize>,
}

impl Signs {
    fn next(&mut self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        if self.ascii.is_none_or(|at| at < from) {
            self.ascii = Some(memchr::memchr3(0x1b, b'\\', b'%', rest).map_or(text.len(), |at| from + at));
        }
        if self.other.is_none_or(|at| at < from) {
            self.other = Some(memchr::memchr3(0xe2, 0xef, 0xc2, rest).map_or(text.len(), |at| from + at));
        }
        if self.rare.is_none_or(|at| at < from) {
            self.rare = Some(memchr::memchr2(b'&', 0, rest).map_or(text.len(), |at| from + at));
        }
        self.ascii.min(self.other).min(self.rare).filter(|at| *at < text.len())
    }
}

/// The length of the disguise at `at` and the byte it stands for, if any.
fn disguise_at(text: &[u8], at: usize) -> Option<(usize, Option<u8>)> {
    let rest = text.get(at..)?;
    match rest {
        [0x1b, ..] => colour(rest, 1).map(|length| (length, None)),
        [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..]
        | [0xe2, 0x81, 0xa0 | 0xa6..=0xa9, ..]
        | [0xef, 0xbb, 0xbf, ..] => Some((3, None)),
        [0xc2, 0xad, ..] => Some((2, None)),
        [b'%', high, low, ..] => visible(*high, *low).map(|byte| (3, Some(byte))),
        [b'\\', ..] => escape(rest),
        [b'&', ..] => entity(rest),
        // Text in two bytes a letter that was read as text in one.
        [0, ..] => Some((1, None)),
        _ => None,
    }
}

/// How many backslashes stand at `at`.
fn slashes_at(text: &[u8], at: usize) -> usize {
    text.iter().skip(at).take(MOST_SLASHES).take_while(|byte| **byte == b'\\').count()
}

/// A terminal sequence behind its escape character of `head` bytes.
fn colour(rest: &[u8], head: usize) -> Option<usize> {
    if rest.get(head) != Some(&b'[') {
        return None;
    }
    let body = rest
        .get(head + 1..)?
        .iter()
        .take(24)
        .take_while(|byte| alphabet::is(**byte, DIGIT) || matches!(byte, b';' | b'?'))
        .count();
    rest.get(head + 1 + body)?.is_ascii_alphabetic().then_some(head + body + 2)
}

/// The visible ASCII character that two hexadecimal digits stand for; never a quote or backslash, which end values.
fn visible(high: u8, low: u8) -> Option<u8> {
    if !alphabet::is(high, HEX_ANY) || !alphabet::is(low, HEX_ANY) {
        return None;
    }
    let digits = [high, low];
    let byte = u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
    (byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\' | b'`' | b'[' | b'<' | b'('))
        .then_some(byte)
}

/// A quote or `<` that two hexadecimal digits stand for: in a string that escapes these, they are what ends a value.
const fn quote(high: u8, low: u8) -> Option<u8> {
    match [high, low] {
        [b'2', b'2'] => Some(b'"'),
        [b'2', b'7'] => Some(b'\''),
        [b'3', b'c' | b'C'] => Some(b'<'),
        _ => None,
    }
}

/// Escapes of any depth: `\u0067`, `\/`, and colours written as text (`\u001b[0m`, `\x1b[`, `\033[`).
fn escape(rest: &[u8]) -> Option<(usize, Option<u8>)> {
    let slashes = slashes_at(rest, 0);
    match rest.get(slashes..)? {
        [b'u', b'0', b'0', b'0', b'0', ..] => Some((slashes + 5, None)),
        [b'u', b'0', b'0', high, low, ..] => {
            if *high == b'1' && matches!(low, b'b' | b'B') {
                return colour(rest, slashes + 5).map(|length| (length, None));
            }
            visible(*high, *low).or_else(|| quote(*high, *low)).map(|byte| (slashes + 5, Some(byte)))
        }
        [b'u', b'2', b'0', b'0', b'b'..=b'f' | b'B'..=b'F', ..]
        | [b'u', b'f' | b'F', b'e' | b'E', b'f' | b'F', b'f' | b'F', ..] => Some((slashes + 5, None)),
        [b'x', b'1', b'b' | b'B', ..] | [b'0', b'3', b'3', ..] => {
            colour(rest, slashes + 3).map(|length| (length, None))
        }
        [b'/', ..] if slashes == 1 => Some((2, Some(b'/'))),
        _ => None,
    }
}

/// Entities of a markup: `&#103;`, `&#x67;`, `&quot;`. A quote is written out: here it is what ends a value.
fn entity(rest: &[u8]) -> Option<(usize, Option<u8>)> {
    const NAMED: [(&[u8], u8); 6] =
        [(b"quot", b'"'), (b"amp", b'&'), (b"lt", b'<'), (b"gt", b'>'), (b"apos", b'\''), (b"nbsp", b' ')];
    let body = alphabet::part(rest, 1, 1 + memchr::memchr(b';', alphabet::part(rest, 1, rest.len().min(9)))?);
    let length = body.len() + 2;
    let byte = match body {
        [b'#', b'x' | b'X', digits @ ..] => u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?,
        [b'#', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok()?,
        name => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    (byte.is_ascii_graphic() || byte == b' ').then_some((length, Some(byte)))
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test may panic")]
mod tests {
    use super::Folded;

    #[test]
    fn disguises_are_folded_and_every_range_finds_its_source() {
        let text = "a%2Db\u{200b}c\x1b[01;31m\x1b[Kd\\u0065f";
        let folded = Folded::of(text.as_bytes()).unwrap();
        assert_eq!(folded.bytes(), b"a-bcdef");
        let source = |start, end| {
            let (start, end) = folded.source(start, end);
            &text[start..end]
        };
        assert_eq!(source(0, 7), text);
        assert_eq!(source(1, 2), "%2D");
        assert_eq!(source(0, 3), "a%2Db");
        assert_eq!(source(3, 4), "c");
        assert_eq!(source(4, 6), "d\\u0065");
    }

    #[test]
    fn plain_text_has_no_view() {
        assert!(Folded::of("plain → text \\n 100% “quoted”".as_bytes()).is_none());
    }
}

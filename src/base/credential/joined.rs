//! Secrets in pieces: which rest behind a joint still belongs to a token or to a value.

use zeroize::Zeroizing;

use super::alphabet::{self, ADDRESS, HEX_ANY};
use super::joint::{self, Joint, Whole};
use super::jwt;
use super::shape::{Match, Shape};
use super::sum::{self, Check};
use super::value;

/// Shortest rest that is taken without a length of the whole that would prove it, in bytes.
const SHORTEST: usize = 6;
/// Shortest piece between a break and the mark behind it that is looked at, in bytes.
const SHORTEST_HEAD: usize = 4;
/// Lengths of credentials without a mark of their own; a whole of such a length proves its pieces.
const LENGTHS: [usize; 16] = [23, 24, 27, 30, 32, 36, 37, 40, 43, 44, 48, 51, 52, 64, 88, 128];
/// Lengths of hexadecimal digits behind a mark.
const HEX_LENGTHS: [usize; 5] = [32, 40, 48, 64, 128];
/// Longest rest that is looked at to tell whether it is one, in bytes.
const LONGEST_REST: usize = 256;
/// Lengths of signatures in a token of three parts.
const SIGNATURES: [usize; 6] = [43, 64, 86, 128, 342, 683];

/// A token whose opening literal stands at `at`, put together from its pieces; `found` is what the first piece alone gave.
pub fn token(shape: &Shape, check: Check, bytes: &[u8], at: usize, found: Option<Match>) -> Option<Match> {
    let whole = shape.begins_with_anchor().then(|| Whole::from(bytes, at, at + shape.anchor().len()))??;
    let ends_at_joint = found.is_none_or(|found| found.end - at == whole.first());
    if !ends_at_joint {
        return None;
    }
    let exact = whole.ends().iter().find_map(|end| {
        let matched = shape.matches(alphabet::part(&whole.bytes, 0, *end), 0, 0)?;
        let proves = || check.proves(alphabet::part(&whole.bytes, matched.start, matched.end));
        (matched.end > whole.first() && (matched.exact || proves()))
            .then_some(Match { exact: true, ..matched })
    });
    let matched = exact.or_else(|| shape.matches(&whole.bytes, 0, 0))?;
    if matched.end <= whole.first() {
        return None;
    }
    let end = if matched.exact || whole.joint == Joint::Record {
        matched.end
    } else if whole.joint == Joint::Item {
        return None;
    } else {
        // Of a family whose length is not known the rest must show itself as one.
        let end = last_rest(&whole, bytes, shape.anchor().len())?.min(matched.end);
        (end > whole.first()).then_some(end)?
    };
    Some(Match { start: at + matched.start, end: whole.source_end(end), exact: matched.exact })
}

/// A token with its mark inside, whose literal stands at `at`, put together from its pieces: the break stands before the mark
/// or behind it. The whole has to have the length of its family, or the right sum.
pub fn around(
    shape: &Shape,
    check: Check,
    bytes: &[u8],
    at: usize,
    breaks: impl FnOnce() -> bool,
) -> Option<Match> {
    let breaks = breaks();
    let before = alphabet::part(bytes, at.saturating_sub(shape.least_before()), at);
    if !breaks && memchr::memrchr3(b'\n', b'\\', b'"', before).is_none() {
        return None;
    }
    let head = shape.walk_back(bytes, at)?;
    let is_short = at - head < shape.least_before();
    let (start, end) = if !is_short {
        breaks.then_some((head, at + shape.anchor().len()))?
    } else if at - head >= SHORTEST_HEAD && alphabet::opens_word(bytes, head) {
        let (end, _) = joint::before(bytes, head)?;
        (shape.walk_back(bytes, end)?, end)
    } else {
        return None;
    };
    if start == end || !alphabet::opens_word(bytes, start) {
        return None;
    }
    let whole = Whole::from(bytes, start, end)?;
    let place = whole.place_of(at)?;
    whole.ends().iter().find_map(|end| {
        let matched = shape.matches(alphabet::part(&whole.bytes, 0, *end), place, 0)?;
        let token = alphabet::part(&whole.bytes, matched.start, matched.end);
        let has_length = matched.exact
            && (LENGTHS.contains(&token.len()) || shape.has_fixed_length(whole.first() <= place));
        let is_joined = matched.start == 0 && matched.end > whole.first();
        (is_joined && (has_length || check.proves(token))).then(|| Match {
            start,
            end: whole.source_end(matched.end),
            exact: true,
        })
    })
}

/// The end of a token of several parts that begins at `at` and that the text breaks.
pub fn dotted(bytes: &[u8], at: usize) -> Option<usize> {
    let whole = Whole::from(bytes, at, at)?;
    let end = jwt::end(&whole.bytes, 0)?;
    let token = alphabet::part(&whole.bytes, 0, end);
    let signature = token.rsplit(|byte| *byte == b'.').next().map_or(0, <[u8]>::len);
    let goes_on = token.get(whole.first()..).is_some_and(|rest| rest.contains(&b'.'));
    let end = if whole.joint == Joint::Record || SIGNATURES.contains(&signature) || goes_on {
        end
    } else {
        last_rest(&whole, bytes, 0)?.min(end)
    };
    (end > whole.first()).then(|| whole.source_end(end))
}

/// Where the value `start..end` ends with its rests, and what it is together; nothing where no rest follows.
pub fn value(bytes: &[u8], start: usize, end: usize) -> Option<(usize, Zeroizing<Vec<u8>>)> {
    let (joint, _) = joint::at(bytes, end)?;
    if joint == Joint::Item && !in_list(bytes, start) {
        return None;
    }
    let mut whole = Whole::from(bytes, start, end)?;
    let proven = || {
        let proves = |end: &&usize| sum::proves_unmarked(alphabet::part(&whole.bytes, 0, **end));
        whole.ends().iter().find(proves).copied()
    };
    let end = match whole.joint {
        Joint::Record => *whole.ends().last()?,
        Joint::Line | Joint::Literal | Joint::Item => proven().or_else(|| last_rest(&whole, bytes, 0))?,
    };
    let source_end = whole.source_end(end);
    whole.bytes.truncate(end);
    Some((source_end, whole.bytes))
}

/// Whether the quoted value that begins at `start` is the first of a list.
fn in_list(bytes: &[u8], start: usize) -> bool {
    let before = alphabet::part(bytes, start.saturating_sub(6), start);
    let mut before = before.iter().rev().skip_while(|byte| matches!(byte, b'"' | b'\'' | b'\\' | b' '));
    before.next() == Some(&b'[')
}

/// The end of the last piece that is a rest, each judged with what stands before it; the first `mark` bytes are the
/// mark of a family and no part of its body.
fn last_rest(whole: &Whole, text: &[u8], mark: usize) -> Option<usize> {
    let mark = if whole.bytes.starts_with(b"0x") { 2 } else { mark };
    let mut start = whole.first();
    let mut last = None;
    for end in whole.ends().iter().copied() {
        let (head, rest) =
            (alphabet::part(&whole.bytes, mark, start), alphabet::part(&whole.bytes, start, end));
        let goes_on = is_closed(text, whole.source_end(end), whole.joint) && goes_on(head, rest);
        if !goes_on {
            break;
        }
        last = Some(end);
        start = end;
    }
    last
}

/// Whether `rest` belongs to the secret that begins with `head`.
fn goes_on(head: &[u8], rest: &[u8]) -> bool {
    let is_hex = |text: &[u8]| text.iter().all(|byte| alphabet::is(*byte, HEX_ANY) || *byte == b'-');
    if names_something(rest) {
        return false;
    }
    if is_hex(rest) && !is_hex(head) {
        // Behind a mark the digits of both pieces have a length that such digits have.
        let digits = head.iter().rev().take_while(|byte| alphabet::is(**byte, HEX_ANY)).count();
        return digits > 0 && rest.len() >= SHORTEST && HEX_LENGTHS.contains(&(digits + rest.len()));
    }
    let fits = rest.len() >= 4
        && LENGTHS.contains(&(head.len() + rest.len()))
        && !LENGTHS.contains(&head.len())
        && head.iter().any(u8::is_ascii_digit)
        && (is_hex(rest) || !value::is_wordy(rest, true));
    let is_own_id = is_hex(rest) && rest.len() == 36;
    fits || is_rest(rest) && !is_own_id
}

/// Whether a sign of equality stands inside: `LEVEL=info`.
fn names_something(rest: &[u8]) -> bool {
    let body = rest.len() - rest.iter().rev().take_while(|byte| **byte == b'=').count();
    // Two of them are the end of base64, behind which a token goes on.
    alphabet::part(rest, 0, body).split(|byte| *byte == b'=').skip(1).any(|part| !part.is_empty())
        && memchr::memmem::find(alphabet::part(rest, 0, body), b"==").is_none()
}

/// Whether nothing of its own stands behind a rest.
fn is_closed(text: &[u8], end: usize, joint: Joint) -> bool {
    match text.get(end) {
        None | Some(b'"' | b'\'' | b'`' | b'\n' | b'\r' | b'\\' | b'&' | b',' | b';' | b')' | b'<') => true,
        Some(b' ') => alphabet::byte(text, end + 1) == b'-' || joint::at(text, end).is_some(),
        Some(_) => joint != Joint::Line,
    }
}

/// Whether a text begins with what could be the rest of a secret: cheap, so that it can be asked of every text.
pub fn goes_on_like_a_secret(text: &str) -> bool {
    let bytes = text.as_bytes();
    let end = alphabet::run(bytes, 0, alphabet::PIECE, LONGEST_REST);
    let piece = alphabet::part(bytes, 0, end);
    piece.len() >= SHORTEST && piece.iter().any(u8::is_ascii_digit) && !value::is_wordy(piece, true)
}

/// Whether a piece can be the rest of a secret: no word, no assignment, no path, no address.
fn is_rest(rest: &[u8]) -> bool {
    rest.len() >= SHORTEST
        && !value::is_wordy(rest, true)
        && (!rest.starts_with(b"/") || is_base64_rest(rest))
        && !rest.windows(3).any(|window| window == b"://")
        && (rest.len() >= 12 || rest.iter().any(u8::is_ascii_digit))
}

/// Whether a rest that begins with a slash is base64 and no path.
fn is_base64_rest(rest: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| rest.iter().filter(|byte| is(byte)).count();
    let longest = rest.split(|byte| *byte == b'/').map(<[u8]>::len).max().unwrap_or(0);
    longest >= 10
        && count(u8::is_ascii_digit) > 1
        && count(u8::is_ascii_uppercase) > 2
        && count(u8::is_ascii_lowercase) > 2
}

/// The value `start..end` without the joints inside of it; nothing where no line of it breaks a token.
pub fn unbroken(bytes: &[u8], start: usize, end: usize) -> Option<Zeroizing<Vec<u8>>> {
    let value = alphabet::part(bytes, start, end);
    let breaks = memchr::memchr(b'\n', value).is_some() || memchr::memmem::find(value, b"\\n").is_some();
    if !breaks {
        return None;
    }
    let mut whole = Zeroizing::new(Vec::with_capacity(value.len()));
    let (mut at, mut piece) = (start, 0);
    while at < end {
        let byte = alphabet::byte(bytes, at);
        match joint::at(bytes, at) {
            Some((Joint::Line, next)) if next < end => {
                if whole.len() - piece < 4 {
                    return None;
                }
                piece = whole.len();
                at = next;
            }
            _ if alphabet::is(byte, ADDRESS) => {
                whole.push(byte);
                at += 1;
            }
            _ => return None,
        }
    }
    (whole.len() - piece >= 4 && whole.iter().any(u8::is_ascii_digit)).then_some(whole)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test may panic")]
mod tests {
    use super::value;

    fn rest(text: &str) -> Option<&str> {
        let end = text.find(['\n', '"', ' ']).unwrap();
        value(text.as_bytes(), 0, end).map(|(stop, _)| &text[end..stop])
    }

    #[test]
    fn a_rest_stands_alone_and_is_no_line_of_its_own() {
        assert_eq!(rest("k1B2c3D4e5\nF6g7H8i9\nNEXT=1"), Some("\nF6g7H8i9"));
        assert_eq!(rest("k1B2c3D4e5\nF6g7H8i9 --region x"), Some("\nF6g7H8i9"));
        assert_eq!(rest("k1B2c3D4e5 │\n│ F6g7H8i9 │\n│ x"), Some(" │\n│ F6g7H8i9"));
        assert_eq!(rest("k1B2c3D4e5\" + \"F6g7H8i9\""), Some("\" + \"F6g7H8i9"));
        for text in ["k1B2c3D4e5\nPORT=8080\n", "k1B2c3D4e5\nb7480a4 feat(x): y", "k1B2c3D4e5\nb7480a41\n"] {
            assert_eq!(rest(text), None, "{text}");
        }
    }

    #[test]
    fn a_rest_in_the_next_record_of_a_stream_is_found() {
        let text = "a1B2c3D4\"}}\n{\"type\":\"d\",\"delta\":{\"text\":\"e5F6g7H8\"}}\n";
        assert!(rest(text).unwrap().ends_with("e5F6g7H8"));
    }
}

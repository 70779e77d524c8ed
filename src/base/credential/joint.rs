//! What may stand between two pieces of one secret: a line break with its gutters, the quotes of two literals that code
//! adds up, the frames of two records of a stream.
//!
//! A joint alone proves nothing. A rest is taken only where the first piece is too short for its family and the whole
//! has the family's length, or where it stands alone and looks like no word and no identifier of its own: hiding a line
//! that merely follows would be worse than its rarity is worth.

use zeroize::Zeroizing;

use super::alphabet::{self, ADDRESS, BLANK, DIGIT, PIECE};

/// How far a joint may reach, in bytes: the head of a streamed record, a gutter with its indent.
const LONGEST: usize = 320;
/// How far back a joint may begin, in bytes.
const LONGEST_BACK: usize = 160;
/// Most ends of pieces that are tried on the way back: a gutter has few words.
const MOST_GAPS: usize = 8;
/// Longest name of a member that is looked at, in bytes.
const LONGEST_NAME: usize = 512;
/// Members that carry the text of a streamed record.
const TEXT_MEMBERS: [&[u8]; 5] =
    [b"\"text\":\"", b"\"partial_json\":\"", b"\"content\":\"", b"\"delta\":\"", b"\"arguments\":\""];
/// Most places of one run from which a whole is put together.
const MOST_WHOLES: usize = 3;
/// Most gutters that stand one behind the other.
const MOST_GUTTERS: usize = 4;
/// Most joints of one secret.
const MOST: usize = 12;
/// Longest secret that is put together, in bytes.
const LONGEST_WHOLE: usize = 4_096;

/// What kind of joint it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// A line break, with or without gutters.
    Line,
    /// The end of one literal and the beginning of the next one that code adds to it: `" + "`.
    Literal,
    /// The end of one item of a list and the beginning of the next one: `", "`.
    Item,
    /// The end of one record and the text of the next one.
    Record,
}

/// The joint that begins at `at` and where the next piece begins.
pub fn at(bytes: &[u8], at: usize) -> Option<(Joint, usize)> {
    match alphabet::byte(bytes, at) {
        b'\n' | b'\r' | b'\\' | b' ' | b'\t' | 0xe2 => {
            next_line(bytes, at).map(|next| (Joint::Line, next)).or_else(|| literal(bytes, at))
        }
        b'"' | b'\'' => record(bytes, at).map(|next| (Joint::Record, next)).or_else(|| literal(bytes, at)),
        _ => None,
    }
}

/// Where the text of the next line begins, if a line ends at `at`: at LF or CRLF, as a byte or escaped, behind a backslash
/// or a box's border, before an indent and a gutter.
pub fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    let mut from = at;
    if alphabet::is(alphabet::byte(bytes, from), BLANK) {
        // A blank before a break is the inside of a box.
        from = border(bytes, alphabet::run(bytes, from, BLANK, 80))?;
    } else {
        from = border(bytes, from).unwrap_or(from);
    }
    let behind_slash = alphabet::byte(bytes, from) == b'\\';
    let next = line_feed(bytes, from)
        .or_else(|| line_feed(bytes, alphabet::run_of(bytes, from, b'\\', 8)).filter(|_| behind_slash))?;
    Some(gutter(bytes, at, next))
}

/// Where the piece ends whose joint leads to the piece that begins at `start`, and where the text behind that joint begins.
pub fn before(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let floor = start.saturating_sub(LONGEST_BACK);
    let gap = alphabet::part(bytes, floor, start);
    // Most places have no break near them.
    memchr::memrchr3(b'\n', b'\\', b'"', gap).or_else(|| memchr::memrchr(b'\'', gap))?;
    let ends = (floor..start).rev().filter(|at| {
        !alphabet::is(alphabet::byte(bytes, *at), PIECE)
            && at.checked_sub(1).is_some_and(|last| alphabet::is(alphabet::byte(bytes, last), PIECE))
    });
    ends.take(MOST_GAPS).find_map(|end| {
        let (_, next) = at(bytes, end)?;
        // The sign of a diff may have been taken for a digit of base64.
        let is_sign = matches!(alphabet::byte(bytes, start), b'+' | b'-');
        (next == start || is_sign && next == start + 1).then_some((end, next))
    })
}

/// Behind `│` or `|`, with blanks around.
fn border(bytes: &[u8], at: usize) -> Option<usize> {
    let behind = match bytes.get(at..)? {
        [0xe2, 0x94, 0x82 | 0x83, ..] => at + 3,
        [b'|', ..] => at + 1,
        _ => return None,
    };
    Some(alphabet::run(bytes, behind, BLANK, 80))
}

/// Behind a line feed that stands at `at`, in whatever spelling.
fn line_feed(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at..)? {
        [b'\n', ..] => Some(at + 1),
        [b'\r', rest @ ..] => rest.starts_with(b"\n").then_some(at + 2),
        [b'\\', ..] => {
            let letter = alphabet::run_of(bytes, at, b'\\', 8);
            match alphabet::byte(bytes, letter) {
                b'n' => Some(letter + 1),
                b'r' => line_feed(bytes, letter + 1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Behind the indent and the gutter of a line: a line number, the sign of a diff or a quote, a box's border, the name of
/// the file, the time and the level of a log. What is no gutter is left where it is; `before` is where the line before ends.
pub fn gutter(bytes: &[u8], before: usize, line: usize) -> usize {
    let mut at = line;
    for _ in 0..MOST_GUTTERS {
        let mut start = alphabet::run(bytes, at, BLANK, 80);
        while alphabet::part(bytes, start, start + 2) == b"\\t" {
            start += 2;
        }
        at = match bytes.get(start..) {
            Some([b'>', b' ', ..]) => start + 2,
            Some([sign @ (b'+' | b'-'), ..]) if start == line && is_signed(bytes, before, *sign) => start + 1,
            _ => {
                let known = border(bytes, start)
                    .or_else(|| numbered(bytes, start))
                    .or_else(|| file_gutter(bytes, start))
                    .or_else(|| log_gutter(bytes, start));
                match known {
                    Some(behind) => behind,
                    None => return start,
                }
            }
        };
    }
    at
}

/// Behind a line number with its tab or arrow.
fn numbered(bytes: &[u8], at: usize) -> Option<usize> {
    let number = alphabet::run(bytes, at, DIGIT, 7);
    if number == at {
        return None;
    }
    match bytes.get(number..)? {
        [0xe2, 0x86, 0x92, ..] => Some(number + 3),
        [b'\t', ..] => Some(number + 1),
        [b'\\', b't', ..] => Some(number + 2),
        _ => None,
    }
}

/// Whether the line that ends at `end` begins with the same sign of a diff.
fn is_signed(bytes: &[u8], end: usize, sign: u8) -> bool {
    let head = alphabet::part(bytes, end.saturating_sub(512), end);
    let feed = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
    let line = head.get(feed..).unwrap_or(head);
    let escaped = line.windows(2).rposition(|pair| pair == b"\\n").map_or(0, |at| at + 2);
    line.first() == Some(&sign) || line.get(escaped) == Some(&sign)
}

/// Behind `path:12:`, as a search in files prints it.
fn file_gutter(bytes: &[u8], at: usize) -> Option<usize> {
    let colon = at + memchr::memchr(b':', alphabet::part(bytes, at, bytes.len().min(at + 120)))?;
    let path = alphabet::part(bytes, at, colon);
    let is_path = path.contains(&b'.') && path.iter().all(|byte| alphabet::is(*byte, ADDRESS));
    let number = alphabet::run(bytes, colon + 1, DIGIT, 7);
    (is_path && number > colon + 1 && alphabet::byte(bytes, number) == b':').then_some(number + 1)
}

/// Behind `2026-03-01T10:00:00Z INFO `.
fn log_gutter(bytes: &[u8], at: usize) -> Option<usize> {
    let time = alphabet::part(bytes, at, at + 11);
    let is_time = matches!(time, [a, .., b'-', _, _, b'-', _, _, b'T' | b' '] if a.is_ascii_digit());
    if !is_time {
        return None;
    }
    let behind = alphabet::run(bytes, alphabet::run(bytes, at, ADDRESS, 40), BLANK, 4);
    let level = alphabet::run(bytes, behind, alphabet::UPPER, 8);
    Some(if level > behind { alphabet::run(bytes, level, BLANK, 4) } else { behind })
}

/// Behind the quotes between two literals: `" + "`, `' \` and `'` on the next line, `", "`.
fn literal(bytes: &[u8], at: usize) -> Option<(Joint, usize)> {
    let (quote, depth, mut from) = super::value::quote_at(bytes, at)?;
    let next = alphabet::byte(bytes, from);
    if alphabet::is(next, alphabet::WORD) || matches!(next, b'=' | b':' | b'}' | b']' | b'>' | b'/') {
        return None;
    }
    let limit = bytes.len().min(from + 120);
    let mut joint = None;
    while from < limit {
        if let Some((next, next_depth, behind)) = super::value::quote_at(bytes, from) {
            let opens = next == quote && next_depth == depth && !is_name(bytes, behind, quote, depth);
            return joint.filter(|_| opens).map(|joint| (joint, behind));
        }
        from = match alphabet::byte(bytes, from) {
            b' ' | b'\t' => from + 1,
            sign @ (b'+' | b'.' | b',') => {
                joint = Some(if sign == b',' { Joint::Item } else { Joint::Literal });
                from + 1
            }
            _ => {
                joint = joint.or(Some(Joint::Literal));
                next_line(bytes, from).filter(|next| *next > from)?
            }
        };
    }
    None
}

/// Whether the literal that begins at `at`, behind `quote` and its `depth`, is the name of a member.
fn is_name(bytes: &[u8], at: usize, quote: u8, depth: usize) -> bool {
    let window = alphabet::part(bytes, at, bytes.len().min(at + LONGEST_NAME));
    let closes = |place: &usize| alphabet::backslashes_before(window, *place) <= depth;
    let Some(end) = memchr::memchr_iter(quote, window).find(closes) else { return false };
    matches!(alphabet::byte(window, alphabet::run(window, end + 1, BLANK, 8)), b':' | b'=')
}

/// Behind the frame of the next record of a stream.
fn record(bytes: &[u8], at: usize) -> Option<usize> {
    let window = alphabet::part(bytes, at, bytes.len().min(at + LONGEST));
    if !window.starts_with(b"\"}") {
        return None;
    }
    let record = memchr::memchr(b'\n', window)?;
    let frame = window.get(record..)?;
    // The text is the last of its record, as it is where a stream is cut into records.
    let is_last = window.get(1..record)?.iter().all(|byte| matches!(byte, b'}' | b']' | b'\r'));
    if !is_last || !frame.starts_with(b"\n{") {
        return None;
    }
    let text = TEXT_MEMBERS
        .iter()
        .filter_map(|member| Some(memchr::memmem::find(frame, member)? + member.len()))
        .min()?;
    Some(at + record + text)
}

/// The run of a text that was walked last, so that no token in it walks it again.
#[derive(Debug, Default)]
pub struct Run {
    start: usize,
    stop: usize,
    joint: bool,
    wholes: usize,
}

impl Run {
    /// Whether a joint follows the run around `at`; for a few places of one run only, which is all that a text needs.
    pub fn breaks(&mut self, bytes: &[u8], at: usize) -> bool {
        if at < self.start || at >= self.stop {
            let stop = alphabet::run(bytes, at, PIECE, usize::MAX);
            *self = Self { start: at, stop, joint: self::at(bytes, stop).is_some(), wholes: 0 };
        }
        let breaks = self.joint && self.stop - at <= LONGEST_WHOLE && self.wholes < MOST_WHOLES;
        self.wholes += usize::from(breaks);
        breaks
    }
}

/// A text from one place on without its joints; it is wiped when it is no longer needed.
#[derive(Debug)]
pub struct Whole {
    /// What the pieces are together.
    pub bytes: Zeroizing<Vec<u8>>,
    /// For each piece where it begins in `bytes` and in the text.
    pieces: Vec<(usize, usize)>,
    /// Where the pieces but the first end in `bytes`.
    ends: Vec<usize>,
    /// What joins the first two pieces.
    pub joint: Joint,
}

impl Whole {
    /// The pieces from `start` on, the first of which is known up to `end`; nothing where no joint follows it.
    pub fn from(bytes: &[u8], start: usize, end: usize) -> Option<Self> {
        let mut stop = alphabet::run(bytes, end, PIECE, LONGEST_WHOLE);
        let (joint, mut next) = at(bytes, stop)?;
        let mut parts = vec![(start, stop)];
        let mut length = stop - start;
        while parts.len() <= MOST && length < LONGEST_WHOLE {
            stop = alphabet::run(bytes, next, PIECE, LONGEST_WHOLE);
            if stop == next {
                break;
            }
            parts.push((next, stop));
            length += stop - next;
            match at(bytes, stop) {
                Some((same, behind)) if same == joint => next = behind,
                _ => break,
            }
        }
        if parts.len() < 2 {
            return None;
        }
        // What stands behind the last piece may still be of the token's form: `&Version=1`.
        let behind = alphabet::part(bytes, stop, bytes.len().min(stop + 16));
        let mut whole = Self {
            bytes: Zeroizing::new(Vec::with_capacity(length + behind.len())),
            pieces: Vec::with_capacity(parts.len()),
            ends: Vec::with_capacity(parts.len()),
            joint,
        };
        for (start, stop) in parts {
            whole.pieces.push((whole.bytes.len(), start));
            whole.bytes.extend_from_slice(alphabet::part(bytes, start, stop));
            whole.ends.push(whole.bytes.len());
        }
        whole.ends.remove(0);
        whole.bytes.extend_from_slice(behind);
        Some(whole)
    }

    /// Where the byte at `at` of the text stands in the whole; nothing outside of it.
    pub fn place_of(&self, at: usize) -> Option<usize> {
        let piece = self.pieces.partition_point(|(_, source)| *source <= at).checked_sub(1)?;
        let (start, source) = *self.pieces.get(piece)?;
        let end = self.pieces.get(piece + 1).map_or(self.bytes.len(), |(next, _)| *next);
        Some(start + (at - source)).filter(|place| *place < end)
    }

    /// How long the first piece is.
    pub fn first(&self) -> usize {
        self.pieces.get(1).map_or(self.bytes.len(), |(start, _)| *start)
    }

    /// The bytes of the text for the end of a range of the whole.
    pub fn source_end(&self, end: usize) -> usize {
        let behind = self.pieces.partition_point(|(start, _)| *start < end);
        let piece = behind.checked_sub(1).and_then(|index| self.pieces.get(index));
        piece.map_or(0, |(start, source)| source + (end - start))
    }

    /// Ends of the pieces but the first, in the whole.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }
}

//! Bodies of private keys, whole or cut: between lines `BEGIN` and `END`, forward from a lonely `BEGIN`, backward
//! from a lonely `END`, between `Private-Lines:` and `Private-MAC:`, backward from a lonely one of these.
//!
//! The body is looked for as runs of its alphabet inside lines, behind the gutters of line numbers, diffs, quotes, searches
//! and logs, and headers are left. Newlines may be written as `\n`.

use super::alphabet::{self, BASE64};
use super::joint;

/// Longest name of JSON that is looked at behind a mark, in bytes.
const LONGEST_NAME: usize = 512;
/// Longest name of a header, in bytes.
const LONGEST_HEADER: usize = 64;
/// Shortest run that counts as a line of a body.
const SHORTEST_RUN: usize = 16;
/// Longest body, in bytes with all its gutters.
const LONGEST: usize = 32 * 1024;
/// Lengths of full lines of a body: whatever stands before such a run in its line, it is one.
const FULL_LINE: std::ops::RangeInclusive<usize> = 60..=76;
/// Lines without a run after which a cut body is over.
const LINES_WITHOUT: usize = 3;

/// Ends of labels of private keys.
const LABELS: [&[u8]; 3] = [b"PRIVATE KEY", b"PRIVATE KEY BLOCK", b"OpenVPN Static key V1"];

/// What opens and closes a mark; OpenSSH's old format writes a blank behind four of them.
const DASHES: &[u8] = b"----";

/// The body behind a `-----BEGIN ` that stands at `at`.
pub fn body_after(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = label_end(bytes, at, b"BEGIN ")?;
    let window = alphabet::part(bytes, start, bytes.len().min(start + LONGEST));
    // A name of JSON in between shows that the text of the key ended before.
    let next_mark = memchr::memmem::find(window, DASHES).unwrap_or(window.len());
    let text = memchr::memmem::find(alphabet::part(window, 0, next_mark), b"\":");
    let next_mark = text.unwrap_or(next_mark);
    let closes = if is_in_name(bytes, start + next_mark) {
        memchr::memchr(b'"', alphabet::part(window, 0, next_mark))
    } else {
        None
    };
    let next_mark = closes.map_or(next_mark, |quote| quote.min(next_mark));
    let ends =
        behind_dashes(window, next_mark).is_some_and(|rest| rest.starts_with(b"END")) && closes.is_none();
    let end = if ends { start + next_mark } else { cut_end(bytes, start, start + next_mark) };
    trim(bytes, start, end)
}

/// The body before a `-----END ` that stands at `at`, for a key whose head was cut off.
pub fn body_before(bytes: &[u8], at: usize, free: usize) -> Option<(usize, usize)> {
    label_end(bytes, at, b"END ")?;
    let floor = free.max(at.saturating_sub(LONGEST));
    let behind = |from: usize, mark: &[u8]| {
        let found = memchr::memmem::rfind(alphabet::part(bytes, from, at), mark);
        found.map_or(from, |found| from + found + mark.len())
    };
    // Each search begins where the one before ended, so that marks without bodies are not searched again and again.
    let start = behind(behind(floor, DASHES), b"\":");
    let start = if is_in_name(bytes, at) { behind(start, b"\"") } else { start };
    trim(bytes, cut_start(bytes, start, at), at)
}

/// The body behind a `Private-Lines: ` that stands at `at`.
pub fn putty_body(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = alphabet::run(bytes, at + b"Private-Lines: ".len(), alphabet::DIGIT, 4);
    let window = alphabet::part(bytes, start, bytes.len().min(start + LONGEST));
    // The code or another key ends it; no mark is looked past, so that many of them cost no more than their length.
    let limit = memchr::memmem::find(window, b"Private-").unwrap_or(window.len());
    trim(bytes, start, cut_end(bytes, start, start + limit))
}

/// The body before a `Private-MAC: ` that stands at `at`, for a key whose head was cut off.
pub fn putty_body_before(bytes: &[u8], at: usize, free: usize) -> Option<(usize, usize)> {
    putty_mac(bytes, at)?;
    let floor = free.max(at.saturating_sub(LONGEST));
    let lines = memchr::memmem::rfind(alphabet::part(bytes, floor, at), b"-Lines: ");
    let start = lines.map_or(floor, |lines| floor + lines + b"-Lines: ".len());
    trim(bytes, cut_start(bytes, start, at), at)
}

/// The code behind a `Private-MAC: ` that stands at `at`: with it a guess at the body can be proven.
pub fn putty_mac(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = at + b"Private-MAC: ".len();
    let end = alphabet::run(bytes, start, alphabet::HEX_ANY, 128);
    (end - start >= 32).then_some((start, end))
}

/// Whether the mark at `at` stands in a name of JSON: what was written in the string before is another text.
fn is_in_name(bytes: &[u8], at: usize) -> bool {
    let window = alphabet::part(bytes, at, bytes.len().min(at + LONGEST_NAME));
    let quote = window.iter().position(|byte| matches!(byte, b'"' | b'\n')).unwrap_or(window.len());
    let behind = alphabet::run(window, quote + 1, alphabet::BLANK, 8);
    alphabet::byte(window, quote) == b'"' && alphabet::byte(window, behind) == b':'
}

fn behind_dashes(window: &[u8], at: usize) -> Option<&[u8]> {
    let behind = alphabet::run_of(window, at, b'-', 8);
    window.get(alphabet::run_of(window, behind, b' ', 1)..)
}

/// Where the mark at `at` ends, if `word` and the label of a private key stand in it.
fn label_end(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    let window = alphabet::part(bytes, at, bytes.len().min(at + 64));
    let label = behind_dashes(window, 0)?.strip_prefix(word)?;
    let end = memchr::memmem::find(label, DASHES)?;
    let is_private = |label: &[u8]| LABELS.iter().any(|kind| label.ends_with(kind));
    let mark = at + (window.len() - label.len()) + end;
    is_private(label.get(..end)?.trim_ascii_end()).then(|| alphabet::run_of(bytes, mark, b'-', 8))
}

/// Lines of the region: split at LF, or at `\n` written as two bytes, or at blanks where all stands in one line.
fn line_end(bytes: &[u8], from: usize, limit: usize) -> usize {
    let window = alphabet::part(bytes, from, limit);
    let mut at = 0;
    while let Some(byte) = window.get(at) {
        match byte {
            b'\n' => return from + at + 1,
            b'\\' if window.get(at + 1) == Some(&b'n') => return from + at + 2,
            _ => at += 1,
        }
    }
    limit
}

/// Whether the line is a gutter, one run of the body, and nothing that could be text behind it.
fn is_body_line(bytes: &[u8], start: usize, end: usize) -> bool {
    let mut at = behind_gutter(bytes, start, end);
    let mut is_text = false;
    while at < end {
        let stop = alphabet::run(bytes, at, BASE64, end - at);
        let run = alphabet::part(bytes, at, stop);
        let is_full = FULL_LINE.contains(&run.len()) && is_mixed(run);
        if run.len() >= SHORTEST_RUN && (!is_text || is_full) {
            let tail = alphabet::part(bytes, stop, end);
            let is_escape = |at: usize| matches!(tail.get(..at), Some([.., b'\\']));
            return tail.iter().enumerate().all(|(at, byte)| {
                !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b'-' | b'_' | b'/') || is_escape(at)
            });
        }
        // A gutter has numbers and signs; letters before the run make the line text, if the run is no full line.
        is_text |= run.iter().any(u8::is_ascii_alphabetic) && !alphabet::is_escape_letter(bytes, at);
        at = stop.max(at + 1);
    }
    false
}

/// Whether some run in the region is long enough for a body.
fn has_run(bytes: &[u8], start: usize, end: usize) -> bool {
    let mut at = start;
    while at + SHORTEST_RUN <= end {
        let run = alphabet::run_back(bytes, at + SHORTEST_RUN, BASE64, SHORTEST_RUN);
        if run == at {
            return true;
        }
        at = run;
    }
    false
}

/// Whether a run has letters of both cases and digits, as bodies have and hexadecimal digits and paths have not.
fn is_mixed(run: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| run.iter().filter(|byte| is(byte)).count() > 2;
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// Behind the gutter of the line that begins at `start`, if a line begins there.
fn behind_gutter(bytes: &[u8], start: usize, end: usize) -> usize {
    let is_escaped = alphabet::part(bytes, start.saturating_sub(2), start) == b"\\n";
    let begins = is_escaped || start == 0 || alphabet::byte(bytes, start - 1) == b'\n';
    let before = start.saturating_sub(if is_escaped { 2 } else { 1 });
    if begins { joint::gutter(bytes, before, start).min(end) } else { start }
}

fn is_blank(bytes: &[u8], start: usize, end: usize) -> bool {
    alphabet::part(bytes, start, end).iter().all(u8::is_ascii_whitespace)
}

/// Where a body without its `END` ends: at the third line in a row without a run.
fn cut_end(bytes: &[u8], start: usize, limit: usize) -> usize {
    let (mut at, mut end, mut without) = (start, start, 0);
    while at < limit && without < LINES_WITHOUT {
        let next = line_end(bytes, at, limit);
        if is_body_line(bytes, at, next) {
            end = next;
            without = 0;
        } else {
            let is_before = is_blank(bytes, at, next) || end == start && is_header(bytes, at, next);
            without += usize::from(!is_before);
        }
        at = next;
    }
    end
}

/// Where a body without its `BEGIN` begins.
fn cut_start(bytes: &[u8], floor: usize, at: usize) -> usize {
    let mut lines = vec![floor];
    let mut from = floor;
    while from < at {
        from = line_end(bytes, from, at);
        lines.push(from);
    }
    let mut start = at;
    let mut without = 0;
    for (begin, end) in lines.iter().zip(lines.iter().skip(1)).rev() {
        if without >= LINES_WITHOUT {
            break;
        }
        if is_body_line(bytes, *begin, *end) {
            start = *begin;
            without = 0;
        } else {
            without += 1;
        }
    }
    start
}

/// Whether the line is a header of a body that has not begun yet.
fn is_header(bytes: &[u8], start: usize, end: usize) -> bool {
    let behind = behind_gutter(bytes, start, end);
    behind_header(bytes, behind, end).is_some()
}

/// Behind the header that stands at `at`, if one does: `Comment: "…"`, `DEK-Info: …`, whose vector looks like a run.
fn behind_header(bytes: &[u8], at: usize, end: usize) -> Option<usize> {
    const VECTOR: &[u8] = b"DEK-Info: ";
    let name = alphabet::run(bytes, at, alphabet::URL_SAFE, LONGEST_HEADER);
    let is_header =
        name > at && alphabet::byte(bytes, name) == b':' && alphabet::byte(bytes, name + 1) == b' ';
    if !is_header {
        return None;
    }
    // In a key whose line breaks were lost the body follows in the same line.
    if alphabet::part(bytes, at, at + VECTOR.len()) == VECTOR {
        let comma = alphabet::run(bytes, at + VECTOR.len(), alphabet::URL_SAFE, LONGEST_HEADER);
        return Some(alphabet::run(bytes, comma + 1, alphabet::HEX_ANY, 64).min(end));
    }
    let next = line_end(bytes, name, end);
    Some(if next < end { next } else { name + 2 })
}

/// From the first body run to the last: what stands around them (line ends, gutters, headers, quotes) stays. A short last
/// line counts once a long one was seen.
fn trim(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    if !has_run(bytes, start, end) {
        return None;
    }
    let (mut first, mut last) = (None, None);
    let mut at = start;
    let mut begins = true;
    while at < end {
        if std::mem::take(&mut begins) {
            let behind = behind_gutter(bytes, at, end);
            let header = behind_header(bytes, behind, end);
            begins = header.is_some_and(|next| alphabet::byte(bytes, next - 1) == b'\n');
            at = header.unwrap_or(behind);
            continue;
        }
        let byte = alphabet::byte(bytes, at);
        let is_escape = alphabet::is_escape_letter(bytes, at);
        begins = byte == b'\n' || is_escape && byte == b'n';
        if begins || is_escape || !alphabet::is(byte, BASE64) {
            at += 1;
            begins |= byte == b' ' && first.is_none();
            continue;
        }
        let stop = alphabet::run(bytes, at, BASE64, end - at);
        let padded =
            stop + alphabet::part(bytes, stop, end).iter().take(2).take_while(|byte| **byte == b'=').count();
        let is_tail = last.is_some() && (padded > stop || stop - at >= 4);
        if stop - at >= SHORTEST_RUN || is_tail {
            first = first.or(Some(at));
            last = Some(padded);
        }
        at = padded;
    }
    Some((first?, last?))
}

//! One line to its pieces: whole records, damaged runs and framing that tile it exactly. A line usually is one
//! record, but it can hold two fused ones, a cut one and a whole one, or a NUL run and a whole one.

use memchr::memmem;

use super::json::Json;
use super::wiped::Text;

/// Beginnings of records of the known harnesses, to find a whole record behind a cut one.
const RECORD_STARTS: [&[u8]; 4] =
    [b"{\"parentUuid\":", b"{\"type\":", b"{\"timestamp\":", b"{\"isSidechain\":"];
/// Tries to find a whole record in one damaged line; the rest of the line is damage then.
const RECOVERY_TRIES: usize = 64;

/// What stands at a place of a line.
#[derive(Debug)]
pub enum Piece<'a> {
    /// A whole record.
    Record {
        /// Start within the line, in bytes.
        start: usize,
        /// Length in bytes.
        length: usize,
        /// Its text: borrowed as it stands, or repaired.
        text: Text<'a>,
        /// How it was found.
        flags: Flags,
    },
    /// Bytes that are no record.
    Malformed {
        /// Start within the line, in bytes.
        start: usize,
        /// Length in bytes.
        length: usize,
    },
    /// The unterminated rest of the transcript behind the last whole record.
    Partial {
        /// Start within the line, in bytes.
        start: usize,
        /// Length in bytes.
        length: usize,
    },
}

/// How a record was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// Lone surrogates were replaced.
    pub repaired: bool,
    /// It follows another record on its line.
    pub fused: bool,
    /// It follows damaged bytes on its line.
    pub recovered: bool,
}

/// Cuts a line, given without its terminator. `terminated` is false for the end of the transcript only;
/// `dropped` are the members that the reader skips.
pub fn cut<'a>(line: &'a [u8], terminated: bool, dropped: &'static [&'static str]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut flags = Flags::default();
    let mut tries = 0;
    let mut at = skip_blank(line, 0);
    while at < line.len() {
        let rest = line.get(at..).unwrap_or_default();
        let object = whole_object(rest, dropped);
        // Behind damage, what stands in the middle of a row looks like a row, too.
        let object = object.filter(|(length, ..)| !flags.recovered || ends_line(rest, *length, dropped));
        if let Some((length, text, repaired)) = object {
            pieces.push(Piece::Record { start: at, length, text, flags: Flags { repaired, ..flags } });
            flags = Flags { fused: true, ..Flags::default() };
            at = skip_blank(line, at + length);
            continue;
        }
        if !terminated {
            pieces.push(Piece::Partial { start: at, length: rest.len() });
            break;
        }
        let nul = rest.iter().take_while(|byte| **byte == 0).count();
        let length = if nul > 0 { nul } else { damage_length(rest, dropped, &mut tries) };
        let end = if at + length == line.len() { at + trimmed(rest).max(1) } else { at + length };
        pieces.push(Piece::Malformed { start: at, length: end - at });
        flags = Flags { recovered: true, ..Flags::default() };
        at = skip_blank(line, end);
    }
    pieces
}

/// Nothing but whole objects follows, to the end of the line or to a NUL run: so a row ends, and not a value inside of one.
fn ends_line(bytes: &[u8], length: usize, dropped: &'static [&'static str]) -> bool {
    let mut at = skip_blank(bytes, length);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty() && rest.first() != Some(&0)) {
        let Some((length, ..)) = whole_object(rest, dropped) else { return false };
        at = skip_blank(bytes, at + length);
    }
    true
}

fn skip_blank(line: &[u8], from: usize) -> usize {
    let blank = line.get(from..).unwrap_or_default().iter();
    from + blank.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
}

fn trimmed(bytes: &[u8]) -> usize {
    let blank = bytes.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
    bytes.len() - blank
}

/// The whole object at the start of the bytes: its length, its text, and whether it had to be repaired.
pub fn whole_object<'a>(
    bytes: &'a [u8],
    dropped: &'static [&'static str],
) -> Option<(usize, Text<'a>, bool)> {
    if bytes.first() != Some(&b'{') {
        return None;
    }
    let length = object_length(bytes)?;
    let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
    if Json::parse(text, dropped).is_ok() {
        return Some((length, Text::Line(text), false));
    }
    let repaired = repair_surrogates(text);
    Json::parse(&repaired, dropped).is_ok().then_some((length, repaired, true))
}

/// Length of the balanced object, strings honoured; `None` when it does not end. JSON holds no NUL byte: stopping at
/// one keeps a line of openings and NUL bytes from being searched to its end for each of them.
fn object_length(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at += string_length(bytes.get(at + 1..)?)? + 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            0 => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Length of a string's inside up to its closing quote.
fn string_length(inside: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let step = memchr::memchr3(b'"', b'\\', 0, inside.get(at..)?)?;
        at += step;
        match inside.get(at)? {
            b'"' => return Some(at),
            0 => return None,
            _ => at += 2,
        }
    }
}

/// How many bytes of the damage to set aside: up to the next NUL run or the next whole record.
fn damage_length(rest: &[u8], dropped: &'static [&'static str], tries: &mut usize) -> usize {
    let nul = memchr::memchr(0, rest).unwrap_or(rest.len());
    let mut from = 1;
    while *tries < RECOVERY_TRIES {
        let Some(tail) = rest.get(from..nul) else { break };
        let next = RECORD_STARTS.iter().filter_map(|start| memmem::find(tail, start)).min();
        let Some(next) = next else { break };
        *tries += 1;
        let found = rest.get(from + next..).unwrap_or_default();
        if whole_object(found, dropped).is_some_and(|(length, ..)| ends_line(found, length, dropped)) {
            return from + next;
        }
        from += next + 1;
    }
    nul.max(1)
}

/// Replaces escapes of lone surrogates by `\ufffd`; an escaped backslash before `ud83d` is just text.
fn repair_surrogates(text: &str) -> Text<'_> {
    let bytes = text.as_bytes();
    let mut fixed: Option<Vec<u8>> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        at += step;
        let Some(unit) = escape_unit(bytes, at) else {
            at += 2;
            continue;
        };
        let paired = (0xd800..0xdc00).contains(&unit)
            && escape_unit(bytes, at + 6).is_some_and(|low| (0xdc00..0xe000).contains(&low));
        if paired {
            at += 12;
            continue;
        }
        if (0xd800..0xe000).contains(&unit) {
            let out = fixed.get_or_insert_with(|| Vec::with_capacity(bytes.len()));
            out.extend_from_slice(bytes.get(copied..at).unwrap_or_default());
            out.extend_from_slice(b"\\ufffd");
            copied = at + 6;
        }
        at += 6;
    }
    let Some(mut out) = fixed else { return Text::Line(text) };
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    // Only whole ASCII escapes were exchanged for ASCII, so the text stays UTF-8.
    String::from_utf8(out).map_or(Text::Line(text), Text::from)
}

/// The code unit of a `\uXXXX` escape at a place.
fn escape_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{Piece, cut};

    fn shape(line: &[u8], terminated: bool) -> Vec<(char, usize, usize)> {
        cut(line, terminated, &[])
            .iter()
            .map(|piece| match piece {
                Piece::Record { start, length, flags, .. } => {
                    let mark = match (flags.repaired, flags.fused, flags.recovered) {
                        (true, ..) => 's',
                        (_, true, _) => 'f',
                        (_, _, true) => 'r',
                        _ => 'o',
                    };
                    (mark, *start, *length)
                }
                Piece::Malformed { start, length } => ('m', *start, *length),
                Piece::Partial { start, length } => ('p', *start, *length),
            })
            .collect()
    }

    #[test]
    fn a_plain_line_is_one_record_without_its_blanks() {
        assert_eq!(shape(b" {\"type\":1}\r", true), [('o', 1, 10)]);
        assert_eq!(shape(b"  \r", true), []);
    }

    #[test]
    fn fused_records_are_two() {
        assert_eq!(shape(b"{\"a\":1}{\"b\":2}", true), [('o', 0, 7), ('f', 7, 7)]);
    }

    #[test]
    fn a_whole_record_behind_a_cut_one_is_kept() {
        assert_eq!(shape(b"{\"type\":\"us{\"type\":1}", true), [('m', 0, 11), ('r', 11, 10)]);
    }

    #[test]
    fn an_object_inside_of_a_damaged_row_is_no_row() {
        let inner = "{\"type\":\"user\"}";
        for (before, behind) in [
            ("{\"type\":\"us\0\",\"rows\":[", "]}"),
            ("{\"type\":\"us\0", ",\"a\":1}"),
            ("{\"type\":\"lost quote,\"rows\":[", "],\"b\":{}}"),
            ("{\"type\":\"us", ",{\"type\":\"as"),
        ] {
            let line = format!("{before}{inner}{behind}");
            let pieces = shape(line.as_bytes(), true);
            assert!(pieces.iter().all(|(mark, ..)| *mark == 'm'), "{line:?}: {pieces:?}");
            // The next row, glued to the cut one, is one.
            let glued = format!("{line}{{\"type\":2}}");
            assert_eq!(shape(glued.as_bytes(), true).last(), Some(&('r', line.len(), 10)), "{glued:?}");
        }
    }

    #[test]
    fn nul_runs_are_set_apart_from_the_records_beside_them() {
        assert_eq!(shape(b"\0\0\0{\"a\":1}\0\0", true), [('m', 0, 3), ('r', 3, 7), ('m', 10, 2)]);
        assert_eq!(shape(b"{\"a\":1}\0\0", false), [('o', 0, 7), ('p', 7, 2)]);
    }

    #[test]
    fn an_unterminated_cut_record_waits() {
        assert_eq!(shape(b"{\"a\":1", false), [('p', 0, 6)]);
        assert_eq!(shape(b"{\"a\":1}", false), [('o', 0, 7)]);
        assert_eq!(shape(b"{\"type\":\"us{\"type\":1}", false), [('p', 0, 21)]);
    }

    #[test]
    fn lone_surrogates_are_repaired_and_pairs_and_escaped_backslashes_are_not() {
        assert_eq!(shape(br#"{"a":"\ud83d!"}"#, true), [('s', 0, 15)]);
        assert_eq!(shape(br#"{"a":"\ud83d\ude00"}"#, true), [('o', 0, 20)]);
        assert_eq!(shape(br#"{"a":"\\ud83d"}"#, true), [('o', 0, 15)]);
    }

    #[test]
    fn other_values_and_bytes_are_damage() {
        assert_eq!(shape(b"[1,2]", true), [('m', 0, 5)]);
        assert_eq!(shape(b"\"text\" ", true), [('m', 0, 6)]);
        assert_eq!(shape(b"{\"a\":\"\xff\"}", true), [('m', 0, 9)]);
    }

    #[test]
    fn many_false_starts_stay_linear() {
        let line = b"{\"type\":".repeat(200_000);
        assert_eq!(shape(&line, true).len(), 1);
    }

    #[test]
    fn a_line_of_openings_and_nul_bytes_is_cut_at_each_of_them() {
        let line = b"{\0".repeat(200_000);
        assert_eq!(cut(&line, true, &[]).len(), 400_000);
    }
}

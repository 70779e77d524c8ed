//! The rest of a value that was cut: by a line break of a terminal, or between two records of a stream.
//!
//! A rest is taken only where it stands alone and looks like no word and no identifier of its own: hiding a line that
//! merely follows would be worse than its rarity is worth.

use super::alphabet::{self, ADDRESS, HEX_ANY};
use super::value;

/// Shortest rest, in bytes.
const SHORTEST: usize = 6;
/// Longest rest, in bytes.
const LONGEST: usize = 4_096;
/// How far the next record of a stream may begin its text, in bytes.
const LONGEST_FRAME: usize = 320;
/// Members that carry the text of a streamed record.
const TEXT_MEMBERS: [&[u8]; 4] = [b"\"text\":\"", b"\"partial_json\":\"", b"\"content\":\"", b"\"delta\":\""];

/// The end of the value `start..end` with its rest on the next line, if it has one.
pub fn on_next_line(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    if alphabet::byte(bytes, end) != b'\n' {
        return None;
    }
    let from = end + 1;
    let stop = alphabet::run(bytes, from, ADDRESS, LONGEST);
    let rest = alphabet::part(bytes, from, stop);
    let is_closed = match bytes.get(stop) {
        None | Some(b'"' | b'\'' | b'`' | b'\n') => true,
        Some(b' ') => alphabet::byte(bytes, stop + 1) == b'-',
        _ => false,
    };
    let is_hex = |text: &[u8]| text.iter().all(|byte| alphabet::is(*byte, HEX_ANY) || *byte == b'-');
    let is_own_id = is_hex(rest) && (!is_hex(alphabet::part(bytes, start, end)) || rest.len() == 36);
    (is_closed && is_rest(rest) && !is_own_id).then_some(stop)
}

/// The rest of a value that ends its string at `end`, in the next record of a stream.
pub fn in_next_record(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let window = alphabet::part(bytes, end, bytes.len().min(end + LONGEST_FRAME));
    if !window.starts_with(b"\"}") {
        return None;
    }
    let record = memchr::memmem::find(window, b"\n{")?;
    let frame = window.get(record..)?;
    let text = TEXT_MEMBERS
        .iter()
        .filter_map(|member| Some(memchr::memmem::find(frame, member)? + member.len()))
        .min()?;
    let from = end + record + text;
    let stop = alphabet::run(bytes, from, ADDRESS, LONGEST);
    (alphabet::byte(bytes, stop) == b'"' && is_rest(alphabet::part(bytes, from, stop)))
        .then_some((from, stop))
}

fn is_rest(rest: &[u8]) -> bool {
    let body = rest.len() - rest.iter().rev().take_while(|byte| **byte == b'=').count();
    let names_something = alphabet::part(rest, 0, body).contains(&b'=');
    rest.len() >= SHORTEST
        && !names_something
        && !value::is_wordy(rest, true)
        && !rest.starts_with(b"/")
        && !rest.windows(3).any(|window| window == b"://")
        && (rest.len() >= 12 || rest.iter().any(u8::is_ascii_digit))
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test may panic")]
mod tests {
    use super::{in_next_record, on_next_line};

    fn rest(text: &str) -> Option<&str> {
        let end = text.find('\n').unwrap();
        on_next_line(text.as_bytes(), 0, end).map(|stop| &text[end + 1..stop])
    }

    #[test]
    fn a_rest_stands_alone_and_is_no_line_of_its_own() {
        assert_eq!(rest("k1B2c3D4e5\nF6g7H8i9\nNEXT=1"), Some("F6g7H8i9"));
        assert_eq!(rest("k1B2c3D4e5\nF6g7H8i9 --region x"), Some("F6g7H8i9"));
        for text in [
            "k1B2c3D4e5\nPORT=8080\n",
            "k1B2c3D4e5\nb7480a4 feat(x): y",
            "k1B2c3D4e5\nb7480a41\n",
            "k1B2c3D4e5\n  - F6g7H8i9\n",
        ] {
            assert_eq!(rest(text), None, "{text}");
        }
    }

    #[test]
    fn a_rest_in_the_next_record_of_a_stream_is_found() {
        let text =
            "{\"delta\":{\"text\":\"K=a1B2c3D4\"}}\n{\"type\":\"d\",\"delta\":{\"text\":\"e5F6g7H8\"}}\n";
        let end = text.find("\"}}").unwrap();
        let (from, stop) = in_next_record(text.as_bytes(), end).unwrap();
        assert_eq!(&text[from..stop], "e5F6g7H8");
    }
}

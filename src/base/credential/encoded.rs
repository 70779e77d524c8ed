//! Base64 around a secret: long runs are decoded, and what is printable is searched again.
//!
//! The scan looks at windows of [`SHORTEST`] bytes from their end, since a run that long cannot hold a break. Binary
//! content fails at its first decoded bytes, so that images and archives cost almost nothing.

use zeroize::Zeroizing;

use super::alphabet::{self, BASE64_ALL};

/// Shortest run that is decoded, in bytes.
const SHORTEST: usize = 24;
/// Longest run that is decoded, in bytes: a key chain, not a file.
const LONGEST: usize = 65_536;

/// Calls `found` with the bounds of every run of which a part lies in `start..limit`.
pub fn for_each_run(bytes: &[u8], start: usize, limit: usize, mut found: impl FnMut(usize, usize)) {
    let mut from = alphabet::run_back(bytes, start, BASE64_ALL, LONGEST);
    while from < limit
        && let Some(window) = bytes.get(from..from + SHORTEST)
    {
        // Backwards: most windows end in a word or two, and the break next to their end lets the search skip most of them.
        if let Some(at) = window.iter().rposition(|byte| !alphabet::is(*byte, BASE64_ALL)) {
            from += at + 1;
            continue;
        }
        let start = from;
        let end = alphabet::run(bytes, from + SHORTEST, BASE64_ALL, usize::MAX);
        from = end + 1;
        if end - start <= LONGEST {
            let start = alphabet::behind_escape(bytes, start);
            found(start, end);
        }
    }
}

/// What the run decodes to, if that is printable text, and where it begins: where `=` joins the run to other text, that is
/// what stands behind the last of these.
pub fn text(bytes: &[u8], start: usize, end: usize) -> Option<(usize, Zeroizing<Vec<u8>>)> {
    let run = alphabet::part(bytes, start, end);
    let padding = run.iter().rev().take_while(|byte| **byte == b'=').count();
    let body = alphabet::part(run, 0, run.len() - padding);
    let after_sign = memchr::memrchr(b'=', body).map_or(0, |at| at + 1);
    let piece = alphabet::part(body, after_sign, body.len());
    if piece.len() + 4 < SHORTEST || !begins_printable(piece) {
        return None;
    }
    let text = decode(piece);
    is_printable(&text).then_some((start + after_sign, text))
}

/// Looks at the first twelve bytes without making room for them: hashes and paths are runs, too.
fn begins_printable(piece: &[u8]) -> bool {
    let mut head = [0; 9];
    let mut count = 0;
    for (slot, byte) in head.iter_mut().zip(decoded(alphabet::part(piece, 0, 12))) {
        if !matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t' | 0xc2..=0xf4 | 0x80..=0xbf) {
            return false;
        }
        *slot = byte;
        count += 1;
    }
    let head = head.get(..count).unwrap_or(&[]);
    // A character may be cut at the end.
    count > 0 && std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true)
}

fn is_printable(text: &[u8]) -> bool {
    let is_text =
        |text: &str| text.chars().all(|letter| !letter.is_control() || letter.is_ascii_whitespace());
    !text.is_empty() && std::str::from_utf8(text).is_ok_and(is_text)
}

/// Decodes base64 of either alphabet without padding; bytes outside the alphabet end it. What it holds is wiped.
pub fn decode(piece: &[u8]) -> Zeroizing<Vec<u8>> {
    // Room for all of it at once: what grows leaves copies behind that nobody wipes.
    let mut out = Zeroizing::new(Vec::with_capacity(piece.len() * 3 / 4 + 2));
    out.extend(decoded(piece));
    out
}

/// The decoded bytes one by one.
fn decoded(piece: &[u8]) -> impl Iterator<Item = u8> {
    let mut bits = 0u32;
    let mut held = 0;
    piece.iter().map_while(|byte| sextet(*byte)).filter_map(move |value| {
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held < 8 {
            return None;
        }
        held -= 8;
        u8::try_from((bits >> held) & 0xff).ok()
    })
}

const fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{for_each_run, text};

    #[test]
    fn a_printable_run_is_decoded_and_a_binary_one_is_not() {
        let mut texts = Vec::new();
        let written = b"echo UEFTU1dPUkQ9aHVudGVyMmFiY2Rl | base64 -d iVBORw0KGgoAAAANSUhEUgAAjF4mmRmN";
        for_each_run(written, 0, written.len(), |start, end| {
            texts.extend(text(written, start, end).map(|(start, text)| (start, end, text.to_vec())));
        });
        assert_eq!(texts, [(5, 33, b"PASSWORD=hunter2abcde".to_vec())]);
    }
}

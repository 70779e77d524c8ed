//! Values that only a neighbour shows: parameters of an address, fields of a password file, numbered unseal keys.

use super::alphabet::{self, ADDRESS};
use super::joined;
use super::joint;
use super::kinds::places;
use super::mark;
use super::spans::{Certainty, Findings};
use super::value;

/// How far the data of a manifest may stand from its kind, in bytes.
pub const MANIFEST: usize = 2_048;
/// Most members of the data that are looked at.
const MOST_LINES: usize = 64;

/// Longest value that is looked at, in bytes.
const LONGEST: usize = 4_096;

/// The value of a parameter such as `code` or `sig`, whose name ends at `name_end`; `at` is where the name begins.
pub fn parameter(bytes: &[u8], at: usize, name_end: usize) -> Option<(usize, usize)> {
    let before = alphabet::byte(bytes, at.checked_sub(1)?);
    if !matches!(before, b'?' | b'&' | b'-' | b';') || alphabet::byte(bytes, name_end) != b'=' {
        return None;
    }
    let start = name_end + 1;
    let window = alphabet::part(bytes, start, bytes.len().min(start + LONGEST));
    let end = start + window.iter().take_while(|byte| alphabet::is(**byte, ADDRESS)).count();
    let is_long = |secret: &[u8]| {
        secret.len() >= 16
            && secret.iter().any(u8::is_ascii_digit)
            && secret.iter().any(u8::is_ascii_alphabetic)
            && !mark::is_masked(secret)
            && !value::is_wordy(secret, true)
    };
    let whole = joined::value(bytes, start, end).filter(|(_, together)| is_long(together));
    let alone = || is_long(alphabet::part(bytes, start, end)).then_some(end);
    whole.map(|(end, _)| end).or_else(alone).map(|end| (start, end))
}

/// The fifth field of a line of `.pgpass`; `at` is where its second separator and port stand (`:5432:` or `*:*:`), `behind`
/// where the third field begins.
pub fn pgpass(bytes: &[u8], at: usize, behind: usize) -> Option<(usize, usize)> {
    let head = alphabet::part(bytes, at.saturating_sub(2), at);
    if head.last().is_some_and(|byte| !alphabet::is(*byte, alphabet::DOTTED) && *byte != b'*')
        && alphabet::byte(bytes, at) == b':'
    {
        return None;
    }
    let window = alphabet::part(bytes, behind, bytes.len().min(behind + 256));
    let mut starts = [0usize; 2];
    let mut fields = 0;
    for (offset, byte) in window.iter().enumerate() {
        match byte {
            b':' => {
                *starts.get_mut(fields)? = behind + offset + 1;
                fields += 1;
                if fields == 2 {
                    break;
                }
            }
            byte if alphabet::is(*byte, alphabet::DOTTED) || *byte == b'*' => {}
            _ => return None,
        }
    }
    let start = *starts.get(1)?;
    if fields < 2 {
        return None;
    }
    let line = alphabet::part(bytes, start, bytes.len().min(start + 128));
    let length = line
        .iter()
        .take_while(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\'))
        .count();
    let secret = line.get(..length)?;
    (length >= 4 && !mark::is_masked(secret) && !secret.starts_with(b"$")).then_some((start, start + length))
}

/// Values of a manifest `kind: Secret` that stands at `at`: whatever their names are, all of `data:` is secret. The block
/// stands before or behind the word.
pub fn kubernetes_secrets(bytes: &[u8], at: usize, findings: &mut Findings) {
    let from = at.saturating_sub(MANIFEST);
    let window = alphabet::part(bytes, from, bytes.len().min(at + MANIFEST));
    let blocks = memchr::memmem::find_iter(window, b"ata:").filter(|block| {
        let head = window.get(..*block).unwrap_or(&[]);
        [&b"\nd"[..], b"\\nd", b"\tstringD", b"\nstringD", b"\\nstringD", b"\td"]
            .iter()
            .any(|word| head.ends_with(word))
            || [&b" d"[..], b" stringD", b"+d", b"-d"].iter().any(|word| head.ends_with(word))
    });
    for block in blocks.take(4) {
        let mut line = from + block + 4;
        for _ in 0..MOST_LINES {
            let Some((value, end)) = joint::next_line(bytes, line).and_then(|start| member(bytes, start))
            else {
                break;
            };
            let secret = value.of(bytes);
            let is_encoded =
                secret.len() >= 8 && secret.iter().all(|byte| alphabet::is(*byte, alphabet::BASE64_ALL));
            if is_encoded && !mark::is_masked(secret) {
                findings.add(value.start, value.end, places::SECRET, Certainty::Placed);
            }
            line = end;
        }
    }
}

/// The value of a member `name: value` whose line begins at `at`, and where the line ends; nothing for a member of the
/// manifest itself.
fn member(bytes: &[u8], at: usize) -> Option<(value::Value, usize)> {
    const OWN: [&[u8]; 5] = [b"kind", b"metadata", b"type", b"apiVersion", b"immutable"];
    let name_end = alphabet::run(bytes, at, alphabet::DOTTED, 128);
    let is_own = OWN.contains(&alphabet::part(bytes, at, name_end));
    if name_end == at || is_own || alphabet::byte(bytes, name_end) != b':' {
        return None;
    }
    let found = value::read(bytes, value::skip_blanks(bytes, name_end + 1))?;
    let quote = usize::from(found.quoted);
    Some((found, found.end + quote))
}

/// The key behind `Unseal Key N: `, whose number begins at `at`.
pub fn unseal_key(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let colon = alphabet::run(bytes, at, alphabet::DIGIT, 3);
    if alphabet::byte(bytes, colon) != b':' {
        return None;
    }
    let start = value::skip_blanks(bytes, colon + 1);
    let end = alphabet::run(bytes, start, alphabet::BASE64_ALL, 128);
    (end - start >= 40).then_some((start, end))
}

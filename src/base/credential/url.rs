//! The password in the user part of an address: `scheme://user:PASS@host`.

use super::alphabet::{self, ALNUM, DIGIT, HEX};
use super::joint;
use super::mark;

/// Longest user part that is looked at, in bytes.
const LONGEST: usize = 1_024;

/// The secret of the address whose `://` stands at `at`.
pub fn password(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    if at == 0 || !alphabet::is(alphabet::byte(bytes, at - 1), ALNUM) {
        return None;
    }
    let start = at + 3;
    let (colon, sign) = user_part(bytes, start)?;
    if mark::holds_mark(alphabet::part(bytes, start, sign)) {
        return None;
    }
    let Some(colon) = colon else {
        let user = alphabet::part(bytes, start, sign);
        return is_token(user).then_some((start, sign));
    };
    let secret = alphabet::part(bytes, colon + 1, sign);
    (!is_placeholder(secret)).then_some((colon + 1, sign))
}

/// Where the first colon and the last `@` of the user part stand.
fn user_part(bytes: &[u8], start: usize) -> Option<(Option<usize>, usize)> {
    let window = alphabet::part(bytes, start, bytes.len().min(start + LONGEST));
    let (mut colon, mut sign, mut wrapped) = (None, None, false);
    let mut skipped = 0;
    for (at, byte) in window.iter().enumerate() {
        if at < skipped {
            continue;
        }
        match byte {
            b':' if colon.is_none() && sign.is_none() => colon = Some(start + at),
            b'@' => sign = Some(start + at),
            b'\n' | b'\r' | b'\\' | b' ' | 0xe2
                if !wrapped
                    && sign.is_none()
                    && begins_secret(bytes, colon, start + at)
                    && joint::next_line(bytes, start + at).is_some() =>
            {
                wrapped = true;
                skipped = joint::next_line(bytes, start + at).map_or(at, |next| next - start);
            }
            b'/' if sign.is_none()
                && colon
                    .is_some_and(|colon| is_long_secret(alphabet::part(bytes, colon + 1, start + at))) => {}
            b'/' | b'?' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0..=b' ' => break,
            b'#' | b',' | b')' | b'|' if sign.is_some() => break,
            _ => {}
        }
    }
    Some((colon, sign?))
}

/// Whether a secret that a line break cuts begins behind the colon.
fn begins_secret(bytes: &[u8], colon: Option<usize>, end: usize) -> bool {
    let secret = colon.map_or(&[][..], |colon| alphabet::part(bytes, colon + 1, end));
    secret.len() >= 8
        && secret.iter().all(|byte| alphabet::is(*byte, alphabet::BASE64_ALL))
        && secret.iter().any(u8::is_ascii_digit)
}

/// Whether what stands behind the colon is no port: then a slash belongs to a secret in base64.
fn is_long_secret(secret: &[u8]) -> bool {
    secret.len() >= 16 && secret.iter().any(u8::is_ascii_digit) && secret.iter().any(u8::is_ascii_alphabetic)
}

fn is_placeholder(secret: &[u8]) -> bool {
    const WORDS: [&[u8]; 5] = [b"PASS", b"PASSWORD", b"PWD", b"SECRET", b"TOKEN"];
    secret.is_empty()
        || WORDS.contains(&secret)
        || mark::is_masked(secret)
        || matches!(secret, [b'$' | b'<' | b'{' | b'%', ..] if secret.iter().any(|b| matches!(b, b'{' | b'>' | b'}')))
        || matches!(secret, [b'$', name @ ..] if name.iter().all(|b| b.is_ascii_uppercase() || matches!(b, b'_' | b'0'..=b'9')))
        || matches!(secret, [b'{' | b'<', ..])
        || (secret.iter().all(|byte| alphabet::is(*byte, DIGIT)) && secret.len() < 6)
}

/// A user name that is a token itself: long, with letters and digits; 32 hexadecimal digits are the public key of an
/// error collector's address.
fn is_token(user: &[u8]) -> bool {
    user.len() >= 24
        && user.iter().any(u8::is_ascii_digit)
        && user.iter().any(u8::is_ascii_alphabetic)
        && user.iter().all(|byte| alphabet::is(*byte, alphabet::URL_SAFE))
        && !(user.len() == 32 && user.iter().all(|byte| alphabet::is(*byte, HEX)))
}

//! Values of session cookies in `Cookie:` and `Set-Cookie:`; attributes and other cookies stay.

use super::alphabet;
use super::joined;
use super::kinds::places;
use super::mark;
use super::names;
use super::spans::{Certainty, Findings};
use super::value;

/// Longest header that is looked at, in bytes.
const LONGEST: usize = 8_192;

/// Looks at the pairs of the header whose value begins at `at`; gives the place up to which it looked.
pub fn look(bytes: &[u8], at: usize, findings: &mut Findings) -> usize {
    let start = value::quote_at(bytes, value::skip_blanks(bytes, at)).map_or(at, |(_, _, behind)| behind);
    let limit = bytes.len().min(start + LONGEST);
    let mut from = start;
    while from < limit {
        let name_start = value::skip_blanks(bytes, from);
        let name_end = alphabet::run(bytes, name_start, alphabet::DOTTED, 128);
        if name_end == name_start || alphabet::byte(bytes, name_end) != b'=' {
            if alphabet::byte(bytes, name_end) != b';' {
                return name_end;
            }
            from = name_end + 1;
            continue;
        }
        let value_end = pair_end(bytes, name_end + 1, limit);
        // A line break may cut the value, whatever the cookie is: behind the rest come the other ones.
        let value_end =
            joined::value(bytes, name_end + 1, value_end).map_or(value_end, |(end, _)| end.min(limit));
        let name = alphabet::part(bytes, name_start, name_end);
        let content = alphabet::part(bytes, name_end + 1, value_end);
        if names::is_session_cookie(name)
            && content.len() >= 6
            && !mark::is_masked(content)
            && !content.starts_with(b"$")
        {
            findings.add(name_end + 1, value_end, places::COOKIE, Certainty::Placed);
        }
        if alphabet::byte(bytes, value_end) != b';' {
            return value_end;
        }
        from = value_end + 1;
    }
    limit
}

fn pair_end(bytes: &[u8], from: usize, limit: usize) -> usize {
    let window = alphabet::part(bytes, from, limit);
    from + window
        .iter()
        .take_while(|byte| byte.is_ascii_graphic() && !matches!(byte, b';' | b'"' | b'\'' | b'\\' | b','))
        .count()
}

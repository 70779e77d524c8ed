//! JSON Web Tokens: three dotted parts when signed, five when encrypted, the last ones may be empty.

use super::alphabet::{self, URL_SAFE};
use super::encoded;

/// Longest part that is walked, in bytes.
const LONGEST_PART: usize = 65_536;
/// Longest head, in bytes.
const LONGEST_HEAD: usize = 4_096;

/// Where the head ends that begins at `at`, and whether the run of its characters goes on there.
pub fn head_end(bytes: &[u8], at: usize) -> (usize, bool) {
    let end = alphabet::run(bytes, at, URL_SAFE, LONGEST_HEAD);
    (end, alphabet::is(alphabet::byte(bytes, end), URL_SAFE))
}

/// The end of the token whose head begins at `at`; `None` if the head does not decode to one that has `alg` or `enc`.
pub fn end(bytes: &[u8], at: usize) -> Option<usize> {
    if !alphabet::opens_word(bytes, at) {
        return None;
    }
    let (head_end, _) = head_end(bytes, at);
    if alphabet::byte(bytes, head_end) != b'.' {
        return None;
    }
    let mut end = head_end;
    let mut parts = 1;
    while parts < 5 && alphabet::byte(bytes, end) == b'.' {
        let stop = alphabet::run(bytes, end + 1, URL_SAFE, LONGEST_PART);
        let is_open_sentence = stop == end + 1 && alphabet::byte(bytes, stop) != b'.' && parts != 2;
        if is_open_sentence {
            break;
        }
        end = stop;
        parts += 1;
    }
    let names_algorithm = || {
        let head = encoded::decode(alphabet::part(bytes, at, head_end));
        [&b"\"alg\""[..], b"\"enc\"", b"\"typ\""]
            .iter()
            .any(|name| memchr::memmem::find(&head, name).is_some())
    };
    (parts > 1 && end > head_end + 8 && names_algorithm()).then_some(end)
}

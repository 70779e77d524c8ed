//! Bytes from git as visible text. The escaping loses nothing: two different byte strings never look the
//! same, so a citation of a path names exactly one path. It does not scrub.

use crate::base::refusal::is_unsafe;

/// Turns bytes into text and counts the texts that were not UTF-8.
#[derive(Debug, Default)]
pub struct Decoder {
    /// Texts so far in which at least one byte was no UTF-8.
    pub damaged: u64,
}

impl Decoder {
    /// Shows `bytes`: a backslash is doubled, an unsafe character is `\u{…}`, a byte outside UTF-8 is `\xNN`.
    pub fn show(&mut self, bytes: &[u8]) -> String {
        let mut shown = String::with_capacity(bytes.len());
        let mut damaged = false;
        for chunk in bytes.utf8_chunks() {
            for letter in chunk.valid().chars() {
                match letter {
                    '\\' => shown.push_str("\\\\"),
                    _ if is_unsafe(letter) => shown.push_str(&format!("\\u{{{:x}}}", u32::from(letter))),
                    _ => shown.push(letter),
                }
            }
            for byte in chunk.invalid() {
                damaged = true;
                shown.push_str(&format!("\\x{byte:02x}"));
            }
        }
        self.damaged += u64::from(damaged);
        shown
    }
}

/// An object id as git prints it, or `None` for anything else.
pub fn object_id(bytes: &[u8]) -> Option<String> {
    let hex = bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (hex && matches!(bytes.len(), 40 | 64)).then(|| bytes.iter().copied().map(char::from).collect())
}

/// Cuts output in which every item ends with a NUL; `None` when the last item is not ended.
pub fn items(output: &[u8]) -> Option<Vec<&[u8]>> {
    if output.is_empty() {
        return Some(Vec::new());
    }
    Some(output.strip_suffix(b"\0")?.split(|byte| *byte == 0).collect())
}

/// Cuts output into lines; a last line without an end counts too.
pub fn lines(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Decoder, items, object_id};

    #[test]
    fn damaged_and_unsafe_bytes_stay_visible_and_distinct() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.show(b"a\xffb"), "a\\xffb");
        assert_eq!(decoder.show(b"a\\xffb"), "a\\\\xffb");
        assert_eq!(decoder.show("new\nline\u{202e}".as_bytes()), "new\\u{a}line\\u{202e}");
        assert_eq!(decoder.damaged, 1);
    }

    #[test]
    fn only_whole_items_are_taken() {
        assert_eq!(items(b"a\0b\0"), Some(vec![&b"a"[..], &b"b"[..]]));
        assert_eq!(items(b""), Some(Vec::new()));
        assert_eq!(items(b"a\0b"), None);
    }

    #[test]
    fn an_object_id_has_40_or_64_digits() {
        assert!(object_id(&[b'a'; 40]).is_some() && object_id(&[b'0'; 64]).is_some());
        assert_eq!(object_id(&[b'g'; 40]), None);
        assert_eq!(object_id(b"abc"), None);
    }
}

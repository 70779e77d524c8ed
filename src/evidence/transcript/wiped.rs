//! Bytes of a transcript and texts that were made of them: unscrubbed, and wiped when they are no longer needed.
//!
//! Not wiped are copies that are none of ours: those of the kernel, of a decompressor, of the JSON parser's own room for a
//! string with escapes.

use std::hash::{Hash, Hasher};
use std::ops::Deref;

use zeroize::{Zeroize as _, Zeroizing};

/// Bytes in a buffer. Behind its length it never holds anything but zeros that were written, so that wiping the length is
/// enough: much of the room for a long line is never touched and is no real memory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Wiped(Vec<u8>);

impl Wiped {
    /// Lengthens it by zeros to be written over. What has to move is wiped where it lay; `room` is how much more space is
    /// made then.
    pub fn lengthen(&mut self, more: usize, room: usize) -> &mut [u8] {
        let before = self.0.len();
        if self.0.capacity() - before < more {
            let mut larger = Vec::with_capacity(before + more.max(room));
            larger.extend_from_slice(&self.0);
            self.0.zeroize_used();
            self.0 = larger;
        }
        self.0.resize(before + more, 0);
        self.0.get_mut(before..).unwrap_or_default()
    }

    /// Room for bytes without a move.
    pub const fn room(&self) -> usize {
        self.0.capacity()
    }

    /// Cuts it, and wipes what is cut off.
    pub fn truncate(&mut self, length: usize) {
        if let Some(rest) = self.0.get_mut(length..) {
            rest.zeroize();
            self.0.truncate(length);
        }
    }

    /// Cuts it and gives what is cut off.
    #[must_use]
    pub fn split_off(&mut self, at: usize) -> Self {
        let rest = Self(self.0.get(at..).unwrap_or_default().to_vec());
        self.truncate(at);
        rest
    }
}

impl Deref for Wiped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Wiped {
    fn drop(&mut self) {
        self.0.zeroize_used();
    }
}

/// Wipes the length of a buffer and not its room.
trait Used {
    fn zeroize_used(&mut self);
}

impl Used for Vec<u8> {
    fn zeroize_used(&mut self) {
        self.as_mut_slice().zeroize();
    }
}

/// Parts joined to one text, of which nothing stays.
pub fn joined(parts: Vec<String>, between: &str) -> String {
    let text = parts.join(between);
    parts.into_iter().for_each(|part| drop(Zeroizing::new(part)));
    text
}

/// A text of a record: a stretch of the line itself, or a copy with the escapes resolved.
#[derive(Debug)]
pub enum Text<'a> {
    /// As it stands.
    Line(&'a str),
    /// A copy.
    Own(Zeroizing<String>),
}

impl Text<'_> {
    /// A copy that lasts.
    pub fn into_own(self) -> Zeroizing<String> {
        match self {
            Self::Line(text) => Zeroizing::new(text.to_owned()),
            Self::Own(text) => text,
        }
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Line(text) => text,
            Self::Own(text) => text,
        }
    }
}

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        self
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}

impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::Line(text)
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self::Own(Zeroizing::new(text))
    }
}

#[cfg(test)]
mod tests {
    use super::{Text, Wiped};

    #[test]
    fn what_is_cut_off_or_moved_leaves_zeros() {
        let mut bytes = Wiped::default();
        bytes.lengthen(6, 0).copy_from_slice(b"secret");
        let rest = bytes.split_off(2);
        assert_eq!((&*bytes, &*rest), (&b"se"[..], &b"cret"[..]));
        assert_eq!(bytes.lengthen(4, 0), [0; 4]);
        assert_eq!(&*bytes, b"se\0\0\0\0");
        bytes.truncate(1);
        assert_eq!(bytes.lengthen(100, 4_000), [0; 100]);
        assert!(bytes.room() >= 4_000);
        assert_eq!(bytes.first(), Some(&b's'));
        bytes.truncate(900);
        assert_eq!(bytes.len(), 101);
    }

    #[test]
    fn texts_are_the_same_however_they_are_held() {
        let (line, own) = (Text::from("a"), Text::from("a".to_owned()));
        assert!(line == own && own == *"a" && *own.into_own() == "a");
    }
}

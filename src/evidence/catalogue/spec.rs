//! What a person can name a session by.

use camino::{Utf8Path, Utf8PathBuf};

use crate::base::ids::BoundaryId;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Digits of a boundary id without its harness.
const HEX_DIGITS: usize = 16;
/// How names of transcripts end.
const ENDINGS: [&str; 3] = [".jsonl", ".json", ".zst"];

/// A session as it was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// Where its file lies.
    Path(Utf8PathBuf),
    /// `recap://…`.
    Boundary(BoundaryId),
    /// The 16 digits of a boundary id.
    Digits(String),
    /// The id that its harness gave it.
    Native(String),
}

impl Spec {
    /// Reads what was given: `recap://…` first, then whatever has a slash, exists or ends like a transcript as a path.
    ///
    /// # Errors
    /// `usage` for a boundary id that is none, and for an empty text.
    pub fn parse(text: &str, exists: impl FnOnce(&Utf8Path) -> bool) -> Result<Self> {
        if text.starts_with("recap:") {
            let id = BoundaryId::parse(text).map(Self::Boundary);
            return id.ok_or_else(|| {
                Refusal::new(Code::Usage)
                    .at(text)
                    .hint("a boundary id is `recap://`, a harness, `/` and 16 digits of 0-9 and a-f")
            });
        }
        if text.is_empty() {
            return Err(Refusal::new(Code::Usage).hint("give a path, a native id or a boundary id"));
        }
        let path = Utf8Path::new(text);
        if text.contains('/') || ENDINGS.iter().any(|ending| text.ends_with(ending)) || exists(path) {
            return Ok(Self::Path(path.to_owned()));
        }
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == HEX_DIGITS && text.bytes().all(is_digit) {
            return Ok(Self::Digits(text.to_owned()));
        }
        Ok(Self::Native(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Spec};

    #[test]
    fn each_way_to_name_a_session_is_told_from_the_others() {
        let parse = |text: &str| Spec::parse(text, |path| path == "0123456789abcdef.d").unwrap();
        for path in ["a/b", "./0123456789abcdef", "s.jsonl", "s.jsonl.zst", "s.json", "0123456789abcdef.d"] {
            assert_eq!(parse(path), Spec::Path(path.into()));
        }
        assert!(matches!(parse("recap://claude/0123456789abcdef"), Spec::Boundary(_)));
        assert_eq!(parse("0123456789abcdef"), Spec::Digits("0123456789abcdef".to_owned()));
        for native in
            ["agent-a1b2c3d", "0123456789ABCDEF", "0123456789abcde", "2d2e2f20-1111-4222-8333-444455556666"]
        {
            assert_eq!(parse(native), Spec::Native(native.to_owned()));
        }
    }

    #[test]
    fn a_boundary_id_that_is_none_is_no_path() {
        for text in ["recap://claude/01", "recap://other/0123456789abcdef", "recap:x", ""] {
            assert_eq!(Spec::parse(text, |_| true).unwrap_err().code(), Code::Usage, "{text}");
        }
    }
}

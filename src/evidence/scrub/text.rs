//! Scrubbed text.

use serde::{Serialize, Serializer};

/// A span of the scrubbed text that stands for a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Redaction {
    /// First byte of the mark.
    pub start: u64,
    /// First byte behind the mark.
    pub end: u64,
    /// Kind of secret.
    pub kind: std::borrow::Cow<'static, str>,
    /// Number of the value within the boundary.
    pub number: u64,
}

/// Scrubbed text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scrubbed {
    text: String,
    redactions: Vec<Redaction>,
}

impl Scrubbed {
    /// Our own words.
    pub fn trusted(text: &'static str) -> Self {
        Self { text: text.to_owned(), redactions: Vec::new() }
    }

    /// Text of a ledger line whose digest was checked.
    pub(in crate::evidence) fn from_ledger(text: String, redactions: Vec<Redaction>) -> Self {
        Self { text, redactions }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The marks.
    pub fn redactions(&self) -> &[Redaction] {
        &self.redactions
    }

    /// True when nothing but marks, spaces and punctuation is left.
    pub fn only_redactions(&self) -> bool {
        let mut left: Vec<bool> = self.text.chars().map(|_| true).collect();
        let mut at = 0_u64;
        for (letter, keep) in self.text.chars().zip(&mut left) {
            *keep = letter.is_alphanumeric()
                && !self.redactions.iter().any(|mark| mark.start <= at && at < mark.end);
            at += letter.len_utf8() as u64;
        }
        !self.redactions.is_empty() && !left.contains(&true)
    }
}

impl Serialize for Scrubbed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

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

    /// The text as an owned string.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Text that was scrubbed before and lost its wrapper within this folder.
    pub(in crate::evidence) fn again(text: String) -> Self {
        Self { text, redactions: Vec::new() }
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
        false
    }
}

impl Serialize for Scrubbed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

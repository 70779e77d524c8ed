//! Unscrubbed transcript text. It cannot be printed, serialized or cloned, and is wiped when dropped.

use zeroize::Zeroizing;

/// Text as the transcript has it. The scrubber is the only way on to an artifact.
///
/// ```
/// let raw = recap::evidence::transcript::raw::Raw::from(String::from("text"));
/// let moved = raw;
/// ```
/// ```compile_fail
/// let raw = recap::evidence::transcript::raw::Raw::from(String::from("text"));
/// let copied = raw.clone();
/// ```
/// ```compile_fail
/// let raw = recap::evidence::transcript::raw::Raw::from(String::from("text"));
/// let printed = serde_json::to_string(&raw);
/// ```
pub struct Raw(Zeroizing<String>);

impl Raw {
    /// Shows the text to the scrubber and to readers.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Hands the text over without a copy, for text in which no secret was found.
    pub(in crate::evidence) fn into_clean(mut self) -> String {
        std::mem::take(&mut *self.0)
    }
}

impl From<String> for Raw {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl From<&str> for Raw {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl std::fmt::Debug for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raw({} bytes)", self.0.len())
    }
}

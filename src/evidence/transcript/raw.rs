//! Transcript text that no scrubber has seen yet.
//!
//! It can be looked at and it can be scrubbed; it cannot be printed, copied as such or serialised, and it is wiped when it
//! is no longer needed.
//!
//! ```
//! let raw = recap::evidence::transcript::Raw::from(String::from("text"));
//! let text: String = raw.expose().to_owned();
//! # assert_eq!(text, "text");
//! ```
//! ```compile_fail
//! let raw = recap::evidence::transcript::Raw::from(String::from("text"));
//! let text: String = raw.to_string();
//! ```
//!
//! It is no value that serde takes, unlike what was scrubbed:
//!
//! ```
//! let scrubbed = recap::evidence::scrub::Scrubbed::trusted("text");
//! let json = serde_json::to_string(&scrubbed);
//! # assert_eq!(json.ok().as_deref(), Some("\"text\""));
//! ```
//! ```compile_fail
//! let scrubbed = recap::evidence::transcript::Raw::from(String::from("text"));
//! let json = serde_json::to_string(&scrubbed);
//! ```
//!
//! And it has one owner:
//!
//! ```
//! let scrubbed = recap::evidence::scrub::Scrubbed::trusted("text");
//! let twin = scrubbed.clone();
//! # assert_eq!(twin.as_str(), "text");
//! ```
//! ```compile_fail
//! let scrubbed = recap::evidence::transcript::Raw::from(String::from("text"));
//! let twin = scrubbed.clone();
//! ```

use zeroize::Zeroizing;

/// Unscrubbed text.
pub struct Raw(Zeroizing<String>);

impl Raw {
    /// The text, for readers and for the scrubber.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Hands the text over without a copy; only the scrubber may, once it knows that nothing in it is secret.
    pub(in crate::evidence) fn into_clean_text(mut self) -> String {
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

#[cfg(test)]
mod tests {
    use super::Raw;

    #[test]
    fn its_debug_form_tells_the_length_alone() {
        assert_eq!(format!("{:?}", Raw::from("hunter2".to_owned())), "Raw(7 bytes)");
    }
}

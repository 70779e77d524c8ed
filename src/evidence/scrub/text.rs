//! The two ends of scrubbing: text whose secrets are found, and text that holds none any more.
//!
//! Scrubbed text is written and never read back as such: a ledger line is trusted through its digest alone.
//!
//! ```
//! let text: Result<String, _> = serde_json::from_str("\"text\"");
//! # assert!(text.is_ok());
//! ```
//! ```compile_fail
//! let text: Result<recap::evidence::scrub::Scrubbed, _> = serde_json::from_str("\"text\"");
//! ```

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::base::credential::{Looked, Span, Spotter, quote_for};
use crate::evidence::transcript::Raw;

/// Raw text with the places of its secrets.
#[derive(Debug)]
pub struct Spotted {
    raw: Raw,
    looked: Looked,
}

impl Spotted {
    /// Finds the secrets of `raw`. It needs nothing but the text, so it may run in any thread.
    pub fn new(raw: Raw, spotter: &Spotter) -> Self {
        let looked = spotter.look(raw.expose());
        Self { raw, looked }
    }

    /// How many secrets were found.
    pub const fn count(&self) -> usize {
        self.looked.spans.len()
    }

    /// The text, for a look over its border.
    pub(super) fn expose(&self) -> &str {
        self.raw.expose()
    }

    /// Hides the first bytes, too: they complete a secret that the text before began.
    pub(super) fn hide_head(&mut self, end: usize, kind: &'static str) {
        let end = self
            .looked
            .spans
            .iter()
            .filter(|span| span.start < end)
            .map(|span| span.end)
            .fold(end, usize::max);
        self.looked.spans.retain(|span| span.start >= end);
        self.looked.spans.insert(0, Span { start: 0, end, kind });
    }

    /// Marks of vendors and allowed values that were seen and stay.
    pub(super) fn kept(&self) -> (u64, u64) {
        self.looked.kept_within(0, usize::MAX)
    }

    /// The scrubbed text: `mark` gives each secret value of a kind its number and its mark. The raw text is wiped, or
    /// handed over as it is where it holds no secret.
    pub(super) fn replace(self, mut mark: impl FnMut(&'static str, &str) -> (u64, String)) -> Scrubbed {
        let spans = &self.looked.spans;
        if spans.is_empty() {
            return Scrubbed { text: self.raw.into_clean_text(), redactions: Vec::new() };
        }
        // Room for the worst case from the start: a buffer that grows leaves unwiped copies behind, though not of secrets.
        let source = self.raw.expose();
        let mut text = String::with_capacity(source.len() + spans.len() * 48);
        let mut redactions = Vec::with_capacity(spans.len());
        let mut copied = 0;
        for span in spans {
            let (Some(before), Some(secret)) =
                (source.get(copied..span.start), source.get(span.start..span.end))
            else {
                continue;
            };
            text.push_str(before);
            let (number, mark) = mark(span.kind, secret);
            let quote = quote_for(source, span.start, span.end);
            text.push_str(quote);
            let start = text.len() as u64;
            text.push_str(&mark);
            redactions.push(Redaction {
                start,
                end: text.len() as u64,
                kind: Cow::Borrowed(span.kind),
                number,
            });
            text.push_str(quote);
            copied = span.end;
        }
        text.push_str(source.get(copied..).unwrap_or_default());
        Scrubbed { text, redactions }
    }
}

/// One replaced secret, in bytes of the scrubbed text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Redaction {
    /// First byte of the mark.
    pub start: u64,
    /// The byte behind the mark.
    pub end: u64,
    /// The kind of the secret.
    pub kind: Cow<'static, str>,
    /// The number of its value within the boundary.
    pub number: u64,
}

/// Text without secrets, and where they stood. Serialises as the text alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scrubbed {
    text: String,
    redactions: Vec<Redaction>,
}

impl Scrubbed {
    /// Words of our own, which no transcript can change.
    pub fn trusted(words: &'static str) -> Self {
        Self { text: words.to_owned(), redactions: Vec::new() }
    }

    /// Text of a ledger line whose digest was checked.
    pub(in crate::evidence) const fn from_ledger(text: String, redactions: Vec<Redaction>) -> Self {
        Self { text, redactions }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text without its list of redactions.
    pub fn into_string(self) -> String {
        self.text
    }

    /// What was replaced, in the order of the text. A mark that is not listed here is just text of the transcript.
    pub fn redactions(&self) -> &[Redaction] {
        &self.redactions
    }

    /// Whether nothing but marks of ours, blanks and punctuation is left, and at least one mark.
    pub fn only_redactions(&self) -> bool {
        let mut at = 0;
        for redaction in &self.redactions {
            let (Ok(start), Ok(end)) = (usize::try_from(redaction.start), usize::try_from(redaction.end))
            else {
                return false;
            };
            if holds_words(self.text.get(at..start)) {
                return false;
            }
            at = end;
        }
        !self.redactions.is_empty() && !holds_words(self.text.get(at..))
    }
}

fn holds_words(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.chars().any(char::is_alphanumeric))
}

impl Serialize for Scrubbed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

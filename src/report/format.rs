//! The formats that a recap is written in. They say the same in the same words; which one is asked for changes
//! neither what is counted nor what stands first.

use super::recap::Recap;
use crate::base::Result;
use crate::base::digest::Digest;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Markdown, for any dialect.
    #[default]
    Markdown,
    /// One HTML file that loads and runs nothing.
    Html,
    /// The document of the schema `recap`.
    Json,
}

impl Format {
    /// How the name of a file in this format ends.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Json => "json",
        }
    }
}

impl Recap {
    /// The recap in a format. The same recap gives the same bytes; the digest of the expanded synthesis is told where
    /// the format has a place for it.
    ///
    /// # Errors
    /// As [`Recap::json`].
    pub fn written(&self, format: Format, synthesis_sha256: Digest) -> Result<Vec<u8>> {
        match format {
            Format::Markdown => Ok(self.markdown().into_bytes()),
            Format::Html => Ok(self.html().into_bytes()),
            Format::Json => self.json(synthesis_sha256),
        }
    }
}

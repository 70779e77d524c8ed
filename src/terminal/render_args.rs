//! Arguments of `render`. Doc comments are the help texts.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

use crate::report::Format;

/// Arguments of `render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST", requires = "synthesis")]
    pub manifest: Option<Utf8PathBuf>,
    /// Path of the sealed accounting [default: accounting.json in the default folder]
    #[arg(value_name = "ACCOUNTING")]
    pub accounting: Option<Utf8PathBuf>,
    /// Path of the draft [default: synthesis.json in the default folder]
    #[arg(value_name = "SYNTHESIS", requires = "output")]
    pub synthesis: Option<Utf8PathBuf>,
    /// Path of the recap [default: recap.md, .html or .json in the default folder]
    #[arg(long, value_name = "RECAP")]
    pub output: Option<Utf8PathBuf>,
    /// Format of the recap
    #[arg(long, value_enum, default_value = "md")]
    pub format: RecapFormat,
    /// Explain every violation on standard error
    #[arg(long)]
    pub explain: bool,
}

/// How a recap is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecapFormat {
    /// Markdown
    Md,
    /// One HTML file that loads and runs nothing
    Html,
    /// One JSON document of the schema recap
    Json,
}

impl From<RecapFormat> for Format {
    fn from(named: RecapFormat) -> Self {
        match named {
            RecapFormat::Md => Self::Markdown,
            RecapFormat::Html => Self::Html,
            RecapFormat::Json => Self::Json,
        }
    }
}

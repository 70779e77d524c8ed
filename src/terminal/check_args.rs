//! The command line of what checks published files. Doc comments are the help texts.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Published documents: a recap as JSON, an expanded synthesis, a sealed accounting; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<Utf8PathBuf>,
    /// Receipts as the stages printed them, one a line; `-` for standard input
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub receipts: Vec<Utf8PathBuf>,
    /// How to print what was found
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub format: CheckFormat,
}

/// How to print findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For a person
    Text,
    /// One document (`recap schema check`)
    Json,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// Arguments of `chain`.
#[derive(Debug, Args)]
pub struct ChainArgs {
    /// Receipts as the stages printed them, one a line; `-` for standard input
    #[arg(value_name = "RECEIPTS", required = true)]
    pub receipts: Vec<Utf8PathBuf>,
    /// Print one document (`recap schema chain`)
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `scrub`.
#[derive(Debug, Args)]
pub struct ScrubArgs {
    /// Print no text, and exit with 1 if anything was found
    #[arg(long)]
    pub check: bool,
    /// A policy that adds kinds of secrets or allows exact values (`recap schema policy`)
    #[arg(long, value_name = "FILE")]
    pub policy: Option<Utf8PathBuf>,
    /// With --check: look at these files instead of standard input
    #[arg(value_name = "FILE", requires = "check")]
    pub files: Vec<Utf8PathBuf>,
}

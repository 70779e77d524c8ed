//! Arguments of the commands about boundary sets. Doc comments are the help texts.

use camino::Utf8PathBuf;
use clap::{ArgGroup, Args};

/// Arguments of `collect-set`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("selected").required(true).args(["current", "session"]))]
#[command(group = ArgGroup::new("follows").required(true).multiple(true).args(["include_children", "chain"]))]
pub struct CollectSetArgs {
    /// Select the session that this process runs in
    #[arg(long)]
    pub current: bool,
    /// Select a session by path, native id or boundary id
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,
    /// Follow the children that a session began, and theirs
    #[arg(long)]
    pub include_children: bool,
    /// Follow what a session continues and what continues it
    #[arg(long)]
    pub chain: bool,
    /// Leave a relative out, by boundary id or native id (may be repeated)
    #[arg(long, value_name = "ID")]
    pub without: Vec<String>,
    /// Path of the set document; its members lie in SET.boundaries
    #[arg(long, value_name = "SET")]
    pub output: Utf8PathBuf,
    /// Also probe this repository (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub repo: Vec<Utf8PathBuf>,
    /// A policy that adds kinds of secrets or allows exact values (`recap schema policy`)
    #[arg(long, value_name = "FILE")]
    pub policy: Option<Utf8PathBuf>,
}

/// A set.
#[derive(Debug, Args)]
pub struct ValidateSetArgs {
    /// Path of the set document
    #[arg(value_name = "SET")]
    pub set: Utf8PathBuf,
}

/// Arguments of `render-set`.
#[derive(Debug, Args)]
pub struct RenderSetArgs {
    /// Path of the set document
    #[arg(value_name = "SET")]
    pub set: Utf8PathBuf,
    /// Path of the edges draft
    #[arg(value_name = "EDGES")]
    pub edges: Utf8PathBuf,
    /// Path of the handoff
    #[arg(long, value_name = "RECAP")]
    pub output: Utf8PathBuf,
    /// Explain every violation on standard error
    #[arg(long)]
    pub explain: bool,
}

//! The command line. Doc comments are the help texts.

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Tell what a coding agent did, with evidence that a stranger can re-check
#[derive(Debug, Parser)]
#[command(name = "recap", version, disable_help_subcommand = true, arg_required_else_help = true)]
pub struct Cli {
    /// Print timings on standard error
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Turn a transcript into a manifest and its ledger
    #[command(after_help = "Example: recap collect --session ~/.claude/projects/-home-me-app/4f0e….jsonl")]
    Collect(CollectArgs),
    /// Cut a ledger into packets, episodes, repeat groups and an outline
    #[command(after_help = "Example: recap packetize ~/.recap/claude-0123456789abcdef/manifest.json")]
    Packetize(ManifestArgs),
    /// Print one line an event, in parts
    #[command(after_help = "Example: recap outline manifest.json --part 2")]
    Outline(OutlineArgs),
    /// Print one part of a packet
    #[command(after_help = "Example: recap packet manifest.json p0-0123456789ab --part 2")]
    Packet(PacketArgs),
    /// Print bytes of one event
    #[command(after_help = "Example: recap event manifest.json e12-0123456789ab --slice 0..4000")]
    Event(EventArgs),
    /// Recompute everything that a manifest names
    #[command(after_help = "Example: recap validate manifest.json")]
    Validate(ManifestArgs),
}

/// Arguments of `collect`.
#[derive(Debug, Args)]
pub struct CollectArgs {
    /// Path of the transcript
    #[arg(long, value_name = "PATH")]
    pub session: Utf8PathBuf,
    /// Path of the manifest [default: ~/.recap/HARNESS-ID/manifest.json]
    #[arg(long, value_name = "MANIFEST")]
    pub output: Option<Utf8PathBuf>,
    /// Also probe this repository (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub repo: Vec<Utf8PathBuf>,
    /// Probe repositories again although the transcript is unchanged
    #[arg(long)]
    pub refresh_git: bool,
    /// Begin a new ledger with the same secret; seals do not carry over
    #[arg(long)]
    pub fresh: bool,
}

/// A manifest.
#[derive(Debug, Args)]
pub struct ManifestArgs {
    /// Path of the manifest
    #[arg(value_name = "MANIFEST")]
    pub manifest: Utf8PathBuf,
}

/// Arguments of `outline`.
#[derive(Debug, Args)]
pub struct OutlineArgs {
    /// Path of the manifest
    #[arg(value_name = "MANIFEST")]
    pub manifest: Utf8PathBuf,
    /// Which part, from 1
    #[arg(long, default_value_t = 1)]
    pub part: u64,
}

/// Arguments of `packet`.
#[derive(Debug, Args)]
pub struct PacketArgs {
    /// Path of the manifest
    #[arg(value_name = "MANIFEST")]
    pub manifest: Utf8PathBuf,
    /// Id of the packet
    #[arg(value_name = "PACKET_ID")]
    pub packet: String,
    /// Which part, from 1
    #[arg(long, default_value_t = 1)]
    pub part: usize,
    /// How to print it
    #[arg(long, value_enum, default_value_t = PacketFormat::Compact)]
    pub format: PacketFormat,
}

/// How a packet is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PacketFormat {
    /// Headers and framed text
    Compact,
    /// One JSON object a line
    Json,
}

/// Arguments of `event`.
#[derive(Debug, Args)]
pub struct EventArgs {
    /// Path of the manifest
    #[arg(value_name = "MANIFEST")]
    pub manifest: Utf8PathBuf,
    /// Id of the event
    #[arg(value_name = "EVENT_ID")]
    pub event: String,
    /// Bytes of its text, for example 0..4000
    #[arg(long, value_name = "A..B", value_parser = parse_slice)]
    pub slice: Option<(u64, u64)>,
}

fn parse_slice(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").ok_or("two numbers joined by `..`")?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| "two numbers joined by `..`");
    Ok((number(from)?, number(to)?))
}

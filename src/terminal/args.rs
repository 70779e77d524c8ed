//! The command line. Doc comments are the help texts.

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::tz::TimeZone;

use super::check_args::{ChainArgs, CheckArgs, ScrubArgs};
use super::render_args::RenderArgs;
use super::set_args::{CollectSetArgs, RenderSetArgs, ValidateSetArgs};

/// Tell what a coding agent did, with evidence that a stranger can re-check
#[derive(Debug, Parser)]
#[command(
    name = "recap",
    bin_name = "recap",
    version,
    disable_help_subcommand = true,
    arg_required_else_help = true
)]
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
    /// List the sessions of Claude Code and Codex on this machine, newest first
    #[command(after_help = "Example: recap sessions --cwd . --since 2d")]
    Sessions(SessionsArgs),
    /// Turn a transcript into a manifest and its ledger
    #[command(
        after_help = "Examples:\n  recap collect --current\n  recap collect --session recap://claude/0123456789abcdef\n  recap collect --session ~/.claude/projects/-home-me-app/4f0e….jsonl"
    )]
    Collect(CollectArgs),
    /// Collect a session with its children, its continuations or both
    #[command(after_help = "Example: recap collect-set --current --include-children --output set.json")]
    CollectSet(CollectSetArgs),
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
    /// Recompute everything that a set names
    #[command(after_help = "Example: recap validate-set set.json")]
    ValidateSet(ValidateSetArgs),
    /// Write an accounting skeleton that owns every event
    #[command(after_help = "Example: recap accounting-draft manifest.json --output accounting.draft.json")]
    AccountingDraft(AccountingDraftArgs),
    /// Print the ordinals that a draft leaves to nobody or gives away twice, one range a line
    #[command(after_help = "Example: recap accounting-gaps manifest.json accounting.draft.json")]
    AccountingGaps(DraftArgs),
    /// Seal an accounting draft to its ledger
    #[command(
        after_help = "Example: recap seal-accounting manifest.json accounting.draft.json --output accounting.json"
    )]
    SealAccounting(SealAccountingArgs),
    /// Check a sealed accounting against its ledger
    #[command(after_help = "Example: recap validate-accounting manifest.json accounting.json")]
    ValidateAccounting(ValidateAccountingArgs),
    /// Write a synthesis skeleton that leaves only prose to the author
    #[command(
        after_help = "Example: recap synthesis-draft manifest.json accounting.json --output synthesis.json"
    )]
    SynthesisDraft(SynthesisDraftArgs),
    /// Hold a synthesis against every rule
    #[command(after_help = "Example: recap validate-synthesis manifest.json accounting.json synthesis.json")]
    ValidateSynthesis(ValidateSynthesisArgs),
    /// Render a valid synthesis
    #[command(
        after_help = "Example: recap render manifest.json accounting.json synthesis.json --output recap.md"
    )]
    Render(RenderArgs),
    /// Render the handoff of a set
    #[command(after_help = "Example: recap render-set set.json edges.json --output handoff.md")]
    RenderSet(RenderSetArgs),
    /// Check what is published, without any private file
    #[command(
        after_help = "Examples:\n  recap check recap.json\n  recap check synthesis.expanded.json --receipts receipts.jsonl --format github"
    )]
    Check(CheckArgs),
    /// Check that receipts of several stages belong to one another
    #[command(after_help = "Example: recap chain receipts.jsonl")]
    Chain(ChainArgs),
    /// Tell how many drafts of a ledger state have failed, or open it again
    #[command(after_help = "Example: recap attempts manifest.json")]
    Attempts(AttemptsArgs),
    /// Say what a code means, why it exists and how to mend it
    #[command(after_help = "Example: recap explain event-unaccounted")]
    Explain(ExplainArgs),
    /// Print the JSON Schema of a document; without a name, list them
    #[command(after_help = "Example: recap schema accounting-draft")]
    Schema(SchemaArgs),
    /// Hide what looks like a secret in a text: standard input to standard output
    #[command(
        after_help = "Examples:\n  recap scrub < session.log > clean.log\n  git diff --cached | recap scrub --check\n  recap scrub --check notes.txt"
    )]
    Scrub(ScrubArgs),
    /// Run the whole pipeline on a bundled session, receipts and recap on the terminal
    #[command(after_help = "Example: recap demo")]
    Demo,
}

/// Arguments of `sessions`.
#[derive(Debug, Args)]
pub struct SessionsArgs {
    /// Only of this harness
    #[arg(long, value_enum, value_name = "HARNESS")]
    pub harness: Option<HarnessName>,
    /// Only those that worked in this folder or below
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<Utf8PathBuf>,
    /// Only those that worked on this branch
    #[arg(long, value_name = "BRANCH")]
    pub branch: Option<String>,
    /// Only those changed since a date, a time (RFC 3339) or so long ago (2d, 12h)
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    pub since: Option<Since>,
    /// How many to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// List all, with children, older files of a thread and files that are no session
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// Print one JSON document; it holds paths and words of the transcripts
    #[arg(long)]
    pub json: bool,
}

/// The name of a harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarnessName {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
}

/// From when on.
#[derive(Debug, Clone, Copy)]
pub enum Since {
    /// From this time on.
    At(jiff::Timestamp),
    /// From so long before now on.
    Ago(jiff::Span),
}

impl Since {
    /// The time; `None` where it lies before all times.
    pub fn before(self, now: jiff::Timestamp) -> Option<jiff::Timestamp> {
        match self {
            Self::At(time) => Some(time),
            Self::Ago(span) => {
                let then = TimeZone::UTC.to_datetime(now).checked_sub(span.abs()).ok()?;
                TimeZone::UTC.to_timestamp(then).ok()
            }
        }
    }
}

/// Arguments of `collect`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true))]
pub struct CollectArgs {
    /// The session that this command runs in, as its harness names it
    #[arg(long, group = "which")]
    pub current: bool,
    /// Path, native id or boundary id of the session
    #[arg(long, value_name = "SESSION", group = "which")]
    pub session: Option<String>,
    /// Path of the manifest [default: ~/.recap/HARNESS-ID/manifest.json]
    #[arg(long, value_name = "MANIFEST")]
    pub output: Option<Utf8PathBuf>,
    /// Also probe this repository (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub repo: Vec<Utf8PathBuf>,
    /// A policy that adds kinds of secrets or allows exact values (`recap schema policy`)
    #[arg(long, value_name = "FILE")]
    pub policy: Option<Utf8PathBuf>,
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
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST")]
    pub manifest: Option<Utf8PathBuf>,
}

/// Arguments of `accounting-draft`.
#[derive(Debug, Args)]
pub struct AccountingDraftArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST", requires = "output")]
    pub manifest: Option<Utf8PathBuf>,
    /// Path of the draft [default: accounting.draft.json in the default folder]
    #[arg(long, value_name = "DRAFT")]
    pub output: Option<Utf8PathBuf>,
    /// Carry over this sealed accounting of an earlier state; the draft owns what came later
    #[arg(long, value_name = "ACCOUNTING")]
    pub extends: Option<Utf8PathBuf>,
    /// Explain every violation on standard error
    #[arg(long)]
    pub explain: bool,
}

/// A manifest and a draft.
#[derive(Debug, Args)]
pub struct DraftArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST", requires = "draft")]
    pub manifest: Option<Utf8PathBuf>,
    /// Path of the draft [default: accounting.draft.json in the default folder]
    #[arg(value_name = "DRAFT")]
    pub draft: Option<Utf8PathBuf>,
    /// The sealed accounting of an earlier state that the draft stands on
    #[arg(long, value_name = "ACCOUNTING")]
    pub extends: Option<Utf8PathBuf>,
}

/// Arguments of `seal-accounting`.
#[derive(Debug, Args)]
pub struct SealAccountingArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST", requires = "draft")]
    pub manifest: Option<Utf8PathBuf>,
    /// Path of the draft [default: accounting.draft.json in the default folder]
    #[arg(value_name = "DRAFT", requires = "output")]
    pub draft: Option<Utf8PathBuf>,
    /// Path of the sealed accounting [default: accounting.json in the default folder]
    #[arg(long, value_name = "ACCOUNTING")]
    pub output: Option<Utf8PathBuf>,
    /// The sealed accounting of an earlier state that the draft stands on
    #[arg(long, value_name = "ACCOUNTING")]
    pub extends: Option<Utf8PathBuf>,
    /// Explain every violation on standard error
    #[arg(long)]
    pub explain: bool,
}

/// A manifest and a sealed accounting.
#[derive(Debug, Args)]
pub struct ValidateAccountingArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST", requires = "accounting")]
    pub manifest: Option<Utf8PathBuf>,
    /// Path of the sealed accounting [default: accounting.json in the default folder]
    #[arg(value_name = "ACCOUNTING")]
    pub accounting: Option<Utf8PathBuf>,
    /// Explain every violation on standard error
    #[arg(long)]
    pub explain: bool,
}

/// Arguments of `synthesis-draft`.
#[derive(Debug, Args)]
pub struct SynthesisDraftArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST", requires = "accounting")]
    pub manifest: Option<Utf8PathBuf>,
    /// Path of the sealed accounting [default: accounting.json in the default folder]
    #[arg(value_name = "ACCOUNTING", requires = "output")]
    pub accounting: Option<Utf8PathBuf>,
    /// Path of the draft [default: synthesis.json in the default folder]
    #[arg(long, value_name = "SYNTHESIS")]
    pub output: Option<Utf8PathBuf>,
    /// Carry prose, titles and groupings of an older draft over
    #[arg(long, value_name = "OLD")]
    pub from: Option<Utf8PathBuf>,
    /// Explain every violation on standard error
    #[arg(long)]
    pub explain: bool,
}

/// Arguments of `validate-synthesis`.
#[derive(Debug, Args)]
pub struct ValidateSynthesisArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST", requires = "synthesis")]
    pub manifest: Option<Utf8PathBuf>,
    /// Path of the sealed accounting [default: accounting.json in the default folder]
    #[arg(value_name = "ACCOUNTING")]
    pub accounting: Option<Utf8PathBuf>,
    /// Path of the draft [default: synthesis.json in the default folder]
    #[arg(value_name = "SYNTHESIS")]
    pub synthesis: Option<Utf8PathBuf>,
    /// Also write the expanded form
    #[arg(long, value_name = "FILE")]
    pub expanded: Option<Utf8PathBuf>,
    /// Record no acceptance, so that there is nothing to render from; a failure counts all the same
    #[arg(long)]
    pub dry_run: bool,
    /// Explain every violation on standard error
    #[arg(long)]
    pub explain: bool,
}

/// Arguments of `attempts`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct AttemptsArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST")]
    pub manifest: Option<Utf8PathBuf>,
    /// What to do instead of telling
    #[command(subcommand)]
    pub action: Option<AttemptsAction>,
}

/// What to do with attempts.
#[derive(Debug, Subcommand)]
pub enum AttemptsAction {
    /// Open a closed ledger state again; needs a terminal
    #[command(after_help = "Example: recap attempts reset manifest.json --confirm 0123abcd")]
    Reset(ResetArgs),
}

/// Arguments of `attempts reset`.
#[derive(Debug, Args)]
pub struct ResetArgs {
    /// Path of the manifest
    #[arg(value_name = "MANIFEST")]
    pub manifest: Utf8PathBuf,
    /// The first eight digits of the ledger root
    #[arg(long, value_name = "ROOT8")]
    pub confirm: String,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code of a report or refusal
    #[arg(value_name = "CODE")]
    pub code: String,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Name of a schema
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// Arguments of `outline`.
#[derive(Debug, Args)]
pub struct OutlineArgs {
    /// Path of the manifest [default: that of the default folder]
    #[arg(value_name = "MANIFEST")]
    pub manifest: Option<Utf8PathBuf>,
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
    /// Id of the event, or `e` and its ordinal
    #[arg(value_name = "EVENT_ID")]
    pub event: String,
    /// Bytes of its text, for example 0..4000
    #[arg(long, value_name = "A..B", value_parser = parse_slice)]
    pub slice: Option<(u64, u64)>,
}

fn parse_since(text: &str) -> Result<Since, String> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(Since::At(time));
    }
    if let Ok(date) = text.parse::<jiff::civil::Date>() {
        let midnight = TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0));
        return midnight.map(Since::At).map_err(|_| "no such date".to_owned());
    }
    text.parse::<jiff::Span>()
        .map(Since::Ago)
        .map_err(|_| "a date (2026-11-30), a time (2026-11-30T12:00:00Z) or a span (2d, 12h)".to_owned())
}

fn parse_slice(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").ok_or("two numbers joined by `..`")?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| "two numbers joined by `..`");
    Ok((number(from)?, number(to)?))
}

#[cfg(test)]
mod tests {
    use super::parse_since;

    #[test]
    fn since_is_a_date_a_time_or_a_span() {
        let now = "2026-11-30T12:00:00Z".parse().unwrap();
        let since = |text: &str| parse_since(text).ok()?.before(now).map(|time| time.to_string());
        for (text, expected) in [
            ("2026-11-29", "2026-11-29T00:00:00Z"),
            ("2026-11-29T10:00:00+02:00", "2026-11-29T08:00:00Z"),
            ("2d", "2026-11-28T12:00:00Z"),
            ("12h", "2026-11-30T00:00:00Z"),
            ("1 week", "2026-11-23T12:00:00Z"),
        ] {
            assert_eq!(since(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "yesterday", "2026-13-01", "5", "20000y"] {
            assert_eq!(since(text), None, "{text}");
        }
    }
}

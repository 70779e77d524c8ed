//! One command from its arguments to its exit status.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use camino::Utf8PathBuf;
use clap::Parser as _;

use super::args::{AttemptsAction, Cli, CollectArgs, Command, PacketFormat};
use super::checking::{chained, checked, scrubbed};
use super::exit;
use super::explain::explained;
use super::listing::{listing, welcome};
use super::output::Output;
use super::paths::Paths;
use super::render_args::RenderArgs;
use super::set_args::CollectSetArgs;
use crate::base::clock::SystemClock;
use crate::base::credential::hide;
use crate::base::receipt::Receipt;
use crate::base::refusal::visible;
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::{Refusal, Result};
use crate::evidence::kinship::set::Follows;
use crate::evidence::packet::parts::Format;
use crate::report::explain::explain;
use crate::stage::attempts::{attempts, reset};
use crate::stage::collect::{Collect, collect};
use crate::stage::collect_set::{CollectSet, collect_set};
use crate::stage::draft_accounting::{accounting_draft, accounting_gaps};
use crate::stage::draft_synthesis::synthesis_draft;
use crate::stage::find::{Wanted, locate};
use crate::stage::packetize::packetize;
use crate::stage::place::{MANIFEST_FILE, default_folder};
use crate::stage::render::render;
use crate::stage::render_set::render_set;
use crate::stage::seal_accounting::{seal_accounting, validate_accounting};
use crate::stage::validate::validate;
use crate::stage::validate_set::validate_set;
use crate::stage::validate_synthesis::validate_synthesis;
use crate::stage::verdict::Verdict;
use crate::stage::{World, read};

/// Variables that are looked at.
const VARIABLES: [&str; 6] =
    ["HOME", "TMPDIR", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"];

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Runs the program with the process's own arguments, streams and environment.
pub fn main() -> std::process::ExitCode {
    run(std::env::args_os().collect())
}

/// Runs one stage program: the same code as the subcommand of that name.
pub fn stage(name: &str) -> std::process::ExitCode {
    let mut arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let place = arguments.len().min(1);
    arguments.insert(place, name.into());
    run(arguments)
}

fn run(arguments: Vec<std::ffi::OsString>) -> std::process::ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
        say(&format!("recap: a fault of our own at {}", place.unwrap_or_default()));
    }));
    // Without a handler SIGINT simply ends the process, which loses nothing but temporary files.
    let _ = ctrlc::set_handler(interrupt);
    let outcome = std::panic::catch_unwind(|| parse(&arguments));
    std::process::ExitCode::from(outcome.unwrap_or(exit::FAULT))
}

/// The first time asks the stage to leave in order, the second time ends the process.
#[expect(
    clippy::exit,
    reason = "a person who asks twice does not want to wait; artifacts appear whole or not at all"
)]
fn interrupt() {
    if INTERRUPTED.swap(true, Ordering::Relaxed) {
        std::process::exit(i32::from(exit::INTERRUPTED));
    }
}

fn parse(arguments: &[std::ffi::OsString]) -> u8 {
    if arguments.len() == 1 && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        let clock = SystemClock::default();
        return finish(world(&clock).and_then(|world| welcome(&world)).map(Output::Text));
    }
    match Cli::try_parse_from(arguments) {
        Ok(cli) => {
            let started = std::time::Instant::now();
            let status = finish(execute(&cli));
            if cli.verbose {
                say(&format!("recap: {} ms", started.elapsed().as_millis()));
            }
            status
        }
        Err(error) => {
            // clap repeats arguments; line by line they are made visible.
            let text: Vec<String> = error.render().to_string().lines().map(visible).collect();
            let text = text.join("\n") + "\n";
            if error.use_stderr() {
                say(text.trim_end());
                exit::USAGE
            } else {
                print(&text);
                exit::DONE
            }
        }
    }
}

fn finish(outcome: Result<Output>) -> u8 {
    match outcome {
        Ok(Output::Text(text)) => {
            print(&text);
            exit::DONE
        }
        Ok(Output::Judged(text, status)) => {
            print(&text);
            status
        }
        Ok(Output::Told(text, status)) => {
            say(&format!("recap: {text}"));
            status
        }
        Ok(Output::Receipt(receipt)) => tell(&receipt),
        Ok(Output::Verdict(verdict, explain)) => {
            let text = if explain { explained(&verdict) } else { String::new() };
            if !text.is_empty() {
                say(text.trim_end());
            }
            tell(&verdict.receipt)
        }
        Ok(Output::Nothing(text, refusal)) => {
            print(&text);
            refuse(&refusal)
        }
        Err(refusal) => refuse(&refusal),
    }
}

fn refuse(refusal: &Refusal) -> u8 {
    say(&format!("recap: {refusal}\n  {}", refusal.remedy()));
    exit::of(refusal)
}

fn tell(receipt: &Receipt) -> u8 {
    print(&format!("{}\n", receipt.to_line()));
    if receipt.is_valid() { exit::DONE } else { exit::BREAKS_CONTRACT }
}

fn execute(cli: &Cli) -> Result<Output> {
    let clock = SystemClock::default();
    let world = world(&clock)?;
    match &cli.command {
        Command::Explain(args) => {
            let code = Code::parse(&args.code).ok_or_else(|| Refusal::new(Code::CodeUnknown))?;
            Ok(Output::Text(explain(code)))
        }
        Command::Schema(args) => schema(args.name.as_deref()),
        Command::Scrub(args) => scrubbed(&world, args),
        Command::Check(args) => checked(&world, args),
        Command::Chain(args) => chained(&world, args),
        Command::Demo => crate::stage::demo::demo(&world).map(Output::Text),
        command => evidence(&world, command).unwrap_or_else(|| meaning(&world, command)),
    }
}

/// The evidence half; `None` for other commands.
fn evidence(world: &World<'_>, command: &Command) -> Option<Result<Output>> {
    let receipt = |outcome: Result<Receipt>| outcome.map(|receipt| Output::Receipt(Box::new(receipt)));
    let paths = Paths::new(world);
    Some(match command {
        Command::Sessions(args) => listing(world, args),
        Command::Collect(args) => receipt(collect_order(world, args).and_then(|order| {
            let collected = collect(world, &order)?;
            if std::io::stderr().is_terminal() {
                say_where(world, &order, &collected);
            }
            Ok(collected)
        })),
        Command::Packetize(args) => {
            receipt(paths.manifest(args.manifest.as_ref()).and_then(|manifest| packetize(world, &manifest)))
        }
        Command::Validate(args) => {
            receipt(paths.manifest(args.manifest.as_ref()).and_then(|manifest| validate(world, &manifest)))
        }
        Command::CollectSet(args) => receipt(collect_set(world, &set_order(args))),
        Command::ValidateSet(args) => receipt(validate_set(world, &args.set)),
        Command::Outline(args) => paths
            .manifest(args.manifest.as_ref())
            .and_then(|manifest| read::outline(world, &manifest, args.part))
            .map(Output::Text),
        Command::Event(args) => read::event(world, &args.manifest, &args.event, args.slice).map(Output::Text),
        Command::Packet(args) => {
            let format = match args.format {
                PacketFormat::Compact => Format::Compact,
                PacketFormat::Json => Format::Json,
            };
            read::packet(world, &args.manifest, &args.packet, args.part, format).map(Output::Text)
        }
        _ => return None,
    })
}

/// The meaning half.
fn meaning(world: &World<'_>, command: &Command) -> Result<Output> {
    let paths = Paths::new(world);
    let verdict = |verdict: Verdict, explain| Output::Verdict(Box::new(verdict), explain);
    let receipt = |receipt: Receipt| Output::Receipt(Box::new(receipt));
    match command {
        Command::AccountingDraft(args) => {
            let manifest = paths.manifest(args.manifest.as_ref())?;
            let output = paths.draft(args.output.as_ref())?;
            accounting_draft(world, &manifest, &output, args.extends.as_deref())
                .map(|found| verdict(found, args.explain))
        }
        Command::AccountingGaps(args) => {
            let manifest = paths.manifest(args.manifest.as_ref())?;
            let draft = paths.draft(args.draft.as_ref())?;
            Ok(match accounting_gaps(world, &manifest, &draft, args.extends.as_deref())? {
                Ok(ranges) => Output::Text(ranges),
                Err(refused) => verdict(refused, false),
            })
        }
        Command::SealAccounting(args) => {
            let manifest = paths.manifest(args.manifest.as_ref())?;
            let draft = paths.draft(args.draft.as_ref())?;
            let output = paths.accounting(args.output.as_ref())?;
            seal_accounting(world, &manifest, &draft, &output, args.extends.as_deref())
                .map(|found| verdict(found, args.explain))
        }
        Command::ValidateAccounting(args) => {
            let manifest = paths.manifest(args.manifest.as_ref())?;
            let accounting = paths.accounting(args.accounting.as_ref())?;
            validate_accounting(world, &manifest, &accounting).map(|found| verdict(found, args.explain))
        }
        Command::SynthesisDraft(args) => {
            let manifest = paths.manifest(args.manifest.as_ref())?;
            let accounting = paths.accounting(args.accounting.as_ref())?;
            let output = paths.synthesis(args.output.as_ref())?;
            synthesis_draft(world, &manifest, &accounting, &output, args.from.as_deref())
                .map(|found| verdict(found, args.explain))
        }
        Command::ValidateSynthesis(args) => {
            let manifest = paths.manifest(args.manifest.as_ref())?;
            let accounting = paths.accounting(args.accounting.as_ref())?;
            let synthesis = paths.synthesis(args.synthesis.as_ref())?;
            validate_synthesis(
                world,
                &manifest,
                &accounting,
                &synthesis,
                args.expanded.as_deref(),
                args.dry_run,
            )
            .map(|found| verdict(found, args.explain))
        }
        Command::Render(args) => rendered(world, args),
        Command::RenderSet(args) => {
            render_set(world, &args.set, &args.edges, &args.output).map(|found| verdict(found, args.explain))
        }
        Command::Attempts(args) => match &args.action {
            None => attempts(world, &paths.manifest(args.manifest.as_ref())?).map(receipt),
            Some(AttemptsAction::Reset(args)) => reset(world, &args.manifest, &args.confirm).map(receipt),
        },
        _ => Err(Refusal::new(Code::Usage)),
    }
}

fn rendered(world: &World<'_>, args: &RenderArgs) -> Result<Output> {
    let paths = Paths::new(world);
    let manifest = paths.manifest(args.manifest.as_ref())?;
    let accounting = paths.accounting(args.accounting.as_ref())?;
    let synthesis = paths.synthesis(args.synthesis.as_ref())?;
    let format = args.format.into();
    let output = paths.recap(args.output.as_ref(), format)?;
    render(world, &manifest, &accounting, &synthesis, &output, format)
        .map(|found| Output::Verdict(Box::new(found), args.explain))
}

fn schema(name: Option<&str>) -> Result<Output> {
    let Some(name) = name else {
        return Ok(Output::Text(schemas::ALL.iter().map(|schema| format!("{}\n", schema.name)).collect()));
    };
    let schema = schemas::find(name).ok_or_else(|| Refusal::new(Code::SchemaUnknown))?;
    Ok(Output::Text(schema.text.to_owned()))
}

/// Tells a person where a manifest went: receipts hold no path.
fn say_where(world: &World<'_>, order: &Collect, receipt: &Receipt) {
    let folder = receipt.get_boundary().and_then(|id| default_folder(world, id).ok());
    let default = folder.map(|folder| folder.join(MANIFEST_FILE));
    if let Some(path) = order.output.clone().or(default) {
        say(&format!("recap: the manifest is {}", visible(path.as_str())));
    }
}

fn collect_order(world: &World<'_>, args: &CollectArgs) -> Result<Collect> {
    let wanted = args.session.clone().map_or(Wanted::Current, Wanted::Named);
    Ok(Collect {
        session: locate(world, &wanted)?,
        output: args.output.clone(),
        repositories: args.repo.clone(),
        policy: args.policy.clone(),
        refresh_git: args.refresh_git,
        fresh: args.fresh,
    })
}

fn set_order(args: &CollectSetArgs) -> CollectSet {
    CollectSet {
        session: args.session.clone().map_or(Wanted::Current, Wanted::Named),
        follows: Follows { children: args.include_children, chain: args.chain },
        without: args.without.clone(),
        output: args.output.clone(),
        repositories: args.repo.clone(),
        policy: args.policy.clone(),
    }
}

fn world(clock: &SystemClock) -> Result<World<'_>> {
    let working_directory = std::env::current_dir().map_err(|_| Refusal::new(Code::ReadFailed).at("."))?;
    let working_directory =
        Utf8PathBuf::from_path_buf(working_directory).map_err(|_| Refusal::new(Code::PathNotUtf8))?;
    let environment = VARIABLES.iter().filter_map(variable).collect::<Result<BTreeMap<_, _>>>()?;
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    Ok(World { clock, environment, working_directory, interrupted: Arc::clone(&INTERRUPTED), terminal })
}

/// A variable that is set. One that is not UTF-8 names a place that would be missed in silence.
fn variable(name: &&str) -> Option<Result<(String, String)>> {
    match std::env::var(name) {
        Ok(value) => Some(Ok(((*name).to_owned(), value))),
        Err(std::env::VarError::NotPresent) => None,
        Err(std::env::VarError::NotUnicode(_)) => Some(Err(Refusal::new(Code::PathNotUtf8).at(name))),
    }
}

/// Standard output: the receipt or the data. A reader that went away ends us quietly.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Standard error: everything else. A message may repeat an argument, and that may hold a secret.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", hide(text));
}

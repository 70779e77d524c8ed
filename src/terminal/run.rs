//! One command from its arguments to its exit status.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use camino::Utf8PathBuf;
use clap::Parser as _;

use super::args::{Cli, CollectArgs, Command, PacketFormat};
use super::exit;
use crate::base::clock::SystemClock;
use crate::base::receipt::Receipt;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::packet::parts::Format;
use crate::stage::collect::{Collect, collect};
use crate::stage::packetize::packetize;
use crate::stage::validate::validate;
use crate::stage::{World, read};

/// Variables that are looked at.
const VARIABLES: [&str; 6] =
    ["HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CODEX_THREAD_ID", "CLAUDE_CODE_SESSION_ID", "NO_COLOR"];

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

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
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let outcome = std::panic::catch_unwind(|| parse(&arguments));
    std::process::ExitCode::from(outcome.unwrap_or(exit::FAULT))
}

fn parse(arguments: &[std::ffi::OsString]) -> u8 {
    match Cli::try_parse_from(arguments) {
        Ok(cli) => finish(execute(&cli)),
        Err(error) => {
            let text = error.render().to_string();
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

/// What a command leaves on standard output.
enum Output {
    Receipt(Box<Receipt>),
    Text(String),
}

fn finish(outcome: Result<Output>) -> u8 {
    match outcome {
        Ok(Output::Text(text)) => {
            print(&text);
            exit::DONE
        }
        Ok(Output::Receipt(receipt)) => {
            print(&format!("{}\n", receipt.to_line()));
            if receipt.is_valid() { exit::DONE } else { exit::BREAKS_CONTRACT }
        }
        Err(refusal) => {
            say(&format!("recap: {refusal}\n  {}", refusal.remedy()));
            exit::of(&refusal)
        }
    }
}

fn execute(cli: &Cli) -> Result<Output> {
    let clock = SystemClock::default();
    let world = world(&clock)?;
    let receipt = |receipt: Receipt| Output::Receipt(Box::new(receipt));
    match &cli.command {
        Command::Collect(args) => collect(&world, &collect_order(args)).map(receipt),
        Command::Packetize(args) => packetize(&world, &args.manifest).map(receipt),
        Command::Validate(args) => validate(&world, &args.manifest).map(receipt),
        Command::Outline(args) => read::outline(&world, &args.manifest, args.part).map(Output::Text),
        Command::Event(args) => read::event(&world, &args.manifest, &args.event, args.slice).map(Output::Text),
        Command::Packet(args) => {
            let format = match args.format {
                PacketFormat::Compact => Format::Compact,
                PacketFormat::Json => Format::Json,
            };
            read::packet(&world, &args.manifest, &args.packet, args.part, format).map(Output::Text)
        }
    }
}

fn collect_order(args: &CollectArgs) -> Collect {
    Collect {
        session: args.session.clone(),
        output: args.output.clone(),
        repositories: args.repo.clone(),
        refresh_git: args.refresh_git,
        fresh: args.fresh,
    }
}

fn world(clock: &SystemClock) -> Result<World<'_>> {
    let working_directory = std::env::current_dir().map_err(|_| Refusal::new(Code::ReadFailed).at("."))?;
    let working_directory =
        Utf8PathBuf::from_path_buf(working_directory).map_err(|_| Refusal::new(Code::PathNotUtf8))?;
    let environment: BTreeMap<String, String> = VARIABLES
        .iter()
        .filter_map(|name| std::env::var(name).ok().map(|value| ((*name).to_owned(), value)))
        .collect();
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    Ok(World { clock, environment, working_directory, interrupted: &INTERRUPTED, terminal })
}

/// Standard output: the receipt or the data. A reader that went away ends us quietly.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Standard error: everything else.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

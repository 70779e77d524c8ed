//! What checks files that are published or about to be: findings in the format that was asked for, and what they come
//! to. Whatever the format, nothing found and something checked is 0, everything else is not.

use std::io::Write;

use super::check_args::{ChainArgs, CheckArgs, CheckFormat, ScrubArgs};
use super::exit;
use super::output::Output;
use crate::base::Result;
use crate::report::findings::github::github;
use crate::report::findings::json::json;
use crate::report::findings::sarif::sarif;
use crate::report::findings::text::text;
use crate::stage::World;
use crate::stage::chain::chain;
use crate::stage::check::check;
use crate::stage::scrub::{scrub, scrub_files};

/// Published documents and their receipts.
///
/// # Errors
/// What [`check`] refuses.
pub(super) fn checked(world: &World<'_>, args: &CheckArgs) -> Result<Output> {
    let report = check(world, &args.files, &args.receipts, &mut std::io::stdin().lock())?;
    let shown = match args.format {
        CheckFormat::Text => text(&report),
        CheckFormat::Json => json(&report) + "\n",
        CheckFormat::Github => github(&report),
        CheckFormat::Sarif => sarif(&report),
    };
    Ok(Output::Judged(shown, status(report.is_green())))
}

/// Receipts alone.
///
/// # Errors
/// What [`chain`] refuses.
pub(super) fn chained(world: &World<'_>, args: &ChainArgs) -> Result<Output> {
    let chain = chain(world, &args.receipts, &mut std::io::stdin().lock())?;
    let shown = if args.json { chain.json() + "\n" } else { chain.text() };
    Ok(Output::Judged(shown, status(chain.is_whole())))
}

/// Standard input without its secrets; with `--check` nothing but whether there are any, there or in files.
///
/// # Errors
/// What [`scrub`] and [`scrub_files`] refuse.
pub(super) fn scrubbed(world: &World<'_>, args: &ScrubArgs) -> Result<Output> {
    let found = if args.files.is_empty() {
        let mut input = std::io::stdin().lock();
        let mut output: Box<dyn Write> =
            if args.check { Box::new(std::io::sink()) } else { Box::new(std::io::stdout().lock()) };
        scrub(world, args.policy.as_deref(), &mut input, &mut output)?
    } else {
        scrub_files(world, args.policy.as_deref(), &args.files)?
    };
    let fails = args.check && found.secrets > 0;
    Ok(Output::Told(found.told, status(!fails)))
}

const fn status(good: bool) -> u8 {
    if good { exit::DONE } else { exit::BREAKS_CONTRACT }
}

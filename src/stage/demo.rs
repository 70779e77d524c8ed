//! demo: the whole pipeline on a bundled session. It runs the same stages as the commands, in a folder of its own
//! that is gone afterwards, and gives what a terminal would have shown.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};

use super::collect::{Collect, collect};
use super::draft_accounting::accounting_draft;
use super::draft_synthesis::synthesis_draft;
use super::packetize::packetize;
use super::place;
use super::read::outline;
use super::render::render;
use super::seal_accounting::seal_accounting;
use super::validate::validate;
use super::validate_synthesis::validate_synthesis;
use super::verdict::Verdict;
use super::world::World;
use crate::base::digest::encode_hex;
use crate::base::private::{ArtifactPath, Folder};
use crate::base::receipt::Receipt;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::ledger::open::OpenLedger;
use crate::report::Format;

/// Name of the bundled session's file: the session id, as the harness names it.
const SESSION_FILE: &str = "0c1d2e3f-aaaa-4bbb-8ccc-000000000001.jsonl";
const SESSION: &str =
    include_str!("../../golden/cases/claude-fix/0c1d2e3f-aaaa-4bbb-8ccc-000000000001.jsonl");
const ACCOUNTING: &str = include_str!("../../golden/cases/claude-fix/accounting.draft.json");
const SYNTHESIS: &str = include_str!("../../golden/cases/claude-fix/synthesis.json");

/// Runs the demo and gives its whole output.
///
/// # Errors
/// Whatever a stage refuses; the folder is removed all the same.
pub fn demo(world: &World<'_>) -> Result<String> {
    let folder = temporary_folder(world)?;
    let told = run(world, &folder);
    let removed = fs_err::remove_dir_all(&folder);
    let told = told?;
    removed.map_err(|_| Refusal::new(Code::WriteFailed).at(folder))?;
    Ok(told)
}

fn temporary_folder(world: &World<'_>) -> Result<Utf8PathBuf> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|_| Refusal::new(Code::ReadFailed).at("system randomness"))?;
    let parent = Utf8PathBuf::from(world.variable("TMPDIR").unwrap_or("/tmp"));
    // Resolved once: on some systems the temporary folder is reached through a link.
    let parent = parent.canonicalize_utf8().unwrap_or(parent);
    let folder = parent.join(format!("recap-demo-{}", encode_hex(&random)));
    Folder::open_or_create(&folder)?;
    Ok(folder)
}

fn run(world: &World<'_>, folder: &Utf8Path) -> Result<String> {
    let path = |name: &str| folder.join(name);
    let (manifest, draft, accounting) =
        (path(place::MANIFEST_FILE), path("accounting.draft.json"), path("accounting.json"));
    let (synthesis, recap) = (path("synthesis.json"), path("recap.md"));
    let mut told = String::new();
    let session = path(SESSION_FILE);
    write(&session, &bundled_session(SESSION))?;

    let order = Collect {
        session,
        output: Some(manifest.clone()),
        repositories: Vec::new(),
        policy: None,
        refresh_git: false,
        fresh: false,
    };
    step(&mut told, "collect --session SESSION --output manifest.json", &collect(world, &order)?);
    step(&mut told, "packetize manifest.json", &packetize(world, &manifest)?);
    step(&mut told, "validate manifest.json", &validate(world, &manifest)?);
    say(&mut told, "outline manifest.json", &outline(world, &manifest, 1)?);
    let made = accounting_draft(world, &manifest, &draft, None)?;
    step(&mut told, "accounting-draft manifest.json --output accounting.draft.json", &made.receipt);

    say(&mut told, "", "(an author labels the claims; here a bundled draft takes the skeleton's place)\n");
    write(&draft, &filled(world, &manifest, None, ACCOUNTING)?)?;
    let sealed = seal_accounting(world, &manifest, &draft, &accounting, None)?;
    let command = "seal-accounting manifest.json accounting.draft.json --output accounting.json";
    step(&mut told, command, &valid(sealed)?);
    let made = synthesis_draft(world, &manifest, &accounting, &synthesis, None)?;
    let command = "synthesis-draft manifest.json accounting.json --output synthesis.json";
    step(&mut told, command, &valid(made)?);

    say(&mut told, "", "(an author writes the prose; here a bundled draft takes the skeleton's place)\n");
    write(&synthesis, &filled(world, &manifest, Some(&accounting), SYNTHESIS)?)?;
    let checked = validate_synthesis(world, &manifest, &accounting, &synthesis, None, false)?;
    step(&mut told, "validate-synthesis manifest.json accounting.json synthesis.json", &valid(checked)?);
    let rendered = render(world, &manifest, &accounting, &synthesis, &recap, Format::Markdown)?;
    let command = "render manifest.json accounting.json synthesis.json --output recap.md";
    step(&mut told, command, &valid(rendered)?);
    let bytes = ArtifactPath::parse(&recap)?.open()?.read_all(1024 * 1024)?;
    say(&mut told, "", &String::from_utf8_lossy(&bytes));
    Ok(told)
}

/// The bundled session with its password, which stands nowhere as a whole so that no scanner mistakes it.
pub fn bundled_session(session: &str) -> String {
    session.replace("@PASSWORD@", &["winter", "9", "garden"].join("-"))
}

/// A bundled draft with what only a run knows: digests and keyed event ids, for `@manifest@`, `@accounting@` and
/// `@e12@`.
///
/// # Errors
/// What reading the ledger refuses.
pub fn filled(
    world: &World<'_>,
    manifest: &Utf8Path,
    accounting: Option<&Utf8Path>,
    draft: &str,
) -> Result<String> {
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    let mut text = draft.replace("@manifest@", &ledger.sha256().to_string());
    if let Some(accounting) = accounting {
        let bytes = place::input(world, accounting)?.open()?.read_all(64 * 1024 * 1024)?;
        text = text.replace("@accounting@", &crate::base::digest::Digest::of(&bytes).to_string());
    }
    for row in ledger.table()?.rows() {
        text = text.replace(&format!("@e{}@", row.event.ordinal()), &row.event.to_string());
    }
    Ok(text)
}

fn write(path: &Utf8Path, text: &str) -> Result<()> {
    ArtifactPath::for_output(path)?.write(text.as_bytes())
}

/// A bundled draft that is refused would be a fault of ours.
fn valid(verdict: Verdict) -> Result<Receipt> {
    let first = verdict.violations.counts().keys().next().copied();
    first.map_or(Ok(verdict.receipt), |code| Err(Refusal::new(code).at("the bundled draft")))
}

fn step(told: &mut String, command: &str, receipt: &Receipt) {
    say(told, command, &format!("{}\n", receipt.to_line()));
}

fn say(told: &mut String, command: &str, text: &str) {
    if !command.is_empty() {
        // Writing into memory cannot fail.
        let _ = writeln!(told, "$ recap {command}");
    }
    told.push_str(text);
    told.push('\n');
}

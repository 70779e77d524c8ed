//! How long the probes of one repository take beside one plain `git status` in it, which a person would run anyway.
//!
//! `cargo bench --bench probes [-- FILES]`, 50,000 by default. The repository is made up: once as it was committed,
//! once with changed and new files. Both are run in turn, so that what else the machine does meets both; the medians
//! count, and so does the median of the ratios of each turn.

use std::fmt::Display;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::rules::Code;
use recap::evidence::git::{Git, probe};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const FILES: usize = 50_000;
/// Files of one folder.
const FOLDER: usize = 100;
/// Turns of which the median counts, and those before, which warm up.
const TURNS: usize = 25;
const WARM: usize = 3;
/// Of so many files one is changed, and one new file is beside it.
const CHANGED: usize = 250;

fn main() -> Outcome<()> {
    let files = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(FILES);
    let keep = tempfile::Builder::new().prefix("recap-bench-").tempdir()?;
    let folder = Utf8PathBuf::try_from(keep.path().canonicalize()?)?;
    let git = Git::find().map_err(refused)?;
    make(&folder, &git, files)?;
    measure(&format!("{files} files, as committed"), &folder, &git)?;
    for number in (0..files).step_by(CHANGED) {
        std::fs::write(path_of(&folder, number), "changed\n")?;
        std::fs::write(path_of(&folder, number).with_extension("new"), "new\n")?;
    }
    measure(&format!("{files} files, {} changed and as many new", files.div_ceil(CHANGED)), &folder, &git)
}

fn refused(code: Code) -> String {
    format!("refused: {}", code.as_str())
}

fn path_of(folder: &Utf8Path, number: usize) -> Utf8PathBuf {
    let module = number / FOLDER;
    folder.join(format!("src/part{:02}/module{module:04}/file_{:03}.rs", module % 25, number % FOLDER))
}

fn make(folder: &Utf8Path, git: &Git, files: usize) -> Outcome<()> {
    plain(folder, git, &["init", "--quiet", "-b", "main"])?;
    for number in 0..files {
        let path = path_of(folder, number);
        if number.is_multiple_of(FOLDER) {
            std::fs::create_dir_all(path.parent().ok_or("a file without a folder")?)?;
        }
        std::fs::write(path, format!("// file {number}\n"))?;
    }
    plain(folder, git, &["add", "."])?;
    plain(folder, git, &["commit", "--quiet", "-m", "first"])
}

/// Git with the settings of nobody, so that figures of different machines can be compared.
fn plain(folder: &Utf8Path, git: &Git, arguments: &[&str]) -> Outcome<()> {
    let mut command = Command::new(git.path());
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").current_dir(folder);
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(arguments);
    let status = command.stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {arguments:?} failed").into()) }
}

fn measure(what: &str, folder: &Utf8Path, git: &Git) -> Outcome<()> {
    let (mut probes, mut statuses, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 0..WARM + TURNS {
        let ours = timed(|| {
            let snapshot = probe(folder, 1, jiff::Timestamp::UNIX_EPOCH, git).map_err(refused)?;
            let told = snapshot.status.is_some_and(|status| status.complete);
            if told { Ok(()) } else { Err(format!("no whole status: {:?}", snapshot.limitations).into()) }
        })?;
        let plain = timed(|| plain(folder, git, &["status"]))?;
        if turn >= WARM {
            ratios.push(ours.as_secs_f64() / plain.as_secs_f64());
            probes.push(ours);
            statuses.push(plain);
        }
    }
    let (probes, statuses) = (median(&mut probes)?, median(&mut statuses)?);
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios.get(ratios.len() / 2).ok_or("no turns")?;
    say(&format!(
        "{what}: probes {} ms, git status {} ms, ratio of medians {:.2}, median of ratios {ratio:.2}",
        probes.as_millis(),
        statuses.as_millis(),
        probes.as_secs_f64() / statuses.as_secs_f64(),
    ));
    Ok(())
}

fn timed(what: impl FnOnce() -> Outcome<()>) -> Outcome<Duration> {
    let started = Instant::now();
    what()?;
    Ok(started.elapsed())
}

fn median(durations: &mut [Duration]) -> Outcome<Duration> {
    durations.sort();
    durations.get(durations.len() / 2).copied().ok_or_else(|| "no turns".into())
}

#[expect(clippy::print_stdout, reason = "figures are what a benchmark is for")]
fn say(line: &dyn Display) {
    println!("{line}");
}

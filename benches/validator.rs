//! The validator on the largest draft: a made-up session of 1,000,000 events, an accounting of 10,000 claims that owns
//! them all, and a synthesis that tells them. Wall time and peak memory of each stage of the built program; what is
//! asked is seconds, and less than 256 MiB.
//!
//! `cargo bench --bench validator [-- EVENTS [CLAIMS]]`. `--keep` leaves the folder and prints its name, and
//! `--in FOLDER` goes on in one that was left.

use std::fmt::Write as _;
use std::fs::{File, Permissions};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::digest::Digest;
use recap::base::private::ArtifactPath;
use recap::evidence::ledger::open::OpenLedger;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const SESSION: &str = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b";
const FILE: &str = "/home/dev/project/src/lib.rs";
/// Kinds of the claims, in turn; the run of every sixth claim fails.
const KINDS: [&str; 8] =
    ["goal", "decision", "action", "change", "verification", "failure", "recovery", "open_work"];
const FAILING: usize = 5;
/// Parts of the story, and entries of the timeline.
const PARTS: usize = 5;
const ENTRIES: usize = 20;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = arguments.iter().filter_map(|argument| argument.parse::<usize>().ok());
    let size = Size { events: numbers.next().unwrap_or(1_000_000), claims: numbers.next().unwrap_or(10_000) };
    let mut keep = tempfile::Builder::new().prefix("recap-bench-").tempdir()?;
    std::fs::set_permissions(keep.path(), Permissions::from_mode(0o700))?;
    let mut folder = Utf8PathBuf::try_from(keep.path().canonicalize()?)?;
    if let Some(at) = arguments.iter().position(|argument| argument == "--in") {
        folder = Utf8PathBuf::from(arguments.get(at + 1).ok_or("--in needs a folder")?);
    } else {
        collect(&folder, size)?;
    }
    if arguments.iter().any(|argument| argument == "--keep") {
        keep.disable_cleanup(true);
        say(&format!("folder {folder}"));
    }
    judge(&folder, size)
}

#[derive(Clone, Copy)]
struct Size {
    events: usize,
    claims: usize,
}

impl Size {
    /// First and last ordinal of a claim.
    const fn run(self, claim: usize) -> [usize; 2] {
        [claim * self.events / self.claims, (claim + 1) * self.events / self.claims - 1]
    }

    fn kind(self, claim: usize) -> &'static str {
        if claim + 1 == self.claims {
            "final_state"
        } else {
            KINDS.iter().cycle().nth(claim % KINDS.len()).unwrap_or(&"goal")
        }
    }

    /// Ids of the claims of which it holds, quoted and joined.
    fn claims_that(self, holds: impl Fn(usize) -> bool) -> String {
        let ids = (0..self.claims).filter(|claim| holds(*claim)).map(|claim| format!("\"claim-{claim}\""));
        ids.collect::<Vec<_>>().join(",")
    }
}

fn collect(folder: &Utf8Path, size: Size) -> Outcome<()> {
    let session = folder.join(format!("{SESSION}.jsonl"));
    let file = File::create_new(&session)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    for claim in 0..size.claims {
        let [first, last] = size.run(claim);
        for ordinal in first..=last {
            row(&mut out, ordinal, ordinal - first, last - ordinal, claim % KINDS.len() == FAILING)?;
        }
    }
    out.flush()?;
    let manifest = folder.join("recap/manifest.json");
    run(&["collect", "--session", session.as_str(), "--output", manifest.as_str()])
}

/// One event of a claim: a prompt, an edit, a run, and behind them an assistant that reads, and says something at the end.
fn row(out: &mut impl std::io::Write, ordinal: usize, place: usize, left: usize, fails: bool) -> Outcome<()> {
    let time = format!(
        "2025-{:02}-{:02}T{:02}:{:02}:{:02}.000Z",
        ordinal / 2_419_200 % 12 + 1,
        ordinal / 86_400 % 28 + 1,
        ordinal / 3_600 % 24,
        ordinal / 60 % 60,
        ordinal % 60
    );
    let call = |name: &str, input: &str| {
        format!("[{{\"type\":\"tool_use\",\"id\":\"t{ordinal}\",\"name\":\"{name}\",\"input\":{input}}}]")
    };
    let result = |text: &str, error: bool| {
        let call = ordinal.saturating_sub(1);
        format!(
            "[{{\"type\":\"tool_result\",\"tool_use_id\":\"t{call}\",\"content\":\"{text}\",\"is_error\":{error}}}]"
        )
    };
    let (role, content) = match place {
        0 => ("user", "\"Go on with the next part.\"".to_owned()),
        1 => (
            "assistant",
            call("Edit", &format!("{{\"file_path\":\"{FILE}\",\"old_string\":\"a\",\"new_string\":\"b\"}}")),
        ),
        2 => ("user", result("The file has been updated.", false)),
        3 => ("assistant", call("Bash", "{\"command\":\"cargo test\"}")),
        4 if fails => ("user", result("Exit code 101\\ntest result: FAILED. 8 passed; 1 failed", true)),
        4 => ("user", result("test result: ok. 9 passed; 0 failed", false)),
        _ if left == 0 => ("assistant", "[{\"type\":\"text\",\"text\":\"That part is done.\"}]".to_owned()),
        _ if place % 2 == 1 => ("assistant", call("Read", &format!("{{\"file_path\":\"{FILE}\"}}"))),
        _ => ("user", result("pub fn one() -> u8 { 1 }", false)),
    };
    writeln!(
        out,
        "{{\"type\":\"{role}\",\"uuid\":\"u{ordinal}\",\"sessionId\":\"{SESSION}\",\"timestamp\":\"{time}\",\
         \"message\":{{\"role\":\"{role}\",\"id\":\"m{ordinal}\",\"content\":{content}}}}}"
    )?;
    Ok(())
}

fn judge(folder: &Utf8Path, size: Size) -> Outcome<()> {
    let at = |name: &str| folder.join("recap").join(name).to_string();
    let [manifest, draft, accounting, synthesis] =
        ["manifest.json", "accounting.draft.json", "accounting.json", "synthesis.json"].map(at);
    let (manifest, draft) = (manifest.as_str(), draft.as_str());
    private(draft, &accounting_draft(size))?;
    run(&["seal-accounting", manifest, draft, "--output", &accounting])?;
    run(&["validate-accounting", manifest, &accounting])?;
    private(&synthesis, &synthesis_draft(Utf8Path::new(manifest), Utf8Path::new(&accounting), size)?)?;
    run(&["validate-synthesis", manifest, &accounting, &synthesis])?;
    run(&["render", manifest, &accounting, &synthesis, "--output", &at("recap.md")])?;
    let broken = at("broken.json");
    private(&broken, &accounting_draft(size).replace("\"ranges\":[[", "\"ranges\":[[1"))?;
    refused(&["seal-accounting", manifest, &broken, "--output", &at("never.json")])
}

fn accounting_draft(size: Size) -> String {
    let mut text =
        String::from("{\"schema_version\":\"recap.accounting.v1\",\"low_signal_groups\":[],\"claims\":[");
    for claim in 0..size.claims {
        let ([first, last], kind) = (size.run(claim), size.kind(claim));
        let comma = if claim == 0 { "" } else { "," };
        let label = format!("Part {claim} of the work");
        // Writing into memory cannot fail.
        let _ = write!(
            text,
            "{comma}{{\"claim_id\":\"claim-{claim}\",\"kind\":\"{kind}\",\"label\":\"{label}\",\"ranges\":[[{first},{last}]]}}"
        );
    }
    text.push_str("]}");
    text
}

/// Few items, each of which tells as many claims as there are: what a recap of 2,500 words can still hold.
fn synthesis_draft(manifest: &Utf8Path, accounting: &Utf8Path, size: Size) -> Outcome<String> {
    let ledger = OpenLedger::open(&ArtifactPath::parse(manifest)?, &Arc::default())?;
    let table = ledger.table()?;
    let [last_claim, end] = size.run(size.claims - 1);
    let id =
        |ordinal: usize| table.row(ordinal as u64).map(|row| row.event.to_string()).ok_or("no such event");
    let item = |name: &str, claims: &str, more: &str| {
        format!(
            "{{\"id\":\"{name}\",\"title\":\"{name}\",\"summary\":\"What was done.\",\"source_label\":\"session_observed\",\
             \"accounting_claim_ids\":[{claims}]{more}}}"
        )
    };
    let of = |kinds: &[&str]| size.claims_that(|claim| kinds.contains(&size.kind(claim)));
    let story: Vec<String> = (0..PARTS)
        .map(|part| {
            let claims = size.claims_that(|claim| claim % PARTS == part);
            item(&format!("story-{part}"), &claims, ",\"narrative_role\":\"approach\"")
        })
        .collect();
    let timeline: Vec<String> = (0..ENTRIES)
        .map(|entry| {
            let (first, last) = (entry * size.events / ENTRIES, (entry + 1) * size.events / ENTRIES - 1);
            format!(
                "{{\"id\":\"time-{entry}\",\"title\":\"Time {entry}\",\"summary\":\"What was done.\",\
                 \"source_label\":\"session_observed\",\"first_ordinal\":{first},\"last_ordinal\":{last}}}"
            )
        })
        .collect();
    let run = format!(
        ",\"outcome\":\"retried\",\"command_event_id\":\"{}\",\"result_event_id\":\"{}\",\"further_runs\":[]",
        id(last_claim + 3)?,
        id(last_claim + 4)?
    );
    let checks = format!("{},\"claim-{}\"", of(&["verification"]), size.claims - 1);
    debug_assert!(end + 1 == size.events);
    Ok(format!(
        "{{\"schema_version\":\"recap.synthesis-draft.v1\",\"manifest_sha256\":\"{}\",\"accounting_sha256\":\"{}\",\
         \"headline\":{{\"id\":\"headline\",\"summary\":\"Much was done.\",\"source_label\":\"session_observed\",\
         \"accounting_claim_ids\":[\"claim-3\"]}},\"story\":[{}],\"timeline\":[{}],\"changes\":[{}],\
         \"verification\":[{}],\"failures_recoveries\":[{}],\"final_state\":[{}],\"open_work\":[{}],\
         \"coverage\":{{\"low_signal_group_ids\":[]}}}}",
        ledger.sha256(),
        Digest::of(&std::fs::read(accounting)?),
        story.join(","),
        timeline.join(","),
        item("changes", &of(&["change"]), &format!(",\"paths\":[\"{FILE}\"],\"commits\":[]")),
        item("checks", &checks, &run),
        item("troubles", &of(&["failure", "recovery"]), ""),
        item("end", &of(&["final_state"]), ""),
        item("left", &of(&["open_work"]), ""),
    ))
}

fn private(path: &str, text: &str) -> Outcome<()> {
    std::fs::write(path, text)?;
    Ok(std::fs::set_permissions(path, Permissions::from_mode(0o600))?)
}

fn run(arguments: &[&str]) -> Outcome<()> {
    let (status, stdout, stderr) = measured(arguments)?;
    if status == 0 {
        Ok(())
    } else {
        Err(format!("{}: {status}\n{stdout}\n{stderr}", arguments.join(" ")).into())
    }
}

fn refused(arguments: &[&str]) -> Outcome<()> {
    let (status, stdout, stderr) = measured(arguments)?;
    if status == 1 {
        Ok(())
    } else {
        Err(format!("{}: {status}\n{stdout}\n{stderr}", arguments.join(" ")).into())
    }
}

/// Runs the built program and prints its time, and the largest memory that was seen before it ended.
fn measured(arguments: &[&str]) -> Outcome<(i32, String, String)> {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_recap"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0_u64;
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak.max(line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    let taken = started.elapsed().as_secs_f64();
    let output = child.wait_with_output()?;
    let status = output.status.code().unwrap_or(-1);
    let verb = arguments.first().copied().unwrap_or_default();
    let ended = if status == 0 { "" } else { ", refused" };
    say(&format!("{verb:<20} {taken:>7.2} s {:>6} MiB peak{ended}", peak / 1024));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((status, text(&output.stdout), text(&output.stderr)))
}

#[expect(clippy::print_stdout, reason = "figures are what a benchmark is for")]
fn say(line: &str) {
    println!("{line}");
}

//! Speed and memory of the evidence half on a made-up session, beside the SHA-256 of the same bytes in the same run,
//! so that figures of different machines can be compared.
//!
//! `cargo bench --bench pipeline [-- MEGABYTES]` (or `RECAP_BENCH_MB`), 200 by default. Collecting and validating run
//! once more as processes of their own, whose peak memory is printed. `--keep` leaves the folder and prints its name.

mod session;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::clock::SystemClock;
use recap::base::digest::Hasher;
use recap::base::private::ArtifactPath;
use recap::evidence::command::Observer;
use recap::evidence::event::Event;
use recap::evidence::ledger::open::OpenLedger;
use recap::evidence::packet::packets_file;
use recap::evidence::packet::parts::Format;
use recap::stage::collect::{Collect, collect};
use recap::stage::packetize::packetize;
use recap::stage::validate::validate;
use recap::stage::{World, read};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The part of the larger ledger that the smaller one has, to show what does not depend on size.
const SMALLER: u64 = 8;
/// Bytes that a session grows by.
const GROWTH: u64 = 1_000_000;
/// Growths; the median counts.
const GROWTHS: u64 = 5;
/// Collections beside which the analysis is measured; the median counts.
const ANALYSES: u64 = 3;
/// Reads of one packet part or event; the median counts.
const READS: u64 = 31;

static NEVER: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [verb, folder] = arguments.as_slice()
        && let Some(stage) = verb.strip_prefix("--child=")
    {
        return child(stage, Utf8Path::new(folder));
    }
    let megabytes = arguments.iter().find_map(|argument| argument.parse().ok());
    let fallback = || std::env::var("RECAP_BENCH_MB").ok().and_then(|value| value.parse().ok());
    let bytes = megabytes.or_else(fallback).unwrap_or(200_u64) * 1_000_000;
    let mut keep = tempfile::Builder::new().prefix("recap-bench-").tempdir()?;
    std::fs::set_permissions(keep.path(), std::fs::Permissions::from_mode(0o700))?;
    let folder = Utf8PathBuf::try_from(keep.path().canonicalize()?)?;
    if arguments.iter().any(|argument| argument == "--keep") {
        keep.disable_cleanup(true);
        say(&format!("folder {folder}"));
    }
    let (large, small) =
        (Place::make(&folder.join("large"), bytes)?, Place::make(&folder.join("small"), bytes / SMALLER)?);
    speed(&large)?;
    analysis(&large)?;
    memory(&large)?;
    run("collect", &small)?;
    run("packetize", &small)?;
    reading(&[&large, &small])?;
    growing(&large, &Place::make(&folder.join("added"), GROWTH)?)
}

/// A transcript and the manifest that is made of it.
struct Place {
    transcript: Utf8PathBuf,
    manifest: Utf8PathBuf,
    bytes: u64,
}

impl Place {
    fn at(folder: &Utf8Path) -> Self {
        let bytes = folder.join("session.jsonl").metadata().map_or(0, |metadata| metadata.len());
        Self { transcript: folder.join("session.jsonl"), manifest: folder.join("recap/manifest.json"), bytes }
    }

    fn make(folder: &Utf8Path, bytes: u64) -> Outcome<Self> {
        std::fs::create_dir(folder)?;
        let file = File::create_new(folder.join("session.jsonl"))?;
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        session::write(&mut BufWriter::with_capacity(1 << 20, file), bytes)?;
        Ok(Self::at(folder))
    }

    fn open(&self) -> Outcome<OpenLedger> {
        Ok(OpenLedger::open(&ArtifactPath::parse(&self.manifest)?, &NEVER)?)
    }
}

/// Runs one stage on a place.
fn run(stage: &str, place: &Place) -> Outcome<()> {
    let clock = SystemClock::default();
    let world = world(&clock)?;
    match stage {
        "collect" | "collect-again" => {
            let order = Collect {
                session: place.transcript.clone(),
                output: Some(place.manifest.clone()),
                repositories: Vec::new(),
                policy: None,
                refresh_git: false,
                fresh: stage == "collect",
            };
            collect(&world, &order)?;
        }
        "packetize" => drop(packetize(&world, &place.manifest)?),
        "validate" => drop(validate(&world, &place.manifest)?),
        "table" => drop(place.open()?.table()?),
        "sha256" => sha256(&place.transcript)?,
        "blake3" => blake3_pass(&place.transcript)?,
        other => return Err(format!("no stage {other}").into()),
    }
    Ok(())
}

fn world(clock: &SystemClock) -> Outcome<World<'_>> {
    Ok(World {
        clock,
        environment: BTreeMap::new(),
        working_directory: Utf8PathBuf::try_from(std::env::current_dir()?)?,
        interrupted: Arc::clone(&NEVER),
        terminal: false,
    })
}

/// The measure of all others: one thread, the same crate.
fn sha256(path: &Utf8Path) -> Outcome<()> {
    let mut file = File::open(path)?;
    let mut hasher = Hasher::default();
    let mut chunk = vec![0; 1 << 20];
    loop {
        let got = file.read(&mut chunk)?;
        if got == 0 {
            break;
        }
        hasher.update(chunk.get(..got).unwrap_or_default());
    }
    std::hint::black_box(hasher.finish());
    Ok(())
}

/// The measure of growing: what was read before has to be hashed once, here in one thread.
fn blake3_pass(path: &Utf8Path) -> Outcome<()> {
    std::hint::black_box(blake3::Hasher::new().update_reader(File::open(path)?)?.finalize());
    Ok(())
}

/// Appends a little several times and collects again, beside one pass over the old bytes and the cost of the new ones
/// alone. Flushing is left out of neither.
fn growing(large: &Place, added: &Place) -> Outcome<()> {
    let cold = median((0..GROWTHS).map(|_| timed(|| run("collect", added))))?;
    let pass = median((0..GROWTHS).map(|_| timed(|| run("blake3", large))))?;
    let tail = std::fs::read(&added.transcript)?;
    let mut busy = Duration::ZERO;
    let again = median((0..GROWTHS).map(|_| {
        std::io::Write::write_all(&mut File::options().append(true).open(&large.transcript)?, &tail)?;
        let before = processor_time()?;
        let taken = timed(|| run("collect-again", large));
        busy += processor_time()?.saturating_sub(before);
        taken
    }))?;
    let bound = 1.5 * pass + 2.0 * cold;
    say(&format!(
        "{:.0} MB and {:.0} MB more: collected again in {again:.0} ms ({:.0} ms of processor time); blake3 pass {pass:.0} ms, \
         {:.0} MB cold {cold:.0} ms; {:.2} of 1.5 x pass + 2 x cold",
        large.bytes as f64 / 1e6,
        GROWTH as f64 / 1e6,
        busy.as_secs_f64() * 1e3 / GROWTHS as f64,
        GROWTH as f64 / 1e6,
        again / bound,
    ));
    Ok(())
}

fn speed(place: &Place) -> Outcome<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    say(&format!("{:.1} MB, {threads} cores", place.bytes as f64 / 1e6));
    // The first reading also brings the file into the system's memory, and the second is the measure.
    run("sha256", place)?;
    let mut measure: Option<Duration> = None;
    for stage in ["sha256", "collect", "packetize", "validate", "table"] {
        let before = processor_time()?;
        let taken = timed(|| run(stage, place))?;
        let busy = processor_time()?.saturating_sub(before).as_secs_f64();
        let ratio = taken.as_secs_f64() / measure.get_or_insert(taken).as_secs_f64();
        let (seconds, rate) = (taken.as_secs_f64(), place.bytes as f64 / 1e6 / taken.as_secs_f64());
        say(&format!(
            "{stage:<10} {seconds:>7.2} s {rate:>8.1} MB/s {ratio:>6.2} x sha256, {busy:>6.2} s of processor time"
        ));
    }
    Ok(())
}

/// What the observations of commands and edits cost, beside all that a collection costs without them: the events of the
/// ledger are read with and without being observed.
fn analysis(place: &Place) -> Outcome<()> {
    let (mut whole, mut plain, mut observed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ANALYSES {
        whole.push(busy(|| run("collect", place))?);
        let ledger = place.open()?;
        plain.push(busy(|| Ok(ledger.each_event(|event, _| drop_event(&event))?))?);
        observed.push(busy(|| {
            let mut observer = Observer::new();
            ledger.each_event(|event, _| {
                observer.observe(&event);
                drop_event(&event)
            })?;
            let mut rows = 0_u64;
            observer.finish(&mut |row| {
                std::hint::black_box(row);
                rows += 1;
                Ok(())
            })?;
            Ok(())
        })?);
    }
    let middle = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    let (whole, own) = (middle(whole), middle(observed) - middle(plain));
    say(&format!(
        "analysis of commands and edits {own:.2} s of processor time, {:.1} % of the rest of collecting ({whole:.2} s)",
        own / (whole - own) * 100.0
    ));
    Ok(())
}

fn drop_event(event: &Event) -> recap::base::Result<()> {
    std::hint::black_box(event.ordinal);
    Ok(())
}

/// Processor time in seconds.
fn busy(work: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let before = processor_time()?;
    work()?;
    Ok(processor_time()?.saturating_sub(before).as_secs_f64())
}

/// Collects and validates in processes of their own and prints their peak.
fn memory(place: &Place) -> Outcome<()> {
    let folder = place.transcript.parent().ok_or("no folder")?;
    for stage in ["collect", "validate"] {
        let output = std::process::Command::new(std::env::current_exe()?)
            .args([&format!("--child={stage}"), folder.as_str()])
            .output()?;
        if !output.status.success() {
            return Err(format!("{stage}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        say(&format!("{stage:<10} {:>7} peak", String::from_utf8(output.stdout)?.trim_end()));
    }
    Ok(())
}

fn child(stage: &str, folder: &Utf8Path) -> Outcome<()> {
    run(stage, &Place::at(folder))?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kibibytes: u64 = peak.trim().trim_end_matches(" kB").parse()?;
    say(&format!("{} MiB", kibibytes / 1024));
    Ok(())
}

/// One packet part and one event, opened anew each time as the commands do.
fn reading(places: &[&Place]) -> Outcome<()> {
    for place in places {
        let (packets, events) = {
            let ledger = place.open()?;
            let packets = packets_file::open(&ledger)?;
            let count = packets.stream("packets")?.rows;
            let mut ids = Vec::new();
            for number in (0..READS).map(|step| step * count / READS) {
                let row = packets_file::indexed(&ledger, &packets, "packets-index", "packets", number)?;
                let row: recap::evidence::packet::cut::PacketRow =
                    serde_json::from_slice(row.trim_ascii_end())?;
                ids.push((row.packet_id, row.first_ordinal));
            }
            let reader = recap::evidence::ledger::read::EventReader::open(&ledger)?;
            let first = |ordinal| {
                reader.range(ordinal, ordinal).map(|events| events.first().map(|event| event.event_id))
            };
            let events: Vec<_> = ids.iter().map(|(_, ordinal)| first(*ordinal)).collect::<Result<_, _>>()?;
            (ids, events)
        };
        let clock = SystemClock::default();
        let world = world(&clock)?;
        let packet = median(packets.iter().map(|(id, _)| {
            timed(|| Ok(read::packet(&world, &place.manifest, id, 1, Format::Compact).map(drop)?))
        }))?;
        let event =
            median(events.iter().flatten().map(|id| {
                timed(|| Ok(read::event(&world, &place.manifest, &id.to_string(), None).map(drop)?))
            }))?;
        let size = place.open()?.manifest().ledger.state.size;
        say(&format!(
            "{size:>8} events: packet part {packet:.2} ms, event {event:.2} ms (median of {READS})"
        ));
    }
    Ok(())
}

fn median(times: impl Iterator<Item = Outcome<Duration>>) -> Outcome<f64> {
    let mut times: Vec<Duration> = times.collect::<Outcome<_>>()?;
    times.sort_unstable();
    Ok(times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64) * 1e3)
}

fn timed(work: impl FnOnce() -> Outcome<()>) -> Outcome<Duration> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

/// Processor time of all threads so far: on a machine that has other work to do it says more than the clock.
fn processor_time() -> Outcome<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit_once(") ").ok_or("no fields")?.1;
    // User and system time, in hundredths of a second.
    let ticks: u64 = fields.split(' ').skip(11).take(2).map_while(|field| field.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 10))
}

#[expect(clippy::print_stdout, reason = "figures are what a benchmark is for")]
fn say(line: &str) {
    println!("{line}");
}

//! The ledger of a cut transcript is the beginning of the ledger of the whole one: for every cut point, what the
//! shorter file gives is a prefix of what the longer one gives. Excepted are cut points inside an inherited
//! prefix, and heads too short to be recognised.

use std::fs::{self, File};
use std::sync::atomic::AtomicBool;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::credential::Spotter;
use recap::base::ids::BoundaryId;
use recap::evidence::event::keys::Secret;
use recap::evidence::event::prepared::Prepared;
use recap::evidence::event::record_line::RecordLine;
use recap::evidence::event::sequence::{Sequencer, SoFar};
use recap::evidence::ledger::build::reread;
use recap::evidence::ledger::gather::{Setup, Stretch, gather};
use recap::evidence::scrub::Numbering;
use recap::evidence::transcript::detect::{identify, inherited_prefix, reader_of};
use recap::evidence::transcript::input::Input;

use super::program::Room;
use super::samples::{BUNDLED, bundled, corpus, transcripts};

/// Files of which every byte is a cut point.
const CUT_EVERYWHERE_BYTES: u64 = 3_000;
/// Cut points of larger files, besides those around every line feed.
const CUTS: u64 = 60;

/// Both ledgers of one state of a file, as the lines that would be written.
struct Lines {
    boundary: BoundaryId,
    /// Where inherited history ends.
    inherited_end: u64,
    events: Vec<Vec<u8>>,
    records: Vec<Vec<u8>>,
}

/// None if the head is not recognised.
fn lines(path: &Utf8Path) -> Option<Lines> {
    let source = Input::open(path).unwrap();
    let identity = identify(&source).ok()?;
    let size = source.size_bytes_at_open();
    let inherited = inherited_prefix(&source, size, &identity).unwrap().range;
    let secret = Secret::from_bytes(&[7; 32]).unwrap();
    let keys = secret.event_keys(identity.boundary());
    let mut sequencer = Sequencer::new(
        keys,
        Numbering::new(secret.numbering_key()),
        inherited.clone(),
        identity.child,
        reread(&source),
        Spotter::global(),
        SoFar::default(),
    );
    let (mut events, mut records) = (Vec::new(), Vec::new());
    let setup = Setup {
        reader: reader_of(identity.harness),
        session: &identity.session,
        fingerprint_key: &secret.fingerprint_key(),
        document: identity.is_document(),
        spotter: Spotter::global(),
        interrupted: &AtomicBool::new(false),
    };
    let line = |record: RecordLine| {
        let mut line = Vec::new();
        record.write_line(&mut line).unwrap();
        line
    };
    let take = |piece| {
        match piece {
            Prepared::Edge(_) | Prepared::Partial(_) => {}
            Prepared::Malformed { span, too_long } => records.push(line(sequencer.malformed(span, too_long))),
            Prepared::Record { span, flags, reading, keys } => {
                let (record, told) = sequencer.record(span, &flags, *reading, &keys)?;
                records.push(line(record));
                for event in told {
                    let mut line = Vec::new();
                    event.write_line(&mut line).unwrap();
                    events.push(line);
                }
            }
        }
        Ok(())
    };
    gather(source.reader(0).unwrap(), Stretch::whole(size, None), setup, take).unwrap();
    Some(Lines { boundary: identity.boundary(), inherited_end: inherited.end, events, records })
}

/// Where to cut: everywhere, or around every line feed and at points that are spread over the file.
fn cuts(bytes: &[u8]) -> Vec<u64> {
    let size = bytes.len() as u64;
    if size <= CUT_EVERYWHERE_BYTES {
        return (1..size).collect();
    }
    let feeds = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place as u64);
    let around = feeds.flat_map(|place| [place.saturating_sub(1), place, place + 1, place + 2]);
    // A stride that has no factor in common with the sizes of lines: reproducible and spread.
    let spread = (1..=CUTS).map(|step| step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % size);
    let mut cuts: Vec<u64> = around.chain(spread).filter(|cut| (1..size).contains(cut)).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Cuts a copy of the file shorter and shorter and compares; gives the cut points where something differs.
fn broken(file: &Utf8Path, room: &Room) -> Vec<String> {
    let bytes = fs::read(file).unwrap();
    let copy = room.copy(file);
    let Some(whole) = lines(&copy) else { return Vec::new() };
    let handle = File::options().write(true).open(&copy).unwrap();
    let (mut broken, mut compared) = (Vec::new(), 0);
    for cut in cuts(&bytes).into_iter().rev().filter(|cut| *cut >= whole.inherited_end) {
        handle.set_len(cut).unwrap();
        let Some(short) = lines(&copy) else { continue };
        compared += 1;
        let what = [
            // Rows before the first that names the session tell nothing but their own ids.
            (short.boundary == whole.boundary || short.events.is_empty(), "another session"),
            (whole.records.starts_with(&short.records), "records differ"),
            (whole.events.starts_with(&short.events), "events differ"),
        ];
        broken.extend(
            what.iter().filter(|(holds, _)| !holds).map(|(_, what)| format!("{file} cut at {cut}: {what}")),
        );
    }
    assert!(compared > 0, "{file}: no cut point was recognised");
    broken
}

fn check(files: &[Utf8PathBuf]) {
    let broken: Vec<String> = std::thread::scope(|scope| {
        let halves = files.chunks(files.len().div_ceil(2).max(1));
        let work = |half: &[Utf8PathBuf]| {
            let room = Room::in_memory();
            half.iter().flat_map(|file| broken(file, &room)).collect::<Vec<_>>()
        };
        let running: Vec<_> = halves.map(|half| scope.spawn(move || work(half))).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let shown: Vec<&String> = broken.iter().take(40).collect();
    assert!(broken.is_empty(), "{} cut points: {shown:#?}", broken.len());
}

#[test]
fn a_cut_bundled_file_gives_a_prefix() {
    check(&BUNDLED.map(bundled));
}

#[test]
fn a_cut_small_sample_gives_a_prefix() {
    check(&transcripts("small"));
}

#[test]
fn a_cut_file_of_the_real_programs_gives_a_prefix() {
    if corpus("").is_none() {
        return;
    }
    let named = [
        "sdkqueue-2.1.332",
        "hookblock-2.1.332",
        "kill9-resume-2.1.332",
        "bg-2.1.42",
        "tests-1.0.128",
        "subpar-2.1.332",
        "resume-2.1.42",
        "tuikill-2.1.332",
        "surrogate-2.1.332",
        "autocompact-2.0.76",
        "58ff-7e03",
        "f2d4-72d3",
        "bd3f-7fb0",
        "59c9-7d61",
        "4bc6-7013",
        "f27b-79a3",
        "5c25-73e2",
        "v1-tiny",
        "spotter-short",
    ];
    let files = transcripts("").into_iter();
    let files: Vec<_> = files
        .filter(|file| named.iter().any(|name| file.as_str().contains(name)))
        .filter(|file| fs::metadata(file).unwrap().len() > 0)
        .collect();
    assert!(files.len() >= named.len());
    check(&files);
}

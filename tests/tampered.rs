//! A ledger that anyone touched does not validate: whatever byte of whatever file is changed, whatever line is
//! dropped, whatever file is emptied, removed or opened to others.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::rules::Code;
use serde_json::Value;

use super::program::{Room, listing};
use super::samples::{CLAUDE, DAMAGED, bundled};

struct Ledger {
    room: Room,
    manifest: Utf8PathBuf,
}

impl Ledger {
    fn new(transcript: &str) -> Self {
        let room = Room::in_memory();
        let manifest = room.path("out/manifest.json");
        room.collect(&bundled(transcript), &manifest).unwrap();
        room.packetize(&manifest).unwrap();
        room.validate(&manifest).unwrap();
        Self { room, manifest }
    }

    /// Everything that was written and says something: not the lock, the sums derived from it, the secret, and what
    /// only a later collection reads.
    fn evidence(&self) -> Vec<(Utf8PathBuf, Vec<u8>)> {
        let silent = ["manifest.json.lock", "SHA256SUMS", "secret", "resume"];
        let says = |name: &str| {
            !silent.contains(&name) && ![".resume.bin", ".run.bin"].iter().any(|kept| name.ends_with(kept))
        };
        let files = listing(&self.room.path("out")).into_iter();
        let files = files.filter(|(path, _)| path.is_file() && says(path.file_name().unwrap()));
        files.map(|(path, (_, _, bytes))| (path, bytes)).collect()
    }

    fn code(&self) -> Option<Code> {
        self.room.validate(&self.manifest).err().map(|refusal| refusal.code())
    }

    /// Writes other bytes, asks, and mends.
    #[track_caller]
    fn refuses(&self, path: &Utf8Path, bytes: &[u8], whole: &[u8], what: &str) {
        fs::write(path, bytes).unwrap();
        let code = self.code();
        fs::write(path, whole).unwrap();
        assert!(code.is_some(), "{what} of {path} was not seen");
    }
}

#[test]
fn any_changed_byte_is_seen() {
    for transcript in [CLAUDE, DAMAGED] {
        let ledger = Ledger::new(transcript);
        // What only the manifest says (times, probes) is bound by the digest in its receipt, not by recomputing.
        for (path, whole) in ledger.evidence().into_iter().filter(|(path, _)| *path != ledger.manifest) {
            let step = (whole.len() / 40).max(1);
            for place in (0..whole.len()).step_by(step).chain(whole.len().checked_sub(1)) {
                let mut changed = whole.clone();
                changed[place] ^= 0x01;
                ledger.refuses(&path, &changed, &whole, &format!("byte {place}"));
            }
        }
        assert_eq!(ledger.code(), None);
    }
}

#[test]
fn a_line_that_is_dropped_doubled_or_moved_is_seen() {
    let ledger = Ledger::new(CLAUDE);
    for (path, whole) in ledger.evidence() {
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        if lines.len() < 3 || path.extension() != Some("jsonl") {
            continue;
        }
        let dropped = [&lines[..1], &lines[2..]].concat().concat();
        ledger.refuses(&path, &dropped, &whole, "a dropped line");
        let doubled = [&lines[..2], &lines[1..]].concat().concat();
        ledger.refuses(&path, &doubled, &whole, "a doubled line");
        let mut moved = lines.clone();
        moved.swap(0, 1);
        ledger.refuses(&path, &moved.concat(), &whole, "a moved line");
        ledger.refuses(&path, &whole[..whole.len() - 1], &whole, "a lost line feed");
        ledger.refuses(&path, &[whole.as_slice(), b"\n"].concat(), &whole, "an added line feed");
    }
}

#[test]
fn an_emptied_removed_or_opened_file_is_seen() {
    let ledger = Ledger::new(CLAUDE);
    for (path, whole) in ledger.evidence() {
        if !whole.is_empty() {
            ledger.refuses(&path, b"", &whole, "emptying");
        }
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert_eq!(ledger.code(), Some(Code::ArtifactModeUnsafe), "{path}");
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        if path.file_name() == Some("manifest.json.packets.json") {
            continue;
        }
        fs::rename(&path, ledger.room.path("aside")).unwrap();
        assert!(ledger.code().is_some(), "{path} was not missed");
        fs::rename(ledger.room.path("aside"), &path).unwrap();
    }
    let folder = ledger.room.path("out/manifest.json.ledger");
    fs::set_permissions(&folder, Permissions::from_mode(0o750)).unwrap();
    assert_eq!(ledger.code(), Some(Code::FolderNotOurs));
}

/// Numbers of a manifest with their places.
fn numbers(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(place.to_owned()),
        Value::Object(members) => {
            for (name, member) in members {
                numbers(member, &format!("{place}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                numbers(item, &format!("{place}/{number}"), found);
            }
        }
        _ => {}
    }
}

/// Places of numbers of a manifest that may be raised by one without anyone seeing it.
fn unseen_numbers(transcript: &str) -> Vec<String> {
    let ledger = Ledger::new(transcript);
    let whole = fs::read(&ledger.manifest).unwrap();
    let manifest: Value = serde_json::from_slice(&whole).unwrap();
    let mut places = Vec::new();
    numbers(&manifest, "", &mut places);
    let mut unseen = Vec::new();
    for place in &places {
        let mut changed = manifest.clone();
        let number = changed.pointer_mut(place).unwrap();
        *number = (number.as_u64().unwrap() + 1).into();
        fs::write(&ledger.manifest, recap::base::json::canonical::to_bytes(&changed).unwrap()).unwrap();
        // The packets are bound to the manifest's heads, not to all of its numbers.
        if ledger.code().is_none() {
            unseen.push(place.clone());
        }
    }
    fs::write(&ledger.manifest, &whole).unwrap();
    assert_eq!(ledger.code(), None);
    unseen
}

/// What the lines of a ledger do not say: facts of the transcript, of the collecting and of probes.
const ELSEWHERE: [&str; 4] =
    ["/session/", "/limitations/not-probed", "/limitations/partial-tail", "/git/verified_now/"];
/// What they do say, and validate does not compare yet.
const NOT_COMPARED: [&str; 7] = [
    "/coverage/partial_tail/offset",
    "/git/session_observed/counts/",
    "/git/session_observed/records",
    "/ledger/streams/index/rows",
    "/ledger/streams/nodes/rows",
    "/ledger/streams/records/rows",
    "/ledger/streams/records-nodes/rows",
];

#[test]
fn a_manifest_that_says_another_number_is_seen() {
    for transcript in [CLAUDE, DAMAGED] {
        let mut unseen = unseen_numbers(transcript);
        unseen.retain(|place| !ELSEWHERE.iter().chain(&NOT_COMPARED).any(|part| place.starts_with(part)));
        assert_eq!(unseen, Vec::<String>::new());
    }
}

#[test]
fn a_manifest_that_says_another_number_of_rows_is_seen() {
    for transcript in [CLAUDE, DAMAGED] {
        let mut unseen = unseen_numbers(transcript);
        unseen.retain(|place| NOT_COMPARED.iter().any(|part| place.starts_with(part)));
        assert_eq!(unseen, Vec::<String>::new());
    }
}

#[test]
fn the_program_says_so_with_a_status_and_a_code() {
    let ledger = Ledger::new(CLAUDE);
    let (path, whole) =
        ledger.evidence().into_iter().find(|(path, _)| path.as_str().ends_with(".events.jsonl")).unwrap();
    let text = String::from_utf8(whole).unwrap();
    fs::write(&path, text.replace("High tide", "Loud tide")).unwrap();
    for arguments in [&["validate"][..], &["packetize"], &["outline"]] {
        let ran = ledger.room.run(&[arguments, &[ledger.manifest.as_str()]].concat());
        // The outline was cut before and is whole; what reads the events refuses.
        if arguments != ["outline"] {
            assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
            assert!(["stream-corrupt", "event-id-mismatch"].contains(&ran.code()), "{}", ran.stderr);
        }
        assert!(!ran.stderr.contains("tide"), "{}", ran.stderr);
    }
}

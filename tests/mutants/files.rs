//! The files of a ledger, its manifest, its packets and a set, changed byte by byte and as wholes: `validate` and
//! `validate-set` refuse every one of them with a code that fits, or the file says nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::json::canonical;
use recap::base::rules::Code;
use recap::stage::validate_set::validate_set;
use serde_json::Value;

use super::tries_all;
use crate::homes::{Home, MAIN};
use crate::program::{Room, listing, patiently};

/// Files that say nothing of a session: derived sums, locks, what only a later collection reads. The secret says
/// which ids are ours, and is not named.
const SILENT: [&str; 3] = ["SHA256SUMS", "resume", ".lock"];

/// A place with evidence, and the question whether it holds.
struct Evidence<'e> {
    name: &'static str,
    folder: Utf8PathBuf,
    asked: Box<dyn Fn() -> Option<Code> + 'e>,
}

/// What came of the changes of one kind.
#[derive(Default)]
struct Tally {
    tried: usize,
    refused: usize,
    unseen: usize,
    codes: BTreeSet<&'static str>,
}

/// What came of all.
#[derive(Default)]
struct Outcome {
    tallies: BTreeMap<(&'static str, &'static str), Tally>,
    faults: Vec<String>,
}

/// Codes that fit a change of the bytes of a file, by what the file is.
fn fitting(file: &Utf8Path) -> &'static [Code] {
    let name = file.file_name().unwrap();
    let is = |end: &str| name.ends_with(end);
    if is("set.json") {
        &[Code::SetInvalid, Code::SetMemberMismatch]
    } else if is(".packets.json") {
        &[Code::PacketsMismatch, Code::StreamMissing, Code::StreamCorrupt]
    } else if is("manifest.json") {
        &MANIFEST
    } else if name == "secret" {
        &[Code::SecretInvalid, Code::EventIdMismatch]
    } else if is(".events.jsonl") {
        &[Code::StreamCorrupt, Code::LineInvalid, Code::EventIdMismatch]
    } else if is(".records.jsonl") {
        &[Code::StreamCorrupt, Code::LineInvalid, Code::CountsMismatch, Code::TilingBroken]
    } else {
        &[Code::StreamCorrupt, Code::LineInvalid, Code::PacketsMismatch]
    }
}

/// A manifest that is changed is none, or names what is not there, or says other things than its files.
const MANIFEST: [Code; 14] = [
    Code::ManifestInvalid,
    Code::StreamMissing,
    Code::StreamCorrupt,
    Code::LineInvalid,
    Code::TreeMismatch,
    Code::TilingBroken,
    Code::EventIdMismatch,
    Code::CountsMismatch,
    Code::RelationsMismatch,
    Code::ObservationsMismatch,
    Code::SideFilesMismatch,
    Code::PacketsMismatch,
    Code::PacketsStale,
    Code::SetMemberMismatch,
];

/// Places of a manifest that only the transcript, the clock and probes can bear out: no file of the ledger says them.
/// Its digest, which receipts and sets name, holds them.
const ELSEWHERE: [&str; 9] = [
    "/boundary",
    "/collected_at",
    "/source",
    "/session",
    "/limitations",
    "/git/verified_now",
    "/git/not_probed",
    "/git/session_observed/analysis_version",
    "/versions",
];

impl Evidence<'_> {
    /// All its files that say something, with their bytes.
    fn files(&self) -> Vec<(Utf8PathBuf, Vec<u8>)> {
        let says = |path: &Utf8Path| {
            let name = path.file_name().unwrap();
            !SILENT.iter().any(|silent| name.ends_with(silent))
                && !name.ends_with(".resume.bin")
                && !name.ends_with(".run.bin")
        };
        let files = listing(&self.folder).into_iter().filter(|(path, _)| path.is_file() && says(path));
        files.map(|(path, (_, _, bytes))| (path, bytes)).collect()
    }

    /// Asks after a change that is then taken back by writing the file again.
    fn after(&self, path: &Utf8Path, whole: &[u8], change: impl FnOnce()) -> Option<Code> {
        change();
        let code = (self.asked)();
        if path.symlink_metadata().is_ok() {
            fs::remove_file(path).unwrap();
        }
        fs::write(path, whole).unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
        code
    }

    fn try_bytes(
        &self,
        operator: &'static str,
        path: &Utf8Path,
        whole: &[u8],
        bytes: &[u8],
        outcome: &mut Outcome,
        place: &str,
    ) {
        let code = self.after(path, whole, || fs::write(path, bytes).unwrap());
        let unseen_is_right = || path.file_name() == Some("manifest.json") && says_elsewhere(whole, bytes);
        outcome.take(self.name, operator, code, fitting(path), unseen_is_right, || format!("{path} {place}"));
    }
}

impl Outcome {
    fn take(
        &mut self,
        evidence: &'static str,
        operator: &'static str,
        code: Option<Code>,
        fitting: &[Code],
        unseen_is_right: impl FnOnce() -> bool,
        what: impl FnOnce() -> String,
    ) {
        let tally = self.tallies.entry((evidence, operator)).or_default();
        tally.tried += 1;
        match code {
            Some(code) => {
                tally.refused += 1;
                tally.codes.insert(code.as_str());
                if !fitting.contains(&code) {
                    self.faults.push(format!("{operator} of {} is refused with {}", what(), code.as_str()));
                }
            }
            None if unseen_is_right() => tally.unseen += 1,
            None => self.faults.push(format!("{operator} of {} is not seen", what())),
        }
    }

    fn table(&self) -> String {
        let mut text = format!("{:38}{:>8}{:>9}{:>11}  codes\n", "evidence", "tried", "refused", "elsewhere");
        for ((evidence, operator), tally) in &self.tallies {
            let codes: Vec<&str> = tally.codes.iter().copied().collect();
            let name = format!("{evidence} {operator}");
            writeln!(
                text,
                "{name:38}{:8}{:9}{:11}  {}",
                tally.tried,
                tally.refused,
                tally.unseen,
                codes.join(" ")
            )
            .unwrap();
        }
        let sum = |of: fn(&Tally) -> usize| self.tallies.values().map(of).sum::<usize>();
        let [tried, refused, unseen] = [sum(|one| one.tried), sum(|one| one.refused), sum(|one| one.unseen)];
        writeln!(text, "{:38}{tried:8}{refused:9}{unseen:11}", "all").unwrap();
        text
    }
}

/// The changed manifest is one, and differs only where no file of the ledger says anything.
fn says_elsewhere(whole: &[u8], bytes: &[u8]) -> bool {
    let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    let (Some(mut one), Some(mut other)) = (value(whole), value(bytes)) else { return false };
    if canonical::to_bytes(&other).unwrap() != bytes {
        return false;
    }
    for place in ELSEWHERE {
        for value in [&mut one, &mut other] {
            if let Some(said) = value.pointer_mut(place) {
                *said = Value::Null;
            }
        }
    }
    one == other
}

/// A session of two messages and one call, as small as can be.
fn small_ledger(room: &Room, session: &str) -> Utf8PathBuf {
    let row = |number: u32, kind: &str, content: Value| {
        let uuid = format!("d0d0d0d0-0000-4000-8000-00000000000{number}");
        let row = serde_json::json!({"type": kind, "uuid": uuid, "sessionId": session,
            "timestamp": format!("2031-03-04T05:00:0{number}.000Z"), "message": {"role": kind, "content": content}});
        format!("{row}\n")
    };
    let call = serde_json::json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make test"}}]);
    let result = serde_json::json!([{"type": "tool_result", "tool_use_id": "t1", "content": "2 passed"}]);
    let rows = [
        row(1, "user", "Knit a scarf.".into()),
        row(2, "assistant", call),
        row(3, "user", result),
        row(4, "assistant", "Knitted.".into()),
    ];
    let file = room.file(&format!("{session}.jsonl"), rows.concat());
    let manifest = room.path(&format!("{session}/manifest.json"));
    room.collect(&file, &manifest).unwrap();
    room.packetize(&manifest).unwrap();
    manifest
}

const ONE: &str = "0d0e0f00-1111-4222-8333-444455556666";
const OTHER: &str = "0d0e0f00-1111-4222-8333-444455557777";

#[test]
fn every_change_of_an_evidence_file_is_seen() {
    let mut outcome = Outcome::default();
    let room = Room::in_memory();
    let manifest = small_ledger(&room, ONE);
    let other = small_ledger(&room, OTHER);
    let ledger = Evidence {
        name: "ledger",
        folder: manifest.parent().unwrap().to_owned(),
        asked: Box::new(|| room.validate(&manifest).err().map(|refusal| refusal.code())),
    };
    assert_eq!((ledger.asked)(), None);
    bytes(&ledger, if tries_all() { 1 } else { 3 }, &mut outcome);
    lines_and_wholes(&ledger, other.parent().unwrap(), &mut outcome);
    modes_owners_and_links(&ledger, &mut outcome);
    assert_eq!((ledger.asked)(), None);

    let home = Home::with_two_children();
    home.collect(MAIN, &["--include-children"]).receipt();
    let second = Home::with_two_children();
    second.collect(MAIN, &["--include-children", "--without", "agent-a2"]).receipt();
    let set = Evidence {
        name: "set",
        folder: home.set().parent().unwrap().to_owned(),
        asked: Box::new(|| {
            patiently(|| validate_set(&home.room.world(), &home.set())).err().map(|refusal| refusal.code())
        }),
    };
    assert_eq!((set.asked)(), None);
    bytes(&set, if tries_all() { 1 } else { 40 }, &mut outcome);
    lines_and_wholes(&set, second.set().parent().unwrap(), &mut outcome);
    modes_owners_and_links(&set, &mut outcome);
    assert_eq!((set.asked)(), None);
    println!("{}", outcome.table());
    assert!(outcome.faults.is_empty(), "{} faults\n{}", outcome.faults.len(), outcome.faults.join("\n"));
}

/// Every byte, or one in so many, with another lowest bit.
fn bytes(evidence: &Evidence<'_>, step: usize, outcome: &mut Outcome) {
    for (path, whole) in evidence.files() {
        for place in (0..whole.len()).step_by(step) {
            let mut changed = whole.clone();
            changed[place] ^= 0x01;
            evidence.try_bytes("byte flipped", &path, &whole, &changed, outcome, &format!("byte {place}"));
        }
    }
}

/// Lines dropped, doubled and swapped; files emptied, cut, lengthened, with other line ends, and those of another.
fn lines_and_wholes(evidence: &Evidence<'_>, other: &Utf8Path, outcome: &mut Outcome) {
    for (path, whole) in evidence.files() {
        let mut try_bytes = |operator, bytes: &[u8], place: &str| {
            if bytes != whole {
                evidence.try_bytes(operator, &path, &whole, bytes, outcome, place);
            }
        };
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        if ["jsonl", "txt"].contains(&path.extension().unwrap_or_default()) {
            for number in 0..lines.len() {
                let place = format!("line {number}");
                let (before, behind) = lines.split_at(number);
                try_bytes("line dropped", &[before, &behind[1..]].concat().concat(), &place);
                try_bytes("line doubled", &[before, &behind[..1], behind].concat().concat(), &place);
                if behind.len() > 1 {
                    let mut swapped = lines.clone();
                    swapped.swap(number, number + 1);
                    try_bytes("line swapped", &swapped.concat(), &place);
                }
            }
            try_bytes(
                "CRLF for LF",
                &lines.iter().flat_map(|line| [line.trim_ascii_end(), b"\r\n"]).collect::<Vec<_>>().concat(),
                "",
            );
        }
        try_bytes("emptied", b"", "");
        try_bytes("cut", &whole[..whole.len().saturating_sub(1)], "");
        try_bytes("lengthened", &[whole.as_slice(), b"\n"].concat(), "");
        try_bytes("lengthened", &[whole.as_slice(), b"\0"].concat(), "");
        if let Some(theirs) = counterpart(&path, &evidence.folder, other) {
            try_bytes("another session's", &theirs, "");
        }
    }
}

/// The file of the same kind in another place: of the same name, or with the same end of its name.
fn counterpart(path: &Utf8Path, folder: &Utf8Path, other: &Utf8Path) -> Option<Vec<u8>> {
    let same = other.join(path.strip_prefix(folder).unwrap());
    if same.exists() {
        return fs::read(same).ok();
    }
    let end = path.file_name()?.split_once('.')?.1;
    let all = listing(other).into_iter();
    let mut like =
        all.filter(|(file, _)| file.is_file() && file.file_name().is_some_and(|name| name.ends_with(end)));
    like.next().map(|(_, (_, _, bytes))| bytes)
}

/// Files that others may read, that are another's, that are links, that have two names, that are folders or not there.
fn modes_owners_and_links(evidence: &Evidence<'_>, outcome: &mut Outcome) {
    let aside = evidence.folder.parent().unwrap().join("aside");
    for (path, whole) in evidence.files() {
        let mut take = |operator, code, fitting: &[Code]| {
            outcome.take(evidence.name, operator, code, fitting, || false, || path.to_string());
        };
        for mode in [0o640, 0o604, 0o620, 0o666] {
            let change = || fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            take("mode", evidence.after(&path, &whole, change), &[Code::ArtifactModeUnsafe]);
        }
        let is_root =
            fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        if is_root {
            let change = || chown(&path, Some(1), None).unwrap();
            take("owner", evidence.after(&path, &whole, change), &[Code::ArtifactNotOurs]);
        }
        let change = || {
            fs::rename(&path, &aside).unwrap();
            symlink(&aside, &path).unwrap();
        };
        take("link", evidence.after(&path, &whole, change), &[Code::ArtifactNotRegular]);
        let change = || fs::hard_link(&path, aside.with_extension("twin")).unwrap();
        take("two names", evidence.after(&path, &whole, change), &[Code::ArtifactLinked]);
        fs::remove_file(aside.with_extension("twin")).unwrap();
        if !path.as_str().ends_with(".packets.json") && path.file_name() != Some("secret") {
            let missing = [Code::StreamMissing, Code::ArtifactMissing, Code::SetMemberMissing];
            take("removed", evidence.after(&path, &whole, || fs::remove_file(&path).unwrap()), &missing);
        }
    }
}

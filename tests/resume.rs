//! A transcript that grew is read where it is new: the same bytes as if it had been collected at once, whatever the
//! point at which it was read before.

use std::collections::BTreeMap;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::Refusal;
use recap::base::rules::Code;
use recap::evidence::transcript::detect::{identify, inherited_prefix};
use recap::evidence::transcript::input::Input;
use serde_json::Value;

use super::program::{Room, listing};
use super::samples::{BUNDLED, CLAUDE, CODEX, DOCUMENT, bundled, corpus, transcripts};

/// A transcript that grows, and its manifest.
pub struct Growing {
    pub room: Room,
    whole: Vec<u8>,
    session: Utf8PathBuf,
    pub manifest: Utf8PathBuf,
}

impl Growing {
    /// In a room of its own, with a secret that another collection can share.
    pub fn new(name: &str, whole: Vec<u8>) -> Self {
        let room = Room::in_memory();
        room.file("out/manifest.json.ledger/secret", [9; 32]);
        let (session, manifest) = (room.file(name, b""), room.path("out/manifest.json"));
        Self { room, whole, session, manifest }
    }

    fn of(transcript: &Utf8Path) -> Self {
        Self::new(transcript.file_name().unwrap(), fs::read(transcript).unwrap())
    }

    /// Collects the first bytes; says whether what was read before was only hashed.
    pub fn collect(&self, bytes: usize) -> Result<bool, Refusal> {
        fs::write(&self.session, &self.whole[..bytes]).unwrap();
        let receipt = self.room.collect(&self.session, &self.manifest)?.to_line();
        Ok(serde_json::from_str::<Value>(&receipt).unwrap()["flags"]["resumed"] == true)
    }

    /// Where inherited history ends.
    fn inherited_end(&self) -> u64 {
        fs::write(&self.session, &self.whole).unwrap();
        let source = Input::open(&self.session).unwrap();
        let identity = identify(&source).unwrap();
        inherited_prefix(&source, source.size_bytes_at_open(), &identity).unwrap().range.end
    }

    /// Everything that a collection at once writes stands here, byte for byte; but what it leaves for the next one may
    /// lie in other files.
    #[track_caller]
    pub fn is_as_if_collected_at_once(&self) {
        self.room.file("cold/manifest.json.ledger/secret", [9; 32]);
        self.room.collect(&self.session, &self.room.path("cold/manifest.json")).unwrap();
        let files = |folder: &str| -> BTreeMap<String, Vec<u8>> {
            let root = self.room.path(folder);
            let files = listing(&root).into_iter().filter(|(path, _)| path.is_file());
            let name = |path: &Utf8Path| path.strip_prefix(&root).unwrap().to_string();
            files.map(|(path, (_, _, bytes))| (name(&path), bytes)).collect()
        };
        let grown = files("out");
        let kept = |name: &str| {
            name.ends_with("/resume") || name.ends_with(".resume.bin") || name.ends_with(".run.bin")
        };
        for (name, bytes) in files("cold").into_iter().filter(|(name, _)| !kept(name)) {
            // The sums name the streams of this state only; the grown folder keeps those of the state before.
            assert!(grown.get(&name) == Some(&bytes), "{}: {name} differs", self.session);
        }
        fs::remove_dir_all(self.room.path("cold")).unwrap();
    }
}

/// Grows in steps; gives how often what was read before was only hashed.
fn grow(transcript: &Utf8Path, steps: &[usize]) -> usize {
    let growing = Growing::of(transcript);
    let (mut resumed, mut begun) = (0, false);
    for step in steps {
        match growing.collect(*step) {
            Ok(only_hashed) => {
                assert!(begun || !only_hashed);
                resumed += usize::from(only_hashed);
                begun = true;
                growing.is_as_if_collected_at_once();
            }
            // A head that is too short says nothing yet, or something else.
            Err(refusal) if !begun => assert_eq!(refusal.code(), Code::NotATranscript, "{transcript}"),
            Err(refusal) => {
                let other = refusal.code() == Code::LedgerOfAnotherSession;
                let inside = (*steps.first().unwrap() as u64) < growing.inherited_end();
                assert!(other || (inside && refusal.code() == Code::SourceRewritten), "{transcript} {step}");
                return resumed;
            }
        }
    }
    resumed
}

/// Behind a line, in the middle of one, and the end.
fn steps(bytes: &[u8]) -> [usize; 5] {
    let feeds: Vec<usize> = (0..bytes.len()).filter(|place| bytes[*place] == b'\n').collect();
    let line = |share: usize| feeds.get(feeds.len() * share / 8).map_or(bytes.len(), |feed| feed + 1);
    let mut steps = [line(2), line(3).saturating_sub(9), line(4), line(6) / 2 + bytes.len() / 3, bytes.len()];
    steps.sort_unstable();
    steps
}

#[test]
fn bundled_files_that_grow() {
    for name in BUNDLED {
        let path = bundled(name);
        let resumed = grow(&path, &steps(&fs::read(&path).unwrap()));
        // A document is written anew as a whole, and read so.
        assert!(if name == DOCUMENT { resumed == 0 } else { resumed >= 3 }, "{name}");
    }
}

#[test]
fn files_of_the_corpus_that_grow() {
    if corpus("").is_none() {
        return;
    }
    let files: Vec<Utf8PathBuf> = transcripts("")
        .into_iter()
        .filter(|file| (1..2_000_000).contains(&fs::metadata(file).unwrap().len()))
        .collect();
    let resumed: usize = std::thread::scope(|scope| {
        let halves = files.chunks(files.len().div_ceil(2));
        let work = |half: &[Utf8PathBuf]| -> usize {
            half.iter().map(|file| grow(file, &steps(&fs::read(file).unwrap()))).sum()
        };
        let running: Vec<_> = halves.map(|half| scope.spawn(move || work(half))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(resumed > files.len() * 2, "{resumed} of {}", files.len());
}

#[test]
fn every_place_of_a_small_file() {
    let whole = fs::read(bundled(CODEX)).unwrap();
    let end = whole.len().min(9_000);
    let mut compared = 0;
    for cut in (1..end).step_by(41) {
        let growing = Growing::new(CODEX, whole[..end].to_vec());
        let Ok(_) = growing.collect(cut) else { continue };
        match growing.collect(end) {
            Ok(_) => growing.is_as_if_collected_at_once(),
            Err(refusal) => assert_eq!(refusal.code(), Code::LedgerOfAnotherSession),
        }
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_state_that_is_gone_or_was_touched_is_not_used() {
    let whole = fs::read(bundled(CLAUDE)).unwrap();
    let half = steps(&whole)[2];
    let states = |growing: &Growing| -> Vec<Utf8PathBuf> {
        let files = listing(&growing.room.path("out")).into_keys();
        files
            .filter(|path| {
                path.file_name().unwrap().contains("resume") || path.as_str().ends_with(".run.bin")
            })
            .collect()
    };
    let fresh = || {
        let growing = Growing::new(CLAUDE, whole.clone());
        growing.collect(half).unwrap();
        growing
    };
    assert!(fresh().collect(whole.len()).unwrap());
    let names = states(&fresh()).len();
    assert!(names > 4, "{names}");
    for number in 0..names {
        for touch in ["removed", "emptied", "first byte", "last byte"] {
            let growing = fresh();
            let path = &states(&growing)[number];
            let mut bytes = fs::read(path).unwrap();
            match touch {
                "removed" => fs::remove_file(path).unwrap(),
                "emptied" => fs::write(path, b"").unwrap(),
                touch => {
                    let place = if touch == "first byte" { 0 } else { bytes.len() - 1 };
                    bytes[place] ^= 1;
                    fs::write(path, bytes).unwrap();
                }
            }
            assert!(!growing.collect(whole.len()).unwrap(), "{touch} {path}");
            growing.is_as_if_collected_at_once();
        }
    }
    // A state of another secret is none of this ledger's.
    let (growing, other) = (fresh(), Growing::new(CLAUDE, whole.clone()));
    other.room.file("out/manifest.json.ledger/secret", [8; 32]);
    other.collect(half).unwrap();
    for path in states(&growing) {
        fs::remove_file(path).unwrap();
    }
    for path in states(&other) {
        let name = path.strip_prefix(other.room.path("")).unwrap();
        growing.room.file(name.as_str(), fs::read(&path).unwrap());
    }
    assert!(!growing.collect(whole.len()).unwrap());
    growing.is_as_if_collected_at_once();
}

#[test]
fn a_stream_that_is_gone_or_was_touched_is_made_anew() {
    let whole = fs::read(bundled(CLAUDE)).unwrap();
    let half = steps(&whole)[2];
    for extension in ["records.jsonl", "events.jsonl", "nodes.bin", "index.bin", "relations.jsonl"] {
        for remove in [true, false] {
            let growing = Growing::new(CLAUDE, whole.clone());
            growing.collect(half).unwrap();
            let files = listing(&growing.room.path("out")).into_keys();
            let ends = format!(".{extension}");
            let path = files.into_iter().find(|path| path.as_str().ends_with(&ends)).unwrap();
            let mut bytes = fs::read(&path).unwrap();
            bytes[0] ^= 1;
            if remove {
                fs::remove_file(&path).unwrap()
            } else {
                fs::write(&path, bytes).unwrap()
            }
            assert!(!growing.collect(whole.len()).unwrap(), "{extension}");
            growing.is_as_if_collected_at_once();
        }
    }
}

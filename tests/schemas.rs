//! Whatever the program writes fits the schema of that file: a small transcript with a bit of everything goes
//! through the stages, and every document, line and receipt is checked.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use recap::base::schemas;
use recap::base::violations::Violations;
use recap::evidence::command::observation::Observation;
use recap::evidence::event::Event;
use recap::evidence::event::record_line::RecordLine;
use recap::evidence::event::relations::Relation;
use recap::evidence::event::side_file::SideFile;
use recap::evidence::manifest::Manifest;
use recap::evidence::packet::cut::{EpisodeRow, PacketRow, RepeatRow};
use recap::evidence::packet::packets_file::Packets;
use recap::meaning::synthesis::attempts::AttemptLine;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const TRANSCRIPT: &str = include_str!("data/claude-small.jsonl");
const SAMPLES: &str = include_str!("data/schemas.json");

/// A home of its own for one test.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        // Assembled here, so that no scanner finds a whole token in the source.
        let secret = format!("{}_{}", "ghp", "a1B2c3D4".repeat(5));
        std::fs::write(folder.path().join("session.jsonl"), TRANSCRIPT.replace("{SECRET}", &secret)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs one command and gives its receipt.
    fn run(&self, arguments: &[&str]) -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_recap"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env_remove("CLAUDE_CONFIG_DIR")
            .env_remove("CODEX_HOME")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        let line = String::from_utf8(output.stdout).unwrap();
        assert_eq!(line.lines().count(), 1);
        serde_json::from_str(&line).unwrap()
    }
}

fn fits(name: &str, value: &Value) {
    let mut violations = Violations::default();
    schemas::check(name, value, &mut violations);
    assert!(violations.is_empty(), "{name}: {:?}\n{value}", violations.sorted());
}

fn document(name: &str, path: &Path) -> Value {
    let value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    fits(name, &value);
    value
}

/// Checks every line of a file and gives their number.
fn lines(name: &str, path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().for_each(|line| fits(name, &serde_json::from_str(line).unwrap()));
    text.lines().count()
}

#[test]
fn everything_that_collect_and_packetize_write_fits_its_schema() {
    let home = Home::new();
    let collected = home.run(&["collect", "--session", "session.jsonl", "--output", "out/manifest.json"]);
    let cut = home.run(&["packetize", "out/manifest.json"]);
    let validated = home.run(&["validate", "out/manifest.json"]);
    [&collected, &cut, &validated].into_iter().for_each(|receipt| fits("receipt", receipt));

    let manifest = document("manifest", &home.path("out/manifest.json"));
    let ledger = home.path("out/manifest.json.ledger");
    let mut events = 0;
    for segment in manifest["ledger"]["segments"].as_array().unwrap() {
        let name = format!("{}.events.jsonl", segment["sha256"].as_str().unwrap());
        events += lines("event", &ledger.join(name));
    }
    assert_eq!(events as u64, manifest["ledger"]["state"]["size"]);
    let stream = |document: &Value, place: &str, name: &str, schema: &str| {
        let stream = document.pointer(place).unwrap().get(name).unwrap();
        // The bundled session is small: one part is the whole.
        let stream = stream.get(0).unwrap_or(stream);
        let rows = lines(schema, &ledger.join(stream["file"].as_str().unwrap()));
        assert_eq!(rows as u64, stream["rows"], "{name}");
        rows
    };
    assert!(stream(&manifest, "/ledger/parts", "records", "record") > 10);
    assert!(stream(&manifest, "/ledger/parts", "relations", "relation") > 3);
    stream(&manifest, "/ledger/streams", "side-files", "side-file");
    stream(&manifest, "/ledger/streams", "observations", "observation");

    let packets = document("packets", &home.path("out/manifest.json.packets.json"));
    assert_eq!(stream(&packets, "/streams", "packets", "packet-row"), 1);
    assert!(stream(&packets, "/streams", "episodes", "episode-row") > 1);
    assert_eq!(stream(&packets, "/streams", "repeats", "repeat-row"), 1);

    // The transcript shows what the schemas have places for.
    for (pointer, count) in [
        ("/coverage/records/mirror", 1),
        ("/coverage/records/withheld", 1),
        ("/coverage/records/malformed", 1),
        ("/coverage/unknown_types/a-kind-of-tomorrow", 1),
        ("/coverage/calls/open", 1),
        ("/redactions/github-token", 1),
        ("/limitations/partial-tail", 1),
    ] {
        assert_eq!(manifest.pointer(pointer), Some(&Value::from(count)), "{pointer}");
    }

    // Here follow the files of later stages: accounting, synthesis-draft, attempts-line, violations, evidence.
}

/// The type of a sample reads it and writes it back as it was: schema and type have the same members.
fn same<T: Serialize + DeserializeOwned>(name: &str) {
    for sample in samples(name) {
        let read: T =
            serde_json::from_value(sample.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(serde_json::to_value(&read).unwrap(), sample, "{name}");
    }
}

fn samples(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(SAMPLES).unwrap();
    all[name].as_array().unwrap().clone()
}

#[test]
fn the_types_of_the_program_have_the_members_of_the_schemas() {
    same::<Manifest>("manifest");
    same::<Relation>("relation");
    same::<SideFile>("side-file");
    same::<Observation>("observation");
    same::<Packets>("packets");
    same::<PacketRow>("packet-row");
    same::<EpisodeRow>("episode-row");
    same::<RepeatRow>("repeat-row");
    same::<AttemptLine>("attempts-line");
    same::<RecordLine>("record");
    for sample in samples("event") {
        let mut line = Vec::new();
        Event::parse(sample.to_string().as_bytes()).unwrap().write_line(&mut line).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), sample);
    }
}

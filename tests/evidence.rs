//! A collected folder, read with nothing but a JSON parser: what is asserted here is what anyone sees.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::program::Room;

/// A manifest and the streams that it names.
pub struct Evidence {
    pub manifest: Value,
    ledger: Utf8PathBuf,
    /// The room that the files lie in, where it must live as long.
    _room: Option<Room>,
}

impl Evidence {
    /// Reads the manifest at a path.
    pub fn open(manifest: &Utf8Path) -> Self {
        let ledger = Utf8PathBuf::from(format!("{manifest}.ledger"));
        Self { manifest: serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap(), ledger, _room: None }
    }

    /// Keeps the room for as long as the evidence is looked at.
    pub fn keep(self, room: Room) -> Self {
        Self { _room: Some(room), ..self }
    }

    /// Collects a transcript with the built program and reads what came of it.
    pub fn collect(room: &Room, transcript: &Utf8Path) -> Self {
        let manifest = room.path("out/manifest.json");
        room.run(&["collect", "--session", transcript.as_str(), "--output", manifest.as_str()]).receipt();
        room.run(&["packetize", manifest.as_str()]).receipt();
        room.run(&["validate", manifest.as_str()]).receipt();
        Self::open(&manifest)
    }

    /// Event lines.
    pub fn events(&self) -> Vec<Value> {
        let segments = self.manifest["ledger"]["segments"].as_array().unwrap().iter();
        segments
            .flat_map(|segment| self.lines(&format!("{}.events.jsonl", text(&segment["sha256"]))))
            .collect()
    }

    /// Lines of a named stream.
    pub fn stream(&self, name: &str) -> Vec<Value> {
        let ledger = &self.manifest["ledger"];
        let parts = ledger["parts"][name].as_array().into_iter().flatten();
        let streams = parts.chain(ledger["streams"].get(name));
        streams.flat_map(|stream| self.lines(text(&stream["file"]))).collect()
    }

    /// Lines of the records ledger.
    pub fn records(&self) -> Vec<Value> {
        self.stream("records")
    }

    /// The texts of all events of a surface.
    pub fn texts(&self, surface: &str) -> Vec<String> {
        let events = self.events().into_iter().filter(|event| event["surface"] == surface);
        events.map(|event| text(&event["text"]).to_owned()).collect()
    }

    /// Dispositions in the order of the file.
    pub fn dispositions(&self) -> Vec<String> {
        self.records().iter().map(|record| text(&record["disposition"]).to_owned()).collect()
    }

    /// Offset and length of every record.
    pub fn spans(&self) -> Vec<(usize, usize)> {
        self.records().iter().map(span).collect()
    }

    fn lines(&self, file: &str) -> Vec<Value> {
        let bytes = fs::read_to_string(self.ledger.join(file)).unwrap();
        bytes.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Offset and length of a record or a tail.
pub fn span(record: &Value) -> (usize, usize) {
    (number(&record["offset"]) as usize, number(&record["length"]) as usize)
}

/// A string of a document.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// A number of a document.
pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Names and numbers of an object.
pub fn numbers(value: &Value) -> Vec<(&str, u64)> {
    value.as_object().unwrap().iter().map(|(name, count)| (name.as_str(), number(count))).collect()
}

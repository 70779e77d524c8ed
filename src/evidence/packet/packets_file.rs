//! `manifest.json.packets.json`: which ledger state was cut, and the streams that hold the rows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cut::{Cutter, PacketRow, Row};
use crate::base::digest::{Digest, Hasher};
use crate::base::ids::BoundaryId;
use crate::base::json::{canonical, read};
use crate::base::limits::DRAFT_BYTES;
use crate::base::private::ArtifactPath;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::ledger::derive::json_line;
use crate::evidence::ledger::open::OpenLedger;
use crate::evidence::ledger::stream::{self, StreamWriter};
use crate::evidence::ledger::tree::{Frontier, leaf_hash};
use crate::evidence::manifest::Stream;

/// The version that every packets file carries.
pub const PACKETS_SCHEMA: &str = "recap.packets.v1";
/// What stands behind the manifest's name.
pub const PACKETS_SUFFIX: &str = ".packets.json";
/// Bytes of one entry of an offset index: offset and length, each 8 bytes little-endian.
const ENTRY_BYTES: u64 = 16;
/// Streams of rows with their file extensions, and which of them have an offset index.
const STREAMS: [(&str, &str); 6] = [
    ("packets", "packets.jsonl"),
    ("packets-index", "packets-index.bin"),
    ("episodes", "episodes.jsonl"),
    ("repeats", "repeats.jsonl"),
    ("outline", "outline.txt"),
    ("outline-parts", "outline-parts.bin"),
];

/// The document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packets {
    /// `recap.packets.v1`.
    pub schema_version: String,
    /// The session.
    pub boundary: BoundaryId,
    /// Number of events that were cut.
    pub size: u64,
    /// Their root.
    pub root: Digest,
    /// `packets`, `packets-index`, `episodes`, `repeats`, `outline`, `outline-parts`.
    pub streams: BTreeMap<String, Stream>,
}

impl Packets {
    /// A named stream.
    ///
    /// # Errors
    /// `packets-mismatch` if the document does not name it.
    pub fn stream(&self, name: &'static str) -> Result<&Stream> {
        self.streams.get(name).ok_or_else(|| Refusal::new(Code::PacketsMismatch).at(name))
    }
}

/// Where the packets of a manifest lie.
pub fn path_of(manifest: &ArtifactPath) -> ArtifactPath {
    manifest.with_suffix(PACKETS_SUFFIX)
}

/// Files that the packets of a manifest name; none when they cannot be read, for then they name nothing.
///
/// # Errors
/// What asking the folder refuses.
pub fn named_streams(manifest: &ArtifactPath) -> Result<Vec<String>> {
    let path = path_of(manifest);
    if !path.folder().exists(path.name())? {
        return Ok(Vec::new());
    }
    let streams = read_packets(&path).map(|packets| packets.streams).unwrap_or_default();
    Ok(streams.into_values().map(|stream| stream.file).collect())
}

fn read_packets(path: &ArtifactPath) -> Result<Packets> {
    let invalid = || Refusal::new(Code::PacketsMismatch).at(path.name());
    let bytes = path.open()?.read_all(DRAFT_BYTES)?;
    let value = read::strict(&bytes).map_err(|_| invalid())?;
    let packets: Packets = serde_json::from_value(value).map_err(|_| invalid())?;
    let same = packets.schema_version == PACKETS_SCHEMA && canonical::to_bytes(&packets)? == bytes;
    if same { Ok(packets) } else { Err(invalid()) }
}

/// The packets of an open ledger.
///
/// # Errors
/// `packets-missing`, `packets-stale`, `packets-mismatch`.
pub fn open(ledger: &OpenLedger) -> Result<Packets> {
    let missing = || Refusal::new(Code::PacketsMissing).hint(mend(ledger));
    let packets = open_of_any_state(ledger)?.ok_or_else(missing)?;
    let state = &ledger.manifest().ledger.state;
    if packets.boundary != ledger.manifest().boundary.id
        || (packets.size, packets.root) != (state.size, state.root)
    {
        return Err(stale(ledger));
    }
    Ok(packets)
}

/// The packets beside a ledger, whatever state of it they belong to.
///
/// # Errors
/// `packets-mismatch`.
pub fn open_of_any_state(ledger: &OpenLedger) -> Result<Option<Packets>> {
    let path = path_of(ledger.path());
    if path.folder().exists(path.name())? { read_packets(&path).map(Some) } else { Ok(None) }
}

fn stale(ledger: &OpenLedger) -> Refusal {
    Refusal::new(Code::PacketsStale).hint(mend(ledger))
}

fn mend(ledger: &OpenLedger) -> String {
    format!("run `recap packetize {}`", ledger.path().path())
}

/// Cuts an open ledger and publishes the streams; the document is returned and not yet written.
///
/// # Errors
/// What reading the ledger refuses, `write-failed`.
pub fn write(ledger: &OpenLedger) -> Result<Packets> {
    let folder = ledger.folder();
    let mut writers = BTreeMap::new();
    for (name, _) in STREAMS {
        writers.insert(name, StreamWriter::create(folder)?);
    }
    let size = ledger.manifest().ledger.state.size;
    each_row(ledger, size, &mut |name, bytes| match writers.get_mut(name) {
        Some(writer) => writer.row(bytes),
        None => Ok(()),
    })?;
    let mut streams = BTreeMap::new();
    for (name, extension) in STREAMS {
        if let Some(writer) = writers.remove(name) {
            streams.insert(name.to_owned(), writer.finish(extension)?);
        }
    }
    Ok(document(ledger, streams))
}

fn document(ledger: &OpenLedger, streams: BTreeMap<String, Stream>) -> Packets {
    let manifest = ledger.manifest();
    Packets {
        schema_version: PACKETS_SCHEMA.to_owned(),
        boundary: manifest.boundary.id,
        size: manifest.ledger.state.size,
        root: manifest.ledger.state.root,
        streams,
    }
}

/// Cuts the ledger again and compares: the packets are one pure function of the events. Packets of an older state
/// are held against the events that this ledger extends.
///
/// # Errors
/// `packets-mismatch`, `packets-stale` for a state that this ledger does not extend, what reading refuses.
pub fn check(ledger: &OpenLedger, packets: &Packets) -> Result<()> {
    let mut hashers: BTreeMap<&str, (Hasher, u64)> = BTreeMap::new();
    let root = each_row(ledger, packets.size, &mut |name, bytes| {
        let (hasher, rows) = hashers.entry(name).or_default();
        hasher.update(bytes);
        *rows += 1;
        Ok(())
    })?;
    if packets.boundary != ledger.manifest().boundary.id || root != Some(packets.root) {
        return Err(stale(ledger));
    }
    for (name, _) in STREAMS {
        let stream = packets.stream(name)?;
        let (hasher, rows) = hashers.remove(name).unwrap_or_default();
        if stream.sha256 != hasher.finish() || stream.rows != rows {
            return Err(Refusal::new(Code::PacketsMismatch).at(name));
        }
        stream::check_digest(ledger.folder(), &stream.file, stream.bytes, stream.sha256)?;
    }
    Ok(())
}

/// Gives every row of every stream as it stands in its file, for the first `size` events. Returns the root of these;
/// `None` where there are fewer.
fn each_row(
    ledger: &OpenLedger,
    size: u64,
    put: &mut dyn FnMut(&'static str, &[u8]) -> Result<()>,
) -> Result<Option<Digest>> {
    let state = &ledger.manifest().ledger.state;
    let mut cutter = Cutter::default();
    let mut files = Files { packets_bytes: 0, outline_bytes: 0, part: None };
    let mut rows = Vec::new();
    // The root of the whole is known and was checked.
    let mut older = (size < state.size).then(Frontier::default);
    ledger.each_event(|event, line| {
        if event.ordinal >= size {
            return Ok(());
        }
        if let Some(older) = &mut older {
            older.push(leaf_hash(line), |_| {});
        }
        cutter.push(&event, line, &mut |row| rows.push(row));
        for row in rows.drain(..) {
            files.row(row, put)?;
        }
        Ok(())
    })?;
    cutter.finish(&mut |row| rows.push(row));
    for row in rows {
        files.row(row, put)?;
    }
    files.close_part(put)?;
    let root = older.map_or(state.root, |older| older.root());
    Ok((size <= state.size).then_some(root))
}

struct Files {
    packets_bytes: u64,
    outline_bytes: u64,
    part: Option<u64>,
}

impl Files {
    fn row(&mut self, row: Row, put: &mut dyn FnMut(&'static str, &[u8]) -> Result<()>) -> Result<()> {
        let lined = |mut bytes: Vec<u8>| {
            bytes.push(b'\n');
            bytes
        };
        match row {
            Row::Packet(row) => {
                let bytes = lined(json_line(&row)?);
                put("packets-index", &entry(self.packets_bytes, bytes.len() as u64))?;
                self.packets_bytes += bytes.len() as u64;
                put("packets", &bytes)
            }
            Row::Episode(row) => put("episodes", &lined(json_line(&row)?)),
            Row::Repeat(row) => put("repeats", &lined(json_line(&row)?)),
            Row::Outline(line, begins) => {
                if begins {
                    self.close_part(put)?;
                    self.part = Some(self.outline_bytes);
                }
                let bytes = lined(line.into_bytes());
                self.outline_bytes += bytes.len() as u64;
                put("outline", &bytes)
            }
        }
    }

    fn close_part(&mut self, put: &mut dyn FnMut(&'static str, &[u8]) -> Result<()>) -> Result<()> {
        let Some(start) = self.part.take() else { return Ok(()) };
        put("outline-parts", &entry(start, self.outline_bytes - start))
    }
}

fn entry(offset: u64, length: u64) -> Vec<u8> {
    [offset.to_le_bytes(), length.to_le_bytes()].concat()
}

/// One row of an indexed stream: a packet's row or a part of the outline.
///
/// # Errors
/// `packet-unknown` beyond the last; `stream-corrupt`.
pub fn indexed(
    ledger: &OpenLedger,
    packets: &Packets,
    index: &'static str,
    rows: &'static str,
    number: u64,
) -> Result<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;
    let index = packets.stream(index)?;
    let rows = packets.stream(rows)?;
    if number >= index.rows {
        return Err(Refusal::new(Code::PacketUnknown).hint(format!("there are {}", index.rows)));
    }
    let file = stream::open(ledger.folder(), &index.file, index.bytes)?;
    let mut entry = [0; 16];
    file.file().read_exact_at(&mut entry, number * ENTRY_BYTES).map_err(|error| file.read_failed(error))?;
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    let (offset, length) = entry.split_at(8);
    let (offset, length) = (number(offset), number(length));
    let corrupt = || Refusal::new(Code::StreamCorrupt).at(&rows.file);
    if offset.checked_add(length).is_none_or(|end| end > rows.bytes) {
        return Err(corrupt());
    }
    // Opened first: its size bounds the length.
    let file = stream::open(ledger.folder(), &rows.file, rows.bytes)?;
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| corrupt())?];
    file.file().read_exact_at(&mut bytes, offset).map_err(|error| file.read_failed(error))?;
    Ok(bytes)
}

/// The row of a packet id.
///
/// # Errors
/// `packet-unknown`, `stream-corrupt`.
pub fn find_packet(ledger: &OpenLedger, packets: &Packets, id: &str) -> Result<PacketRow> {
    let unknown = || Refusal::new(Code::PacketUnknown).at(id);
    let number = id.strip_prefix('p').and_then(|rest| rest.split_once('-')).map(|(number, _)| number);
    let number: u64 = number.and_then(|number| number.parse().ok()).ok_or_else(unknown)?;
    let bytes = indexed(ledger, packets, "packets-index", "packets", number)?;
    let row: PacketRow = serde_json::from_slice(bytes.trim_ascii_end())
        .map_err(|_| Refusal::new(Code::StreamCorrupt).at("packets"))?;
    if row.packet_id == id { Ok(row) } else { Err(unknown()) }
}

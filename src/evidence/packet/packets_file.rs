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
use crate::evidence::event::Event;
use crate::evidence::ledger::derive::json_line;
use crate::evidence::ledger::open::OpenLedger;
use crate::evidence::ledger::stream::{self, StreamWriter};
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
    /// True when they were cut from the present state of the ledger.
    pub fn is_of(&self, ledger: &OpenLedger) -> bool {
        let state = &ledger.manifest().ledger.state;
        (self.size, self.root) == (state.size, state.root)
    }

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
    let named = packets.streams.values().all(Stream::is_named_by_digest);
    let same = packets.schema_version == PACKETS_SCHEMA && canonical::to_bytes(&packets)? == bytes;
    if same && named { Ok(packets) } else { Err(invalid()) }
}

/// The packets of an open ledger, if they are there.
///
/// # Errors
/// `packets-missing`, `packets-stale`, `packets-mismatch`.
pub fn open(ledger: &OpenLedger) -> Result<Packets> {
    let hint = || format!("run `recap packetize {}`", ledger.path().path());
    match find(ledger)? {
        None => Err(Refusal::new(Code::PacketsMissing).hint(hint())),
        Some(packets) if packets.is_of(ledger) => Ok(packets),
        Some(_) => Err(Refusal::new(Code::PacketsStale).hint(hint())),
    }
}

/// The packets beside an open ledger, of whatever state; `None` when there are none.
///
/// # Errors
/// `packets-mismatch` for packets of another session or in another form.
pub fn find(ledger: &OpenLedger) -> Result<Option<Packets>> {
    let path = path_of(ledger.path());
    if !path.folder().exists(path.name())? {
        return Ok(None);
    }
    let packets = read_packets(&path)?;
    if packets.boundary == ledger.manifest().boundary.id {
        Ok(Some(packets))
    } else {
        Err(Refusal::new(Code::PacketsMismatch).at(path.name()))
    }
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
    let mut put = |name: &'static str, bytes: &[u8]| match writers.get_mut(name) {
        Some(writer) => writer.row(bytes),
        None => Ok(()),
    };
    let mut rows = Rows::default();
    ledger.each_event(|event, line| rows.push(&event, line, &mut put))?;
    rows.finish(&mut put)?;
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

/// Cuts a ledger again while somebody else reads it, and compares: the packets are one pure function of the events.
#[derive(Default)]
pub struct Recut {
    rows: Rows,
    hashers: BTreeMap<&'static str, (Hasher, u64)>,
}

impl Recut {
    /// Takes the next event and its line.
    ///
    /// # Errors
    /// `write-failed` if a row cannot be expressed in JSON, which ids, numbers and digests always can.
    pub fn push(&mut self, event: &Event, line: &[u8]) -> Result<()> {
        let Self { rows, hashers } = self;
        rows.push(event, line, &mut |name, bytes| hash(hashers, name, bytes))
    }

    /// Compares with what lies in the folder.
    ///
    /// # Errors
    /// `packets-mismatch`, `stream-missing`, `stream-corrupt`.
    pub fn finish(self, ledger: &OpenLedger, packets: &Packets) -> Result<()> {
        let Self { rows, mut hashers } = self;
        rows.finish(&mut |name, bytes| hash(&mut hashers, name, bytes))?;
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
}

fn hash(hashers: &mut BTreeMap<&'static str, (Hasher, u64)>, name: &'static str, bytes: &[u8]) -> Result<()> {
    let (hasher, rows) = hashers.entry(name).or_default();
    hasher.update(bytes);
    *rows += 1;
    Ok(())
}

/// Takes one row of a stream as it stands in its file.
type Put<'p> = &'p mut dyn FnMut(&'static str, &[u8]) -> Result<()>;

/// Every row of every stream, in the order in which events give them.
#[derive(Default)]
struct Rows {
    cutter: Cutter,
    files: Files,
    fresh: Vec<Row>,
}

impl Rows {
    fn push(&mut self, event: &Event, line: &[u8], put: Put<'_>) -> Result<()> {
        let Self { cutter, files, fresh } = self;
        cutter.push(event, line, &mut |row| fresh.push(row));
        fresh.drain(..).try_for_each(|row| files.row(row, put))
    }

    fn finish(self, put: Put<'_>) -> Result<()> {
        let Self { cutter, mut files, mut fresh } = self;
        cutter.finish(&mut |row| fresh.push(row));
        fresh.into_iter().try_for_each(|row| files.row(row, put))?;
        files.close_part(put)
    }
}

#[derive(Default)]
struct Files {
    packets_bytes: u64,
    outline_bytes: u64,
    part: Option<u64>,
}

impl Files {
    fn row(&mut self, row: Row, put: Put<'_>) -> Result<()> {
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

    fn close_part(&mut self, put: Put<'_>) -> Result<()> {
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

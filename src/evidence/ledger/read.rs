//! One event or one packet in a time that does not depend on the ledger: an index entry, one seek, and the
//! stored tree nodes that prove what was read against the root.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::os::unix::fs::FileExt as _;

use super::open::OpenLedger;
use super::parts::rows_in_a_part;
use super::stream;
use super::tree::{NODE_BYTES, leaf_hash, root_with_range, stored_nodes};
use super::write::{INDEX_BYTES, segment_file};
use crate::base::digest::Digest;
use crate::base::ids::{EventId, Ordinal};
use crate::base::private::{Folder, OpenArtifact};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::Event;
use crate::evidence::manifest::Stream;

/// Reads proven events.
pub struct EventReader<'l> {
    ledger: &'l OpenLedger,
    index: Table<'l, INDEX_BYTES>,
    nodes: Table<'l, NODE_BYTES>,
}

/// A stream of rows of one width, in parts that are opened as they are needed.
pub struct Table<'l, const WIDTH: u64> {
    folder: &'l Folder,
    parts: &'l [Stream],
    opened: RefCell<BTreeMap<usize, OpenArtifact>>,
}

impl<'l, const WIDTH: u64> Table<'l, WIDTH> {
    /// Every part but the last is full, and there are so many rows; else it is none of ours.
    ///
    /// # Errors
    /// `manifest-invalid`.
    pub fn open(ledger: &'l OpenLedger, name: &'static str, rows: u64) -> Result<Self> {
        let parts = ledger.parts(name)?;
        let full = rows_in_a_part(WIDTH);
        let plain = parts.len() as u64 == rows.div_ceil(full)
            && parts.iter().zip(0..).all(|(part, number)| {
                part.rows == full.min(rows.saturating_sub(number * full)) && part.bytes == part.rows * WIDTH
            });
        if !plain {
            return Err(Refusal::new(Code::ManifestInvalid).at(name));
        }
        Ok(Self { folder: ledger.folder(), parts, opened: RefCell::default() })
    }

    /// Reads one row.
    ///
    /// # Errors
    /// `stream-missing`, `stream-corrupt`, `read-failed`.
    pub fn read(&self, row: u64, bytes: &mut [u8]) -> Result<()> {
        let full = rows_in_a_part(WIDTH);
        let number = usize::try_from(row / full).unwrap_or(usize::MAX);
        let part = self.parts.get(number).ok_or_else(|| Refusal::new(Code::StreamCorrupt))?;
        let mut opened = self.opened.borrow_mut();
        let file = match opened.entry(number) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(stream::open(self.folder, &part.file, part.bytes)?),
        };
        file.file().read_exact_at(bytes, row % full * WIDTH).map_err(|error| file.read_failed(error))
    }
}

impl<'l> EventReader<'l> {
    /// Opens index and nodes.
    ///
    /// # Errors
    /// `manifest-invalid` where the manifest names other parts than there must be.
    pub fn open(ledger: &'l OpenLedger) -> Result<Self> {
        let state = ledger.manifest().ledger.state;
        let index = Table::open(ledger, "index", state.size)?;
        let nodes = Table::open(ledger, "nodes", stored_nodes(state.size))?;
        Ok(Self { ledger, index, nodes })
    }

    /// The events `first ..= last`, proven against the root.
    ///
    /// # Errors
    /// `event-missing` outside the ledger; `tree-mismatch` when what was read does not prove.
    pub fn range(&self, first: Ordinal, last: Ordinal) -> Result<Vec<Event>> {
        let state = self.ledger.manifest().ledger.state;
        if first > last || last >= state.size {
            return Err(Refusal::new(Code::EventMissing).at(format!("event {last}")));
        }
        let mut leaves = Vec::new();
        let mut events = Vec::new();
        let mut open: Option<(u64, OpenArtifact)> = None;
        for ordinal in first..=last {
            let [number, offset, length] = self.entry(ordinal)?;
            if open.as_ref().is_none_or(|(own, _)| *own != number) {
                open = Some((number, self.segment(number)?));
            }
            let Some((_, segment)) = &open else { continue };
            if offset.saturating_add(length) > segment.size_bytes() {
                return Err(corrupt(ordinal));
            }
            let mut line = vec![0; usize::try_from(length).map_err(|_| corrupt(ordinal))?];
            segment.file().read_exact_at(&mut line, offset).map_err(|error| segment.read_failed(error))?;
            leaves.push(leaf_hash(&line));
            let event = Event::parse(&line)?;
            if event.ordinal != ordinal {
                return Err(corrupt(ordinal));
            }
            events.push(event);
        }
        let root = root_with_range(state.size, first, &leaves, &mut |place| self.node(place));
        if root == Some(state.root) { Ok(events) } else { Err(corrupt(first)) }
    }

    /// The event of an id.
    ///
    /// # Errors
    /// `event-missing` for an id that is not in this ledger; as [`EventReader::range`].
    pub fn event(&self, id: EventId) -> Result<Event> {
        let missing = || Refusal::new(Code::EventMissing).at(id);
        if id.ordinal() >= self.ledger.manifest().ledger.state.size {
            return Err(missing());
        }
        let event = self.range(id.ordinal(), id.ordinal())?.pop();
        event.filter(|event| event.event_id == id).ok_or_else(missing)
    }

    fn entry(&self, ordinal: Ordinal) -> Result<[u64; 3]> {
        let mut entry = [0; 24];
        self.index.read(ordinal, &mut entry)?;
        let mut numbers = [0; 3];
        for (number, bytes) in numbers.iter_mut().zip(entry.chunks_exact(8)) {
            *number = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        }
        Ok(numbers)
    }

    fn segment(&self, number: u64) -> Result<OpenArtifact> {
        let segments = &self.ledger.manifest().ledger.segments;
        let segment = usize::try_from(number).ok().and_then(|place| segments.get(place));
        let segment = segment.ok_or_else(|| Refusal::new(Code::StreamCorrupt).at("index"))?;
        stream::open(self.ledger.folder(), &segment_file(segment), segment.bytes)
    }

    fn node(&self, place: u64) -> Option<Digest> {
        let mut bytes = [0; 32];
        self.nodes.read(place, &mut bytes).ok()?;
        Some(Digest::from_bytes(bytes))
    }
}

fn corrupt(ordinal: Ordinal) -> Refusal {
    Refusal::new(Code::TreeMismatch).at(format!("event {ordinal}"))
}

//! One event or one packet in a time that does not depend on the ledger: an index entry, one seek, and the
//! stored tree nodes that prove what was read against the root.

use std::os::unix::fs::FileExt as _;

use super::open::OpenLedger;
use super::stream;
use super::tree::{NODE_BYTES, leaf_hash, root_with_range, stored_nodes};
use super::write::{INDEX_BYTES, segment_file};
use crate::base::digest::Digest;
use crate::base::ids::{EventId, Ordinal};
use crate::base::private::OpenArtifact;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::Event;

/// Reads proven events.
pub struct EventReader<'l> {
    ledger: &'l OpenLedger<'l>,
    index: OpenArtifact,
    nodes: OpenArtifact,
}

impl<'l> EventReader<'l> {
    /// Opens index and nodes.
    ///
    /// # Errors
    /// `stream-missing`, `stream-corrupt`.
    pub fn open(ledger: &'l OpenLedger<'l>) -> Result<Self> {
        let state = ledger.manifest().ledger.state;
        let index = ledger.stream("index")?;
        let nodes = ledger.stream("nodes")?;
        if index.bytes != state.size * INDEX_BYTES || nodes.bytes != stored_nodes(state.size) * NODE_BYTES {
            return Err(Refusal::new(Code::ManifestInvalid).at("index"));
        }
        Ok(Self {
            ledger,
            index: stream::open(ledger.folder(), &index.file, index.bytes)?,
            nodes: stream::open(ledger.folder(), &nodes.file, nodes.bytes)?,
        })
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
        let offset = ordinal * INDEX_BYTES;
        self.index.file().read_exact_at(&mut entry, offset).map_err(|error| self.index.read_failed(error))?;
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
        self.nodes.file().read_exact_at(&mut bytes, place * NODE_BYTES).ok()?;
        Some(Digest::from_bytes(bytes))
    }
}

fn corrupt(ordinal: Ordinal) -> Refusal {
    Refusal::new(Code::TreeMismatch).at(format!("event {ordinal}"))
}

//! Lines to files: segments of whole packets, the records ledger, both trees with their nodes, the index. All
//! of it is in temporary or digest-named files that count for nothing until a manifest names them.

use std::collections::BTreeMap;
use std::io::Write;

use serde::{Deserialize, Serialize};

use super::parts::{PartsMark, PartsWriter};
use super::stream::{Mark, Sink, StreamWriter};
use super::tree::{Frontier, LeafHasher, leaf_hash};
use crate::base::digest::Digest;
use crate::base::ids::Ordinal;
use crate::base::limits::SEGMENT_BYTES;
use crate::base::private::Folder;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::Event;
use crate::evidence::event::record_line::RecordLine;
use crate::evidence::manifest::{Ledger, Segment, Stream};
use crate::evidence::slice::Slicer;
use crate::evidence::table::LedgerState;

/// Bytes of one index entry: segment number, offset and length of the line, each 8 bytes little-endian.
pub const INDEX_BYTES: u64 = 24;

/// What stands behind the digests of parts.
const RECORDS: &str = "records.jsonl";
const NODES: &str = "nodes.bin";
const RECORDS_NODES: &str = "records-nodes.bin";
const INDEX: &str = "index.bin";

/// Bytes of a text whose line is not held whole.
const LONG_BYTES: usize = 1024 * 1024;

/// Writes the ledger of one collection.
pub struct LedgerWriter {
    folder: Folder,
    events: Tree,
    records: Tree,
    records_lines: PartsWriter,
    index: PartsWriter,
    segment: Option<Open>,
    segments: Vec<Segment>,
    slicer: Slicer,
    line: Vec<u8>,
    watched: Option<Watched>,
}

struct Open {
    lines: StreamWriter,
    first_ordinal: Ordinal,
}

/// A ledger whose files are published under their digests.
pub struct Closed {
    /// Sizes and roots.
    pub state: LedgerState,
    /// Event lines.
    pub segments: Vec<Segment>,
    /// Records, nodes of both trees, index.
    pub parts: BTreeMap<String, Vec<Stream>>,
}

/// A place in a ledger: what has to be known to add to it there.
#[derive(Debug, Serialize, Deserialize)]
pub struct Place {
    events: TreePlace,
    records: TreePlace,
    records_lines: PartsMark,
    index: PartsMark,
    closed_segments: u64,
    segment: Option<(Mark, Ordinal)>,
    slicer: Slicer,
}

#[derive(Debug, Serialize, Deserialize)]
struct TreePlace {
    frontier: Frontier,
    nodes: PartsMark,
}

struct Tree {
    frontier: Frontier,
    nodes: PartsWriter,
}

impl Tree {
    fn create(folder: &Folder, extension: &'static str) -> Self {
        Self { frontier: Frontier::default(), nodes: PartsWriter::create(folder, extension) }
    }

    fn grow(folder: &Folder, extension: &'static str, nodes: &[Stream], place: TreePlace) -> Result<Self> {
        let nodes = PartsWriter::grow(folder, extension, nodes, place.nodes)?;
        Ok(Self { frontier: place.frontier, nodes })
    }

    fn place(&self) -> TreePlace {
        TreePlace { frontier: self.frontier.clone(), nodes: self.nodes.mark() }
    }

    fn push(&mut self, leaf: Digest) -> Result<()> {
        let nodes = &mut self.nodes;
        let mut written = Ok(());
        self.frontier.push(leaf, |node| {
            if written.is_ok() {
                written = nodes.row(node.as_bytes());
            }
        });
        written
    }
}

/// A long line on its way to its segment, hashed piece by piece.
struct Pieces<'s> {
    sink: Sink<'s>,
    leaf: LeafHasher,
}

impl<'s> Pieces<'s> {
    /// Writes the line of an event; gives its leaf.
    fn write(event: &Event, lines: &'s mut StreamWriter) -> Result<Digest> {
        let mut pieces = Self { sink: Sink::of(lines), leaf: LeafHasher::default() };
        let written = event.write_line(&mut pieces);
        pieces.sink.close()?;
        written.map(|()| pieces.leaf.finish())
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.leaf.update(bytes);
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An older state that the new ledger must extend.
struct Watched {
    state: LedgerState,
    events_held: bool,
    records_held: bool,
}

impl LedgerWriter {
    /// Begins in a ledger folder. `extends` is the state of the ledger that this one must grow from.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn create(folder: &Folder, extends: Option<LedgerState>) -> Result<Self> {
        let mut writer = Self {
            folder: folder.clone(),
            events: Tree::create(folder, NODES),
            records: Tree::create(folder, RECORDS_NODES),
            records_lines: PartsWriter::create(folder, RECORDS),
            index: PartsWriter::create(folder, INDEX),
            segment: None,
            segments: Vec::new(),
            slicer: Slicer::default(),
            line: Vec::new(),
            watched: extends.map(|state| Watched { state, events_held: false, records_held: false }),
        };
        writer.watch_events();
        writer.watch_records();
        Ok(writer)
    }

    /// Goes on with an older ledger at a place in it. Closed segments stay as they are and are not read; everything else
    /// is copied up to the place, with its digest checked. The ledger must extend the older one.
    ///
    /// # Errors
    /// `stream-missing`, `stream-corrupt`, `write-failed`; `counts-mismatch` for a place that is not in this ledger.
    pub fn grow(folder: &Folder, older: &Ledger, place: Place) -> Result<Self> {
        let elsewhere = || Refusal::new(Code::CountsMismatch).at("ledger");
        let parts = |name: &str| older.parts.get(name).ok_or_else(elsewhere);
        let closed = usize::try_from(place.closed_segments).unwrap_or(usize::MAX);
        let segments = older.segments.get(..closed).ok_or_else(elsewhere)?.to_vec();
        for segment in &segments {
            super::stream::open(folder, &segment_file(segment), segment.bytes)?;
        }
        let segment = match place.segment {
            None => None,
            Some((mark, first_ordinal)) => {
                let last = older.segments.get(closed).ok_or_else(elsewhere)?;
                let stream = Stream {
                    sha256: last.sha256,
                    file: segment_file(last),
                    bytes: last.bytes,
                    rows: last.events,
                };
                Some(Open { lines: StreamWriter::grow(folder, &stream, mark)?, first_ordinal })
            }
        };
        let mut writer = Self {
            folder: folder.clone(),
            events: Tree::grow(folder, NODES, parts("nodes")?, place.events)?,
            records: Tree::grow(folder, RECORDS_NODES, parts("records-nodes")?, place.records)?,
            records_lines: PartsWriter::grow(folder, RECORDS, parts("records")?, place.records_lines)?,
            index: PartsWriter::grow(folder, INDEX, parts("index")?, place.index)?,
            segment,
            segments,
            slicer: place.slicer,
            line: Vec::new(),
            watched: Some(Watched { state: older.state, events_held: false, records_held: false }),
        };
        writer.watch_events();
        writer.watch_records();
        Ok(writer)
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        Place {
            events: self.events.place(),
            records: self.records.place(),
            records_lines: self.records_lines.mark(),
            index: self.index.mark(),
            closed_segments: self.segments.len() as u64,
            segment: self.segment.as_ref().map(|open| (open.lines.mark(), open.first_ordinal)),
            slicer: self.slicer.clone(),
        }
    }

    fn watch_events(&mut self) {
        if let Some(watched) = &mut self.watched
            && watched.state.size == self.events.frontier.size()
        {
            watched.events_held = self.events.frontier.root() == watched.state.root;
        }
    }

    fn watch_records(&mut self) {
        if let Some(watched) = &mut self.watched
            && watched.state.records == self.records.frontier.size()
        {
            watched.records_held = self.records.frontier.root() == watched.state.records_root;
        }
    }

    /// Adds a records line.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn record(&mut self, record: &RecordLine) -> Result<()> {
        self.line.clear();
        record.write_line(&mut self.line)?;
        self.records.push(leaf_hash(&self.line))?;
        self.records_lines.line(&self.line)?;
        self.watch_records();
        Ok(())
    }

    /// Adds an event line.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn event(&mut self, event: &Event) -> Result<()> {
        let cut = self.slicer.push(event);
        if cut.packet && self.segment.as_ref().is_some_and(|open| open.lines.bytes() >= SEGMENT_BYTES) {
            self.close_segment()?;
        }
        let segment = match &mut self.segment {
            Some(open) => open,
            None => self
                .segment
                .insert(Open { lines: StreamWriter::create(&self.folder)?, first_ordinal: event.ordinal }),
        };
        let mut entry = Vec::with_capacity(24);
        let offset = segment.lines.bytes();
        let leaf = if event.text.as_str().len() > LONG_BYTES {
            let leaf = Pieces::write(event, &mut segment.lines)?;
            segment.lines.row(b"\n")?;
            leaf
        } else {
            self.line.clear();
            event.write_line(&mut self.line)?;
            segment.lines.line(&self.line)?;
            leaf_hash(&self.line)
        };
        let length = segment.lines.bytes() - offset - 1;
        for number in [self.segments.len() as u64, offset, length] {
            entry.extend_from_slice(&number.to_le_bytes());
        }
        self.index.row(&entry)?;
        self.events.push(leaf)?;
        self.watch_events();
        Ok(())
    }

    fn close_segment(&mut self) -> Result<()> {
        let Some(open) = self.segment.take() else { return Ok(()) };
        let stream = open.lines.finish("events.jsonl")?;
        self.segments.push(Segment {
            sha256: stream.sha256,
            bytes: stream.bytes,
            first_ordinal: open.first_ordinal,
            events: stream.rows,
        });
        Ok(())
    }

    /// True when the ledger so far extends the older state, or there was none.
    pub fn extends(&self) -> bool {
        self.watched.as_ref().is_none_or(|watched| watched.events_held && watched.records_held)
    }

    /// Publishes every file under its digest.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn finish(mut self) -> Result<Closed> {
        self.close_segment()?;
        let state = LedgerState {
            size: self.events.frontier.size(),
            root: self.events.frontier.root(),
            records: self.records.frontier.size(),
            records_root: self.records.frontier.root(),
        };
        let parts = BTreeMap::from([
            ("records".to_owned(), self.records_lines.finish()?),
            ("nodes".to_owned(), self.events.nodes.finish()?),
            ("records-nodes".to_owned(), self.records.nodes.finish()?),
            ("index".to_owned(), self.index.finish()?),
        ]);
        Ok(Closed { state, segments: self.segments, parts })
    }
}

/// Name of a segment's file.
pub fn segment_file(segment: &Segment) -> String {
    format!("{}.events.jsonl", segment.sha256)
}

//! Validating a ledger from its files alone, in bounded memory: every named stream has its digest; lines parse
//! strictly; ids, salts, both trees with their nodes, index, tiling, counts, relations and observations follow.
//! The transcript and the drafts are not needed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, sync_channel};

use super::derive::{Derivation, Derived, Line, json_line};
use super::open::OpenLedger;
use super::parts::PartsHasher;
use super::side_files;
use super::stream;
use super::tree::{Frontier, leaf_hash, stored_nodes};
use crate::base::digest::Hasher;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::Event;
use crate::evidence::event::keys::EventKeys;
use crate::evidence::event::record_line::{Disposition, RecordLine};
use crate::evidence::manifest::Segment;

/// Lines handed over at once.
const LINES_AT_ONCE: usize = 256;
const HANDOVERS: usize = 4;

/// What was found to hold.
#[derive(Debug, Clone, Copy, Default)]
pub struct Checked {
    /// Events.
    pub events: u64,
    /// Records.
    pub records: u64,
    /// Ids and salts followed from the secret; false in an auditor's copy without it.
    pub ids: bool,
}

/// Checks everything that the manifest names, in one pass over the events. `also` sees each event and its line on the
/// way, for what another file says about them.
///
/// # Errors
/// The first thing that does not hold, with its code; whatever `also` refuses.
pub fn check(
    ledger: &OpenLedger,
    also: &mut (dyn FnMut(&Event, &[u8]) -> Result<()> + Send),
) -> Result<Checked> {
    let manifest = ledger.manifest();
    let keys = ledger.secret()?.map(|secret| secret.event_keys(manifest.boundary.id));
    let ids = keys.is_some();
    let (events_to, events) = sync_channel::<Vec<Event>>(HANDOVERS);
    std::thread::scope(|scope| {
        let reading = scope.spawn(move || {
            let mut walk = EventWalk::new(keys, &manifest.ledger.segments);
            let mut nodes = PartsHasher::default();
            let mut batch = Vec::with_capacity(LINES_AT_ONCE);
            let each = |event: Event, line: &[u8]| {
                walk.event(&event, line)?;
                also(&event, line)?;
                batch.push(event);
                if batch.len() >= LINES_AT_ONCE {
                    let full = std::mem::replace(&mut batch, Vec::with_capacity(LINES_AT_ONCE));
                    // The other side ends early only by a refusal of its own.
                    let _ = events_to.send(full);
                }
                Ok(())
            };
            ledger.each_event_and_node(each, |node| nodes.row(node.as_bytes()))?;
            let _ = events_to.send(batch);
            check_parts(ledger, "nodes", nodes, Code::TreeMismatch)?;
            check_parts(ledger, "index", walk.index, Code::TreeMismatch)
        });
        let joined = join_lines(ledger, events);
        // The thread ends by returning; a panic in it is a fault of ours and goes on here.
        reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        joined
    })?;
    let state = manifest.ledger.state;
    Ok(Checked { events: state.size, records: state.records, ids })
}

/// Follows events for what needs only them.
struct EventWalk<'m> {
    keys: Option<EventKeys>,
    index: PartsHasher,
    segments: &'m [Segment],
    number: usize,
    offset: u64,
}

impl<'m> EventWalk<'m> {
    fn new(keys: Option<EventKeys>, segments: &'m [Segment]) -> Self {
        Self { keys, index: PartsHasher::default(), segments, number: 0, offset: 0 }
    }

    fn event(&mut self, event: &Event, line: &[u8]) -> Result<()> {
        if let Some(keys) = &self.keys {
            let offset = event.record.offset;
            let id = keys.event_id(event.ordinal, offset, event.item, event.surface, event.text.as_str());
            if id != event.event_id || keys.salt(event.ordinal, offset, event.item) != event.salt {
                return Err(Refusal::new(Code::EventIdMismatch).at(format!("event {}", event.ordinal)));
            }
        }
        let mut written = Compared { left: line, same: true };
        event.write_line(&mut written)?;
        if !written.same || !written.left.is_empty() {
            return Err(Refusal::new(Code::LineInvalid).at(format!("event {}", event.ordinal)));
        }
        if self.segments.get(self.number + 1).is_some_and(|next| next.first_ordinal == event.ordinal) {
            self.number += 1;
            self.offset = 0;
        }
        let entry = [self.number as u64, self.offset, line.len() as u64].map(u64::to_le_bytes);
        self.index.row(entry.as_flattened());
        self.offset += line.len() as u64 + 1;
        Ok(())
    }
}

/// Compares what is written with what there is, so that a long line is not held a second time.
struct Compared<'l> {
    left: &'l [u8],
    same: bool,
}

impl std::io::Write for Compared<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.left.strip_prefix(bytes) {
            Some(left) => self.left = left,
            None => self.same = false,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The parts hold what was hashed, by the manifest and on the disk.
fn check_parts(ledger: &OpenLedger, name: &'static str, hashed: PartsHasher, code: Code) -> Result<()> {
    let parts = ledger.parts(name)?;
    if !hashed.are(parts) {
        return Err(Refusal::new(code).at(name));
    }
    parts
        .iter()
        .try_for_each(|part| stream::check_digest(ledger.folder(), &part.file, part.bytes, part.sha256))
}

/// Walks records and events together and rebuilds what follows from both.
fn join_lines(ledger: &OpenLedger, events: Receiver<Vec<Event>>) -> Result<()> {
    let manifest = ledger.manifest();
    let mut events = events.into_iter().flatten();
    let mut derivation = Derivation::default();
    let mut relations = PartsHasher::default();
    let mut observations = Rows::default();
    let mut nodes = Frontier::default();
    let mut stored = PartsHasher::default();
    let mut next_byte = 0;
    let mut next_ordinal = 0;
    ledger.each_record(|record| {
        let tiled = record.offset >= next_byte
            && record.length > 0
            && record.offset.checked_add(record.length).is_some_and(|end| end <= manifest.source.size);
        if !tiled {
            return Err(Refusal::new(Code::TilingBroken).at(format!("byte {}", record.offset)));
        }
        next_byte = record.offset + record.length;
        let mut line = Vec::new();
        record.write_line(&mut line)?;
        nodes.push(leaf_hash(&line), |node| stored.row(node.as_bytes()));
        let wanted = record.events;
        let plain = (wanted > 0) == (record.disposition == Disposition::Events)
            && record.first_ordinal == (wanted > 0).then_some(next_ordinal);
        if !plain {
            return Err(record_mismatch(&record));
        }
        let place = (record.offset, record.length);
        derivation.push(&Line::Record(record), &mut |row| add(&mut relations, row))?;
        for item in 0..wanted {
            let event = events.next().ok_or_else(|| Refusal::new(Code::CountsMismatch).at("events"))?;
            if (event.record.offset, event.record.length) != place || u64::from(event.item) != item {
                return Err(Refusal::new(Code::CountsMismatch).at(format!("event {}", event.ordinal)));
            }
            next_ordinal += 1;
            derivation.push(&Line::Event(event), &mut |row| add(&mut relations, row))?;
        }
        Ok(())
    })?;
    if events.next().is_some() {
        return Err(Refusal::new(Code::CountsMismatch).at("events"));
    }
    check_parts(ledger, "records-nodes", stored, Code::TreeMismatch)?;
    let framing = manifest.coverage.framing_bytes;
    let derived =
        derivation.finish(framing, &mut |row| add(&mut relations, row), &mut |row| observations.add(row))?;
    check_parts(ledger, "relations", relations, Code::RelationsMismatch)?;
    compare(ledger, derived, observations, next_byte)
}

fn record_mismatch(record: &RecordLine) -> Refusal {
    Refusal::new(Code::CountsMismatch).at(format!("record at byte {}", record.offset))
}

fn compare(ledger: &OpenLedger, derived: Derived, observations: Rows, last_byte: u64) -> Result<()> {
    let manifest = ledger.manifest();
    let stream = ledger.stream("observations")?;
    let observed = &manifest.git.session_observed;
    if stream.sha256 != observations.hasher.finish()
        || stream.rows != observations.rows
        || stream.sha256 != observed.sha256
    {
        return Err(Refusal::new(Code::ObservationsMismatch).at("observations"));
    }
    stream::check_digest(ledger.folder(), &stream.file, stream.bytes, stream.sha256)?;
    check_rows(ledger, &derived)?;
    side_files::check(ledger, &derived.side_files)?;
    let mut coverage = derived.coverage;
    coverage.partial_tail = manifest.coverage.partial_tail;
    coverage.source_complete = manifest.coverage.source_complete;
    let tail = coverage.partial_tail.map_or(0, |span| span.length);
    coverage.record_bytes += tail;
    if coverage
        .partial_tail
        .is_some_and(|span| span.offset < last_byte || span.offset + span.length > manifest.source.size)
        || coverage.record_bytes + coverage.framing_bytes != manifest.source.size
    {
        return Err(Refusal::new(Code::TilingBroken).at("manifest"));
    }
    let damaged = tail > 0 || coverage.records.contains_key(Disposition::Malformed.name());
    if coverage != manifest.coverage || (damaged && coverage.source_complete) {
        return Err(Refusal::new(Code::CountsMismatch).at("coverage"));
    }
    let fewer = derived.limitations.iter().any(|(code, count)| manifest.limitations.get(code) != Some(count));
    if fewer {
        return Err(Refusal::new(Code::CountsMismatch).at("limitations"));
    }
    Ok(())
}

/// Numbers of rows that follow from the sizes of the trees, the counts of the observations, and what the whole tells
/// of the end.
fn check_rows(ledger: &OpenLedger, derived: &Derived) -> Result<()> {
    let state = ledger.manifest().ledger.state;
    for (name, rows) in [
        ("index", state.size),
        ("nodes", stored_nodes(state.size)),
        ("records", state.records),
        ("records-nodes", stored_nodes(state.records)),
    ] {
        if ledger.parts(name)?.iter().map(|part| part.rows).sum::<u64>() != rows {
            return Err(Refusal::new(Code::CountsMismatch).at(name));
        }
    }
    let observed = &ledger.manifest().git.session_observed;
    let counted = |own: &BTreeMap<Cow<'static, str>, u64>, told: &BTreeMap<String, u64>| {
        own.len() == told.len() && own.iter().all(|(kind, count)| told.get(&**kind) == Some(count))
    };
    let observations = &derived.observations;
    let same = observed.last_mutation == observations.last_mutation
        && ledger.manifest().git.session_end == observations.session_end
        && observed.records == observations.rows
        && counted(&observations.counts, &observed.counts)
        && counted(&observations.omitted, &observed.omitted);
    if same { Ok(()) } else { Err(Refusal::new(Code::ObservationsMismatch).at("manifest")) }
}

fn add<T: serde::Serialize>(parts: &mut PartsHasher, row: &T) -> Result<()> {
    let mut line = json_line(row)?;
    line.push(b'\n');
    parts.row(&line);
    Ok(())
}

/// Hashes the rows of a derived file as they would be written.
#[derive(Default)]
struct Rows {
    hasher: Hasher,
    rows: u64,
}

impl Rows {
    fn add<T: serde::Serialize>(&mut self, row: &T) -> Result<()> {
        self.hasher.update(&json_line(row)?);
        self.hasher.update(b"\n");
        self.rows += 1;
        Ok(())
    }
}

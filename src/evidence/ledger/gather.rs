//! The parallel half of collecting: one thread cuts the transcript into batches, workers parse records and
//! search them for secrets, and the caller gets the results in file order. At most a fixed number of batches is
//! on the way, so memory does not depend on the size of the transcript.

use std::collections::BTreeMap;
use std::io::Read;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::credential::Spotter;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::line::RecordSpan;
use crate::evidence::event::prepared::{Edge, Prepared, SeenFacts};
use crate::evidence::scrub::Spotted;
use crate::evidence::transcript::document::Document;
use crate::evidence::transcript::frame::{Batch, Framer, PartKind, Parts};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::pieces::{Piece, cut, whole_object};
use crate::evidence::transcript::reading::Reader;

/// Batches between the reading thread and the caller.
const BATCHES_ON_THE_WAY: usize = 6;

/// What workers need.
#[derive(Clone, Copy)]
pub struct Setup<'s> {
    /// The harness's reader.
    pub reader: &'s dyn Reader,
    /// The boundary's own native session id.
    pub session: &'s str,
    /// The key under which fingerprints are kept.
    pub fingerprint_key: &'s [u8; 32],
    /// The source is one document and no lines.
    pub document: bool,
    /// The search for secrets.
    pub spotter: &'s Spotter,
    /// Set by SIGINT.
    pub interrupted: &'s AtomicBool,
}

/// What the whole pass showed.
#[derive(Debug)]
pub struct Pass {
    /// Hash of the snapshot, if it was read from the beginning.
    pub blake3: Option<blake3::Hash>,
    /// Hash of the watched prefix.
    pub watched: Option<blake3::Hash>,
    /// Bytes that the source gave.
    pub bytes_read: u64,
    /// Terminators, blank bytes and a byte order mark.
    pub framing_bytes: u64,
    /// The last line ended with a line feed, or there was none.
    pub terminated: bool,
    /// The source begins with a byte order mark.
    pub byte_order_mark: bool,
}

/// Which part of a source is read.
pub struct Stretch {
    /// Where it begins; the source stands there. Only a stretch from the beginning is hashed.
    pub edge: Edge,
    /// The end of the snapshot.
    pub size: u64,
    /// A length whose hash is wanted, too.
    pub watch: Option<u64>,
}

impl Stretch {
    /// The whole of a snapshot.
    pub fn whole(size: u64, watch: Option<u64>) -> Self {
        let edge = Edge { offset: 0, framing_bytes: 0, byte_order_mark: false };
        Self { edge, size, watch }
    }
}

/// One batch, read.
#[derive(Default)]
struct Work {
    offset: u64,
    prepared: Vec<Prepared>,
    framing_bytes: u64,
    terminated: bool,
    byte_order_mark: bool,
}

/// One batch, read, or the panic that reading it ended in: without it the others would wait for this batch for ever.
type Outcome = std::thread::Result<Work>;

/// Reads a stretch of a source and gives every piece in file order to `each`.
///
/// # Errors
/// `read-failed`, `interrupted`, or whatever `each` refuses.
pub fn gather<R: Read + Send>(
    source: R,
    stretch: Stretch,
    setup: Setup<'_>,
    mut each: impl FnMut(Prepared) -> Result<()>,
) -> Result<Pass> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(BATCHES_ON_THE_WAY);
    std::thread::scope(|scope| {
        let (batch_to, batches) = sync_channel::<(u64, Batch)>(workers);
        let (work_to, works) = sync_channel::<(u64, Outcome)>(BATCHES_ON_THE_WAY);
        let (token_to, tokens) = sync_channel::<()>(BATCHES_ON_THE_WAY);
        for _ in 0..BATCHES_ON_THE_WAY {
            // The channel has room for all of them.
            let _ = token_to.try_send(());
        }
        let Stretch { edge, size, watch } = stretch;
        let framer = match edge.offset {
            0 => Framer::new(source, size, watch),
            from => Framer::behind(source, from, size),
        };
        let framing = scope.spawn(move || frame(framer, setup.document, &batch_to, &tokens));
        let batches = Arc::new(Mutex::new(batches));
        for _ in 0..workers {
            let (batches, work_to) = (Arc::clone(&batches), work_to.clone());
            scope.spawn(move || work(&batches, &work_to, setup));
        }
        drop(work_to);
        drop(batches);

        let mut total = Total { edge, settled: false, terminated: true };
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        while let Ok((number, outcome)) = works.recv() {
            // A fault of ours goes on here.
            let work = outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            waiting.insert(number, work);
            while let Some(work) = waiting.remove(&next) {
                next += 1;
                let _ = token_to.try_send(());
                if setup.interrupted.load(Ordering::Relaxed) {
                    return Err(Refusal::new(Code::Interrupted));
                }
                total.add(work, &mut each)?;
            }
        }
        // The thread ends by returning; a panic in it is a fault of ours and goes on here.
        let framer = framing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let framer = framer.map_err(|_| Refusal::new(Code::ReadFailed).at("the transcript"))?;
        total.settle(framer.bytes_read(), &mut each)?;
        Ok(Pass {
            blake3: framer.hash(),
            watched: framer.watched(),
            bytes_read: framer.bytes_read(),
            framing_bytes: total.edge.framing_bytes,
            terminated: total.terminated,
            byte_order_mark: total.edge.byte_order_mark,
        })
    })
}

/// What the batches so far came to.
struct Total {
    edge: Edge,
    settled: bool,
    terminated: bool,
}

impl Total {
    fn add(&mut self, work: Work, each: &mut impl FnMut(Prepared) -> Result<()>) -> Result<()> {
        // Only the last line of all can be without a terminator, and it is a batch of its own.
        if !work.terminated {
            self.settle(work.offset, each)?;
        }
        self.edge.framing_bytes += work.framing_bytes;
        self.edge.byte_order_mark |= work.byte_order_mark;
        self.terminated = work.terminated;
        work.prepared.into_iter().try_for_each(each)
    }

    fn settle(&mut self, offset: u64, each: &mut impl FnMut(Prepared) -> Result<()>) -> Result<()> {
        if std::mem::replace(&mut self.settled, true) {
            return Ok(());
        }
        each(Prepared::Edge(Edge { offset, ..self.edge }))
    }
}

fn frame<R: Read>(
    mut framer: Framer<R>,
    document: bool,
    batches: &SyncSender<(u64, Batch)>,
    tokens: &Receiver<()>,
) -> std::io::Result<Framer<R>> {
    let mut document = document.then(Document::default);
    let mut next = |framer: &mut Framer<R>| match &mut document {
        Some(document) => document.next_batch(framer),
        None => framer.next_batch(),
    };
    let mut number = 0;
    while let Some(batch) = next(&mut framer)? {
        // Both ends close only when the caller has given up.
        if tokens.recv().is_err() || batches.send((number, batch)).is_err() {
            break;
        }
        number += 1;
    }
    Ok(framer)
}

fn work(batches: &Mutex<Receiver<(u64, Batch)>>, works: &SyncSender<(u64, Outcome)>, setup: Setup<'_>) {
    loop {
        let next = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, batch)) = next else { return };
        // What a panic leaves half-made is dropped with it.
        let read = AssertUnwindSafe(|| read_batch(&batch, setup));
        if works.send((number, std::panic::catch_unwind(read))).is_err() {
            return;
        }
    }
}

fn read_batch(batch: &Batch, setup: Setup<'_>) -> Work {
    if let Some(parts) = &batch.parts {
        return read_parts(batch, parts, setup);
    }
    let mut work = Work { offset: batch.offset, terminated: true, ..Work::default() };
    if let Some(length) = batch.too_long {
        let span = RecordSpan { offset: batch.offset, length };
        work.terminated = batch.too_long_terminated;
        work.framing_bytes = u64::from(batch.too_long_terminated);
        let piece = Prepared::Malformed { span, too_long: true };
        work.prepared.push(if batch.too_long_terminated { piece } else { Prepared::Partial(span) });
        return work;
    }
    let (mut offset, mut rest) = batch.lines();
    let mark_bytes = offset - batch.offset;
    work.framing_bytes += mark_bytes;
    work.byte_order_mark = mark_bytes > 0;
    let mut facts = SeenFacts::default();
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest);
        let (line, behind) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, &[]));
        work.terminated = end.is_some();
        read_line(line, offset, end.is_some(), setup, &mut facts, &mut work);
        work.framing_bytes += u64::from(end.is_some());
        offset += line.len() as u64 + u64::from(end.is_some());
        rest = behind.get(1..).unwrap_or_default();
    }
    work
}

fn read_parts(batch: &Batch, parts: &Parts, setup: Setup<'_>) -> Work {
    let mut work = Work { offset: batch.offset, terminated: true, ..Work::default() };
    work.byte_order_mark = batch.lines().0 > batch.offset;
    work.framing_bytes = parts.covered;
    let mut facts = SeenFacts::default();
    for part in &parts.list {
        let span = RecordSpan { offset: part.offset, length: part.length };
        work.framing_bytes -= part.length;
        work.terminated = part.kind != PartKind::Partial;
        let too_long = part.kind == PartKind::TooLong;
        let whole = match part.kind {
            PartKind::Partial => {
                work.prepared.push(Prepared::Partial(span));
                continue;
            }
            PartKind::Value => whole_object(batch.bytes_of(part), setup.reader.dropped()),
            PartKind::Damage | PartKind::TooLong => None,
        };
        let parsed = whole.as_ref().and_then(|(_, text, repaired)| {
            Json::parse(text, setup.reader.dropped()).ok().map(|parsed| (parsed, *repaired))
        });
        work.prepared.push(match parsed {
            Some((parsed, repaired)) => {
                let named = [(repaired, "repaired"), (parsed.duplicate_keys, "duplicate_keys")];
                let flags = named.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect();
                prepare(span, flags, &parsed.value, setup, &mut facts)
            }
            None => Prepared::Malformed { span, too_long },
        });
    }
    work
}

fn read_line(
    line: &[u8],
    offset: u64,
    terminated: bool,
    setup: Setup<'_>,
    facts: &mut SeenFacts,
    work: &mut Work,
) {
    let mut used = 0;
    let start = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let tail = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let bare = line.get(start..line.len().saturating_sub(tail)).unwrap_or_default();
    // Nearly every line is one whole record; only the others are cut.
    let whole = std::str::from_utf8(bare).ok().filter(|text| text.starts_with('{'));
    let parsed = whole.and_then(|text| Json::parse(text, setup.reader.dropped()).ok());
    if let Some(parsed) = parsed {
        let span = RecordSpan { offset: offset + start as u64, length: bare.len() as u64 };
        let flags = if parsed.duplicate_keys { vec!["duplicate_keys"] } else { Vec::new() };
        work.prepared.push(prepare(span, flags, &parsed.value, setup, facts));
        used = bare.len();
    } else {
        for piece in cut(line, terminated, setup.reader.dropped()) {
            let (from, length) = match &piece {
                Piece::Record { start, length, .. }
                | Piece::Malformed { start, length }
                | Piece::Partial { start, length } => (*start, *length),
            };
            let span = RecordSpan { offset: offset + from as u64, length: length as u64 };
            used += length;
            work.prepared.push(match piece {
                Piece::Malformed { .. } => Prepared::Malformed { span, too_long: false },
                Piece::Partial { .. } => Prepared::Partial(span),
                Piece::Record { text, flags, .. } => match Json::parse(&text, setup.reader.dropped()) {
                    Ok(parsed) => {
                        let named = [
                            (flags.repaired, "repaired"),
                            (flags.recovered, "recovered"),
                            (flags.fused, "fused"),
                            (parsed.duplicate_keys, "duplicate_keys"),
                        ];
                        let flags = named.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect();
                        prepare(span, flags, &parsed.value, setup, facts)
                    }
                    // The pieces were parsed with the same parser before.
                    Err(_) => Prepared::Malformed { span, too_long: false },
                },
            });
        }
    }
    work.framing_bytes += (line.len() - used) as u64;
}

fn prepare(
    span: RecordSpan,
    flags: Vec<&'static str>,
    value: &Json<'_>,
    setup: Setup<'_>,
    facts: &mut SeenFacts,
) -> Prepared {
    let reading = setup.reader.read(value);
    let own = (setup.session, setup.fingerprint_key);
    Prepared::record(span, flags, reading, own, facts, &mut |raw| Spotted::new(raw, setup.spotter))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::{Setup, Stretch, gather};
    use crate::base::credential::Spotter;
    use crate::evidence::transcript::json::Json;
    use crate::evidence::transcript::raw::Raw;
    use crate::evidence::transcript::reading::{Head, Identity, Reader, Reading};

    struct Faulty;

    impl Reader for Faulty {
        fn read(&self, _: &Json<'_>) -> Reading<Raw> {
            panic!("a fault of a reader")
        }

        fn head(&self, _: &Identity, _: &Json<'_>) -> Head {
            Head::Own
        }

        fn dropped(&self) -> &'static [&'static str] {
            &[]
        }
    }

    #[test]
    fn a_fault_of_a_worker_ends_the_pass() {
        let (told, outcome) = channel();
        std::thread::spawn(move || {
            let interrupted = AtomicBool::new(false);
            let spotter = Spotter::global();
            let (reader, fingerprint_key, document) = (&Faulty, &[0; 32], false);
            let interrupted = &interrupted;
            let setup = Setup { reader, session: "s", fingerprint_key, document, spotter, interrupted };
            // The fault is in one batch of many, so that a worker is left and the others wait for room.
            let text = format!("{{\"a\":1}}\n{}", "\n".repeat(24 * 1024 * 1024));
            let size = text.len() as u64;
            let pass = std::panic::AssertUnwindSafe(|| {
                gather(text.as_bytes(), Stretch::whole(size, None), setup, |_| Ok(()))
            });
            told.send(std::panic::catch_unwind(pass).is_err())
        });
        assert_eq!(outcome.recv_timeout(Duration::from_secs(20)), Ok(true));
    }
}

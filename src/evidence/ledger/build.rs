//! Collecting: a transcript becomes a ledger in one streaming pass. Workers read records, this thread puts them in
//! order and writes the ledger, and a third follows the lines for relations and observations.

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::derive::{Derivation, Derived, Line, json_line, write_observations};
use super::gather::{Pass, Setup, gather};
use super::stream::StreamWriter;
use super::write::LedgerWriter;
use crate::base::credential::Spotter;
use crate::base::private::{Folder, Source};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::command::observe::Observations;
use crate::evidence::event::coverage::{Coverage, Session};
use crate::evidence::event::keys::Secret;
use crate::evidence::event::line::RecordSpan;
use crate::evidence::event::prepared::Prepared;
use crate::evidence::event::record_line::RecordLine;
use crate::evidence::event::sequence::{Reread, Sequencer};
use crate::evidence::manifest::{Segment, Stream};
use crate::evidence::scrub::Numbering;
use crate::evidence::table::LedgerState;
use crate::evidence::transcript::reading::{Identity, Reader};

/// Lines handed over at once.
const LINES_AT_ONCE: usize = 256;
/// Hand-overs on the way.
const HANDOVERS: usize = 4;

/// What to collect, and where to.
pub struct Order<'o> {
    /// The transcript.
    pub source: &'o Source,
    /// Bytes of the snapshot.
    pub size: u64,
    /// Who it is.
    pub identity: &'o Identity,
    /// The harness's reader.
    pub reader: &'o dyn Reader,
    /// Byte range of another session's history at the head.
    pub inherited: Range<u64>,
    /// The ledger's secret.
    pub secret: &'o Secret,
    /// The ledger folder.
    pub folder: &'o Folder,
    /// The state that the new ledger must grow from, and the length of its snapshot.
    pub extends: Option<(LedgerState, u64)>,
    /// The search for secrets.
    pub spotter: &'o Spotter,
    /// Set by SIGINT.
    pub interrupted: &'o AtomicBool,
}

/// A ledger whose files are published under their digests; no manifest names them yet.
pub struct Built {
    /// Sizes and roots.
    pub state: LedgerState,
    /// Event lines.
    pub segments: Vec<Segment>,
    /// Everything else.
    pub streams: BTreeMap<String, Stream>,
    /// What became of every byte.
    pub coverage: Coverage,
    /// Known gaps.
    pub limitations: BTreeMap<Code, u64>,
    /// About the session as a whole.
    pub session: Session,
    /// Which value has which number, keyed, and the redactions by kind.
    pub numbering: Numbering,
    /// What events show.
    pub observations: Observations,
    /// The pass over the source.
    pub pass: Pass,
    /// The older state is a prefix of this one.
    pub extends: bool,
}

/// Builds the ledger.
///
/// # Errors
/// `read-failed`, `write-failed`, `interrupted`; `tiling-broken` if bytes were lost, which is a fault of ours.
pub fn build(order: &Order<'_>) -> Result<Built> {
    let setup = Setup {
        reader: order.reader,
        session: &order.identity.session,
        spotter: order.spotter,
        interrupted: order.interrupted,
    };
    let boundary = order.identity.boundary();
    let numbering = Numbering::new(order.secret.numbering_key());
    let keys = order.secret.event_keys(boundary);
    let sequencer =
        Sequencer::new(keys, numbering, order.inherited.clone(), order.identity.child, reread(order.source));
    let (lines_to, lines) = sync_channel::<Vec<Line>>(HANDOVERS);
    std::thread::scope(|scope| {
        let following = scope.spawn(move || follow(order.folder, &lines));
        let mut writer = Writer {
            ledger: LedgerWriter::create(order.folder, order.extends.map(|(state, _)| state))?,
            sequencer,
            lines: Vec::with_capacity(LINES_AT_ONCE),
            lines_to,
            partial: None,
        };
        let watch = order.extends.map(|(_, size)| size);
        let pass = gather(order.source.file(), order.size, watch, setup, |piece| writer.take(piece))?;
        writer.hand_over();
        let Writer { ledger, sequencer, partial, lines_to, .. } = writer;
        drop(lines_to);
        let extends = ledger.extends();
        let (state, segments, mut streams) = ledger.finish()?;
        // The thread ends by returning; a panic in it is a fault of ours and goes on here.
        let (derivation, relations) =
            following.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let (derived, stream) = close(derivation, relations, pass.framing_bytes)?;
        let Derived { mut coverage, limitations, observations } = derived;
        streams.insert("relations".to_owned(), stream);
        streams.insert("observations".to_owned(), write_observations(order.folder, &observations)?);
        coverage.partial_tail = partial;
        coverage.record_bytes += partial.map_or(0, |span| span.length);
        if coverage.record_bytes + coverage.framing_bytes != pass.bytes_read {
            return Err(Refusal::new(Code::TilingBroken));
        }
        let (session, numbering) = sequencer.finish();
        Ok(Built {
            state,
            segments,
            streams,
            coverage,
            limitations,
            session,
            numbering,
            observations,
            pass,
            extends,
        })
    })
}

/// Reads records of the source again, beside the pass over it.
pub fn reread(source: &Source) -> Reread<'_> {
    Box::new(move |span| {
        let mut bytes = vec![0; usize::try_from(span.length).ok()?];
        source.file().read_exact_at(&mut bytes, span.offset).ok()?;
        String::from_utf8(bytes).ok()
    })
}

struct Writer<'r> {
    ledger: LedgerWriter,
    sequencer: Sequencer<'r>,
    lines: Vec<Line>,
    lines_to: SyncSender<Vec<Line>>,
    partial: Option<RecordSpan>,
}

impl Writer<'_> {
    fn take(&mut self, piece: Prepared) -> Result<()> {
        match piece {
            Prepared::Partial(span) => self.partial = Some(span),
            Prepared::Malformed { span, too_long } => {
                let line = self.sequencer.malformed(span, too_long);
                self.record(line)?;
            }
            Prepared::Record { span, flags, reading, keys } => {
                let (line, events) = self.sequencer.record(span, &flags, *reading, &keys);
                self.record(line)?;
                for event in events {
                    self.ledger.event(&event)?;
                    self.lines.push(Line::Event(event));
                }
            }
        }
        if self.lines.len() >= LINES_AT_ONCE {
            self.hand_over();
        }
        Ok(())
    }

    fn record(&mut self, line: RecordLine) -> Result<()> {
        self.ledger.record(&line)?;
        self.lines.push(Line::Record(line));
        Ok(())
    }

    fn hand_over(&mut self) {
        let lines = std::mem::replace(&mut self.lines, Vec::with_capacity(LINES_AT_ONCE));
        // The follower ends early only by a refusal, which joining it returns.
        let _ = self.lines_to.send(lines);
    }
}

fn follow(folder: &Folder, lines: &Receiver<Vec<Line>>) -> Result<(Derivation, StreamWriter)> {
    let mut derivation = Derivation::default();
    let mut relations = StreamWriter::create(folder)?;
    while let Ok(batch) = lines.recv() {
        for line in &batch {
            derivation.push(line, &mut |row| relations.line(&json_line(row)?))?;
        }
    }
    Ok((derivation, relations))
}

fn close(
    derivation: Derivation,
    mut relations: StreamWriter,
    framing_bytes: u64,
) -> Result<(Derived, Stream)> {
    let derived = derivation.finish(framing_bytes, &mut |row| relations.line(&json_line(row)?))?;
    Ok((derived, relations.finish("relations.jsonl")?))
}

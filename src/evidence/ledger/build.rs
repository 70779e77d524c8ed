//! Collecting: a transcript becomes a ledger in one streaming pass. Workers read records, this thread puts them in
//! order and writes the ledger, and a third follows the lines for relations and observations.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::ScopedJoinHandle;

use super::derive::{Derivation, Derived, Line, json_line};
use super::gather::{Pass, Setup, Stretch, gather};
use super::parts::PartsWriter;
use super::resume::{Following, Ordering, Resume, State, States, write_state};
use super::stream::StreamWriter;
use super::write::{Closed, LedgerWriter};
use crate::base::credential::Spotter;
use crate::base::private::Folder;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::command::observe::Observations;
use crate::evidence::event::coverage::{Coverage, Session};
use crate::evidence::event::keys::Secret;
use crate::evidence::event::line::RecordSpan;
use crate::evidence::event::prepared::{Edge, Prepared};
use crate::evidence::event::record_line::RecordLine;
use crate::evidence::event::sequence::{Reread, Sequencer, SoFar};
use crate::evidence::event::side_file::Names;
use crate::evidence::manifest::{Ledger, Segment, Stream};
use crate::evidence::scrub::Numbering;
use crate::evidence::table::LedgerState;
use crate::evidence::transcript::input::Input;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::prefix::Hashed;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Identity, Reader};

/// Lines handed over at once.
const LINES_AT_ONCE: usize = 256;
/// Hand-overs on the way.
const HANDOVERS: usize = 4;

/// What stands behind the digests of the parts.
const RELATIONS: &str = "relations.jsonl";

/// What to collect, and where to.
pub struct Order<'o> {
    /// The transcript.
    pub input: &'o Input,
    /// Bytes of the snapshot.
    pub size: u64,
    /// Who it is.
    pub identity: &'o Identity,
    /// The harness's reader.
    pub reader: &'o dyn Reader,
    /// Byte range of another session's history at the head.
    pub inherited: Range<u64>,
    /// The older ledger's streams and the state to go on from.
    pub resume: Option<(&'o Ledger, Resume)>,
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
    /// Everything else that grows at its end only.
    pub parts: BTreeMap<String, Vec<Stream>>,
    /// The rest.
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
    /// Side files that events name; nobody has looked for them yet.
    pub side_files: Names,
    /// The pass over the source.
    pub pass: Pass,
    /// Hash of the snapshot.
    pub blake3: blake3::Hash,
    /// The older state is a prefix of this one.
    pub extends: bool,
    /// What the next collection goes on from.
    pub states: States,
}

/// Builds the ledger.
///
/// # Errors
/// `read-failed`, `write-failed`, `interrupted`; `tiling-broken` if bytes were lost, which is a fault of ours. Going on
/// from a state also `stream-missing`, `stream-corrupt` and `counts-mismatch`, where older files are not what they were.
pub fn build(mut order: Order<'_>) -> Result<Built> {
    let fingerprint_key = order.secret.fingerprint_key();
    let setup = Setup {
        reader: order.reader,
        session: &order.identity.session,
        fingerprint_key: &fingerprint_key,
        document: order.identity.is_document(),
        spotter: order.spotter,
        interrupted: order.interrupted,
    };
    let (lines_to, lines) = sync_channel::<Handed>(HANDOVERS);
    let (resume, order) = (order.resume.take(), &order);
    std::thread::scope(|scope| {
        let watch = order.extends.map_or(0, |(_, size)| size);
        let rehash = move || order.input.hash(order.size, watch, order.interrupted);
        let hashing = resume.is_some().then(|| scope.spawn(rehash));
        let start = match resume {
            Some((ledger, resume)) => Start::behind(order, ledger, resume)?,
            None => Start::cold(order)?,
        };
        let Start { sequencer, ledger, derivation, relations, stretch } = start;
        let following = scope.spawn(move || follow(order.folder, derivation, relations, &lines));
        let mut writer = Writer {
            folder: order.folder,
            ledger,
            sequencer,
            lines: Vec::with_capacity(LINES_AT_ONCE),
            lines_to,
            partial: None,
            state: None,
        };
        let pass =
            gather(order.input.reader(stretch.edge.offset)?, stretch, setup, |piece| writer.take(piece))?;
        writer.hand_over();
        finish(order.folder, writer, following, hashing, pass)
    })
}

/// Closes and publishes every file. What is waited for last is the hash of the snapshot.
fn finish<'s>(
    folder: &Folder,
    writer: Writer<'_>,
    following: ScopedJoinHandle<'s, Result<Followed>>,
    hashing: Option<ScopedJoinHandle<'s, Result<Hashed>>>,
    mut pass: Pass,
) -> Result<Built> {
    let Writer { ledger, sequencer, partial, lines_to, state, .. } = writer;
    drop(lines_to);
    let extends = ledger.extends();
    let Closed { state: heads, segments, mut parts } = ledger.finish()?;
    // The thread ends by returning; a panic in it is a fault of ours and goes on here.
    let followed = following.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let (derived, relations, observed) =
        close(folder, followed.derivation, followed.relations, pass.framing_bytes)?;
    let Derived { mut coverage, limitations, observations, side_files } = derived;
    parts.insert("relations".to_owned(), relations);
    let streams = BTreeMap::from([("observations".to_owned(), observed)]);
    coverage.partial_tail = partial;
    coverage.record_bytes += partial.map_or(0, |span| span.length);
    // The edge stands in every pass, and so both states do.
    let states = state.zip(followed.state).map(|((edge, own), state)| States::new(edge, own, state));
    let states = states.ok_or_else(|| Refusal::new(Code::TilingBroken))?;
    if coverage.record_bytes + coverage.framing_bytes != pass.bytes_read {
        return Err(Refusal::new(Code::TilingBroken));
    }
    let (session, numbering) = sequencer.finish();
    if let Some(hashing) = hashing {
        // As above.
        let hashed = hashing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        if hashed.bytes != pass.bytes_read {
            return Err(Refusal::new(Code::SourceTruncated));
        }
        (pass.blake3, pass.watched) = (Some(hashed.blake3), hashed.watched);
    }
    let blake3 = pass.blake3.ok_or_else(|| Refusal::new(Code::TilingBroken))?;
    Ok(Built {
        state: heads,
        segments,
        parts,
        streams,
        coverage,
        limitations,
        session,
        numbering,
        observations,
        side_files,
        pass,
        blake3,
        extends,
        states,
    })
}

/// Everything that reads in order, before the first record that is read.
struct Start<'o> {
    sequencer: Sequencer<'o>,
    ledger: LedgerWriter,
    derivation: Derivation,
    relations: PartsWriter,
    stretch: Stretch,
}

impl<'o> Start<'o> {
    /// Before the first record of all.
    fn cold(order: &Order<'o>) -> Result<Self> {
        let (mut so_far, mut derivation) = (SoFar::default(), Derivation::default());
        so_far.attach(order.folder)?;
        derivation.attach(order.folder)?;
        Ok(Self {
            sequencer: sequencer(order, Numbering::new(order.secret.numbering_key()), so_far),
            ledger: LedgerWriter::create(order.folder, order.extends.map(|(state, _)| state))?,
            derivation,
            relations: PartsWriter::create(order.folder, RELATIONS),
            stretch: Stretch::whole(order.size, order.extends.map(|(_, size)| size)),
        })
    }

    /// Behind the last line feed of the older snapshot, whose bytes are only hashed.
    fn behind(order: &Order<'o>, older: &Ledger, resume: Resume) -> Result<Self> {
        let Resume { edge, mut ordering, mut following, .. } = resume;
        ordering.so_far.attach(order.folder)?;
        following.derivation.attach(order.folder)?;
        let elsewhere = || Refusal::new(Code::CountsMismatch).at("resume");
        let relations = older.parts.get("relations").ok_or_else(elsewhere)?;
        let numbering = Numbering::resume(order.secret.numbering_key(), ordering.known);
        let mut sequencer = sequencer(order, numbering.ok_or_else(elsewhere)?, ordering.so_far);
        if let Some(text) = sequencer.last_text().and_then(|(span, item)| text_of(order, span, item)) {
            sequencer.remember(text.expose());
        }
        Ok(Self {
            sequencer,
            ledger: LedgerWriter::grow(order.folder, older, ordering.place)?,
            derivation: following.derivation,
            relations: PartsWriter::grow(order.folder, RELATIONS, relations, following.relations)?,
            stretch: Stretch { edge, size: order.size, watch: None },
        })
    }
}

fn sequencer<'o>(order: &Order<'o>, numbering: Numbering, so_far: SoFar) -> Sequencer<'o> {
    let keys = order.secret.event_keys(order.identity.boundary());
    let inherited = order.inherited.clone();
    let reread = reread(order.input);
    Sequencer::new(keys, numbering, inherited, order.identity.child, reread, order.spotter, so_far)
}

/// The text of one item of an earlier record, read again.
fn text_of(order: &Order<'_>, span: RecordSpan, item: u32) -> Option<Raw> {
    let record = order.input.reread(span.offset, span.length)?;
    let parsed = Json::parse(&record, order.reader.dropped()).ok()?;
    let reading = order.reader.read(&parsed.value);
    reading.items.into_iter().nth(usize::try_from(item).ok()?).map(|item| item.text)
}

/// Reads records of the source again, beside the pass over it.
pub fn reread(input: &Input) -> Reread<'_> {
    Box::new(move |span| input.reread(span.offset, span.length))
}

struct Writer<'r> {
    folder: &'r Folder,
    ledger: LedgerWriter,
    sequencer: Sequencer<'r>,
    lines: Vec<Line>,
    lines_to: SyncSender<Handed>,
    partial: Option<RecordSpan>,
    state: Option<(Edge, State)>,
}

/// What the following thread gets.
enum Handed {
    Lines(Vec<Line>),
    Edge,
}

impl Writer<'_> {
    fn take(&mut self, piece: Prepared) -> Result<()> {
        match piece {
            Prepared::Edge(edge) => self.settle(edge)?,
            Prepared::Partial(span) => self.partial = Some(span),
            Prepared::Malformed { span, too_long } => {
                let line = self.sequencer.malformed(span, too_long);
                self.record(line)?;
            }
            Prepared::Record { span, flags, reading, keys } => {
                let (line, events) = self.sequencer.record(span, &flags, *reading, &keys)?;
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

    /// Keeps the state for the next collection.
    fn settle(&mut self, edge: Edge) -> Result<()> {
        self.hand_over();
        // As in `hand_over`.
        let _ = self.lines_to.send(Handed::Edge);
        let (so_far, numbering, runs) = self.sequencer.settle()?;
        let state = Ordering { so_far, known: numbering.save(), place: self.ledger.place() };
        self.state = Some((edge, State { stream: write_state(self.folder, &state)?, runs }));
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
        let _ = self.lines_to.send(Handed::Lines(lines));
    }
}

/// What the following thread came to.
struct Followed {
    derivation: Derivation,
    relations: PartsWriter,
    state: Option<State>,
}

fn follow(
    folder: &Folder,
    mut derivation: Derivation,
    mut relations: PartsWriter,
    handed: &Receiver<Handed>,
) -> Result<Followed> {
    let mut state = None;
    while let Ok(handed) = handed.recv() {
        match handed {
            Handed::Edge => {
                let runs = derivation.settle()?;
                let following = Following { derivation: &derivation, relations: relations.mark() };
                state = Some(State { stream: write_state(folder, &following)?, runs });
            }
            Handed::Lines(lines) => {
                for line in &lines {
                    derivation.push(line, &mut |row| relations.line(&json_line(row)?))?;
                }
            }
        }
    }
    Ok(Followed { derivation, relations, state })
}

/// Both derived files with what only the end shows.
fn close(
    folder: &Folder,
    derivation: Derivation,
    mut relations: PartsWriter,
    framing_bytes: u64,
) -> Result<(Derived, Vec<Stream>, Stream)> {
    let mut observations = StreamWriter::create(folder)?;
    let derived =
        derivation.finish(framing_bytes, &mut |row| relations.line(&json_line(row)?), &mut |row| {
            observations.line(&json_line(row)?)
        })?;
    Ok((derived, relations.finish()?, observations.finish("observations.jsonl")?))
}

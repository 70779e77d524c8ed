//! What a collection keeps so that the next one reads only what was added: the state of everything that reads in
//! order, at the last line feed. It lies beside the secret, is bound to one ledger state under it, and is never
//! exported. Without it, or where anything of it does not fit, the next collection reads the whole transcript.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::derive::Derivation;
use super::parts::PartsMark;
use super::stream::{self, Sink, StreamWriter};
use super::write::Place;
use crate::base::Result;
use crate::base::private::Folder;
use crate::base::refusal::Refusal;
use crate::base::rules::Code;
use crate::evidence::event::keys::Secret;
use crate::evidence::event::prepared::Edge;
use crate::evidence::event::sequence::SoFar;
use crate::evidence::manifest::{ANALYSIS_VERSION, Manifest, Stream, Versions};
use crate::evidence::scrub::numbering::Known;
use crate::evidence::table::LedgerState;
use crate::evidence::transcript::detect::Inherited;

/// Name of the file in the ledger folder.
pub const RESUME_FILE: &str = "resume";
/// What stands behind the digests of the two states that it names.
const EXTENSION: &str = "resume.bin";
/// Bytes of the authentication code in front of it.
const CODE_BYTES: usize = 32;
/// Largest file; it holds no list.
const RESUME_BYTES: u64 = 64 * 1024;

/// The state of the thread that puts records in order.
#[derive(Serialize, Deserialize)]
pub struct Ordering<S = SoFar> {
    /// Of the records.
    pub so_far: S,
    /// Which secret has which number.
    pub known: Known,
    /// Of the ledger's files.
    pub place: Place,
}

/// The state of the thread that follows the lines.
#[derive(Serialize, Deserialize)]
pub struct Following<D = Derivation> {
    /// Of counts, relations and observations.
    pub derivation: D,
    /// In the stream of relations.
    pub relations: PartsMark,
}

/// A state as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its stream.
    pub stream: Stream,
    /// Further files that it names.
    pub runs: Vec<String>,
}

/// Both states as they were written, and where they were taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct States {
    /// Of the source.
    pub edge: Edge,
    ordering: State,
    following: State,
}

impl States {
    /// Both, taken at one edge.
    pub const fn new(edge: Edge, ordering: State, following: State) -> Self {
        Self { edge, ordering, following }
    }
}

/// What the file says.
#[derive(Serialize, Deserialize)]
struct Head {
    ledger: LedgerState,
    source_bytes: u64,
    source_blake3: String,
    versions: Versions,
    analysis: String,
    inherited: Inherited,
    states: States,
}

/// Everything that is needed to go on.
pub struct Resume {
    /// Where.
    pub edge: Edge,
    /// Inherited history, as it was found.
    pub inherited: Inherited,
    /// State of the order.
    pub ordering: Ordering,
    /// State of what follows.
    pub following: Following,
}

/// Writes a state as a stream of its own.
///
/// # Errors
/// `write-failed`.
pub fn write_state<T: Serialize>(folder: &Folder, state: &T) -> Result<Stream> {
    let mut stream = StreamWriter::create(folder)?;
    let mut sink = Sink::of(&mut stream);
    let written = postcard::to_io(state, &mut sink).map(drop);
    sink.close()?;
    written.map_err(|_| Refusal::new(Code::WriteFailed).at(RESUME_FILE))?;
    stream.finish(EXTENSION)
}

/// Binds the states to the manifest that is about to be committed.
///
/// # Errors
/// `write-failed`.
pub fn save(
    folder: &Folder,
    secret: &Secret,
    manifest: &Manifest,
    inherited: &Inherited,
    states: &States,
) -> Result<()> {
    let head = Head {
        ledger: manifest.ledger.state,
        source_bytes: manifest.source.size,
        source_blake3: manifest.source.blake3.clone(),
        versions: manifest.versions.clone(),
        analysis: ANALYSIS_VERSION.to_owned(),
        inherited: inherited.clone(),
        states: states.clone(),
    };
    let failed = |_| Refusal::new(Code::WriteFailed).at(RESUME_FILE);
    let bytes = postcard::to_allocvec(&head).map_err(failed)?;
    let mut file = secret.resume_code(&bytes).to_vec();
    file.extend_from_slice(&bytes);
    folder.write(RESUME_FILE, &file)
}

/// The states of a manifest's ledger; `None` where there are none, or where anything about them does not fit.
pub fn open(folder: &Folder, secret: &Secret, manifest: &Manifest) -> Option<Resume> {
    let file = folder.open_artifact(RESUME_FILE).ok()?.read_all(RESUME_BYTES).ok()?;
    let (code, bytes) = file.split_at_checked(CODE_BYTES)?;
    if secret.resume_code(bytes) != code {
        return None;
    }
    let head: Head = postcard::from_bytes(bytes).ok()?;
    let fits = head.ledger == manifest.ledger.state
        && head.source_bytes == manifest.source.size
        && head.source_blake3 == manifest.source.blake3
        && head.versions == manifest.versions
        && head.analysis == ANALYSIS_VERSION
        && manifest.git.session_observed.analysis_version == ANALYSIS_VERSION;
    if !fits {
        return None;
    }
    let States { edge, ordering, following } = head.states;
    let ordering = read_state(folder, &ordering.stream)?;
    let following = read_state(folder, &following.stream)?;
    Some(Resume { edge, inherited: head.inherited, ordering, following })
}

fn read_state<T: DeserializeOwned>(folder: &Folder, state: &Stream) -> Option<T> {
    let bytes = stream::open(folder, &state.file, state.bytes).ok()?.read_all(state.bytes).ok()?;
    let whole = crate::base::digest::Digest::of(&bytes) == state.sha256;
    whole.then(|| postcard::from_bytes(&bytes).ok()).flatten()
}

/// The stream files that the file names, whatever it is bound to; none where it cannot be read.
pub fn named_streams(folder: &Folder) -> Vec<String> {
    let file = folder.open_artifact(RESUME_FILE).and_then(|artifact| artifact.read_all(RESUME_BYTES));
    let head = file.ok().and_then(|file| postcard::from_bytes::<Head>(file.get(CODE_BYTES..)?).ok());
    let Some(head) = head else { return Vec::new() };
    let States { ordering, following, .. } = head.states;
    let streams = [ordering.stream.file, following.stream.file];
    streams.into_iter().chain(ordering.runs).chain(following.runs).collect()
}

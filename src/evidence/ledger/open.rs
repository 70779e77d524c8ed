//! Opening a ledger by its manifest. What is read here has been checked: the manifest byte for byte, every line
//! against its file's digest and the tree's root.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::digest::Digest;
use crate::base::json::{canonical, read};
use crate::base::limits::DRAFT_BYTES;
use crate::base::policy::Search;
use crate::base::private::{ArtifactPath, Folder, Lock};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::command::observation::Observation;
use crate::evidence::event::Event;
use crate::evidence::event::keys::{SECRET_BYTES, Secret};
use crate::evidence::event::record_line::RecordLine;
use crate::evidence::ledger::tree::{Frontier, leaf_hash};
use crate::evidence::ledger::write::segment_file;
use crate::evidence::ledger::{policy, stream};
use crate::evidence::manifest::{MANIFEST_SCHEMA, Manifest, Stream};
use crate::evidence::table::{Table, TableBuilder};

/// Name of the secret in the ledger folder.
pub const SECRET_FILE: &str = "secret";
/// What stands behind the manifest's name for the ledger folder.
pub const LEDGER_SUFFIX: &str = ".ledger";
/// What stands behind the manifest's name for the lock.
pub const LOCK_SUFFIX: &str = ".lock";

/// An open ledger; holds its lock. Reading its lines ends with `interrupted` once that flag is set.
pub struct OpenLedger {
    manifest: Manifest,
    sha256: Digest,
    path: ArtifactPath,
    folder: Folder,
    search: Search,
    interrupted: Arc<AtomicBool>,
    _lock: Lock,
}

/// Reads a manifest and its digest.
///
/// # Errors
/// `manifest-invalid` unless it is exactly what we write; what [`Folder::open_artifact`] refuses.
pub fn read_manifest(path: &ArtifactPath) -> Result<(Manifest, Digest)> {
    let invalid = || Refusal::new(Code::ManifestInvalid).at(path.path());
    let bytes = path.open()?.read_all(DRAFT_BYTES)?;
    let value = read::strict(&bytes).map_err(|_| invalid())?;
    let manifest: Manifest = serde_json::from_value(value).map_err(|_| invalid())?;
    let mut streams = manifest.ledger.parts.values().flatten().chain(manifest.ledger.streams.values());
    let named = streams.all(Stream::is_named_by_digest);
    if manifest.schema_version != MANIFEST_SCHEMA || !named || canonical::to_bytes(&manifest)? != bytes {
        return Err(invalid());
    }
    Ok((manifest, Digest::of(&bytes)))
}

impl OpenLedger {
    /// Opens the ledger of a manifest under the shared lock. Where there is no manifest no lock file is made.
    ///
    /// # Errors
    /// As [`read_manifest`]; `lock-busy` while a writer is at work.
    pub fn open(path: &ArtifactPath, interrupted: &Arc<AtomicBool>) -> Result<Self> {
        path.open()?;
        let lock = path.folder().lock_shared(&format!("{}{LOCK_SUFFIX}", path.name()))?;
        Self::under(path, lock, interrupted)
    }

    /// Opens the ledger of a manifest under the exclusive lock, to write something beside it.
    ///
    /// # Errors
    /// As [`OpenLedger::open`].
    pub fn open_for_writing(path: &ArtifactPath, interrupted: &Arc<AtomicBool>) -> Result<Self> {
        path.open()?;
        let lock = path.folder().lock_exclusive(&format!("{}{LOCK_SUFFIX}", path.name()))?;
        Self::under(path, lock, interrupted)
    }

    fn under(path: &ArtifactPath, lock: Lock, interrupted: &Arc<AtomicBool>) -> Result<Self> {
        let (manifest, sha256) = read_manifest(path)?;
        let folder = path.folder().child(&format!("{}{LEDGER_SUFFIX}", path.name()))?;
        let search = policy::open(&manifest, &folder)?;
        Ok(Self {
            manifest,
            sha256,
            path: path.clone(),
            folder,
            search,
            interrupted: Arc::clone(interrupted),
            _lock: lock,
        })
    }

    fn refuse_interrupted(&self) -> Result<()> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Refusal::new(Code::Interrupted)) } else { Ok(()) }
    }

    /// The manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Digest of the manifest's file.
    pub const fn sha256(&self) -> Digest {
        self.sha256
    }

    /// Where the manifest lies.
    pub const fn path(&self) -> &ArtifactPath {
        &self.path
    }

    /// The ledger folder.
    pub const fn folder(&self) -> &Folder {
        &self.folder
    }

    /// What looks like a secret under the policy that it was collected with.
    pub const fn search(&self) -> &Search {
        &self.search
    }

    /// The secret, unless this is an auditor's copy.
    ///
    /// # Errors
    /// `secret-invalid`; what [`Folder::open_artifact`] refuses.
    pub fn secret(&self) -> Result<Option<Secret>> {
        read_secret(&self.folder)
    }

    /// One of the named streams.
    ///
    /// # Errors
    /// `manifest-invalid` if the manifest does not name it.
    pub fn stream(&self, name: &'static str) -> Result<&Stream> {
        self.manifest.ledger.streams.get(name).ok_or_else(|| Refusal::new(Code::ManifestInvalid).at(name))
    }

    /// The parts of one of the streams that grow at their end only.
    ///
    /// # Errors
    /// `manifest-invalid` if the manifest does not name it.
    pub fn parts(&self, name: &'static str) -> Result<&[Stream]> {
        let parts = self.manifest.ledger.parts.get(name);
        parts.map(Vec::as_slice).ok_or_else(|| Refusal::new(Code::ManifestInvalid).at(name))
    }

    /// Gives every event in order and checks digests, order and root.
    ///
    /// # Errors
    /// `stream-missing`, `stream-corrupt`, `line-invalid`, `tree-mismatch`; whatever `each` refuses.
    pub fn each_event(&self, each: impl FnMut(Event, &[u8]) -> Result<()>) -> Result<()> {
        self.each_event_and_node(each, |_| {})
    }

    /// The same, and gives every tree node to `node` as it becomes complete: those that an event closes before the event.
    ///
    /// # Errors
    /// As [`OpenLedger::each_event`].
    pub fn each_event_and_node(
        &self,
        mut each: impl FnMut(Event, &[u8]) -> Result<()>,
        mut node: impl FnMut(&Digest),
    ) -> Result<()> {
        let mut frontier = Frontier::default();
        for segment in &self.manifest.ledger.segments {
            let name = segment_file(segment);
            if segment.first_ordinal != frontier.size() {
                return Err(Refusal::new(Code::TreeMismatch).at(name));
            }
            stream::each_line(&self.folder, &name, segment.bytes, segment.sha256, |line| {
                self.refuse_interrupted()?;
                let event = Event::parse(line)?;
                if event.ordinal != frontier.size() {
                    return Err(Refusal::new(Code::LineInvalid).at(format!("event {}", frontier.size())));
                }
                frontier.push(leaf_hash(line), &mut node);
                each(event, line)
            })?;
            if frontier.size() != segment.first_ordinal + segment.events {
                return Err(Refusal::new(Code::TreeMismatch).at(segment_file(segment)));
            }
        }
        let state = &self.manifest.ledger.state;
        if frontier.size() != state.size || frontier.root() != state.root {
            return Err(Refusal::new(Code::TreeMismatch).at("events"));
        }
        Ok(())
    }

    /// Gives every records line in order and checks digest and root.
    ///
    /// # Errors
    /// As [`OpenLedger::each_event`].
    pub fn each_record(&self, mut each: impl FnMut(RecordLine) -> Result<()>) -> Result<()> {
        let mut frontier = Frontier::default();
        for part in self.parts("records")? {
            stream::each_line(&self.folder, &part.file, part.bytes, part.sha256, |line| {
                self.refuse_interrupted()?;
                frontier.push(leaf_hash(line), |_| {});
                each(RecordLine::parse(line)?)
            })?;
        }
        let state = &self.manifest.ledger.state;
        if frontier.size() != state.records || frontier.root() != state.records_root {
            return Err(Refusal::new(Code::TreeMismatch).at("records"));
        }
        Ok(())
    }

    /// All observations.
    ///
    /// # Errors
    /// `stream-missing`, `stream-corrupt`, `line-invalid`.
    pub fn observations(&self) -> Result<Vec<Observation>> {
        let stream = self.stream("observations")?;
        let mut rows = Vec::new();
        stream::each_line(&self.folder, &stream.file, stream.bytes, stream.sha256, |line| {
            rows.push(
                serde_json::from_slice(line)
                    .map_err(|_| Refusal::new(Code::LineInvalid).at("observations"))?,
            );
            Ok(())
        })?;
        Ok(rows)
    }

    /// The table of all events, in one verified pass, with the search that drafts about them are held against.
    ///
    /// # Errors
    /// As [`OpenLedger::each_event`].
    pub fn table(&self) -> Result<Table> {
        let mut builder = TableBuilder::default();
        self.each_event(|event, _| {
            builder.push(&event);
            Ok(())
        })?;
        let manifest = &self.manifest;
        let last = manifest.git.session_observed.last_mutation.map(|last| last.event);
        let table = builder.finish(manifest.boundary.id, manifest.ledger.state, self.observations()?, last);
        Ok(table.searched_by(self.search.clone()))
    }
}

/// Reads the secret of a ledger folder.
///
/// # Errors
/// `secret-invalid`; what [`Folder::open_artifact`] refuses.
pub fn read_secret(folder: &Folder) -> Result<Option<Secret>> {
    if !folder.exists(SECRET_FILE)? {
        return Ok(None);
    }
    let bytes =
        zeroize::Zeroizing::new(folder.open_artifact(SECRET_FILE)?.read_all(SECRET_BYTES as u64 + 1)?);
    Secret::from_bytes(&bytes).map(Some)
}

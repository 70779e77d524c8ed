//! Looks for the side files that events name: by file name, in the session's own folder and nowhere else. Each
//! found file is read once, for its size and digest; nothing of it is kept. The paths on the lines are absolute on
//! the machine that wrote them, so that only their last part can be of use, and a transcript must not aim what is
//! read.

use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};

use camino::Utf8Path;
use zeroize::Zeroizing;

use super::derive::json_line;
use super::open::OpenLedger;
use super::stream::{StreamWriter, each_line};
use crate::base::digest::{Digest, Hasher};
use crate::base::limits::SIDE_FILE_BYTES;
use crate::base::private::{Folder, Source, SourceFolder};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::side_file::{Found, Names, SideFile, is_plain};
use crate::evidence::manifest::Stream;
use crate::evidence::transcript::reading::Identity;

/// Name of the stream.
pub const STREAM: &str = "side-files";
/// The folder of outputs in the folder of a session.
const OUTPUTS: &str = "tool-results";
/// The folder of children in the folder of a session.
const CHILDREN: &str = "subagents";
/// Bytes read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// Looks for what the lines name and writes the rows: one separate step behind the lines.
///
/// # Errors
/// `write-failed`, `interrupted`. What cannot be opened or read is a row.
pub fn look_up(
    names: &Names,
    source: &Source,
    identity: &Identity,
    folder: &Folder,
    interrupted: &AtomicBool,
) -> Result<(Stream, BTreeMap<Code, u64>)> {
    let mut rows = StreamWriter::create(folder)?;
    let mut gaps = Gaps::of(names);
    let mut beside = Beside::of(source, identity, interrupted, SIDE_FILE_BYTES);
    for named in &names.listed {
        let (found, read) = beside.find(&named.name)?;
        let (bytes, sha256) = read.unzip();
        let row = SideFile { event: named.event, name: named.name.clone(), found, bytes, sha256 };
        gaps.add(&row);
        rows.line(&json_line(&row)?)?;
    }
    Ok((rows.finish("side-files.jsonl")?, gaps.0))
}

/// Checks the stored rows against the lines, as far as these tell: whose row each is and which name it has.
///
/// # Errors
/// `side-files-mismatch`; `counts-mismatch` where the manifest counts other gaps; as [`each_line`].
pub fn check(ledger: &OpenLedger, names: &Names) -> Result<()> {
    let mismatch = |at: String| Refusal::new(Code::SideFilesMismatch).at(at);
    let stream = ledger.stream(STREAM)?;
    let mut gaps = Gaps::of(names);
    let mut waiting = names.listed.iter();
    each_line(ledger.folder(), &stream.file, stream.bytes, stream.sha256, |line| {
        let row: SideFile =
            serde_json::from_slice(line).map_err(|_| Refusal::new(Code::LineInvalid).at(STREAM))?;
        if json_line(&row)? != line {
            return Err(Refusal::new(Code::LineInvalid).at(STREAM));
        }
        if waiting.next().is_none_or(|named| !row.follows_from(named)) {
            return Err(mismatch(format!("event {}", row.event.ordinal())));
        }
        gaps.add(&row);
        Ok(())
    })?;
    if waiting.next().is_some() || stream.rows != names.listed.len() as u64 {
        return Err(mismatch(STREAM.to_owned()));
    }
    let told = &ledger.manifest().limitations;
    for code in [Code::SideFileMissing, Code::SideFileRefused, Code::SideFilesOmitted] {
        if told.get(&code) != gaps.0.get(&code) {
            return Err(Refusal::new(Code::CountsMismatch).at("limitations"));
        }
    }
    Ok(())
}

/// Gaps counted by code.
struct Gaps(BTreeMap<Code, u64>);

impl Gaps {
    fn of(names: &Names) -> Self {
        let beyond = (names.beyond > 0).then_some((Code::SideFilesOmitted, names.beyond));
        Self(beyond.into_iter().collect())
    }

    fn add(&mut self, row: &SideFile) {
        if let Some(code) = row.limitation() {
            *self.0.entry(code).or_default() += 1;
        }
    }
}

/// The folder of outputs of a session.
enum Outputs {
    Folder(SourceFolder),
    Absent,
    /// A link or no folder.
    Refused,
}

/// What lies beside a transcript.
struct Beside<'b> {
    outputs: Outputs,
    /// Files that were read before: several events can name one.
    known: HashMap<String, (Found, Option<(u64, Digest)>)>,
    left: u64,
    interrupted: &'b AtomicBool,
}

impl<'b> Beside<'b> {
    fn of(source: &Source, identity: &Identity, interrupted: &'b AtomicBool, left: u64) -> Self {
        let outputs = match open_outputs(source.path(), identity) {
            Ok(folder) => Outputs::Folder(folder),
            Err(refusal) if refusal.code() == Code::SourceNotRegular => Outputs::Refused,
            Err(_) => Outputs::Absent,
        };
        Self { outputs, known: HashMap::new(), left, interrupted }
    }

    fn find(&mut self, name: &str) -> Result<(Found, Option<(u64, Digest)>)> {
        if !is_plain(name) {
            return Ok((Found::Refused, None));
        }
        if let Some(known) = self.known.get(name) {
            return Ok(*known);
        }
        let found = self.read(name)?;
        self.known.insert(name.to_owned(), found);
        Ok(found)
    }

    fn read(&mut self, name: &str) -> Result<(Found, Option<(u64, Digest)>)> {
        let opened = match &self.outputs {
            Outputs::Folder(folder) => folder.source(name),
            Outputs::Absent => return Ok((Found::Missing, None)),
            Outputs::Refused => return Ok((Found::Refused, None)),
        };
        let file = match opened {
            Ok(file) => file,
            Err(refusal) if refusal.code() == Code::SourceNotRegular => return Ok((Found::Refused, None)),
            Err(_) => return Ok((Found::Missing, None)),
        };
        let size = file.size_bytes_at_open();
        if size > self.left {
            return Ok((Found::Omitted, None));
        }
        let mut hasher = Hasher::default();
        let mut chunk = Zeroizing::new(vec![0; CHUNK_BYTES]);
        let mut content = file.file().take(size);
        let mut bytes = 0;
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(Refusal::new(Code::Interrupted));
            }
            match content.read(&mut chunk) {
                Ok(0) => break,
                Ok(got) => {
                    hasher.update(chunk.get(..got).unwrap_or_default());
                    bytes += got as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Ok((Found::Missing, None)),
            }
        }
        self.left = self.left.saturating_sub(bytes);
        Ok((Found::Present, Some((bytes, hasher.finish()))))
    }
}

/// `<session>/tool-results`, where `<session>` is the transcript without `.jsonl`; for a child in
/// `<session>/subagents` that of its session, and for one in the older layout the folder beside it that has its
/// session's id.
fn open_outputs(transcript: &Utf8Path, identity: &Identity) -> Result<SourceFolder> {
    let missing = || Refusal::new(Code::SourceMissing).at(transcript);
    let parent = transcript.parent().filter(|parent| !parent.as_str().is_empty());
    let parent = parent.unwrap_or(Utf8Path::new(".")).canonicalize_utf8().map_err(|_| missing())?;
    if identity.child {
        let children = parent.ancestors().find(|folder| folder.file_name() == Some(CHILDREN));
        if let Some(session) = children.and_then(Utf8Path::parent) {
            return SourceFolder::open(session)?.child(OUTPUTS);
        }
        return SourceFolder::open(&parent)?.child(&identity.session)?.child(OUTPUTS);
    }
    let session = transcript.file_stem().ok_or_else(missing)?;
    SourceFolder::open(&parent)?.child(session)?.child(OUTPUTS)
}

#[cfg(test)]
mod tests {
    use super::{AtomicBool, Beside, Found, Identity, Source, Utf8Path};
    use crate::base::ids::Harness;

    #[test]
    fn what_is_beyond_the_bound_is_not_read_and_a_file_counts_once() {
        let keep = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(keep.path()).unwrap();
        std::fs::create_dir_all(folder.join("s/tool-results")).unwrap();
        for (name, content) in [("a", "12345"), ("b", "123456"), ("c", "1")] {
            std::fs::write(folder.join("s/tool-results").join(name), content).unwrap();
        }
        std::fs::write(folder.join("s.jsonl"), "{}").unwrap();
        let identity = Identity {
            harness: Harness::Claude,
            session: "s".to_owned(),
            agent: None,
            rollout: None,
            form: "claude-jsonl",
            own_from: None,
            forked: false,
            child: false,
        };
        let interrupted = AtomicBool::new(false);
        let source = Source::open(&folder.join("s.jsonl")).unwrap();
        let mut beside = Beside::of(&source, &identity, &interrupted, 10);
        let mut find = |name: &str| {
            let (found, read) = beside.find(name).unwrap();
            (found, read.map(|(bytes, _)| bytes))
        };
        assert_eq!(find("a"), (Found::Present, Some(5)));
        assert_eq!(find("a"), (Found::Present, Some(5)));
        assert_eq!(find("b"), (Found::Omitted, None));
        assert_eq!(find("c"), (Found::Present, Some(1)));
        interrupted.store(true, std::sync::atomic::Ordering::Relaxed);
        let mut beside = Beside::of(&source, &identity, &interrupted, 10);
        assert!(beside.find("a").is_err());
    }

    #[test]
    fn a_session_id_that_is_a_path_leads_nowhere() {
        let keep = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(keep.path()).unwrap();
        std::fs::create_dir_all(folder.join("in")).unwrap();
        std::fs::create_dir_all(folder.join("tool-results")).unwrap();
        std::fs::write(folder.join("tool-results/a"), "x").unwrap();
        std::fs::write(folder.join("in/agent-1.jsonl"), "{}").unwrap();
        let identity = Identity {
            harness: Harness::Claude,
            session: "..".to_owned(),
            agent: Some("1".to_owned()),
            rollout: None,
            form: "claude-jsonl",
            own_from: None,
            forked: false,
            child: true,
        };
        let source = Source::open(&folder.join("in/agent-1.jsonl")).unwrap();
        let interrupted = AtomicBool::new(false);
        let mut beside = Beside::of(&source, &identity, &interrupted, 10);
        assert_eq!(beside.find("a").unwrap(), (Found::Missing, None));
    }
}

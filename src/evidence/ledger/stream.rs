//! A stream file: written once, named by the SHA-256 of its content, and read back only with that digest.

use std::io::{Read as _, Write};
use std::sync::mpsc::{SyncSender, sync_channel};

use serde::{Deserialize, Serialize};

use crate::base::digest::{Digest, Hasher};
use crate::base::private::{Folder, OpenArtifact, StreamFile};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::manifest::Stream;

/// Bytes gathered before they are hashed and written.
const BUFFER_BYTES: usize = 256 * 1024;
/// Chunks that are read ahead of the caller.
const CHUNKS_AHEAD: usize = 4;

/// A place in a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Bytes before it.
    pub bytes: u64,
    /// Rows before it.
    pub rows: u64,
}

/// A stream file in the making.
pub struct StreamWriter {
    file: StreamFile,
    hasher: Hasher,
    buffer: Vec<u8>,
    bytes: u64,
    rows: u64,
}

impl StreamWriter {
    /// Begins a stream in a ledger folder.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn create(folder: &Folder) -> Result<Self> {
        Ok(Self {
            file: folder.create_stream()?,
            hasher: Hasher::default(),
            buffer: Vec::with_capacity(BUFFER_BYTES),
            bytes: 0,
            rows: 0,
        })
    }

    /// Begins a stream with the rows of an older one up to a mark. The older one is read whole, so that its digest is
    /// checked.
    ///
    /// # Errors
    /// As [`open`]; `stream-corrupt` when the older one has another content; `write-failed`.
    pub fn grow(folder: &Folder, older: &Stream, mark: Mark) -> Result<Self> {
        let artifact = open(folder, &older.file, older.bytes)?;
        let mut stream = Self::create(folder)?;
        let mut behind = None;
        let mut chunk = Vec::with_capacity(BUFFER_BYTES);
        loop {
            chunk.clear();
            let some = artifact.file().take(BUFFER_BYTES as u64).read_to_end(&mut chunk);
            if some.map_err(|error| artifact.read_failed(error))? == 0 {
                break;
            }
            let left = usize::try_from(mark.bytes - stream.bytes).unwrap_or(usize::MAX);
            let (kept, rest) = chunk.split_at_checked(left).unwrap_or((&chunk, &[]));
            stream.buffer.extend_from_slice(kept);
            stream.bytes += kept.len() as u64;
            stream.drain()?;
            if !rest.is_empty() {
                behind.get_or_insert_with(|| stream.hasher.clone()).update(rest);
            }
        }
        stream.rows = mark.rows;
        let whole = behind.unwrap_or_else(|| stream.hasher.clone()).finish();
        if whole != older.sha256 || stream.bytes != mark.bytes {
            return Err(Refusal::new(Code::StreamCorrupt).at(&older.file));
        }
        Ok(stream)
    }

    /// Where it is.
    pub const fn mark(&self) -> Mark {
        Mark { bytes: self.bytes, rows: self.rows }
    }

    /// Adds one row as it stands.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn row(&mut self, bytes: &[u8]) -> Result<()> {
        self.rows += 1;
        self.part(bytes)
    }

    /// Adds a part of a stream that has no rows.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn part(&mut self, bytes: &[u8]) -> Result<()> {
        self.gather(bytes)?;
        if self.buffer.len() >= BUFFER_BYTES { self.drain() } else { Ok(()) }
    }

    fn gather(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        if bytes.len() >= BUFFER_BYTES {
            // A long line is not copied once more.
            self.drain()?;
            return self.put(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Adds one line: the row and its LF.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn line(&mut self, bytes: &[u8]) -> Result<()> {
        self.gather(bytes)?;
        self.row(b"\n")
    }

    fn drain(&mut self) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        let put = self.put(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        put
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes).map_err(|error| self.file.write_failed(error))
    }

    /// Bytes so far.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Flushes the content and gives it its name `<sha256>.<extension>`.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn finish(mut self, extension: &str) -> Result<Stream> {
        self.drain()?;
        let sha256 = self.hasher.finish();
        let file = format!("{sha256}.{extension}");
        self.file.publish_as(&file)?;
        Ok(Stream { sha256, file, bytes: self.bytes, rows: self.rows })
    }
}

/// A stream as a `Write`; why it failed is kept, since an `io::Error` cannot say it.
pub struct Sink<'s> {
    stream: &'s mut StreamWriter,
    refusal: Option<Refusal>,
}

impl<'s> Sink<'s> {
    /// Of a stream.
    pub const fn of(stream: &'s mut StreamWriter) -> Self {
        Self { stream, refusal: None }
    }

    /// What went wrong while somebody wrote, if anything did.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn close(self) -> Result<()> {
        self.refusal.map_or(Ok(()), Err)
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.stream.part(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(refusal) => {
                self.refusal = Some(refusal);
                Err(std::io::ErrorKind::Other.into())
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Opens a stream of a ledger folder and checks its size.
///
/// # Errors
/// `stream-missing`, `stream-corrupt`, or what [`Folder::open_artifact`] refuses.
pub fn open(folder: &Folder, name: &str, bytes: u64) -> Result<OpenArtifact> {
    let file = folder.open_artifact(name).map_err(|refusal| {
        if refusal.code() == Code::ArtifactMissing {
            Refusal::new(Code::StreamMissing).at(name)
        } else {
            refusal
        }
    })?;
    if file.size_bytes() == bytes { Ok(file) } else { Err(Refusal::new(Code::StreamCorrupt).at(name)) }
}

/// Reads a whole stream line by line in bounded memory (the longest line), checks its digest at the end, and
/// gives each line without its LF to `each`. Another thread reads ahead and hashes, which is a good part of the work.
///
/// # Errors
/// As [`open`]; `stream-corrupt` when the content is another; whatever `each` refuses.
pub fn each_line(
    folder: &Folder,
    name: &str,
    bytes: u64,
    sha256: Digest,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let artifact = open(folder, name, bytes)?;
    let (chunks_to, chunks) = sync_channel(CHUNKS_AHEAD);
    let (carry, read) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| read_chunks(&artifact, chunks_to));
        let mut carry: Vec<u8> = Vec::new();
        for chunk in chunks {
            cut_lines(&chunk, &mut carry, &mut each)?;
        }
        // The thread ends by returning; a panic in it is a fault of ours and goes on here.
        Ok((carry, reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?))
    })?;
    if carry.is_empty() && read == sha256 { Ok(()) } else { Err(Refusal::new(Code::StreamCorrupt).at(name)) }
}

/// Sends the content in chunks and returns its digest.
fn read_chunks(artifact: &OpenArtifact, chunks: SyncSender<Vec<u8>>) -> Result<Digest> {
    let mut hasher = Hasher::default();
    loop {
        let mut chunk = Vec::with_capacity(BUFFER_BYTES);
        let some = artifact.file().take(BUFFER_BYTES as u64).read_to_end(&mut chunk);
        if some.map_err(|error| artifact.read_failed(error))? == 0 {
            return Ok(hasher.finish());
        }
        hasher.update(&chunk);
        // The caller gives up only by a refusal of its own; then the digest says nothing to anybody.
        if chunks.send(chunk).is_err() {
            return Ok(hasher.finish());
        }
    }
}

/// Gives the lines that end in a chunk; the rest of it waits in `carry`.
fn cut_lines(chunk: &[u8], carry: &mut Vec<u8>, each: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut rest = chunk;
    while let Some(place) = memchr::memchr(b'\n', rest) {
        let (line, behind) = rest.split_at_checked(place).unwrap_or((rest, &[]));
        rest = behind.get(1..).unwrap_or_default();
        if carry.is_empty() {
            each(line)?;
        } else {
            carry.extend_from_slice(line);
            each(carry)?;
            carry.clear();
        }
    }
    carry.extend_from_slice(rest);
    Ok(())
}

/// Checks the digest of a stream of fixed-width rows.
///
/// # Errors
/// As [`each_line`].
pub fn check_digest(folder: &Folder, name: &str, bytes: u64, sha256: Digest) -> Result<()> {
    let artifact = open(folder, name, bytes)?;
    let mut file = artifact.file();
    let mut hasher = Hasher::default();
    let mut chunk = vec![0; BUFFER_BYTES];
    loop {
        let got = file.read(&mut chunk).map_err(|error| artifact.read_failed(error))?;
        if got == 0 {
            break;
        }
        hasher.update(chunk.get(..got).unwrap_or_default());
    }
    if hasher.finish() == sha256 { Ok(()) } else { Err(Refusal::new(Code::StreamCorrupt).at(name)) }
}

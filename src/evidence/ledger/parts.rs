//! A stream that grows at its end only, in parts: each an immutable file of whole rows, named by its digest. Of a grown
//! stream only the last part is another file; the parts before it are neither copied nor read.

use serde::{Deserialize, Serialize};

use super::stream::{self, Mark, StreamWriter};
use crate::base::digest::Hasher;
use crate::base::private::Folder;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::manifest::Stream;

/// A part ends with the row that reaches this size.
pub const PART_BYTES: u64 = 2 * 1024 * 1024;

/// Rows of fixed width in every part but the last.
pub const fn rows_in_a_part(width: u64) -> u64 {
    PART_BYTES.div_ceil(width)
}

/// A place in a stream of parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartsMark {
    closed: u64,
    open: Option<Mark>,
}

/// Parts in the making.
pub struct PartsWriter {
    folder: Folder,
    extension: &'static str,
    closed: Vec<Stream>,
    open: Option<StreamWriter>,
}

impl PartsWriter {
    /// Begins in a ledger folder.
    pub fn create(folder: &Folder, extension: &'static str) -> Self {
        Self { folder: folder.clone(), extension, closed: Vec::new(), open: None }
    }

    /// Goes on at a mark in older parts; only the part that it is in is read.
    ///
    /// # Errors
    /// `stream-missing`, `stream-corrupt`, `write-failed`; `counts-mismatch` for a mark that is not in them.
    pub fn grow(folder: &Folder, extension: &'static str, older: &[Stream], mark: PartsMark) -> Result<Self> {
        let elsewhere = || Refusal::new(Code::CountsMismatch).at(extension);
        let count = usize::try_from(mark.closed).map_err(|_| elsewhere())?;
        let (closed, rest) = older.split_at_checked(count).ok_or_else(elsewhere)?;
        for part in closed {
            stream::open(folder, &part.file, part.bytes)?;
        }
        let open = match mark.open {
            None => None,
            Some(mark) => Some(StreamWriter::grow(folder, rest.first().ok_or_else(elsewhere)?, mark)?),
        };
        Ok(Self { folder: folder.clone(), extension, closed: closed.to_vec(), open })
    }

    /// Adds one row as it stands.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn row(&mut self, bytes: &[u8]) -> Result<()> {
        self.add(|part| part.row(bytes))
    }

    /// Adds one line: the row and its LF.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn line(&mut self, bytes: &[u8]) -> Result<()> {
        self.add(|part| part.line(bytes))
    }

    fn add(&mut self, write: impl FnOnce(&mut StreamWriter) -> Result<()>) -> Result<()> {
        let part = match &mut self.open {
            Some(open) => open,
            None => self.open.insert(StreamWriter::create(&self.folder)?),
        };
        write(part)?;
        if part.bytes() >= PART_BYTES { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<()> {
        if let Some(open) = self.open.take() {
            self.closed.push(open.finish(self.extension)?);
        }
        Ok(())
    }

    /// Where it is.
    pub fn mark(&self) -> PartsMark {
        PartsMark { closed: self.closed.len() as u64, open: self.open.as_ref().map(StreamWriter::mark) }
    }

    /// Publishes the last part; gives all of them.
    ///
    /// # Errors
    /// `write-failed`.
    pub fn finish(mut self) -> Result<Vec<Stream>> {
        self.close()?;
        Ok(self.closed)
    }
}

/// What parts there must be for rows that are given again.
#[derive(Default)]
pub struct PartsHasher {
    closed: Vec<Hashed>,
    hasher: Hasher,
    bytes: u64,
    rows: u64,
}

struct Hashed {
    hasher: Hasher,
    bytes: u64,
    rows: u64,
}

impl PartsHasher {
    /// Adds one row, its LF included where it has one.
    pub fn row(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.rows += 1;
        if self.bytes >= PART_BYTES {
            self.close();
        }
    }

    fn close(&mut self) {
        if self.rows > 0 {
            let (hasher, bytes, rows) = (
                std::mem::take(&mut self.hasher),
                std::mem::take(&mut self.bytes),
                std::mem::take(&mut self.rows),
            );
            self.closed.push(Hashed { hasher, bytes, rows });
        }
    }

    /// These are the parts: digests, sizes and rows.
    pub fn are(mut self, parts: &[Stream]) -> bool {
        self.close();
        self.closed.len() == parts.len()
            && self.closed.into_iter().zip(parts).all(|(own, part)| {
                own.hasher.finish() == part.sha256 && own.bytes == part.bytes && own.rows == part.rows
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{PART_BYTES, PartsHasher, PartsMark, PartsWriter, rows_in_a_part};
    use crate::base::private::Folder;
    use crate::base::rules::Code;

    fn folder() -> (tempfile::TempDir, Folder) {
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(private).tempdir().unwrap();
        let path = camino::Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        (keep, Folder::open(&path).unwrap())
    }

    fn row(number: u64) -> Vec<u8> {
        number.to_le_bytes().repeat(3)
    }

    #[test]
    fn grown_parts_are_those_that_are_made_at_once() {
        let (_keep, folder) = folder();
        let in_a_part = rows_in_a_part(24);
        let whole = 2 * in_a_part + 77;
        let fill = |parts: &mut PartsWriter, rows: std::ops::Range<u64>| {
            rows.for_each(|number| parts.row(&row(number)).unwrap());
        };
        let mut at_once = PartsWriter::create(&folder, "bin");
        fill(&mut at_once, 0..whole);
        let at_once = at_once.finish().unwrap();
        assert_eq!(at_once.iter().map(|part| part.rows).collect::<Vec<_>>(), [in_a_part, in_a_part, 77]);
        for edge in [0, 1, in_a_part - 1, in_a_part, in_a_part + 5, 2 * in_a_part, whole] {
            let mut parts = PartsWriter::create(&folder, "bin");
            fill(&mut parts, 0..edge);
            let mark = parts.mark();
            // What stands behind the mark is left out.
            fill(&mut parts, 1_000_000..1_000_003);
            let older = parts.finish().unwrap();
            let mut grown = PartsWriter::grow(&folder, "bin", &older, mark).unwrap();
            fill(&mut grown, edge..whole);
            assert_eq!(grown.finish().unwrap(), at_once, "{edge}");
        }
        let mut hasher = PartsHasher::default();
        (0..whole).for_each(|number| hasher.row(&row(number)));
        assert!(hasher.are(&at_once));
        let mut shorter = PartsHasher::default();
        (0..whole - 1).for_each(|number| shorter.row(&row(number)));
        assert!(!shorter.are(&at_once));
    }

    #[test]
    fn a_mark_that_is_not_in_the_parts_is_refused() {
        let (keep, folder) = folder();
        let mut parts = PartsWriter::create(&folder, "bin");
        (0..rows_in_a_part(24) + 1).for_each(|number| parts.row(&row(number)).unwrap());
        let mark = parts.mark();
        let older = parts.finish().unwrap();
        assert!(older[0].bytes >= PART_BYTES);
        let code =
            |older: &[_], mark| PartsWriter::grow(&folder, "bin", older, mark).err().map(|no| no.code());
        assert_eq!(code(&older, mark), None);
        assert_eq!(code(&older[..1], mark), Some(Code::CountsMismatch));
        assert_eq!(code(&[], PartsMark { closed: 1, open: None }), Some(Code::CountsMismatch));
        std::fs::remove_file(keep.path().join(&older[0].file)).unwrap();
        assert_eq!(code(&older, mark), Some(Code::StreamMissing));
    }
}

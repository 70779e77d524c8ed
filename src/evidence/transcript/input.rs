//! The bytes of a transcript: those of the file, or, of a compressed one, what they decode to. Every reader of it is
//! one of its own, so that several can be at work.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use camino::Utf8Path;
use zeroize::Zeroizing;

use super::compressed::{Decompressed, MAGIC, Trouble};
use super::prefix::{Hashed, hash};
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Readers of a compressed transcript that are kept for looking back.
const KEPT_READERS: usize = 3;

/// An open transcript.
pub struct Input {
    source: Source,
    size: u64,
    /// Of a compressed one: readers with what they gave so far, for single records.
    kept: Option<Mutex<Vec<Reader>>>,
}

type Reader = Decompressed<FileReader>;

/// Reads a file from a place of its own.
pub struct FileReader {
    file: File,
    at: u64,
}

impl FileReader {
    /// Reads a source from an offset on.
    ///
    /// # Errors
    /// `read-failed`.
    pub fn at(source: &Source, offset: u64) -> Result<Self> {
        let file = source.file().try_clone().map_err(|error| source.read_failed(error))?;
        Ok(Self { file, at: offset })
    }
}

impl Read for FileReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read_at(into, self.at)?;
        self.at += got as u64;
        Ok(got)
    }
}

impl Input {
    /// Opens a transcript and notes its size; of a compressed one that takes decoding it once.
    ///
    /// # Errors
    /// As [`Source::open`]; `read-failed`, `compressed-damaged`, `compressed-too-large`.
    pub fn open(path: &Utf8Path) -> Result<Self> {
        let source = Source::open(path)?;
        let size = source.size_bytes_at_open();
        let mut magic = [0; 4];
        let got = source.file().read_at(&mut magic, 0).map_err(|error| source.read_failed(error))?;
        let mut input = Self { source, size, kept: None };
        if got == MAGIC.len() && magic == MAGIC {
            input.kept = Some(Mutex::new(Vec::new()));
            let mut reader = input.reader(0)?;
            input.size = io::copy(&mut reader, &mut io::sink()).map_err(|error| input.failed(error))?;
        }
        Ok(input)
    }

    /// The file.
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// It is compressed.
    pub const fn is_compressed(&self) -> bool {
        self.kept.is_some()
    }

    /// Bytes of the transcript when it was opened.
    pub const fn size_bytes_at_open(&self) -> u64 {
        self.size
    }

    /// A reader of the bytes from an offset on.
    ///
    /// # Errors
    /// `read-failed`, and for a compressed one what decoding up to there refuses.
    pub fn reader(&self, offset: u64) -> Result<Box<dyn Read + Send>> {
        if !self.is_compressed() {
            return Ok(Box::new(FileReader::at(&self.source, offset)?));
        }
        let mut reader = Decompressed::new(FileReader::at(&self.source, 0)?);
        io::copy(&mut (&mut reader).take(offset), &mut io::sink()).map_err(|error| self.failed(error))?;
        Ok(Box::new(reader))
    }

    /// Hashes the bytes up to `size`, and their prefix of `watch` bytes.
    ///
    /// # Errors
    /// `interrupted`; as [`Input::reader`].
    pub fn hash(&self, size: u64, watch: u64, interrupted: &AtomicBool) -> Result<Hashed> {
        let hashed = hash(self.reader(0)?, size, watch, interrupted).map_err(|error| self.failed(error))?;
        hashed.ok_or_else(|| Refusal::new(Code::Interrupted))
    }

    /// Reads one record again, beside whatever else reads; `None` where it cannot be read.
    pub fn reread(&self, offset: u64, length: u64) -> Option<Zeroizing<String>> {
        let mut bytes = Zeroizing::new(vec![0; usize::try_from(length).ok()?]);
        match &self.kept {
            None => self.source.file().read_exact_at(&mut bytes, offset).ok()?,
            Some(kept) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                // Records are compared in the order of the file, each with an earlier one: two readers seldom go back.
                let nearest = (0..kept.len())
                    .filter(|place| kept.get(*place).is_some_and(|reader| reader.given_bytes() <= offset))
                    .max_by_key(|place| kept.get(*place).map(Decompressed::given_bytes));
                let mut reader = match nearest {
                    Some(place) => kept.remove(place),
                    None => Decompressed::new(FileReader::at(&self.source, 0).ok()?),
                };
                let skipped = offset.saturating_sub(reader.given_bytes());
                io::copy(&mut (&mut reader).take(skipped), &mut io::sink()).ok()?;
                reader.read_exact(&mut bytes).ok()?;
                kept.insert(0, reader);
                kept.truncate(KEPT_READERS);
            }
        }
        String::from_utf8(std::mem::take(&mut *bytes)).ok().map(Zeroizing::new)
    }

    /// The refusal for an error of one of its readers.
    pub fn failed(&self, error: io::Error) -> Refusal {
        match Trouble::refusal(&error) {
            Some(refusal) => refusal.at(self.source.path()),
            None => self.source.read_failed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use camino::Utf8PathBuf;

    use super::{Code, Input};

    fn place() -> (tempfile::TempDir, Utf8PathBuf) {
        let keep = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(keep.path().to_owned()).unwrap();
        (keep, path)
    }

    #[test]
    fn a_compressed_transcript_is_what_it_decodes_to() {
        let (_keep, folder) = place();
        let text: String = (0..40_000).map(|number| format!("{{\"n\":{number}}}\n")).collect();
        std::fs::write(folder.join("plain"), &text).unwrap();
        std::fs::write(folder.join("packed"), ruzstd_level(text.as_bytes())).unwrap();
        for name in ["plain", "packed"] {
            let input = Input::open(&folder.join(name)).unwrap();
            assert_eq!(
                (input.size_bytes_at_open(), input.is_compressed()),
                (text.len() as u64, name == "packed")
            );
            for offset in [0, 7, 300_000, text.len()] {
                let mut read = String::new();
                input.reader(offset as u64).unwrap().read_to_string(&mut read).unwrap();
                assert_eq!(read, text.split_at(offset).1, "{name} from {offset}");
            }
            for (offset, length) in [(9, 9), (300_000, 40), (0, 8), (400_000, 4), (299_990, 20)] {
                let wanted = text.get(offset..offset + length).unwrap();
                assert_eq!(
                    input.reread(offset as u64, length as u64).as_deref().map(String::as_str),
                    Some(wanted)
                );
            }
            assert_eq!(input.reread(text.len() as u64, 1), None);
        }
    }

    #[test]
    fn a_compressed_transcript_that_is_cut_is_refused() {
        let (_keep, folder) = place();
        let packed = ruzstd_level(b"{\"a\":1}\n".repeat(5_000).as_slice());
        std::fs::write(folder.join("cut"), &packed[..packed.len() - 9]).unwrap();
        assert_eq!(Input::open(&folder.join("cut")).err().unwrap().code(), Code::CompressedDamaged);
    }

    fn ruzstd_level(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }
}

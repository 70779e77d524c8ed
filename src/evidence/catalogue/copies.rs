//! Two files of one session: are they the same, or is one the beginning of the other? By their bytes, decoded where
//! compressed, read side by side in bounded memory.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use super::entry::Entry;
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::transcript::compressed::{Decompressed, Trouble};

const STEP_BYTES: usize = 256 * 1024;

/// How the contents of two files stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    Equal,
    FirstIsBeginning,
    SecondIsBeginning,
    Different,
}

/// Compares two files.
///
/// # Errors
/// What opening and reading refuse; `compressed-damaged`, `compressed-too-large`, `interrupted`.
pub(super) fn compare(first: &Entry, second: &Entry, interrupted: &AtomicBool) -> Result<Agreement> {
    let sources = (Source::open(&first.path)?, Source::open(&second.path)?);
    let mut one = Content::new(&sources.0, first.marks.compressed);
    let mut other = Content::new(&sources.1, second.marks.compressed);
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Refusal::new(Code::Interrupted));
        }
        let (left, right) = (one.step()?, other.step()?);
        let both = left.len().min(right.len());
        if left.get(..both) != right.get(..both) {
            return Ok(Agreement::Different);
        }
        // A step is short only at the end.
        match (left.len() == both, right.len() == both) {
            (true, true) if both == 0 => return Ok(Agreement::Equal),
            (true, true) => {}
            (true, false) => return Ok(Agreement::FirstIsBeginning),
            (false, _) => return Ok(Agreement::SecondIsBeginning),
        }
    }
}

/// The bytes of a transcript as they were when it was opened.
struct Content<'s> {
    reader: Box<dyn Read + 's>,
    source: &'s Source,
    buffer: Vec<u8>,
}

impl<'s> Content<'s> {
    fn new(source: &'s Source, compressed: bool) -> Self {
        let plain = source.file().take(source.size_bytes_at_open());
        let reader: Box<dyn Read + 's> =
            if compressed { Box::new(Decompressed::new(plain)) } else { Box::new(plain) };
        Self { reader, source, buffer: Vec::with_capacity(STEP_BYTES) }
    }

    /// The next bytes, as many as fit; none at the end.
    fn step(&mut self) -> Result<&[u8]> {
        self.buffer.clear();
        let read = (&mut self.reader).take(STEP_BYTES as u64).read_to_end(&mut self.buffer);
        match read {
            Ok(_) => Ok(&self.buffer),
            Err(error) => Err(match Trouble::of(&error) {
                Some(trouble) => Refusal::new(trouble.code()).at(self.source.path()),
                None => self.source.read_failed(error),
            }),
        }
    }
}

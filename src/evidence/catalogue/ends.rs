//! The two ends of a file: its first records, which say who it is, and its last ones, which say where it went. What lies
//! between is not read, so that a folder of ten thousand sessions is listed in seconds.

use std::io::{BufReader, Read as _};

use zeroize::Zeroizing;

use crate::base::Result;
use crate::base::private::Source;
use crate::evidence::transcript::compressed::{Decompressed, Trouble};
use crate::evidence::transcript::frame::BYTE_ORDER_MARK;
use crate::evidence::transcript::input::FileReader;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::opening::{DROPPED, OPENING_BYTES, Opening};
use crate::evidence::transcript::pieces::{Piece, cut};

/// Bytes of the end that are read.
pub(super) const TAIL_BYTES: u64 = 64 * 1024;

/// The last records of a file.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// Their texts, in order.
    pub(super) texts: Vec<Zeroizing<String>>,
    /// Damaged bytes lie between them.
    pub(super) damaged: bool,
    /// The file ends inside a record.
    pub(super) cut: bool,
}

impl Tail {
    /// Reads the last records; of a compressed file there are none, it would have to be decoded whole.
    pub(super) fn read(source: &Source) -> Result<Self> {
        let size = source.size_bytes_at_open();
        let from = size.saturating_sub(TAIL_BYTES);
        let mut bytes = Zeroizing::new(Vec::with_capacity(TAIL_BYTES as usize + 32));
        let read = FileReader::at(source, from)?.take(size - from).read_to_end(&mut bytes);
        read.map_err(|error| source.read_failed(error))?;
        let mut tail = Self::default();
        // The first line is whole only where the file begins.
        let skipped =
            if from == 0 { 0 } else { memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1) };
        for line in bytes.get(skipped..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            tail.add(line, from == 0);
        }
        Ok(tail)
    }

    fn add(&mut self, line: &[u8], from_start: bool) {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let bare = if from_start { bare.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bare) } else { bare };
        for piece in cut(bare, bare.len() < line.len(), DROPPED) {
            match piece {
                Piece::Record { text, .. } => self.texts.push(text.into_own()),
                Piece::Malformed { .. } => self.damaged = true,
                Piece::Partial { .. } => self.cut = true,
            }
        }
    }

    /// The records.
    pub(super) fn records(&self) -> Vec<Json<'_>> {
        let parsed = self.texts.iter().filter_map(|text| Json::parse(text, DROPPED).ok());
        parsed.map(|parsed| parsed.value).collect()
    }
}

/// Reads the first records of a plain or compressed file.
///
/// # Errors
/// `read-failed`; the inner error is what is wrong with compressed data that gave no record at all.
pub(super) fn opening(
    source: &Source,
    compressed: bool,
    count: usize,
) -> Result<std::result::Result<Opening, Trouble>> {
    let file = FileReader::at(source, 0)?;
    let read = if compressed {
        // What is read ahead must not count as the end of the file.
        Opening::read(BufReader::new(Decompressed::new(file)), OPENING_BYTES, count)
    } else {
        Opening::read(BufReader::with_capacity(64 * 1024, file), source.size_bytes_at_open(), count)
    };
    match read {
        Ok(opening) => Ok(Ok(opening)),
        Err(error) => Trouble::of(&error).map(Err).ok_or_else(|| source.read_failed(error)),
    }
}

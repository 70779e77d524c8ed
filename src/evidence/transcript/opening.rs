//! How a file begins: its first whole records, within bounds. Whoever asks which session a file holds looks at
//! these and at its name, and at nothing else.

use std::io::{self, BufRead};

use camino::Utf8Path;
use zeroize::{Zeroize as _, Zeroizing};

use super::frame::BYTE_ORDER_MARK;
use super::json::Json;
use super::pieces::{Piece, cut};

/// Bytes that are looked at; the first records of real sessions lie far below.
pub const OPENING_BYTES: u64 = 16 * 1024 * 1024;
/// Members that nobody asks who wants to know which session it is, and that hold most of the bytes.
pub const DROPPED: &[&str] = &[
    ".toolUseResult",
    ".attachment",
    ".snapshot",
    "message.content",
    "payload.base_instructions",
    "payload.dynamic_tools",
    "payload.content",
    "payload.output",
    "payload.state",
    "payload.replacement_history",
    "payload.item",
];
/// Room for a line: more than the bound above.
const LINE_ROOM_BYTES: usize = 3 * OPENING_BYTES as usize;

/// The first records of a file.
#[derive(Debug, Default)]
pub struct Opening {
    /// Their texts, in order.
    pub texts: Vec<Zeroizing<String>>,
    /// Damaged bytes lie before or between them.
    pub damaged: bool,
    /// The file ended before the wanted number of records and before the bound.
    pub whole: bool,
    /// The last of it is the unterminated beginning of a record.
    pub cut: bool,
    /// How many bytes were read for it.
    pub end_bytes: u64,
    /// The first bytes as they stand, for a word on what the file looks like.
    pub start: Vec<u8>,
}

/// The line at hand; it has room for every line that is looked at and never moves.
struct Line(Vec<u8>);

impl Line {
    fn wipe(&mut self) {
        self.0.as_mut_slice().zeroize();
        self.0.clear();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl Opening {
    /// Reads at most `count` records from the first `size` bytes.
    ///
    /// # Errors
    /// The reader's.
    pub fn read(reader: impl BufRead, size: u64, count: usize) -> io::Result<Self> {
        let mut input = reader.take(size.min(OPENING_BYTES));
        let mut opening = Self::default();
        // As in `frame.rs`: room at once, most of it never touched, for the few lines that are long.
        let mut line = Line(Vec::with_capacity(LINE_ROOM_BYTES));
        let mut is_first = true;
        while opening.texts.len() < count {
            line.wipe();
            let got = input.read_until(b'\n', &mut line.0)?;
            if got == 0 {
                opening.whole = opening.end_bytes < OPENING_BYTES;
                break;
            }
            opening.end_bytes += got as u64;
            if std::mem::take(&mut is_first) {
                opening.start = line.0.iter().take(16).copied().collect();
                if line.0.starts_with(BYTE_ORDER_MARK) {
                    line.0.drain(..BYTE_ORDER_MARK.len());
                }
            }
            opening.add(&line.0, count);
        }
        Ok(opening)
    }

    fn add(&mut self, line: &[u8], count: usize) {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        for piece in cut(bare, bare.len() < line.len(), DROPPED) {
            match piece {
                Piece::Record { text, .. } if self.texts.len() < count => self.texts.push(text.into_own()),
                Piece::Malformed { .. } => self.damaged = true,
                Piece::Partial { .. } => self.cut = true,
                Piece::Record { .. } => {}
            }
        }
    }

    /// The records.
    pub fn records(&self) -> Vec<Json<'_>> {
        let parsed = self.texts.iter().filter_map(|text| Json::parse(text, DROPPED).ok());
        parsed.map(|parsed| parsed.value).collect()
    }
}

/// The name of a transcript without what tells its format: `.jsonl`, `.json`, and `.zst` behind them.
pub fn stem(path: &Utf8Path) -> &str {
    let name = path.file_name().unwrap_or_default();
    Utf8Path::new(name.strip_suffix(".zst").unwrap_or(name)).file_stem().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Opening, stem};

    fn read(bytes: &[u8], count: usize) -> Opening {
        Opening::read(bytes, bytes.len() as u64, count).unwrap()
    }

    #[test]
    fn it_ends_with_the_count_or_with_the_file() {
        let bytes = b"\xef\xbb\xbf{\"a\":1}\n\n{\"a\":2}{\"a\":3}\n{\"a\":4}\n{\"a\":";
        let two = read(bytes, 2);
        assert_eq!((two.texts.len(), two.whole, two.cut, two.end_bytes), (2, false, false, 27));
        let all = read(bytes, 9);
        assert_eq!((all.texts.len(), all.whole, all.cut, all.damaged), (4, true, true, false));
        assert_eq!(all.records().len(), 4);
    }

    #[test]
    fn damage_between_records_is_noted_and_skipped() {
        let found = read(b"{\"a\":1}\n\0\0\0{\"a\":2}\n", 9);
        assert_eq!((found.texts.len(), found.damaged), (2, true));
        assert!(read(b"", 9).texts.is_empty());
    }

    #[test]
    fn a_name_loses_what_tells_its_format() {
        for name in ["a/rollout-1.jsonl", "rollout-1.jsonl.zst", "/b.c/rollout-1.json", "rollout-1"] {
            assert_eq!(stem(name.into()), "rollout-1", "{name}");
        }
    }
}

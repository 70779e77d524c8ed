//! Bytes to batches of whole lines: framing by 0x0A alone, bounded memory, nothing dropped. A batch owns its
//! bytes and knows where they stood in the transcript.

use std::io::Read;

use memchr::memrchr;

use super::wiped::Wiped;
use crate::base::limits::RECORD_BYTES;

/// Bytes after which a batch is handed on at the next line end.
pub const BATCH_BYTES: usize = 1024 * 1024;

/// Room for a line that is longer than a batch, in bytes.
const LONG_LINE_ROOM_BYTES: usize = 64 * BATCH_BYTES;

/// Some whole lines, or the unterminated end.
#[derive(Debug, Default)]
pub struct Batch {
    /// Offset of the first byte in the transcript.
    pub offset: u64,
    /// Whole lines with their terminators; the last batch may end without one.
    pub bytes: Wiped,
    /// A line longer than the bound: its length in bytes without the terminator. Then `bytes` is empty and nothing of it is kept.
    pub too_long: Option<u64>,
    /// The line of `too_long` ended with a terminator.
    pub too_long_terminated: bool,
    /// Set for a document, whose records are no lines.
    pub parts: Option<Parts>,
}

/// What a stretch of a document was cut into; what no part covers is framing.
#[derive(Debug)]
pub struct Parts {
    /// In the order of the file.
    pub list: Vec<Part>,
    /// Bytes of the stretch.
    pub covered: u64,
}

/// One part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Offset of its first byte in the transcript.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// What it is.
    pub kind: PartKind,
}

/// Kinds of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// An object that closes; its bytes are in the batch.
    Value,
    /// Bytes that are no record.
    Damage,
    /// An object over the bound; nothing of it is kept.
    TooLong,
    /// The unfinished end, perhaps without a byte.
    Partial,
}

/// What may stand in front of a transcript, and belongs to no line.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Batch {
    /// The lines and the offset of the first. A byte order mark in front of the transcript belongs to none.
    pub fn lines(&self) -> (u64, &[u8]) {
        match self.bytes.strip_prefix(BYTE_ORDER_MARK) {
            Some(lines) if self.offset == 0 => (BYTE_ORDER_MARK.len() as u64, lines),
            _ => (self.offset, &self.bytes),
        }
    }

    /// The bytes of a part that is a value.
    pub fn bytes_of(&self, part: &Part) -> &[u8] {
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let start = place(part.offset.saturating_sub(self.offset));
        self.bytes.get(start..start.saturating_add(place(part.length))).unwrap_or_default()
    }
}

/// Cuts a transcript of a noted size into batches and hashes it on the way.
pub struct Framer<R> {
    input: R,
    left: u64,
    offset: u64,
    carry: Wiped,
    hasher: Option<blake3::Hasher>,
    watch: Option<(u64, Option<blake3::Hash>)>,
    read: u64,
}

impl<R: Read> Framer<R> {
    /// Reads `[0, size)` of the input. `watch` is a length whose prefix hash is wanted, too.
    pub fn new(input: R, size: u64, watch: Option<u64>) -> Self {
        Self {
            input,
            left: size,
            offset: 0,
            carry: Wiped::default(),
            hasher: Some(blake3::Hasher::new()),
            watch: watch.map(|length| (length, None)),
            read: 0,
        }
    }

    /// Reads `[from, size)` of the transcript and hashes nothing; the input stands at `from`, right behind a line feed.
    pub fn behind(input: R, from: u64, size: u64) -> Self {
        let left = size.saturating_sub(from);
        Self { left, offset: from, hasher: None, read: from, ..Self::new(input, size, None) }
    }

    /// The next batch; `None` at the end.
    ///
    /// # Errors
    /// The read error. An input that ends early simply ends: [`Framer::bytes_read`] tells.
    pub fn next_batch(&mut self) -> std::io::Result<Option<Batch>> {
        let mut bytes = std::mem::take(&mut self.carry);
        let mut searched = 0;
        loop {
            let more = self.fill(&mut bytes)?;
            let fresh = bytes.get(searched..).unwrap_or_default();
            if let Some(place) = memrchr(b'\n', fresh) {
                let end = searched + place + 1;
                self.carry = bytes.split_off(end);
                return Ok(Some(self.batch(bytes)));
            }
            if !more {
                return Ok((!bytes.is_empty()).then(|| self.batch(bytes)));
            }
            searched = bytes.len();
            if bytes.len() > RECORD_BYTES {
                return self.skip_line(bytes).map(Some);
            }
        }
    }

    /// Bytes that the input really gave.
    pub const fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Hash of everything read, if it was read from the beginning.
    pub fn hash(&self) -> Option<blake3::Hash> {
        self.hasher.as_ref().map(blake3::Hasher::finalize)
    }

    /// Hash of the watched prefix, if the input reached it.
    pub fn watched(&self) -> Option<blake3::Hash> {
        self.watch.and_then(|(_, hash)| hash)
    }

    fn batch(&mut self, bytes: Wiped) -> Batch {
        let offset = self.offset;
        self.offset += bytes.len() as u64;
        Batch { offset, bytes, ..Batch::default() }
    }

    /// Appends up to one batch of fresh bytes; false at the end of the input.
    pub fn fill(&mut self, bytes: &mut Wiped) -> std::io::Result<bool> {
        let want = self.left.min(BATCH_BYTES as u64);
        if want == 0 {
            return Ok(false);
        }
        let before = bytes.len();
        // A long line gets much room at once, of which only what is used is real memory: growing to it by and by leaves
        // pieces behind that the allocator keeps. Not `read_to_end`, which touches all of the room.
        let room = if before >= BATCH_BYTES { LONG_LINE_ROOM_BYTES } else { 0 };
        let fresh = bytes.lengthen(usize::try_from(want).unwrap_or(BATCH_BYTES), room);
        let got = read_full(&mut self.input, fresh);
        bytes.truncate(before + got.as_ref().copied().unwrap_or_default());
        if got? == 0 {
            self.left = 0;
            return Ok(false);
        }
        self.note(bytes.get(before..).unwrap_or_default());
        Ok(true)
    }

    fn note(&mut self, fresh: &[u8]) {
        let start = self.read;
        let end = start + fresh.len() as u64;
        self.left = self.left.saturating_sub(fresh.len() as u64);
        self.read = end;
        let Some(hasher) = &mut self.hasher else { return };
        if let Some((length, slot @ None)) = &mut self.watch
            && (start..=end).contains(length)
        {
            let head = usize::try_from(*length - start).unwrap_or(usize::MAX);
            let mut prefix = hasher.clone();
            prefix.update(fresh.get(..head).unwrap_or(fresh));
            *slot = Some(prefix.finalize());
        }
        hasher.update(fresh);
    }

    /// Counts a line over the bound to its end, keeping nothing of it.
    fn skip_line(&mut self, mut bytes: Wiped) -> std::io::Result<Batch> {
        let offset = self.offset;
        let mut length = bytes.len() as u64;
        let mut terminated = false;
        loop {
            bytes.truncate(0);
            if !self.fill(&mut bytes)? {
                break;
            }
            if let Some(place) = memchr::memchr(b'\n', &bytes) {
                length += place as u64;
                terminated = true;
                self.carry = bytes.split_off(place + 1);
                break;
            }
            length += bytes.len() as u64;
        }
        self.offset = offset + length + u64::from(terminated);
        Ok(Batch { offset, too_long: Some(length), too_long_terminated: terminated, ..Batch::default() })
    }
}

/// Reads until the room is full or the input ends.
fn read_full(input: &mut impl Read, room: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while let Some(rest) = room.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

#[cfg(test)]
mod tests {
    use super::Framer;

    #[test]
    fn batches_tile_the_input() {
        let text = (0..300_000).map(|number| format!("{{\"n\":{number}}}\n")).collect::<String>() + "{\"cut";
        let mut framer = Framer::new(text.as_bytes(), text.len() as u64, Some(1_000_000));
        let mut rebuilt = Vec::new();
        while let Some(batch) = framer.next_batch().unwrap() {
            assert_eq!(batch.offset, rebuilt.len() as u64);
            rebuilt.extend_from_slice(&batch.bytes);
        }
        assert_eq!(rebuilt, text.as_bytes());
        assert_eq!(framer.hash(), Some(blake3::hash(text.as_bytes())));
        assert_eq!(framer.watched(), Some(blake3::hash(&text.as_bytes()[..1_000_000])));
    }

    #[test]
    fn bytes_behind_the_noted_size_are_not_read() {
        let mut framer = Framer::new(&b"{}\n{}\nmore"[..], 6, None);
        assert_eq!(*framer.next_batch().unwrap().unwrap().bytes, *b"{}\n{}\n");
        assert!(framer.next_batch().unwrap().is_none());
        assert_eq!(framer.bytes_read(), 6);
    }
}

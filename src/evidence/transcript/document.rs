//! A document of the first Codex CLI to records: `{"session": {…}, "items": […]}`, one JSON value over the whole
//! file. The values of its members are records, and so is each element of `items`; braces, commas, keys and blanks
//! around them are framing. Damage is set apart up to the next line on which an element or a member begins, as
//! the lines before it were written; where lines do not tell, it reaches to the end.

use std::io::Read;

use super::frame::{Batch, Framer, Part, PartKind, Parts};
use super::value::{Step, Value};
use super::wiped::Wiped;
use crate::base::limits::RECORD_BYTES;

/// Longest blank beginning of a line that is compared.
const INDENT_BYTES: usize = 64;
/// Bytes of a key that are kept: more than any that matters has.
const KEY_BYTES: usize = 16;

/// Cuts one document.
#[derive(Debug)]
pub struct Document {
    /// Longest value that is kept, in bytes.
    bound: u64,
    /// Bytes that were not handed on, and where the first of them stands.
    held: Wiped,
    held_at: u64,
    /// How many of them were looked at.
    scanned: usize,
    state: State,
    region: Region,
    parts: Vec<Part>,
    /// Bytes of the batches so far.
    told: u64,
    /// The blanks that the line at hand began with, while nothing else stood on it.
    indent: Option<Vec<u8>>,
    /// The same of the first key and the first element that began a line.
    key_indent: Option<Vec<u8>>,
    item_indent: Option<Vec<u8>>,
    has_items: bool,
    finished: bool,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            bound: RECORD_BYTES as u64,
            held: Wiped::default(),
            held_at: 0,
            scanned: 0,
            state: State::Between,
            region: Region::Before,
            parts: Vec::new(),
            told: 0,
            indent: None,
            key_indent: None,
            item_indent: None,
            has_items: false,
            finished: false,
        }
    }
}

/// Where unclaimed bytes stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Before,
    Members,
    Items,
    Behind,
}

#[derive(Debug)]
enum State {
    /// Between values, as the region says.
    Between,
    /// In a key that began there.
    Key {
        from: u64,
        name: Vec<u8>,
        escaped: bool,
    },
    /// Behind a key, with or without its colon.
    Colon {
        items: bool,
    },
    Member {
        items: bool,
    },
    /// In a value that began there.
    Value {
        from: u64,
        value: Value,
        dropped: bool,
    },
    /// In a run of NUL bytes.
    Nul {
        from: u64,
    },
    /// In damage that began there and reaches so far.
    Lost {
        from: u64,
        end: u64,
    },
}

impl Document {
    /// The next batch; `None` at the end. The bytes come from the framer, which hashes them.
    ///
    /// # Errors
    /// The read error.
    pub fn next_batch<R: Read>(&mut self, framer: &mut Framer<R>) -> std::io::Result<Option<Batch>> {
        loop {
            if !framer.fill(&mut self.held)? {
                return Ok(self.finish());
            }
            self.scan();
            if let Some(batch) = self.hand_over() {
                return Ok(Some(batch));
            }
        }
    }

    /// Its array of items has begun.
    pub const fn has_items(&self) -> bool {
        self.has_items
    }

    fn scan(&mut self) {
        let held = std::mem::take(&mut self.held);
        let fresh = held.get(self.scanned..).unwrap_or_default();
        for (at, byte) in (self.held_at + self.scanned as u64..).zip(fresh) {
            // A byte that ends what was open is looked at again as what it begins.
            while !self.take(*byte, at) {}
        }
        self.scanned = held.len();
        self.held = held;
    }

    /// Takes a byte; false if it must be taken once more, in another state.
    fn take(&mut self, byte: u8, at: u64) -> bool {
        match &mut self.state {
            State::Between => return self.between(byte, at),
            State::Key { from, name, escaped } => match byte {
                0..0x20 => {
                    let from = *from;
                    return self.lose(from, at);
                }
                _ if *escaped => *escaped = false,
                b'\\' => {
                    *escaped = true;
                    name.push(byte);
                }
                b'"' => self.state = State::Colon { items: name == b"items" },
                _ if name.len() < KEY_BYTES => name.push(byte),
                _ => {}
            },
            State::Colon { items } => match byte {
                b':' => self.state = State::Member { items: *items },
                _ if is_blank(byte) => {}
                _ => return self.lose(at, at),
            },
            State::Member { items } => match byte {
                b'[' if *items => {
                    self.has_items = true;
                    self.region = Region::Items;
                    self.state = State::Between;
                }
                _ if is_blank(byte) => {}
                _ => return self.open(byte, at),
            },
            State::Value { value, .. } => {
                let step = value.step(byte);
                if step == Step::Within {
                    self.line(byte);
                }
                return self.value(step, at);
            }
            State::Nul { from } if byte != 0 => {
                let from = *from;
                self.part(from, at, PartKind::Damage);
                return false;
            }
            State::Nul { .. } => {}
            State::Lost { .. } => return self.lost(byte, at),
        }
        true
    }

    fn between(&mut self, byte: u8, at: u64) -> bool {
        let at_mark = self.region == Region::Before && at < 3 && matches!(byte, 0xef | 0xbb | 0xbf);
        match (self.region, byte) {
            (_, byte) if is_blank(byte) => self.blank(byte),
            (_, 0) => self.state = State::Nul { from: at },
            (Region::Members | Region::Items, b',') => self.indent = None,
            (Region::Before, b'{') => self.region = Region::Members,
            (Region::Before, _) if at_mark => {}
            (Region::Members, b'"') => {
                let indent = self.indent.take();
                self.key_indent = self.key_indent.take().or(indent);
                self.state = State::Key { from: at, name: Vec::new(), escaped: false };
            }
            (Region::Members, b'}') => self.region = Region::Behind,
            (Region::Items, b']') => self.region = Region::Members,
            (Region::Items, _) => {
                let indent = self.indent.take();
                self.item_indent = self.item_indent.take().or(indent);
                return self.open(byte, at);
            }
            _ => return self.lose(at, at),
        }
        true
    }

    fn blank(&mut self, byte: u8) {
        match (byte, &mut self.indent) {
            (b'\n', indent) => *indent = Some(Vec::new()),
            (_, Some(indent)) if indent.len() < INDENT_BYTES => indent.push(byte),
            _ => self.indent = None,
        }
    }

    fn line(&mut self, byte: u8) {
        if is_blank(byte) {
            self.blank(byte);
        } else {
            self.indent = None;
        }
    }

    fn open(&mut self, byte: u8, at: u64) -> bool {
        self.indent = None;
        let Some(value) = Value::begin(byte) else { return self.lose(at, at) };
        self.state = State::Value { from: at, value, dropped: false };
        true
    }

    fn value(&mut self, step: Step, at: u64) -> bool {
        let State::Value { from, value, .. } = &self.state else { return true };
        let (from, is_object) = (*from, value.is_object());
        let end = match step {
            Step::Within => return true,
            Step::Broken => {
                // The blanks at the beginning of its line are no part of the damage.
                let indent = self.indent.take();
                let line = indent.as_ref().map_or(0, |indent| indent.len() as u64 + 1);
                self.lose(from, at - line);
                self.indent = indent;
                return false;
            }
            Step::Ends => at + 1,
            Step::Ended => at,
        };
        let kind = match is_object {
            _ if end - from > self.bound => PartKind::TooLong,
            true => PartKind::Value,
            false => PartKind::Damage,
        };
        self.part(from, end, kind);
        step == Step::Ends
    }

    fn part(&mut self, from: u64, end: u64, kind: PartKind) {
        self.parts.push(Part { offset: from, length: end - from, kind });
        self.state = State::Between;
    }

    /// What began at `from` and reaches to `end` is damage, as the next byte shows; that byte is taken once more.
    fn lose(&mut self, from: u64, end: u64) -> bool {
        self.indent = None;
        self.state = State::Lost { from, end };
        false
    }

    fn lost(&mut self, byte: u8, at: u64) -> bool {
        if is_blank(byte) {
            self.blank(byte);
            return true;
        }
        let State::Lost { from, end } = self.state else { return true };
        if let Some(indent) = self.indent.take()
            && let Some(region) = self.resumes(&indent, byte)
        {
            self.part(from, end, PartKind::Damage);
            self.region = region;
            self.indent = Some(indent);
            return false;
        }
        self.state = State::Lost { from, end: at + 1 };
        true
    }

    /// No string holds a line feed as it is, and what lies inside an element stands deeper than the element: so a line
    /// that begins like an element, the end of `items` or a member is one, where the document is indented at all.
    fn resumes(&self, indent: &[u8], byte: u8) -> Option<Region> {
        let key = self.key_indent.as_deref().filter(|key| !key.is_empty())?;
        let item = self.item_indent.as_deref().filter(|item| item.len() > key.len());
        match (self.region, byte) {
            (Region::Items, b'{') if item == Some(indent) => Some(Region::Items),
            (Region::Items, b']') if key == indent => Some(Region::Items),
            (Region::Items | Region::Members, b'"') if key == indent => Some(Region::Members),
            _ => None,
        }
    }

    /// Hands on what is in front of whatever is open. Of what is open only a value is kept, up to the bound.
    fn hand_over(&mut self) -> Option<Batch> {
        let end = self.held_at + self.held.len() as u64;
        let open = self.open_from().unwrap_or(end);
        let before = usize::try_from(open.saturating_sub(self.held_at)).unwrap_or(usize::MAX);
        let mut bytes = std::mem::take(&mut self.held);
        // A long value is not moved with every chunk that it goes on in.
        let mut rest = match before {
            0 => std::mem::take(&mut bytes),
            before => bytes.split_off(before.min(bytes.len())),
        };
        let kept = match &mut self.state {
            State::Value { from, dropped, .. } => {
                *dropped |= end - *from > self.bound;
                !*dropped
            }
            _ => false,
        };
        let batch = (open > self.told || !self.parts.is_empty()).then(|| self.batch(bytes, open));
        if !kept {
            rest = Wiped::default();
        }
        self.scanned = rest.len();
        self.held_at = end - rest.len() as u64;
        self.held = rest;
        batch
    }

    fn finish(&mut self) -> Option<Batch> {
        if std::mem::replace(&mut self.finished, true) {
            return None;
        }
        let end = self.held_at + self.held.len() as u64;
        let closed = self.region == Region::Behind && matches!(self.state, State::Between);
        if !closed {
            self.part(self.open_from().unwrap_or(end), end, PartKind::Partial);
        }
        let bytes = std::mem::take(&mut self.held);
        (self.told < end || !self.parts.is_empty()).then(|| self.batch(bytes, end))
    }

    /// Where the key, value or damage at hand began.
    const fn open_from(&self) -> Option<u64> {
        match self.state {
            State::Between | State::Colon { .. } | State::Member { .. } => None,
            State::Key { from, .. }
            | State::Value { from, .. }
            | State::Nul { from }
            | State::Lost { from, .. } => Some(from),
        }
    }

    /// A batch whose parts and framing end there.
    fn batch(&mut self, bytes: Wiped, end: u64) -> Batch {
        let parts = Parts { list: std::mem::take(&mut self.parts), covered: end - self.told };
        self.told = end;
        Batch { offset: self.held_at, bytes, parts: Some(parts), ..Batch::default() }
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

//! Which harness wrote a file and which session it is: from its content and name, never from where it lies. Also
//! where the history that it inherited from another session ends.

use std::io::{self, BufReader, Read};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::claude::{self, ClaudeReader};
use super::codex::{self, CodexReader};
use super::document::Document;
use super::frame::{Framer, PartKind};
use super::input::Input;
use super::json::Json;
use super::lines::each_line;
use super::opening::{OPENING_BYTES, Opening, stem};
use super::pieces::{Piece, cut, whole_object};
use super::reading::{Head, Identity, Reader};
use crate::base::ids::Harness;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Records of the head that are looked at: first few, then more for sessions that begin with much bookkeeping.
pub const HEAD_RECORDS: [usize; 2] = [64, 4096];

/// The reader of a harness.
pub fn reader_of(harness: Harness) -> &'static dyn Reader {
    match harness {
        Harness::Claude => &ClaudeReader,
        Harness::Codex => &CodexReader,
    }
}

/// Recognises a transcript.
///
/// # Errors
/// `not-a-transcript` with what the file looks like, `read-failed`.
pub fn identify(input: &Input) -> Result<Identity> {
    let stem = stem(input.source().path());
    let size = input.size_bytes_at_open();
    let mut looks = "";
    for count in HEAD_RECORDS {
        let opening = Opening::read(BufReader::new(input.reader(0)?), size, count);
        let opening = opening.map_err(|error| input.failed(error))?;
        let records = opening.records();
        if let Some(identity) = identify_records(stem, &records) {
            return Ok(identity);
        }
        looks = looks_like(&opening.start, !records.is_empty());
        let document = identify_document(stem, input.reader(0)?, size, count);
        if let Some(identity) = document.map_err(|error| input.failed(error))? {
            return Ok(identity);
        }
    }
    Err(Refusal::new(Code::NotATranscript).at(looks))
}

/// Recognises a transcript by its name (see [`stem`]) and its first records.
pub fn identify_records(stem: &str, records: &[Json<'_>]) -> Option<Identity> {
    claude::identify(stem, records).or_else(|| codex::identify(stem, records))
}

/// The identity of a file that is one document: only what has both members is one of a known harness.
///
/// # Errors
/// The reader's.
pub fn identify_document(
    stem: &str,
    reader: impl Read,
    size: u64,
    count: usize,
) -> io::Result<Option<Identity>> {
    let mut texts = Vec::new();
    let mut document = Document::default();
    each_record(reader, size.min(OPENING_BYTES), Some(&mut document), &mut |_, text| {
        texts.push(text.to_owned());
        texts.len() < count
    })?;
    let parsed = texts.iter().filter_map(|text| Json::parse(text, &[]).ok());
    let values: Vec<Json<'_>> = parsed.map(|parsed| parsed.value).collect();
    Ok(codex::identify_document(stem, &values).filter(|_| document.has_items()))
}

/// Gives every whole record of `[0, size)` with its offset until `each` says stop: lines, or the parts of a document.
fn each_record(
    reader: impl Read,
    size: u64,
    document: Option<&mut Document>,
    each: &mut dyn FnMut(u64, &str) -> bool,
) -> io::Result<()> {
    match document {
        Some(document) => each_part(reader, size, document, each),
        None => each_line(reader, size, &|error| error, &mut |offset, line, terminated| {
            let mut on = true;
            for piece in cut(line, terminated, &[]) {
                if let Piece::Record { start, text, .. } = piece {
                    on = on && each(offset + start as u64, &text);
                }
            }
            Ok(on)
        }),
    }
}

fn each_part(
    reader: impl Read,
    size: u64,
    document: &mut Document,
    each: &mut dyn FnMut(u64, &str) -> bool,
) -> io::Result<()> {
    let mut framer = Framer::new(reader, size, None);
    let mut on = true;
    while on {
        let Some(batch) = document.next_batch(&mut framer)? else { break };
        for part in batch.parts.iter().flat_map(|parts| &parts.list) {
            let whole = whole_object(batch.bytes_of(part), &[]).filter(|_| part.kind == PartKind::Value);
            on = on && whole.is_none_or(|(_, text, _)| each(part.offset, &text));
        }
    }
    Ok(())
}

/// What a file is that is no transcript, in our own words. `start` are its first bytes.
pub fn looks_like(start: &[u8], has_records: bool) -> &'static str {
    if has_records {
        return "JSON lines of another program";
    }
    match start {
        [] => "an empty file",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "a zstd-compressed file",
        [0x1f, 0x8b, ..] => "a gzip-compressed file",
        [0x7f, b'E', b'L', b'F', ..] => "a program",
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => "a database",
        [b'{' | b'[', ..] => "one JSON document",
        _ if start.iter().all(|byte| *byte == 0) => "a run of NUL bytes",
        _ if start.iter().all(|byte| (0x20..0x7f).contains(byte) || byte.is_ascii_whitespace()) => {
            "plain text"
        }
        _ => "binary data",
    }
}

/// The byte range of inherited history, empty when there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inherited {
    /// Where it lies.
    pub range: Range<u64>,
    /// The session says that it was forked, but the file alone does not show where its own work begins.
    pub possible: bool,
    /// A record was seen that proves own work: whatever follows, this stays as it is.
    pub decided: bool,
}

/// Scans the head for inherited history, up to the first record that proves own work.
///
/// # Errors
/// `read-failed`.
pub fn inherited_prefix(input: &Input, size: u64, identity: &Identity) -> Result<Inherited> {
    let reader = reader_of(identity.harness);
    let mut start = None;
    let mut end = 0;
    let mut decided = false;
    let mut document = identity.is_document().then(Document::default);
    let scanned = each_record(input.reader(0)?, size, document.as_mut(), &mut |offset, text| {
        let Ok(parsed) = Json::parse(text, reader.dropped()) else { return true };
        match reader.head(identity, &parsed.value) {
            Head::Neutral => true,
            Head::Inherited(from_start) => {
                start.get_or_insert(if from_start { 0 } else { offset });
                end = offset + 1;
                true
            }
            Head::Own => {
                decided = true;
                false
            }
            Head::BeginsOwn => {
                decided = true;
                if start.is_some() {
                    end = offset;
                }
                false
            }
        }
    });
    scanned.map_err(|error| input.failed(error))?;
    let range = start.map_or(0..0, |start| start..end);
    let possible = identity.forked && range.is_empty();
    Ok(Inherited { range, possible, decided })
}

//! Reading a transcript for what it says of others: its head and tail, or all of it. Lines that hold none of the words
//! that matter are not parsed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use aho_corasick::AhoCorasick;
use camino::Utf8Path;

use super::said::{By, Heard, Native, Relation};
use super::{claude, codex};
use crate::base::ids::Harness;
use crate::base::limits::{DECOMPRESSED_BYTES, KIN_HEAD_RECORDS, KIN_ROOT_RECORDS, KIN_TAIL_BYTES};
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::line::RecordSpan;
use crate::evidence::transcript::compressed::{Decompressed, Trouble};
use crate::evidence::transcript::detect::inherited_prefix;
use crate::evidence::transcript::input::Input;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::lines::each_line;
use crate::evidence::transcript::pieces::{Piece, cut};
use crate::evidence::transcript::reading::Identity;

/// What to listen for besides relations.
#[derive(Debug, Default)]
pub struct Question {
    /// Rows of which it is asked whether they are this transcript's own (Claude).
    pub rows: BTreeSet<String>,
    /// Calls that files beside children name, with the child (Claude).
    pub calls: BTreeMap<String, Native>,
}

/// Reads head and tail: enough to know who names this session as its relative. Of a compressed file only the head is
/// decoded.
///
/// # Errors
/// What opening a transcript refuses; `read-failed`, `compressed-damaged`, `compressed-too-large`.
pub fn ends(path: &Utf8Path, identity: &Identity) -> Result<Heard> {
    let mut heard = Heard::of(identity.clone());
    if path.extension() == Some("zst") {
        let source = Source::open(path)?;
        let failed = |error| Trouble::refusal(&error).unwrap_or_else(|| source.read_failed(error));
        head(Decompressed::new(source.file()), DECOMPRESSED_BYTES, &failed, &mut heard, &(0..0))?;
        return Ok(heard);
    }
    let input = Input::open(path)?;
    let size = input.size_bytes_at_open();
    // Only a fork has copies, and only a marked one can be told from the head.
    let copied = if identity.forked { inherited_prefix(&input, size, identity)?.range } else { 0..0 };
    head(input.reader(0)?, size, &|error| input.failed(error), &mut heard, &copied)?;
    if identity.harness == Harness::Claude && identity.agent.is_none() {
        tail(&input, size, &mut heard)?;
    }
    heard.bytes = size;
    Ok(heard)
}

fn head(
    reader: impl Read,
    size: u64,
    failed: &dyn Fn(std::io::Error) -> Refusal,
    heard: &mut Heard,
    copied: &Range<u64>,
) -> Result<()> {
    let nothing = Question::default();
    let (mut left, mut bound) = (KIN_HEAD_RECORDS, KIN_ROOT_RECORDS);
    each_line(reader, size, failed, &mut |offset, line, terminated| {
        each_record(line, terminated, &mut |span, record| {
            take(heard, record, RecordSpan { offset: offset + span.offset, ..span }, copied, &nothing);
            left = left.saturating_sub(1);
            bound = bound.saturating_sub(1);
        });
        Ok(left > 0 || offset < copied.end || (bound > 0 && is_rootless(heard)))
    })
}

/// Reads all of `[0, size)`.
///
/// # Errors
/// `read-failed`, `interrupted`.
pub fn whole(
    input: &Input,
    size: u64,
    identity: &Identity,
    question: &Question,
    interrupted: &AtomicBool,
) -> Result<Heard> {
    let copied = inherited_prefix(input, size, identity)?.range;
    let mut heard = Heard::of(identity.clone());
    let mut left = KIN_HEAD_RECORDS;
    let mut words = words(identity, question, None)?;
    each_line(input.reader(0)?, size, &|error| input.failed(error), &mut |offset, line, terminated| {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Refusal::new(Code::Interrupted));
        }
        let is_head = left > 0 || is_rootless(&heard);
        let told = is_head || offset < copied.end || words.is_match(line);
        if told {
            each_record(line, terminated, &mut |span, record| {
                let span = RecordSpan { offset: offset + span.offset, ..span };
                take(&mut heard, record, span, &copied, question);
                hold(&mut heard, record, span, &copied, question);
            });
        }
        left = left.saturating_sub(1);
        if is_head && left == 0 && !is_rootless(&heard) {
            words = self::words(identity, question, heard.follows.as_deref())?;
        }
        Ok(true)
    })?;
    heard.whole = true;
    heard.bytes = size;
    if let Some(parent) = heard.follows.clone().filter(|_| identity.agent.is_none()) {
        let record = heard.root_record;
        heard.add(Relation::Continues(Native::HolderOf(parent)), By::ParentUuid, record);
    }
    Ok(heard)
}

/// The first row of the chain was not met yet: which row a session begins with must not depend on the words that are
/// looked for.
fn is_rootless(heard: &Heard) -> bool {
    heard.identity.harness == Harness::Claude && heard.root.is_none()
}

fn words(identity: &Identity, question: &Question, follows: Option<&str>) -> Result<AhoCorasick> {
    let fixed: &[&str] = match identity.harness {
        Harness::Claude => &claude::NEEDLES,
        Harness::Codex => &codex::NEEDLES,
    };
    let asked = question.rows.iter().chain(question.calls.keys()).map(String::as_str).chain(follows);
    // Rows that are asked for are ids of some transcript: where they cannot be built into one search, nothing can.
    AhoCorasick::new(fixed.iter().copied().chain(asked)).map_err(|_| Refusal::new(Code::SetTooLarge))
}

fn take(heard: &mut Heard, record: &Json<'_>, span: RecordSpan, copied: &Range<u64>, question: &Question) {
    let is_copied = copied.contains(&span.offset);
    match heard.identity.harness {
        Harness::Claude => claude::hear(heard, record, span, is_copied, &question.calls),
        Harness::Codex => codex::hear(heard, record, span, is_copied),
    }
}

fn hold(heard: &mut Heard, record: &Json<'_>, span: RecordSpan, copied: &Range<u64>, question: &Question) {
    let Some(uuid) = record.get("uuid").as_str().filter(|uuid| question.rows.contains(*uuid)) else { return };
    if !copied.contains(&span.offset) && !record.get("forkedFrom").is_object() {
        heard.holds.insert(uuid.to_owned());
    }
}

/// The last rows, for `continued-in` alone.
fn tail(input: &Input, size: u64, heard: &mut Heard) -> Result<()> {
    let start = size.saturating_sub(KIN_TAIL_BYTES);
    let nothing = Question::default();
    let mut is_cut = start > 0;
    let reader = input.reader(start)?;
    each_line(reader, size - start, &|error| input.failed(error), &mut |offset, line, _| {
        // The first line is whole only where the file begins.
        let whole = !std::mem::take(&mut is_cut);
        if whole && memchr::memmem::find(line, b"\"continued-in\"").is_some() {
            each_record(line, true, &mut |span, record| {
                let span = RecordSpan { offset: start + offset + span.offset, ..span };
                take(heard, record, span, &(0..0), &nothing);
            });
        }
        Ok(true)
    })
}

/// Gives every whole record of a line with its place in it.
pub(super) fn each_record(line: &[u8], terminated: bool, each: &mut dyn FnMut(RecordSpan, &Json<'_>)) {
    for piece in cut(line, terminated, &[]) {
        let Piece::Record { start, length, text, .. } = piece else { continue };
        if let Ok(parsed) = Json::parse(&text, &[]) {
            each(RecordSpan { offset: start as u64, length: length as u64 }, &parsed.value);
        }
    }
}

#[cfg(test)]
#[path = "listen_tests.rs"]
mod tests;

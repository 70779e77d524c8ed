//! What only the whole file can tell: a conversation that goes on elsewhere says so in the older file, and when that came
//! to life again, the row stands in its middle. Streamed; only lines that hold the row's name are parsed.

use std::sync::atomic::{AtomicBool, Ordering};

use super::entry::Entry;
use super::facts::Facts;
use super::link::{Link, Relation};
use crate::base::ids::Harness;
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::transcript::frame::Framer;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::pieces::{Piece, cut};

/// The type of the row (Claude).
const ROW: &[u8] = b"\"continued-in\"";

/// Every session that goes on where this one stopped, in file order, each once. Codex has no such row: there the newer
/// file names the older.
///
/// # Errors
/// What opening a source refuses; `read-failed`, `interrupted`.
pub fn continuations(entry: &Entry, interrupted: &AtomicBool) -> Result<Vec<Link>> {
    if entry.identity.harness != Harness::Claude || entry.marks.seen_whole {
        return Ok(entry.linked(Relation::ContinuedIn).cloned().collect());
    }
    let source = Source::open(&entry.path)?;
    let mut framer = Framer::new(source.file(), source.size_bytes_at_open(), None);
    let mut facts = Facts::default();
    while let Some(batch) = framer.next_batch().map_err(|error| source.read_failed(error))? {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Refusal::new(Code::Interrupted));
        }
        let (_, lines) = batch.lines();
        let named = |line: &&[u8]| memchr::memmem::find(line, ROW).is_some();
        for line in lines.split_inclusive(|byte| *byte == b'\n').filter(named) {
            let bare = line.strip_suffix(b"\n").unwrap_or(line);
            for piece in cut(bare, bare.len() < line.len(), &[]) {
                let Piece::Record { text, .. } = piece else { continue };
                if let Ok(parsed) = Json::parse(&text, &[]) {
                    facts.claude(&entry.identity, &parsed.value, false);
                }
            }
        }
    }
    facts.links.retain(|link| link.relation == Relation::ContinuedIn);
    Ok(facts.links)
}

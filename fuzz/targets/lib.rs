//! What the fuzz targets do with bytes, and what must hold whatever the bytes are: no panic, no reading that hangs, no
//! document that two readers read as two. The engine calls these bodies by [`run`]; `tests/fuzzed.rs` includes this
//! file and calls them with every file of the corpus, so that what was found once is an ordinary test from then on.

/// The dialects that the project's own tests ask under.
#[path = "../../src/report/dialect.rs"]
pub mod dialect;
mod ground;
mod verdicts;
mod json;
mod drafts;
mod documents;
mod lines;
mod transcripts;
mod scrubbing;
mod rendering;
mod published;

/// A body.
pub type Target = fn(&[u8]);

/// Every target by its name, which is also the name of its corpus.
pub const ALL: [(&str, Target); 19] = [
    ("json", json::strict_reading),
    ("accounting", drafts::accounting),
    ("sealed", drafts::sealed),
    ("synthesis", drafts::synthesis),
    ("edges", documents::edges),
    ("manifest", documents::manifest),
    ("packets", documents::packets),
    ("set", documents::set),
    ("policy", documents::policy),
    ("lines", lines::ledger_lines),
    ("attempts", lines::attempts),
    ("records", transcripts::records),
    ("claude", transcripts::claude),
    ("codex", transcripts::codex),
    ("scrub", scrubbing::scrub),
    ("render", rendering::render),
    ("page", published::page),
    ("published", published::published),
    ("receipts", published::receipts),
];

/// Runs the target of that name.
///
/// # Panics
/// When something does not hold that must, and for a name that is none.
pub fn run(name: &str, data: &[u8]) {
    let target = ALL.iter().find(|(own, _)| *own == name).map(|(_, target)| target);
    target.unwrap_or_else(|| panic!("no target `{name}`"))(data);
}

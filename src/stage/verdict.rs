//! What a stage that judges a document leaves: the receipt, the private report beside the draft, and the attempt
//! that is counted before any verdict is given.

use serde_json::Value;

use super::assay;
use super::place::REPORT_SUFFIX;
use super::world::World;
use crate::base::digest::Digest;
use crate::base::json::canonical;
use crate::base::json::read::strict;
use crate::base::limits::DRAFT_BYTES;
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::private::ArtifactPath;
use crate::base::receipt::Receipt;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::base::{Refusal, Result};
use crate::evidence::ledger::open::OpenLedger;
use crate::meaning::synthesis::attempts::{self, Attempts, Decision, LedgerKey};

/// Name of the attempts file in the ledger folder.
pub const ATTEMPTS_FILE: &str = "attempts";
/// Largest attempts file that is read, in bytes: some hundred thousand drafts.
const ATTEMPTS_BYTES: u64 = 64 * 1024 * 1024;

/// A stage's answer about a document.
#[derive(Debug)]
pub struct Verdict {
    /// Content-free, for standard output.
    pub receipt: Receipt,
    /// Everything that was found; for a person who asks.
    pub violations: Violations,
    /// The bytes that the places of the violations are in, where they were read.
    pub document: Vec<u8>,
    /// What an older draft holds that could not be carried over, with that draft's bytes.
    pub left_behind: Option<(Violations, Vec<u8>)>,
}

impl Verdict {
    /// Nothing was found.
    pub fn valid(receipt: Receipt) -> Self {
        Self::of(receipt, Violations::default(), Vec::new())
    }

    /// What was found in a document.
    pub const fn of(receipt: Receipt, violations: Violations, document: Vec<u8>) -> Self {
        Self { receipt, violations, document, left_behind: None }
    }
}

/// A document that breaks rules, and where it lies.
#[derive(Debug)]
pub struct Faulty {
    /// Its file.
    pub path: ArtifactPath,
    /// What was read of it.
    pub document: Vec<u8>,
    /// What it breaks.
    pub violations: Violations,
}

impl Faulty {
    /// Writes the report beside it and gives the verdict.
    ///
    /// # Errors
    /// As [`refused`].
    pub fn refused(self, search: &Search, receipt: Receipt) -> Result<Verdict> {
        refused(&self.path, search, self.document, receipt, self.violations)
    }
}

/// Reads an author's file; one over the limit is given back as its violation.
///
/// # Errors
/// What opening an artifact refuses.
pub fn read_draft(path: &ArtifactPath) -> Result<std::result::Result<Vec<u8>, Violations>> {
    let file = path.open()?;
    if file.size_bytes() > DRAFT_BYTES {
        let mut violations = Violations::default();
        let detail = format!("found {} bytes, expected at most {DRAFT_BYTES}", file.size_bytes());
        violations.push(Code::DraftTooLarge, Pointer::root(), detail);
        return Ok(Err(violations));
    }
    file.read_all(DRAFT_BYTES).map(Ok)
}

/// Writes the whole report beside the draft and gives the verdict. `document` is what was read of the draft.
///
/// # Errors
/// `secret-left`, `write-failed` and what creating an artifact refuses.
pub fn refused(
    draft: &ArtifactPath,
    search: &Search,
    document: Vec<u8>,
    receipt: Receipt,
    violations: Violations,
) -> Result<Verdict> {
    let (violations, digest) = report_beside(draft, search, violations)?;
    let receipt = receipt.verdict(&violations).digest("report_sha256", digest);
    Ok(Verdict::of(receipt, violations, document))
}

/// Writes the whole report beside the draft, and gives it as it was written: without names that look like secrets.
///
/// # Errors
/// `secret-left`, `write-failed` and what creating an artifact refuses.
pub fn report_beside(
    draft: &ArtifactPath,
    search: &Search,
    violations: Violations,
) -> Result<(Violations, Digest)> {
    let violations = violations.without(&|text| search.has_secret(text));
    let bytes = canonical::to_bytes(&violations.report())?;
    assay::publish(&draft.with_suffix(REPORT_SUFFIX), &bytes, search)?;
    Ok((violations, Digest::of(&bytes)))
}

/// Writes a skeleton. It replaces an older skeleton, but nothing that an author has put words into.
///
/// # Errors
/// `draft-exists`, `secret-left`, `write-failed` and what opening or creating an artifact refuses.
pub fn write_skeleton(output: &ArtifactPath, bytes: &[u8], search: &Search) -> Result<()> {
    if output.folder().exists(output.name())? {
        let older = read_draft(output)?.ok().and_then(|older| strict(&older).ok());
        if older.is_none_or(|older| has_words(&older)) {
            return Err(Refusal::new(Code::DraftExists).at(output.path()));
        }
    }
    assay::publish(output, bytes, search)
}

/// An author's words stand where skeletons have none.
fn has_words(draft: &Value) -> bool {
    match draft {
        Value::Array(items) => items.iter().any(has_words),
        Value::Object(members) => members.iter().any(|(name, value)| {
            let prose = matches!(name.as_str(), "label" | "title" | "summary");
            (prose && value.as_str().is_some_and(|text| !text.is_empty())) || has_words(value)
        }),
        _ => false,
    }
}

/// Removes the report of an earlier verdict, which no longer holds.
///
/// # Errors
/// What the folder refuses.
pub fn forget_report(draft: &ArtifactPath) -> Result<()> {
    let report = draft.with_suffix(REPORT_SUFFIX);
    if report.folder().exists(report.name())? { report.folder().remove(report.name()) } else { Ok(()) }
}

/// Counts a draft: reads the attempts under their lock, decides, and appends and flushes the line before anything of
/// the verdict is known outside.
///
/// # Errors
/// `attempts-unwritable` when the line cannot be made durable: then there is no verdict.
pub fn count(
    world: &World<'_>,
    ledger: &OpenLedger,
    stage: &str,
    verdict: &attempts::Verdict,
    dry_run: bool,
) -> Result<(Decision, Attempts)> {
    let unwritable = |refusal: Refusal| match refusal.code() {
        Code::WriteFailed | Code::ReadFailed | Code::LockBusy => {
            Refusal::new(Code::AttemptsUnwritable).hint("make the ledger folder writable and free some space")
        }
        _ => refusal,
    };
    let key = key_of(ledger);
    let mut journal = ledger.folder().journal(ATTEMPTS_FILE).map_err(unwritable)?;
    let attempts = Attempts::read(&journal.read_all(ATTEMPTS_BYTES).map_err(unwritable)?, key)?;
    let at = world.clock.now().to_string();
    let decision = attempts::decide(&attempts, key, verdict, stage, &at, dry_run);
    if let Some(line) = &decision.line {
        let bytes = line.to_bytes()?;
        journal.append(bytes.trim_ascii_end()).map_err(unwritable)?;
        // Durable: the attempt. Only now may the verdict be printed.
    }
    Ok((decision, attempts))
}

/// Adds to a refused draft's violations that the ledger state takes no more drafts.
pub fn close_if_exhausted(decision: &Decision, violations: &mut Violations) {
    if decision.exhausted {
        violations.push(
            Code::AttemptsExhausted,
            Pointer::root(),
            "found three failed drafts of this ledger state, expected at most two before one that passes",
        );
    }
}

/// The attempts of a ledger as they stand.
///
/// # Errors
/// What opening the file refuses, `line-invalid`.
pub fn attempts_of(ledger: &OpenLedger) -> Result<Attempts> {
    if !ledger.folder().exists(ATTEMPTS_FILE)? {
        return Ok(Attempts::default());
    }
    let bytes = ledger.folder().open_artifact(ATTEMPTS_FILE)?.read_all(ATTEMPTS_BYTES)?;
    Attempts::read(&bytes, key_of(ledger))
}

/// What attempts of a ledger are counted for.
pub fn key_of(ledger: &OpenLedger) -> LedgerKey {
    let state = ledger.manifest().ledger.state;
    LedgerKey { size: state.size, root: state.root }
}

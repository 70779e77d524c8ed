//! check: what a person decided to publish is held against every rule, or part of one, that it can be held against by
//! itself and by its receipts. No private file is read and nothing is written; that a document passes here means that
//! nothing was found in it, and only its receipts say that the evidence carries it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use camino::Utf8PathBuf;
use serde_json::Value;

use super::chain::{self, Lines};
use super::check_recap;
use super::check_rules::{Document, Facts, of_receipts};
use super::given::{self, Piece};
use super::links::Web;
use super::receipts::Told;
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::json::canonical;
use crate::base::json::position::{Position, locate};
use crate::base::json::read::strict_located;
use crate::base::limits::DRAFT_BYTES;
use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::accounting::{ACCOUNTING_SCHEMA, check_by_itself};
use crate::meaning::prose::recap_length;
use crate::meaning::synthesis::document::SYNTHESIS_SCHEMA;
use crate::meaning::synthesis::published;
use crate::report::findings::{Examined, Finding, Held, Report, State};
use crate::report::published::RECAP_SCHEMA;
use crate::report::words::words;

/// Checks published documents, and the receipts that are given with them.
///
/// # Errors
/// `usage`, `path-credential-shaped`; what opening and reading a source refuses. What is wrong with what was read is
/// in the report.
pub fn check(
    world: &World<'_>,
    files: &[Utf8PathBuf],
    receipts: &[Utf8PathBuf],
    stdin: &mut dyn Read,
) -> Result<Report> {
    given::once(files.iter().chain(receipts))?;
    let mut judged = Vec::with_capacity(files.len());
    for path in files {
        judged.push(Judged::of(given::read(world, path, DRAFT_BYTES, stdin)?));
    }
    let lines = chain::read(world, receipts, stdin)?;
    let mut about = Vec::new();
    for document in judged.iter_mut().filter(|_| !receipts.is_empty()) {
        about.extend(document.hold_against(&lines.told));
    }
    let mut examined: Vec<Examined> = judged.into_iter().map(Judged::examined).collect();
    examined.extend(examine_receipts(&lines, &about));
    Ok(Report { files: examined })
}

/// The files of receipts, with what does not fit in each.
fn examine_receipts(lines: &Lines, about: &[usize]) -> Vec<Examined> {
    let web = Web::of(&lines.told);
    let mut faults: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
    for (file, finding) in lines.findings(&web.faults(&lines.told, about)) {
        faults.entry(file).or_default().push(finding);
    }
    let files = lines.files.iter().enumerate().map(|(number, name)| {
        let findings = faults.remove(&number).unwrap_or_default();
        let count = |code| findings.iter().filter(|finding| finding.code == code).count() as u64;
        let rules = of_receipts().into_iter().map(|(code, state)| Held { code, state, count: count(code) });
        Examined { name: name.clone(), kind: Some("receipts"), rules: rules.collect(), findings }
    });
    files.collect()
}

/// A document while it is checked.
struct Judged {
    file: Piece,
    facts: Facts,
    violations: Violations,
    /// Where the document is not JSON.
    broken_at: Option<Position>,
    /// Of the file, of its canonical form, and of the document that it holds.
    digests: Vec<Digest>,
    value: Value,
}

/// Whether the bytes begin like nothing of JSON that holds anything.
fn is_other_text(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    !matches!(text.trim_ascii_start().first(), None | Some(b'{' | b'['))
}

impl Judged {
    fn of(file: Piece) -> Self {
        let facts =
            Facts { document: Document::Unknown, read: false, shaped: false, expanded: false, told: false };
        let digests = vec![Digest::of(&file.bytes)];
        let violations = Violations::default();
        let mut judged = Self { file, facts, violations, broken_at: None, digests, value: Value::Null };
        if judged.file.bytes.len() as u64 > DRAFT_BYTES {
            let detail = format!("more than {DRAFT_BYTES} bytes");
            judged.violations.push(Code::DraftTooLarge, Pointer::root(), detail);
            return judged;
        }
        match strict_located(&judged.file.bytes) {
            Ok(value) => {
                judged.facts.read = true;
                judged.digests.extend(canonical::digest_of(&value).ok());
                judged.value = value;
                judged.hold_against_itself();
            }
            Err(_) if is_other_text(&judged.file.bytes) => {
                // A recap in Markdown or HTML, a log: where its syntax breaks helps nobody, and its kind is settled.
                judged.facts.read = true;
                let detail = "found text that is no JSON object, expected a published document";
                judged.violations.push(Code::DocumentUnknown, Pointer::root(), detail);
            }
            Err(fault) => {
                judged.broken_at = Some(fault.position);
                judged.violations.push(Code::JsonMalformed, Pointer::root(), fault.to_string());
            }
        }
        judged
    }

    fn hold_against_itself(&mut self) {
        let version = self.value.get("schema_version").and_then(Value::as_str);
        let found = &mut self.violations;
        match version {
            Some(SYNTHESIS_SCHEMA) => {
                self.facts.document = Document::Synthesis;
                let published = published::check(&self.value, found);
                self.facts.shaped = published.shaped;
                self.facts.expanded = published.expanded;
                self.digests.extend(published.document_sha256);
                // No render has fewer words than the texts that each of them shows.
                recap_length(words(&published.prose), found);
            }
            Some(RECAP_SCHEMA) => {
                self.facts.document = Document::Recap;
                self.facts.shaped = check_recap::check(&self.value, found);
            }
            Some(ACCOUNTING_SCHEMA) => {
                self.facts.document = Document::Accounting;
                check_by_itself(&self.value, found);
                let misshapen = [Code::SchemaViolation, Code::NotSealed];
                self.facts.shaped = !misshapen.iter().any(|code| found.counts().contains_key(code));
            }
            _ => {
                let place = match self.value.get("schema_version") {
                    Some(_) => Pointer::root().member("schema_version"),
                    None => Pointer::root(),
                };
                found.push(Code::DocumentUnknown, place, "no kind that can be checked");
            }
        }
    }

    /// Holds the document against the receipts that tell of it, and gives those.
    fn hold_against(&mut self, told: &[Told]) -> Vec<usize> {
        if !self.facts.read || self.facts.document == Document::Unknown {
            return Vec::new();
        }
        self.facts.told = true;
        let names = self.facts.document.digests();
        let tells = |told: &Told| {
            names.iter().filter_map(|name| told.digest(name)).any(|digest| self.digests.contains(&digest))
        };
        let about: Vec<usize> =
            told.iter().enumerate().filter(|(_, told)| tells(told)).map(|(number, _)| number).collect();
        let valid: Vec<&Told> =
            about.iter().filter_map(|number| told.get(*number)).filter(|told| told.said.valid).collect();
        if valid.is_empty() {
            let code = if about.is_empty() { Code::DocumentUnlinked } else { Code::DocumentRefused };
            self.violations.push(code, Pointer::root(), "among the receipts that were given");
        }
        for told in valid {
            self.agree(told);
        }
        about
    }

    /// What a document says of what it is bound to is what the receipt says.
    fn agree(&mut self, told: &Told) {
        for (name, members, code) in bindings(self.facts.document) {
            let mut place = Pointer::root();
            let mut here = Some(&self.value);
            for member in members.iter().copied() {
                here = here.and_then(|value| value.get(member));
                place = place.member(member);
            }
            let (Some(expected), Some(found)) = (said(told, name), here) else { continue };
            if expected != *found {
                self.violations.push(*code, place, "the receipt says something else");
            }
        }
        let words = told.said.counts.get("render_words").copied().unwrap_or_default();
        recap_length(usize::try_from(words).unwrap_or(usize::MAX), &mut self.violations);
    }

    fn examined(self) -> Examined {
        let listed = self.violations.sorted();
        let pointers: Vec<String> = listed.iter().map(|one| one.pointer.to_string()).collect();
        let places = match self.broken_at {
            Some(place) => vec![place; pointers.len()],
            None if self.facts.read => locate(&self.file.bytes, &pointers),
            None => vec![Position::START; pointers.len()],
        };
        let findings = listed.iter().zip(places);
        let mut findings: Vec<Finding> =
            findings.map(|(one, at)| Finding { at, code: one.code, shape: one.pointer.shape() }).collect();
        findings.sort();
        let count = |code| self.violations.counts().get(&code).copied().unwrap_or_default();
        let mut rules = self.facts.rules();
        // What was found was checked, whatever the table of rules says.
        let said: BTreeSet<Code> = rules.iter().map(|(code, _)| *code).collect();
        let unsaid = self.violations.counts().keys().filter(|code| !said.contains(code));
        rules.extend(unsaid.map(|code| (*code, State::Checked)));
        let rules = rules.into_iter().map(|(code, state)| Held { code, state, count: count(code) });
        Examined { name: self.file.name, kind: self.facts.document.name(), rules: rules.collect(), findings }
    }
}

/// What receipts call it, where the document says it, and the code where the two differ.
type Binding = (&'static str, &'static [&'static str], Code);

const fn bindings(document: Document) -> &'static [Binding] {
    match document {
        Document::Synthesis => &[
            ("manifest_sha256", &["manifest_sha256"], Code::ManifestMismatch),
            ("accounting_sha256", &["accounting_sha256"], Code::AccountingMismatch),
        ],
        Document::Accounting => &[
            ("ledger_root", &["ledger", "root"], Code::ReceiptContradicts),
            ("events", &["ledger", "size"], Code::ReceiptContradicts),
        ],
        Document::Recap => &[
            ("manifest_sha256", &["digests", "manifest_sha256"], Code::ManifestMismatch),
            ("accounting_sha256", &["digests", "accounting_sha256"], Code::AccountingMismatch),
            ("synthesis_sha256", &["digests", "synthesis_sha256"], Code::ReceiptContradicts),
            ("evidence_sha256", &["digests", "evidence_sha256"], Code::ReceiptContradicts),
            ("boundary", &["boundary"], Code::ReceiptContradicts),
            ("words", &["words"], Code::ReceiptContradicts),
        ],
        Document::Unknown => &[],
    }
}

/// What a receipt says under a name, as a document would.
fn said(told: &Told, name: &str) -> Option<Value> {
    if name == "boundary" {
        return told.said.boundary.map(|boundary| Value::from(boundary.to_string()));
    }
    let digest = told.digest(name).map(|digest| Value::from(digest.to_string()));
    digest.or_else(|| told.said.counts.get(name).map(|count| Value::from(*count)))
}

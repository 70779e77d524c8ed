//! How receipts belong to one another, for a person and as a document: which were given, which artifacts join them,
//! and what does not fit. Digests in it are those that the receipts themselves hold.

use std::fmt::Write as _;

use serde::Serialize;

use super::found::Finding;
use super::json::Place;
use crate::base::digest::Digest;
use crate::base::ids::BoundaryId;
use crate::base::refusal::visible;

/// What an author writes: no stage does, so that nothing is missing where no receipt says so.
const AUTHORED: [&str; 4] =
    ["draft_file_sha256", "synthesis_file_sha256", "synthesis_sha256", "edges_file_sha256"];

/// A receipt and where it stands.
#[derive(Debug)]
pub struct Given {
    /// The file, as seen from the working directory.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The stage that printed it.
    pub stage: &'static str,
    /// The session, where the stage is about one.
    pub boundary: Option<BoundaryId>,
    /// The stage found no violation.
    pub valid: bool,
}

/// An artifact that receipts tell of. Numbers are places in the list of receipts.
#[derive(Debug)]
pub struct Artifact {
    /// What the receipts call its digest.
    pub name: &'static str,
    /// The digest.
    pub sha256: Digest,
    /// Receipts of stages that wrote it.
    pub written_by: Vec<usize>,
    /// Receipts of stages that read it.
    pub read_by: Vec<usize>,
    /// Receipts of stages whose artifact took its place.
    pub replaced_by: Vec<usize>,
}

impl Artifact {
    /// True when it joins receipts.
    pub fn joins(&self) -> bool {
        self.written_by.len() + self.read_by.len() + self.replaced_by.len() > 1
    }
}

/// All receipts and what joins them.
#[derive(Debug)]
pub struct Chain {
    /// In the order in which they were given.
    pub receipts: Vec<Given>,
    /// By name, then by digest.
    pub artifacts: Vec<Artifact>,
    /// What does not fit, with the file it stands in.
    pub findings: Vec<(String, Finding)>,
}

impl Chain {
    /// There are receipts, and all of them belong together.
    pub fn is_whole(&self) -> bool {
        self.findings.is_empty() && self.receipts.len() > 1
    }

    /// For a person.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, receipt) in self.receipts.iter().enumerate() {
            let verdict = if receipt.valid { "valid" } else { "refused" };
            let boundary = receipt.boundary.map_or_else(String::new, |boundary| format!(" {boundary}"));
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{}: {} {verdict}{boundary}", self.place(number), receipt.stage);
        }
        for artifact in self.artifacts.iter().filter(|artifact| artifact.joins()) {
            let _ = writeln!(
                text,
                "links    {} {}: {}",
                artifact.name,
                artifact.sha256.short(),
                self.roles(artifact)
            );
        }
        for artifact in self.open() {
            let what = format!("{} {}", artifact.name, artifact.sha256.short());
            let _ =
                writeln!(text, "open     {what}: {}; no receipt given here wrote it", self.roles(artifact));
        }
        for (file, finding) in &self.findings {
            let rule = finding.code.rule();
            let place = format!("{}:{}", visible(file), finding.at.line);
            let _ =
                writeln!(text, "broken   {place}: {}: {}; to mend: {}", rule.code, rule.statement, rule.mend);
        }
        let verdict = if self.is_whole() { "belong together" } else { "do not belong together" };
        let _ = writeln!(text, "{} receipts {verdict}", self.receipts.len());
        text
    }

    /// One document on one line, described by `recap schema chain`, without its LF.
    pub fn json(&self) -> String {
        let document = Document {
            schema_version: "recap.chain.v1",
            valid: self.is_whole(),
            receipts: self.receipts.iter().map(Row::of).collect(),
            artifacts: self.artifacts.iter().map(Joint::of).collect(),
            findings: self
                .findings
                .iter()
                .map(|(file, finding)| Fault { file: visible(file), place: Place::of(finding) })
                .collect(),
            version: env!("CARGO_PKG_VERSION"),
        };
        // Words, numbers and digests always serialize.
        serde_json::to_string(&document).unwrap_or_default()
    }

    /// Artifacts of stages that were read or replaced and that no receipt says were written.
    fn open(&self) -> impl Iterator<Item = &Artifact> {
        let ours = |artifact: &&Artifact| !AUTHORED.contains(&artifact.name);
        self.artifacts.iter().filter(|artifact| artifact.written_by.is_empty()).filter(ours)
    }

    fn place(&self, number: usize) -> String {
        let place =
            self.receipts.get(number).map(|receipt| format!("{}:{}", visible(&receipt.file), receipt.line));
        place.unwrap_or_default()
    }

    fn roles(&self, artifact: &Artifact) -> String {
        let list = |numbers: &[usize]| {
            let named = numbers.iter().map(|number| {
                let stage = self.receipts.get(*number).map_or("", |receipt| receipt.stage);
                format!("{stage} ({})", self.place(*number))
            });
            named.collect::<Vec<_>>().join(", ")
        };
        let roles = [
            ("written by", &artifact.written_by),
            ("read by", &artifact.read_by),
            ("replaced by", &artifact.replaced_by),
        ];
        let told = roles.iter().filter(|(_, numbers)| !numbers.is_empty());
        told.map(|(role, numbers)| format!("{role} {}", list(numbers))).collect::<Vec<_>>().join("; ")
    }
}

#[derive(Serialize)]
struct Document<'c> {
    schema_version: &'static str,
    valid: bool,
    receipts: Vec<Row>,
    artifacts: Vec<Joint<'c>>,
    findings: Vec<Fault<'c>>,
    version: &'static str,
}

#[derive(Serialize)]
struct Row {
    file: String,
    line: usize,
    stage: &'static str,
    boundary: Option<BoundaryId>,
    valid: bool,
}

impl Row {
    fn of(receipt: &Given) -> Self {
        Self {
            file: visible(&receipt.file),
            line: receipt.line,
            stage: receipt.stage,
            boundary: receipt.boundary,
            valid: receipt.valid,
        }
    }
}

#[derive(Serialize)]
struct Joint<'c> {
    name: &'static str,
    sha256: Digest,
    written_by: &'c [usize],
    read_by: &'c [usize],
    replaced_by: &'c [usize],
}

impl<'c> Joint<'c> {
    fn of(artifact: &'c Artifact) -> Self {
        Self {
            name: artifact.name,
            sha256: artifact.sha256,
            written_by: &artifact.written_by,
            read_by: &artifact.read_by,
            replaced_by: &artifact.replaced_by,
        }
    }
}

#[derive(Serialize)]
struct Fault<'c> {
    file: String,
    #[serde(flatten)]
    place: Place<'c>,
}

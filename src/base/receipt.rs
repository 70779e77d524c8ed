//! Receipts: one content-free line of JSON a stage. Every field is a digest, a number, a flag, a code, a
//! time or one of our own words; there is no place for text or a path.

use std::collections::BTreeMap;

use serde::Serialize;

use super::digest::Digest;
use super::ids::BoundaryId;
use super::rules::Code;
use super::violations::Violations;

/// What a stage did, in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Receipt {
    schema_version: &'static str,
    stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    boundary: Option<BoundaryId>,
    valid: bool,
    /// Digests of our artifacts that were read or written, by our names for them.
    digests: BTreeMap<&'static str, Digest>,
    counts: BTreeMap<&'static str, u64>,
    flags: BTreeMap<&'static str, bool>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    violations: BTreeMap<Code, u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pointers: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    limitations: BTreeMap<Code, u64>,
    versions: BTreeMap<&'static str, &'static str>,
    duration_ms: u64,
    previous: Option<Digest>,
}

impl Receipt {
    /// An empty receipt of a stage.
    pub fn new(stage: &'static str) -> Self {
        Self {
            schema_version: "recap.receipt.v1",
            stage,
            boundary: None,
            valid: true,
            digests: BTreeMap::new(),
            counts: BTreeMap::new(),
            flags: BTreeMap::new(),
            violations: BTreeMap::new(),
            pointers: BTreeMap::new(),
            limitations: BTreeMap::new(),
            versions: BTreeMap::from([("recap", env!("CARGO_PKG_VERSION"))]),
            duration_ms: 0,
            previous: None,
        }
    }

    /// Names the session.
    #[must_use]
    pub fn boundary(mut self, boundary: BoundaryId) -> Self {
        self.boundary = Some(boundary);
        self
    }

    /// Adds the digest of one of our artifacts.
    #[must_use]
    pub fn digest(mut self, name: &'static str, digest: Digest) -> Self {
        self.digests.insert(name, digest);
        self
    }

    /// Adds a count.
    #[must_use]
    pub fn count(mut self, name: &'static str, count: u64) -> Self {
        self.counts.insert(name, count);
        self
    }

    /// Adds a flag.
    #[must_use]
    pub fn flag(mut self, name: &'static str, flag: bool) -> Self {
        self.flags.insert(name, flag);
        self
    }

    /// Adds limitation codes with counts.
    #[must_use]
    pub fn limitations(mut self, limitations: &BTreeMap<Code, u64>) -> Self {
        self.limitations.clone_from(limitations);
        self
    }

    /// Adds the verdict: codes with counts and public pointer shapes.
    #[must_use]
    pub fn verdict(mut self, violations: &Violations) -> Self {
        self.valid = violations.is_empty();
        self.violations.clone_from(violations.counts());
        self.pointers = violations.shapes();
        self
    }

    /// Adds a version of one of our parts.
    #[must_use]
    pub fn version(mut self, name: &'static str, version: &'static str) -> Self {
        self.versions.insert(name, version);
        self
    }

    /// Adds how long the stage took, in milliseconds.
    #[must_use]
    pub fn duration(mut self, duration_ms: u64) -> Self {
        self.duration_ms = duration_ms;
        self
    }

    /// Names the artifact of the same name that this one replaced or that it builds on.
    #[must_use]
    pub fn previous(mut self, previous: Option<Digest>) -> Self {
        self.previous = previous;
        self
    }

    /// True when the stage found no violation.
    pub fn is_valid(&self) -> bool {
        self.valid
    }

    /// The session.
    pub const fn get_boundary(&self) -> Option<BoundaryId> {
        self.boundary
    }

    /// A count by name.
    pub fn get_count(&self, name: &str) -> Option<u64> {
        self.counts.get(name).copied()
    }

    /// A flag by name.
    pub fn get_flag(&self, name: &str) -> Option<bool> {
        self.flags.get(name).copied()
    }

    /// A digest by name.
    pub fn get_digest(&self, name: &str) -> Option<Digest> {
        self.digests.get(name).copied()
    }

    /// The line, without its LF.
    pub fn to_line(&self) -> String {
        // Serializing maps of numbers, codes and digests into memory cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

//! What a repository holds at the time of the probe.

use serde::{Deserialize, Serialize};

use crate::base::rules::Code;

/// One probed repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// `repo-1`, `repo-2` …: the manifest's numbering.
    pub repository: String,
    /// Always `verified_now_only`.
    pub label: String,
    /// When, RFC 3339 UTC.
    pub probed_at: String,
    /// Commit of HEAD.
    pub head: Option<String>,
    /// Branch of HEAD.
    pub branch: Option<String>,
    /// The work tree, if its status could be read.
    pub status: Option<Status>,
    /// What could not be seen.
    pub limitations: Vec<Code>,
}

/// Status of the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Nothing was cut.
    pub complete: bool,
    /// No change at all; only from a complete status.
    pub clean: bool,
    /// Changed, staged and untracked paths.
    pub changed_paths: Vec<String>,
    /// Paths beyond the bound.
    pub omitted: u64,
}

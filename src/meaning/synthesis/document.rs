//! The expanded synthesis: every shorthand resolved, ids parsed. It serializes to the document that
//! `--expanded` writes and that the digest of a draft is taken of.

use serde::{Deserialize, Serialize};

use crate::base::Result;
use crate::base::digest::{Digest, Hasher};
use crate::base::ids::{EventId, Ordinal};
use crate::base::json::canonical;
use crate::evidence::command::observation::Outcome;

/// The version that every synthesis carries.
pub const SYNTHESIS_SCHEMA: &str = "recap.synthesis-draft.v1";

/// Where a statement comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceLabel {
    /// Calls and results show it.
    SessionObserved,
    /// The agent said it.
    AgentReport,
    /// The author concludes it.
    Inference,
    /// A probe of the repository shows it now.
    VerifiedNow,
}

/// What a story item does in the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NarrativeRole {
    /// What was wanted and what was there.
    Setup,
    /// How it was gone about.
    Approach,
    /// What changed the course.
    TurningPoint,
    /// What came out.
    Outcome,
    /// What is left.
    Remaining,
}

/// A fact of a repository snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitEvidence {
    /// `repo-N` of the manifest.
    pub repository: String,
    /// `head`, `branch`, `changed_path`, `clean`, `available`.
    pub kind: String,
    /// Exactly as in the snapshot; `true` or `false` for the last two kinds.
    pub value: String,
}

/// One statement with its evidence. `S` is what its section adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item<S> {
    /// The author's id.
    pub id: String,
    /// Every item but the headline has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// The prose.
    pub summary: String,
    /// Where it comes from.
    pub source_label: SourceLabel,
    /// Claims of the accounting.
    pub accounting_claim_ids: Vec<String>,
    /// Events, by ordinal.
    pub evidence_ids: Vec<EventId>,
    /// What the reader must know about the limits of the statement.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caveat: Option<String>,
    /// For `verified_now`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub git_evidence: Vec<GitEvidence>,
    /// What the section adds.
    #[serde(flatten)]
    pub section: S,
}

/// Nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plain {}

/// A story item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    /// Its part in the story.
    pub narrative_role: NarrativeRole,
}

/// A timeline entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// Ordinal of its first event.
    pub first_ordinal: Ordinal,
    /// Ordinal of its last event.
    pub last_ordinal: Ordinal,
}

/// Files and commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// As observed.
    pub paths: Vec<String>,
    /// As reported by git.
    pub commits: Vec<String>,
}

/// What a draft may say about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatedOutcome {
    /// The run passed.
    Passed,
    /// The run failed.
    Failed,
    /// The run passed after failed runs of the same command.
    Retried,
    /// The status of the run is not known.
    Unknown,
    /// It was only talked about.
    DiscussedOnly,
    /// It can no longer be checked.
    UnverifiableNow,
}

impl StatedOutcome {
    /// The plain statement of an indexed outcome.
    pub const fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Passed => Self::Passed,
            Outcome::Failed => Self::Failed,
            Outcome::Unknown => Self::Unknown,
        }
    }
}

/// What a stated outcome rests on, when not on the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The runner's own closing lines; the status is masked.
    ReportedByOutput,
}

/// A verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// What came out.
    pub outcome: StatedOutcome,
    /// What that rests on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub basis: Option<Basis>,
    /// The call of the run.
    pub command_event_id: Option<EventId>,
    /// Its result.
    pub result_event_id: Option<EventId>,
    /// Calls of further runs with the same outcome and basis.
    pub further_runs: Vec<EventId>,
}

/// The whole synthesis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synthesis {
    /// `recap.synthesis-draft.v1`.
    pub schema_version: String,
    /// The manifest it was made on.
    pub manifest_sha256: Digest,
    /// The sealed accounting it tells.
    pub accounting_sha256: Digest,
    /// One sentence or two.
    pub headline: Item<Plain>,
    /// By meaning: every claim once.
    pub story: Vec<Item<Story>>,
    /// By time: every significant event once.
    pub timeline: Vec<Item<Timeline>>,
    /// Files and git state.
    pub changes: Vec<Item<Change>>,
    /// Tests and checks.
    pub verification: Vec<Item<Verification>>,
    /// What failed and how it was mended.
    pub failures_recoveries: Vec<Item<Plain>>,
    /// Where it ended.
    pub final_state: Vec<Item<Plain>>,
    /// What is left to do.
    pub open_work: Vec<Item<Plain>>,
    /// What was set aside.
    pub coverage: Coverage,
}

impl Synthesis {
    /// The digest of the RFC 8785 bytes, made member by member: of the largest synthesis all of them together are more
    /// than everything else that is held.
    ///
    /// # Errors
    /// As [`canonical::to_bytes`].
    pub fn digest(&self) -> Result<Digest> {
        let mut hasher = Hasher::default();
        let mut before = "{";
        let mut member = |name: &str, value: Result<Vec<u8>>| -> Result<()> {
            hasher.update(format!("{before}\"{name}\":").as_bytes());
            hasher.update(&value?);
            before = ",";
            Ok(())
        };
        // In the order of their names, as RFC 8785 has them.
        member("accounting_sha256", canonical::to_bytes(&self.accounting_sha256))?;
        member("changes", canonical::to_bytes(&self.changes))?;
        member("coverage", canonical::to_bytes(&self.coverage))?;
        member("failures_recoveries", canonical::to_bytes(&self.failures_recoveries))?;
        member("final_state", canonical::to_bytes(&self.final_state))?;
        member("headline", canonical::to_bytes(&self.headline))?;
        member("manifest_sha256", canonical::to_bytes(&self.manifest_sha256))?;
        member("open_work", canonical::to_bytes(&self.open_work))?;
        member("schema_version", canonical::to_bytes(&self.schema_version))?;
        member("story", canonical::to_bytes(&self.story))?;
        member("timeline", canonical::to_bytes(&self.timeline))?;
        member("verification", canonical::to_bytes(&self.verification))?;
        hasher.update(b"}");
        Ok(hasher.finish())
    }
}

/// The low-signal groups, all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Ids of the accounting's groups.
    pub low_signal_group_ids: Vec<String>,
}

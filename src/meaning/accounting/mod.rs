//! Who owns each event. Placeholder: only the shape that the synthesis reads.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::ids::Ordinal;
use crate::base::violations::Violations;
use crate::evidence::slice::Run;
use crate::evidence::table::{LedgerState, Table};

/// What a claim says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// What was wanted.
    Goal,
    /// What was decided.
    Decision,
    /// What was done.
    Action,
    /// What was changed.
    Change,
    /// What was checked.
    Verification,
    /// What failed.
    Failure,
    /// What was mended.
    Recovery,
    /// What left the machine.
    ExternalEffect,
    /// Where it ended.
    FinalState,
    /// What is left.
    OpenWork,
}

impl ClaimKind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Goal,
        Self::Decision,
        Self::Action,
        Self::Change,
        Self::Verification,
        Self::Failure,
        Self::Recovery,
        Self::ExternalEffect,
        Self::FinalState,
        Self::OpenWork,
    ];

    /// The name used in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Decision => "decision",
            Self::Action => "action",
            Self::Change => "change",
            Self::Verification => "verification",
            Self::Failure => "failure",
            Self::Recovery => "recovery",
            Self::ExternalEffect => "external_effect",
            Self::FinalState => "final_state",
            Self::OpenWork => "open_work",
        }
    }
}

/// Placeholder: takes claims and groups by ranges and checks nothing.
///
/// # Errors
/// When the draft is not of that shape.
pub fn seal(draft: &[u8], table: &Table) -> std::result::Result<Sealed, Violations> {
    let value: serde_json::Value = serde_json::from_slice(draft).map_err(|_| Violations::default())?;
    let runs = |value: &serde_json::Value| -> Vec<Run> {
        let ranges: Vec<[Ordinal; 2]> = value
            .get("ranges")
            .and_then(|ranges| serde_json::from_value(ranges.clone()).ok())
            .unwrap_or_default();
        ranges.into_iter().map(|[first, last]| Run { first, last }).collect()
    };
    let text = |value: &serde_json::Value, name: &str| {
        value.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    };
    let list =
        |name: &str| value.get(name).and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let claims = list("claims").into_iter().map(|claim| Claim {
        id: text(&claim, "claim_id"),
        kind: ClaimKind::ALL
            .into_iter()
            .find(|kind| kind.name() == text(&claim, "kind"))
            .unwrap_or(ClaimKind::Action),
        label: text(&claim, "label"),
        events: runs(&claim).into_iter().flat_map(|run| run.first..=run.last).collect(),
    });
    let groups = list("low_signal_groups")
        .iter()
        .map(|group| Group {
            id: text(&group, "group_id"),
            label: text(&group, "label"),
            ranges: runs(&group),
        })
        .collect();
    Ok(Sealed::new(table.state(), claims.collect(), groups))
}

/// One claim.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Author's id.
    pub id: String,
    /// Kind.
    pub kind: ClaimKind,
    /// Label.
    pub label: String,
    /// Sorted.
    pub events: Vec<Ordinal>,
}

/// One low-signal group.
#[derive(Debug, Clone)]
pub struct Group {
    /// Author's id.
    pub id: String,
    /// Label.
    pub label: String,
    /// Ordinals.
    pub ranges: Vec<Run>,
}

/// A sealed accounting.
#[derive(Debug, Clone)]
pub struct Sealed {
    state: LedgerState,
    claims: Vec<Claim>,
    groups: Vec<Group>,
    by_id: HashMap<String, usize>,
    owners: HashMap<Ordinal, usize>,
}

impl Sealed {
    /// Placeholder constructor.
    pub fn new(state: LedgerState, claims: Vec<Claim>, groups: Vec<Group>) -> Self {
        let by_id = claims.iter().enumerate().map(|(place, claim)| (claim.id.clone(), place)).collect();
        let owners = claims
            .iter()
            .enumerate()
            .flat_map(|(place, claim)| claim.events.iter().map(move |event| (*event, place)))
            .collect();
        Self { state, claims, groups, by_id, owners }
    }

    /// All claims.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// All groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// By id.
    pub fn claim(&self, id: &str) -> Option<&Claim> {
        self.by_id.get(id).and_then(|place| self.claims.get(*place))
    }

    /// By event.
    pub fn owner(&self, ordinal: Ordinal) -> Option<&Claim> {
        self.owners.get(&ordinal).and_then(|place| self.claims.get(*place))
    }

    /// A claim owns it.
    pub fn is_significant(&self, ordinal: Ordinal) -> bool {
        self.owners.contains_key(&ordinal)
    }

    /// The state it is sealed to.
    pub fn state(&self) -> LedgerState {
        self.state
    }

    /// Its digest.
    ///
    /// # Errors
    /// None here.
    pub fn digest(&self) -> Result<Digest> {
        let ids: HashSet<&str> = self.claims.iter().map(|claim| claim.id.as_str()).collect();
        Ok(Digest::of(ids.len().to_string().as_bytes()))
    }
}

//! Probes a bounded number of repositories and says of every other candidate why it was not probed. Which
//! folders may be probed is the caller's decision: a transcript must not aim probes.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use super::layout::repository_of;
use super::probe::probe;
use super::program::Git;
use super::snapshot::Snapshot;
use super::text::Decoder;
use crate::base::limits;
use crate::base::rules::Code;

/// What became of one candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    /// The state of its repository.
    Probed(Box<Snapshot>),
    /// It was not probed, or no snapshot came of it.
    NotProbed {
        /// The candidate, or the root of its repository; foreign text.
        path: String,
        /// Why.
        reason: Code,
    },
}

impl Outcome {
    /// Runs `change` over every foreign text.
    #[must_use]
    pub fn map_text(self, change: &mut dyn FnMut(String) -> String) -> Self {
        match self {
            Self::Probed(snapshot) => Self::Probed(Box::new(snapshot.map_text(change))),
            Self::NotProbed { path, reason } => Self::NotProbed { path: change(path), reason },
        }
    }
}

/// Probes the repository around each of the `allowed` folders once, in their order, numbered from 1; the
/// `others` are listed as `not-probed`.
pub fn survey(
    allowed: &[Utf8PathBuf],
    others: &[Utf8PathBuf],
    now: jiff::Timestamp,
    git: &Result<Git, Code>,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut roots = BTreeSet::new();
    let (mut number, mut tried) = (0, 0);
    for folder in allowed {
        let root = match repository_of(folder) {
            Ok(root) => root,
            Err(reason) => {
                outcomes.push(not_probed(folder.as_str(), reason));
                continue;
            }
        };
        if !roots.insert(root.clone()) {
            continue;
        }
        let result = match git {
            Err(code) => Err(*code),
            Ok(_) if tried >= limits::PROBED_REPOSITORIES => Err(Code::RepositoriesOmitted),
            Ok(git) => probe(&root, number + 1, now, git),
        };
        tried += 1;
        match result {
            Ok(snapshot) => {
                number += 1;
                outcomes.push(Outcome::Probed(Box::new(snapshot)));
            }
            Err(reason) => outcomes.push(not_probed(root.as_str(), reason)),
        }
    }
    outcomes.extend(others.iter().map(|folder| not_probed(folder.as_str(), Code::NotProbed)));
    outcomes
}

fn not_probed(path: &str, reason: Code) -> Outcome {
    Outcome::NotProbed { path: Decoder::default().show(path.as_bytes()), reason }
}

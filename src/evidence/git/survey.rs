//! Probes a bounded number of repositories and says of every other candidate why it was not probed. Which
//! folders may be probed is the caller's decision: a transcript must not aim probes.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use super::deadline::Deadline;
use super::layout::{repository_of, repository_of_recorded};
use super::probe::probe_until;
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

/// The folders of one collection, by who says that they may be probed.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// A person named them.
    pub named: Vec<Utf8PathBuf>,
    /// A transcript of our own recorded them.
    pub recorded: Vec<Utf8PathBuf>,
    /// Nobody who may.
    pub others: Vec<Utf8PathBuf>,
}

/// Probes the repository around each folder that is named or recorded once, in their order, numbered from 1; the
/// others are listed as `not-probed`.
pub fn survey(candidates: &Candidates, now: jiff::Timestamp, git: &Result<Git, Code>) -> Vec<Outcome> {
    survey_until(candidates, now, git, Deadline::of_survey())
}

/// As [`survey`], with a bound of its own. What it leaves no time for is `probe-timeout`.
pub(super) fn survey_until(
    candidates: &Candidates,
    now: jiff::Timestamp,
    git: &Result<Git, Code>,
    deadline: Deadline,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut roots = BTreeSet::new();
    let (mut number, mut tried) = (0, 0);
    let named = candidates.named.iter().map(|folder| (folder, true));
    for (folder, named) in named.chain(candidates.recorded.iter().map(|folder| (folder, false))) {
        let place = folder.clone();
        let find = move || if named { repository_of(&place) } else { repository_of_recorded(&place) };
        let root = match deadline.look(find) {
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
            Ok(git) => probe_until(&root, number + 1, now, git, deadline.next_repository()),
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
    outcomes.extend(candidates.others.iter().map(|folder| not_probed(folder.as_str(), Code::NotProbed)));
    outcomes
}

fn not_probed(path: &str, reason: Code) -> Outcome {
    Outcome::NotProbed { path: Decoder::default().show(path.as_bytes()), reason }
}

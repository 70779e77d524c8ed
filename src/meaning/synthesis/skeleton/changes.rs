//! The changes of a skeleton: the change claims, and others whose events carry paths or commits, as a commit that was pushed at
//! once and an edit that mended a failure, each with what its own events carry.

use std::collections::BTreeSet;

use super::setting::{Coarseness, Setting, joined};
use crate::base::safety::is_safe_line;
use crate::evidence::command::observation::Observation;
use crate::evidence::transcript::item::Status;
use crate::meaning::accounting::{Claim, ClaimKind};
use crate::meaning::synthesis::document::Change;
use crate::meaning::synthesis::draft::DraftItem;
use crate::meaning::synthesis::observed::Fact;

/// The items, by time.
pub(super) fn items(setting: &Setting<'_>, coarseness: Coarseness) -> Vec<DraftItem<Change>> {
    let changes = |claim: &Claim| claim.kind == ClaimKind::Change || carries(setting, claim);
    let claims: Vec<_> =
        setting.claims.iter().copied().filter(|claim| changes(claim)).map(|claim| vec![claim]).collect();
    let groups = joined(&claims, coarseness);
    let item = |(index, claims): (usize, &Vec<&Claim>)| {
        setting.about(format!("change-{}", index + 1), claims, change(setting, claims, coarseness.paths()))
    };
    groups.iter().enumerate().map(item).collect()
}

/// Whether a call of the claim changed a file or made a commit, and did not fail.
fn carries(setting: &Setting<'_>, claim: &Claim) -> bool {
    let changes = |row: &Observation| {
        matches!(
            row,
            Observation::FileMutation { .. }
                | Observation::CommitReported { .. }
                | Observation::ShellWrite { scratch: false, path: Some(_), .. }
        )
    };
    let succeeded = |row: &Observation| row.attempt().is_some_and(|attempt| attempt.status == Status::Ok);
    claim
        .events
        .iter()
        .flat_map(|ordinal| setting.evidence.table.of_call(*ordinal))
        .any(|row| changes(row) && succeeded(row))
}

/// Paths and commits in order of time, each once. What a rule about text would refuse is left out: the
/// events stay cited.
fn change(setting: &Setting<'_>, claims: &[&Claim], most: usize) -> Change {
    let mut change = Change { paths: Vec::new(), commits: Vec::new() };
    let mut seen = BTreeSet::new();
    let ordinals: BTreeSet<_> = claims.iter().flat_map(|claim| claim.events.iter().copied()).collect();
    for fact in ordinals.into_iter().flat_map(|ordinal| setting.observed.carried_by(ordinal)) {
        let (text, list) = match *fact {
            Fact::Path(path) => (path, &mut change.paths),
            Fact::Commit(commit) => (commit, &mut change.commits),
            Fact::Scratch(_) => continue,
        };
        if list.len() < most
            && seen.insert(fact)
            && is_safe_line(text)
            && !setting.evidence.table.search().has_secret(text)
        {
            list.push(text.to_owned());
        }
    }
    change
}

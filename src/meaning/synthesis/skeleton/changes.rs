//! The changes of a skeleton: the change claims with the paths and commits that their own events carry.

use std::collections::BTreeSet;

use super::setting::{Coarseness, Setting, joined};
use crate::base::safety::is_safe_line;
use crate::meaning::accounting::{Claim, ClaimKind};
use crate::meaning::synthesis::document::Change;
use crate::meaning::synthesis::draft::DraftItem;
use crate::meaning::synthesis::observed::Fact;

/// The items, by time.
pub(super) fn items(setting: &Setting<'_>, coarseness: Coarseness) -> Vec<DraftItem<Change>> {
    let claims: Vec<_> =
        setting.of_kinds(&[ClaimKind::Change]).into_iter().map(|claim| vec![claim]).collect();
    let groups = joined(&claims, coarseness);
    let item = |(index, claims): (usize, &Vec<&Claim>)| {
        setting.about(format!("change-{}", index + 1), claims, change(setting, claims, coarseness.paths()))
    };
    groups.iter().enumerate().map(item).collect()
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

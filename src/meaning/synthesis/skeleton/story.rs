//! The story of a skeleton: one item a claim, or the claims that begin in one episode, or neighbours of these.

use super::setting::{Coarseness, Setting, joined};
use crate::meaning::accounting::{Claim, ClaimKind};
use crate::meaning::synthesis::document::{NarrativeRole, Story};
use crate::meaning::synthesis::draft::DraftItem;

/// The claims of each item, by time.
pub(super) fn groups<'a>(setting: &Setting<'a>, coarseness: Coarseness) -> Vec<Vec<&'a Claim>> {
    if !coarseness.joins_episodes() {
        return setting.claims.iter().map(|claim| vec![*claim]).collect();
    }
    let episode =
        |claim: &Claim| claim.events.first().and_then(|first| setting.row(*first)).map(|row| row.episode);
    let by_episode =
        setting.claims.chunk_by(|one, next| episode(one) == episode(next)).map(<[&Claim]>::to_vec);
    joined(&by_episode.collect::<Vec<_>>(), coarseness)
}

/// The items of the groups.
pub(super) fn items(setting: &Setting<'_>, groups: &[Vec<&Claim>]) -> Vec<DraftItem<Story>> {
    let item = |(index, claims): (usize, &Vec<&Claim>)| {
        let narrative_role = role(claims);
        setting.about(format!("story-{}", index + 1), claims, Story { narrative_role })
    };
    groups.iter().enumerate().map(item).collect()
}

/// The role that the kinds share; a mixed item is about how things were done.
fn role(claims: &[&Claim]) -> NarrativeRole {
    let mut roles = claims.iter().map(|claim| match claim.kind {
        ClaimKind::Goal => NarrativeRole::Setup,
        ClaimKind::Decision | ClaimKind::Action | ClaimKind::Change => NarrativeRole::Approach,
        ClaimKind::Failure | ClaimKind::Recovery => NarrativeRole::TurningPoint,
        ClaimKind::Verification | ClaimKind::ExternalEffect | ClaimKind::FinalState => NarrativeRole::Outcome,
        ClaimKind::OpenWork => NarrativeRole::Remaining,
    });
    let first = roles.next().unwrap_or(NarrativeRole::Approach);
    if roles.all(|role| role == first) { first } else { NarrativeRole::Approach }
}

//! The plain sections of a skeleton and its headline: claims of their kinds, by time.

use super::setting::{Coarseness, OVERTAKEN, Setting, joined};
use crate::meaning::accounting::{Claim, ClaimKind};
use crate::meaning::synthesis::document::Plain;
use crate::meaning::synthesis::draft::DraftItem;

/// The first goal and the last final state; without either, the first claim.
pub(super) fn headline(setting: &Setting<'_>) -> DraftItem<Plain> {
    let goals = setting.of_kinds(&[ClaimKind::Goal]);
    let ends = setting.of_kinds(&[ClaimKind::FinalState]);
    let mut claims: Vec<&Claim> = goals.first().into_iter().chain(ends.last()).copied().collect();
    if claims.is_empty() {
        claims.extend(setting.claims.first());
    }
    let mut headline = setting.about("headline".to_owned(), &claims, Plain {});
    headline.title = None;
    headline
}

/// What failed and how it was mended.
pub(super) fn troubles(setting: &Setting<'_>, coarseness: Coarseness) -> Vec<DraftItem<Plain>> {
    items(setting, "trouble", &[ClaimKind::Failure, ClaimKind::Recovery], coarseness)
}

/// What is left.
pub(super) fn open_work(setting: &Setting<'_>, coarseness: Coarseness) -> Vec<DraftItem<Plain>> {
    items(setting, "open", &[ClaimKind::OpenWork], coarseness)
}

/// Where it ended; a run that changes followed is said to be one.
pub(super) fn ends(setting: &Setting<'_>, coarseness: Coarseness) -> Vec<DraftItem<Plain>> {
    let mut ends = items(setting, "end", &[ClaimKind::FinalState], coarseness);
    for end in &mut ends {
        let ids = end.accounting_claim_ids.iter().flatten();
        let claims = ids.filter_map(|id| setting.evidence.accounting.claim(id));
        let overtaken = claims.flat_map(|claim| &claim.events).any(|event| setting.runs.is_stale(*event));
        if overtaken && end.caveat.is_none() {
            end.caveat = Some(OVERTAKEN.to_owned());
        }
    }
    ends
}

fn items(
    setting: &Setting<'_>,
    name: &str,
    kinds: &[ClaimKind],
    coarseness: Coarseness,
) -> Vec<DraftItem<Plain>> {
    let claims: Vec<_> = setting.of_kinds(kinds).into_iter().map(|claim| vec![claim]).collect();
    let groups = joined(&claims, coarseness);
    let item = |(index, claims): (usize, &Vec<&Claim>)| {
        setting.about(format!("{name}-{}", index + 1), claims, Plain {})
    };
    groups.iter().enumerate().map(item).collect()
}

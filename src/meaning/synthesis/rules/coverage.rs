//! What was set aside is repeated exactly, and claims of certain kinds have a section of their own.

use std::collections::HashSet;

use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::accounting::ClaimKind;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::Coverage;
use crate::meaning::synthesis::draft::Section;
use crate::meaning::synthesis::expanded::{Expanded, Resolved};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    groups(synthesis, basis, violations);
    use ClaimKind::{Change, Failure, FinalState, OpenWork, Recovery, Verification};
    let sections = [
        (named(&synthesis.changes), "changes", [Change, Change]),
        (named(&synthesis.verification), "verification", [Verification, Verification]),
        (named(&synthesis.failures_recoveries), "failures_recoveries", [Failure, Recovery]),
        (named(&synthesis.final_state), "final_state", [FinalState, FinalState]),
        (named(&synthesis.open_work), "open_work", [OpenWork, OpenWork]),
    ];
    for (named, member, kinds) in sections {
        let Some(named) = named else { continue };
        let claims = basis.accounting.claims().iter().filter(|claim| kinds.contains(&claim.kind));
        for claim in claims.filter(|claim| !named.contains(claim.id.as_str())) {
            let place = Pointer::root().member(member);
            violations.push(
                Code::ProjectionMissing,
                place,
                format!("found no item that names `{}`, expected one", claim.id),
            );
        }
    }
}

/// Claims that a section names; `None` when the section is not whole.
fn named<S>(section: &Section<Resolved<S>>) -> Option<HashSet<&str>> {
    let ids = section.items.iter().flat_map(|resolved| resolved.item.accounting_claim_ids.iter());
    section.whole.then(|| ids.map(String::as_str).collect())
}

fn groups(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let Some(coverage) = &synthesis.coverage else { return };
    let known: HashSet<&str> = basis.accounting.groups().iter().map(|group| group.id.as_str()).collect();
    let listed = listed(coverage, &|id| known.contains(id), violations);
    for group in basis.accounting.groups().iter().filter(|group| !listed.contains(group.id.as_str())) {
        violations.push(
            Code::CoverageGroupMissing,
            place(),
            format!("found no `{}`, expected every group", group.id),
        );
    }
}

fn place() -> Pointer {
    Pointer::root().member("coverage").member("low_signal_group_ids")
}

/// The known groups that are listed, each once.
pub(super) fn listed<'c>(
    coverage: &'c Coverage,
    is_known: &dyn Fn(&str) -> bool,
    violations: &mut Violations,
) -> HashSet<&'c str> {
    let place = place();
    let mut listed = HashSet::new();
    for (index, id) in coverage.low_signal_group_ids.iter().enumerate() {
        if !is_known(id) {
            violations.push(
                Code::CoverageGroupUnknown,
                place.index(index),
                "found the id of no group, expected one of the sealed accounting",
            );
        } else if !listed.insert(id.as_str()) {
            violations.push(
                Code::CoverageGroupRepeated,
                place.index(index),
                "found a group a second time, expected each once",
            );
        }
    }
    listed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::meaning::synthesis::testing::Case;

    #[test]
    fn coverage_repeats_the_groups_of_the_accounting() {
        let case = Case::new();
        let place = "/coverage/low_signal_group_ids";
        let groups = |draft: &mut serde_json::Value, ids: &[&str]| {
            draft["coverage"]["low_signal_group_ids"] = json!(ids)
        };
        case.refuses(|draft| groups(draft, &[]), &[&format!("coverage-group-missing {place}")]);
        case.refuses(
            |draft| groups(draft, &["looking", "x"]),
            &[&format!("coverage-group-unknown {place}/1")],
        );
        case.refuses(
            |draft| groups(draft, &["looking", "looking"]),
            &[&format!("coverage-group-repeated {place}/1")],
        );
    }

    #[test]
    fn claims_of_these_kinds_are_named_in_their_section() {
        let case = Case::new();
        for section in ["changes", "failures_recoveries", "final_state", "open_work"] {
            case.refuses(
                |draft| drop(draft[section].as_array_mut().unwrap().pop()),
                &[&format!("projection-missing /{section}")],
            );
        }
        case.refuses(
            |draft| drop(draft["verification"].as_array_mut().unwrap().pop()),
            &["projection-missing /verification", "verification-run-omitted /verification"],
        );
    }
}

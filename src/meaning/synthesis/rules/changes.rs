//! Paths and commits stand in the index that the label allows. For `session_observed` that is what the item's
//! own events carry; `agent_report` and `inference` may name what any attempt of the session named; for
//! `verified_now` it is the snapshots that the item cites. Comparison is exact.

use std::collections::{HashMap, HashSet};

use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::git::snapshot::Snapshot;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{Change, SourceLabel};
use crate::meaning::synthesis::expanded::{Expanded, Resolved};
use crate::meaning::synthesis::observed::{Fact, Observed};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let observed = Observed::of(basis.table);
    let snapshots = Snapshots::of(&basis.manifest.git.verified_now);
    for resolved in &synthesis.changes.items {
        let Change { paths, commits } = &resolved.item.section;
        let (allows_path, allows_commit): (Vec<bool>, Vec<bool>) = match resolved.item.source_label {
            SourceLabel::SessionObserved => {
                let carried = carried(resolved, &observed);
                let path = |path: &&str| {
                    carried.contains(&Fact::Path(path)) || carried.contains(&Fact::Scratch(path))
                };
                (
                    paths.iter().map(|text| path(&text.as_str())).collect(),
                    commits.iter().map(|text| carried.contains(&Fact::Commit(text))).collect(),
                )
            }
            SourceLabel::AgentReport | SourceLabel::Inference => (
                paths.iter().map(|text| observed.has_path(text)).collect(),
                commits.iter().map(|text| observed.has_commit(text)).collect(),
            ),
            SourceLabel::VerifiedNow => {
                let cited = snapshots.cited_by(resolved);
                (
                    paths
                        .iter()
                        .map(|text| cited.iter().any(|held| held.changed.contains(text.as_str())))
                        .collect(),
                    commits.iter().map(|text| cited.iter().any(|held| held.head == Some(text))).collect(),
                )
            }
        };
        refuse(resolved, "paths", &allows_path, Code::ChangePathUnobserved, violations);
        refuse(resolved, "commits", &allows_commit, Code::ChangeCommitUnobserved, violations);
    }
}

fn refuse(
    resolved: &Resolved<Change>,
    member: &'static str,
    allowed: &[bool],
    code: Code,
    violations: &mut Violations,
) {
    let shown_by = match resolved.item.source_label {
        SourceLabel::SessionObserved => "events of this item",
        SourceLabel::AgentReport | SourceLabel::Inference => "any event of the session",
        SourceLabel::VerifiedNow => "the snapshots that this item cites",
    };
    for (index, _) in allowed.iter().enumerate().filter(|(_, allowed)| !**allowed) {
        let place = resolved.pointer.member(member).index(index);
        let detail = format!("found one that its label does not allow, expected one shown by {shown_by}");
        violations.push(code, place, detail);
    }
}

fn carried<'t>(resolved: &Resolved<Change>, observed: &Observed<'t>) -> HashSet<Fact<'t>> {
    let events = resolved.item.evidence_ids.iter();
    events.flat_map(|event| observed.carried_by(event.ordinal()).iter().copied()).collect()
}

struct Held<'m> {
    changed: HashSet<&'m str>,
    head: Option<&'m str>,
}

struct Snapshots<'m> {
    by_repository: HashMap<&'m str, Held<'m>>,
}

impl<'m> Snapshots<'m> {
    fn of(snapshots: &'m [Snapshot]) -> Self {
        let by_repository = snapshots.iter().map(|snapshot| {
            let changed = snapshot.status.iter().flat_map(|status| status.changed_paths.iter());
            let held =
                Held { changed: changed.map(String::as_str).collect(), head: snapshot.head.as_deref() };
            (snapshot.repository.as_str(), held)
        });
        Self { by_repository: by_repository.collect() }
    }

    /// Each repository once, however often the item cites it.
    fn cited_by(&self, resolved: &Resolved<Change>) -> Vec<&Held<'m>> {
        let names: HashSet<&str> =
            resolved.item.git_evidence.iter().map(|git| git.repository.as_str()).collect();
        names.into_iter().filter_map(|name| self.by_repository.get(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::evidence::transcript::item::Status;
    use crate::meaning::synthesis::testing::{Case, HEAD, ids};

    const PATH: &str = "change-path-unobserved /changes/0/paths/0";
    const COMMIT: &str = "change-commit-unobserved /changes/1/commits/0";

    fn label(draft: &mut Value, index: usize, label: &str) {
        draft["changes"][index]["source_label"] = json!(label);
        draft["changes"][index]["caveat"] = json!("Concluded.");
    }

    #[test]
    fn an_observed_path_is_carried_by_the_events_of_its_item() {
        let case = Case::new();
        case.accepts(|draft| draft["changes"][0]["paths"] = json!(["src/parser.rs", "src/lexer.rs"]));
        case.refuses(|draft| draft["changes"][0]["paths"] = json!(["src/other.rs"]), &[PATH]);
        case.accepts(|draft| draft["changes"][0]["evidence_ids"] = ids(&[3]));
        case.refuses(|draft| draft["changes"][0]["evidence_ids"] = ids(&[6, 7]), &[PATH]);
    }

    #[test]
    fn an_edit_that_failed_changed_nothing() {
        let mut case = Case::new();
        case.observations.remove(0);
        case.edit(2, "src/parser.rs", Status::Error);
        case.refuses(|_| {}, &[PATH]);
        case.accepts(|draft| label(draft, 0, "inference"));
    }

    #[test]
    fn a_commit_is_one_that_git_reported() {
        let case = Case::new();
        case.refuses(|draft| draft["changes"][1]["commits"] = json!(["abc1235"]), &[COMMIT]);
        case.refuses(
            |draft| {
                label(draft, 1, "inference");
                draft["changes"][1]["commits"] = json!(["abc1235"]);
            },
            &[COMMIT],
        );
    }

    #[test]
    fn a_verified_change_is_in_the_snapshot_that_it_cites() {
        let case = Case::new();
        let verified = |draft: &mut Value, path: &str, commit: &str| {
            let change = &mut draft["changes"][1];
            change["source_label"] = json!("verified_now");
            change["git_evidence"] = json!([{"repository": "repo-1", "kind": "head", "value": HEAD}]);
            change["paths"] = json!([path]);
            change["commits"] = json!([commit]);
        };
        case.accepts(|draft| verified(draft, "docs/notes.md", HEAD));
        let path = "change-path-unobserved /changes/1/paths/0";
        case.refuses(|draft| verified(draft, "src/parser.rs", "abc1234"), &[COMMIT, path]);
    }
}

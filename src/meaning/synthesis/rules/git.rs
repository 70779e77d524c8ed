//! `verified_now` and the snapshots of the manifest: present exactly where the label stands, and exactly equal.

use std::collections::{HashMap, HashSet};

use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::git::snapshot::Snapshot;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::{GitEvidence, SourceLabel};
use crate::meaning::synthesis::expanded::{Expanded, View};

/// Says which kinds there are.
const KINDS: &str = "found another kind, expected head, branch, changed_path, clean or available";

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let facts = Facts::of(&basis.manifest.git.verified_now);
    for view in synthesis.views() {
        stands_under_its_label(&view, violations);
        let place = view.pointer.member("git_evidence");
        for (index, stated) in view.git.iter().enumerate() {
            if let Some((code, detail)) = facts.refuses(stated) {
                violations.push(code, place.index(index), detail);
            }
        }
    }
}

/// Git evidence stands under one label and under no other. This needs no evidence.
pub(super) fn stands_under_its_label(view: &View<'_>, violations: &mut Violations) {
    let verified = view.label == SourceLabel::VerifiedNow;
    if verified && !view.git.iter().any(says_something) {
        let detail = if view.git.is_empty() {
            "found none, expected at least one fact under `verified_now`"
        } else {
            "found only that a repository is available, expected a fact about it"
        };
        violations.push(Code::GitEvidenceMissing, view.pointer.clone(), detail);
    }
    if !verified && !view.git.is_empty() {
        let place = view.pointer.member("git_evidence");
        violations.push(
            Code::GitEvidenceMisplaced,
            place,
            "found facts under another label, expected them under `verified_now` alone",
        );
    }
}

/// What no snapshot could equal, whatever it holds.
pub(super) fn never_holds(stated: &GitEvidence) -> Option<(Code, &'static str)> {
    let number = stated.repository.strip_prefix("repo-").unwrap_or_default();
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if !numbered || number.starts_with('0') {
        return Some((Code::GitEvidenceUnknownRepository, "a manifest calls its repositories repo-N"));
    }
    match stated.kind.as_str() {
        "head" | "branch" | "changed_path" => None,
        "clean" | "available" if flag(&stated.value).is_some() => None,
        "clean" | "available" => {
            Some((Code::GitEvidenceValueMismatch, "found another word, expected true or false"))
        }
        _ => Some((Code::GitEvidenceKindUnknown, KINDS)),
    }
}

/// The snapshots, ready to be asked.
struct Facts<'m> {
    by_repository: HashMap<&'m str, (&'m Snapshot, HashSet<&'m str>)>,
}

impl<'m> Facts<'m> {
    fn of(snapshots: &'m [Snapshot]) -> Self {
        let by_repository = snapshots.iter().map(|snapshot| {
            let changed = snapshot.status.iter().flat_map(|status| status.changed_paths.iter());
            (snapshot.repository.as_str(), (snapshot, changed.map(String::as_str).collect()))
        });
        Self { by_repository: by_repository.collect() }
    }

    fn refuses(&self, stated: &GitEvidence) -> Option<(Code, &'static str)> {
        let Some((snapshot, changed)) = self.by_repository.get(stated.repository.as_str()) else {
            return Some((
                Code::GitEvidenceUnknownRepository,
                "found no snapshot of that repository, expected a number of the manifest",
            ));
        };
        let value = stated.value.as_str();
        let equal = match stated.kind.as_str() {
            "head" => snapshot.head.as_deref() == Some(value),
            "branch" => snapshot.branch.as_deref() == Some(value),
            "changed_path" => changed.contains(value),
            "clean" => clean(snapshot) == flag(value) && flag(value).is_some(),
            "available" => Some(available(snapshot)) == flag(value),
            _ => {
                return Some((Code::GitEvidenceKindUnknown, KINDS));
            }
        };
        (!equal).then_some((
            Code::GitEvidenceValueMismatch,
            "found another value, expected exactly that of the snapshot",
        ))
    }
}

/// That a repository could be looked at is true of every snapshot that shows anything: alone it verifies nothing that an
/// author could say. That one could not be looked at is a fact of its own.
fn says_something(stated: &GitEvidence) -> bool {
    (stated.kind.as_str(), stated.value.as_str()) != ("available", "true")
}

/// Known only where it is shown: clean by a complete status, not clean by a change that was seen.
fn clean(snapshot: &Snapshot) -> Option<bool> {
    let status = snapshot.status.as_ref()?;
    let change_seen = !status.changed_paths.is_empty() || status.omitted > 0;
    (status.complete || change_seen).then_some(status.clean && status.complete)
}

/// The probe showed anything at all.
const fn available(snapshot: &Snapshot) -> bool {
    snapshot.head.is_some() || snapshot.branch.is_some() || snapshot.status.is_some()
}

fn flag(value: &str) -> Option<bool> {
    match value {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Code, GitEvidence, never_holds};
    use crate::meaning::synthesis::testing::{Case, HEAD};

    fn verified(draft: &mut Value, kind: &str, value: &str) {
        draft["story"][0]["source_label"] = json!("verified_now");
        draft["story"][0]["git_evidence"] = json!([{"repository": "repo-1", "kind": kind, "value": value}]);
    }

    fn beside_branch(draft: &mut Value, kind: &str, value: &str) {
        verified(draft, "branch", "main");
        let more = json!({"repository": "repo-1", "kind": kind, "value": value});
        draft["story"][0]["git_evidence"].as_array_mut().unwrap().push(more);
    }

    #[test]
    fn a_repository_that_is_gone_is_a_fact_of_its_own() {
        let mut case = Case::new();
        let snapshot = &mut case.manifest.git.verified_now[0];
        (snapshot.head, snapshot.branch, snapshot.status) = (None, None, None);
        case.accepts(|draft| verified(draft, "available", "false"));
        case.refuses(
            |draft| verified(draft, "available", "true"),
            &["git-evidence-missing /story/0", "git-evidence-value-mismatch /story/0/git_evidence/0"],
        );
    }

    #[test]
    fn every_kind_equals_the_snapshot_or_is_refused() {
        let case = Case::new();
        let facts = [
            ("head", HEAD, "0123456"),
            ("branch", "main", "mai"),
            ("changed_path", "docs/notes.md", "docs"),
            ("clean", "false", "true"),
            ("available", "true", "yes"),
        ];
        for (kind, value, wrong) in facts {
            if kind == "available" {
                case.refuses(|draft| verified(draft, kind, value), &["git-evidence-missing /story/0"]);
                case.accepts(|draft| beside_branch(draft, kind, value));
            } else {
                case.accepts(|draft| verified(draft, kind, value));
            }
            case.refuses(
                |draft| verified(draft, kind, wrong),
                &["git-evidence-value-mismatch /story/0/git_evidence/0"],
            );
        }
        case.refuses(
            |draft| verified(draft, "tag", "v1"),
            &["git-evidence-kind-unknown /story/0/git_evidence/0"],
        );
    }

    #[test]
    fn a_repository_is_one_of_the_manifest() {
        Case::new().refuses(
            |draft| {
                verified(draft, "branch", "main");
                draft["story"][0]["git_evidence"][0]["repository"] = json!("repo-2");
            },
            &["git-evidence-unknown-repository /story/0/git_evidence/0"],
        );
    }

    #[test]
    fn git_evidence_stands_exactly_where_the_label_does() {
        let case = Case::new();
        case.refuses(
            |draft| draft["story"][0]["source_label"] = json!("verified_now"),
            &["git-evidence-missing /story/0"],
        );
        case.refuses(
            |draft| {
                verified(draft, "branch", "main");
                draft["story"][0]["source_label"] = json!("session_observed");
            },
            &["git-evidence-misplaced /story/0/git_evidence"],
        );
    }

    #[test]
    fn a_change_that_was_seen_is_enough_not_to_be_clean() {
        let mismatch: &[&str] = &["git-evidence-value-mismatch /story/0/git_evidence/0"];
        for (complete, clean, changed, omitted, is_clean) in [
            (true, true, false, 0, Some(true)),
            (true, false, true, 0, Some(false)),
            (false, false, true, 0, Some(false)),
            (false, false, false, 1, Some(false)),
            (false, true, false, 0, None),
            (false, true, true, 0, Some(false)),
        ] {
            let mut case = Case::new();
            let status = case.manifest.git.verified_now[0].status.as_mut().unwrap();
            (status.complete, status.clean, status.omitted) = (complete, clean, omitted);
            if !changed {
                status.changed_paths.clear();
            }
            for (value, said) in [("true", true), ("false", false)] {
                if is_clean == Some(said) {
                    case.accepts(|draft| verified(draft, "clean", value));
                } else {
                    case.refuses(|draft| verified(draft, "clean", value), mismatch);
                }
            }
        }
    }

    #[test]
    fn whatever_a_probe_shows_makes_a_repository_available() {
        for shown in 0..3 {
            let mut case = Case::new();
            let snapshot = &mut case.manifest.git.verified_now[0];
            if shown != 0 {
                snapshot.head = None;
            }
            if shown != 1 {
                snapshot.branch = None;
            }
            if shown != 2 {
                snapshot.status = None;
            }
            case.refuses(
                |draft| verified(draft, "available", "false"),
                &["git-evidence-value-mismatch /story/0/git_evidence/0"],
            );
        }
    }

    #[test]
    fn clean_is_known_only_from_a_complete_status() {
        let mut case = Case::new();
        let status = case.manifest.git.verified_now[0].status.as_mut().unwrap();
        status.complete = false;
        status.clean = true;
        status.changed_paths.clear();
        for value in ["true", "false"] {
            case.refuses(
                |draft| verified(draft, "clean", value),
                &["git-evidence-value-mismatch /story/0/git_evidence/0"],
            );
        }
    }

    #[test]
    fn what_no_snapshot_could_equal_is_refused_without_one() {
        let never = |repository: &str, kind: &str, value: &str| {
            let text = |text: &str| text.to_owned();
            let stated = GitEvidence { repository: text(repository), kind: text(kind), value: text(value) };
            never_holds(&stated).map(|(code, _)| code)
        };
        for repository in ["1", "repo", "repo-", "repo-x", "repo-1x", "repo-0", "repo-01"] {
            let unknown = Some(Code::GitEvidenceUnknownRepository);
            assert_eq!(never(repository, "branch", "main"), unknown, "{repository}");
        }
        for kind in ["head", "branch", "changed_path"] {
            assert_eq!(never("repo-12", kind, "whatever"), None);
        }
        for kind in ["clean", "available"] {
            assert_eq!((never("repo-1", kind, "true"), never("repo-1", kind, "false")), (None, None));
            assert_eq!(never("repo-1", kind, "yes"), Some(Code::GitEvidenceValueMismatch));
        }
        assert_eq!(never("repo-1", "tag", "v1"), Some(Code::GitEvidenceKindUnknown));
    }
}

//! Ids, labels and names of kinds.

use std::collections::HashMap;

use super::claim::ClaimKind;
use super::draft::{Entry, Side};
use crate::base::limits::LABEL_CHARS;
use crate::base::rules::Code;
use crate::base::safety::is_author_id;
use crate::base::violations::Violations;

/// Reports `id-malformed`, `claim-id-duplicate`, `group-id-duplicate`, `id-collides`, `label-empty`,
/// `label-too-long` and `claim-kind-unknown`.
pub fn check(entries: &[Entry<'_>], violations: &mut Violations) {
    check_ids(entries, violations);
    for entry in entries {
        check_label(entry, violations);
        let Some(kind) = entry.kind.filter(|_| entry.side == Side::Claim) else { continue };
        if ClaimKind::parse(kind).is_none() {
            let allowed: Vec<_> = ClaimKind::ALL.into_iter().map(ClaimKind::name).collect();
            let detail = format!("found another word, expected one of {}", allowed.join(", "));
            violations.push(Code::ClaimKindUnknown, entry.member("kind"), detail);
        }
    }
}

fn check_ids(entries: &[Entry<'_>], violations: &mut Violations) {
    let mut seen: HashMap<&str, &Entry<'_>> = HashMap::new();
    for entry in entries {
        let Some(id) = entry.id else { continue };
        let place = entry.member(entry.side.id());
        if !is_author_id(id) {
            let detail = format!(
                "found {} characters, expected 1 to 48 of a-z, 0-9 and single hyphens",
                id.chars().count()
            );
            violations.push(Code::IdMalformed, place.clone(), detail);
        }
        let Some(other) = seen.get(id) else {
            seen.insert(id, entry);
            continue;
        };
        let code = match (other.side, entry.side) {
            (Side::Claim, Side::Claim) => Code::ClaimIdDuplicate,
            (Side::Group, Side::Group) => Code::GroupIdDuplicate,
            _ => Code::IdCollides,
        };
        violations.push(code, place, format!("found the id of {}, expected another", other.name()));
    }
}

fn check_label(entry: &Entry<'_>, violations: &mut Violations) {
    let Some(label) = entry.label else { return };
    let place = || entry.member("label");
    if label.trim().is_empty() {
        violations.push(Code::LabelEmpty, place(), "found nothing but spaces, expected one line");
    }
    let count = label.chars().count();
    if count > LABEL_CHARS {
        let detail = format!("found {count} characters, expected at most {LABEL_CHARS}");
        violations.push(Code::LabelTooLong, place(), detail);
    }
}

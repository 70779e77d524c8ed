//! A rendered recap as JSON, held against itself: its labels, its timeline, its words counted again, and whether its
//! first line says what its codes and limitations say. What it leaves out, it cannot be held against.

use std::collections::HashSet;

use serde_json::Value;

use crate::base::limits::RENDER_CITED;
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::violations::Violations;
use crate::meaning::accounting::strings;
use crate::meaning::prose::recap_length;
use crate::report::coverage::INCOMPLETE;
use crate::report::published::Published;

/// Every text of a recap stands on one line.
const LINES: [&str; 15] = [
    "notice",
    "title",
    "scope",
    "facts",
    "summary",
    "caveat",
    "lead",
    "label",
    "id",
    "group_id",
    "accounting_claim_ids",
    "paths",
    "commits",
    "value",
    "absent",
];

/// Holds a recap against every rule, or part of one, that needs nothing beside it; true when its shape is right.
pub fn check(value: &Value, violations: &mut Violations) -> bool {
    let mut shaped = schemas::check("recap", value, violations);
    if let Some(schema) = schemas::find("recap") {
        strings::check(schema, &LINES, value, &Search::default(), violations);
    }
    match Published::read(value).filter(|_| shaped) {
        Some(recap) => whole(value, &recap, violations),
        None if shaped => {
            shaped = false;
            violations.push(Code::SchemaViolation, Pointer::root(), "not as a recap is put together");
        }
        None => {}
    }
    lines(value, violations);
    shaped
}

fn whole(value: &Value, recap: &Published, violations: &mut Violations) {
    recap_length(recap.word_count(), violations);
    for member in recap.contradictions() {
        let place = match member {
            "/status/state" => Pointer::root().member("status").member("state"),
            "/notice" => Pointer::root().member("notice"),
            _ => Pointer::root().member("words"),
        };
        violations.push(Code::RenderContradicts, place, "the rest of the recap says something else");
    }
    let limited = |code: &Code| {
        let count = value.get("limitations").and_then(|limitations| limitations.get(code.as_str()));
        count.and_then(Value::as_u64).is_some_and(|count| count > 0)
    };
    let told =
        value.pointer("/status/codes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let hidden = INCOMPLETE.iter().filter(|code| limited(code));
    for code in hidden.filter(|code| !told.iter().any(|told| told.as_str() == Some(code.as_str()))) {
        let place = Pointer::root().member("status").member("codes");
        violations.push(
            Code::RenderContradicts,
            place,
            format!("`{}` is among the limitations", code.as_str()),
        );
    }
}

/// Headline, lines and groups, each as far as it has its shape.
fn lines(value: &Value, violations: &mut Violations) {
    let mut ids = HashSet::new();
    if let Some(headline) = value.get("headline") {
        line(headline, &Pointer::root().member("headline"), &mut ids, violations);
    }
    for (number, section) in listed(value.get("sections")) {
        let place = Pointer::root().member("sections").index(number).member("lines");
        let mut latest: Option<u64> = None;
        for (index, item) in listed(section.get("lines")) {
            let place = place.index(index);
            line(item, &place, &mut ids, violations);
            if text(item, "section") == Some("timeline") {
                runs_forward(item, &place, &mut latest, violations);
            }
        }
    }
    let mut groups = HashSet::new();
    for (index, group) in listed(value.get("low_signal_groups")) {
        if text(group, "group_id").is_some_and(|id| !groups.insert(id)) {
            let place = Pointer::root().member("low_signal_groups").index(index).member("group_id");
            violations.push(Code::CoverageGroupRepeated, place, "listed before");
        }
    }
}

fn line<'v>(item: &'v Value, place: &Pointer, ids: &mut HashSet<&'v str>, violations: &mut Violations) {
    if text(item, "id").is_some_and(|id| !ids.insert(id)) {
        violations.push(Code::ItemIdDuplicate, place.member("id"), "a line before it has this id");
    }
    for member in ["title", "summary", "caveat"] {
        if text(item, member).is_some_and(|text| text.trim().is_empty()) {
            violations.push(Code::TextEmpty, place.member(member), "write it");
        }
    }
    let label = text(item, "source_label");
    let (caveat, git) = (item.get("caveat").is_some(), item.get("git_evidence"));
    match label {
        Some("inference") if !caveat => {
            violations.push(Code::InferenceWithoutCaveat, place.clone(), "add a caveat");
        }
        Some("verified_now") => {
            if caveat {
                violations.push(Code::CaveatMisplaced, place.member("caveat"), "label verified_now");
            }
            if git.is_none_or(says_nothing) {
                violations.push(Code::GitEvidenceMissing, place.clone(), "label verified_now");
            }
        }
        _ => {}
    }
    if label.is_some_and(|label| label != "verified_now") {
        if git.is_some() {
            let place = place.member("git_evidence");
            violations.push(Code::GitEvidenceMisplaced, place, "only under the label verified_now");
        }
        if item.get("ordinal_ranges").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            violations.push(Code::EvidenceMissing, place.clone(), "found no event, expected at least one");
        }
    }
    for (index, fact) in listed(git) {
        let flag = matches!(text(fact, "kind"), Some("clean" | "available"));
        if flag && !matches!(text(fact, "value"), Some("true" | "false")) {
            let place = place.member("git_evidence").index(index);
            violations.push(Code::GitEvidenceValueMismatch, place, "neither true nor false");
        }
    }
}

/// That a repository is available says nothing about it. A recap shows only the first facts; behind these there may be
/// one that does.
fn says_nothing(facts: &Value) -> bool {
    let facts = facts.as_array().map(Vec::as_slice).unwrap_or_default();
    facts.len() < RENDER_CITED && facts.iter().all(|fact| text(fact, "kind") == Some("available"))
}

/// Strict order, and bounds that are those of the ranges that are shown.
fn runs_forward(item: &Value, place: &Pointer, latest: &mut Option<u64>, violations: &mut Violations) {
    let number = |name: &str| item.get(name).and_then(Value::as_u64);
    let (Some(first), Some(last)) = (number("first_ordinal"), number("last_ordinal")) else { return };
    let place = place.member("first_ordinal");
    if latest.is_some_and(|latest| first <= latest) {
        violations.push(Code::TimelineNotChronological, place.clone(), "an entry before it ends later");
    }
    *latest = (*latest).max(Some(last));
    let end =
        |range: Option<&Value>, end: usize| range.and_then(|range| range.get(end)).and_then(Value::as_u64);
    let ranges = item.get("ordinal_ranges").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let begins = end(ranges.first(), 0).is_none_or(|begins| begins == first);
    let ends = end(ranges.last(), 1)
        .is_none_or(|ends| ends == last || ends < last && number("more_events").is_some_and(|more| more > 0));
    if first > last || !begins || !ends {
        violations.push(Code::TimelineBoundsWrong, place, "its ranges have other ends");
    }
}

fn listed(list: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter().enumerate()
}

fn text<'v>(item: &'v Value, name: &str) -> Option<&'v str> {
    item.get(name).and_then(Value::as_str)
}

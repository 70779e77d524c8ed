//! The draft as an author writes it, shorthand and all. Reading is lenient: an item whose shape is wrong
//! yields nothing and its section is then not whole, so that rules about completeness stay silent there.

use serde::Serialize;
use serde_json::Value;

use super::document::{
    Basis, Change, Coverage, GitEvidence, Plain, SYNTHESIS_SCHEMA, SourceLabel, Story, Timeline, Verification,
};
use super::members::Members;
use crate::base::digest::Digest;
use crate::base::ids::{EventId, Ordinal};
use crate::base::pointer::Pointer;
use crate::base::violations::Violations;

/// Members whose texts stay on one line.
pub const LINES: [&str; 9] = [
    "id",
    "title",
    "accounting_claim_ids",
    "paths",
    "commits",
    "repository",
    "kind",
    "value",
    "low_signal_group_ids",
];

/// One item with its shorthand.
#[derive(Debug, Clone, Serialize)]
pub struct DraftItem<S> {
    /// The author's id.
    pub id: String,
    /// Every item but the headline has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The prose.
    pub summary: String,
    /// Where it comes from.
    pub source_label: SourceLabel,
    /// Only a timeline entry may leave them out: then those that own its events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounting_claim_ids: Option<Vec<String>>,
    /// Left out: all events of the claims; in the timeline all significant ones between the bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_ids: Option<Vec<EventId>>,
    /// Instead of ids: first and last ordinals, both included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_ranges: Option<Vec<[Ordinal; 2]>>,
    /// What the reader must know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// For `verified_now`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub git_evidence: Vec<GitEvidence>,
    /// What the section adds.
    #[serde(flatten)]
    pub section: S,
}

/// Something of the draft and where it stands there.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    /// Its place.
    pub pointer: Pointer,
    /// What stands there.
    pub item: T,
}

/// A section as far as its shape is right.
#[derive(Debug, Clone)]
pub struct Section<T> {
    /// What could be read, in order.
    pub items: Vec<T>,
    /// Nothing had to be left out.
    pub whole: bool,
}

/// The draft as far as its shape is right.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The manifest it says it was made on.
    pub manifest_sha256: Option<Digest>,
    /// The accounting it says it tells.
    pub accounting_sha256: Option<Digest>,
    /// At most one item.
    pub headline: Section<Placed<DraftItem<Plain>>>,
    /// By meaning.
    pub story: Section<Placed<DraftItem<Story>>>,
    /// By time.
    pub timeline: Section<Placed<DraftItem<Timeline>>>,
    /// Files and git state.
    pub changes: Section<Placed<DraftItem<Change>>>,
    /// Tests and checks.
    pub verification: Section<Placed<DraftItem<Verification>>>,
    /// What failed and how it was mended.
    pub failures_recoveries: Section<Placed<DraftItem<Plain>>>,
    /// Where it ended.
    pub final_state: Section<Placed<DraftItem<Plain>>>,
    /// What is left.
    pub open_work: Section<Placed<DraftItem<Plain>>>,
    /// What was set aside.
    pub coverage: Option<Coverage>,
}

impl Draft {
    /// Reads what has the right shape and pushes `schema-violation` for everything else. `None` only when
    /// the document is not even an object.
    pub fn read(value: &Value, violations: &mut Violations) -> Option<Self> {
        let mut members = Members::of(value, &Pointer::root(), violations)?;
        let version = members.required::<String>("schema_version");
        if version.is_some_and(|version| version != SYNTHESIS_SCHEMA) {
            members.refuse("schema_version", "found another version, expected this one");
        }
        let draft = Self {
            manifest_sha256: members.required("manifest_sha256"),
            accounting_sha256: members.required("accounting_sha256"),
            headline: headline(&mut members),
            story: section(&mut members, "story"),
            timeline: section(&mut members, "timeline"),
            changes: section(&mut members, "changes"),
            verification: section(&mut members, "verification"),
            failures_recoveries: section(&mut members, "failures_recoveries"),
            final_state: section(&mut members, "final_state"),
            open_work: section(&mut members, "open_work"),
            coverage: coverage(&mut members),
        };
        members.finish();
        Some(draft)
    }
}

/// What a section adds to an item, and what it may leave out.
trait Shape: Sized {
    /// The headline alone has no title.
    const TITLED: bool = true;
    /// The timeline alone may leave out its claims.
    const CLAIMS_MAY_BE_LEFT_OUT: bool = false;

    fn read(members: &mut Members<'_, '_>) -> Option<Self>;
}

impl Shape for Plain {
    fn read(_: &mut Members<'_, '_>) -> Option<Self> {
        Some(Self {})
    }
}

/// The headline on its way to [`Plain`].
struct Headline;

impl Shape for Headline {
    const TITLED: bool = false;

    fn read(_: &mut Members<'_, '_>) -> Option<Self> {
        Some(Self)
    }
}

impl Shape for Story {
    fn read(members: &mut Members<'_, '_>) -> Option<Self> {
        Some(Self { narrative_role: members.word("narrative_role")? })
    }
}

impl Shape for Timeline {
    const CLAIMS_MAY_BE_LEFT_OUT: bool = true;

    fn read(members: &mut Members<'_, '_>) -> Option<Self> {
        let first_ordinal = members.required("first_ordinal");
        let last_ordinal = members.required("last_ordinal");
        Some(Self { first_ordinal: first_ordinal?, last_ordinal: last_ordinal? })
    }
}

impl Shape for Change {
    fn read(members: &mut Members<'_, '_>) -> Option<Self> {
        let paths = members.required("paths");
        let commits = members.required("commits");
        Some(Self { paths: paths?, commits: commits? })
    }
}

impl Shape for Verification {
    fn read(members: &mut Members<'_, '_>) -> Option<Self> {
        let outcome = members.word("outcome");
        let basis = match members.raw("basis") {
            None => None,
            Some(_) => members.word::<Basis>("basis"),
        };
        let command_event_id = members.required("command_event_id");
        let result_event_id = members.required("result_event_id");
        let further_runs = members.required("further_runs");
        Some(Self {
            outcome: outcome?,
            basis,
            command_event_id: command_event_id?,
            result_event_id: result_event_id?,
            further_runs: further_runs?,
        })
    }
}

fn headline(members: &mut Members<'_, '_>) -> Section<Placed<DraftItem<Plain>>> {
    let Some(value) = members.raw("headline") else {
        members.refuse("headline", "found none, expected this member");
        return Section { items: Vec::new(), whole: false };
    };
    let (pointer, violations) = members.below("headline");
    let read = item::<Headline>(value, &pointer, violations);
    let whole = read.is_some();
    let items = read.map(|item| Placed { pointer, item: with_section(item, Plain {}) });
    Section { items: items.into_iter().collect(), whole }
}

fn section<S: Shape>(members: &mut Members<'_, '_>, name: &'static str) -> Section<Placed<DraftItem<S>>> {
    let Some(value) = members.raw(name) else {
        members.refuse(name, "found none, expected this member");
        return Section { items: Vec::new(), whole: false };
    };
    let Value::Array(values) = value else {
        members.refuse(name, "expected an array, found something else");
        return Section { items: Vec::new(), whole: false };
    };
    let (place, violations) = members.below(name);
    let mut items = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let pointer = place.index(index);
        if let Some(item) = item(value, &pointer, violations) {
            items.push(Placed { pointer, item });
        }
    }
    let whole = items.len() == values.len();
    Section { items, whole }
}

fn item<S: Shape>(value: &Value, pointer: &Pointer, violations: &mut Violations) -> Option<DraftItem<S>> {
    let mut members = Members::of(value, pointer, violations)?;
    let id = members.required("id");
    let title: Option<String> = if S::TITLED { members.required("title") } else { None };
    let summary = members.required("summary");
    let source_label = members.word("source_label");
    let accounting_claim_ids: Option<Vec<String>> = if S::CLAIMS_MAY_BE_LEFT_OUT {
        members.optional("accounting_claim_ids")
    } else {
        members.required("accounting_claim_ids")
    };
    let evidence_ids: Option<Vec<EventId>> = members.optional("evidence_ids");
    let evidence_ranges: Option<Vec<[Ordinal; 2]>> = members.optional("evidence_ranges");
    if evidence_ids.is_some() && evidence_ranges.is_some() {
        members.refuse("evidence_ranges", "found both, expected evidence_ids or evidence_ranges");
    }
    let caveat = members.optional("caveat");
    let git_evidence: Option<Vec<GitEvidence>> = members.optional("git_evidence");
    let section = S::read(&mut members);
    if !members.finish() {
        return None;
    }
    Some(DraftItem {
        id: id?,
        title,
        summary: summary?,
        source_label: source_label?,
        accounting_claim_ids,
        evidence_ids,
        evidence_ranges,
        caveat,
        git_evidence: git_evidence.unwrap_or_default(),
        section: section?,
    })
}

fn with_section<S, T>(item: DraftItem<S>, section: T) -> DraftItem<T> {
    DraftItem {
        id: item.id,
        title: item.title,
        summary: item.summary,
        source_label: item.source_label,
        accounting_claim_ids: item.accounting_claim_ids,
        evidence_ids: item.evidence_ids,
        evidence_ranges: item.evidence_ranges,
        caveat: item.caveat,
        git_evidence: item.git_evidence,
        section,
    }
}

fn coverage(members: &mut Members<'_, '_>) -> Option<Coverage> {
    let Some(value) = members.raw("coverage") else {
        members.refuse("coverage", "found none, expected this member");
        return None;
    };
    let (pointer, violations) = members.below("coverage");
    let mut inner = Members::of(value, &pointer, violations)?;
    let low_signal_group_ids = inner.required("low_signal_group_ids");
    inner.finish().then_some(())?;
    Some(Coverage { low_signal_group_ids: low_signal_group_ids? })
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;

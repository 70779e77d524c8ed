//! An edges draft becomes a handoff here and nowhere else: by breaking no rule.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::edges::{EdgeItem, EdgesDraft};
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, EventId};
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::schemas;
use crate::base::violations::Violations;
use crate::evidence::kinship::set::{Edge, Set};
use crate::evidence::table::{Row, Table};
use crate::meaning::accounting::{read_strictly, strings};
use crate::meaning::prose::paragraph;
use crate::meaning::said::is_said;
use crate::meaning::synthesis::document::SourceLabel;

/// Members whose texts stay on one line.
const LINES: [&str; 1] = ["edge_id"];

/// What a draft is held against: a validated set and the ledgers of its members.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    /// The set.
    pub set: &'a Set,
    /// Digest of its file.
    pub set_sha256: Digest,
    /// The events of every member.
    pub tables: &'a BTreeMap<BoundaryId, Table>,
}

/// What an author says of the edges of a set, by every rule.
///
/// Nobody else can put one together:
///
/// ```compile_fail
/// use recap::meaning::handoff::Handoff;
/// fn same(handoff: Handoff) -> Handoff {
///     Handoff { ..handoff }
/// }
/// ```
///
/// though anybody may hold one:
///
/// ```
/// use recap::meaning::handoff::Handoff;
/// fn same(handoff: Handoff) -> Handoff {
///     handoff
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Handoff {
    items: Vec<EdgeItem>,
    file_sha256: Digest,
    blocked_evidence: bool,
}

impl Handoff {
    /// One item for each edge of the set, in the set's order.
    pub fn items(&self) -> &[EdgeItem] {
        &self.items
    }

    /// Digest of the author's bytes.
    pub const fn file_sha256(&self) -> Digest {
        self.file_sha256
    }

    /// Some item rests only on redaction marks and says so in a caveat.
    pub const fn blocked_evidence(&self) -> bool {
        self.blocked_evidence
    }
}

/// Holds the bytes of a draft against every rule.
///
/// # Errors
/// All violations.
pub fn check(draft: &[u8], basis: &Basis<'_>) -> Result<Handoff, Violations> {
    let value = read_strictly(draft)?;
    let mut violations = Violations::default();
    schemas::check("edges-draft", &value, &mut violations);
    if let Some(schema) = schemas::find("edges-draft") {
        let search = Search::all(basis.tables.values().map(Table::search));
        strings::check(schema, &LINES, &value, &search, &mut violations);
    }
    let draft_read = EdgesDraft::read(&value);
    if draft_read.set_sha256.is_some_and(|sha256| sha256 != basis.set_sha256) {
        let detail = format!("found another digest, expected {}, that of the set given", basis.set_sha256);
        violations.push(Code::SetMismatch, Pointer::root().member("set_sha256"), detail);
    }
    let edges: BTreeMap<&str, &Edge> = basis.set.edges.iter().map(|edge| (edge.id.as_str(), edge)).collect();
    let mut items: BTreeMap<&str, &EdgeItem> = BTreeMap::new();
    let mut blocked = false;
    for (place, item) in &draft_read.items {
        texts(item, place, &mut violations);
        let Some(edge) = edges.get(item.edge_id.as_str()) else {
            violations.push(
                Code::EdgeUnknown,
                place.member("edge_id"),
                "found the id of no edge, expected one of the set document",
            );
            continue;
        };
        if items.insert(&edge.id, item).is_some() {
            let detail = format!("found `{}` a second time, expected it once", edge.id);
            violations.push(Code::EdgeRepeated, place.member("edge_id"), detail);
        }
        blocked |= evidence(item, edge, place, basis, &mut violations);
    }
    missing(&draft_read, basis.set, &items, &mut violations);
    if !violations.is_empty() {
        return Err(violations);
    }
    let told = basis.set.edges.iter().filter_map(|edge| items.get(edge.id.as_str()));
    let items = told.map(|item| (*item).clone()).collect();
    Ok(Handoff { items, file_sha256: Digest::of(draft), blocked_evidence: blocked })
}

fn missing(draft: &EdgesDraft, set: &Set, items: &BTreeMap<&str, &EdgeItem>, violations: &mut Violations) {
    if !draft.whole {
        return;
    }
    for edge in set.edges.iter().filter(|edge| !items.contains_key(edge.id.as_str())) {
        let detail = format!("found no item for `{}`, expected one", edge.id);
        violations.push(Code::EdgeMissing, Pointer::root().member("items"), detail);
    }
}

fn texts(item: &EdgeItem, place: &Pointer, violations: &mut Violations) {
    paragraph(&item.summary, &place.member("summary"), violations);
    if let Some(caveat) = &item.caveat {
        paragraph(caveat, &place.member("caveat"), violations);
    }
    if item.source_label == SourceLabel::Inference && item.caveat.is_none() {
        violations.push(
            Code::InferenceWithoutCaveat,
            place.clone(),
            "found no caveat, expected one that says what is not shown",
        );
    }
}

/// Evidence is events of either end, each once, and carries the label. True when only redaction marks are left of it.
fn evidence(
    item: &EdgeItem,
    edge: &Edge,
    place: &Pointer,
    basis: &Basis<'_>,
    violations: &mut Violations,
) -> bool {
    let listed = place.member("evidence_ids");
    if item.evidence_ids.is_empty() {
        violations.push(Code::EvidenceMissing, place.clone(), "found no event, expected at least one");
        return false;
    }
    let mut seen = HashSet::with_capacity(item.evidence_ids.len());
    let mut rows = Vec::new();
    for (index, event) in item.evidence_ids.iter().enumerate() {
        if !seen.insert(*event) {
            let detail = format!("found {event} a second time, expected it once");
            violations.push(Code::EvidenceDuplicate, listed.index(index), detail);
        }
        match row_of(*event, edge, basis) {
            Some(row) => {
                if item.source_label == SourceLabel::AgentReport && !is_said(row) {
                    let detail = format!(
                        "found {event} of surface {}, expected what an agent reports",
                        row.surface.name()
                    );
                    violations.push(Code::AgentReportUnsupported, listed.index(index), detail);
                }
                rows.push(row);
            }
            None => violations.push(
                Code::EventUnknown,
                listed.index(index),
                format!("found {event}, expected an event of the ledger of either end"),
            ),
        }
    }
    let only_said = rows.iter().all(|row| is_said(row));
    if item.source_label == SourceLabel::SessionObserved && !rows.is_empty() && only_said {
        let detail = "found words of agents alone, expected an event that shows more";
        violations.push(Code::SessionObservedUnsupported, place.member("source_label"), detail);
    }
    let blocked = !rows.is_empty() && rows.iter().all(|row| row.only_redactions);
    if blocked && item.caveat.is_none() {
        violations.push(
            Code::RedactionBlocksEvidence,
            place.clone(),
            "found nothing but redaction marks, expected a caveat that says what is hidden",
        );
    }
    blocked
}

/// The event in the ledger of either end.
fn row_of<'b>(event: EventId, edge: &Edge, basis: &Basis<'b>) -> Option<&'b Row> {
    let ends = [edge.from, edge.to];
    ends.iter().filter_map(|end| basis.tables.get(end)).find_map(|table| table.find(event))
}

/// Which end of an edge holds which events.
pub fn ends_of(item: &EdgeItem, edge: &Edge, basis: &Basis<'_>) -> BTreeMap<BoundaryId, BTreeSet<EventId>> {
    let mut held: BTreeMap<BoundaryId, BTreeSet<EventId>> = BTreeMap::new();
    for event in &item.evidence_ids {
        let ends = [edge.from, edge.to];
        let of = |end: &&BoundaryId| basis.tables.get(*end).is_some_and(|table| table.find(*event).is_some());
        if let Some(end) = ends.iter().find(of) {
            held.entry(*end).or_default().insert(*event);
        }
    }
    held
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;

//! The handoff of a boundary set: members in graph order, each by its own recap's headline, final state and open work or
//! as not recapped, then what the author says of each edge. Composed once, counted and written like any recap.

use std::collections::{BTreeMap, BTreeSet};

use super::cite::{Shown, exact_ranges, ordinals};
use super::coverage::incomplete;
use super::markdown::markdown;
use super::page::{Block, CAUTION, label, push_ranges, statement, visible_text};
use super::plain::{Plain, Span, push_list, push_more};
use super::recap::Recap;
use super::set_evidence::{EdgeEvidence, MemberEvidence, SET_EVIDENCE_SCHEMA, SetEvidence};
use super::words::words;
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, EventId};
use crate::base::limits::RENDER_CITED;
use crate::base::rules::Code;
use crate::evidence::kinship::set::{Edge, EdgeType, Set};
use crate::evidence::manifest::Manifest;
use crate::meaning::handoff::check::{Basis, Handoff, ends_of};
use crate::meaning::handoff::edges::EdgeItem;

/// One member as it is told.
#[derive(Debug)]
pub struct MemberPart {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its own recap, if its synthesis is valid.
    pub recap: Option<MemberRecap>,
}

/// What a member was recapped from.
#[derive(Debug)]
pub struct MemberRecap {
    /// The whole recap, of which a handoff shows the ends.
    pub recap: Recap,
    /// Digest of the sealed accounting's file.
    pub accounting_sha256: Digest,
    /// Digest of the expanded synthesis.
    pub synthesis_sha256: Digest,
}

/// A composed handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetRecap {
    page: Vec<Block>,
    incomplete: Vec<Code>,
    not_recapped: usize,
    evidence: SetEvidence,
}

impl SetRecap {
    /// The blocks of the page in order.
    pub fn page(&self) -> &[Block] {
        &self.page
    }

    /// The document in Markdown. The same inputs give the same bytes.
    pub fn markdown(&self) -> String {
        markdown(&self.page)
    }

    /// Words of the visible text: the number that the cap holds for.
    pub fn word_count(&self) -> usize {
        words(&visible_text(&self.page))
    }

    /// Why the handoff is incomplete; empty when it is not.
    pub fn incomplete(&self) -> &[Code] {
        &self.incomplete
    }

    /// Members without a valid synthesis.
    pub const fn not_recapped(&self) -> usize {
        self.not_recapped
    }

    /// What everything rests on: private, beside the handoff.
    pub const fn evidence(&self) -> &SetEvidence {
        &self.evidence
    }
}

/// Composes a handoff. `parts` are in the order of the set's members.
pub fn compose_set(basis: &Basis<'_>, parts: &[MemberPart], handoff: &Handoff) -> SetRecap {
    let set = basis.set;
    let numbers: BTreeMap<BoundaryId, usize> =
        set.members.iter().enumerate().map(|(place, member)| (member.boundary, place + 1)).collect();
    let not_recapped = parts.iter().filter(|part| part.recap.is_none()).count();
    let incomplete = codes(set, parts, handoff.blocked_evidence());
    let mut page = vec![
        Block::Notice([notice(set, parts, &incomplete, not_recapped), vec![Span::Own(CAUTION)]]),
        Block::Title(title(set, &numbers)),
        Block::Heading("Scope and coverage"),
    ];
    page.extend(scope(basis, &numbers, not_recapped).into_iter().map(Block::Entry));
    page.push(Block::Heading("Members"));
    for (member, part) in set.members.iter().zip(parts) {
        let number = numbers.get(&member.boundary).copied().unwrap_or_default();
        page.push(Block::Part(vec![
            Span::text(number),
            Span::Own(" "),
            Span::Own(member.kind.name()),
            Span::Own(" "),
            Span::code(member.boundary),
        ]));
        push_member(&mut page, part);
    }
    page.push(Block::Heading("What passed between them"));
    let told = set.edges.iter().zip(handoff.items());
    page.extend(told.clone().map(|(edge, item)| Block::Entry(told_edge(edge, item, basis, &numbers))));
    if set.edges.is_empty() {
        page.push(Block::Paragraph(vec![Span::Own("No relation to another session.")]));
    }
    let evidence = SetEvidence {
        schema_version: SET_EVIDENCE_SCHEMA,
        set_sha256: basis.set_sha256,
        edges_file_sha256: handoff.file_sha256(),
        members: set
            .members
            .iter()
            .zip(parts)
            .map(|(member, part)| MemberEvidence {
                boundary: member.boundary,
                manifest_sha256: member.manifest_sha256,
                accounting_sha256: part.recap.as_ref().map(|recap| recap.accounting_sha256),
                synthesis_sha256: part.recap.as_ref().map(|recap| recap.synthesis_sha256),
            })
            .collect(),
        edges: told.map(|(edge, item)| edge_evidence(edge, item, basis)).collect(),
    };
    SetRecap { page, incomplete, not_recapped, evidence }
}

/// Everything that makes a member's evidence less than whole, and that somebody was left out.
fn codes(set: &Set, parts: &[MemberPart], blocked: bool) -> Vec<Code> {
    let mut codes: BTreeSet<Code> = BTreeSet::new();
    for part in parts {
        codes.extend(incomplete(&part.manifest, false));
        codes.extend(part.recap.iter().flat_map(|recap| recap.recap.incomplete()));
    }
    if blocked {
        codes.insert(Code::RedactionBlocksEvidence);
    }
    if !set.left_out.is_empty() {
        codes.insert(Code::RelativesLeftOut);
    }
    codes.into_iter().collect()
}

fn notice(set: &Set, parts: &[MemberPart], incomplete: &[Code], not_recapped: usize) -> Vec<Span> {
    let live = parts.iter().filter(|part| part.manifest.source.live).count();
    let mut spans = Vec::new();
    if !incomplete.is_empty() {
        spans.push(Span::Own("INCOMPLETE: "));
        push_list(&mut spans, incomplete.iter().map(|code| vec![Span::Own(code.as_str())]));
    } else if live > 0 {
        spans.push(Span::Own("SNAPSHOT of "));
        push_number(&mut spans, live, [" live session", " live sessions"]);
    } else {
        spans.push(Span::Own("COMPLETE transcripts of "));
        push_number(&mut spans, parts.len(), [" session", " sessions"]);
    }
    if !set.left_out.is_empty() {
        spans.push(Span::Own("; "));
        push_number(&mut spans, set.left_out.len(), [" relative left out", " relatives left out"]);
    }
    if not_recapped > 0 {
        spans.push(Span::Own("; "));
        push_number(&mut spans, not_recapped, [" session not recapped", " sessions not recapped"]);
    }
    if parts.iter().filter_map(|part| part.recap.as_ref()).any(|recap| recap.recap.attempts_were_reset()) {
        spans.push(Span::Own("; attempts were reset"));
    }
    spans
}

fn push_number(spans: &mut Vec<Span>, number: usize, [one, many]: [&'static str; 2]) {
    spans.extend([Span::text(number), Span::Own(if number == 1 { one } else { many })]);
}

fn title(set: &Set, numbers: &BTreeMap<BoundaryId, usize>) -> Vec<Span> {
    let mut spans = vec![Span::Own("Handoff of ")];
    push_number(&mut spans, numbers.len(), [" session around ", " sessions around "]);
    spans.push(Span::code(set.selected));
    spans
}

fn scope(basis: &Basis<'_>, numbers: &BTreeMap<BoundaryId, usize>, not_recapped: usize) -> Vec<Vec<Span>> {
    let set = basis.set;
    let mut kinds: BTreeMap<&'static str, u64> = BTreeMap::new();
    for member in &set.members {
        *kinds.entry(member.kind.name()).or_default() += 1;
    }
    let mut members = vec![Span::Own("Members: "), Span::text(set.members.len()), Span::Own(" (")];
    push_list(
        &mut members,
        kinds.iter().map(|(kind, count)| vec![Span::Own(kind), Span::Own(" "), Span::text(count)]),
    );
    members.push(Span::Own(")"));
    if not_recapped > 0 {
        members.extend([Span::Own("; not recapped: "), Span::text(not_recapped)]);
    }
    let count = |kind| set.edges.iter().filter(|edge| edge.kind == kind).count();
    let mut lines = vec![
        vec![
            Span::Own("Selected: "),
            Span::text(numbers.get(&set.selected).copied().unwrap_or_default()),
            Span::Own("; followed: "),
            Span::Own(match (set.follows.children, set.follows.chain) {
                (true, true) => "children and chain",
                (true, false) => "children",
                (false, _) => "chain",
            }),
        ],
        members,
        vec![
            Span::Own("Relations, all proven: child "),
            Span::text(count(EdgeType::Child)),
            Span::Own(", continuation "),
            Span::text(count(EdgeType::Continuation)),
        ],
        left_out(set),
    ];
    if !set.limitations.is_empty() {
        let mut spans = vec![Span::Own("Limitations: ")];
        push_list(
            &mut spans,
            set.limitations
                .iter()
                .map(|(code, count)| vec![Span::Own(code.as_str()), Span::Own(" "), Span::text(count)]),
        );
        lines.push(spans);
    }
    lines.push(vec![Span::Own("Bound to set "), Span::code(basis.set_sha256)]);
    lines
}

fn left_out(set: &Set) -> Vec<Span> {
    let mut spans = vec![Span::Own("Left out: ")];
    if set.left_out.is_empty() {
        spans.push(Span::Own("nobody"));
    }
    let shown = Shown::of(&set.left_out, RENDER_CITED);
    push_list(
        &mut spans,
        shown.first.into_iter().map(|left| {
            let why = if left.missing { " (no transcript)" } else { " (not wanted)" };
            vec![Span::code(left.boundary), Span::Own(why)]
        }),
    );
    push_more(&mut spans, shown.more, [" relative", " relatives"]);
    spans
}

fn push_member(page: &mut Vec<Block>, part: &MemberPart) {
    let Some(MemberRecap { recap, .. }) = &part.recap else {
        page.push(Block::Paragraph(vec![
            Span::Own("Not recapped. Events: "),
            Span::text(part.manifest.ledger.state.size),
        ]));
        return;
    };
    page.push(Block::Paragraph(statement(recap.headline())));
    page.extend(recap.ending().map(|line| Block::Entry(statement(line))));
}

/// Which two members, of which kind and proven by what; then the author's words and where they come from.
fn told_edge(
    edge: &Edge,
    item: &EdgeItem,
    basis: &Basis<'_>,
    numbers: &BTreeMap<BoundaryId, usize>,
) -> Vec<Span> {
    let number = |end: &BoundaryId| numbers.get(end).copied().unwrap_or_default();
    let (from, to) = (number(&edge.from), number(&edge.to));
    let mut spans = vec![
        Span::Strong(Plain::of(&format!("{from} to {to}"))),
        Span::Own(match edge.kind {
            EdgeType::Child => " (child): ",
            EdgeType::Continuation => " (continuation): ",
        }),
        Span::Text(Plain::of(&item.summary)),
    ];
    if let Some(caveat) = &item.caveat {
        spans.extend([Span::Own(" Caveat: "), Span::Text(Plain::of(caveat))]);
    }
    spans.extend([
        Span::Own(" ("),
        Span::text(label(item.source_label)),
        Span::Own("; "),
        Span::code(&edge.id),
    ]);
    for (end, events) in cited(edge, item, basis) {
        let runs = exact_ranges(&ordinals(&events));
        let shown = Shown::of(runs, RENDER_CITED);
        let listed: u64 = shown.first.iter().map(|run| run.last - run.first + 1).sum();
        spans.extend([Span::Own("; "), Span::text(number(&end))]);
        push_ranges(&mut spans, " ", &shown.first, (events.len() as u64).saturating_sub(listed));
    }
    spans.push(Span::Own(")"));
    spans
}

fn cited(edge: &Edge, item: &EdgeItem, basis: &Basis<'_>) -> Vec<(BoundaryId, Vec<EventId>)> {
    let held = ends_of(item, edge, basis);
    let of = |end: BoundaryId| Some((end, held.get(&end)?.iter().copied().collect()));
    [edge.from, edge.to].into_iter().filter_map(of).collect()
}

fn edge_evidence(edge: &Edge, item: &EdgeItem, basis: &Basis<'_>) -> EdgeEvidence {
    let held = ends_of(item, edge, basis);
    let of = |end: BoundaryId| held.get(&end).into_iter().flatten().copied().collect();
    EdgeEvidence { edge_id: edge.id.clone(), from_event_ids: of(edge.from), to_event_ids: of(edge.to) }
}

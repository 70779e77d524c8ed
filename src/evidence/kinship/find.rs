//! From what transcripts say to a set: follows children, continuations or both from the selected session, and refuses
//! whatever is missing, unclear, unsafe or in a circle. It opens nothing: where it has to know more of a transcript than
//! its ends, it says so and is asked again.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{check, order, sort_edges};
use super::said::Heard;
use super::search::{Search, Wanted};
use super::set::{Edge, EdgeType, Grade, LeftOut, edge_id};
use crate::base::ids::{BoundaryId, Harness};
use crate::base::limits::SET_MEMBERS;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// The answer.
#[derive(Debug)]
pub enum Found {
    /// These transcripts must be heard whole first, as indexes of what was heard.
    NeedsWhole(BTreeSet<usize>),
    /// Everything that belongs together.
    Kin(Kin),
}

/// Everything that belongs together, by every rule.
#[derive(Debug)]
pub struct Kin {
    /// Members in graph order, as indexes of what was heard.
    pub members: Vec<usize>,
    /// Edges in the order of their ends.
    pub edges: Vec<Edge>,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
    /// Reports of children that have no id.
    pub nameless: u64,
}

/// Looks for everything that belongs to the selected session.
///
/// # Errors
/// `set-relation-missing`, `-ambiguous`, `-duplicate`, `-self`, `-loop`, `-unsafe`, `set-too-large`,
/// `set-without-unknown`.
pub fn find(heard: &[Heard], wanted: &Wanted<'_>) -> Result<Found> {
    let mut search = Search::new(heard, wanted);
    search.visit(wanted.selected);
    while let Some(member) = search.queue.pop() {
        look_around(&mut search, member)?;
        if search.members.len() > SET_MEMBERS {
            return Err(Refusal::new(Code::SetTooLarge));
        }
    }
    if !search.needs.is_empty() {
        return Ok(Found::NeedsWhole(search.needs));
    }
    finish(search).map(Found::Kin)
}

fn look_around(search: &mut Search<'_>, member: usize) -> Result<()> {
    let Some(heard) = search.of(member) else { return Ok(()) };
    if !search.is_whole(member) {
        return Ok(());
    }
    if heard.too_many {
        return Err(Refusal::new(Code::SetTooLarge).at(heard.boundary()));
    }
    if heard.said.iter().any(|said| !said.relation.native().is_safe()) {
        return Err(Refusal::new(Code::SetRelationUnsafe).at(heard.boundary()));
    }
    let harness = heard.identity.harness;
    if search.wanted.follows.children {
        match harness {
            Harness::Claude => search.children_of_session(member)?,
            Harness::Codex => search.children_of_thread(member)?,
        }
    }
    if search.wanted.follows.chain {
        search.origins(member, None)?;
        search.successors(member)?;
    }
    Ok(())
}

fn finish(mut search: Search<'_>) -> Result<Kin> {
    if let Some(unused) = search.wanted.without.iter().find(|id| !search.used.contains(id.as_str())) {
        let known = BoundaryId::parse(unused).map_or_else(|| "a native id".to_owned(), |id| id.to_string());
        return Err(Refusal::new(Code::SetWithoutUnknown).at(known));
    }
    drop_older_origins(&mut search);
    let mut edges: Vec<Edge> = Vec::new();
    for ((from, to, kind), proven) in &search.edges {
        let (Some(from), Some(to)) = (search.boundary(*from), search.boundary(*to)) else { continue };
        let proof = proven.values().copied().collect();
        edges.push(Edge {
            id: edge_id(from, to, *kind),
            from,
            to,
            kind: *kind,
            grade: Grade::Proven,
            inherited: None,
            proof,
        });
    }
    let boundaries: Vec<BoundaryId> =
        search.members.iter().filter_map(|index| search.boundary(*index)).collect();
    let selected =
        search.boundary(search.wanted.selected).ok_or_else(|| Refusal::new(Code::SessionNotFound))?;
    check(selected, &boundaries, &edges)?;
    let ordered = order(&boundaries, &edges);
    sort_edges(&ordered, &mut edges);
    let index: BTreeMap<BoundaryId, usize> =
        search.members.iter().filter_map(|index| Some((search.boundary(*index)?, *index))).collect();
    let nameless =
        search.members.iter().filter_map(|index| search.of(*index)).map(|heard| heard.nameless).sum();
    Ok(Kin {
        members: ordered.iter().filter_map(|boundary| index.get(boundary).copied()).collect(),
        edges,
        left_out: search.left_out.into_values().collect(),
        nameless,
    })
}

/// A copy of a copy names both origins: the one that the other itself continues is no second one.
fn drop_older_origins(search: &mut Search<'_>) {
    let kept = search.edges.clone();
    let into = |to: usize| {
        kept.keys()
            .filter(move |(_, end, kind)| *end == to && *kind == EdgeType::Continuation)
            .map(|(from, ..)| *from)
    };
    let is_above = |older: usize, newer: usize| {
        let (mut seen, mut at) = (BTreeSet::new(), vec![newer]);
        while let Some(index) = at.pop() {
            for origin in into(index).filter(|_| index != older) {
                if origin == older {
                    return true;
                }
                if seen.insert(origin) {
                    at.push(origin);
                }
            }
        }
        false
    };
    search.edges.retain(|(from, to, kind), _| {
        let others = into(*to).filter(|other| other != from);
        *kind != EdgeType::Continuation
            || !others.into_iter().any(|other| is_above(*from, other) && !is_above(other, *from))
    });
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;

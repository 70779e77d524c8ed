//! The rules that members and edges of a set keep, whoever put them together: no edge leads back, none stands twice,
//! nothing has two parents, everything hangs on the selected member.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::set::{Edge, EdgeType, edge_id};
use crate::base::ids::BoundaryId;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Holds members and edges against every rule.
///
/// # Errors
/// `set-relation-self`, `set-relation-duplicate`, `set-relation-missing` for an end that is no member,
/// `set-relation-ambiguous` for two parents or two origins, `set-relation-loop`, `set-member-unreachable`,
/// `set-edge-unproven`.
pub fn check(selected: BoundaryId, members: &[BoundaryId], edges: &[Edge]) -> Result<()> {
    let known: BTreeSet<BoundaryId> = members.iter().copied().collect();
    if known.len() < members.len() {
        return Err(Refusal::new(Code::SetRelationDuplicate).at("members"));
    }
    let mut ids = BTreeSet::new();
    let mut into = BTreeSet::new();
    for edge in edges {
        let refuse = |code| Err(Refusal::new(code).at(&edge.id));
        if edge.from == edge.to {
            return refuse(Code::SetRelationSelf);
        }
        if edge.proof.is_empty() || edge.id != edge_id(edge.from, edge.to, edge.kind) {
            return refuse(Code::SetEdgeUnproven);
        }
        if !ids.insert((edge.from, edge.to)) {
            return refuse(Code::SetRelationDuplicate);
        }
        if !known.contains(&edge.from) || !known.contains(&edge.to) {
            return refuse(Code::SetRelationMissing);
        }
        if !into.insert((edge.to, edge.kind)) {
            return refuse(Code::SetRelationAmbiguous);
        }
    }
    if order(members, edges).len() < members.len() {
        return Err(Refusal::new(Code::SetRelationLoop));
    }
    match unreached(selected, members, edges) {
        None => Ok(()),
        Some(member) => Err(Refusal::new(Code::SetMemberUnreachable).at(member)),
    }
}

/// Members in graph order: each behind everything that begins it or that it continues, children in the order in which
/// their parents name them, each with its own children before the next. Members of a loop are left out.
pub fn order(members: &[BoundaryId], edges: &[Edge]) -> Vec<BoundaryId> {
    let mut waiting: HashMap<BoundaryId, usize> = HashMap::new();
    let mut below: HashMap<BoundaryId, Vec<(Place, BoundaryId)>> = HashMap::new();
    for edge in edges {
        *waiting.entry(edge.to).or_default() += 1;
        below.entry(edge.from).or_default().push((Place::of(edge), edge.to));
    }
    let free = |member: &&BoundaryId| !waiting.contains_key(*member);
    // The last is taken first, so that what was just set free goes on before what waited.
    let mut ready: Vec<BoundaryId> = members.iter().filter(free).copied().collect();
    ready.sort_unstable_by(|a, b| b.cmp(a));
    let mut ordered = Vec::with_capacity(members.len());
    while let Some(member) = ready.pop() {
        ordered.push(member);
        let mut next = below.remove(&member).unwrap_or_default();
        next.sort_unstable_by(|a, b| b.cmp(a));
        for (_, child) in next {
            let Some(left) = waiting.get_mut(&child) else { continue };
            *left -= 1;
            if *left == 0 {
                ready.push(child);
            }
        }
    }
    ordered
}

/// Edges sorted by the places of their ends in the order of the members.
pub fn sort_edges(members: &[BoundaryId], edges: &mut [Edge]) {
    let places: BTreeMap<BoundaryId, usize> =
        members.iter().enumerate().map(|(place, member)| (*member, place)).collect();
    let place = |member: &BoundaryId| places.get(member).copied().unwrap_or(usize::MAX);
    edges.sort_by_key(|edge| (place(&edge.to), place(&edge.from), edge.kind));
}

/// Where the parent names the child first; what it does not name comes behind, by boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place(EdgeType, u64);

impl Place {
    fn of(edge: &Edge) -> Self {
        let named = edge.proof.iter().filter(|proof| proof.side == super::set::Side::From);
        let first = named.filter_map(|proof| proof.record).map(|record| record.offset).min();
        Self(edge.kind, first.unwrap_or(u64::MAX))
    }
}

fn unreached(selected: BoundaryId, members: &[BoundaryId], edges: &[Edge]) -> Option<BoundaryId> {
    let mut beside: HashMap<BoundaryId, Vec<BoundaryId>> = HashMap::new();
    for edge in edges {
        beside.entry(edge.from).or_default().push(edge.to);
        beside.entry(edge.to).or_default().push(edge.from);
    }
    let mut reached = BTreeSet::from([selected]);
    let mut at = vec![selected];
    while let Some(member) = at.pop() {
        at.extend(beside.get(&member).into_iter().flatten().filter(|next| reached.insert(**next)));
    }
    if !members.contains(&selected) {
        return Some(selected);
    }
    members.iter().find(|member| !reached.contains(member)).copied()
}

#[cfg(test)]
mod tests {
    use super::{BoundaryId, Code, Edge, EdgeType, check, edge_id, order};
    use crate::base::ids::Harness;
    use crate::evidence::event::line::RecordSpan;
    use crate::evidence::kinship::said::By;
    use crate::evidence::kinship::set::{Grade, Proof, Side};

    fn id(name: &str) -> BoundaryId {
        BoundaryId::derive(Harness::Claude, name, None, None)
    }

    fn edge(from: &str, to: &str, kind: EdgeType, offset: u64) -> Edge {
        let (from, to) = (id(from), id(to));
        let record = Some(RecordSpan { offset, length: 1 });
        let proof = vec![Proof { by: By::ResultAgentId, side: Side::From, record }];
        Edge { id: edge_id(from, to, kind), from, to, kind, grade: Grade::Proven, inherited: None, proof }
    }

    fn verdict(members: &[&str], edges: &[Edge]) -> Option<Code> {
        let members: Vec<BoundaryId> = members.iter().map(|name| id(name)).collect();
        check(id("a"), &members, edges).err().map(|refusal| refusal.code())
    }

    #[test]
    fn a_tree_with_a_continuation_is_a_set() {
        let edges = [
            edge("a", "b", EdgeType::Child, 5),
            edge("b", "c", EdgeType::Child, 0),
            edge("z", "a", EdgeType::Continuation, 0),
            // A child can also continue another session: that is a parent and an origin, not two parents.
            edge("z", "c", EdgeType::Continuation, 9),
        ];
        assert_eq!(verdict(&["a", "b", "c", "z"], &edges), None);
        assert_eq!(verdict(&["a"], &[]), None);
    }

    #[test]
    fn each_broken_relation_has_its_own_code() {
        let child = |from, to| edge(from, to, EdgeType::Child, 0);
        assert_eq!(verdict(&["a", "a"], &[]), Some(Code::SetRelationDuplicate));
        assert_eq!(verdict(&["a"], &[child("a", "a")]), Some(Code::SetRelationSelf));
        assert_eq!(
            verdict(&["a", "b"], &[child("a", "b"), child("a", "b")]),
            Some(Code::SetRelationDuplicate)
        );
        let both = [child("a", "b"), edge("a", "b", EdgeType::Continuation, 0)];
        assert_eq!(verdict(&["a", "b"], &both), Some(Code::SetRelationDuplicate));
        assert_eq!(verdict(&["a"], &[child("a", "b")]), Some(Code::SetRelationMissing));
        assert_eq!(verdict(&["a"], &[child("b", "a")]), Some(Code::SetRelationMissing));
        let two = [child("a", "b"), child("a", "c"), child("b", "d"), child("c", "d")];
        assert_eq!(verdict(&["a", "b", "c", "d"], &two), Some(Code::SetRelationAmbiguous));
        assert_eq!(verdict(&["a", "b"], &[child("a", "b"), child("b", "a")]), Some(Code::SetRelationLoop));
        assert_eq!(verdict(&["a", "b"], &[]), Some(Code::SetMemberUnreachable));
        assert_eq!(verdict(&["b"], &[]), Some(Code::SetMemberUnreachable));
        let mut unproven = child("a", "b");
        unproven.proof.clear();
        assert_eq!(verdict(&["a", "b"], &[unproven]), Some(Code::SetEdgeUnproven));
        let other = Edge { id: edge_id(id("a"), id("c"), EdgeType::Child), ..child("a", "b") };
        assert_eq!(verdict(&["a", "b"], &[other]), Some(Code::SetEdgeUnproven));
    }

    #[test]
    fn order_follows_the_places_where_children_are_named() {
        let edges = [
            edge("a", "late", EdgeType::Child, 50),
            edge("a", "early", EdgeType::Child, 10),
            edge("early", "inner", EdgeType::Child, 99),
            edge("z", "a", EdgeType::Continuation, 70),
        ];
        let members = ["a", "early", "inner", "late", "z"].map(id);
        let mut backwards = members;
        backwards.reverse();
        let expected = ["z", "a", "early", "inner", "late"].map(id);
        assert_eq!(order(&members, &edges), expected);
        assert_eq!(order(&backwards, &edges), expected);
    }
}

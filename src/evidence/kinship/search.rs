//! A search while it runs: what was heard, by every name it can be called, and the rules of a single relation: it leads to
//! one transcript, to none that was left out, and never to itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::said::{By, Heard, Native, Said};
use super::set::{EdgeType, Follows, LeftOut, Proof, Side};
use crate::base::ids::{BoundaryId, Harness};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'w> {
    /// The selected session, as an index of what was heard.
    pub selected: usize,
    /// Which relations to follow.
    pub follows: Follows,
    /// Boundary ids or native ids that a person leaves out.
    pub without: &'w [String],
}

/// An edge in the making: what proves it so far.
pub(super) type Proven = BTreeMap<(By, Side), Proof>;

/// The parents that are named for a child, with what proves each.
pub(super) type Parents = BTreeMap<usize, Vec<Proof>>;

/// The children that hang on each transcript of a tree of agents, each with all of its parents.
pub(super) type Tree = BTreeMap<usize, Vec<(usize, Parents)>>;

pub(super) struct Search<'s> {
    pub(super) heard: &'s [Heard],
    pub(super) wanted: &'s Wanted<'s>,
    pub(super) by_session: HashMap<(&'s str, Option<&'s str>), Vec<usize>>,
    pub(super) by_thread: HashMap<&'s str, Vec<usize>>,
    pub(super) by_rollout: HashMap<&'s str, Vec<usize>>,
    pub(super) trees: HashMap<&'s str, Rc<Tree>>,
    pub(super) queue: Vec<usize>,
    pub(super) members: BTreeSet<usize>,
    pub(super) needs: BTreeSet<usize>,
    pub(super) edges: BTreeMap<(usize, usize, EdgeType), Proven>,
    pub(super) left_out: BTreeMap<BoundaryId, LeftOut>,
    pub(super) used: BTreeSet<&'s str>,
}

impl<'s> Search<'s> {
    pub(super) fn new(heard: &'s [Heard], wanted: &'s Wanted<'s>) -> Self {
        let mut search = Self {
            heard,
            wanted,
            by_session: HashMap::new(),
            by_thread: HashMap::new(),
            by_rollout: HashMap::new(),
            trees: HashMap::new(),
            queue: Vec::new(),
            members: BTreeSet::new(),
            needs: BTreeSet::new(),
            edges: BTreeMap::new(),
            left_out: BTreeMap::new(),
            used: BTreeSet::new(),
        };
        for (index, one) in heard.iter().enumerate() {
            let identity = &one.identity;
            let session = identity.session.as_str();
            search.by_session.entry((session, identity.agent.as_deref())).or_default().push(index);
            search.by_thread.entry(session).or_default().push(index);
            let rollout = identity.rollout.as_deref().unwrap_or(session);
            search.by_rollout.entry(rollout).or_default().push(index);
        }
        search
    }

    pub(super) fn of(&self, index: usize) -> Option<&'s Heard> {
        self.heard.get(index)
    }

    pub(super) fn boundary(&self, index: usize) -> Option<BoundaryId> {
        self.of(index).map(Heard::boundary)
    }

    pub(super) fn visit(&mut self, index: usize) {
        if self.members.insert(index) {
            self.queue.push(index);
        }
    }

    /// Whether all of a transcript was heard; if not, it is asked for.
    pub(super) fn is_whole(&mut self, index: usize) -> bool {
        let whole = self.of(index).is_some_and(|heard| heard.whole);
        if !whole {
            self.needs.insert(index);
        }
        whole
    }

    pub(super) fn all_whole(&mut self, indexes: &[usize]) -> bool {
        // All of them are asked for at once.
        indexes.iter().filter(|index| !self.is_whole(**index)).count() == 0
    }

    /// The one transcript that a relation of `member` leads to; `None` when it was left out.
    pub(super) fn only(
        &mut self,
        member: usize,
        files: &[usize],
        named: &Native,
        kind: EdgeType,
    ) -> Result<Option<usize>> {
        let at = self.name_of(files, named, member);
        if self.leave_out(member, named, files, at, kind) {
            return Ok(None);
        }
        match files {
            [] => Err(Refusal::new(Code::SetRelationMissing).at(at)),
            [only] => Ok(Some(*only)),
            [first, rest @ ..] => {
                let twins = rest.iter().all(|other| self.boundary(*other) == self.boundary(*first));
                let code = if twins { Code::SetRelationDuplicate } else { Code::SetRelationAmbiguous };
                Err(Refusal::new(code).at(at))
            }
        }
    }

    /// The boundary that a relation names. A rollout alone does not say of which thread it is: its own id is the
    /// thread's, unless the thread was reverted before.
    pub(super) fn name_of(&self, files: &[usize], named: &Native, member: usize) -> BoundaryId {
        let harness = self.of(member).map_or(Harness::Claude, |heard| heard.identity.harness);
        let known = files.first().and_then(|index| self.boundary(*index));
        known.unwrap_or_else(|| match named {
            Native::Agent { session, agent } => BoundaryId::derive(harness, session, Some(agent), None),
            Native::Session(id) | Native::Rollout(id) | Native::HolderOf(id) => {
                BoundaryId::derive(harness, id, None, None)
            }
        })
    }

    /// True when a person left the named session out; it is noted.
    pub(super) fn leave_out(
        &mut self,
        member: usize,
        named: &Native,
        files: &[usize],
        at: BoundaryId,
        kind: EdgeType,
    ) -> bool {
        let native = match named {
            Native::Agent { agent, .. } => agent.as_str(),
            Native::Session(id) | Native::Rollout(id) | Native::HolderOf(id) => id.as_str(),
        };
        let of_file = |file: &usize| self.of(*file).map(|heard| &heard.identity);
        let (text, hex) = (at.to_string(), at.hex());
        let without = self.wanted.without.iter().find(|id| {
            // A child is also called by the name of its file, which is how its harness's commands name it.
            let bare = id.strip_prefix("agent-").unwrap_or(id);
            let names_file = files.iter().filter_map(of_file).any(|identity| {
                identity.agent.as_deref().or(identity.rollout.as_deref()) == Some(bare)
                    || (identity.agent.is_none() && identity.session == **id)
            });
            **id == text || **id == hex || id.as_str() == native || bare == native || names_file
        });
        let (Some(without), Some(named_by)) = (without, self.boundary(member)) else { return false };
        self.used.insert(without);
        let missing = files.is_empty();
        self.left_out.entry(at).or_insert(LeftOut { boundary: at, named_by, kind, missing });
        true
    }

    /// Adds an edge and goes on to its other end, unless that was left out.
    pub(super) fn edge(
        &mut self,
        from: usize,
        to: usize,
        kind: EdgeType,
        proof: impl IntoIterator<Item = Proof>,
    ) -> Result<()> {
        if self.boundary(from) == self.boundary(to) {
            let code = if from == to { Code::SetRelationSelf } else { Code::SetRelationDuplicate };
            return Err(
                Refusal::new(code).at(self.boundary(to).map_or_else(String::new, |id| id.to_string()))
            );
        }
        let proven = self.edges.entry((from, to, kind)).or_default();
        for proof in proof {
            let slot = proven.entry((proof.by, proof.side)).or_insert(proof);
            // A transcript that was heard whole knows the place.
            slot.record = slot.record.or(proof.record);
        }
        self.visit(from);
        self.visit(to);
        Ok(())
    }

    pub(super) fn ambiguous(&self, index: usize) -> Refusal {
        let at = self.boundary(index).map_or_else(String::new, |id| id.to_string());
        Refusal::new(Code::SetRelationAmbiguous).at(at)
    }
}

/// A file beside the child's transcript is on neither side.
pub(super) const fn side_of_child(said: &Said) -> Side {
    if matches!(said.by, By::MetaFile) { Side::Beside } else { Side::To }
}

pub(super) const fn proof(said: &Said, side: Side) -> Proof {
    let side = if matches!(said.by, By::MetaFile) { Side::Beside } else { side };
    Proof { by: said.by, side, record: said.record }
}

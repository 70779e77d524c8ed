//! Whose child an agent of Claude Code is. The file beside the child and the row of a call name the parent; the session on
//! the child's own rows names its tree.

use std::collections::HashMap;
use std::rc::Rc;

use super::said::{Heard, Native, Relation};
use super::search::{Parents, Search, Tree, proof, side_of_child};
use super::set::{EdgeType, Proof, Side};
use crate::base::Result;

impl<'s> Search<'s> {
    /// Adds the children of a session or of an agent, and expects every agent that it names.
    pub(super) fn children_of_session(&mut self, member: usize) -> Result<()> {
        let Some(heard) = self.of(member) else { return Ok(()) };
        let session = heard.identity.session.as_str();
        let Some(tree) = self.tree(session) else { return Ok(()) };
        for (child, parents) in tree.get(&member).into_iter().flatten() {
            let Some(agent) = self.of(*child).and_then(|child| child.identity.agent.as_deref()) else {
                continue;
            };
            let files = self.by_session.get(&(session, Some(agent))).cloned().unwrap_or_default();
            let named = Native::Agent { session: session.to_owned(), agent: agent.to_owned() };
            if self.only(member, &files, &named, EdgeType::Child)?.is_none() {
                continue;
            }
            if parents.len() > 1 {
                return Err(self.ambiguous(*child));
            }
            self.edge(member, *child, EdgeType::Child, parents.values().flatten().copied())?;
        }
        self.expected_agents(member, heard)
    }

    /// Everybody's children in the tree of a session; `None` while some of it was not heard whole.
    fn tree(&mut self, session: &'s str) -> Option<Rc<Tree>> {
        if let Some(tree) = self.trees.get(session) {
            return Some(Rc::clone(tree));
        }
        let files = self.by_thread.get(session).cloned().unwrap_or_default();
        if !self.all_whole(&files) {
            return None;
        }
        let begun = self.begun_in(&files);
        let mut tree = Tree::new();
        for child in files.iter().copied() {
            let Some(agent) = self.of(child).and_then(|child| child.identity.agent.as_deref()) else {
                continue;
            };
            let parents = self.parents_of(child, &files, begun.get(agent).map_or(&[], Vec::as_slice));
            for parent in parents.keys().copied().filter(|parent| *parent != child) {
                tree.entry(parent).or_default().push((child, parents.clone()));
            }
        }
        let tree = Rc::new(tree);
        self.trees.insert(session, Rc::clone(&tree));
        Some(tree)
    }

    /// Who of a tree says that it began which agent.
    fn begun_in(&self, tree: &[usize]) -> HashMap<&'s str, Vec<(usize, Proof)>> {
        let mut begun: HashMap<&'s str, Vec<(usize, Proof)>> = HashMap::new();
        for index in tree.iter().copied() {
            for said in self.of(index).into_iter().flat_map(|heard| &heard.said) {
                if let Relation::Began(Native::Agent { agent, .. }) = &said.relation {
                    begun.entry(agent).or_default().push((index, proof(said, Side::From)));
                }
            }
        }
        begun
    }

    /// The parents that are named for a child, with what proves each. The file beside the child and the row of a call
    /// name the parent itself; the session on the child's rows only its tree, whose root is the parent unless another
    /// one is named.
    fn parents_of(&self, child: usize, tree: &[usize], begun: &[(usize, Proof)]) -> Parents {
        let mut parents = Parents::new();
        let Some(heard) = self.of(child) else { return parents };
        for (parent, proof) in begun {
            parents.entry(*parent).or_default().push(*proof);
        }
        let mut elsewhere = false;
        for said in &heard.said {
            if let Relation::BegunBy(Native::Agent { session, agent }) = &said.relation {
                let files = self.by_session.get(&(session.as_str(), Some(agent.as_str())));
                elsewhere |= files.is_none();
                for parent in files.into_iter().flatten() {
                    parents.entry(*parent).or_default().push(proof(said, side_of_child(said)));
                }
            }
        }
        let root = |index: &&usize| self.of(**index).is_some_and(|heard| heard.identity.agent.is_none());
        for root in tree.iter().filter(root) {
            let is_parent = parents.contains_key(root) || (parents.is_empty() && !elsewhere);
            if !is_parent {
                continue;
            }
            let within = heard.said.iter().filter(|said| matches!(said.relation, Relation::Within(_)));
            let proofs: Vec<Proof> = within.map(|said| proof(said, side_of_child(said))).collect();
            let agent = heard.identity.agent.clone().unwrap_or_default();
            let knows = Relation::Knows(Native::Agent { session: heard.identity.session.clone(), agent });
            let notices = self.of(*root).into_iter().flat_map(|root| &root.said);
            let notices = notices.filter(|said| said.relation == knows).map(|said| proof(said, Side::From));
            if !proofs.is_empty() || parents.contains_key(root) {
                parents.entry(*root).or_default().extend(proofs.into_iter().chain(notices));
            }
        }
        // A child that names another tree than its rows do has two.
        let session = heard.identity.session.as_str();
        let foreign = heard.said.iter().any(
            |said| matches!(&said.relation, Relation::Within(Native::Session(other)) if other != session),
        );
        if foreign {
            parents.entry(child).or_default();
        }
        parents
    }

    /// Every agent that a session names must be there, unless it is known to be another session's.
    fn expected_agents(&mut self, member: usize, heard: &'s Heard) -> Result<()> {
        for said in &heard.said {
            let (Relation::Began(named) | Relation::Knows(named)) = &said.relation else { continue };
            let Native::Agent { session, agent } = named else { continue };
            let files = self.by_session.get(&(session.as_str(), Some(agent.as_str()))).cloned();
            if files.is_none() && !self.is_an_origins_child(heard, agent) {
                self.only(member, &[], named, EdgeType::Child)?;
            }
        }
        Ok(())
    }

    /// A copied history can name children beyond the copies that are marked; such a child's own rows carry the id of
    /// the session that was copied.
    fn is_an_origins_child(&self, heard: &Heard, agent: &str) -> bool {
        let mut origins = heard.said.iter().filter_map(|said| match &said.relation {
            Relation::Continues(Native::Session(origin)) => Some(origin.as_str()),
            _ => None,
        });
        origins.any(|origin| self.by_session.contains_key(&(origin, Some(agent))))
    }
}

//! What a session continues and what continues it: forks by copy and by reference, reverts, background copies, and
//! conversations that go on in another file.

use std::collections::BTreeSet;

use super::said::{By, Heard, Native, Relation, Said};
use super::search::{Search, proof};
use super::set::{EdgeType, Proof, Side};
use crate::base::Result;

impl<'s> Search<'s> {
    /// What a session continues. With `only_from`, edges from that one alone.
    pub(super) fn origins(&mut self, member: usize, only_from: Option<usize>) -> Result<()> {
        let Some(heard) = self.of(member) else { return Ok(()) };
        let continues: Vec<(&'s Said, &'s Native)> = heard
            .said
            .iter()
            .filter_map(|said| match &said.relation {
                Relation::Continues(native) => Some((said, native)),
                _ => None,
            })
            .collect();
        let named = |native: &Native| !matches!(native, Native::HolderOf(_));
        let is_told = continues.iter().any(|(_, native)| named(native));
        for (said, native) in &continues {
            let files = match native {
                Native::Session(session) => self.files_of_origin(session, &continues),
                Native::Rollout(rollout) => {
                    self.by_rollout.get(rollout.as_str()).cloned().unwrap_or_default()
                }
                Native::HolderOf(row) if !is_told => match self.holders(member, row) {
                    Some(files) if files.is_empty() => continue,
                    Some(files) => files,
                    None => return Ok(()),
                },
                Native::HolderOf(_) | Native::Agent { .. } => continue,
            };
            if only_from.is_some_and(|from| !files.contains(&from)) {
                continue;
            }
            let Some(origin) = self.only(member, &files, native, EdgeType::Continuation)? else { continue };
            self.continuation(origin, member, proof(said, Side::To))?;
        }
        if heard.copy && continues.is_empty() {
            self.root_of_copy(member, heard, only_from)?;
        }
        Ok(())
    }

    fn continuation(&mut self, from: usize, to: usize, proof: Proof) -> Result<()> {
        self.edge(from, to, EdgeType::Continuation, [proof])
    }

    /// A thread can have several files; where the fork also names one of them, that one is meant.
    fn files_of_origin(&self, session: &str, continues: &[(&'s Said, &'s Native)]) -> Vec<usize> {
        let files = match self.by_session.get(&(session, None)) {
            Some(files) if files.len() == 1 => files.clone(),
            _ => {
                let of_thread = self.by_thread.get(session).into_iter().flatten().copied();
                let is_session =
                    |index: &usize| self.of(*index).is_some_and(|heard| heard.identity.agent.is_none());
                of_thread.filter(is_session).collect()
            }
        };
        let based = continues.iter().filter_map(|(_, native)| match native {
            Native::Rollout(rollout) => self.by_rollout.get(rollout.as_str()),
            _ => None,
        });
        let bases: BTreeSet<usize> = based.flatten().copied().collect();
        let named: Vec<usize> = files.iter().copied().filter(|file| bases.contains(file)).collect();
        if files.len() > 1 && !named.is_empty() { named } else { files }
    }

    /// The sessions that hold a row as their own; `None` while some of them were not heard whole.
    fn holders(&mut self, member: usize, row: &str) -> Option<Vec<usize>> {
        let is_session = |index: &usize| {
            *index != member && self.of(*index).is_some_and(|heard| heard.identity.agent.is_none())
        };
        let sessions: Vec<usize> = (0..self.heard.len()).filter(is_session).collect();
        if !self.all_whole(&sessions) {
            return None;
        }
        let holds = |index: &usize| self.of(*index).is_some_and(|heard| heard.holds.contains(row));
        Some(sessions.into_iter().filter(holds).collect())
    }

    /// A marked copy that does not say of what: the one session that begins with the same row and is no copy.
    fn root_of_copy(&mut self, member: usize, heard: &'s Heard, only_from: Option<usize>) -> Result<()> {
        let Some(root) = heard.root.clone() else { return Ok(()) };
        let same = |index: &usize| {
            *index != member
                && self.of(*index).is_some_and(|other| {
                    !other.copy
                        && other.identity.agent.is_none()
                        && other.root.as_ref() == Some(&root)
                        && !other.said.iter().any(|said| matches!(said.relation, Relation::Continues(_)))
                })
        };
        let files: Vec<usize> = (0..self.heard.len()).filter(same).collect();
        if files.is_empty() || only_from.is_some_and(|from| !files.contains(&from)) {
            return Ok(());
        }
        let named = Native::HolderOf(root);
        let Some(origin) = self.only(member, &files, &named, EdgeType::Continuation)? else { return Ok(()) };
        self.continuation(
            origin,
            member,
            Proof { by: By::RootUuid, side: Side::To, record: heard.root_record },
        )
    }

    /// What continues a session: what it names itself, and every other one that names it.
    pub(super) fn successors(&mut self, member: usize) -> Result<()> {
        let Some(heard) = self.of(member) else { return Ok(()) };
        for said in &heard.said {
            let Relation::ContinuedIn(native @ Native::Session(next)) = &said.relation else { continue };
            let files = self.by_session.get(&(next.as_str(), None)).cloned().unwrap_or_default();
            let Some(next) = self.only(member, &files, native, EdgeType::Continuation)? else { continue };
            self.continuation(member, next, proof(said, Side::From))?;
        }
        for index in (0..self.heard.len()).filter(|index| *index != member) {
            let Some(other) = self.of(index) else { continue };
            self.continued_in(member, heard, index, other)?;
            if !self.may_continue(heard, other) {
                continue;
            }
            if self.is_left_out(member, index) || !self.is_whole(index) {
                continue;
            }
            self.origins(index, Some(member))?;
        }
        Ok(())
    }

    /// A session that says of itself that it goes on in this one.
    fn continued_in(
        &mut self,
        member: usize,
        heard: &'s Heard,
        index: usize,
        other: &'s Heard,
    ) -> Result<()> {
        if heard.identity.agent.is_some() {
            return Ok(());
        }
        let here = Relation::ContinuedIn(Native::Session(heard.identity.session.clone()));
        let Some(said) = other.said.iter().find(|said| said.relation == here) else { return Ok(()) };
        let named = Native::Session(other.identity.session.clone());
        if self.only(member, &[index], &named, EdgeType::Continuation)?.is_none() {
            return Ok(());
        }
        self.continuation(index, member, proof(said, Side::From))
    }

    fn is_left_out(&mut self, member: usize, index: usize) -> bool {
        let Some(heard) = self.of(index) else { return true };
        let named = Native::Session(heard.identity.session.clone());
        let at = heard.boundary();
        self.leave_out(member, &named, &[index], at, EdgeType::Continuation)
    }

    /// Whether the ends of a transcript allow that it continues this one.
    fn may_continue(&self, heard: &Heard, other: &Heard) -> bool {
        let own = &heard.identity;
        if own.agent.is_some() || other.identity.agent.is_some() {
            return false;
        }
        let rollout = own.rollout.as_deref().unwrap_or(&own.session);
        let names = other.said.iter().any(|said| match &said.relation {
            Relation::Continues(Native::Session(session)) => *session == own.session,
            Relation::Continues(Native::Rollout(base)) => base == rollout,
            _ => false,
        });
        let follows = other.follows.as_ref().is_some_and(|row| heard.holds.contains(row));
        names || follows || (other.copy && !heard.copy && other.root.is_some() && other.root == heard.root)
    }
}

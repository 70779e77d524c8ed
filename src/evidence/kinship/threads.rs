//! Whose child a thread of Codex is. Its own identity line names the parent's thread; lines of the parent name it in
//! most versions.

use super::said::{Native, Relation, Said};
use super::search::{Search, proof};
use super::set::{EdgeType, Side};
use crate::base::Result;

impl<'s> Search<'s> {
    /// Adds the children of a thread, and expects every thread that it names.
    pub(super) fn children_of_thread(&mut self, member: usize) -> Result<()> {
        let Some(heard) = self.of(member) else { return Ok(()) };
        let thread = heard.identity.session.as_str();
        let begun_by = Relation::BegunBy(Native::Session(thread.to_owned()));
        let children = (0..self.heard.len())
            .filter(|index| *index != member && self.of(*index).is_some_and(|child| child.says(&begun_by)));
        for child in children.collect::<Vec<_>>() {
            self.child_of_thread(member, child, &begun_by)?;
        }
        for said in &heard.said {
            let (Relation::Began(named) | Relation::Knows(named)) = &said.relation else { continue };
            self.named_thread(member, said, named)?;
        }
        Ok(())
    }

    /// A child names its parent's thread. Where that has several files, the one whose lines name the child is the
    /// parent.
    fn child_of_thread(&mut self, member: usize, child: usize, begun_by: &Relation) -> Result<()> {
        let (Some(parent), Some(heard)) = (self.of(member), self.of(child)) else { return Ok(()) };
        let named = Native::Session(heard.identity.session.clone());
        let names = |said: &&Said| matches!(&said.relation, Relation::Began(native) | Relation::Knows(native) if *native == named);
        let files = self.by_thread.get(parent.identity.session.as_str()).cloned().unwrap_or_default();
        if files.len() > 1 {
            if !self.all_whole(&files) {
                return Ok(());
            }
            let speaks =
                |index: &usize| self.of(*index).is_some_and(|file| file.said.iter().any(|said| names(&said)));
            let speakers: Vec<usize> = files.iter().copied().filter(speaks).collect();
            match speakers.as_slice() {
                [only] if *only == member => {}
                [_] => return Ok(()),
                _ if self.only(member, &[child], &named, EdgeType::Child)?.is_none() => return Ok(()),
                _ => return Err(self.ambiguous(child)),
            }
        }
        if self.only(member, &[child], &named, EdgeType::Child)?.is_none() {
            return Ok(());
        }
        let own =
            heard.said.iter().filter(|said| said.relation == *begun_by).map(|said| proof(said, Side::To));
        let told = parent.said.iter().filter(names).map(|said| proof(said, Side::From));
        self.edge(member, child, EdgeType::Child, own.chain(told).collect::<Vec<_>>())
    }

    /// A thread that a parent names: it must be there, and its own identity line decides whose child it is, if it says.
    fn named_thread(&mut self, member: usize, said: &'s Said, named: &'s Native) -> Result<()> {
        let Native::Session(thread) = named else { return Ok(()) };
        let files = self.by_thread.get(thread.as_str()).cloned().unwrap_or_default();
        let [first, ..] = files.as_slice() else {
            return self.only(member, &[], named, EdgeType::Child).map(|_| ());
        };
        let Some(child) = self.of(*first) else { return Ok(()) };
        let says_parent = child.said.iter().any(|said| matches!(said.relation, Relation::BegunBy(_)));
        let began = matches!(said.relation, Relation::Began(_));
        let Some(heard) = self.of(member) else { return Ok(()) };
        let own = Relation::BegunBy(Native::Session(heard.identity.session.clone()));
        if child.says(&own) || !began || self.is_of_an_origin(member, *first) {
            return Ok(());
        }
        let Some(only) = self.only(member, &files, named, EdgeType::Child)? else { return Ok(()) };
        if says_parent {
            return Err(self.ambiguous(only));
        }
        self.edge(member, only, EdgeType::Child, [proof(said, Side::From)])
    }

    /// A copied history can name children beyond the copies that are marked: the child then names the thread that was
    /// copied.
    fn is_of_an_origin(&self, member: usize, child: usize) -> bool {
        let (Some(heard), Some(child)) = (self.of(member), self.of(child)) else { return false };
        let mut origins = heard.said.iter().filter_map(|said| match &said.relation {
            Relation::Continues(native) => Some(native),
            _ => None,
        });
        origins.any(|origin| child.says(&Relation::BegunBy(origin.clone())))
    }
}

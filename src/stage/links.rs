//! How receipts belong to one another: stages that read and wrote the same artifacts are joined, and what two of them
//! say of one artifact must agree. It knows no file and no private document; receipts are not signed, so that it
//! finds what does not fit and cannot find what was made up to fit.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::receipts::Told;
use crate::base::digest::Digest;
use crate::base::ids::BoundaryId;
use crate::base::rules::Code;
use crate::report::findings::chain::Artifact;

/// What must be alike in all valid receipts that name the same artifact: digests first, then counts.
const FIXED: [(&str, &[&str], &[&str]); 5] = [
    ("manifest_sha256", &["ledger_root", "records_root"], &["events", "records"]),
    ("packets_sha256", &["ledger_root"], &["packets", "episodes", "repeat_groups"]),
    ("accounting_sha256", &["ledger_root"], &["claims", "low_signal_groups", "significant_events"]),
    ("synthesis_sha256", &["manifest_sha256", "accounting_sha256"], &[]),
    ("set_sha256", &[], &["members", "edges_child", "edges_continuation"]),
];

/// All receipts of a check, joined.
#[derive(Debug)]
pub struct Web {
    /// Artifacts with the receipts that name them.
    pub artifacts: Vec<Artifact>,
    /// For each receipt the first one of those that it is joined with.
    group: Vec<usize>,
}

impl Web {
    /// Joins receipts.
    pub fn of(receipts: &[Told]) -> Self {
        let artifacts = artifacts(receipts);
        let mut joined = Joined((0..receipts.len()).collect());
        for artifact in &artifacts {
            let named = artifact.written_by.iter().chain(&artifact.read_by).chain(&artifact.replaced_by);
            let named: Vec<usize> = named.copied().collect();
            for pair in named.windows(2) {
                if let [one, other] = pair {
                    joined.join(*one, *other);
                }
            }
        }
        let group = (0..receipts.len()).map(|number| joined.root(number)).collect();
        Self { artifacts, group }
    }

    /// Everything that does not fit, by receipt. `about` are the receipts that tell of the documents that are checked;
    /// without any, the others are held against the largest group.
    pub fn faults(&self, receipts: &[Told], about: &[usize]) -> BTreeSet<(usize, Code)> {
        let mut faults = contradictions(receipts);
        let main: BTreeSet<usize> = if about.is_empty() {
            self.largest().into_iter().collect()
        } else {
            about.iter().filter_map(|number| self.group.get(*number).copied()).collect()
        };
        let in_main = |number: usize| self.group.get(number).is_some_and(|group| main.contains(group));
        let session = receipts.iter().enumerate().filter(|(number, _)| in_main(*number));
        let session: Option<BoundaryId> = session.filter_map(|(_, told)| told.said.boundary).next();
        for (number, told) in receipts.iter().enumerate() {
            if told.said.boundary.is_some_and(|boundary| session.is_some_and(|session| session != boundary)) {
                faults.insert((number, Code::ReceiptOfAnotherSession));
            } else if !in_main(number) {
                faults.insert((number, Code::ReceiptUnlinked));
            }
        }
        // One receipt belongs to nothing, unless it tells of a document that is there.
        if about.is_empty() && receipts.len() == 1 {
            faults.insert((0, Code::ReceiptUnlinked));
        }
        faults
    }

    /// The group with most receipts, the first of several.
    fn largest(&self) -> Option<usize> {
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for group in &self.group {
            *sizes.entry(*group).or_default() += 1;
        }
        sizes.into_iter().rev().max_by_key(|(_, size)| *size).map(|(group, _)| group)
    }
}

fn artifacts(receipts: &[Told]) -> Vec<Artifact> {
    let mut found: BTreeMap<(&'static str, Digest), Artifact> = BTreeMap::new();
    let mut at = |name: &'static str, sha256: Digest, push: &dyn Fn(&mut Artifact)| {
        push(found.entry((name, sha256)).or_insert_with(|| Artifact {
            name,
            sha256,
            written_by: Vec::new(),
            read_by: Vec::new(),
            replaced_by: Vec::new(),
        }));
    };
    for (number, told) in receipts.iter().enumerate() {
        let digests = |names: &'static [&'static str]| {
            names.iter().filter_map(|name| told.digest(name).map(|digest| (*name, digest)))
        };
        for (name, digest) in digests(told.stage.writes) {
            at(name, digest, &|artifact| artifact.written_by.push(number));
        }
        for (name, digest) in digests(told.stage.reads) {
            at(name, digest, &|artifact| artifact.read_by.push(number));
        }
        if let (Some(name), Some(digest)) = (told.stage.writes.first(), told.said.previous) {
            at(name, digest, &|artifact| artifact.replaced_by.push(number));
        }
    }
    found.into_values().collect()
}

/// Receipts that say of themselves two things, or of an artifact something else than one before.
fn contradictions(receipts: &[Told]) -> BTreeSet<(usize, Code)> {
    let mut faults = BTreeSet::new();
    let mut sessions: HashMap<(&str, Digest), BoundaryId> = HashMap::new();
    let mut known: HashMap<(&str, Digest, &str), Fact> = HashMap::new();
    for (number, told) in receipts.iter().enumerate() {
        let mut fits = told.said.valid == told.said.violations.is_empty();
        fits &= !told.said.violations.values().any(|count| *count == 0);
        // The expanded form is the document, byte for byte.
        fits &= match (told.digest("expanded_file_sha256"), told.digest("synthesis_sha256")) {
            (Some(file), Some(document)) => file == document,
            (Some(_), None) => false,
            _ => true,
        };
        // A refused stage also names what did not belong to its evidence.
        for (name, digests, counts) in FIXED.iter().filter(|_| told.said.valid) {
            let Some(artifact) = told.digest(name) else { continue };
            if let Some(boundary) = told.said.boundary {
                fits &= *sessions.entry((name, artifact)).or_insert(boundary) == boundary;
            }
            let digests = digests.iter().filter_map(|fact| Some((*fact, Fact::Digest(told.digest(fact)?))));
            let counts =
                counts.iter().filter_map(|fact| Some((*fact, Fact::Count(*told.said.counts.get(*fact)?))));
            for (fact, value) in digests.chain(counts) {
                fits &= *known.entry((name, artifact, fact)).or_insert(value) == value;
            }
        }
        if !fits {
            faults.insert((number, Code::ReceiptContradicts));
        }
    }
    faults
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fact {
    Digest(Digest),
    Count(u64),
}

/// Sets that are joined two at a time; each is known by its first member.
struct Joined(Vec<usize>);

impl Joined {
    fn root(&mut self, mut here: usize) -> usize {
        while let Some(above) = self.0.get(here).copied().filter(|above| *above != here) {
            let beyond = self.0.get(above).copied().unwrap_or(above);
            if let Some(slot) = self.0.get_mut(here) {
                *slot = beyond;
            }
            here = beyond;
        }
        here
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if let Some(slot) = self.0.get_mut(one.max(other)) {
            *slot = one.min(other);
        }
    }
}

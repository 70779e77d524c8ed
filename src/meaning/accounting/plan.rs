//! Which claims and groups a skeleton has. Events that must be owned are claimed by class and episode, as
//! selections, so that naming one of them elsewhere takes it out; error results stand with the run they belong to;
//! everything else is set aside. Kinds are the ones that the classes carry: decisions and recoveries are the
//! author's to see.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::claim::ClaimKind;
use super::kinds::is_supported;
use super::older::Older;
use super::places::Places;
use super::ranges;
use crate::base::ids::Ordinal;
use crate::base::limits::SKELETON_CLAIMS;
use crate::evidence::command::observation::Observation;
use crate::evidence::slice::Run;
use crate::evidence::table::{Class, Row, Table};

/// Which class claims an event that has several, first to last. An effect outside this machine is told as such also
/// where it is a git command; a search without a match is no claim.
const PRECEDENCE: [Class; 9] = [
    Class::UserMessage,
    Class::Mutation,
    Class::ShellWrite,
    Class::ExternalEffect,
    Class::GitMutation,
    Class::VerificationRun,
    Class::ErrorResult,
    Class::Notice,
    Class::LastMessage,
];

/// A claim of a skeleton.
#[derive(Debug)]
pub struct PlannedClaim {
    /// A free id.
    pub id: String,
    /// Carried by its events.
    pub kind: ClaimKind,
    /// All events of a class in a block of episodes.
    pub select: Option<(Class, Run)>,
    /// Further events.
    pub ranges: Vec<Run>,
}

/// A group of a skeleton.
#[derive(Debug)]
pub struct PlannedGroup {
    /// A free id.
    pub id: String,
    /// Its events.
    pub ranges: Vec<Run>,
}

/// A skeleton.
#[derive(Debug, Default)]
pub struct Plan {
    /// In the order in which selections take their events.
    pub claims: Vec<PlannedClaim>,
    /// Repeats, then the rest.
    pub groups: Vec<PlannedGroup>,
}

/// Plans for all events, or for those behind an accounting of an earlier state.
pub fn plan(table: &Table, older: Option<&Older>) -> Plan {
    let start = older.map_or(0, |older| older.sealed().state().size);
    let sorting = Sorting::new(table, start);
    let places = Places::of(table);
    let mut names = Names::new(older);
    let mut plan = Plan::default();
    if let Some(older) = older {
        plan.claims.extend(no_longer_final(older, &places));
    }
    let content = sorting.sort();
    for ((block, rank), bucket) in content.buckets {
        let Some(class) = PRECEDENCE.get(rank).copied() else { continue };
        let kind = kind_of(class, &bucket, &places);
        let bounds = content.blocks.get(&block).copied().filter(|_| bucket.is_selected);
        plan.claims.push(PlannedClaim {
            id: names.next(kind.name()),
            kind,
            select: bounds.map(|bounds| (class, bounds)),
            ranges: ranges::of_ordinals(bucket.named),
        });
    }
    for (name, ordinals) in [("repeats", content.repeats), ("routine", content.routine)] {
        if !ordinals.is_empty() {
            plan.groups.push(PlannedGroup { id: names.free(name), ranges: ranges::of_ordinals(ordinals) });
        }
    }
    plan
}

/// What a block of episodes holds of one class.
#[derive(Debug, Default)]
struct Bucket {
    is_selected: bool,
    named: Vec<Ordinal>,
    has_trouble: bool,
}

/// Every event in its place.
#[derive(Debug, Default)]
struct Content {
    blocks: BTreeMap<u32, Run>,
    buckets: BTreeMap<(u32, usize), Bucket>,
    repeats: Vec<Ordinal>,
    routine: Vec<Ordinal>,
}

struct Sorting<'t> {
    table: &'t Table,
    start: Ordinal,
    /// Error results and the calls of the runs that claim them.
    run_of_result: HashMap<Ordinal, Ordinal>,
}

impl<'t> Sorting<'t> {
    fn new(table: &'t Table, start: Ordinal) -> Self {
        let has_rank = |ordinal: Ordinal, class: Class| {
            ordinal >= start
                && table.row(ordinal).and_then(rank_of).and_then(|rank| PRECEDENCE.get(rank)) == Some(&class)
        };
        let mut run_of_result = HashMap::new();
        for observation in table.observations() {
            let Observation::VerificationRun { attempt, .. } = observation else { continue };
            let Some(result) = attempt.result.map(|result| result.ordinal()) else { continue };
            let call = attempt.call.ordinal();
            if has_rank(call, Class::VerificationRun) && has_rank(result, Class::ErrorResult) {
                run_of_result.insert(result, call);
            }
        }
        Self { table, start, run_of_result }
    }

    fn rows(&self) -> impl Iterator<Item = (Ordinal, &'t Row)> + use<'t> {
        let start = self.start;
        (0..).zip(self.table.rows()).filter(move |(ordinal, _)| *ordinal >= start)
    }

    /// Blocks are single episodes where that gives few enough claims, else twice as many episodes, and so on.
    fn sort(&self) -> Content {
        let claims = self.claims_by_episode();
        let mut episodes_a_block = 1u32;
        while count_claims(&claims, episodes_a_block) > SKELETON_CLAIMS && episodes_a_block < 1 << 31 {
            episodes_a_block *= 2;
        }
        let mut content = Content::default();
        for (ordinal, row) in self.rows() {
            let block = row.episode / episodes_a_block;
            content.blocks.entry(block).or_insert(Run { first: ordinal, last: ordinal }).last = ordinal;
            if let Some(run) = self.run_of_result.get(&ordinal).and_then(|call| self.table.row(*call)) {
                let key = (run.episode / episodes_a_block, rank(Class::VerificationRun));
                content.buckets.entry(key).or_default().named.push(ordinal);
            } else if let Some(rank) = rank_of(row) {
                let bucket = content.buckets.entry((block, rank)).or_default();
                bucket.is_selected = true;
                bucket.has_trouble |= row.trouble;
            } else if row.task {
                content.buckets.entry((block, rank(Class::UserMessage))).or_default().named.push(ordinal);
            } else if row.repeated {
                content.repeats.push(ordinal);
            } else {
                content.routine.push(ordinal);
            }
        }
        content
    }

    /// Every rank with every episode that holds an event of it, sorted.
    fn claims_by_episode(&self) -> Vec<(usize, u32)> {
        let rows = self.rows().filter(|(ordinal, _)| !self.run_of_result.contains_key(ordinal));
        let mut claims: Vec<(usize, u32)> = rows
            .filter_map(|(_, row)| {
                let task = row.task.then(|| rank(Class::UserMessage));
                rank_of(row).or(task).map(|rank| (rank, row.episode))
            })
            .collect();
        claims.sort_unstable();
        claims.dedup();
        claims
    }
}

/// How many claims there are when so many episodes share one.
fn count_claims(claims: &[(usize, u32)], episodes_a_block: u32) -> usize {
    claims.chunk_by(|one, two| one.0 == two.0 && one.1 / episodes_a_block == two.1 / episodes_a_block).count()
}

/// Place of a class in the precedence.
fn rank(class: Class) -> usize {
    PRECEDENCE.iter().position(|other| *other == class).unwrap_or(PRECEDENCE.len())
}

fn rank_of(row: &Row) -> Option<usize> {
    PRECEDENCE.iter().position(|class| row.classes.has(*class))
}

fn kind_of(class: Class, bucket: &Bucket, places: &Places) -> ClaimKind {
    match class {
        Class::UserMessage => ClaimKind::Goal,
        Class::Mutation | Class::ShellWrite | Class::GitMutation => ClaimKind::Change,
        Class::ExternalEffect => ClaimKind::ExternalEffect,
        Class::VerificationRun => ClaimKind::Verification,
        Class::ErrorResult => ClaimKind::Failure,
        Class::Notice if bucket.has_trouble => ClaimKind::Failure,
        // A message before the last mutation may still be the last one; what it says is no longer the state.
        Class::LastMessage if places.class(class).last().copied() > places.last_mutation => {
            ClaimKind::FinalState
        }
        Class::Notice | Class::LastMessage | Class::NoMatch => ClaimKind::Action,
    }
}

/// Claims that held the final state and no longer do are restated as actions.
fn no_longer_final(older: &Older, places: &Places) -> Vec<PlannedClaim> {
    let claims = older.sealed().claims().iter().filter(|claim| claim.kind == ClaimKind::FinalState);
    claims
        .filter(|claim| !is_supported(claim.kind, &claim.ranges(), places, None))
        .map(|claim| PlannedClaim {
            id: claim.id.clone(),
            kind: ClaimKind::Action,
            select: None,
            ranges: Vec::new(),
        })
        .collect()
}

/// Ids that neither this skeleton nor the older accounting has.
struct Names<'o> {
    taken: HashSet<&'o str>,
    numbers: HashMap<&'static str, u64>,
}

impl<'o> Names<'o> {
    fn new(older: Option<&'o Older>) -> Self {
        let mut taken = HashSet::new();
        if let Some(older) = older {
            taken.extend(older.sealed().claims().iter().map(|claim| claim.id.as_str()));
            taken.extend(older.sealed().groups().iter().map(|group| group.id.as_str()));
        }
        Self { taken, numbers: HashMap::new() }
    }

    /// The word with the next free number.
    fn next(&mut self, word: &'static str) -> String {
        let number = self.numbers.entry(word).or_default();
        loop {
            *number += 1;
            let id = format!("{}-{number}", word.replace('_', "-"));
            if !self.taken.contains(id.as_str()) {
                return id;
            }
        }
    }

    /// The word itself, or with a number if it is taken.
    fn free(&mut self, word: &'static str) -> String {
        if self.taken.contains(word) { self.next(word) } else { word.to_owned() }
    }
}

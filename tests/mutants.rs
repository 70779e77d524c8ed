//! Mutants: every accepted document and every evidence file, changed a little in every way at every place. Each mutant is
//! refused with a code that fits the change, or proven to mean the same, or it survived; survivors are few, and each was
//! judged in `golden/mutants/survivors.txt`.
//!
//! The table that the tests print is the count of it all. By default those operators that leave no strict JSON or no
//! right shape are tried at every fourth place only; `RECAP_MUTANTS=all` tries everything, and the documents of all near
//! misses in `golden/accepted`, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::{Answer, Base, Judge, judges};
use family::family;
use meaning::{Same, same};
use operator::{Lenders, Mutant, mutants};
use survivors::Judged;

mod base;
mod family;
mod files;
mod meaning;
mod operator;
mod strings;
mod survivors;

/// Operators whose mutants are no strict JSON or have no right shape, wherever they stand.
const PLAIN: [&str; 7] =
    ["retype", "duplicate-key", "rename-member", "spelling", "escapes", "quotes", "unsafe"];
/// Of their mutants one in so many is tried by default.
const THINNED: usize = 4;
/// One in so many mutants goes through the built program, too.
const THROUGH_PROGRAM: usize = 400;

/// Everything is tried.
pub fn tries_all() -> bool {
    std::env::var("RECAP_MUTANTS").is_ok_and(|value| value == "all")
}

/// What came of some mutants.
#[derive(Default, Clone)]
pub struct Tally {
    pub tried: usize,
    pub refused: usize,
    pub same: BTreeMap<Same, usize>,
    pub survived: usize,
}

/// What came of all of them.
#[derive(Default)]
struct Outcome {
    /// By kind of document and operator.
    tallies: BTreeMap<(String, &'static str), Tally>,
    survivors: Vec<String>,
    faults: Vec<String>,
    through_program: usize,
}

#[test]
fn every_mutant_of_a_document_is_refused_or_means_the_same() {
    let judges = judges();
    let outcome: Mutex<Outcome> = Mutex::default();
    for judge in &judges {
        judge.bases().iter().for_each(|base| try_all(base, &judges, &outcome, true));
        if tries_all() {
            judge.near_misses().iter().for_each(|base| try_all(base, &judges, &outcome, false));
        }
    }
    let mut outcome = outcome.into_inner().unwrap();
    outcome.survivors.sort();
    outcome.faults.sort();
    let judged = Judged::read();
    println!("{}", table(&outcome, &judged));
    assert!(outcome.faults.is_empty(), "{} faults\n{}", outcome.faults.len(), outcome.faults.join("\n"));
    judged.check(&outcome.survivors);
}

/// Tries the mutants of one document, on two threads.
fn try_all(base: &Base<'_>, judges: &[Judge], outcome: &Mutex<Outcome>, lists_survivors: bool) {
    let own_events = base.event_ids();
    let others = || judges.iter().filter(|judge| !base.is_of(judge));
    let foreign = others().flat_map(Judge::event_ids).filter(|id| !own_events.contains(id));
    let other_events = foreign.collect();
    let lenders =
        Lenders { own_events, other_events, other_digests: others().flat_map(Judge::digests).collect() };
    let mut all = mutants(&base.value, &lenders);
    if !tries_all() {
        let mut number = 0;
        all.retain(|mutant| {
            number += usize::from(PLAIN.contains(&mutant.operator));
            !PLAIN.contains(&mutant.operator) || number % THINNED == 0
        });
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(mutant) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = base.answer(&mutant.bytes);
                    outcome.lock().unwrap().take(base, mutant, answer, lists_survivors);
                }
            });
        }
    });
    for mutant in all.iter().step_by(THROUGH_PROGRAM).filter(|_| lists_survivors) {
        let Some(codes) = base.run(&mutant.bytes) else { continue };
        let expected: BTreeSet<String> = match base.answer(&mutant.bytes) {
            Answer::Refused(codes) => codes.into_iter().map(str::to_owned).collect(),
            Answer::Accepted(_) => BTreeSet::new(),
        };
        let mut outcome = outcome.lock().unwrap();
        outcome.through_program += 1;
        if codes != expected {
            let line = mutant.line(&base.name);
            outcome.faults.push(format!("{line}: the program says {codes:?}, the library {expected:?}"));
        }
    }
}

impl Mutant {
    /// The member at its place.
    fn member(&self) -> &str {
        self.place.rsplit('/').find(|part| part.parse::<u32>().is_err()).unwrap_or_default()
    }

    /// Names it in a list.
    fn line(&self, base: &str) -> String {
        format!("{base} {} {} {}", self.operator, self.place, self.variant).trim_end().to_owned()
    }
}

impl Outcome {
    fn take(&mut self, base: &Base<'_>, mutant: &Mutant, answer: Answer, lists_survivors: bool) {
        let key = (base.document.name().to_owned(), mutant.operator);
        let tally = self.tallies.entry(key).or_default();
        tally.tried += 1;
        match answer {
            Answer::Refused(codes) => {
                tally.refused += 1;
                let mut fitting = family(mutant.operator, &mutant.variant, mutant.member());
                if !fitting.any(|code| codes.contains(code)) {
                    self.faults.push(format!("{} is refused with {codes:?}", mutant.line(&base.name)));
                }
            }
            Answer::Accepted(meaning) => match same(&base.meaning, &meaning) {
                Some(reason) => *tally.same.entry(reason).or_default() += 1,
                None => {
                    tally.survived += 1;
                    if lists_survivors {
                        self.survivors.push(mutant.line(&base.name));
                    }
                }
            },
        }
    }
}

/// The count of it all.
fn table(outcome: &Outcome, judged: &Judged) -> String {
    let mut text = format!(
        "{:38}{:>8}{:>9}{}{:>10}\n",
        "documents", "tried", "refused", " same  prose  names  order", "survived"
    );
    let mut kinds: BTreeMap<&str, Tally> = BTreeMap::new();
    for ((kind, operator), tally) in &outcome.tallies {
        row(&mut text, &format!("{kind} {operator}"), tally);
        for name in [kind.as_str(), "all"] {
            kinds.entry(name).or_default().add(tally);
        }
    }
    text.push('\n');
    kinds.iter().for_each(|(kind, tally)| row(&mut text, kind, tally));
    let rules = recap::base::rules::Code::ALL.iter().map(|code| code.rule());
    let of = |kind| rules.clone().filter(|rule| rule.kind == kind).count();
    let violations = of(recap::base::rules::Kind::Violation);
    let killing = crate::violations::case::all("violations").len();
    writeln!(text, "\n{violations} rules of documents, {killing} killing cases").unwrap();
    writeln!(text, "{} mutants went through the built program, too", outcome.through_program).unwrap();
    for (reason, count) in judged.counts() {
        writeln!(text, "{count:6} survivors: {reason}").unwrap();
    }
    text
}

fn row(text: &mut String, name: &str, tally: &Tally) {
    let of = |same| tally.same.get(&same).copied().unwrap_or_default();
    let same = [Same::Document, Same::Prose, Same::Names, Same::Order].map(of);
    write!(text, "{name:38}{:8}{:9}", tally.tried, tally.refused).unwrap();
    same.iter().for_each(|count| write!(text, "{count:6} ").unwrap());
    writeln!(text, "{:7}", tally.survived).unwrap();
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.tried += other.tried;
        self.refused += other.refused;
        self.survived += other.survived;
        for (same, count) in &other.same {
            *self.same.entry(*same).or_default() += count;
        }
    }
}

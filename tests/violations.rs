//! Every rule that a document can break: `golden/violations/<code>/` holds the smallest changes that it refuses,
//! `golden/accepted/<code>/` what looks wrong and is right. Each case is judged by the functions that the stages call,
//! and everything that is found must be what the case says, place for place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::OnceLock;

use recap::base::rules::{Code, Kind};
use recap::base::violations::Violations;
use recap::stage::check_rules::OF_PUBLISHING;
use recap::stage::validate_synthesis::validate_synthesis;
use regex::Regex;

use case::{Case, all};
use ground::{Document, Ground};

use crate::golden_file;

pub mod case;
mod edit;
pub mod ground;

/// Every rule that a draft can break. What only a published file or receipts can break is broken in the tests of `check`.
fn violations() -> Vec<Code> {
    let of_drafts = |code: &Code| !OF_PUBLISHING.contains(code);
    Code::ALL.iter().copied().filter(|code| code.rule().kind == Kind::Violation).filter(of_drafts).collect()
}

/// A case with what was found in its document.
struct Tried {
    code: String,
    name: String,
    case: Case,
    found: Violations,
    counted: Option<bool>,
}

/// Everything that the tests look at. It is found once, and the folders of the grounds are gone then.
struct Trial {
    /// What is found in the documents that cases begin with; nothing.
    bases: Vec<(String, Violations)>,
    killing: Vec<Tried>,
    near: Vec<Tried>,
    skeletons: String,
}

fn trial() -> &'static Trial {
    static TRIAL: OnceLock<Trial> = OnceLock::new();
    TRIAL.get_or_init(|| {
        let grounds = ground::all();
        let mut bases = Vec::new();
        let mut skeletons = String::new();
        for ground in &grounds {
            for document in ground.documents().filter(|_| ground.name != "empty") {
                let found = ground.judge(document, ground.document(document).as_bytes()).violations;
                bases.push((format!("{}/{}", ground.name, document.name()), found));
            }
            for (name, text) in ground.skeletons() {
                skeletons += &format!("== {} {name}\n{text}\n", ground.name);
            }
        }
        let tried = |folder: &str| -> Vec<Tried> {
            let tried = all(folder).into_iter().map(|(code, file, case)| {
                let (found, counted) = judged(&grounds, &case);
                Tried { code, name: file.file_stem().unwrap().to_owned(), case, found, counted }
            });
            tried.collect()
        };
        Trial { bases, killing: tried("violations"), near: tried("accepted"), skeletons }
    })
}

/// Everything that is found in the document of a case, and whether it counts as an attempt where that is known.
fn judged(grounds: &[Ground], case: &Case) -> (Violations, Option<bool>) {
    if !case.before.is_empty() {
        return (judged_by_stages(case), None);
    }
    let (name, document) = case.base();
    let ground = grounds.iter().find(|ground| ground.name == name).unwrap();
    let judged = ground.judge(document, &case.bytes(ground));
    (judged.violations, Some(judged.counted))
}

impl Tried {
    /// What is found instead of what the case says.
    fn fault(&self) -> Option<String> {
        let fault = if self.case.says.is_empty() {
            Some("says nothing".to_owned())
        } else if self.case.attempt.is_some() && self.counted.is_some() && self.case.attempt != self.counted {
            Some(format!("counts as an attempt: {:?}, expected {:?}", self.counted, self.case.attempt))
        } else {
            self.case.differs(&self.found)
        };
        fault.map(|fault| format!("{}/{}: {fault}", self.code, self.name))
    }

    fn expects_its_code(&self) -> bool {
        self.case.expect.iter().any(|line| line.starts_with(&format!("{} ", self.code)))
    }
}

#[test]
fn the_documents_of_every_ground_break_no_rule() {
    let bases = &trial().bases;
    for (name, found) in bases {
        assert!(found.is_empty(), "{name}: {:?}", found.sorted());
    }
    assert!(bases.len() >= 14, "{}", bases.len());
}

#[test]
fn every_killing_case_is_refused_for_just_what_it_breaks() {
    let killing = &trial().killing;
    let mut faults: Vec<String> = killing.iter().filter_map(Tried::fault).collect();
    let silent = killing.iter().filter(|tried| !tried.expects_its_code());
    faults.extend(silent.map(|tried| format!("{}/{} does not expect its code", tried.code, tried.name)));
    let codes: BTreeSet<&str> = killing.iter().map(|tried| tried.code.as_str()).collect();
    println!("{} killing cases of {} rules", killing.len(), codes.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_near_miss_is_accepted() {
    let near = &trial().near;
    let mut faults: Vec<String> = near.iter().filter_map(Tried::fault).collect();
    // A near miss of one rule may break another; it is there for what is not found.
    let loud = near.iter().filter(|tried| tried.expects_its_code());
    faults.extend(loud.map(|tried| format!("{}/{} expects its code", tried.code, tried.name)));
    println!("{} near misses", near.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Places of one code of one case that the table shows; the case itself says how many there are.
const SHOWN: usize = 3;

#[test]
fn what_is_said_of_each_case_is_written_down() {
    let mut table = String::new();
    for tried in &trial().killing {
        table += &format!("{}/{}: {}\n", tried.code, tried.name, tried.case.says);
        let mut shown = BTreeMap::<Code, usize>::new();
        for one in tried.found.sorted() {
            let times = shown.entry(one.code).or_default();
            *times += 1;
            if *times <= SHOWN {
                let place = one.pointer.to_string().escape_debug().to_string();
                table += &format!("    {} {place}: {}\n", one.code.as_str(), one.detail);
            }
        }
    }
    golden_file::check("tables/violations.txt", &without_keys(&table));
}

#[test]
fn skeletons_are_written_down() {
    golden_file::check("tables/skeletons.txt", &without_keys(&trial().skeletons));
}

/// A text without what differs from run to run: keyed ids, digests, commits.
fn without_keys(text: &str) -> String {
    let digests = Regex::new("[0-9a-f]{64}").unwrap().replace_all(text, "(digest)");
    let commits = Regex::new("[0-9a-f]{40}").unwrap().replace_all(&digests, "(commit)");
    Regex::new("(e[0-9]+|edge)-[0-9a-f]{12}").unwrap().replace_all(&commits, "$1-(key)").into_owned()
}

/// One draft after another in a folder of their own; gives what is found in the last.
fn judged_by_stages(case: &Case) -> Violations {
    let ground = ground::fresh();
    assert_eq!(case.base(), (ground.name, Document::SynthesisDraft));
    let drafts = case.earlier(&ground).into_iter().chain([case.bytes(&ground)]);
    let world = ground.room.world();
    let (accounting, draft) =
        (ground.room.path("out/accounting.json"), ground.room.path("out/synthesis.json"));
    let mut found = Violations::default();
    for bytes in drafts {
        ground.room.file("out/synthesis.json", bytes);
        let verdict = validate_synthesis(&world, &ground.manifest, &accounting, &draft, None, false);
        found = verdict.unwrap().violations;
    }
    found
}

#[test]
fn every_rule_has_a_killing_case_a_near_miss_an_explanation_and_a_remedy() {
    let of = |tried: &[Tried]| -> BTreeSet<String> { tried.iter().map(|tried| tried.code.clone()).collect() };
    let (killed, missed) = (of(&trial().killing), of(&trial().near));
    let mut faults = Vec::new();
    for code in violations() {
        let rule = code.rule();
        let has = [
            (killed.contains(rule.code), "killing case"),
            (missed.contains(rule.code), "near miss"),
            (!rule.statement.is_empty(), "statement"),
            (!rule.why.is_empty(), "explanation"),
            (!rule.mend.is_empty(), "remedy"),
        ];
        faults.extend(
            has.iter().filter(|(has, _)| !has).map(|(_, what)| format!("{} has no {what}", rule.code)),
        );
    }
    let known: BTreeSet<String> = violations().iter().map(|code| code.as_str().to_owned()).collect();
    faults.extend(
        killed.union(&missed).filter(|code| !known.contains(*code)).map(|code| format!("{code} is no rule")),
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_schemas_have_the_codes_of_the_table() {
    let schema = |name: &str| -> serde_json::Value {
        let file = format!("{}/schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
    };
    let names = |kind: Kind| -> BTreeSet<&str> {
        let rules = Code::ALL.iter().map(|code| code.rule());
        rules.filter(|rule| rule.kind == kind).map(|rule| rule.code).collect()
    };
    let receipt = schema("receipt");
    for (document, place, kind) in [
        (&receipt, "/$defs/violation_code/enum", Kind::Violation),
        (&receipt, "/$defs/limitation_code/enum", Kind::Limitation),
    ] {
        let listed = document.pointer(place).and_then(serde_json::Value::as_array).unwrap();
        let listed: BTreeSet<&str> = listed.iter().map(|code| code.as_str().unwrap()).collect();
        assert_eq!(listed, names(kind), "{place}");
    }
}

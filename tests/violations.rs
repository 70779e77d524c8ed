//! Every rule that a document can break: `golden/violations/<code>/` holds the smallest changes that it refuses,
//! `golden/accepted/<code>/` what looks wrong and is right. Each case is judged by the functions that the stages call,
//! and everything that is found must be what the case says, place for place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use recap::base::rules::{Code, Kind};
use recap::base::violations::Violations;
use recap::stage::validate_synthesis::validate_synthesis;
use regex::Regex;

use case::{Case, all};
use ground::{Document, Ground};

use crate::golden_file;

pub mod case;
mod edit;
pub mod ground;

/// Codes of violations that no draft can show; none so far.
fn violations() -> Vec<Code> {
    Code::ALL.iter().copied().filter(|code| code.rule().kind == Kind::Violation).collect()
}

#[test]
fn the_documents_of_every_ground_break_no_rule() {
    let mut documents = 0;
    for ground in ground::all().iter().filter(|ground| ground.name != "empty") {
        for document in ground.documents() {
            let found = ground.judge(document, ground.document(document).as_bytes()).violations;
            assert!(found.is_empty(), "{}/{}: {:?}", ground.name, document.name(), found.sorted());
            documents += 1;
        }
    }
    assert!(documents >= 14, "{documents}");
}

#[test]
fn every_killing_case_is_refused_for_just_what_it_breaks() {
    let grounds = ground::all();
    let (mut faults, mut killed) = (Vec::new(), BTreeMap::<String, usize>::new());
    for (code, file, case) in all("violations") {
        if !case.expect.iter().any(|line| line.starts_with(&format!("{code} "))) {
            faults.push(format!("{file} expects no {code}"));
        }
        faults.extend(fault(&grounds, &case).map(|fault| format!("{file}: {fault}")));
        *killed.entry(code).or_default() += 1;
    }
    println!("{} killing cases of {} rules", killed.values().sum::<usize>(), killed.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_near_miss_is_accepted() {
    let grounds = ground::all();
    let mut faults = Vec::new();
    let cases = all("accepted");
    for (code, file, case) in &cases {
        // A near miss of one rule may break another; it is there for what is not found.
        if case.expect.iter().any(|line| line.starts_with(&format!("{code} "))) {
            faults.push(format!("{file} expects {code}"));
        }
        faults.extend(fault(&grounds, case).map(|fault| format!("{file}: {fault}")));
    }
    println!("{} near misses", cases.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What is found instead of what the case says.
fn fault(grounds: &[Ground], case: &Case) -> Option<String> {
    let (name, document) = case.base();
    if case.says.is_empty() {
        return Some("says nothing".to_owned());
    }
    if !case.before.is_empty() {
        return case.differs(&judged_by_stages(case));
    }
    let ground = grounds.iter().find(|ground| ground.name == name).unwrap();
    let judged = ground.judge(document, &case.bytes(ground));
    if let Some(attempt) = case.attempt.filter(|attempt| *attempt != judged.counted) {
        return Some(format!("counts as an attempt: {}, expected {attempt}", judged.counted));
    }
    case.differs(&judged.violations)
}

/// Places of one code of one case that the table shows; the case itself says how many there are.
const SHOWN: usize = 3;

#[test]
fn what_is_said_of_each_case_is_written_down() {
    let grounds = ground::all();
    let mut table = String::new();
    for (code, file, case) in all("violations") {
        let found = judged(&grounds, &case);
        let name = file.file_stem().unwrap();
        table += &format!("{code}/{name}: {}\n", case.says);
        let mut shown = BTreeMap::<Code, usize>::new();
        for one in found.sorted() {
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
    let mut all = String::new();
    for ground in ground::all() {
        for (name, text) in ground.skeletons() {
            all += &format!("== {} {name}\n{text}\n", ground.name);
        }
    }
    golden_file::check("tables/skeletons.txt", &without_keys(&all));
}

/// A text without what differs from run to run: keyed ids, digests, commits.
fn without_keys(text: &str) -> String {
    let digests = Regex::new("[0-9a-f]{64}").unwrap().replace_all(text, "(digest)");
    let commits = Regex::new("[0-9a-f]{40}").unwrap().replace_all(&digests, "(commit)");
    Regex::new("(e[0-9]+|edge)-[0-9a-f]{12}").unwrap().replace_all(&commits, "$1-(key)").into_owned()
}

/// Everything that is found in the document of a case.
fn judged(grounds: &[Ground], case: &Case) -> Violations {
    if !case.before.is_empty() {
        return judged_by_stages(case);
    }
    let (name, document) = case.base();
    let ground = grounds.iter().find(|ground| ground.name == name).unwrap();
    ground.judge(document, &case.bytes(ground)).violations
}

/// One draft after another in a folder of their own; gives what is found in the last.
fn judged_by_stages(case: &Case) -> Violations {
    let ground = ground::fresh();
    assert_eq!(case.base(), (ground.name, Document::SynthesisDraft));
    let drafts = case.earlier(&ground).into_iter().chain([case.bytes(&ground)]);
    let world = ground.room.world();
    let (accounting, draft) =
        (ground.room.path("out/accounting.json"), ground.room.path("out/synthesis.json"));
    let judged = drafts.map(|bytes| {
        ground.room.file("out/synthesis.json", bytes);
        validate_synthesis(&world, &ground.manifest, &accounting, &draft, None, false).unwrap().violations
    });
    judged.last().unwrap()
}

#[test]
fn every_rule_has_a_killing_case_a_near_miss_an_explanation_and_a_remedy() {
    let of = |folder: &str| -> BTreeSet<String> { all(folder).into_iter().map(|(code, ..)| code).collect() };
    let (killed, missed) = (of("violations"), of("accepted"));
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

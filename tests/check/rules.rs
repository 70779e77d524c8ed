//! Each rule that a document can be held against by itself: the smallest change that is refused, and what looks like
//! it and is right.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::made::{MADE, checked, found};
use super::others::{ACCOUNTING, RECAP};
use crate::golden_file;

/// A change of a document.
pub type Change = fn(&mut Value);

/// Codes, the change that breaks just them, and where.
const SYNTHESIS: &[(&str, Change)] = &[
    ("schema-violation /story", |d| d["story"] = json!({})),
    ("schema-violation /story/*/narrative_role", |d| d["story"][0]["narrative_role"] = json!("hero")),
    ("text-unsafe /story/*/title", |d| d["story"][0]["title"] = json!("one\ntwo")),
    ("text-unsafe /headline/summary", |d| d["headline"]["summary"] = json!("a\u{202e}b")),
    ("credential-shaped /story/*/summary", |d| d["story"][0]["summary"] = json!(secret())),
    ("id-malformed /story/*/id", |d| d["story"][0]["id"] = json!("Story_1")),
    ("item-id-duplicate /story/*/id", |d| d["story"][1]["id"] = d["story"][0]["id"].clone()),
    ("text-empty /story/*/summary", |d| d["story"][0]["summary"] = json!(" ")),
    ("text-too-long /story/*/title", |d| d["story"][0]["title"] = json!("x".repeat(161))),
    ("text-too-long /headline/summary", |d| d["headline"]["summary"] = json!("x".repeat(1_201))),
    ("not-expanded /timeline/*", |d| drop_member(&mut d["timeline"][0], "evidence_ids")),
    ("not-expanded /timeline/*", |d| drop_member(&mut d["timeline"][0], "accounting_claim_ids")),
    ("not-expanded /story/*/evidence_ranges", |d| {
        drop_member(&mut d["story"][0], "evidence_ids");
        d["story"][0]["evidence_ranges"] = json!([[0, 0]]);
    }),
    ("evidence-missing /headline", |d| d["headline"]["evidence_ids"] = json!([])),
    ("evidence-duplicate /headline/evidence_ids/*", |d| repeat_first(&mut d["headline"]["evidence_ids"])),
    ("evidence-duplicate /verification/*/further_runs/*", |d| {
        d["verification"][0]["further_runs"] = json!([d["verification"][0]["command_event_id"].clone()]);
    }),
    ("evidence-outside-claims /headline/accounting_claim_ids", |d| {
        d["headline"]["accounting_claim_ids"] = json!([]);
    }),
    ("evidence-outside-claims /timeline/*/evidence_ids/*", |d| {
        let id = d["headline"]["evidence_ids"][0].as_str().unwrap().to_owned();
        let other = format!("{}-{}", id.split_once('-').unwrap().0, "0".repeat(12));
        d["headline"]["evidence_ids"][0] = json!(other);
        keep(&mut d["headline"]["evidence_ids"], 1);
        // The same ordinal stands elsewhere once.
        for section in ["story", "changes", "verification", "failures_recoveries", "final_state"] {
            for item in d[section].as_array_mut().unwrap() {
                for event in item["evidence_ids"].as_array_mut().unwrap() {
                    if *event == json!(id) {
                        *event = json!(other);
                    }
                }
            }
        }
    }),
    ("inference-without-caveat /story/*", |d| drop_member(&mut d["story"][1], "caveat")),
    ("caveat-misplaced /final_state/*/caveat", |d| {
        verified(&mut d["final_state"][0]);
        d["final_state"][0]["caveat"] = json!("Perhaps.");
    }),
    ("git-evidence-missing /final_state/*", |d| d["final_state"][0]["source_label"] = json!("verified_now")),
    ("git-evidence-misplaced /final_state/*/git_evidence", |d| {
        verified(&mut d["final_state"][0]);
        d["final_state"][0]["source_label"] = json!("agent_report");
    }),
    ("git-evidence-kind-unknown /final_state/*/git_evidence/*", |d| {
        verified(&mut d["final_state"][0]);
        d["final_state"][0]["git_evidence"][0]["kind"] = json!("tag");
    }),
    ("git-evidence-unknown-repository /final_state/*/git_evidence/*", |d| {
        verified(&mut d["final_state"][0]);
        d["final_state"][0]["git_evidence"][0]["repository"] = json!("repo-01");
    }),
    ("git-evidence-value-mismatch /final_state/*/git_evidence/*", |d| {
        verified(&mut d["final_state"][0]);
        d["final_state"][0]["git_evidence"][0]["value"] = json!("yes");
    }),
    ("story-claim-missing /story", |d| push(&mut d["headline"]["accounting_claim_ids"], json!("another-1"))),
    ("story-claim-repeated /story/*/accounting_claim_ids/*", |d| {
        let claim = d["story"][0]["accounting_claim_ids"][0].clone();
        push(&mut d["story"][1]["accounting_claim_ids"], claim);
    }),
    ("story-evidence-incomplete /story", |d| {
        d["story"][2]["evidence_ids"].as_array_mut().unwrap().pop();
    }),
    ("timeline-event-missing /timeline", |d| {
        d["timeline"][0]["evidence_ids"].as_array_mut().unwrap().remove(1);
    }),
    // An event can be in two entries only where they overlap.
    (
        "timeline-event-repeated /timeline/*/evidence_ids/* | timeline-not-chronological /timeline/*/first_ordinal",
        |d| {
            let last = d["timeline"][0]["evidence_ids"].as_array().unwrap().last().unwrap().clone();
            let place = d["timeline"][0]["last_ordinal"].clone();
            d["timeline"][1]["evidence_ids"].as_array_mut().unwrap().insert(0, last);
            d["timeline"][1]["first_ordinal"] = place;
        },
    ),
    ("timeline-claim-missing /timeline", |d| {
        let claims = d["timeline"][1]["accounting_claim_ids"].as_array_mut().unwrap();
        claims.retain(|claim| claim != "goal-2");
    }),
    ("timeline-bounds-wrong /timeline/*/first_ordinal", |d| {
        let last = d["timeline"][1]["last_ordinal"].as_u64().unwrap();
        d["timeline"][1]["last_ordinal"] = json!(last + 1);
    }),
    ("timeline-not-chronological /timeline/*/first_ordinal", |d| {
        d["timeline"].as_array_mut().unwrap().reverse();
    }),
    ("views-share-partition /story", |d| {
        // One item and one entry hold everything.
        let mut all = d["timeline"][0].clone();
        for event in d["timeline"][1]["evidence_ids"].as_array().unwrap().clone() {
            push(&mut all["evidence_ids"], event);
        }
        all["last_ordinal"] = d["timeline"][1]["last_ordinal"].clone();
        let mut claims: Vec<Value> = Vec::new();
        for item in d["story"].as_array().unwrap() {
            claims.extend(item["accounting_claim_ids"].as_array().unwrap().iter().cloned());
        }
        all["accounting_claim_ids"] = json!(claims);
        let mut story = d["story"][0].clone();
        story["evidence_ids"] = all["evidence_ids"].clone();
        story["accounting_claim_ids"] = json!(claims);
        d["timeline"] = json!([all]);
        d["story"] = json!([story]);
    }),
    ("verification-needs-command /verification/*/command_event_id", |d| {
        d["verification"][0]["command_event_id"] = json!(null);
    }),
    ("verification-must-not-name-command /verification/*/command_event_id", |d| {
        d["verification"][0]["outcome"] = json!("discussed_only");
        d["verification"][0]["result_event_id"] = json!(null);
    }),
    ("verification-outcome-mismatch /verification/*/basis", |d| {
        d["verification"][1]["outcome"] = json!("unknown");
    }),
    ("coverage-group-repeated /coverage/low_signal_group_ids/*", |d| {
        repeat_first(&mut d["coverage"]["low_signal_group_ids"]);
    }),
    ("document-unknown /schema_version", |d| d["schema_version"] = json!("recap.synthesis-draft.v2")),
    ("document-unknown ", |d| drop_member(d, "schema_version")),
];

/// What looks like one of them and is right, or cannot be seen here.
const NEIGHBOURS: &[(&str, Change)] = &[
    ("as it was written", |_| {}),
    ("a title of 160 characters", |d| d["story"][0]["title"] = json!("x".repeat(160))),
    ("a summary of 1,200 characters on two lines", |d| {
        d["headline"]["summary"] = json!(format!("{}\n{}", "x".repeat(600), "\u{e9}".repeat(599)));
    }),
    ("an id of 48 characters", |d| d["story"][0]["id"] = json!("x".repeat(48))),
    ("a caveat where none is needed", |d| d["story"][0]["caveat"] = json!("As far as events show.")),
    ("a probe", |d| verified(&mut d["final_state"][0])),
    ("a probe without events", |d| {
        verified(&mut d["final_state"][0]);
        d["final_state"][0]["evidence_ids"] = json!([]);
    }),
    ("empty git evidence", |d| d["story"][0]["git_evidence"] = json!([])),
    ("a branch named as a flag", |d| {
        verified(&mut d["final_state"][0]);
        d["final_state"][0]["git_evidence"][0] =
            json!({"repository": "repo-12", "kind": "branch", "value": "yes"});
    }),
    ("a run that was only talked about", |d| {
        d["verification"][0]["outcome"] = json!("discussed_only");
        d["verification"][0]["command_event_id"] = json!(null);
        d["verification"][0]["result_event_id"] = json!(null);
    }),
    ("a word for a secret", |d| d["story"][0]["summary"] = json!("The token was rotated.")),
];

pub fn secret() -> String {
    format!("{}_{}", "ghp", "a1B2c3D4e".repeat(4))
}

pub fn drop_member(item: &mut Value, name: &str) {
    item.as_object_mut().unwrap().remove(name).unwrap();
}

pub fn push(list: &mut Value, value: Value) {
    list.as_array_mut().unwrap().push(value);
}

pub fn keep(list: &mut Value, count: usize) {
    list.as_array_mut().unwrap().truncate(count);
}

pub fn repeat_first(list: &mut Value) {
    let first = list[0].clone();
    push(list, first);
}

pub fn verified(item: &mut Value) {
    item["source_label"] = json!("verified_now");
    item["git_evidence"] = json!([{"repository": "repo-1", "kind": "clean", "value": "true"}]);
}

/// Every case is refused for just what it says.
fn refused(document: &Value, cases: &[(&str, Change)]) {
    let mut wrong = Vec::new();
    for (expected, change) in cases {
        let mut changed = document.clone();
        change(&mut changed);
        let (status, report) = checked(changed.to_string());
        let mut found = found(&report);
        found.sort();
        found.dedup();
        if (status, found.join(" | ").as_str(), &report["valid"]) != (1, *expected, &json!(false)) {
            wrong.push(format!("expected {expected}, found {}, status {status}", found.join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_synthesis_is_refused_for_just_what_was_changed() {
    refused(&MADE.expanded, SYNTHESIS);
}

#[test]
fn an_accounting_is_refused_for_just_what_was_changed() {
    refused(&MADE.accounting, ACCOUNTING);
}

#[test]
fn a_recap_is_refused_for_just_what_was_changed() {
    refused(&MADE.recap, RECAP);
}

#[test]
fn what_only_looks_wrong_passes() {
    for (what, change) in NEIGHBOURS {
        let mut changed = MADE.expanded.clone();
        change(&mut changed);
        let (status, report) = checked(changed.to_string());
        assert_eq!((status, found(&report)), (0, Vec::new()), "{what}");
    }
    for document in [&MADE.accounting, &MADE.recap] {
        let (status, report) = checked(document.to_string());
        assert_eq!((status, found(&report)), (0, Vec::new()));
    }
}

#[test]
fn every_bundled_recap_is_nothing_but_what_it_says() {
    for case in golden_file::names("cases") {
        let file = format!("{}/golden/cases/{case}/expected/recap.json", env!("CARGO_MANIFEST_DIR"));
        let Ok(mut recap) = serde_json::from_str::<Value>(&std::fs::read_to_string(file).unwrap()) else {
            continue;
        };
        // The expectation has names where digests stand.
        for digest in recap["digests"].as_object_mut().unwrap().values_mut() {
            *digest = json!("0".repeat(64));
        }
        recap["versions"]["recap"] = json!("0.1.0");
        let (status, report) = checked(recap.to_string());
        assert_eq!((status, found(&report)), (0, Vec::new()), "{case}");
    }
}

#[test]
fn a_recap_in_another_format_is_said_to_be_no_document_that_can_be_checked() {
    for name in ["recap.md", "recap.html"] {
        let file = format!("{}/golden/cases/claude-fix/expected/{name}", env!("CARGO_MANIFEST_DIR"));
        let (status, report) = checked(std::fs::read_to_string(file).unwrap());
        assert_eq!((status, found(&report)), (1, vec!["document-unknown ".to_owned()]), "{name}");
        let rules = report["files"][0]["rules"].as_array().unwrap();
        let state = |code: &str| rules.iter().find(|rule| rule["code"] == code).unwrap()["state"].clone();
        assert_eq!(
            (state("document-unknown"), state("text-unsafe")),
            (json!("checked"), json!("not_checked"))
        );
    }
}

#[test]
fn bytes_that_are_no_strict_json_have_a_place() {
    let text = MADE.expanded.to_string();
    for (bytes, line, column) in [
        (String::new(), 1, 1),
        (format!("{text}\n{{}}"), 2, 1),
        (text.replacen('{', "{\"schema_version\":1,", 1), 1, 0),
        (format!("\u{feff}{text}"), 1, 1),
    ] {
        let (status, report) = checked(&bytes);
        assert_eq!((status, found(&report)), (1, vec!["json-malformed ".to_owned()]));
        let place = &report["files"][0]["findings"][0];
        assert_eq!(place["line"], json!(line));
        assert!(column == 0 || place["column"] == json!(column), "{place}");
        let rules = report["files"][0]["rules"].as_array().unwrap();
        let state = |code: &str| rules.iter().find(|rule| rule["code"] == code).unwrap()["state"].clone();
        assert_eq!((state("json-malformed"), state("text-unsafe")), (json!("checked"), json!("not_checked")));
    }
}

#[test]
fn a_finding_stands_where_the_editor_shows_it() {
    let mut document = MADE.expanded.clone();
    document["story"][1]["title"] = json!("");
    let text = serde_json::to_string_pretty(&document).unwrap();
    let (_, report) = checked(&text);
    let place = &report["files"][0]["findings"][0];
    let line = text.lines().position(|line| line.contains("\"title\": \"\"")).unwrap();
    assert_eq!(place["line"], json!(line + 1));
    assert_eq!(place["column"], json!(text.lines().nth(line).unwrap().find("\"\"").unwrap() + 1));
}

#[test]
fn a_secret_in_a_part_of_wrong_shape_is_found_all_the_same() {
    let mut document = MADE.expanded.clone();
    document["story"][0]["note"] = json!(secret());
    let (status, report) = checked(document.to_string());
    assert_eq!(status, 1);
    assert_eq!(
        found(&report),
        ["schema-violation /story/*/*", "credential-shaped /story/*/*"].map(str::to_owned)
    );
}

/// Rules that another test of this family breaks: they need bytes, or receipts.
const ELSEWHERE: &[&str] = &[
    "json-malformed",
    "draft-too-large",
    "manifest-mismatch",
    "accounting-mismatch",
    "render-too-long",
    "document-refused",
    "document-unlinked",
    "receipt-contradicts",
];

#[test]
fn every_rule_that_is_said_to_be_checked_has_a_case_that_breaks_it() {
    for (document, cases) in
        [(&MADE.expanded, SYNTHESIS), (&MADE.accounting, ACCOUNTING), (&MADE.recap, RECAP)]
    {
        let killed: BTreeSet<&str> = cases.iter().map(|(case, _)| case.split(' ').next().unwrap()).collect();
        let (_, report) = checked(document.to_string());
        for rule in report["files"][0]["rules"].as_array().unwrap() {
            let code = rule["code"].as_str().unwrap();
            let checked = rule["state"] != "not_checked";
            let broken = killed.contains(code) || ELSEWHERE.contains(&code) || code == "document-unknown";
            assert!(!checked || broken, "{code} is said to be checked, and no case breaks it");
            assert!(
                checked || !killed.contains(code),
                "{code} is broken by a case and said not to be checked"
            );
        }
    }
}

#[test]
fn a_draft_with_words_beyond_the_cap_is_too_long_whatever_its_render_would_be() {
    let mut document = MADE.expanded.clone();
    let open = json!({"id": "x", "title": "More", "summary": "word ".repeat(240).trim(), "source_label": "inference",
        "caveat": "Nobody says so.", "accounting_claim_ids": document["headline"]["accounting_claim_ids"],
        "evidence_ids": document["headline"]["evidence_ids"]});
    for number in 0..12 {
        let mut item = open.clone();
        item["id"] = json!(format!("open-{number}"));
        document["open_work"].as_array_mut().unwrap().push(item);
    }
    let (status, report) = checked(document.to_string());
    assert_eq!((status, found(&report)), (1, vec!["render-too-long ".to_owned()]));
    let (status, _) = {
        document["open_work"].as_array_mut().unwrap().truncate(8);
        checked(document.to_string())
    };
    assert_eq!(status, 0);
}

#[test]
fn the_authors_own_draft_is_not_expanded_and_says_so_at_each_item() {
    let (status, report) = checked(MADE.draft.to_string());
    assert_eq!(status, 1);
    assert!(found(&report).iter().all(|one| one.starts_with("not-expanded ")));
    let rules = report["files"][0]["rules"].as_array().unwrap();
    let rule = rules.iter().find(|rule| rule["code"] == "views-share-partition").unwrap();
    assert_eq!(
        (&rule["state"], &rule["reason"]),
        (&json!("not_checked"), &json!("the draft is not expanded"))
    );
}

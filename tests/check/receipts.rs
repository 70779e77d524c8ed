//! Receipts: which of them belong together, what of a forged one shows, and what they say of a document.

use recap::base::digest::Digest;
use recap::base::json::canonical;
use serde_json::{Value, json};

use super::made::{MADE, found, lines, piped, said};
use crate::program::Room;
use crate::samples;

/// What `chain --json` says of receipts.
fn chained(text: impl AsRef<[u8]>) -> (i32, Value) {
    let room = Room::in_memory();
    room.file("receipts.jsonl", text);
    said(&room, &["chain", "receipts.jsonl", "--json"])
}

/// Findings as `code line`.
fn faults(chain: &Value) -> Vec<String> {
    let findings = chain["findings"].as_array().unwrap().iter();
    findings.map(|one| format!("{} {}", one["code"].as_str().unwrap(), one["line"])).collect()
}

/// The place of the first receipt of a stage.
fn at(stage: &str) -> usize {
    MADE.receipts.iter().position(|receipt| receipt["stage"] == stage).unwrap()
}

#[test]
fn the_receipts_of_one_run_belong_together_in_any_order() {
    let (status, chain) = chained(MADE.lines());
    assert_eq!((status, &chain["valid"], faults(&chain)), (0, &json!(true), Vec::new()));
    let artifacts = chain["artifacts"].as_array().unwrap();
    let manifest = artifacts.iter().find(|artifact| artifact["name"] == "manifest_sha256").unwrap();
    assert_eq!(manifest["written_by"], json!([at("collect")]));
    assert_eq!(manifest["read_by"].as_array().unwrap().len(), MADE.receipts.len() - 1);
    let backwards: Vec<Value> = MADE.receipts.iter().rev().cloned().collect();
    assert_eq!(chained(lines(&backwards)).0, 0);
    assert_eq!(chained(MADE.lines().replace('\n', "\r\n\r\n")).0, 0);
}

#[test]
fn a_receipt_that_is_missing_is_told_and_breaks_nothing() {
    let without = &MADE.receipts[1..];
    let (status, chain) = chained(lines(without));
    assert_eq!((status, faults(&chain)), (0, Vec::new()));
    let room = Room::in_memory();
    room.file("r", lines(without));
    let text = room.run(&["chain", "r"]).stdout;
    assert!(
        text.contains("open     manifest_sha256") && text.contains("no receipt given here wrote it"),
        "{text}"
    );
}

#[test]
fn nothing_that_belongs_together_is_never_green() {
    for (text, expected) in [
        ("", "receipts-missing 1"),
        ("\n \n", "receipts-missing 1"),
        (lines(&MADE.receipts[..1]).as_str(), "receipt-unlinked 1"),
        ("{}\n", "receipt-malformed 1"),
    ] {
        let (status, chain) = chained(text);
        assert_eq!((status, faults(&chain), &chain["valid"]), (1, vec![expected.to_owned()], &json!(false)));
    }
}

#[test]
fn a_line_that_is_no_receipt_is_named() {
    let first = MADE.receipts[0].to_string();
    let mut unknown = MADE.receipts[0].clone();
    unknown["stage"] = json!("collected");
    let mut further = MADE.receipts[0].clone();
    further["note"] = json!("trust me");
    let mut code = MADE.receipts[0].clone();
    code["violations"] = json!({"no-such-code": 1});
    for line in [
        unknown.to_string(),
        further.to_string(),
        code.to_string(),
        format!("{first}{first}"),
        format!("\u{feff}{first}"),
        first.replacen('{', "{\"valid\":true,", 1),
        first.replace("\"recap.receipt.v1\"", "\"recap.receipt.v2\""),
        "$ recap collect".to_owned(),
    ] {
        let (status, chain) = chained(format!("{}{line}\n", MADE.lines()));
        let expected = format!("receipt-malformed {}", MADE.receipts.len() + 1);
        assert_eq!((status, faults(&chain)), (1, vec![expected]), "{line}");
    }
    let bytes = [MADE.lines().as_bytes(), b"\xff\n"].concat();
    assert_eq!(chained(bytes).0, 1);
}

/// A change of the receipt of a stage.
type Forgery = fn(&mut Value);

#[test]
fn a_forged_receipt_does_not_fit() {
    let other = |text: &str| json!(Digest::of(text.as_bytes()).to_string());
    let forgeries: [(&str, &str, Forgery); 10] = [
        ("packetize", "receipt-unlinked", |r| {
            let digests = r["digests"].as_object_mut().unwrap();
            digests.insert("manifest_sha256".to_owned(), json!("0".repeat(64)));
        }),
        ("validate", "receipt-unlinked", |r| {
            r["digests"].as_object_mut().unwrap().remove("manifest_sha256");
        }),
        ("validate", "receipt-contradicts", |r| r["digests"]["ledger_root"] = json!("0".repeat(64))),
        ("validate", "receipt-contradicts", |r| r["counts"]["events"] = json!(27)),
        ("validate-accounting", "receipt-contradicts", |r| r["counts"]["claims"] = json!(9)),
        ("validate", "receipt-of-another-session", |r| {
            r["boundary"] = json!("recap://claude/0123456789abcdef")
        }),
        ("validate", "receipt-contradicts", |r| r["valid"] = json!(false)),
        ("validate", "receipt-contradicts", |r| r["violations"] = json!({"text-empty": 1})),
        ("validate-synthesis", "receipt-contradicts", |r| {
            r["digests"]["expanded_file_sha256"] = json!("0".repeat(64));
        }),
        ("render", "receipt-contradicts", |r| r["digests"]["accounting_sha256"] = json!("0".repeat(64))),
    ];
    for (stage, code, forge) in forgeries {
        let mut receipts = MADE.receipts.clone();
        forge(&mut receipts[at(stage)]);
        let (status, chain) = chained(lines(&receipts));
        let found = faults(&chain);
        assert_eq!(status, 1, "{stage} {code}");
        let there = found.iter().any(|one| one.starts_with(&format!("{code} ")));
        assert!(there, "{stage}: expected {code}, found {found:?}");
    }
    // One that replaced another is joined by what was there before, and by nothing else.
    let mut grown = MADE.receipts[0].clone();
    let before = grown["digests"]["manifest_sha256"].clone();
    grown["digests"]["manifest_sha256"] = other("grown");
    grown["digests"]["ledger_root"] = other("root");
    let with = |previous: Value| {
        let mut receipts = MADE.receipts.clone();
        let mut grown = grown.clone();
        grown["previous"] = previous;
        receipts.push(grown);
        chained(lines(&receipts))
    };
    let (status, chain) = with(before);
    assert_eq!((status, faults(&chain)), (0, Vec::new()));
    assert_eq!(with(Value::Null).0, 1);
    assert_eq!(with(other("another")).0, 1);
}

#[test]
fn receipts_of_another_session_do_not_join() {
    let room = Room::new();
    let session = samples::bundled(samples::CODEX);
    let source = room.copy(&session);
    let manifest = room.path("out/manifest.json");
    let other = [room.collect(&source, &manifest).unwrap(), room.packetize(&manifest).unwrap()];
    let other: String = other.iter().map(|receipt| format!("{}\n", receipt.to_line())).collect();
    let (status, chain) = chained(format!("{}{other}", MADE.lines()));
    let first = MADE.receipts.len() + 1;
    let expected = [first, first + 1].map(|line| format!("receipt-of-another-session {line}"));
    assert_eq!((status, faults(&chain)), (1, expected.to_vec()));
    // Alone they belong together, and say nothing of the document.
    let (status, report) = against(&MADE.expanded, &other);
    assert_eq!((status, found(&report)), (1, vec!["document-unlinked ".to_owned()]));
}

/// What `check` says of a document with receipts.
fn against(document: &Value, receipts: &str) -> (i32, Value) {
    let room = Room::in_memory();
    room.file("published.json", document.to_string());
    room.file("receipts.jsonl", receipts);
    said(&room, &["check", "published.json", "--receipts", "receipts.jsonl", "--format", "json"])
}

fn state(report: &Value, code: &str) -> String {
    let rules = report["files"][0]["rules"].as_array().unwrap();
    rules.iter().find(|rule| rule["code"] == code).unwrap()["state"].as_str().unwrap().to_owned()
}

#[test]
fn receipts_tell_of_a_document_however_it_is_indented() {
    for document in [&MADE.expanded, &MADE.accounting, &MADE.recap] {
        let (status, report) = against(document, &MADE.lines());
        assert_eq!((status, found(&report)), (0, Vec::new()));
        assert_eq!(state(&report, "document-unlinked"), "checked");
        let room = Room::in_memory();
        room.file("published.json", serde_json::to_string_pretty(document).unwrap());
        room.file("receipts.jsonl", MADE.lines());
        let ran = room.run(&["check", "published.json", "--receipts", "receipts.jsonl"]);
        assert_eq!(ran.status, 0, "{}", ran.stdout);
    }
    let (_, alone) = super::made::checked(MADE.expanded.to_string());
    assert_eq!(state(&alone, "document-unlinked"), "not_checked");
    assert_eq!(
        (state(&alone, "manifest-mismatch").as_str(), state(&alone, "render-too-long").as_str()),
        ("not_checked", "partly")
    );
}

#[test]
fn one_receipt_is_enough_when_it_tells_of_the_document() {
    let one = lines(&MADE.receipts[at("validate-synthesis")..=at("validate-synthesis")]);
    assert_eq!(against(&MADE.expanded, &one).0, 0);
    let earlier = lines(&MADE.receipts[..at("validate-synthesis")]);
    let (status, report) = against(&MADE.expanded, &earlier);
    assert_eq!((status, found(&report)), (1, vec!["document-unlinked ".to_owned()]));
}

#[test]
fn a_document_that_was_changed_after_its_receipt_is_unlinked() {
    let mut document = MADE.expanded.clone();
    document["headline"]["summary"] = json!("Something else.");
    let (status, report) = against(&document, &MADE.lines());
    assert_eq!((status, found(&report)), (1, vec!["document-unlinked ".to_owned()]));
}

#[test]
fn a_document_that_was_only_refused_says_so() {
    let mut receipt = MADE.receipts[at("validate-synthesis")].clone();
    receipt["valid"] = json!(false);
    receipt["violations"] = json!({"text-empty": 1});
    let digests = receipt["digests"].as_object_mut().unwrap();
    digests.retain(|name, _| !matches!(name.as_str(), "synthesis_sha256" | "expanded_file_sha256"));
    let file = Digest::of(MADE.expanded.to_string().as_bytes());
    digests.insert("synthesis_file_sha256".to_owned(), json!(file.to_string()));
    let mut receipts = MADE.receipts[..at("validate-synthesis")].to_vec();
    receipts.push(receipt.clone());
    let (status, report) = against(&MADE.expanded, &lines(&receipts));
    assert_eq!((status, found(&report)), (1, vec!["document-refused ".to_owned()]));
    // Accepted later, it counts.
    receipts.extend(MADE.receipts[at("validate-synthesis")..].iter().cloned());
    assert_eq!(against(&MADE.expanded, &lines(&receipts)).0, 0);
}

#[test]
fn a_receipt_that_was_made_to_fit_a_document_shows_where_the_two_differ() {
    let mut document = MADE.expanded.clone();
    document["manifest_sha256"] = json!("0".repeat(64));
    document["accounting_sha256"] = json!("1".repeat(64));
    let mut receipts = MADE.receipts.clone();
    for receipt in &mut receipts[at("validate-synthesis")..] {
        let digest = json!(canonical::digest_of(&document).unwrap().to_string());
        receipt["digests"]["synthesis_sha256"] = digest.clone();
        if receipt["stage"] == "validate-synthesis" {
            receipt["digests"]["expanded_file_sha256"] = digest;
            receipt["counts"]["render_words"] = json!(2_501);
        }
    }
    let (status, report) = against(&document, &lines(&receipts));
    let expected =
        ["manifest-mismatch /manifest_sha256", "accounting-mismatch /accounting_sha256", "render-too-long "];
    let (mut found, mut expected) = (found(&report), expected.map(str::to_owned).to_vec());
    found.sort();
    found.dedup();
    expected.sort();
    assert_eq!((status, found), (1, expected));
    let mut recap = MADE.recap.clone();
    recap["boundary"] = json!("recap://claude/0123456789abcdef");
    let mut receipts = MADE.receipts.clone();
    let last = receipts.len() - 1;
    receipts[last]["digests"]["recap_sha256"] = json!(canonical::digest_of(&recap).unwrap().to_string());
    let (status, report) = against(&recap, &lines(&receipts));
    assert_eq!((status, super::made::found(&report)), (1, vec!["receipt-contradicts /boundary".to_owned()]));
}

#[test]
fn an_empty_file_of_receipts_makes_a_good_document_red() {
    let (status, report) = against(&MADE.expanded, "");
    let expected = ["document-unlinked ", "receipts-missing "].map(str::to_owned).to_vec();
    assert_eq!((status, found(&report)), (1, expected));
    assert_eq!(report["files"][1]["kind"], "receipts");
}

#[test]
fn several_files_of_receipts_and_standard_input() {
    let room = Room::in_memory();
    room.file("published.json", MADE.expanded.to_string());
    room.file("first", lines(&MADE.receipts[..4]));
    room.file("second", lines(&MADE.receipts[4..]));
    let ran = room.run(&["check", "published.json", "--receipts", "first", "second"]);
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    let ran = piped(&room, &["check", "published.json", "--receipts", "-"], &MADE.lines());
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    let ran = piped(&room, &["check", "-", "--receipts", "first", "second"], &MADE.expanded.to_string());
    assert_eq!((ran.status, ran.stdout.starts_with("stdin: synthesis")), (0, true), "{}", ran.stdout);
    let ran = piped(&room, &["chain", "first", "-"], &lines(&MADE.receipts[4..]));
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    let ran = piped(&room, &["check", "-", "--receipts", "-"], "");
    assert_eq!((ran.status, ran.code()), (2, "usage"));
}

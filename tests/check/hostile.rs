//! Names, contents and kinds of files that somebody else chose.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use serde_json::{Value, json};

use super::made::{MADE, checked, found, said};
use crate::program::{Room, listing};

const FORMATS: [&str; 4] = ["text", "json", "github", "sarif"];

#[test]
fn a_name_of_a_file_stays_a_name_in_every_format() {
    let name = "a\n::error::b%41,line=9:c\u{202e}\u{1b}[1m \u{e9}.json";
    let room = Room::in_memory();
    room.file(name, MADE.draft.to_string());
    for format in FORMATS {
        let ran = room.run(&["check", name, "--format", format]);
        assert_eq!((ran.status, ran.stderr.as_str()), (1, ""), "{format}");
        let spoken = ran.stdout.chars().find(|letter| matches!(letter, '\u{202e}' | '\u{1b}'));
        assert_eq!(spoken, None, "{format}");
        match format {
            "text" => assert!(
                ran.stdout
                    .starts_with("a\\u{a}::error::b%41,line=9:c\\u{202e}\\u{1b}[1m \u{e9}.json: synthesis;")
            ),
            "json" => {
                let report: Value = serde_json::from_str(&ran.stdout).unwrap();
                assert!(report["files"][0]["name"].as_str().unwrap().starts_with("a\\u{a}::error"));
            }
            "github" => {
                let start = "file=a%0A%3A%3Aerror%3A%3Ab%2541%2Cline=9%3Ac\\u{202e}\\u{1b}[1m \u{e9}.json,";
                for line in ran.stdout.lines() {
                    let properties = line.strip_prefix("::").unwrap().split_once(' ').unwrap().1;
                    assert!(properties.starts_with(start), "{line}");
                }
            }
            _ => {
                let log: Value = serde_json::from_str(&ran.stdout).unwrap();
                let place =
                    &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
                let uri = "a%0A%3A%3Aerror%3A%3Ab%2541%2Cline%3D9%3Ac%E2%80%AE%1B%5B1m%20%C3%A9.json";
                assert_eq!(place["uri"], uri);
            }
        }
    }
}

#[test]
fn a_file_elsewhere_is_called_by_its_last_name() {
    let room = Room::in_memory();
    let path = room.file("outside/published.json", MADE.expanded.to_string());
    let elsewhere = Room::in_memory();
    let (_, report) = said(&elsewhere, &["check", path.as_str(), "--format", "json"]);
    assert_eq!(report["files"][0]["name"], "published.json");
    room.folder("below");
    let (_, report) = said(&room, &["check", "below/../outside/./published.json", "--format", "json"]);
    assert_eq!(report["files"][0]["name"], "outside/published.json");
}

#[test]
fn no_text_of_a_document_comes_out() {
    let canary = "Canary7";
    let mut document = MADE.expanded.clone();
    document[canary] = json!(canary);
    document["headline"]["summary"] = json!(format!("{canary}\u{202e}"));
    document["story"][0]["id"] = json!(format!("{canary}"));
    document["story"][0][format!("{canary}/~x")] = json!({ canary: [canary] });
    document["story"][1]["accounting_claim_ids"] = json!([canary, canary]);
    document["changes"][0]["paths"] = json!([format!("{canary}\n")]);
    document["verification"][0]["outcome"] = json!(canary);
    document["final_state"][0]["source_label"] = json!("verified_now");
    document["final_state"][0]["git_evidence"] =
        json!([{"repository": canary, "kind": canary, "value": canary}]);
    document["coverage"]["low_signal_group_ids"] = json!([canary, canary]);
    let mut recap = MADE.recap.clone();
    recap["title"] = json!(canary);
    recap[canary] = json!(canary);
    let mut accounting = MADE.accounting.clone();
    accounting["claims"][0]["kind"] = json!(canary);
    accounting["claims"][0]["claim_id"] = json!(canary);
    let receipts = format!("{canary}\n{{\"{canary}\": 1}}\n");
    let unknown = json!({"schema_version": canary}).to_string();
    let room = Room::in_memory();
    for text in
        [document.to_string(), recap.to_string(), accounting.to_string(), unknown, format!("{{\"{canary}\"")]
    {
        room.file("published.json", text);
        room.file("receipts.jsonl", &receipts);
        for format in FORMATS {
            let ran =
                room.run(&["check", "published.json", "--receipts", "receipts.jsonl", "--format", format]);
            assert_eq!(ran.status, 1);
            assert!(!ran.stdout.contains(canary) && !ran.stderr.contains(canary), "{format}: {}", ran.stdout);
        }
    }
}

#[test]
fn what_is_no_plain_file_is_refused_without_waiting() {
    let room = Room::in_memory();
    room.file("published.json", MADE.expanded.to_string());
    room.folder("folder");
    symlink(room.path("published.json"), room.path("link")).unwrap();
    assert!(Command::new("mkfifo").arg(room.path("pipe").as_str()).status().unwrap().success());
    for (name, status, code) in [
        ("link", 3, "source-not-regular"),
        ("pipe", 3, "source-not-regular"),
        ("folder", 3, "source-not-regular"),
        ("/dev/null", 3, "source-not-regular"),
        ("missing", 4, "source-missing"),
    ] {
        for arguments in [
            vec!["check", name],
            vec!["check", "published.json", "--receipts", name],
            vec!["chain", name],
            vec!["scrub", "--check", name],
        ] {
            let ran = room.run(&arguments);
            assert_eq!((ran.status, ran.code(), ran.stdout.as_str()), (status, code, ""), "{arguments:?}");
        }
    }
    // Somebody else's file is read wherever it lies: others may read it, too.
    fs::set_permissions(room.path("published.json"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(room.run(&["check", "published.json"]).status, 0);
}

#[test]
fn a_name_that_looks_like_a_secret_is_not_repeated() {
    let secret = format!("{}_{}", "ghp", "a1B2c3D4e".repeat(4));
    let room = Room::in_memory();
    room.file(&secret, MADE.expanded.to_string());
    for arguments in [["check", secret.as_str()], ["chain", secret.as_str()]] {
        let ran = room.run(&arguments);
        assert_eq!((ran.status, ran.code()), (3, "path-credential-shaped"));
        assert!(!ran.stdout.contains(&secret) && !ran.stderr.contains(&secret));
    }
}

#[test]
fn files_beyond_their_bounds_are_not_read() {
    let room = Room::in_memory();
    let grown = |name: &str, bytes: u64| {
        let path = room.file(name, "");
        fs::File::options().write(true).open(path).unwrap().set_len(bytes).unwrap();
    };
    grown("huge.json", 64 * 1024 * 1024 + 1);
    let (status, report) = said(&room, &["check", "huge.json", "--format", "json"]);
    assert_eq!((status, found(&report)), (1, vec!["draft-too-large ".to_owned()]));
    grown("huge.jsonl", 16 * 1024 * 1024 + 1);
    let (status, chain) = said(&room, &["chain", "huge.jsonl", "--json"]);
    assert_eq!((status, &chain["findings"][0]["code"]), (1, &json!("receipt-malformed")));
    let (status, report) = checked("[".repeat(100_000));
    assert_eq!((status, found(&report)), (1, vec!["json-malformed ".to_owned()]));
}

#[test]
fn a_document_with_faults_everywhere_lists_two_hundred_places_a_code_and_counts_all() {
    let mut document = MADE.expanded.clone();
    let mut item = document["open_work"]
        .as_array()
        .unwrap()
        .first()
        .cloned()
        .unwrap_or_else(|| document["final_state"][0].clone());
    item["id"] = json!("A");
    item["title"] = json!("");
    document["open_work"] = json!(vec![item; 5_000]);
    let (status, report) = checked(document.to_string());
    assert_eq!(status, 1);
    let rule = |code: &str| {
        let rules = report["files"][0]["rules"].as_array().unwrap();
        rules.iter().find(|rule| rule["code"] == code).unwrap()["violations"].clone()
    };
    assert_eq!(
        (rule("id-malformed"), rule("item-id-duplicate"), rule("text-empty")),
        (json!(5_000), json!(4_999), json!(5_000))
    );
    let listed = found(&report).iter().filter(|one| one.starts_with("text-empty ")).count();
    assert_eq!(listed, 200);
}

#[test]
fn nothing_is_written_and_no_other_file_is_needed() {
    let room = Room::in_memory();
    room.file("published.json", MADE.draft.to_string());
    room.file("receipts.jsonl", MADE.lines());
    let before = listing(&room.path(""));
    for format in FORMATS {
        room.run(&["check", "published.json", "--receipts", "receipts.jsonl", "--format", format]);
    }
    room.run(&["chain", "receipts.jsonl"]);
    assert_eq!(listing(&room.path("")), before);
}

#[test]
fn wrong_usage_is_not_green() {
    let room = Room::in_memory();
    room.file("published.json", MADE.expanded.to_string());
    for arguments in [
        vec!["check"],
        vec!["chain"],
        vec!["check", "published.json", "--format", "xml"],
        vec!["check", "published.json", "--receipts"],
        vec!["scrub", "published.json"],
    ] {
        let ran = room.run(&arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{arguments:?}");
    }
}

#[test]
fn several_documents_are_judged_each_by_itself() {
    let room = Room::in_memory();
    room.file("good.json", MADE.expanded.to_string());
    room.file("bad.json", MADE.draft.to_string());
    let (status, report) = said(&room, &["check", "good.json", "bad.json", "--format", "json"]);
    let valid = |number: usize| report["files"][number]["valid"].clone();
    assert_eq!((status, valid(0), valid(1), &report["valid"]), (1, json!(true), json!(false), &json!(false)));
}

//! The four formats, whole, for a document and receipts that pass and for some that do not; and what SARIF and
//! workflow commands must be whatever was found.

use recap::base::rules::{Code, Kind};
use recap::base::schemas;
use recap::base::violations::Violations;
use serde_json::{Value, json};

use super::made::{MADE, lines, said};
use crate::golden_file;
use crate::program::{Ran, Room};

/// Formats with the ends of their golden files.
const FORMATS: [(&str, &str); 4] =
    [("text", "txt"), ("json", "json"), ("github", "github"), ("sarif", "sarif")];

/// A folder with a document and receipts that pass, and others that do not.
fn room() -> Room {
    let room = Room::in_memory();
    room.file("good/synthesis.json", pretty(&MADE.expanded));
    room.file("good/receipts.jsonl", MADE.lines());
    let mut broken = MADE.expanded.clone();
    broken["headline"]["summary"] = json!("");
    broken["story"][1]["title"] = json!("x".repeat(161));
    broken["story"][2]["a private note"] = json!("a\u{202e}b");
    broken["timeline"][0].as_object_mut().unwrap().remove("evidence_ids");
    room.file("bad/synthesis.json", pretty(&broken));
    let mut forged = MADE.receipts[..5].to_vec();
    forged[1]["digests"]["manifest_sha256"] = json!("0".repeat(64));
    room.file("bad/receipts.jsonl", lines(&forged) + "not a receipt\n");
    room
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// What is printed, without the version and without digests that follow from it.
fn steady(text: &str) -> String {
    let mut text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    for (number, artifact) in digests().into_iter().enumerate() {
        text = text
            .replace(&artifact, &format!("DIGEST{number}"))
            .replace(&artifact[..8], &format!("DIGEST{number}"));
    }
    text
}

/// Every digest of the receipts, in the order in which they name them.
fn digests() -> Vec<String> {
    let all = MADE.receipts.iter().flat_map(|receipt| receipt["digests"].as_object().unwrap().values());
    let mut found: Vec<String> = Vec::new();
    for digest in all.map(|digest| digest.as_str().unwrap().to_owned()) {
        if !found.contains(&digest) {
            found.push(digest);
        }
    }
    found
}

fn checked(room: &Room, folder: &str, format: &str) -> Ran {
    let (document, receipts) = (format!("{folder}/synthesis.json"), format!("{folder}/receipts.jsonl"));
    let ran = room.run(&["check", &document, "--receipts", &receipts, "--format", format]);
    assert_eq!(ran.stderr, "");
    ran
}

#[test]
fn every_format_is_as_written_down() {
    let room = room();
    for (folder, status) in [("good", 0), ("bad", 1)] {
        for (format, end) in FORMATS {
            let ran = checked(&room, folder, format);
            assert_eq!(ran.status, status, "{folder} {format}");
            golden_file::check(&format!("check/{folder}.{end}"), &steady(&ran.stdout));
        }
        let receipts = format!("{folder}/receipts.jsonl");
        let ran = room.run(&["chain", &receipts]);
        assert_eq!(ran.status, status);
        golden_file::check(&format!("check/{folder}-chain.txt"), &steady(&ran.stdout));
        let ran = room.run(&["chain", &receipts, "--json"]);
        golden_file::check(&format!("check/{folder}-chain.json"), &steady(&ran.stdout));
    }
}

#[test]
fn the_documents_for_programs_fit_their_schemas() {
    let room = room();
    for folder in ["good", "bad"] {
        let (document, receipts) = (format!("{folder}/synthesis.json"), format!("{folder}/receipts.jsonl"));
        let check = said(&room, &["check", &document, "--receipts", &receipts, "--format", "json"]).1;
        let chain = said(&room, &["chain", &receipts, "--json"]).1;
        for (name, value) in [("check", check), ("chain", chain)] {
            let mut violations = Violations::default();
            assert!(schemas::check(name, &value, &mut violations), "{name}: {:?}", violations.sorted());
        }
    }
}

/// What the published schema of SARIF 2.1.0 asks of what we use of it, and what code scanning needs beside it.
#[test]
fn sarif_is_what_code_scanning_reads() {
    let room = room();
    for (folder, results) in [("good", 0), ("bad", 8)] {
        let log: Value = serde_json::from_str(&checked(&room, folder, "sarif").stdout).unwrap();
        assert_eq!(log["version"], "2.1.0");
        assert!(log["$schema"].as_str().unwrap().ends_with("/sarif-schema-2.1.0.json"));
        members(&log, &["$schema", "version", "runs"]);
        assert_eq!(log["runs"].as_array().unwrap().len(), 1);
        let run = &log["runs"][0];
        members(run, &["tool", "columnKind", "originalUriBaseIds", "artifacts", "invocations", "results"]);
        let driver = &run["tool"]["driver"];
        members(driver, &["name", "version", "semanticVersion", "rules"]);
        let rules = driver["rules"].as_array().unwrap();
        let table: Vec<_> = Code::ALL.iter().filter(|code| code.rule().kind == Kind::Violation).collect();
        assert_eq!(rules.len(), table.len());
        for (rule, code) in rules.iter().zip(table) {
            members(rule, &["id", "shortDescription", "fullDescription", "help", "defaultConfiguration"]);
            assert_eq!(
                (&rule["id"], &rule["shortDescription"]["text"]),
                (&json!(code.as_str()), &json!(code.rule().statement))
            );
        }
        assert_eq!(run["results"].as_array().unwrap().len(), results, "{folder}");
        for result in run["results"].as_array().unwrap() {
            members(result, &["ruleId", "ruleIndex", "level", "message", "locations"]);
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert_eq!(result["level"], "error");
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            assert!(uri.starts_with(&format!("{folder}/")) && !uri.contains(':'), "{uri}");
            assert!(
                place["region"]["startLine"].as_u64() >= Some(1)
                    && place["region"]["startColumn"].as_u64() >= Some(1)
            );
        }
        let invocation = &run["invocations"][0];
        assert_eq!(
            (&invocation["executionSuccessful"], &invocation["exitCode"]),
            (&json!(true), &json!(u8::from(results > 0)))
        );
        for note in invocation["toolExecutionNotifications"].as_array().unwrap() {
            let index = usize::try_from(note["associatedRule"]["index"].as_u64().unwrap()).unwrap();
            assert_eq!(
                (&rules[index]["id"], &note["level"]),
                (&note["associatedRule"]["id"], &json!("note"))
            );
        }
    }
}

/// It has these members and no other.
fn members(value: &Value, names: &[&str]) {
    let mut found: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let mut names = names.to_vec();
    found.sort_unstable();
    names.sort_unstable();
    assert_eq!(found, names);
}

#[test]
fn every_line_for_github_is_one_command_of_ours() {
    let room = room();
    for folder in ["good", "bad"] {
        for line in checked(&room, folder, "github").stdout.lines() {
            let (command, rest) = line.strip_prefix("::").unwrap().split_once(' ').unwrap();
            assert!(matches!(command, "error" | "notice"), "{line}");
            let (properties, message) = rest.split_once("::").unwrap();
            assert!(properties.starts_with(&format!("file={folder}/")), "{line}");
            for property in properties.split(',') {
                let name = property.split_once('=').unwrap().0;
                assert!(matches!(name, "file" | "line" | "col" | "title"), "{line}");
            }
            assert!(!message.is_empty());
        }
    }
}

//! Outputs that a harness put into files of their own: found by name in the session's folder, told with size and
//! digest, and never read anywhere else.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::digest::Digest;
use recap::base::rules::Code;
use serde_json::{Value, json};

use super::evidence::{Evidence, text};
use super::program::Room;

const SESSION: &str = "2d2e2f20-1111-4222-8333-444455556666";

/// A call and its result, whose output lies in the file at `path`.
fn rows(number: usize, path: &str, child: bool) -> String {
    let row = |kind: &str, block: Value, data: Value| {
        json!({
            "type": kind, "uuid": format!("{kind}-{number}"), "sessionId": SESSION, "isSidechain": child,
            "message": {"role": kind, "content": [block]}, "toolUseResult": data,
        })
    };
    let id = format!("t{number}");
    let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "seq 1 90000"}});
    let shown =
        format!("<persisted-output>\nOutput too large (524KB). Full output saved to: {path}\n\nPreview");
    let result = json!({"type": "tool_result", "tool_use_id": id, "is_error": false, "content": shown});
    let data = json!({"stdout": "", "stderr": "", "interrupted": false, "persistedOutputPath": path});
    format!("{}\n{}\n", row("assistant", call, Value::Null), row("user", result, data))
}

/// A transcript whose results name these files.
fn transcript(paths: &[&str]) -> String {
    paths.iter().enumerate().map(|(number, path)| rows(number, path, false)).collect()
}

fn found(evidence: &Evidence) -> Vec<(String, String)> {
    let rows = evidence.stream("side-files");
    rows.iter().map(|row| (text(&row["name"]).to_owned(), text(&row["found"]).to_owned())).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, found)| ((*name).to_owned(), (*found).to_owned())).collect()
}

fn limits(evidence: &Evidence) -> Value {
    let all = evidence.manifest["limitations"].as_object().unwrap();
    all.iter()
        .filter(|(code, _)| code.starts_with("side-file"))
        .map(|(code, count)| (code.clone(), count.clone()))
        .collect()
}

/// Where the session's outputs lie.
fn outputs(room: &Room, name: &str) -> String {
    format!("{}/tool-results/{name}", room.path(SESSION))
}

#[test]
fn a_file_in_the_sessions_folder_is_linked_with_its_digest() {
    let room = Room::new();
    let content = "one whole output\n".repeat(30_000);
    room.file(&format!("{SESSION}/tool-results/b1.txt"), &content);
    let elsewhere = format!("/home/someone/.claude/projects/-w/{SESSION}/tool-results/b1.txt");
    let source = room.file(&format!("{SESSION}.jsonl"), transcript(&[&elsewhere, "b1.txt"]));
    let evidence = Evidence::collect(&room, &source);
    let events = evidence.events();
    let row = |event: usize| {
        json!({
            "event": events[event]["event_id"], "name": "b1.txt", "found": "present",
            "bytes": content.len(), "sha256": Digest::of(content.as_bytes()).to_string(),
        })
    };
    assert_eq!(evidence.stream("side-files"), [row(1), row(3)]);
    assert_eq!(limits(&evidence), json!({}));
    assert_eq!(events[1]["entities"], json!([{"kind": "side_file", "value": "b1.txt"}]));
    let kept = fs::read_to_string(room.path("out/manifest.json")).unwrap();
    assert!(!kept.contains("one whole output"));
}

#[test]
fn a_file_that_is_not_there_is_a_known_gap() {
    let room = Room::new();
    let source = room.file(&format!("{SESSION}.jsonl"), transcript(&[&outputs(&room, "b1.txt")]));
    let evidence = Evidence::collect(&room, &source);
    assert_eq!(found(&evidence), pairs(&[("b1.txt", "missing")]));
    assert_eq!(limits(&evidence), json!({"side-file-missing": 1}));
    assert_eq!(evidence.stream("side-files")[0]["bytes"], Value::Null);
}

#[test]
fn nothing_outside_is_read() {
    let room = Room::new();
    room.file("outside.txt", "private");
    let folder = room.folder(&format!("{SESSION}/tool-results"));
    room.folder(&format!("{SESSION}/tool-results/folder.txt"));
    symlink(room.path("outside.txt"), folder.join("link.txt")).unwrap();
    let pipe = Command::new("mkfifo").arg(folder.join("pipe.txt")).status().unwrap();
    assert!(pipe.success());
    let names = ["link.txt", "pipe.txt", "folder.txt"];
    let mut paths: Vec<String> = names.iter().map(|name| outputs(&room, name)).collect();
    paths.extend([
        room.path("outside.txt").to_string(),
        outputs(&room, "../../outside.txt"),
        outputs(&room, ".."),
        outputs(&room, ""),
        "/etc/passwd".to_owned(),
    ]);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let source = room.file(&format!("{SESSION}.jsonl"), transcript(&paths));
    let evidence = Evidence::collect(&room, &source);
    let rows = found(&evidence);
    assert!(rows.iter().all(|(_, found)| found == "refused"), "{rows:?}");
    assert_eq!(limits(&evidence), json!({"side-file-refused": paths.len()}));
    assert_eq!(rows[..3], pairs(&names.map(|name| (name, "refused"))));
}

#[test]
fn a_folder_of_outputs_that_is_a_link_is_refused() {
    let room = Room::new();
    room.file("other/b1.txt", "private");
    room.folder(SESSION);
    symlink(room.path("other"), room.path(SESSION).join("tool-results")).unwrap();
    let source = room.file(&format!("{SESSION}.jsonl"), transcript(&[&outputs(&room, "b1.txt")]));
    let evidence = Evidence::collect(&room, &source);
    assert_eq!(found(&evidence), pairs(&[("b1.txt", "refused")]));
}

#[test]
fn a_child_has_the_outputs_of_its_session() {
    let room = Room::new();
    room.file(&format!("{SESSION}/tool-results/b1.txt"), "x");
    let row = |number| {
        rows(number, "/h/tool-results/b1.txt", true)
            .replace("\"isSidechain\"", "\"agentId\":\"a1\",\"isSidechain\"")
    };
    for place in [
        format!("{SESSION}/subagents/agent-a1.jsonl"),
        format!("{SESSION}/subagents/workflows/wf_1/agent-a1.jsonl"),
        // The layout of older versions.
        "agent-a1.jsonl".to_owned(),
    ] {
        let source = room.file(&place, row(0));
        let evidence = Evidence::collect(&room, &source);
        assert_eq!(found(&evidence), pairs(&[("b1.txt", "present")]), "{place}");
        fs::remove_dir_all(room.path("out")).unwrap();
    }
}

#[test]
fn a_grown_transcript_looks_again_for_everything_that_it_names() {
    let room = Room::new();
    let source = room.file(&format!("{SESSION}.jsonl"), transcript(&["/h/tool-results/b1.txt"]));
    assert_eq!(found(&Evidence::collect(&room, &source)), pairs(&[("b1.txt", "missing")]));
    room.file(&format!("{SESSION}/tool-results/b1.txt"), "x");
    let grown = transcript(&["/h/tool-results/b1.txt", "/h/tool-results/b2.txt"]);
    fs::write(&source, grown).unwrap();
    let evidence = Evidence::collect(&room, &source);
    assert_eq!(found(&evidence), pairs(&[("b1.txt", "present"), ("b2.txt", "missing")]));
    assert_eq!(limits(&evidence), json!({"side-file-missing": 1}));
}

/// Puts other rows in the place of the stored ones, with a digest that fits, and counts that fit or not.
fn forge(room: &Room, manifest: &Utf8Path, lines: &str, limits: &Value) -> Code {
    let mut document: Value = serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap();
    let digest = Digest::of(lines.as_bytes()).to_string();
    let file = format!("{digest}.side-files.jsonl");
    room.file(&format!("out/manifest.json.ledger/{file}"), lines);
    document["ledger"]["streams"]["side-files"] =
        json!({"sha256": digest, "file": file, "bytes": lines.len(), "rows": lines.lines().count()});
    document["limitations"] = limits.clone();
    let whole = fs::read(manifest).unwrap();
    fs::write(manifest, recap::base::json::canonical::to_bytes(&document).unwrap()).unwrap();
    let code = room.validate(manifest).unwrap_err().code();
    fs::write(manifest, whole).unwrap();
    code
}

#[test]
fn rows_that_do_not_follow_from_the_events_do_not_validate() {
    let room = Room::new();
    let paths = ["/h/tool-results/b1.txt", "/etc/passwd"];
    let source = room.file(&format!("{SESSION}.jsonl"), transcript(&paths));
    let evidence = Evidence::collect(&room, &source);
    let manifest: Utf8PathBuf = room.path("out/manifest.json");
    let stored = evidence.stream("side-files");
    let lines: Vec<String> = stored
        .iter()
        .map(|row| {
            // Members stand in the order of the schema.
            let [event, name, found] = ["event", "name", "found"].map(|member| row[member].to_string());
            format!(
                "{{\"event\":{event},\"name\":{name},\"found\":{found},\"bytes\":null,\"sha256\":null}}\n"
            )
        })
        .collect();
    let limits = evidence.manifest["limitations"].clone();
    let other = |from: &str, to: &str| lines.concat().replace(from, to);
    for (forged, code) in [
        (lines[..1].concat(), Code::SideFilesMismatch),
        ([lines.concat(), lines[0].clone()].concat(), Code::SideFilesMismatch),
        ([lines[1].clone(), lines[0].clone()].concat(), Code::SideFilesMismatch),
        (other("b1.txt", "b2.txt"), Code::SideFilesMismatch),
        (other("missing", "present"), Code::SideFilesMismatch),
        (other("refused", "missing"), Code::SideFilesMismatch),
        (other("missing", "omitted"), Code::CountsMismatch),
        (other("null", "null "), Code::LineInvalid),
    ] {
        assert_eq!(forge(&room, &manifest, &forged, &limits), code, "{forged}");
    }
    assert_eq!(forge(&room, &manifest, &lines.concat(), &json!({})), Code::CountsMismatch);
    room.validate(&manifest).unwrap();
}

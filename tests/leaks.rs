//! Strings of a transcript that must not come out where no text belongs: every string and every object of a
//! session gets a canary, and no receipt, refusal or file name may hold one. Hidden reasoning gets another one, which
//! may be in no file at all. The reading commands are the control: they do show the first.

use std::fs;
use std::io::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

use super::evidence::Evidence;
use super::program::{Ran, Room, listing};
use super::samples::{BUNDLED, CLAUDE, DAMAGED, DOCUMENT, bundled, corpus};

const CANARY: &str = "qz7canary";
const HIDDEN: &str = "qz7hidden";
const AUTHOR: &str = "qz7author";

/// Where canaries go.
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    /// Into every string but the few that say what a record is, and a further member into every object.
    Everything,
    /// Into sentences only, so that names, ids, times, paths and commands work as in a real session.
    Sentences,
}

/// Members that say what a record is; without them it would be an unknown one.
const NATURE: [&str; 7] = ["type", "role", "subtype", "operation", "history_mode", "status", "phase"];
const HIDDEN_MEMBERS: [&str; 3] = ["thinking", "signature", "encrypted_content"];

fn marked(value: &Value, name: &str, hidden: bool, depth: Depth) -> Value {
    match value {
        Value::String(text) if NATURE.contains(&name) => Value::String(text.clone()),
        Value::String(text) if (hidden && name != "id") || HIDDEN_MEMBERS.contains(&name) => {
            Value::String(format!("{text} {HIDDEN}"))
        }
        Value::String(text) => {
            let sentence = text.contains(' ') && !text.starts_with('{') && !text.starts_with("***");
            let mark = depth == Depth::Everything || sentence;
            Value::String(if mark { format!("{text} {CANARY}") } else { text.clone() })
        }
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| marked(item, name, hidden, depth)).collect())
        }
        Value::Object(members) => {
            let kind = members.get("type").and_then(Value::as_str).unwrap_or_default().to_lowercase();
            let hidden = hidden || kind.contains("reasoning") || kind.contains("thinking");
            let mut more: Map<String, Value> = members
                .iter()
                .map(|(name, member)| (name.clone(), marked(member, name, hidden, depth)))
                .collect();
            if depth == Depth::Everything && !hidden {
                more.insert(format!("{CANARY}Member"), CANARY.into());
            }
            Value::Object(more)
        }
        other => other.clone(),
    }
}

/// A transcript with canaries; damaged lines get them too.
fn transcript(file: &Utf8Path, depth: Depth) -> Vec<u8> {
    let bytes = fs::read(file).unwrap();
    if file.file_name() == Some(DOCUMENT) {
        let document = serde_json::from_slice(&bytes).unwrap();
        return serde_json::to_vec_pretty(&marked(&document, "", false, depth)).unwrap();
    }
    let mut out = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        match serde_json::from_slice::<Value>(line) {
            Ok(value @ Value::Object(_)) => {
                serde_json::to_writer(&mut out, &marked(&value, "", false, depth)).unwrap();
            }
            _ if line.is_empty() => {}
            _ => out.extend([line, CANARY.as_bytes()].concat()),
        }
        out.push(b'\n');
    }
    if depth == Depth::Everything {
        let name = file.file_name().unwrap();
        let unknown = if name.starts_with("rollout-") { "response_item" } else { "user" };
        writeln!(out, r#"{{"type":"{CANARY}-type","sessionId":"{CANARY}","uuid":"{CANARY}"}}"#).unwrap();
        writeln!(
            out,
            r#"{{"type":"{unknown}","payload":{{"type":"{CANARY}"}},"message":{{"role":"{CANARY}"}}}}"#
        )
        .unwrap();
        out.extend(format!("{{\"type\":\"{CANARY}").into_bytes());
    }
    out
}

/// The transcripts that are marked.
fn sources() -> Vec<Utf8PathBuf> {
    let shapes = ["public/claude/shapes-2.1.239.jsonl", "public/codex/shapes-2026-08.jsonl"];
    let mut sources = BUNDLED.map(bundled).to_vec();
    sources.extend(corpus("").into_iter().flat_map(|root| shapes.map(|shape| root.join(shape))));
    sources
}

#[track_caller]
fn silent(ran: &Ran, what: &str) {
    for stream in [&ran.stdout, &ran.stderr] {
        let lower = stream.to_lowercase();
        assert!(!lower.contains("qz7"), "{what}: {stream}");
    }
}

/// What anyone could use to recognise a transcript that they have: its exact size and its digests.
fn tells_no_source(ran: &Ran, bytes: &[u8]) {
    let size = bytes.len().to_string();
    let sha256 = recap::base::digest::Digest::of(bytes).to_string();
    let blake3 = blake3::hash(bytes).to_hex();
    let words: Vec<&str> = ran.stdout.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    for told in [size.as_str(), &sha256, &blake3] {
        assert!(!words.contains(&told), "{}", ran.stdout);
    }
}

/// Collected under a name without a canary: a path that the person gave may be repeated.
fn collected(file: &Utf8Path, depth: Depth) -> (Room, Utf8PathBuf) {
    let room = Room::new();
    let bytes = transcript(file, depth);
    let session = room.file(&format!("in/{}", file.file_name().unwrap()), &bytes);
    let manifest = room.path("out/manifest.json");
    for arguments in [
        &["collect", "--session", session.as_str(), "--output", manifest.as_str()][..],
        &["packetize", manifest.as_str()],
        &["validate", manifest.as_str()],
        &["collect", "--session", session.as_str(), "--output", manifest.as_str()],
        &["collect", "--session", session.as_str(), "--output", manifest.as_str(), "--fresh"],
        &["packetize", manifest.as_str()],
        &["-v", "validate", manifest.as_str()],
    ] {
        let ran = room.run(arguments);
        silent(&ran, &format!("{file} {arguments:?}"));
        tells_no_source(&ran, &bytes);
        assert_eq!(ran.status, 0, "{file} {arguments:?}: {}", ran.stderr);
    }
    (room, manifest)
}

#[test]
fn no_receipt_and_no_file_name_holds_a_word_of_the_transcript() {
    for file in sources() {
        for depth in [Depth::Everything, Depth::Sentences] {
            let (room, manifest) = collected(&file, depth);
            for path in listing(&room.path("out")).keys() {
                assert!(!path.as_str().contains("qz7"), "{path}");
            }
            let events = Evidence::open(&manifest).events();
            let first = events.iter().find(|event| event["text"].as_str().unwrap().contains(CANARY)).unwrap();
            let id = first["event_id"].as_str().unwrap();
            let shown = room.run(&["event", manifest.as_str(), id]).stdout;
            assert!(shown.contains(CANARY), "the control shows nothing: {shown}");
            assert!(room.outline(&manifest).contains(CANARY));
        }
    }
}

#[test]
fn hidden_reasoning_is_in_no_file() {
    for file in sources() {
        let written = transcript(&file, Depth::Everything);
        let has_some = String::from_utf8_lossy(&written).contains(HIDDEN);
        assert!(has_some || file.file_name() == Some(DAMAGED), "{file} has nothing to hide");
        let (room, _) = collected(&file, Depth::Everything);
        for (path, (_, _, bytes)) in listing(&room.path("out")) {
            assert!(!String::from_utf8_lossy(&bytes).contains(HIDDEN), "{file}: {path}");
        }
    }
}

#[test]
fn damaged_bytes_are_in_no_file() {
    let room = Room::new();
    let damaged =
        format!("{{\"type\":\"user\",\"text\":\"{CANARY}\u{0}\n{CANARY} not JSON\n{{\"cut\":\"{CANARY}");
    let bytes = [fs::read(bundled(CLAUDE)).unwrap(), damaged.into_bytes()].concat();
    let session = room.file(&format!("in/{CLAUDE}"), bytes);
    let evidence = Evidence::collect(&room, &session);
    assert_eq!(evidence.manifest["coverage"]["records"]["malformed"], 3);
    for (path, (_, _, bytes)) in listing(&room.path("out")) {
        assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{path}");
    }
}

#[test]
fn no_refusal_repeats_a_word_of_what_it_refuses() {
    let (room, manifest) = collected(&bundled(CLAUDE), Depth::Everything);
    let session = room.path(&format!("in/{CLAUDE}"));
    let whole = fs::read(&session).unwrap();
    let collect = ["collect", "--session", session.as_str(), "--output", manifest.as_str()];
    let validate = ["validate", manifest.as_str()];
    let event = ["event", manifest.as_str(), "e3-000000000000"];
    let packet = ["packet", manifest.as_str(), "p0-000000000000"];
    for arguments in [&event[..], &packet] {
        let ran = room.run(arguments);
        silent(&ran, "an id that is not there");
        assert_ne!(ran.status, 0);
    }
    for bytes in [&whole[..whole.len() / 2], CANARY.as_bytes(), b"{\"type\":\"qz7canary\"}\n", b""] {
        fs::write(&session, bytes).unwrap();
        let ran = room.run(&collect);
        silent(&ran, "a changed source");
        assert_ne!(ran.status, 0);
    }
    for (path, (_, _, bytes)) in listing(&room.path("out")) {
        if path.is_dir() || bytes.is_empty() || path.file_name() == Some("SHA256SUMS") {
            continue;
        }
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        for arguments in [
            &validate[..],
            &["packetize", manifest.as_str()],
            &["accounting-draft", manifest.as_str(), "--output", room.path("out/d").as_str()],
        ] {
            silent(&room.run(arguments), path.as_str());
        }
        fs::write(&path, &bytes).unwrap();
    }
}

/// Fills every empty text of a skeleton.
fn fill(value: &mut Value, name: &str) {
    match value {
        Value::String(text) if text.is_empty() && ["label", "summary", "title", "caveat"].contains(&name) => {
            *text = format!("Words of the {AUTHOR}.");
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, name)),
        Value::Object(members) => members.iter_mut().for_each(|(name, member)| fill(member, name)),
        _ => {}
    }
}

pub fn rewrite(path: &Utf8Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, serde_json::to_vec(&value).unwrap()).unwrap();
}

#[test]
fn no_verdict_holds_a_word_of_transcript_or_author() {
    let (room, manifest) = collected(&bundled(CLAUDE), Depth::Sentences);
    let [draft, sealed, synthesis, recap] = ["draft.json", "accounting.json", "synthesis.json", "recap.md"]
        .map(|name| room.path("out").join(name));
    let run = |arguments: &[&str], status: i32| {
        let ran = room.run(arguments);
        silent(&ran, &format!("{arguments:?}"));
        assert_eq!(ran.status, status, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    };
    let (m, d, a, s, r) =
        (manifest.as_str(), draft.as_str(), sealed.as_str(), synthesis.as_str(), recap.as_str());
    run(&["accounting-draft", m, "--output", d], 0);
    run(&["accounting-gaps", m, d], 0);
    rewrite(&draft, |draft| {
        fill(draft, "");
        draft["claims"][0]["kind"] = format!("kind-{AUTHOR}").into();
        draft[format!("member-{AUTHOR}")] = AUTHOR.into();
    });
    run(&["seal-accounting", m, d, "--output", a], 1);
    run(&["accounting-draft", m, "--output", d], 2);
    fs::remove_file(&draft).unwrap();
    run(&["accounting-draft", m, "--output", d], 0);
    rewrite(&draft, |draft| fill(draft, ""));
    run(&["seal-accounting", m, d, "--output", a], 0);
    run(&["validate-accounting", m, a], 0);
    run(&["synthesis-draft", m, a, "--output", s], 0);
    rewrite(&synthesis, |synthesis| {
        fill(synthesis, "");
        synthesis["headline"]["summary"] = format!("{AUTHOR} {}", "x ".repeat(700)).into();
    });
    run(&["validate-synthesis", m, a, s, "--dry-run"], 1);
    rewrite(&synthesis, |synthesis| synthesis["headline"]["summary"] = AUTHOR.into());
    run(&["validate-synthesis", m, a, s], 0);
    run(&["render", m, a, s, "--output", r], 0);
    run(&["attempts", m], 0);
    assert!(fs::read_to_string(&recap).unwrap().contains(AUTHOR));
    for path in listing(&room.path("out")).keys() {
        assert!(!path.as_str().contains("qz7"), "{path}");
    }
}

/// Files of `src/stage` that write themselves, how often, and why that needs no second look.
const WRITERS: [(&str, usize, &str); 4] = [
    ("assay.rs", 3, "it is the second look"),
    ("collect.rs", 1, "the manifest, looked at before the files that it names are kept"),
    ("demo.rs", 1, "the bundled session and drafts, as the person's own files"),
    ("sums.rs", 1, "digests and file names of ours"),
];

#[test]
fn every_artifact_of_a_stage_goes_through_the_second_look() {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("src/stage");
    let mut found = Vec::new();
    for entry in folder.read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let count = code.matches(".write(").count();
        if count > 0 {
            found.push((path.file_name().unwrap().to_owned(), count));
        }
    }
    found.sort();
    let known: Vec<_> = WRITERS.map(|(file, count, _)| (file.to_owned(), count)).into();
    assert_eq!(found, known, "write through `assay::publish`, or say here why not");
}

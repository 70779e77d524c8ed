//! The end of a session, through the built pipeline: what its own git commands state, that it grows with the session,
//! that nobody can write another end into a manifest, and that the recap says who said it.

use std::fs;

use camino::Utf8PathBuf;
use recap::base::json::canonical;
use recap::base::rules::Code;
use recap::report::Format;
use recap::stage::draft_accounting::accounting_draft;
use recap::stage::draft_synthesis::synthesis_draft;
use recap::stage::render::render;
use recap::stage::seal_accounting::seal_accounting;
use recap::stage::validate_synthesis::validate_synthesis;
use serde_json::{Value, json};

use super::evidence::Evidence;
use super::leaks::rewrite;
use super::program::{Room, beside};
use super::resume::Growing;

const SESSION: &str = "3e3e3f30-1111-4222-8333-444455556666";
const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";
const TESTED: &str = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";

/// The rows of a session of Claude Code: a wish, calls with their outputs and exit statuses, an answer.
pub fn rows(calls: &[(&str, Value, &str, u32)]) -> Vec<Value> {
    let person = json!({"role": "user", "content": "Please do it."});
    let mut rows = vec![json!({"type": "user", "uuid": "u0", "sessionId": SESSION, "message": person})];
    for (number, (name, input, output, status)) in calls.iter().enumerate() {
        let id = format!("toolu_{number}");
        let call = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        let output =
            if *status == 0 { (*output).to_owned() } else { format!("Exit code {status}\n{output}") };
        let result =
            json!({"type": "tool_result", "tool_use_id": id, "content": output, "is_error": *status > 0});
        rows.push(row("assistant", &format!("a{number}"), call));
        rows.push(row("user", &format!("r{number}"), result));
    }
    rows.push(row("assistant", "z", json!({"type": "text", "text": "Done."})));
    rows
}

fn row(role: &str, uuid: &str, block: Value) -> Value {
    let message = json!({"id": format!("msg_{uuid}"), "role": role, "model": "claude-x", "content": [block]});
    json!({"type": role, "uuid": uuid, "sessionId": SESSION, "timestamp": "2026-01-01T00:00:00Z", "message": message})
}

pub fn bash(command: &str) -> Value {
    json!({"command": command})
}

/// An edit, a run, a commit, and what git says then.
fn stated() -> Vec<Value> {
    let edit = json!({"file_path": "/w/a.rs", "old_string": "a", "new_string": "b"});
    rows(&[
        ("Edit", edit, "The file /w/a.rs has been updated.", 0),
        ("Bash", bash("cargo test"), TESTED, 0),
        ("Bash", bash("git commit -qam Done && git rev-parse HEAD"), HEAD, 0),
        ("Bash", bash("git status"), "On branch main\nnothing to commit, working tree clean", 0),
    ])
}

pub fn lines(rows: &[Value]) -> Vec<u8> {
    rows.iter().map(|row| format!("{row}\n")).collect::<String>().into_bytes()
}

fn collected(rows: &[Value]) -> (Room, Utf8PathBuf) {
    let room = Room::in_memory();
    let source = room.file(&format!("{SESSION}.jsonl"), lines(rows));
    let manifest = room.path("out/manifest.json");
    room.collect(&source, &manifest).unwrap();
    room.validate(&manifest).unwrap();
    (room, manifest)
}

#[test]
fn the_manifest_names_facts_with_call_and_result() {
    let (_room, manifest) = collected(&stated());
    let evidence = Evidence::open(&manifest);
    let id = |ordinal: usize| evidence.events()[ordinal]["event_id"].clone();
    let fact = |kind: &str, value: &str, call: usize| json!({"kind": kind, "value": value, "workdir": null, "event": id(call), "result": id(call + 1)});
    let facts = [fact("head", HEAD, 5), fact("branch", "main", 7), fact("clean", "true", 7)];
    assert_eq!(evidence.manifest["git"]["session_end"], json!({"facts": facts}));
    let last = json!({"event": id(1), "kind": "file_mutation"});
    assert_eq!(evidence.manifest["git"]["session_observed"]["last_mutation"], last);
    // A push may change what a hook changes; then nothing is known.
    let mut pushed = stated();
    let rest = rows(&[("Bash", bash("git push"), "", 0)]);
    pushed.extend(rest.into_iter().skip(1).map(|mut row| {
        row["uuid"] = json!(format!("p{}", row["uuid"]));
        serde_json::from_str(&row.to_string().replace("toolu_0", "toolu_p").replace("msg_", "msg_p")).unwrap()
    }));
    let (_room, manifest) = collected(&pushed);
    assert_eq!(Evidence::open(&manifest).manifest["git"]["session_end"], "unknown");
}

#[test]
fn a_session_that_grows_ends_as_if_collected_at_once() {
    let whole = lines(&stated());
    for cut in (0..whole.len()).filter(|place| *place > 0 && whole[*place - 1] == b'\n') {
        let growing = Growing::new(&format!("{SESSION}.jsonl"), whole.clone());
        growing.collect(cut).unwrap();
        assert!(growing.collect(whole.len()).unwrap(), "read again from the beginning at {cut}");
        growing.is_as_if_collected_at_once();
    }
}

#[test]
fn another_end_is_refused() {
    let (room, manifest) = collected(&stated());
    let whole = fs::read(&manifest).unwrap();
    let document: Value = serde_json::from_slice(&whole).unwrap();
    let end = &document["git"]["session_end"];
    let facts = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut facts = end["facts"].as_array().unwrap().clone();
        change(&mut facts);
        json!({ "facts": facts })
    };
    let (head, branch) = (end["facts"][0].clone(), end["facts"][1].clone());
    for (what, place, other) in [
        ("nothing", "/git/session_end", json!("unknown")),
        ("another commit", "/git/session_end/facts/0/value", json!(HEAD.replace('0', "1"))),
        ("another branch", "/git/session_end/facts/1/value", json!("other")),
        ("not clean", "/git/session_end/facts/2/value", json!("false")),
        ("another folder", "/git/session_end/facts/0/workdir", json!("/w")),
        ("another call", "/git/session_end/facts/0/event", branch["event"].clone()),
        ("another result", "/git/session_end/facts/0/result", branch["result"].clone()),
        ("one less", "/git/session_end", facts(&|facts| drop(facts.pop()))),
        ("one twice", "/git/session_end", facts(&|facts| facts.push(head.clone()))),
        ("another order", "/git/session_end", facts(&|facts| facts.swap(0, 1))),
        ("no mutation", "/git/session_observed/last_mutation", Value::Null),
        ("another mutation", "/git/session_observed/last_mutation/event", head["event"].clone()),
        ("another kind", "/git/session_observed/last_mutation/kind", json!("shell_write")),
    ] {
        let mut changed = document.clone();
        *changed.pointer_mut(place).unwrap() = other;
        fs::write(&manifest, canonical::to_bytes(&changed).unwrap()).unwrap();
        let code = room.validate(&manifest).err().map(|refusal| refusal.code());
        assert_eq!(code, Some(Code::ObservationsMismatch), "{what}");
    }
    for (what, other) in [
        ("no facts", json!({"facts": []})),
        ("another word", json!("clean")),
        ("null", Value::Null),
        ("more members", json!({"facts": [head.clone()], "now": true})),
    ] {
        let mut changed = document.clone();
        changed["git"]["session_end"] = other;
        fs::write(&manifest, canonical::to_bytes(&changed).unwrap()).unwrap();
        assert!(room.validate(&manifest).is_err(), "{what}");
    }
    fs::write(&manifest, whole).unwrap();
    room.validate(&manifest).unwrap();
}

#[test]
fn an_end_that_nobody_stated_is_refused() {
    let (room, manifest) = collected(&rows(&[("Bash", bash("ls"), "a", 0)]));
    let mut document: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    assert_eq!(document["git"]["session_end"], "unknown");
    let events = Evidence::open(&manifest).events();
    let fact = json!({"kind": "clean", "value": "true", "workdir": null,
        "event": events[1]["event_id"], "result": events[2]["event_id"]});
    document["git"]["session_end"] = json!({"facts": [fact]});
    fs::write(&manifest, canonical::to_bytes(&document).unwrap()).unwrap();
    let code = room.validate(&manifest).err().map(|refusal| refusal.code());
    assert_eq!(code, Some(Code::ObservationsMismatch));
}

#[test]
fn a_secret_in_what_git_said_is_scrubbed_or_no_fact() {
    let token = ["gh", "p_", "x9Kq2mZ7Lw4Rt8Yv3Bn6", "Cd1Fg5Hj0Pq2Sa7E"].concat();
    let (room, manifest) = collected(&rows(&[
        ("Bash", bash("git branch --show-current"), &token, 0),
        ("Bash", bash(&format!("git -C /w/{token} status --porcelain")), "", 0),
    ]));
    assert_eq!(Evidence::open(&manifest).manifest["git"]["session_end"], "unknown");
    for (path, (_, _, bytes)) in super::program::listing(&room.path("out")) {
        assert!(!String::from_utf8_lossy(&bytes).contains(&token), "{path}");
    }
}

/// Drafts and renders by rule; gives the synthesis and the recap.
fn told(rows: &[Value], change: impl FnOnce(&mut Value)) -> (Vec<String>, String) {
    let (room, manifest) = collected(rows);
    room.packetize(&manifest).unwrap();
    let world = room.world();
    let [draft, accounting, synthesis, recap] = beside(&manifest);
    accounting_draft(&world, &manifest, &draft, None).unwrap();
    rewrite(&draft, words);
    assert!(seal_accounting(&world, &manifest, &draft, &accounting, None).unwrap().receipt.is_valid());
    synthesis_draft(&world, &manifest, &accounting, &synthesis, None).unwrap();
    rewrite(&synthesis, |value| {
        words(value);
        change(value);
    });
    let verdict = validate_synthesis(&world, &manifest, &accounting, &synthesis, None, true).unwrap();
    let sorted = verdict.violations.sorted();
    let found: Vec<String> =
        sorted.iter().map(|one| format!("{} {}", one.code.as_str(), one.pointer)).collect();
    if found.is_empty() {
        assert!(
            render(&world, &manifest, &accounting, &synthesis, &recap, Format::Markdown)
                .unwrap()
                .receipt
                .is_valid()
        );
    }
    (found, fs::read_to_string(&recap).unwrap_or_default())
}

fn words(value: &mut Value) {
    match value {
        Value::String(text) if text.is_empty() => *value = json!("Words."),
        Value::Array(items) => items.iter_mut().for_each(words),
        Value::Object(members) => members.values_mut().for_each(words),
        _ => {}
    }
}

#[test]
fn the_recap_says_who_said_it_and_what_was_verified_after_the_last_mutation() {
    let (found, recap) = told(&stated(), |_| {});
    assert_eq!(found, Vec::<String>::new());
    let line = |begins: &str| recap.lines().find(|line| line.starts_with(begins)).unwrap().to_owned();
    assert_eq!(
        line("- Git session_end"),
        format!(
            "- Git session_end: branch `main`, clean as said by event 8; head `{HEAD}` as said by event 6; \
             no later event is known to change it"
        )
    );
    assert_eq!(
        line("- Last mutation"),
        "- Last mutation: event 1 (file\\_mutation); verification runs after it: 1 passed"
    );
    let (_, recap) = told(&rows(&[("Bash", bash("ls"), "a", 0)]), |_| {});
    assert!(recap.contains("\n- Last mutation: none observed\n- Git session_end: unknown\n"), "{recap}");
}

#[test]
fn the_rules_hold_over_what_a_transcript_shows() {
    let run = |command: &str, output: &'static str, status| ("Bash", bash(command), output, status);
    let state = |draft: &mut Value, outcome: &str, basis: Option<&str>| {
        draft["verification"][0]["outcome"] = json!(outcome);
        draft["verification"][0].as_object_mut().unwrap().remove("basis");
        if let Some(basis) = basis {
            draft["verification"][0]["basis"] = json!(basis);
        }
    };
    let mismatch = ["verification-outcome-mismatch /verification/0/command_event_id"];
    let piped = rows(&[run("cargo test | tail -3", TESTED, 0)]);
    assert_eq!(told(&piped, |draft| state(draft, "passed", None)).0, mismatch);
    let (found, recap) = told(&piped, |draft| state(draft, "passed", Some("reported_by_output")));
    assert_eq!(found, Vec::<String>::new());
    assert!(recap.contains("passed as its output reports; status masked by a pipe"), "{recap}");
    let whole = rows(&[run("cargo test", TESTED, 0)]);
    assert_eq!(told(&whole, |draft| state(draft, "retried", None)).0, mismatch);
    let overtaken = rows(&[run("cargo test", TESTED, 0), run("sed -i s/a/b/ src/a.rs", "", 0)]);
    let claim = |draft: &Value, section: &str| draft[section][0]["accounting_claim_ids"][0].clone();
    let rests = |draft: &mut Value| {
        draft["final_state"][0]["accounting_claim_ids"] =
            json!([claim(draft, "final_state"), claim(draft, "verification")]);
        draft["final_state"][0]["source_label"] = json!("session_observed");
    };
    assert_eq!(told(&overtaken, rests).0, ["verification-stale /final_state/0"]);
    assert_eq!(told(&whole, rests).0, Vec::<String>::new());
    let failed = json!({"file_path": "/w/a.rs", "old_string": "a", "new_string": "b"});
    let failed = rows(&[
        ("Edit", failed, "String to replace not found in file.", 1),
        run("git mv b.rs c.rs && git commit -m Move", "[main abc1234] Move\n 1 file changed", 0),
    ]);
    let names = |list: &str, value: &str| {
        let (list, value) = (list.to_owned(), value.to_owned());
        move |draft: &mut Value| {
            let last = draft["changes"].as_array_mut().unwrap().last_mut().unwrap();
            last[&list] = json!([value]);
        }
    };
    for (list, value, allowed) in [
        ("paths", "b.rs", true),
        ("paths", "c.rs", true),
        ("paths", "/w/a.rs", false),
        ("commits", "abc1234", true),
        ("commits", "abc1235", false),
    ] {
        let found = told(&failed, names(list, value)).0;
        assert_eq!(found.is_empty(), allowed, "{list} {value}: {found:?}");
    }
}

//! The small samples: one trap each, and what their descriptions say is right. Where the corpus is not there the
//! cases with an input of their own are skipped; the bundled transcripts hold most of the traps too.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::process::Command;

use camino::Utf8PathBuf;
use recap::base::credential::Spotter;
use recap::evidence::scrub::{Numbering, Spotted};
use recap::evidence::transcript::raw::Raw;
use serde_json::Value;

use super::evidence::{Evidence, numbers, span, text};
use super::program::Room;
use super::samples::corpus;

/// The input of a case in a room, decompressed.
fn input(case: &str, room: &Room) -> Option<Utf8PathBuf> {
    let folder = corpus("small")?.join(case);
    let files = folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
    let file = files.into_iter().find(|file| file.as_str().contains(".jsonl")).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    if file.extension() == Some("gz") {
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).unwrap();
        bytes = plain;
    }
    Some(room.file(file.file_name().unwrap().trim_end_matches(".gz"), bytes))
}

fn case(name: &str) -> Option<(Vec<u8>, Evidence)> {
    let room = Room::new();
    let file = input(name, &room)?;
    let evidence = Evidence::collect(&room, &file);
    Some((fs::read(&file).unwrap(), evidence.keep(room)))
}

/// Offset and length of every line that is not empty.
fn lines(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut offset = 0;
    let lines = bytes.split(|byte| *byte == b'\n').map(|line| {
        offset += line.len() + 1;
        (offset - line.len() - 1, line.len())
    });
    lines.filter(|(_, length)| *length > 0).collect()
}

#[test]
fn bookkeeping_before_the_first_turn_is_structural() {
    let Some((bytes, evidence)) = case("01") else { return };
    assert_eq!(evidence.dispositions(), ["structural", "structural", "structural", "events", "events"]);
    assert_eq!(evidence.spans(), lines(&bytes));
    assert_eq!(evidence.texts("user"), ["Paint the lamp green."]);
    assert_eq!(evidence.events().len(), 2);
    assert!(text(&evidence.manifest["boundary"]["id"]).starts_with("recap://claude/"));
}

#[test]
fn a_lone_surrogate_is_replaced_once_and_flagged() {
    let Some((bytes, evidence)) = case("03") else { return };
    assert_eq!(evidence.spans(), lines(&bytes));
    let flags: Vec<Value> = evidence.records().iter().map(|record| record["flags"].clone()).collect();
    let repaired = serde_json::json!(["repaired"]);
    let none = serde_json::json!([]);
    assert_eq!(flags, [none.clone(), repaired.clone(), repaired, none]);
    let texts: Vec<String> = evidence.events().iter().map(|event| text(&event["text"]).to_owned()).collect();
    assert_eq!(texts[1], "Done, all lights on \u{fffd} end");
    assert_eq!(texts[2], "Next: \u{fffd} dim them");
    assert_eq!(texts.len(), 4);
}

#[test]
fn an_unknown_parent_is_listed_and_a_snapshot_is_no_message() {
    let Some((_, evidence)) = case("05") else { return };
    assert_eq!(evidence.dispositions(), ["events", "events", "structural", "events", "events"]);
    let relations = evidence.stream("relations");
    let dangling: Vec<&Value> = relations.iter().filter(|row| row["relation"] == "dangling_parent").collect();
    assert_eq!(dangling.len(), 1);
    assert_eq!(dangling[0]["parent"], "aaaaaaaa-0000-4000-8000-000000000099");
    assert_eq!(dangling[0]["record_offset"], evidence.records()[3]["offset"]);
}

#[test]
fn an_unknown_parent_is_a_limitation() {
    let Some((_, evidence)) = case("05") else { return };
    assert_eq!(evidence.manifest["limitations"]["dangling-parent"], 1);
}

#[test]
fn what_differs_between_copies_is_listed() {
    let Some((_, evidence)) = case("07") else { return };
    let records: Vec<String> = evidence.records()[2..].iter().map(Value::to_string).collect();
    assert!(!records[0].contains("gitBranch") && !records[0].contains("slug"));
    assert!(records[1].contains("gitBranch") && records[1].contains("version"), "{}", records[1]);
    assert!(records[2].contains("slug"), "{}", records[2]);
}

#[test]
fn copies_under_one_uuid_are_mirrors_of_the_first() {
    let Some((_, evidence)) = case("07") else { return };
    assert_eq!(evidence.dispositions(), ["events", "events", "mirror", "mirror", "mirror"]);
    let records = evidence.records();
    for mirror in &records[2..] {
        assert_eq!(mirror["mirror_of"]["offset"], records[1]["offset"]);
        assert_eq!(mirror["mirror_of"]["grade"], "id");
    }
    assert_eq!((evidence.texts("user").len(), evidence.texts("assistant").len()), (1, 1));
}

#[test]
fn a_line_of_ten_mebibytes_is_a_record_like_any_other() {
    let room = Room::new();
    let session = "00000009-0000-4000-8000-000000000009";
    let row = |number: u32, text: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"aaaaaaaa-0000-4000-8000-00000000000{number}\",\"parentUuid\":null,\"sessionId\":\
             \"{session}\",\"timestamp\":\"2031-03-04T05:00:0{number}.000Z\",\"cwd\":\"/w\",\"message\":{{\"role\":\"user\",\
             \"content\":\"{text}\"}}}}\n"
        )
    };
    let long = "x".repeat(10_485_761);
    let bytes = [row(1, "First."), row(2, &long), row(3, "Last.")].concat();
    let file = room.file(&format!("{session}.jsonl"), &bytes);
    let evidence = Evidence::collect(&room, &file);
    assert_eq!(evidence.spans(), lines(bytes.as_bytes()));
    assert_eq!(evidence.texts("user"), ["First.".to_owned(), long, "Last.".to_owned()]);
}

#[test]
fn a_whole_record_behind_a_cut_one_is_recovered() {
    let Some((bytes, evidence)) = case("11") else { return };
    let ids: Vec<Value> = evidence.events().iter().map(|event| event["native_id"].clone()).collect();
    let expected: Vec<String> =
        (1..=6).map(|number| format!("aaaaaaaa-0000-4000-8000-00000000000{number}")).collect();
    assert_eq!(ids, expected);
    let records = evidence.records();
    let line = lines(&bytes)[2].0;
    let fragment = &records[2];
    assert_eq!((fragment["disposition"].clone(), span(fragment).0), ("malformed".into(), line));
    let recovered = &records[3];
    assert_eq!(span(fragment).1, span(recovered).0 - line, "fragment and record touch");
    assert!(bytes[span(recovered).0..].starts_with(b"{\"type\":\"assistant\",\"uuid\""));
    assert_eq!(recovered["flags"], serde_json::json!(["recovered"]));
    assert_eq!(records[4]["flags"], serde_json::json!([]));
    assert_eq!(records[5]["flags"], serde_json::json!(["fused"]));
    assert_eq!(evidence.manifest["coverage"]["source_complete"], false);
    assert_eq!(records.len(), 7);
}

#[test]
fn nul_runs_are_malformed_and_an_unfinished_one_is_the_tail() {
    let Some((bytes, evidence)) = case("13") else { return };
    assert_eq!(evidence.dispositions(), ["events", "malformed", "events", "malformed", "events"]);
    let spans = evidence.spans();
    for (place, run) in [(1, 300), (3, 64)] {
        let (offset, length) = spans[place];
        assert_eq!(length, run);
        assert!(bytes[offset..offset + length].iter().all(|byte| *byte == 0));
    }
    let tail = span(&evidence.manifest["coverage"]["partial_tail"]);
    assert_eq!(tail, (bytes.len() - 128, 128));
    assert_eq!(evidence.manifest["coverage"]["source_complete"], false);
}

#[test]
fn a_token_is_gone_at_every_nesting_and_its_neighbours_are_kept() {
    let Some((_, evidence)) = case("15") else { return };
    let events = evidence.events();
    assert_eq!(events.len(), 3);
    let whole = serde_json::to_string(&events).unwrap();
    assert!(!whole.contains("ghp_") && !whole.contains("40917"), "{whole}");
    for kept in ["out.txt", "--- fetch token --- ok", "input_tokens", "\\\"n\\\\\\\"", "a/b", "stdout"] {
        assert!(whole.contains(kept), "{kept} is gone: {whole}");
    }
    assert!(text(&events[1]["text"]).contains("\"input_tokens\":12"));
    assert_eq!(whole.matches("[redacted:github-token#1]").count(), 3, "one value, one number: {whole}");
    let mut numbering = Numbering::new([9; 32]);
    for event in &events {
        let once = text(&event["text"]);
        let again = numbering.scrub(Spotted::new(Raw::from(once.to_owned()), Spotter::global()));
        assert_eq!(again.as_str(), once, "scrubbing again changes nothing");
        for redaction in event["redactions"].as_array().unwrap() {
            let place = |name: &str| redaction[name].as_u64().unwrap() as usize;
            assert!(once[place("start")..place("end")].starts_with("[redacted:"));
        }
    }
}

#[test]
fn harmless_look_alikes_are_kept() {
    let Some((bytes, evidence)) = case("17") else { return };
    let first: Value = serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(evidence.texts("user"), [text(&first["message"]["content"])]);
    assert_eq!(numbers(&evidence.manifest["redactions"]), []);
}

#[test]
fn a_deleted_folder_tells_nothing_of_the_repository_around_it() {
    let room = Room::new();
    let outer = room.folder("outer");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"]).args(arguments);
        command.current_dir(&outer).env("HOME", &outer).env("GIT_CONFIG_NOSYSTEM", "1").output()
    };
    if git(&["init", "--quiet", "--initial-branch=branch-of-outer"]).is_err() {
        println!("skipped: no git");
        return;
    }
    room.file("outer/dirty.txt", "x");
    git(&["commit", "--quiet", "--allow-empty", "-m", "subject of outer"]).unwrap();
    let head = git(&["rev-parse", "HEAD"]).unwrap().stdout;
    let head = String::from_utf8(head).unwrap();

    let transcript = input("19", &room)
        .map_or_else(own_case_of_a_deleted_folder, |file| fs::read_to_string(file).unwrap());
    let transcript = transcript.replace("@DIR@", room.path("").as_str().trim_end_matches('/'));
    let file = room.file("claude/projects/x/00000019-0000-4000-8000-000000000019.jsonl", transcript);
    let output = room.path("out/manifest.json");
    let config = room.path("claude");
    let ran = room.run_with(
        &["collect", "--session", file.as_str(), "--output", output.as_str()],
        &[("CLAUDE_CONFIG_DIR", config.as_str())],
    );
    let receipt = ran.receipt();
    assert!(receipt["limitations"]["folder-missing"].as_u64() >= Some(1), "{receipt}");
    assert_eq!(receipt["counts"]["repositories_verified"], 0);
    let evidence = Evidence::open(&output);
    let commit = evidence.stream("observations");
    assert!(serde_json::to_string(&commit).unwrap().contains("1a2b3c4"), "{commit:?}");
    let everything = super::program::listing(&room.path("out"));
    let outer_only = ["branch-of-outer", "subject of outer", "dirty.txt", head.trim()];
    for (path, (_, _, bytes)) in everything {
        let bytes = String::from_utf8_lossy(&bytes);
        assert!(!outer_only.iter().any(|word| bytes.contains(word)), "{path}");
    }
    let folder = room.path("outer/wt/note");
    let not_probed = serde_json::json!({"code": "folder-missing", "path": folder.as_str()});
    assert!(evidence.manifest["git"]["not_probed"].as_array().unwrap().contains(&not_probed));
}

/// The same story where the corpus is not there.
fn own_case_of_a_deleted_folder() -> String {
    let session = "00000019-0000-4000-8000-000000000019";
    let mut rows = String::new();
    let call = r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"git commit -m note"}}"#;
    let result =
        r#"{"type":"tool_result","tool_use_id":"t1","content":"[side 1a2b3c4] note","is_error":false}"#;
    for (number, kind, content) in [
        (1, "user", "\"Commit.\"".to_owned()),
        (2, "assistant", format!("[{call}]")),
        (3, "user", format!("[{result}]")),
    ] {
        let _ = writeln!(
            rows,
            r#"{{"type":"{kind}","uuid":"bbbbbbbb-0000-4000-8000-00000000000{number}","sessionId":"{session}","timestamp":"2031-03-04T05:00:0{number}.000Z","cwd":"@DIR@/outer/wt/note","message":{{"role":"{kind}","content":{content}}}}}"#
        );
    }
    rows
}

/// A tool's data can hold what looks like rows. Where its own row is damaged, they speak for nobody.
#[test]
fn rows_inside_of_a_damaged_row_are_nobody_s_words() {
    let session = "2d2e2f20-1111-4222-8333-444455556666";
    let row = |uuid: &str, words: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{uuid}\",\"sessionId\":\"{session}\",\"message\":{{\"role\":\"user\",\
             \"content\":\"{words}\"}}}}"
        )
    };
    let whole = format!(
        "{{\"type\":\"user\",\"uuid\":\"u2\",\"sessionId\":\"{session}\",\"toolUseResult\":{{\"rows\":[{}],\"n\":1}},\
         \"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"x\"}}]}}}}",
        row("u9", "FORGED")
    );
    let holes = [
        whole.replacen("\"u2\"", "\"u2", 1),
        whole.replacen("\"n\":1", "\"n\":\0\0", 1),
        whole[..whole.len() - 40].to_owned(),
    ];
    for (number, damaged) in holes.iter().enumerate() {
        let room = Room::new();
        let lines = format!("{}\n{damaged}{}\n", row("u1", "Mend it."), row("u3", "GLUED"));
        let evidence = Evidence::collect(&room, &room.file(&format!("{session}.jsonl"), lines));
        let users = evidence.texts("user");
        assert_eq!(users, ["Mend it.", "GLUED"], "hole {number}");
        // The glued row is kept, and says that it stood behind damage.
        let glued = &evidence.events()[1];
        assert_eq!((text(&glued["facets"][0]), text(&glued["actor_grade"])), ("recovered", "assumed"));
    }
}

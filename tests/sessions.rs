//! What lies below the harness roots, through the program: lists for a program and for anybody, names that lead to
//! one file, and every way to end without one. A refusal leaves nothing behind.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, SystemTime};

use camino::Utf8PathBuf;
use recap::base::ids::{BoundaryId, Harness};
use recap::base::schemas;
use recap::base::violations::Violations;
use recap::stage::sessions::{Ask, sessions};
use recap::stage::sessions_text::{for_a_person, for_a_program};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;

use super::program::{Ran, Room, listing};
use super::samples::corpus;

const ONE: &str = "11111111-0000-4000-8000-000000000001";
const TWO: &str = "22222222-0000-4000-8000-000000000002";
const THREAD: &str = "01a229c3-bea0-76f1-a6a0-540e5f087013";
const LATER: &str = "01a229c3-f27b-79a3-a417-c96d40099ed7";

fn row(session: &str, more: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"{session}\",\"cwd\":\"/qz7place\",\"gitBranch\":\"qz7branch\",\
         \"message\":{{\"role\":\"user\",\"content\":\"qz7words\"}}{more}}}\n"
    )
}

fn rollout(thread: &str, more: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-11-30T00:00:00.000Z\",\"type\":\"session_meta\",\
         \"payload\":{{\"id\":\"{thread}\",\"cwd\":\"/qz7other\",\"git\":{{\"branch\":\"main\"}}{more}}}}}\n\
         {{\"timestamp\":\"2026-11-30T00:00:01.000Z\",\"type\":\"event_msg\",\
         \"payload\":{{\"type\":\"user_message\",\"message\":\"qz7words\"}}}}\n"
    )
}

fn claude(room: &Room, name: &str, text: &str) -> Utf8PathBuf {
    room.file(&format!(".claude/projects/-qz7folder/{name}"), text)
}

fn codex(room: &Room, name: &str, text: &str) -> Utf8PathBuf {
    room.file(&format!(".codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-{name}"), text)
}

fn id(harness: Harness, session: &str, agent: Option<&str>, rollout: Option<&str>) -> String {
    BoundaryId::derive(harness, session, agent, rollout).to_string()
}

/// Both harnesses, one shape each.
fn filled() -> Room {
    let room = Room::new();
    claude(&room, &format!("{ONE}.jsonl"), &row(ONE, ""));
    let child = row(ONE, ",\"isSidechain\":true,\"agentId\":\"a1\"");
    claude(&room, &format!("{ONE}/subagents/agent-a1.jsonl"), &child);
    claude(&room, &format!("{TWO}.jsonl"), "");
    codex(&room, &format!("{THREAD}.jsonl"), &rollout(THREAD, ""));
    let base = format!(",\"history_base\":{{\"thread_id\":\"{THREAD}\",\"end_byte_offset\":9}}");
    codex(&room, &format!("{THREAD}_{LATER}.jsonl"), &rollout(THREAD, &base));
    room
}

/// Sets when a file was last changed, in days before the clock of the tests.
fn age(path: &Utf8PathBuf, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 86_400);
    File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
}

fn ids(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| line.starts_with("recap://"));
    lines.map(|line| line.split_whitespace().next().unwrap()).collect()
}

fn json(room: &Room, more: &[&str]) -> Value {
    let ran = room.run(&[&["sessions", "--json"], more].concat());
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.lines().count(), 1);
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut violations = Violations::default();
    schemas::check("sessions", &value, &mut violations);
    assert!(violations.is_empty(), "{:?}\n{value}", violations.sorted());
    value
}

#[test]
fn anybody_gets_boundary_ids_and_flags_alone() {
    let room = filled();
    let ran = room.run(&["sessions", "--all"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let mut found = ids(&ran.stdout);
    found.sort_unstable();
    let mut expected = [
        id(Harness::Claude, ONE, None, None),
        id(Harness::Claude, ONE, Some("a1"), None),
        id(Harness::Codex, THREAD, None, None),
        id(Harness::Codex, THREAD, None, Some(LATER)),
    ];
    expected.sort();
    assert_eq!(found, expected);
    for private in ["qz7", "/", ".jsonl", "2026", " B"] {
        let text = ran.stdout.replace("recap://claude/", "").replace("recap://codex/", "");
        assert!(!text.contains(private), "{private}: {}", ran.stdout);
    }
    for flag in ["  child\n", "  superseded\n"] {
        assert!(ran.stdout.contains(flag), "{}", ran.stdout);
    }
    assert!(
        ran.stdout
            .contains("no session: 1 × an empty file\nsearched claude projects: 3 files in 3 folders\n")
    );
    assert!(ran.stdout.ends_with("searched codex archived_sessions: not there\n"), "{}", ran.stdout);
}

#[test]
fn without_all_a_session_is_listed_once_and_the_rest_is_counted() {
    let room = filled();
    let found = json(&room, &[]);
    let listed: Vec<&str> =
        found["sessions"].as_array().unwrap().iter().map(|row| row["boundary"].as_str().unwrap()).collect();
    let mut expected = [id(Harness::Claude, ONE, None, None), id(Harness::Codex, THREAD, None, Some(LATER))];
    expected.sort();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(found["hidden"], serde_json::json!({"child": 1, "superseded": 1}));
    assert_eq!(found["not_sessions"], serde_json::json!({"empty": 1}));
    assert_eq!(found["no_session_files"], serde_json::json!([]));
    let all = json(&room, &["--all"]);
    assert_eq!(all["sessions"].as_array().unwrap().len(), 4);
    assert!(all["no_session_files"][0]["path"].as_str().unwrap().ends_with(&format!("{TWO}.jsonl")));
    let child = all["sessions"].as_array().unwrap().iter().find(|row| row["kind"] == "child").unwrap();
    assert_eq!(child["links"][0]["boundaries"], serde_json::json!([id(Harness::Claude, ONE, None, None)]));
    assert_eq!(child["native_id"], "agent-a1");
}

#[test]
fn filters_take_harness_place_branch_time_and_number() {
    let room = filled();
    age(&codex(&room, &format!("{THREAD}_{LATER}.jsonl"), &rollout(THREAD, "")), 3);
    age(&codex(&room, &format!("{THREAD}.jsonl"), &rollout(THREAD, "")), 5);
    let (session, thread) =
        (id(Harness::Claude, ONE, None, None), id(Harness::Codex, THREAD, None, Some(LATER)));
    let first = id(Harness::Codex, THREAD, None, None);
    let asked = |more: &[&str]| {
        let ran = room.run(&[&["sessions"], more].concat());
        ids(&ran.stdout).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(asked(&[]), [session.as_str(), thread.as_str(), first.as_str()]);
    assert_eq!(asked(&["--limit", "2"]), [session.as_str(), thread.as_str()]);
    assert_eq!(asked(&["--harness", "claude"]), [session.as_str()]);
    assert_eq!(asked(&["--branch", "main"]), [thread.as_str(), first.as_str()]);
    assert_eq!(asked(&["--cwd", "/qz7place"]), [session.as_str()]);
    assert_eq!(asked(&["--cwd", "/qz7place/../qz7place/."]), [session.as_str()]);
    assert_eq!(asked(&["--cwd", "/qz7"]), Vec::<String>::new());
    assert_eq!(asked(&["--since", "4d"]), [session.as_str(), thread.as_str()]);
    assert_eq!(asked(&["--since", "2 days"]), [session.as_str()]);
    assert_eq!(room.run(&["sessions", "--since", "yesterday"]).status, 2);
    assert_eq!(room.run(&["sessions", "--all", "--limit", "3"]).status, 2);
}

#[test]
fn a_place_is_known_behind_its_links() {
    let room = Room::new();
    let real = room.folder("real");
    symlink(&real, room.path("link")).unwrap();
    let text = row(ONE, "").replace("/qz7place", real.join("src").as_str());
    claude(&room, &format!("{ONE}.jsonl"), &text);
    assert_eq!(ids(&room.run(&["sessions", "--cwd", "link"]).stdout).len(), 1);
    assert_eq!(ids(&room.run(&["sessions", "--cwd", "lin"]).stdout).len(), 0);
}

#[test]
fn nothing_found_says_what_was_searched_and_ends_with_its_code() {
    let room = Room::new();
    for json in [&["sessions"][..], &["sessions", "--json"]] {
        let ran = room.run(json);
        assert_eq!((ran.status, ran.code()), (1, "session-not-found"));
        assert!(ran.stdout.contains("archived_sessions"), "{}", ran.stdout);
    }
}

#[test]
fn words_of_a_transcript_are_scrubbed_and_cannot_speak_to_a_terminal() {
    let room = Room::new();
    let token = format!("{}_{}", "ghp", "a1B2c3D4".repeat(5));
    let hostile = format!("/w/{token}\\n\\u202e\\u001b[2J  fake  child");
    let text = row(ONE, "").replace("/qz7place", &hostile).replace("qz7branch", &format!("x-{token}"));
    claude(&room, &format!("{ONE}.jsonl"), &text);
    claude(&room, &format!("{token}.jsonl"), &row(TWO, ""));
    let world = room.world();
    let found = sessions(&world, &Ask::default()).unwrap();
    let (person, program) = (for_a_person(&found), for_a_program(&found).unwrap());
    for text in [&person, &program, &room.run(&["sessions", "--json"]).stdout] {
        assert!(!text.contains(&token), "{text}");
        assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
        assert!(text.contains("[redacted:"), "{text}");
    }
    let line = person.lines().find(|line| line.starts_with(&id(Harness::Claude, ONE, None, None))).unwrap();
    assert_eq!(line.split("  ").filter(|field| *field == "child").count(), 0, "{line}");
    let value: Value = serde_json::from_str(&program).unwrap();
    let row = value["sessions"].as_array().unwrap().iter().find(|row| row["native_id"] == ONE).unwrap();
    assert!(row["work_directory"].as_str().unwrap().contains('\u{202e}'), "the data is whole");
}

#[test]
fn a_session_is_collected_by_each_of_its_names() {
    let room = filled();
    let boundary = id(Harness::Claude, ONE, None, None);
    let collected = |arguments: &[&str], variables: &[(&str, &str)]| {
        let ran = room.run_with(&[&["collect"], arguments].concat(), variables);
        ran.receipt()["boundary"].as_str().unwrap().to_owned()
    };
    let named = |name: &str| collected(&["--session", name], &[]);
    assert_eq!(named(ONE), boundary);
    assert_eq!(named(&boundary), boundary);
    assert_eq!(named(boundary.rsplit('/').next().unwrap()), boundary);
    assert_eq!(named(&format!(".claude/projects/-qz7folder/{ONE}.jsonl")), boundary);
    assert_eq!(named("agent-a1"), id(Harness::Claude, ONE, Some("a1"), None));
    let (first, head) =
        (id(Harness::Codex, THREAD, None, None), id(Harness::Codex, THREAD, None, Some(LATER)));
    assert_eq!([named(THREAD), named(&first)], [head.clone(), first]);
    assert_eq!(collected(&["--current"], &[("CLAUDE_CODE_SESSION_ID", ONE)]), boundary);
    assert_eq!(collected(&["--current"], &[("CODEX_THREAD_ID", THREAD)]), head);
    // The folder that lies beside a session under its id is no path to it.
    room.folder(ONE);
    assert_eq!(named(ONE), boundary);
    // Elsewhere, because the environment says so.
    let moved = room.path("elsewhere");
    fs::rename(room.path(".claude"), &moved).unwrap();
    let variables = [("CLAUDE_CODE_SESSION_ID", ONE), ("CLAUDE_CONFIG_DIR", "elsewhere")];
    assert_eq!(collected(&["--current"], &variables), boundary);
}

#[test]
fn a_thread_that_is_compressed_is_collected_by_its_id_and_stays_the_same_session() {
    let room = Room::new();
    let text = rollout(THREAD, "");
    let packed = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    let name = format!(".codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-{THREAD}.jsonl");
    let compressed = room.file(&format!("{name}.zst"), packed);
    let first = room.run(&["collect", "--session", THREAD]).receipt();
    assert_eq!(
        (&first["boundary"], &first["counts"]["records"]),
        (&id(Harness::Codex, THREAD, None, None).into(), &2.into())
    );
    // Codex resumes it: the plain file is back, and grows.
    room.file(&name, text.clone() + text.lines().last().unwrap() + "\n");
    let grown = room.run(&["collect", "--session", THREAD]).receipt();
    assert_eq!(
        (&grown["counts"]["records"], &grown["previous"]),
        (&3.into(), &first["digests"]["manifest_sha256"])
    );
    fs::remove_file(compressed).unwrap();
    assert_eq!(room.run(&["collect", "--session", THREAD]).receipt()["flags"]["unchanged"], true);
}

#[track_caller]
fn refused(room: &Room, arguments: &[&str], variables: &[(&str, &str)], status: i32, code: &str) -> Ran {
    let before = listing(&room.path(""));
    let ran = room.run_with(&[&["collect"], arguments].concat(), variables);
    assert_eq!((ran.status, ran.code(), ran.stdout.as_str()), (status, code, ""), "{}", ran.stderr);
    assert!(listing(&room.path("")) == before, "a refusal wrote something");
    assert!(!ran.stderr.contains("qz7") && !ran.stderr.contains("bytes"), "{}", ran.stderr);
    ran
}

#[test]
fn a_name_without_one_file_is_refused() {
    let room = filled();
    refused(&room, &["--session", "no-such-id"], &[], 1, "session-not-found");
    refused(&room, &["--session", "recap://claude/0000000000000000"], &[], 1, "session-not-found");
    refused(&room, &["--session", "0000000000000000"], &[], 1, "session-not-found");
    let ran = refused(&room, &["--session", TWO], &[], 1, "session-not-found");
    assert!(ran.stderr.contains("a file of that name is an empty file"), "{}", ran.stderr);
    refused(&room, &["--session", "recap://claude/xyz"], &[], 2, "usage");
    refused(&room, &["--session", "no/such/file.jsonl"], &[], 4, "source-missing");
    refused(&room, &["--current"], &[], 1, "current-unknown");
    refused(&room, &["--current"], &[("CODEX_THREAD_ID", "")], 1, "current-unknown");
    // The session of another harness, even under that id, is not the current one.
    refused(&room, &["--current"], &[("CODEX_THREAD_ID", ONE)], 1, "session-not-found");
    let both = [("CODEX_THREAD_ID", THREAD), ("CLAUDE_CODE_SESSION_ID", ONE)];
    let ran = refused(&room, &["--current"], &both, 3, "current-ambiguous");
    for candidate in [id(Harness::Codex, THREAD, None, Some(LATER)), id(Harness::Claude, ONE, None, None)] {
        assert!(ran.stderr.contains(&candidate), "{}", ran.stderr);
    }
}

#[test]
fn several_files_are_refused_with_their_boundary_ids() {
    let room = filled();
    room.file(&format!(".claude/projects/-elsewhere/{ONE}.jsonl"), row(ONE, ",\"x\":1"));
    let ran = refused(&room, &["--session", ONE], &[], 3, "session-ambiguous");
    let boundary = id(Harness::Claude, ONE, None, None);
    assert!(ran.stderr.contains(&format!("{boundary} in 2 files")), "{}", ran.stderr);
    refused(&room, &["--current"], &[("CLAUDE_CODE_SESSION_ID", ONE)], 3, "session-ambiguous");
    let archived = format!(".codex/archived_sessions/rollout-2026-11-30T00-00-00-{THREAD}_{LATER}.jsonl");
    room.file(&archived, rollout(THREAD, ""));
    let ran = refused(&room, &["--session", THREAD], &[], 3, "session-ambiguous");
    assert!(ran.stderr.contains("both live and archived"), "{}", ran.stderr);
    // A copy that is the beginning of the other leaves one that holds all.
    room.file(&format!(".claude/projects/-elsewhere/{ONE}.jsonl"), row(ONE, "") + &row(ONE, ",\"x\":1"));
    let receipt = room.run(&["collect", "--session", ONE]).receipt();
    assert_eq!(receipt["counts"]["records"], 2);
}

#[test]
fn a_root_whose_name_is_not_utf8_is_refused_not_missed() {
    let room = filled();
    let output = Command::new(env!("CARGO_BIN_EXE_recap"))
        .args(["sessions"])
        .env_clear()
        .env("HOME", room.path(""))
        .env("CODEX_HOME", std::ffi::OsStr::from_bytes(b"/\xff"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.starts_with("recap: path-not-utf8:")), (Some(2), true), "{said}");
    assert!(said.contains("CODEX_HOME"), "{said}");
}

#[test]
fn the_program_alone_without_a_terminal_prints_its_help() {
    let room = filled();
    let ran = room.run::<&str>(&[]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("Usage: recap"), "{}", ran.stderr);
}

#[test]
fn every_session_of_a_real_home_is_found_by_its_boundary_id() {
    let Some(home) = corpus("codex") else { return };
    let room = Room::new();
    let variables = [("CODEX_HOME", home.as_str())];
    let ran = room.run_with(&["sessions", "--all"], &variables);
    let found = ids(&ran.stdout);
    assert_eq!(found.len(), 22);
    for boundary in found {
        let ran = room.run_with(&["collect", "--session", boundary], &variables);
        assert_eq!(ran.receipt()["boundary"], boundary);
    }
}

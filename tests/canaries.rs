//! Made-up credentials of every family in every place of a transcript, in arguments, drafts and policies: no run of
//! twelve of their characters may be in any artifact, receipt, report, name of a file or message.

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::program::{Ran, Room, listing};

#[path = "../benches/credentials/dice.rs"]
mod dice;
#[path = "../benches/credentials/families.rs"]
mod families;
#[expect(dead_code, reason = "the bench also holds the sums against published ones")]
#[path = "../benches/credentials/sums.rs"]
mod sums;

use dice::Dice;
use families::FAMILIES;

pub const SESSION: &str = "2d2e2f20-1111-4222-8333-444455556666";
/// Length of a run that gives a secret away.
const RUN: usize = 12;

/// A made-up token and the name beside which it stands.
pub struct Canary {
    family: &'static str,
    pub token: String,
    variable: &'static str,
    marked: bool,
}

impl Canary {
    /// Letters, digits and signs that no path and no id takes apart.
    pub fn is_plain(&self) -> bool {
        self.marked && self.token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    }
}

pub fn canaries() -> Vec<Canary> {
    let mut dice = Dice::new(11);
    FAMILIES
        .iter()
        .map(|family| {
            let token = family.token(&mut dice);
            Canary { family: family.name, token, variable: family.variable, marked: family.marked }
        })
        .filter(|canary| canary.token.len() >= 20)
        .collect()
}

/// Looks for runs of the canaries.
pub struct Watch {
    runs: HashSet<Vec<u8>>,
}

impl Watch {
    pub fn over(canaries: &[Canary]) -> Self {
        // Twelve characters of a mark are no secret: a run counts from the middle of the token on.
        let runs = |canary: &Canary| -> Vec<Vec<u8>> {
            let body = &canary.token.as_bytes()[canary.token.len() / 2..];
            body.windows(RUN.min(body.len())).map(<[u8]>::to_vec).collect()
        };
        Self { runs: canaries.iter().flat_map(runs).filter(|run| run.len() == RUN).collect() }
    }

    /// As the bytes lie, and behind one and two levels of escapes.
    #[track_caller]
    pub fn silent(&self, bytes: &[u8], what: &str) {
        let once = unescaped(bytes);
        let twice = unescaped(&once);
        for view in [bytes, &once, &twice] {
            self.silent_as_it_lies(view, what);
        }
    }

    #[track_caller]
    fn silent_as_it_lies(&self, bytes: &[u8], what: &str) {
        let found = bytes.windows(RUN).position(|window| self.runs.contains(window));
        let shown = found.map(|at| {
            String::from_utf8_lossy(&bytes[at.saturating_sub(200)..bytes.len().min(at + 60)]).into_owned()
        });
        assert_eq!(shown, None, "{what}");
    }

    #[track_caller]
    pub fn ran(&self, ran: &Ran, what: &str) {
        self.silent(ran.stdout.as_bytes(), what);
        self.silent(ran.stderr.as_bytes(), what);
    }

    #[track_caller]
    pub fn folder(&self, folder: &Utf8Path) {
        for (path, (_, _, bytes)) in listing(folder) {
            self.silent(path.as_str().as_bytes(), path.as_str());
            self.silent(&bytes, path.as_str());
        }
    }
}

/// Text without one level of backslashes, of JSON or of Markdown.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        rest = tail;
        let letter = |digits: &[u8]| {
            let digits = std::str::from_utf8(digits).ok()?;
            u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
        };
        match (first, tail) {
            (b'\\', [b'n' | b'r' | b't', tail @ ..]) => {
                out.push(b' ');
                rest = tail;
            }
            (b'\\', [b'u', a, b, c, d, tail @ ..]) if letter(&[*a, *b, *c, *d]).is_some() => {
                out.extend(letter(&[*a, *b, *c, *d]).unwrap().to_string().into_bytes());
                rest = tail;
            }
            (b'\\', [escaped, tail @ ..]) => {
                out.push(*escaped);
                rest = tail;
            }
            _ => out.push(*first),
        }
    }
    out
}

/// Rows that hold one canary, each in another place.
fn rows(number: usize, canary: &Canary) -> Vec<Value> {
    let Canary { family, token, variable, .. } = canary;
    let id = |place: usize| format!("{number:08}-0000-4000-8000-{place:012}");
    let call = format!("toolu_{number}");
    let named = format!("export {variable}={token}\nmake\n");
    let user = |place, content: Value| json!({"type": "user", "uuid": id(place), "sessionId": SESSION, "message": {"role": "user", "content": content}});
    let said = |place, content: Value| {
        json!({"type": "assistant", "uuid": id(place), "sessionId": SESSION, "message": {
            "id": format!("msg_{number}_{place}"), "role": "assistant", "model": "claude-x", "content": [content]}})
    };
    let mut rows = vec![
        user(1, json!(named)),
        said(2, json!({"type": "text", "text": format!("I set {variable}=\"{token}\" there.")})),
        said(
            3,
            json!({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": named, "description": family}}),
        ),
        json!({"type": "user", "uuid": id(4), "sessionId": SESSION,
            "toolUseResult": {"stdout": named, "stderr": named, "interrupted": false},
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call, "content": named, "is_error": false}]}}),
    ];
    if canary.marked {
        rows.push(user(5, json!(format!("see {token} here"))));
        rows.push(said(6, json!({"type": "tool_use", "id": format!("{call}b"), "name": "mcp__x__y", "input": {"list": [token, {"deep": token}]}})));
        rows.push(json!({"type": "system", "subtype": "informational", "uuid": id(7), "sessionId": SESSION, "content": token}));
    }
    if canary.is_plain() {
        rows.push(json!({"type": "user", "uuid": token, "parentUuid": token, "sessionId": SESSION,
            "cwd": format!("/home/me/{token}/app"), "gitBranch": format!("fix/{token}"), "version": token,
            "message": {"role": "user", "content": "plain words"}}));
        rows.push(json!({"type": token, "uuid": id(9), "sessionId": SESSION}));
        rows.push(said(10, json!({"type": "tool_use", "id": token, "name": token, "input": {
            "file_path": format!("/home/me/{token}.rs"), "old_string": "a", "new_string": "b", token.as_str(): token}})));
        rows.push(json!({"type": "user", "uuid": id(11), "sessionId": SESSION, "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": token, "content": "ok", "is_error": false}]}}));
        rows.push(said(12, json!({"type": "tool_use", "id": format!("{call}c"), "name": "Edit", "input": {
            "file_path": format!("/home/me/{token}/a.rs"), "old_string": token, "new_string": format!("b {token}")}})));
    }
    rows
}

pub fn transcript(canaries: &[Canary]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, canary) in canaries.iter().enumerate() {
        for row in rows(number, canary) {
            serde_json::to_writer(&mut out, &row).unwrap();
            out.push(b'\n');
        }
        let Canary { token, variable, .. } = canary;
        writeln!(out, "{{\"type\":\"user\",\"{variable}\":\"{token}\u{1}").unwrap();
        writeln!(out, "no JSON {variable}={token}").unwrap();
    }
    out
}

fn collected(room: &Room, canaries: &[Canary], watch: &Watch) -> Utf8PathBuf {
    let session = room.file(&format!("in/{SESSION}.jsonl"), transcript(canaries));
    let manifest = room.path("out/manifest.json");
    for arguments in [
        &["collect", "--session", session.as_str(), "--output", manifest.as_str()][..],
        &["packetize", manifest.as_str()],
        &["validate", manifest.as_str()],
        &["-v", "outline", manifest.as_str()],
        &["accounting-draft", manifest.as_str(), "--output", room.path("out/draft.json").as_str()],
        &["accounting-gaps", manifest.as_str(), room.path("out/draft.json").as_str()],
        &["attempts", manifest.as_str()],
    ] {
        let ran = room.run(arguments);
        watch.ran(&ran, &format!("{arguments:?}"));
        assert_eq!(ran.status, 0, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    }
    manifest
}

#[test]
fn no_family_in_any_place_of_a_transcript_comes_out() {
    let canaries = canaries();
    assert!(canaries.len() > 150);
    let (room, watch) = (Room::in_memory(), Watch::over(&canaries));
    let manifest = collected(&room, &canaries, &watch);
    watch.folder(&room.path("out"));
    assert!(room.outline(&manifest).contains("[redacted:"), "the control shows no mark");
}

#[test]
fn no_argument_is_repeated_as_it_is() {
    let canaries: Vec<Canary> = canaries().into_iter().filter(Canary::is_plain).collect();
    let (room, watch) = (Room::in_memory(), Watch::over(&canaries));
    let manifest = collected(&room, &canaries[..1], &watch);
    for Canary { token, .. } in canaries.iter().step_by(6) {
        let below = room.path(&format!("{token}/m.json"));
        for arguments in [
            &["collect", "--session", &format!("/nowhere/{token}.jsonl")][..],
            &["collect", "--session", token],
            &["collect", "--session", "/nowhere", "--output", below.as_str()],
            &["collect", "--session", "/nowhere", "--policy", token],
            &["event", manifest.as_str(), token],
            &["packet", manifest.as_str(), token],
            &["validate", below.as_str()],
            &["explain", token],
            &["schema", token],
            &["sessions", "--since", token],
            &["attempts", "reset", manifest.as_str(), "--confirm", token],
            &[&format!("--{token}")],
            &[token],
        ] {
            let ran = room.run(arguments);
            watch.ran(&ran, &format!("{arguments:?}"));
            assert_ne!(ran.status, 0, "{arguments:?}");
        }
    }
}

#[test]
fn no_draft_and_no_policy_is_repeated_in_a_report() {
    let canaries = canaries();
    let (room, watch) = (Room::in_memory(), Watch::over(&canaries));
    let plain: Vec<&Canary> = canaries.iter().filter(|canary| canary.is_plain()).collect();
    let manifest = collected(&room, &canaries[..2], &watch);
    let (draft, sealed) = (room.path("out/draft.json"), room.path("out/accounting.json"));
    let mut value: Value = serde_json::from_slice(&fs::read(&draft).unwrap()).unwrap();
    for (place, canary) in plain.iter().enumerate() {
        value[canary.token.as_str()] = json!(canary.token);
        value["claims"][place % 3]["label"] = json!(format!("see {}", canary.token));
        value["claims"][place % 3][format!("x-{}", canary.token)] = json!(1);
        value["claims"][place % 3]["kind"] = json!(canary.token);
        value["claims"][place % 3]["claim_id"] = json!(canary.token);
    }
    fs::remove_file(&draft).unwrap();
    room.file("out/draft.json", serde_json::to_vec(&value).unwrap());
    let arguments =
        ["seal-accounting", manifest.as_str(), draft.as_str(), "--output", sealed.as_str(), "--explain"];
    let ran = room.run(&arguments);
    watch.ran(&ran, "seal-accounting");
    assert_eq!(ran.status, 1);
    let report = fs::read(room.path("out/draft.json.violations.json")).unwrap();
    watch.silent(&report, "the report");
    for canary in plain.iter().step_by(9) {
        let token = &canary.token;
        let kind = json!({"name": token, "forms": [token, "x"]});
        let policy = room.file(
            "in/policy.json",
            json!({"schema_version": "recap.policy.v1", "kinds": [kind], "allow": [{"sha256": token, "reason": token}], token.as_str(): 1})
                .to_string(),
        );
        let ran = room.run(&["collect", "--session", "/nowhere", "--policy", policy.as_str()]);
        watch.ran(&ran, "a policy");
        assert_eq!(ran.code(), "policy-invalid", "{}", ran.stderr);
    }
}

/// Runs `recap scrub` on a text.
fn scrub(room: &Room, arguments: &[&str], text: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_recap"))
        .args(["scrub"].iter().chain(arguments))
        .env_clear()
        .env("HOME", room.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = text.to_vec();
    let feeding = std::thread::spawn(move || stdin.write_all(&text));
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap().unwrap();
    Ran {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_scrubbed_stream_holds_none_and_its_lines_stay_json() {
    let canaries = canaries();
    let (room, watch) = (Room::in_memory(), Watch::over(&canaries));
    let text = transcript(&canaries);
    let ran = scrub(&room, &[], &text);
    watch.ran(&ran, "scrub");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("recap: ") && ran.stderr.contains("github-token"), "{}", ran.stderr);
    let valid = |text: &str| text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
    assert_eq!(valid(&ran.stdout), valid(&String::from_utf8(text).unwrap()));
    let again = scrub(&room, &[], ran.stdout.as_bytes());
    assert_eq!(again.stdout, ran.stdout);
    assert!(again.stderr.starts_with("recap: nothing found; marks kept "), "{}", again.stderr);
}

#[test]
fn a_check_prints_no_text_and_fails_where_something_was_found() {
    let (room, token) = (Room::in_memory(), canaries().swap_remove(0).token);
    let found = scrub(&room, &["--check"], format!("a {token} b\n").as_bytes());
    assert_eq!(
        (found.status, found.stdout.as_str(), found.stderr.as_str()),
        (1, "", "recap: github-token 1\n")
    );
    let clean = scrub(&room, &["--check"], b"nothing here\n");
    assert_eq!(
        (clean.status, clean.stdout.as_str(), clean.stderr.as_str()),
        (0, "", "recap: nothing found\n")
    );
}

/// A policy that adds one kind and allows one value.
fn policy(room: &Room, allowed: &str) -> Utf8PathBuf {
    let sha256 = recap::base::digest::Digest::of(allowed.as_bytes()).to_string();
    let policy = json!({"schema_version": "recap.policy.v1",
        "kinds": [{"name": "acme-token", "forms": ["acme_{A24}"]}],
        "allow": [{"sha256": sha256, "reason": "it stands in our manual"}]});
    room.file("in/policy.json", policy.to_string())
}

#[test]
fn a_policy_adds_and_allows_and_the_manifest_says_so() {
    let (room, token) = (Room::in_memory(), canaries().swap_remove(0).token);
    let ours = format!("acme_{}", "k3J9".repeat(6));
    let policy = policy(&room, &token);
    let text = format!("one {token} two {ours} three");
    let ran = scrub(&room, &["--policy", policy.as_str()], text.as_bytes());
    assert_eq!(ran.stdout, format!("one {token} two [redacted:acme-token#1] three"));
    assert_eq!(ran.stderr, "recap: acme-token 1; allowed by the policy 1\n");
    let row = json!({"type": "user", "uuid": "u", "sessionId": SESSION, "message": {"role": "user", "content": text}});
    let session = room.file(&format!("in/{SESSION}.jsonl"), format!("{row}\n"));
    let manifest = room.path("out/manifest.json");
    let collect = ["collect", "--session", session.as_str(), "--output", manifest.as_str()];
    let with_policy = [&collect[..], &["--policy", policy.as_str()]].concat();
    assert_eq!(room.run(&with_policy).status, 0);
    let document: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    let digest = recap::base::digest::Digest::of(&fs::read(&policy).unwrap());
    assert_eq!(document["versions"]["policy"], format!("default-1+{digest}"));
    assert_eq!(document["redactions"], json!({"acme-token": 1}));
    assert_eq!(document["kept"], json!({"allowed": 1, "marks": 0}));
    assert_eq!(room.run(&collect).code(), "ledger-of-other-version");
    assert_eq!(room.run(&with_policy).receipt()["flags"]["unchanged"], true);
}

#[test]
fn a_secret_that_an_earlier_record_began_is_hidden_from_there_on_cold_or_grown() {
    let room = Room::in_memory();
    let token = canaries().swap_remove(0).token;
    let (first, rest) = token.split_at(20);
    let row = |uuid: &str, text: &str| {
        let message = json!({"role": "user", "content": text});
        format!("{}\n", json!({"type": "user", "uuid": uuid, "sessionId": SESSION, "message": message}))
    };
    let begun = row("a", &format!("it begins {first}"));
    let whole = format!("{begun}{}", row("b", &format!("{rest} and ends")));
    let session = room.file(&format!("in/{SESSION}.jsonl"), &begun);
    let (grown, cold) = (room.path("grown/manifest.json"), room.path("cold/manifest.json"));
    room.collect(&session, &grown).unwrap();
    fs::write(&session, &whole).unwrap();
    room.collect(&session, &grown).unwrap();
    room.collect(&session, &cold).unwrap();
    for manifest in [grown, cold] {
        let document: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
        assert_eq!(document["limitations"]["secret-split-over-records"], 1, "{manifest}");
        assert_eq!(document["redactions"], json!({"github-token": 1}));
        room.packetize(&manifest).unwrap();
        room.validate(&manifest).unwrap();
        assert!(room.outline(&manifest).contains("[redacted:github-token#1] and ends"));
    }
}

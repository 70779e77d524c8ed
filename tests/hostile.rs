//! Files and places that are refused: with a status, a code on standard error, nothing on standard output, and not
//! one file more than before.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::program::{Ran, Room, listing};
use super::samples::{CLAUDE, bundled};

pub const BREAKS_CONTRACT: i32 = 1;
pub const USAGE: i32 = 2;
pub const UNSAFE: i32 = 3;
pub const CANNOT: i32 = 4;

/// A room with a transcript and where its manifest goes.
pub struct Place {
    pub room: Room,
    pub transcript: Utf8PathBuf,
    pub manifest: Utf8PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let room = Room::new();
        let transcript = room.copy(&bundled(CLAUDE));
        let manifest = room.path("out/manifest.json");
        Self { room, transcript, manifest }
    }

    /// With a ledger already there.
    pub fn collected() -> Self {
        let place = Self::new();
        place.collect().receipt();
        place
    }

    pub fn collect(&self) -> Ran {
        self.collect_from(&self.transcript, &self.manifest)
    }

    pub fn collect_from(&self, session: &Utf8Path, output: &Utf8Path) -> Ran {
        self.room.run(&["collect", "--session", session.as_str(), "--output", output.as_str()])
    }

    /// Collects and asserts how it is refused and that nothing was written.
    #[track_caller]
    fn refuses(&self, session: &Utf8Path, output: &Utf8Path, status: i32, code: &str) {
        let before = listing(&self.room.path(""));
        let ran = self.collect_from(session, output);
        refused(&ran, status, code);
        let after = listing(&self.room.path(""));
        let more: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
        assert!(more.is_empty(), "written: {more:?}");
        let bytes = |listing: &std::collections::BTreeMap<_, (u32, _, Vec<u8>)>| -> Vec<Vec<u8>> {
            listing.values().map(|(_, _, bytes)| bytes.clone()).collect()
        };
        assert!(bytes(&before) == bytes(&after), "something changed");
    }

    #[track_caller]
    pub fn refuses_source(&self, session: &Utf8Path, status: i32, code: &str) {
        self.refuses(session, &self.manifest, status, code);
    }

    #[track_caller]
    fn refuses_output(&self, output: &Utf8Path, status: i32, code: &str) {
        self.refuses(&self.transcript, output, status, code);
    }

    /// Once collected: refused and the old ledger is as it was.
    #[track_caller]
    pub fn refuses_growth(&self, status: i32, code: &str) {
        self.refuses(&self.transcript, &self.manifest, status, code);
    }

    pub fn change_manifest(&self, change: impl FnOnce(&mut Value)) {
        let mut manifest: Value = serde_json::from_slice(&fs::read(&self.manifest).unwrap()).unwrap();
        change(&mut manifest);
        fs::write(&self.manifest, recap::base::json::canonical::to_bytes(&manifest).unwrap()).unwrap();
    }
}

/// Asserts how a command was refused.
#[track_caller]
pub fn refused(ran: &Ran, status: i32, code: &str) {
    assert_eq!((ran.status, ran.code(), ran.stdout.as_str()), (status, code, ""), "{}", ran.stderr);
}

fn chmod(path: &Utf8Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if root {
        println!("skipped: root may read and write everything");
    }
    root
}

fn git(folder: &Utf8Path, arguments: &[&str]) -> bool {
    let ran = Command::new("git").args(arguments).current_dir(folder).env("HOME", folder).output();
    ran.is_ok_and(|ran| ran.status.success())
}

#[test]
fn a_source_that_is_no_regular_file() {
    let place = Place::new();
    let folder = place.room.folder("folder");
    place.refuses_source(&folder, UNSAFE, "source-not-regular");
    place.refuses_source(Utf8Path::new("/dev/null"), UNSAFE, "source-not-regular");
    let link = place.room.path("link.jsonl");
    symlink(&place.transcript, &link).unwrap();
    place.refuses_source(&link, UNSAFE, "source-not-regular");
}

#[test]
fn a_pipe_is_refused_without_waiting() {
    let place = Place::new();
    let pipe = place.room.path("pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let started = std::time::Instant::now();
    refused(&place.collect_from(&pipe, &place.manifest), UNSAFE, "source-not-regular");
    assert!(started.elapsed().as_secs() < 20);
    assert!(!place.room.path("out").exists());
}

#[test]
fn a_source_that_cannot_be_opened() {
    let place = Place::new();
    place.refuses_source(&place.room.path("missing.jsonl"), CANNOT, "source-missing");
    place.refuses_source(&place.room.path("no/such/folder.jsonl"), CANNOT, "source-missing");
    if !is_root() {
        chmod(&place.transcript, 0o000);
        let ran = place.collect();
        chmod(&place.transcript, 0o600);
        refused(&ran, CANNOT, "source-missing");
    }
}

#[test]
fn a_manifest_that_is_not_there_leaves_nothing_behind() {
    let place = Place::new();
    let folder = place.room.folder("out");
    for command in ["validate", "outline", "packetize", "attempts", "validate-set"] {
        let ran = place.room.run(&[command, folder.join("missing.json").as_str()]);
        refused(&ran, CANNOT, "artifact-missing");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{command}");
    }
}

#[test]
fn a_file_that_is_no_transcript() {
    let place = Place::new();
    let elf = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 64]].concat();
    let files: [(&str, &[u8]); 12] = [
        ("empty", b""),
        ("feeds", b"\n\n\n"),
        ("text", b"Dear diary,\ntoday nothing was collected.\n"),
        ("program", &elf),
        ("document", b"{\n  \"type\": \"user\",\n  \"message\": {}\n}\n"),
        ("items", b"{\"session\":{\"id\":\"a\",\"timestamp\":\"t\"},\"items\":[{\"type\":\"song\"}]}"),
        ("no items", b"{\"session\":{\"id\":\"a\",\"timestamp\":\"t\"},\"more\":[]}"),
        ("no session", b"{\"session\":{\"name\":\"a\"},\"items\":[]}"),
        ("lines", b"{\"level\":\"info\",\"msg\":\"started\"}\n{\"level\":\"info\",\"msg\":\"ended\"}\n"),
        ("array", b"[{\"type\":\"user\"}]\n"),
        ("nul", &[0; 4096]),
        ("mark", b"\xef\xbb\xbf"),
    ];
    for (name, bytes) in files {
        // The name of a session does not make one.
        let file = place.room.file(&format!("{name}/0a0b0c0d-1111-4222-8333-444455556666.jsonl"), bytes);
        place.refuses_source(&file, BREAKS_CONTRACT, "not-a-transcript");
    }
}

#[test]
fn a_source_open_to_others_is_a_flag_and_no_refusal() {
    let place = Place::new();
    chmod(&place.transcript, 0o644);
    fs::hard_link(&place.transcript, place.room.path("second-name")).unwrap();
    place.collect().receipt();
    let manifest: Value = serde_json::from_slice(&fs::read(&place.manifest).unwrap()).unwrap();
    assert_eq!(manifest["source"]["flags"], serde_json::json!(["mode_open_to_others", "several_links"]));
}

#[test]
fn an_output_through_a_link() {
    let place = Place::new();
    place.room.folder("real");
    symlink(place.room.path("real"), place.room.path("linked")).unwrap();
    place.refuses_output(&place.room.path("linked/manifest.json"), UNSAFE, "path-has-symlink");
    place.refuses_output(&place.room.path("linked/deeper/manifest.json"), UNSAFE, "path-has-symlink");
    place.room.folder("out");
    symlink("elsewhere.json", &place.manifest).unwrap();
    place.refuses_output(&place.manifest, UNSAFE, "artifact-not-regular");
}

#[test]
fn an_output_in_a_folder_that_others_can_change() {
    let place = Place::new();
    let out = place.room.folder("out");
    for mode in [0o770, 0o707, 0o750, 0o777] {
        chmod(&out, mode);
        let code = "folder-not-ours";
        place.refuses_output(&place.manifest, UNSAFE, code);
    }
    let inner = place.room.folder("out/inner");
    chmod(&out, 0o777);
    place.refuses_output(&inner.join("manifest.json"), UNSAFE, "folder-unsafe");
    chmod(&out, 0o1777);
    place.collect_from(&place.transcript, &inner.join("manifest.json")).receipt();
}

#[test]
fn an_existing_manifest_that_is_not_private() {
    let place = Place::collected();
    chmod(&place.manifest, 0o644);
    place.refuses_growth(UNSAFE, "artifact-mode-unsafe");
    chmod(&place.manifest, 0o600);
    fs::hard_link(&place.manifest, place.room.path("second-name")).unwrap();
    place.refuses_growth(UNSAFE, "artifact-linked");
    let ran = place.room.run(&["validate", place.manifest.as_str()]);
    refused(&ran, UNSAFE, "artifact-linked");
}

#[test]
fn an_output_that_is_the_input() {
    let place = Place::new();
    place.refuses_output(&place.transcript, UNSAFE, "output-is-input");
    let second = place.room.path("second.jsonl");
    fs::hard_link(&place.transcript, &second).unwrap();
    let ran = place.collect_from(&second, &place.transcript);
    assert_eq!(ran.status, UNSAFE, "{}", ran.stderr);
    assert!(fs::read(&place.transcript).unwrap() == fs::read(bundled(CLAUDE)).unwrap());
}

#[test]
fn an_output_in_a_work_tree_that_does_not_ignore_it() {
    let place = Place::new();
    let tree = place.room.folder("tree");
    if !git(&tree, &["init", "--quiet"]) {
        println!("skipped: no git");
        return;
    }
    let output = tree.join("private/manifest.json");
    place.refuses_output(&output, UNSAFE, "output-not-ignored");
    let ran = place.collect_from(&place.transcript, &output);
    assert!(ran.stderr.contains("`/private/`"), "the line that would help: {}", ran.stderr);
    // Ignored by half: what lies beside the manifest would be committed.
    place.room.file("tree/.gitignore", "/private/manifest.json\n");
    place.refuses_output(&output, UNSAFE, "output-not-ignored");
    place.room.file("tree/.gitignore", "/private/\n");
    place.collect_from(&place.transcript, &output).receipt();
    assert!(output.is_file());
}

#[test]
fn a_path_that_looks_like_a_credential() {
    let place = Place::new();
    let token = ["gh", "p_", "0Aa1Bb2Cc3Dd4Ee5Ff6Gg7", "Hh8Ii9Jj0Kk1Ll"].concat();
    let output = place.room.path(&format!("{token}/manifest.json"));
    place.refuses_output(&output, UNSAFE, "path-credential-shaped");
    assert!(!place.collect_from(&place.transcript, &output).stderr.contains(&token));
    for command in ["validate", "packetize", "outline"] {
        let ran = place.room.run(&[command, output.as_str()]);
        refused(&ran, UNSAFE, "path-credential-shaped");
        assert!(!ran.stderr.contains(&token));
    }
    let named = place.room.file(
        "renamed.jsonl",
        format!("{{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"{token}\",\"message\":{{\"content\":\"x\"}}}}\n"),
    );
    place.refuses_source(&named, UNSAFE, "identity-credential-shaped");
    assert!(!place.collect_from(&named, &place.manifest).stderr.contains(&token));
}

#[test]
fn a_folder_that_cannot_be_written() {
    if is_root() {
        return;
    }
    let place = Place::new();
    let out = place.room.folder("out");
    chmod(&out, 0o500);
    let ran = place.collect();
    chmod(&out, 0o700);
    refused(&ran, CANNOT, "write-failed");
}

#[test]
fn a_disk_that_is_full() {
    let place = Place::new();
    // A limit on the size of a file is what a test can set without a disk of its own; the signal is off in a
    // shell that ignores it, so that writing fails as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 4; exec {} collect --session {} --output {}",
        env!("CARGO_BIN_EXE_recap"),
        place.transcript,
        place.manifest
    );
    let ran = Command::new("sh").args(["-c", &script]).env("HOME", place.room.path("")).output().unwrap();
    let stderr = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(CANNOT), "{stderr}");
    assert!(stderr.starts_with("recap: write-failed:"), "{stderr}");
    assert!(ran.stdout.is_empty() && !place.manifest.exists());
    place.collect().receipt();
    place.room.run(&["validate", place.manifest.as_str()]).receipt();
}

#[test]
fn a_manifest_that_is_not_there_or_not_ours() {
    let place = Place::new();
    let missing = place.room.path("nothing/manifest.json");
    for command in ["packetize", "validate", "outline"] {
        let ran = place.room.run(&[command, missing.as_str()]);
        assert_eq!(ran.status, CANNOT, "{}", ran.stderr);
        assert_eq!(ran.code(), "artifact-missing");
    }
    for bytes in ["", "{}", "{\"a\":1,\"a\":2}", "not json", "null"] {
        let file = place.room.file("other/manifest.json", bytes);
        let ran = place.room.run(&["validate", file.as_str()]);
        refused(&ran, BREAKS_CONTRACT, "manifest-invalid");
    }
}

#[test]
fn unknown_arguments_are_wrong_usage() {
    let room = Room::new();
    for arguments in [
        &["collect"][..],
        &["collect", "--session", "x", "--verbatim"],
        &["tell"],
        &["event", "m", "e0-000000000000", "--slice", "3"],
        &["outline", "m", "--part", "-1"],
    ] {
        let ran = room.run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!ran.stderr.is_empty());
    }
}

#[test]
fn an_output_that_stands_beside_an_input() {
    let place = Place::collected();
    let manifest = place.manifest.as_str();
    place.room.run(&["packetize", manifest]).receipt();
    let draft = place.room.path("out/draft.json");
    place.room.run(&["accounting-draft", manifest, "--output", draft.as_str()]).receipt();
    let before = fs::read(place.room.path("out/manifest.json.ledger/secret")).unwrap();
    for name in ["manifest.json.packets.json", "manifest.json.lock", "manifest.json.ledger/secret"] {
        let output = place.room.path("out").join(name);
        let ran = place.room.run(&["accounting-draft", manifest, "--output", output.as_str()]);
        refused(&ran, UNSAFE, "output-is-input");
    }
    assert_eq!(fs::read(place.room.path("out/manifest.json.ledger/secret")).unwrap(), before);
    // Sealing removes the report of an earlier verdict: it must not be what it has just written.
    let report = place.room.path("out/draft.json.violations.json");
    let seal = ["seal-accounting", manifest, draft.as_str(), "--output", report.as_str()];
    refused(&place.room.run(&seal), UNSAFE, "output-is-input");
    // Packets stand beside a manifest and must not take the transcript's place.
    let transcript = fs::read(&place.transcript).unwrap();
    let session = place.room.file("other/manifest.json.packets.json", transcript);
    let output = place.room.path("other/manifest.json");
    refused(&place.collect_from(&session, &output), UNSAFE, "output-is-input");
}

#[test]
fn names_and_folders_without_end_leave_a_manifest_that_can_be_read() {
    let place = Place::new();
    let session = "2d2e2f20-1111-4222-8333-444455556666";
    let long = "long ".repeat(2_000);
    let row = |kind: &str, folder: &str, content: Value| {
        let message = serde_json::json!({"role": "assistant", "content": content});
        serde_json::json!({"type": kind, "sessionId": session, "cwd": folder, "message": message}).to_string()
            + "\n"
    };
    let mut text = row("user", "/w", "hello".into()) + &row(&long, &format!("/{long}"), "x".into());
    for number in 0..1_200 {
        let input = serde_json::json!({"command": format!("git -C /r/{number} status")});
        let call = serde_json::json!([{"type": "tool_use", "id": number.to_string(), "name": "Bash", "input": input}]);
        text.push_str(&row("assistant", "/w", call));
    }
    let file = place.room.file(&format!("{session}.jsonl"), text);
    place.collect_from(&file, &place.manifest).receipt();
    place.room.run(&["validate", place.manifest.as_str()]).receipt();
    let bytes = fs::read(&place.manifest).unwrap();
    assert!(bytes.len() < 200_000, "{} bytes", bytes.len());
    let manifest: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(manifest["git"]["not_probed"].as_array().unwrap().len(), 1_000);
    assert_eq!(manifest["limitations"]["not-probed"], 1_202);
}

//! What repositories hold now: probed for our own transcripts and where a person names one, never aimed by a
//! transcript from elsewhere, and cited by a synthesis exactly.

use std::fs;
use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::program::Room;

const SESSION: &str = "0c1d2e3f-9999-4bbb-8ccc-00000000000a";

/// A room with a repository that has one changed file, and a transcript that was recorded in it.
pub struct Place {
    pub room: Room,
    pub repository: Utf8PathBuf,
    pub transcript: Utf8PathBuf,
}

impl Place {
    /// `below` is where the transcript lies, seen from the home folder.
    pub fn new(below: &str) -> Self {
        let room = Room::new();
        let repository = room.folder("repository");
        git(&repository, &["init", "--quiet", "--initial-branch=main"]);
        fs::write(repository.join("tide.txt"), "high\n").unwrap();
        git(&repository, &["add", "tide.txt"]);
        git(&repository, &["commit", "--quiet", "--message=first"]);
        fs::write(repository.join("tide.txt"), "low\n").unwrap();
        let transcript = room.file(&format!("{below}/{SESSION}.jsonl"), "");
        let place = Self { room, repository, transcript };
        place.record(place.repository.as_str());
        place
    }

    /// Writes the transcript of a session in this work directory.
    pub fn record(&self, folder: &str) {
        let row = |number: u8, kind: &str, message: Value| {
            json!({
                "type": kind, "uuid": format!("0c1d2e3f-0000-4000-8000-00000000000{number}"),
                "parentUuid": null, "sessionId": SESSION, "timestamp": "2026-05-04T09:00:00.000Z",
                "cwd": folder, "message": message,
            })
            .to_string()
        };
        let lines = [
            row(1, "user", json!({ "role": "user", "content": "What is the tide?" })),
            row(
                2,
                "assistant",
                json!({ "role": "assistant", "content": [{ "type": "text", "text": "Low." }] }),
            ),
        ];
        fs::write(&self.transcript, lines.join("\n") + "\n").unwrap();
    }

    pub fn manifest(&self) -> Utf8PathBuf {
        self.room.path("out/manifest.json")
    }

    pub fn collect(&self, more: &[&str]) -> Value {
        self.collect_with(more, &[])
    }

    /// Collects with further variables in the environment.
    pub fn collect_with(&self, more: &[&str], variables: &[(&str, &str)]) -> Value {
        let manifest = self.manifest();
        let arguments = ["collect", "--session", self.transcript.as_str(), "--output", manifest.as_str()];
        self.room.run_with(&[&arguments, more].concat(), variables).receipt()
    }

    pub fn git_facts(&self) -> Value {
        let manifest: Value = serde_json::from_slice(&fs::read(self.manifest()).unwrap()).unwrap();
        manifest["git"].clone()
    }
}

pub fn git(folder: &Utf8Path, arguments: &[&str]) {
    let identity =
        ["-c", "user.name=Tide", "-c", "user.email=tide@example.com", "-c", "protocol.file.allow=always"];
    let status = Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "git {arguments:?}");
}

#[test]
fn our_own_transcript_has_its_repository_probed() {
    let place = Place::new(".claude/projects/x");
    assert_eq!(place.collect(&[])["counts"]["repositories_verified"], 1);
    let facts = place.git_facts();
    let snapshot = &facts["verified_now"][0];
    assert_eq!(snapshot["label"], "verified_now_only");
    assert_eq!((&snapshot["branch"], &snapshot["status"]["clean"]), (&json!("main"), &json!(false)));
    assert_eq!(snapshot["status"]["changed_paths"], json!(["tide.txt"]));
    // A path that is changed now is not thereby something that the session did.
    assert_eq!(
        (&facts["session_observed"]["records"], &facts["session_end"]),
        (&json!(0), &json!("unknown"))
    );
}

#[test]
fn a_transcript_from_elsewhere_aims_no_probe_but_a_person_may() {
    let place = Place::new("mail");
    let receipt = place.collect(&[]);
    assert_eq!(receipt["limitations"]["not-probed"], 1);
    assert_eq!(place.git_facts()["verified_now"], json!([]));
    let receipt = place.collect(&["--refresh-git", "--repo", place.repository.as_str()]);
    assert_eq!(receipt["counts"]["repositories_verified"], 1);
}

#[test]
fn only_a_refresh_probes_an_unchanged_session_again() {
    let place = Place::new(".claude/projects/x");
    let first = place.collect(&[]);
    git(&place.repository, &["commit", "--quiet", "--all", "--message=second"]);
    let again = place.collect(&[]);
    assert_eq!(again["flags"]["unchanged"], true);
    assert_eq!(again["digests"]["manifest_sha256"], first["digests"]["manifest_sha256"]);
    let refreshed = place.collect(&["--refresh-git"]);
    assert_eq!(place.git_facts()["verified_now"][0]["status"]["clean"], true);
    assert_eq!(refreshed["previous"], first["digests"]["manifest_sha256"]);
    assert_eq!(refreshed["digests"]["ledger_root"], first["digests"]["ledger_root"]);
}

#[test]
fn a_synthesis_cites_the_snapshot_exactly() {
    let place = Place::new(".claude/projects/x");
    place.collect(&[]);
    let [draft, accounting, synthesis] = ["draft.json", "accounting.json", "synthesis.json"]
        .map(|name| place.manifest().with_file_name(name).into_string());
    let manifest = place.manifest().into_string();
    let run = |arguments: &[&str]| place.room.run(arguments);
    run(&["packetize", &manifest]).receipt();
    run(&["accounting-draft", &manifest, "--output", &draft]).receipt();
    let text = fs::read_to_string(&draft).unwrap().replace("\"label\": \"\"", "\"label\": \"Words\"");
    fs::write(&draft, text).unwrap();
    run(&["seal-accounting", &manifest, &draft, "--output", &accounting]).receipt();
    run(&["synthesis-draft", &manifest, &accounting, "--output", &synthesis]).receipt();
    let text = fs::read_to_string(&synthesis).unwrap().replace("\"title\": \"\"", "\"title\": \"Words\"");
    let mut document: Value =
        serde_json::from_str(&text.replace("\"summary\": \"\"", "\"summary\": \"Words.\"")).unwrap();
    let item = |value: &str| {
        json!({
            "id": "now", "title": "Now", "summary": "A file is changed.", "source_label": "verified_now",
            "accounting_claim_ids": [], "evidence_ids": [], "paths": [], "commits": [],
            "git_evidence": [{ "repository": "repo-1", "kind": "changed_path", "value": value }],
        })
    };
    for (value, status, code) in
        [("other.txt", 1, Some("git-evidence-value-mismatch")), ("tide.txt", 0, None)]
    {
        document["changes"] = json!([item(value)]);
        fs::write(&synthesis, document.to_string()).unwrap();
        let ran = run(&["validate-synthesis", &manifest, &accounting, &synthesis]);
        let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
        let codes: Vec<&str> =
            receipt["violations"].as_object().into_iter().flatten().map(|(code, _)| &**code).collect();
        assert_eq!((ran.status, codes), (status, code.into_iter().collect()), "{}", ran.stdout);
    }
}

//! A ledger only grows: what an older state refuses, and what growing keeps.

use std::fs::{self, File};

use camino::Utf8Path;
use serde_json::Value;

use super::evidence::Evidence;
use super::hostile::{BREAKS_CONTRACT, CANNOT, Place, refused};
use super::samples::{CODEX, bundled};

#[test]
fn a_manifest_of_another_session() {
    let place = Place::collected();
    let other = place.room.copy(&bundled(CODEX));
    place.refuses_source(&other, BREAKS_CONTRACT, "ledger-of-another-session");
}

#[test]
fn a_ledger_of_other_versions() {
    for name in ["reader", "scrubber", "policy"] {
        let place = Place::collected();
        place.change_manifest(|manifest| manifest["versions"][name] = "0".into());
        place.refuses_growth(BREAKS_CONTRACT, "ledger-of-other-version");
        let secret = fs::read(place.room.path("out/manifest.json.ledger/secret")).unwrap();
        let session = place.transcript.as_str();
        let fresh = ["collect", "--session", session, "--output", place.manifest.as_str(), "--fresh"];
        place.room.run(&fresh).receipt();
        assert_eq!(fs::read(place.room.path("out/manifest.json.ledger/secret")).unwrap(), secret);
        place.room.run(&["validate", place.manifest.as_str()]).receipt();
    }
    // The version of the program alone says nothing about the ledger.
    let place = Place::collected();
    place.change_manifest(|manifest| manifest["versions"]["recap"] = "0.0.1".into());
    assert_eq!(place.collect().receipt()["flags"]["unchanged"], true);
}

#[test]
fn a_transcript_that_shrank_or_was_rewritten() {
    let place = Place::collected();
    let whole = fs::read(&place.transcript).unwrap();
    fs::write(&place.transcript, &whole[..whole.len() / 2]).unwrap();
    place.refuses_growth(BREAKS_CONTRACT, "source-truncated");
    // What is left is nobody's session any more; that it was one is known from the ledger.
    for left in [&b""[..], &whole[..40]] {
        fs::write(&place.transcript, left).unwrap();
        place.refuses_growth(BREAKS_CONTRACT, "source-truncated");
    }
    fs::write(&place.transcript, vec![0; whole.len()]).unwrap();
    place.refuses_growth(BREAKS_CONTRACT, "source-rewritten");
    let mut other = whole.clone();
    let byte = whole.windows(8).position(|window| window == b"High tid").unwrap();
    other[byte] = b'L';
    fs::write(&place.transcript, &other).unwrap();
    place.refuses_growth(BREAKS_CONTRACT, "source-rewritten");
    other.extend_from_slice(b"{\"type\":\"mode\",\"mode\":\"normal\"}\n");
    fs::write(&place.transcript, &other).unwrap();
    place.refuses_growth(BREAKS_CONTRACT, "source-rewritten");
    fs::write(&place.transcript, &whole).unwrap();
    assert_eq!(place.collect().receipt()["flags"]["unchanged"], true);
    place.room.run(&["validate", place.manifest.as_str()]).receipt();
}

#[test]
fn growth_that_turns_own_words_into_copied_ones() {
    let place = Place::new();
    let session = "2d2e2f20-1111-4222-8333-444455556666";
    let row = |kind: &str, more: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"{kind}\",\"sessionId\":\"{session}\"{more},\"message\":\
             {{\"role\":\"{kind}\",\"content\":\"x\"}}}}\n"
        )
    };
    // Only the copied answer is marked; the prompt before it belongs to the copy, which its own bytes do not show.
    let (prompt, answer) = (row("user", ""), row("assistant", ",\"requestSessionId\":\"another\""));
    let file = place.room.file(&format!("{session}.jsonl"), &prompt);
    place.collect_from(&file, &place.manifest).receipt();
    fs::write(&file, [prompt, answer].concat()).unwrap();
    let ran = place.collect_from(&file, &place.manifest);
    refused(&ran, BREAKS_CONTRACT, "source-rewritten");
    assert!(ran.stderr.contains("copy of another session"), "{}", ran.stderr);
    let fresh = ["collect", "--session", file.as_str(), "--output", place.manifest.as_str(), "--fresh"];
    let receipt = place.room.run(&fresh).receipt();
    assert_eq!(
        (&receipt["counts"]["records_inherited"], &receipt["counts"]["events"]),
        (&2.into(), &0.into())
    );
}

#[test]
fn growth_keeps_what_was_there() {
    let place = Place::new();
    let whole = fs::read(&place.transcript).unwrap();
    let feeds: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place).collect();
    let mut previous = Value::Null;
    for end in [feeds[4] + 1, feeds[4] + 40, feeds[9], whole.len()] {
        fs::write(&place.transcript, &whole[..end]).unwrap();
        let receipt = place.collect().receipt();
        assert_eq!(receipt["previous"], previous);
        previous = receipt["digests"]["manifest_sha256"].clone();
        // The packets are those of the state before.
        place.room.run(&["validate", place.manifest.as_str()]).receipt();
        place.room.run(&["packetize", place.manifest.as_str()]).receipt();
        let validated = place.room.run(&["validate", place.manifest.as_str()]).receipt();
        assert_eq!(validated["flags"]["packets_checked"], true);
    }
    let ledger = |manifest: &Utf8Path| Evidence::open(manifest).manifest["ledger"].clone();
    let grown = ledger(&place.manifest);
    let secret = fs::read(place.room.path("out/manifest.json.ledger/secret")).unwrap();
    place.room.file("cold/manifest.json.ledger/secret", secret);
    let cold = place.room.path("cold/manifest.json");
    place.collect_from(&place.transcript, &cold).receipt();
    assert_eq!(grown, ledger(&cold), "grown in steps and collected at once are the same bytes");
}

#[test]
fn a_secret_that_is_gone_or_wrong() {
    let place = Place::collected();
    let secret = place.room.path("out/manifest.json.ledger/secret");
    let bytes = fs::read(&secret).unwrap();
    fs::remove_file(&secret).unwrap();
    let mut file = File::options().append(true).open(&place.transcript).unwrap();
    std::io::Write::write_all(&mut file, b"{\"type\":\"mode\",\"mode\":\"plan\"}\n").unwrap();
    place.refuses_growth(BREAKS_CONTRACT, "secret-missing");
    let receipt = place.room.run(&["validate", place.manifest.as_str()]).receipt();
    assert_eq!(receipt["flags"]["ids_checked"], false, "reading and validating go on without it");
    place.room.file("out/manifest.json.ledger/secret", &bytes[..31]);
    place.refuses_growth(BREAKS_CONTRACT, "secret-invalid");
    place.room.file("out/manifest.json.ledger/secret", [0; 32]);
    refused(&place.room.run(&["validate", place.manifest.as_str()]), BREAKS_CONTRACT, "event-id-mismatch");
    place.room.file("out/manifest.json.ledger/secret", &bytes);
    place.collect().receipt();
}

#[test]
fn a_ledger_that_somebody_writes() {
    let place = Place::collected();
    let folder = recap::base::private::Folder::open(&place.room.path("out")).unwrap();
    let lock = folder.lock_exclusive("manifest.json.lock").unwrap();
    place.refuses_growth(CANNOT, "lock-busy");
    for command in ["packetize", "validate", "outline"] {
        refused(&place.room.run(&[command, place.manifest.as_str()]), CANNOT, "lock-busy");
    }
    drop(lock);
    let lock = folder.lock_shared("manifest.json.lock").unwrap();
    place.room.run(&["validate", place.manifest.as_str()]).receipt();
    place.refuses_growth(CANNOT, "lock-busy");
    drop(lock);
    place.collect().receipt();
}

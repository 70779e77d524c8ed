//! A set that anyone touched does not validate: whatever byte of the document or of what it names is changed, whatever is
//! removed, and whatever a member became since.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use recap::base::digest::Digest;
use recap::base::json::canonical;
use recap::base::rules::Code;
use recap::stage::validate_set::validate_set;
use serde_json::{Value, json};

use super::evidence::Evidence;
use super::homes::{Home, MAIN, child};
use super::hostile::{BREAKS_CONTRACT, refused};
use super::program::listing;

fn collected() -> Home {
    let home = Home::with_two_children();
    home.collect(MAIN, &["--include-children"]).receipt();
    home
}

fn code(home: &Home) -> Option<Code> {
    validate_set(&home.room.world(), &home.set()).err().map(|refusal| refusal.code())
}

/// Writes the document with other content and the digest that belongs to it, as somebody would who knows the format.
fn forged(home: &Home, change: impl FnOnce(&mut Value)) -> Option<Code> {
    let whole = fs::read(home.set()).unwrap();
    let mut document: Value = serde_json::from_slice(&whole).unwrap();
    change(&mut document);
    document.as_object_mut().unwrap().remove("content_sha256");
    let digest = Digest::of(&canonical::to_bytes(&document).unwrap());
    document["content_sha256"] = json!(digest);
    fs::write(home.set(), canonical::to_bytes(&document).unwrap()).unwrap();
    let code = code(home);
    fs::write(home.set(), whole).unwrap();
    code
}

#[test]
fn any_changed_byte_of_the_document_is_seen() {
    let home = collected();
    let whole = fs::read(home.set()).unwrap();
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 0x01;
        fs::write(home.set(), &changed).unwrap();
        assert_eq!(code(&home), Some(Code::SetInvalid), "byte {place}");
    }
    fs::write(home.set(), &whole).unwrap();
    assert_eq!(code(&home), None);
}

#[test]
fn any_changed_byte_of_what_it_names_is_seen() {
    let home = collected();
    // Not named: locks, sums that are derived, the secret (a wrong one is seen all the same), what only growing reads.
    let silent = ["manifest.json.lock", "SHA256SUMS", "secret", "resume"];
    for (path, (_, _, whole)) in listing(&home.room.path("sets/set.json.boundaries")) {
        let name = path.file_name().unwrap().to_owned();
        if !path.is_file()
            || silent.contains(&name.as_str())
            || [".resume.bin", ".run.bin"].iter().any(|end| name.ends_with(end))
            || whole.is_empty()
        {
            continue;
        }
        for place in [0, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[place] ^= 0x01;
            fs::write(&path, &changed).unwrap();
            assert!(code(&home).is_some(), "byte {place} of {path}");
        }
        fs::write(&path, &whole).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(code(&home), Some(Code::ArtifactModeUnsafe), "{path}");
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    }
    assert_eq!(code(&home), None);
}

#[test]
fn a_member_that_is_gone_or_went_on_is_seen() {
    let home = collected();
    let manifest = home.manifest("a1");
    fs::rename(&manifest, home.room.path("aside")).unwrap();
    assert_eq!(code(&home), Some(Code::SetMemberMissing));
    fs::rename(home.room.path("aside"), &manifest).unwrap();
    let file = home.room.path(&format!(".claude/projects/p/{MAIN}/subagents/agent-a1.jsonl"));
    let more =
        fs::read_to_string(&file).unwrap() + &format!("{}\n", child(MAIN, "a1")[0]).replace("a1-1", "a1-9");
    fs::write(&file, more).unwrap();
    home.room.run(&["collect", "--session", file.as_str(), "--output", manifest.as_str()]).receipt();
    assert_eq!(code(&home), Some(Code::SetMemberMismatch));
    refused(&home.room.run(&["validate-set", home.set().as_str()]), BREAKS_CONTRACT, "set-member-mismatch");
    home.collect(MAIN, &["--include-children"]).receipt();
    assert_eq!(code(&home), None);
}

#[test]
fn a_document_that_was_put_together_by_hand_keeps_the_rules() {
    let home = collected();
    assert_eq!(forged(&home, |_| {}), None);
    let two = |document: &mut Value| {
        let edges = document["edges"].as_array_mut().unwrap();
        edges.push(edges[0].clone());
    };
    assert_eq!(forged(&home, two), Some(Code::SetRelationDuplicate));
    assert_eq!(
        forged(&home, |document| {
            document["edges"].as_array_mut().unwrap().pop();
        }),
        Some(Code::SetMemberUnreachable)
    );
    assert_eq!(
        forged(&home, |document| {
            document["members"].as_array_mut().unwrap().pop();
        }),
        Some(Code::SetRelationMissing)
    );
    assert_eq!(
        forged(&home, |document| document["edges"][0]["to"] = document["edges"][1]["to"].clone()),
        Some(Code::SetEdgeUnproven)
    );
    assert_eq!(
        forged(&home, |document| document["edges"][0]["type"] = json!("continuation")),
        Some(Code::SetEdgeUnproven)
    );
    // A place that is no record, and a record that names no agent.
    let records = Evidence::open(&home.manifest("main")).records();
    let last = records.last().unwrap();
    let elsewhere = json!({"offset": last["offset"], "length": last["length"]});
    assert_eq!(
        forged(&home, |document| document["edges"][1]["proof"][0]["record"] = elsewhere),
        Some(Code::SetEdgeUnproven)
    );
    assert_eq!(
        forged(&home, |document| document["edges"][0]["proof"][0]["record"]["length"] = json!(7)),
        Some(Code::SetEdgeUnproven)
    );
    assert_eq!(
        forged(&home, |document| {
            document["edges"][0]["inherited"] = json!({"records": 1, "shown_by": "own_marks"});
        }),
        Some(Code::SetEdgeUnproven)
    );
    assert_eq!(
        forged(&home, |document| document["members"][1]["kind"] = json!("session")),
        Some(Code::SetMemberMismatch)
    );
    assert_eq!(
        forged(&home, |document| document["members"][1]["ledger"]["size"] = json!(1)),
        Some(Code::SetMemberMismatch)
    );
    for (place, value) in
        [("/follows/children", json!(false)), ("/limitations", json!({"relatives-left-out": 1}))]
    {
        let change = |document: &mut Value| *document.pointer_mut(place).unwrap() = value.clone();
        assert_eq!(forged(&home, change), Some(Code::SetInvalid), "{place}");
    }
    for list in ["members", "edges"] {
        let turned = forged(&home, |document| document[list].as_array_mut().unwrap().reverse());
        assert_eq!(turned, Some(Code::SetInvalid), "{list}");
    }
}

//! A policy of a team lies beside the ledger that was collected under it: drafts, reports and every second look go by
//! it, and nobody takes it away or changes it unseen.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::digest::Digest;
use recap::base::json::canonical;
use serde_json::{Value, json};

use super::evidence::Evidence;
use super::homes::{Home, MAIN, child, of_child, prompt, with};
use super::leaks::rewrite;
use super::program::{Ran, Room, listing};

const SESSION: &str = "2d2e2f20-2222-4222-8333-444455556666";
/// A token of the kind that the policy adds.
const OURS: &str = "acme_k3J9k3J9k3J9k3J9k3J9k3J9";

/// A token of the built-in table, which the policy allows.
fn allowed() -> String {
    format!("ghp_{}", "b2C3d4E5f".repeat(4))
}

/// A session that was collected under a policy.
struct Collected {
    room: Room,
    policy: Utf8PathBuf,
    session: Utf8PathBuf,
    manifest: Utf8PathBuf,
}

fn row(uuid: &str, kind: &str, content: &Value) -> String {
    let message = json!({"role": kind, "id": format!("msg_{uuid}"), "content": content});
    format!("{}\n", json!({"type": kind, "uuid": uuid, "sessionId": SESSION, "message": message}))
}

impl Collected {
    fn new() -> Self {
        let room = Room::in_memory();
        let document = json!({"schema_version": "recap.policy.v1",
            "kinds": [{"name": "acme-token", "forms": ["acme_{A24}"]}],
            "allow": [{"sha256": Digest::of(allowed().as_bytes()).to_string(), "reason": "it stands in our manual"}]});
        let policy = room.file("in/policy.json", document.to_string());
        let said = json!([{"type": "text", "text": "It is done."}]);
        let asked = json!(format!("Use {} and not {OURS}", allowed()));
        let text = row("a", "user", &asked) + &row("b", "assistant", &said);
        let session = room.file(&format!("in/{SESSION}.jsonl"), text);
        let manifest = room.path("out/manifest.json");
        let collected = Self { room, policy, session, manifest };
        collected.collect(&[]).receipt();
        collected.run(&["packetize"]).receipt();
        collected
    }

    fn collect(&self, more: &[&str]) -> Ran {
        let [session, output, policy] =
            [&self.session, &self.manifest, &self.policy].map(|path| path.as_str());
        let arguments = ["collect", "--session", session, "--output", output, "--policy", policy];
        self.room.run(&[&arguments, more].concat())
    }

    /// Runs a command on the manifest; words that end in `.json` or `.md` are files beside it.
    fn run(&self, arguments: &[&str]) -> Ran {
        let path = |word: &&str| match Utf8Path::new(word).extension() {
            Some("json" | "md") => self.path(word).into_string(),
            _ => (*word).to_owned(),
        };
        let command = [arguments[0].to_owned(), self.manifest.to_string()];
        let arguments: Vec<String> = command.into_iter().chain(arguments[1..].iter().map(path)).collect();
        self.room.run(&arguments)
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        self.room.path("out").join(name)
    }

    fn document(&self) -> Value {
        serde_json::from_slice(&fs::read(&self.manifest).unwrap()).unwrap()
    }

    /// The file of the policy in the ledger folder.
    fn kept(&self) -> Utf8PathBuf {
        let document = self.document();
        let file = document["ledger"]["streams"]["policy"]["file"].as_str().unwrap();
        self.path("manifest.json.ledger").join(file)
    }

    /// Writes another manifest, as somebody would who knows the format.
    fn forge(&self, change: impl FnOnce(&mut Value)) {
        let mut document = self.document();
        change(&mut document);
        fs::write(&self.manifest, canonical::to_bytes(&document).unwrap()).unwrap();
    }
}

/// Puts words wherever a skeleton has none.
pub fn fill(value: &mut Value, words: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, words)),
        Value::Object(members) => {
            for (name, member) in members {
                let is_prose = ["label", "title", "summary"].contains(&name.as_str());
                if is_prose && member == "" {
                    *member = words.into();
                }
                fill(member, words);
            }
        }
        _ => {}
    }
}

/// Nothing of the team's token came out, on the streams or in a file.
#[track_caller]
fn hidden(collected: &Collected, ran: &Ran) {
    assert!(!ran.stdout.contains(&OURS[5..]) && !ran.stderr.contains(&OURS[5..]), "{}", ran.stderr);
    for (path, (_, _, bytes)) in listing(&collected.room.path("out")) {
        let is_draft = ["draft.json", "synthesis.json"].contains(&path.file_name().unwrap());
        assert!(is_draft || !String::from_utf8_lossy(&bytes).contains(&OURS[5..]), "{path}");
    }
}

/// A draft with the team's token in a text and in a member's name is refused, and repeated nowhere.
#[track_caller]
fn refuses(collected: &Collected, name: &str, place: &str, command: &[&str]) {
    let path = collected.path(name);
    let whole = fs::read(&path).unwrap();
    rewrite(&path, |draft| {
        *draft.pointer_mut(place).unwrap() = json!(format!("we saw {OURS}"));
        draft[OURS] = json!(1);
    });
    let ran = collected.run(command);
    fs::write(&path, whole).unwrap();
    let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(receipt["violations"].get("credential-shaped").is_some(), "{receipt}");
    assert!(ran.stderr.contains("schema-violation") && ran.stderr.contains("/…"), "{}", ran.stderr);
    hidden(collected, &ran);
}

#[test]
fn drafts_are_held_against_the_kinds_and_the_values_of_the_collection() {
    let collected = Collected::new();
    let seal = ["seal-accounting", "draft.json", "--output", "accounting.json", "--explain"];
    let check = ["validate-synthesis", "accounting.json", "synthesis.json", "--explain"];
    collected.run(&["accounting-draft", "--output", "draft.json"]).receipt();
    let words = format!("We saw {}", allowed());
    rewrite(&collected.path("draft.json"), |draft| fill(draft, &words));
    refuses(&collected, "draft.json", "/claims/0/label", &seal);
    collected.run(&seal).receipt();
    collected.run(&["validate-accounting", "accounting.json"]).receipt();
    collected.run(&["synthesis-draft", "accounting.json", "--output", "synthesis.json"]).receipt();
    rewrite(&collected.path("synthesis.json"), |synthesis| fill(synthesis, &words));
    refuses(&collected, "synthesis.json", "/headline/summary", &check);
    collected.run(&[&check[..], &["--expanded", "expanded.json"]].concat()).receipt();
    let ran = collected.run(&["render", "accounting.json", "synthesis.json", "--output", "recap.md"]);
    ran.receipt();
    hidden(&collected, &ran);
    assert!(fs::read_to_string(collected.path("recap.md")).unwrap().replace('\\', "").contains(&allowed()));
    // The same accounting under the built-in table alone: what the team allows is a secret there.
    collected.forge(|document| {
        document["versions"]["policy"] = json!("default-1");
        document["ledger"]["streams"].as_object_mut().unwrap().remove("policy");
    });
    let ran = collected.run(&["validate-accounting", "accounting.json"]);
    let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(receipt["violations"].get("credential-shaped").is_some(), "{receipt}");
}

#[test]
fn the_policy_is_kept_as_it_was_and_named_by_its_digest() {
    let collected = Collected::new();
    let whole = fs::read(&collected.policy).unwrap();
    assert_eq!(fs::read(collected.kept()).unwrap(), whole);
    let document = collected.document();
    let digest = Digest::of(&whole).to_string();
    assert_eq!(document["ledger"]["streams"]["policy"]["sha256"], json!(digest));
    assert_eq!(document["versions"]["policy"], json!(format!("default-1+{digest}")));
    let sums = fs::read_to_string(collected.path("manifest.json.ledger/SHA256SUMS")).unwrap();
    assert!(sums.contains(&format!("{digest}  {digest}.policy.json")));
    // It stays when the session goes on, and the person's own file is not needed for anything but that.
    let more =
        fs::read_to_string(&collected.session).unwrap() + &row("c", "user", &json!(format!("And {OURS}")));
    fs::write(&collected.session, more).unwrap();
    assert_eq!(collected.collect(&[]).receipt()["flags"]["resumed"], true);
    fs::remove_file(&collected.policy).unwrap();
    for command in ["packetize", "validate", "outline"] {
        let ran = collected.run(&[command]);
        assert_eq!(ran.status, 0, "{command}: {}", ran.stderr);
        hidden(&collected, &ran);
    }
    assert_eq!(fs::read(collected.kept()).unwrap(), whole);
}

#[test]
fn a_policy_that_anyone_touched_stops_every_command() {
    let collected = Collected::new();
    collected.run(&["accounting-draft", "--output", "draft.json"]).receipt();
    let (kept, whole) = (collected.kept(), fs::read(collected.kept()).unwrap());
    let refused = |code: &str, what: &str| {
        for command in [
            &["validate"][..],
            &["packetize"],
            &["outline"],
            &["event", "e0"],
            &["accounting-gaps", "draft.json"],
            &["seal-accounting", "draft.json", "--output", "accounting.json"],
            &["attempts"],
        ] {
            assert_eq!(collected.run(command).code(), code, "{what}: {command:?}");
        }
    };
    let mut changed = whole.clone();
    changed[40] ^= 1;
    fs::write(&kept, &changed).unwrap();
    refused("stream-corrupt", "a changed byte");
    fs::write(&kept, &whole[1..]).unwrap();
    refused("stream-corrupt", "a shorter file");
    fs::remove_file(&kept).unwrap();
    refused("stream-missing", "no file");
    collected.room.file(kept.strip_prefix(collected.room.path("")).unwrap().as_str(), &whole);
    let manifest = fs::read(&collected.manifest).unwrap();
    for (what, member, value) in [
        ("no version", "/versions/policy", json!("default-1")),
        ("another version", "/versions/policy", json!(format!("default-1+{}", Digest::of(b"x")))),
        ("another stream", "/ledger/streams/policy/sha256", json!(Digest::of(b"x"))),
        ("another file", "/ledger/streams/policy/file", json!(format!("{}.policy.json", Digest::of(b"x")))),
        ("more rows", "/ledger/streams/policy/rows", json!(2)),
    ] {
        collected.forge(|document| *document.pointer_mut(member).unwrap() = value);
        refused("manifest-invalid", what);
        fs::write(&collected.manifest, &manifest).unwrap();
    }
    collected.forge(|document| {
        document["ledger"]["streams"].as_object_mut().unwrap().remove("policy");
    });
    refused("manifest-invalid", "no stream");
    fs::write(&collected.manifest, &manifest).unwrap();
    collected.run(&["validate"]).receipt();
}

#[test]
fn a_ledger_whose_policy_was_taken_away_gives_no_packets() {
    let collected = Collected::new();
    let streams = |collected: &Collected| -> Vec<Utf8PathBuf> {
        listing(&collected.room.path("out")).into_keys().collect()
    };
    for name in fs::read_dir(collected.path("manifest.json.ledger")).unwrap() {
        let path = Utf8PathBuf::from_path_buf(name.unwrap().path()).unwrap();
        let is_ours =
            ["packets", "episodes", "repeats", "outline"].iter().any(|kind| path.as_str().contains(kind));
        if is_ours {
            fs::remove_file(path).unwrap();
        }
    }
    fs::remove_file(collected.path("manifest.json.packets.json")).unwrap();
    collected.forge(|document| {
        document["versions"]["policy"] = json!("default-1");
        document["ledger"]["streams"].as_object_mut().unwrap().remove("policy");
    });
    let before = streams(&collected);
    let ran = collected.run(&["packetize"]);
    assert_eq!((ran.status, ran.code()), (3, "secret-left"), "{}", ran.stderr);
    assert_eq!(streams(&collected), before);
}

#[test]
fn a_set_goes_by_the_policy_of_its_members() {
    let home = Home::with_two_children();
    let document = json!({"schema_version": "recap.policy.v1",
        "kinds": [{"name": "acme-token", "forms": ["acme_{A24}"]}], "allow": []});
    let policy = home.room.file("in/policy.json", document.to_string());
    home.claude(
        &format!("{MAIN}/subagents/agent-a1.jsonl"),
        &[child(MAIN, "a1"), vec![of_child(with(prompt(MAIN, "a1-3"), "gitBranch", json!(OURS)), "a1")]]
            .concat(),
    );
    home.collect(MAIN, &["--include-children", "--policy", policy.as_str()]).receipt();
    home.room.run(&["validate-set", home.set().as_str()]).receipt();
    let manifest: Value = serde_json::from_slice(&fs::read(home.manifest("a1")).unwrap()).unwrap();
    assert_eq!(manifest["session"]["branches"], json!(["[redacted:acme-token#1]"]));
    assert_eq!(home.collect(MAIN, &["--include-children"]).code(), "ledger-of-other-version");
    let set = Digest::of(&fs::read(home.set()).unwrap());
    let edges = home.document()["edges"].clone();
    let item = |edge: &Value| {
        json!({"edge_id": edge["id"], "summary": OURS, "source_label": "session_observed",
        "evidence_ids": [Evidence::open(&home.manifest("main")).events()[1]["event_id"]]})
    };
    let items: Vec<Value> = edges.as_array().unwrap().iter().map(item).collect();
    let draft = json!({"schema_version": "recap.edges-draft.v1", "set_sha256": set, "items": items});
    let edges = home.room.file("sets/edges.json", draft.to_string());
    let output = home.room.path("sets/handoff.md");
    let ran =
        home.room.run(&["render-set", home.set().as_str(), edges.as_str(), "--output", output.as_str()]);
    let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.status, &receipt["violations"]), (1, &json!({"credential-shaped": 2})), "{receipt}");
}

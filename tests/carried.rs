//! A sealed accounting goes on when its session does: only what came later needs a draft.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::hostile::BREAKS_CONTRACT;
use super::program::{Ran, Room};
use super::samples::{CLAUDE, bundled};

struct Story {
    room: Room,
    session: Utf8PathBuf,
    whole: Vec<u8>,
    half: usize,
}

impl Story {
    /// Half of the session, sealed; then all of it, with packets.
    fn new() -> Self {
        let room = Room::new();
        let whole = fs::read(bundled(CLAUDE)).unwrap();
        let feeds: Vec<usize> = (0..whole.len()).filter(|place| whole[*place] == b'\n').collect();
        let half = feeds[feeds.len() / 2] + 1;
        let session = room.file(CLAUDE, &whole[..half]);
        let story = Self { room, session, whole, half };
        story.collected(story.half);
        story.run("accounting-draft M --output draft.json").receipt();
        story.fill("draft.json");
        story.run("seal-accounting M draft.json --output old.json").receipt();
        story.collected(story.whole.len());
        story
    }

    fn collected(&self, bytes: usize) {
        fs::write(&self.session, &self.whole[..bytes]).unwrap();
        self.room
            .run(&["collect", "--session", self.session.as_str(), "--output", "out/manifest.json"])
            .receipt();
        self.run("packetize M").receipt();
    }

    /// Runs the program; `M` stands for the manifest, other files lie beside it.
    fn run(&self, line: &str) -> Ran {
        let word = |word: &str| match word {
            "M" => "out/manifest.json".to_owned(),
            word if Utf8Path::new(word).extension() == Some("json") => format!("out/{word}"),
            word => word.to_owned(),
        };
        self.room.run(&line.split(' ').map(word).collect::<Vec<_>>())
    }

    fn fill(&self, draft: &str) {
        let path = self.room.path("out").join(draft);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("\"label\": \"\"", "\"label\": \"Some words\"")).unwrap();
    }

    fn document(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.room.path("out").join(name)).unwrap()).unwrap()
    }
}

#[test]
fn the_draft_of_a_tail_seals_on_top_of_the_older_accounting() {
    let story = Story::new();
    let stale = story.run("validate-accounting M old.json");
    assert_eq!(stale.status, BREAKS_CONTRACT);
    assert!(stale.stdout.contains("accounting-ledger-mismatch"));

    story.run("accounting-draft M --output tail.json --extends old.json").receipt();
    let old = story.document("old.json");
    let old_size = old["ledger"]["size"].as_u64().unwrap();
    let ordinals = |draft: &Value| -> Vec<u64> {
        let claims = draft["claims"].as_array().unwrap().iter();
        let groups = draft["low_signal_groups"].as_array().unwrap().iter();
        let ranges = claims.chain(groups).flat_map(|entry| entry["ranges"].as_array().into_iter().flatten());
        ranges.map(|range| range[0].as_u64().unwrap()).collect()
    };
    let draft = story.document("tail.json");
    assert!(
        !ordinals(&draft).is_empty() && ordinals(&draft).iter().all(|first| *first >= old_size),
        "{draft}"
    );
    assert_eq!(story.run("accounting-gaps M tail.json --extends old.json").stdout, "");
    assert_ne!(
        story.run("accounting-gaps M tail.json").stdout,
        "",
        "without it, the older events are nobody's"
    );

    story.fill("tail.json");
    let sealed = story.run("seal-accounting M tail.json --output new.json --extends old.json").receipt();
    assert_eq!(sealed["valid"], true);
    story.run("validate-accounting M new.json").receipt();
    let new = story.document("new.json");
    assert_eq!(new["ledger"], {
        let state = &story.document("manifest.json")["ledger"]["state"];
        serde_json::json!({"size": state["size"], "root": state["root"], "records": state["records"], "records_root": state["records_root"]})
    });
    for claim in old["claims"].as_array().unwrap() {
        let carried =
            new["claims"].as_array().unwrap().iter().find(|own| own["claim_id"] == claim["claim_id"]);
        assert_eq!(carried.unwrap()["label"], claim["label"]);
    }
}

#[test]
fn an_accounting_of_another_history_is_not_carried_over() {
    let story = Story::new();
    // The same session, but a ledger of its own secret: other ids, another root.
    fs::remove_dir_all(story.room.path("out/manifest.json.ledger")).unwrap();
    fs::remove_file(story.room.path("out/manifest.json")).unwrap();
    story.collected(story.whole.len());
    for line in [
        "accounting-draft M --output tail.json --extends old.json",
        "seal-accounting M draft.json --output new.json --extends old.json",
        "accounting-gaps M draft.json --extends old.json",
    ] {
        let ran = story.run(line);
        assert_eq!(ran.status, BREAKS_CONTRACT, "{line}");
        let codes = &serde_json::from_str::<Value>(&ran.stdout).unwrap()["violations"];
        assert_eq!(codes["accounting-ledger-mismatch"], 1, "{line}: {}", ran.stdout);
    }
    assert!(!story.room.path("out/tail.json").exists() && !story.room.path("out/new.json").exists());
}

//! Transcripts of both harnesses: single records, and whole files from detection to a validated ledger.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use recap::base::ids::Harness;
use recap::base::rules::Code;
use recap::evidence::command::shell::walk::of_script;
use recap::evidence::transcript::detect::{identify_records, reader_of};
use recap::evidence::transcript::json::Json;
use recap::evidence::transcript::pieces::{Piece, cut};
use recap::stage::packetize::packetize;
use recap::stage::read::outline;
use recap::stage::validate::validate;

use super::ground::{Ground, SECRET, patiently};

const CLAUDE: &str = "0c1d2e3f-aaaa-4bbb-8ccc-000000000001.jsonl";
const CODEX: &str = "rollout-2026-06-01T12-00-00-0199aa00-1111-7222-8333-444455556666.jsonl";

/// One line: its pieces lie in it in order, each is read by both readers, what is a command is analysed.
pub fn records(data: &[u8]) {
    let mut texts = Vec::new();
    let mut free = 0;
    for piece in cut(data, true, &[]) {
        let Piece::Record { start, text, .. } = piece else { continue };
        assert!(start >= free && start <= data.len());
        free = start;
        texts.push(text.into_own());
    }
    let parsed: Vec<Json<'_>> =
        texts.iter().filter_map(|text| Json::parse(text, &[]).ok()).map(|parsed| parsed.value).collect();
    for harness in [Harness::Claude, Harness::Codex] {
        let reader = reader_of(harness);
        for text in &texts {
            let Ok(parsed) = Json::parse(text, reader.dropped()) else { continue };
            let reading = reader.read(&parsed.value);
            for item in &reading.items {
                let _ = of_script(item.text.expose(), Some("/w"));
            }
        }
    }
    let _ = of_script(&String::from_utf8_lossy(data), None);
    for name in [CLAUDE, CODEX] {
        let _ = identify_records(name.trim_end_matches(".jsonl"), &parsed);
    }
}

/// A file by the name of a Claude Code session.
pub fn claude(data: &[u8]) {
    collected(CLAUDE, data);
}

/// A file by the name of a Codex rollout, plain, compressed or one document.
pub fn codex(data: &[u8]) {
    collected(CODEX, data);
}

/// Refused with a code, or a ledger that cuts and validates. What the first half of the lines makes grows into the
/// ledger that the whole makes at once.
fn collected(name: &str, data: &[u8]) {
    thread_local! {
        static GROUND: Ground = Ground::new();
    }
    GROUND.with(|ground| collected_in(ground, name, data));
}

fn collected_in(ground: &Ground, name: &str, data: &[u8]) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let place = NEXT.fetch_add(1, Ordering::Relaxed);
    let world = ground.world();
    let session = ground.file(&format!("{place}/{name}"), data);
    let made = |folder: &str| {
        let manifest = ground.path(&format!("{place}/{folder}/manifest.json"));
        ground.file(&format!("{place}/{folder}/manifest.json.ledger/secret"), &SECRET);
        ground.collect(&session, &manifest).map(|()| manifest)
    };
    if let Ok(manifest) = made("whole") {
        patiently(|| packetize(&world, &manifest)).unwrap();
        let receipt = patiently(|| validate(&world, &manifest)).unwrap();
        let outline = patiently(|| outline(&world, &manifest, 1)).map_err(|refusal| refusal.code());
        // A ledger without events is cut into no packets.
        assert!(outline.is_ok() || outline == Err(Code::PacketUnknown), "{outline:?}");
        let feeds: Vec<usize> = (1..data.len()).filter(|at| data[at - 1] == b'\n').collect();
        if let Some(half) = feeds.get(feeds.len() / 2) {
            fs::write(&session, &data[..*half]).unwrap();
            if let Ok(grown) = made("grown") {
                fs::write(&session, data).unwrap();
                match ground.collect(&session, &grown) {
                    Ok(()) => {
                        let again = patiently(|| validate(&world, &grown)).unwrap();
                        let roots = ["ledger_root", "records_root"];
                        assert_eq!(
                            roots.map(|root| again.get_digest(root)),
                            roots.map(|root| receipt.get_digest(root))
                        );
                    }
                    // The end of inherited history, or who the session is, can show late; then growth is refused.
                    Err(refusal) => assert!(
                        matches!(refusal.code(), Code::SourceRewritten | Code::LedgerOfAnotherSession),
                        "{refusal}"
                    ),
                }
            }
        }
    }
    fs::remove_dir_all(ground.path(&place.to_string())).unwrap();
}

//! A compressed transcript is the transcript that it decodes to.

use std::fs;

use camino::Utf8PathBuf;
use recap::base::rules::Code;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;

use super::evidence::Evidence;
use super::program::Room;
use super::samples::{CODEX, bundled, corpus, transcripts};

const SECRET: [u8; 32] = [5; 32];

/// The ledger of a transcript as it stands, and of its compressed form.
fn both(transcript: &camino::Utf8Path) -> [Evidence; 2] {
    let bytes = fs::read(transcript).unwrap();
    let packed = compress_to_vec(bytes.as_slice(), CompressionLevel::Fastest);
    let name = transcript.file_name().unwrap();
    [(name.to_owned(), bytes), (format!("{name}.zst"), packed)].map(|(name, bytes)| {
        let room = Room::in_memory();
        room.file("out/manifest.json.ledger/secret", SECRET);
        let (session, manifest) = (room.file(&name, bytes), room.path("out/manifest.json"));
        room.collect(&session, &manifest).unwrap();
        room.validate(&manifest).unwrap();
        Evidence::open(&manifest).keep(room)
    })
}

fn same(transcript: &camino::Utf8Path) {
    let [plain, packed] = both(transcript).map(|evidence| evidence.manifest.clone());
    for member in ["boundary", "coverage", "ledger", "session", "limitations", "redactions"] {
        assert_eq!(plain[member], packed[member], "{transcript}: {member}");
    }
    assert_eq!(plain["source"]["blake3"], packed["source"]["blake3"]);
    assert_eq!(plain["source"]["flags"], Value::Array(Vec::new()));
    assert_eq!(packed["source"]["flags"], Value::Array(vec!["compressed".into()]));
}

#[test]
fn the_bundled_one() {
    same(&bundled(CODEX));
}

#[test]
fn those_of_the_real_program() {
    if corpus("codex").is_none() {
        return;
    }
    let files = transcripts("codex");
    let files: Vec<Utf8PathBuf> =
        files.into_iter().filter(|file| (1..400_000).contains(&fs::metadata(file).unwrap().len())).collect();
    assert!(files.len() > 20);
    files.iter().for_each(|file| same(file));
}

#[test]
fn a_ledger_goes_on_when_its_transcript_was_compressed() {
    let bytes = fs::read(bundled(CODEX)).unwrap();
    let feeds: Vec<usize> = (0..bytes.len()).filter(|place| bytes[*place] == b'\n').collect();
    let half = feeds[feeds.len() / 2] + 1;
    let room = Room::in_memory();
    let (plain, manifest) = (room.file(CODEX, &bytes[..half]), room.path("out/manifest.json"));
    room.collect(&plain, &manifest).unwrap();
    let name = format!("{CODEX}.zst");
    let flags = |bytes: &[u8]| -> Value {
        let packed = room.file(&name, compress_to_vec(bytes, CompressionLevel::Fastest));
        let receipt = room.collect(&packed, &manifest).unwrap().to_line();
        serde_json::from_str::<Value>(&receipt).unwrap()["flags"].clone()
    };
    assert_eq!(flags(&bytes[..half])["unchanged"], true);
    let grown = flags(&bytes);
    assert_eq!((&grown["unchanged"], &grown["resumed"]), (&false.into(), &true.into()));
    room.validate(&manifest).unwrap();
    let code = |bytes: Vec<u8>| {
        let packed = room.file(&name, bytes);
        room.collect(&packed, &manifest).unwrap_err().code()
    };
    let packed = compress_to_vec(bytes.as_slice(), CompressionLevel::Fastest);
    assert_eq!(code(packed[..packed.len() / 2].to_vec()), Code::CompressedDamaged);
    assert_eq!(code(compress_to_vec(&bytes[..half], CompressionLevel::Fastest)), Code::SourceTruncated);
}

//! Every sample transcript goes through collect, packetize and validate; what holds of all of them is asserted
//! here. The stages are library calls: a process a step would take minutes.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::evidence::{Evidence, number, span};
use super::program::{Room, listing};
use super::samples::{BUNDLED, bundled, transcripts};

/// The manifest of every sample that is not empty, none where something did not hold. Collected once for all
/// tests.
pub fn manifests() -> &'static BTreeMap<Utf8PathBuf, Option<Value>> {
    static MANIFESTS: OnceLock<BTreeMap<Utf8PathBuf, Option<Value>>> = OnceLock::new();
    MANIFESTS.get_or_init(|| {
        let files: Vec<Utf8PathBuf> =
            all().into_iter().filter(|file| fs::metadata(file).unwrap().len() > 0).collect();
        let failures = AtomicUsize::new(0);
        let taken = in_parallel(&files, |file| {
            // A fault of all files is told by the first few.
            let told = failures.load(Ordering::Relaxed) >= 5;
            let manifest =
                if told { None } else { std::panic::catch_unwind(|| through_all_stages(file)).ok() };
            failures.fetch_add(usize::from(manifest.is_none()), Ordering::Relaxed);
            (file.clone(), manifest)
        });
        taken.into_iter().collect()
    })
}

/// Every sample, bundled or beside the project.
pub fn all() -> Vec<Utf8PathBuf> {
    let mut files = transcripts("");
    files.extend(BUNDLED.map(bundled));
    files
}

/// Does the same with each item, on all cores.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push(each(item));
            }
            done
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

/// Collects one file twice into one folder and once into another with the same secret.
fn through_all_stages(file: &Utf8Path) -> Value {
    let room = Room::in_memory();
    let manifest = room.path("first/manifest.json");
    let receipt = room.collect(file, &manifest).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
    assert!(receipt.is_valid());
    room.packetize(&manifest).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
    room.validate(&manifest).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
    let evidence = Evidence::open(&manifest);
    tiles(file, &evidence);
    owner_only(&room.path("first"));

    let before = listing(&room.path("first"));
    let again = room.collect(file, &manifest).unwrap().to_line();
    assert!(again.contains("\"unchanged\":true"), "{file}: {again}");
    assert!(before == listing(&room.path("first")), "{file}: collecting again wrote something");

    let secret = fs::read(room.path("first/manifest.json.ledger/secret")).unwrap();
    room.file("second/manifest.json.ledger/secret", secret);
    room.collect(file, &room.path("second/manifest.json")).unwrap();
    let second = Evidence::open(&room.path("second/manifest.json"));
    assert_eq!(evidence.manifest["ledger"], second.manifest["ledger"], "{file}: streams differ");
    room.packetize(&room.path("second/manifest.json")).unwrap();
    assert!(bytes(&room.path("first")) == bytes(&room.path("second")), "{file}: folders differ");
    evidence.manifest
}

/// Every file below a folder by its name there.
fn bytes(folder: &Utf8Path) -> BTreeMap<Utf8PathBuf, Vec<u8>> {
    let files = listing(folder).into_iter();
    files.map(|(path, (_, _, bytes))| (path.strip_prefix(folder).unwrap().to_owned(), bytes)).collect()
}

/// Records and framing tile `[0, size)`, and the manifest's figures are those of the records.
fn tiles(file: &Utf8Path, evidence: &Evidence) {
    let bytes = fs::read(file).unwrap();
    let coverage = &evidence.manifest["coverage"];
    let mut spans = evidence.spans();
    spans.extend(coverage["partial_tail"].as_object().map(|_| span(&coverage["partial_tail"])));
    let mut next = 0;
    for (offset, length) in &spans {
        let framing =
            bytes.get(next..*offset).unwrap_or_else(|| panic!("{file}: records overlap at {offset}"));
        assert!(is_framing(file, framing, next), "{file}: bytes {next}..{offset} are no framing");
        next = offset + length;
    }
    assert!(is_framing(file, &bytes[next..], next), "{file}: bytes {next}.. are no framing");
    let recorded: usize = spans.iter().map(|(_, length)| length).sum();
    assert_eq!(number(&coverage["record_bytes"]) as usize, recorded, "{file}");
    assert_eq!(number(&coverage["framing_bytes"]) as usize, bytes.len() - recorded, "{file}");
    assert_eq!(number(&evidence.manifest["source"]["size"]) as usize, bytes.len(), "{file}");
    assert_eq!(
        evidence.events().len() as u64,
        number(&evidence.manifest["ledger"]["state"]["size"]),
        "{file}"
    );
}

fn is_framing(file: &Utf8Path, bytes: &[u8], offset: usize) -> bool {
    let rest = if offset == 0 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
    let blank: Vec<u8> = rest.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    // Of a document also what stands around its records.
    let around = ["{\"session\":", ",\"items\":[", ",", "]}"];
    let document = file.extension() == Some("json") && around.iter().any(|part| part.as_bytes() == blank);
    blank.is_empty() || document
}

fn owner_only(folder: &Utf8Path) {
    for (path, (mode, _, _)) in listing(folder) {
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode & 0o7777, wanted, "{path}");
    }
}

#[test]
fn every_transcript_goes_through_all_stages() {
    let manifests = manifests();
    println!("{} transcripts", manifests.len());
    let failed: Vec<_> = manifests.iter().filter(|(_, manifest)| manifest.is_none()).collect();
    assert!(failed.is_empty(), "{} transcripts, for example {}", failed.len(), failed[0].0);
}

#[test]
fn an_empty_file_is_no_transcript() {
    let mut files: Vec<Utf8PathBuf> =
        transcripts("").into_iter().filter(|file| fs::metadata(file).unwrap().len() == 0).take(3).collect();
    let room = Room::new();
    files.push(room.file("0a0b0c0d-1111-4222-8333-444455556666.jsonl", ""));
    for file in files {
        let before = listing(&room.path(""));
        let output = room.path("out/manifest.json");
        let ran = room.run(&["collect", "--session", file.as_str(), "--output", output.as_str()]);
        assert_eq!((ran.status, ran.code(), ran.stdout.as_str()), (1, "not-a-transcript", ""), "{file}");
        assert!(before == listing(&room.path("")), "{file}: something was written");
    }
}

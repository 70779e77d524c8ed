//! Sample transcripts. Those of the corpus are not part of the project: where they are not there, a test says so
//! and passes. `RECAP_CORPUS` names the folder where it does not lie beside the project.

use camino::{Utf8Path, Utf8PathBuf};

/// A folder of the corpus.
pub fn corpus(folder: &str) -> Option<Utf8PathBuf> {
    let beside = || Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let root = std::env::var("RECAP_CORPUS").map_or_else(|_| beside(), Utf8PathBuf::from);
    let path = root.canonicalize_utf8().map(|root| root.join(folder)).ok().filter(|path| path.is_dir());
    if path.is_none() {
        println!("skipped: no corpus");
    }
    path
}

/// Every transcript below a folder of the corpus, sorted; none where there is no corpus.
pub fn transcripts(folder: &str) -> Vec<Utf8PathBuf> {
    let (mut files, mut folders) = (Vec::new(), Vec::from_iter(corpus(folder)));
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some("jsonl") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A bundled transcript.
pub fn bundled(name: &str) -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// All bundled transcripts.
pub const BUNDLED: [&str; 4] = [CLAUDE, CODEX, DOCUMENT, DAMAGED];
/// A Claude session: tests fail, an edit, tests pass, a commit.
pub const CLAUDE: &str = "5b1f6c1e-52a7-4c0e-9a55-3c1f0e7d2a10.jsonl";
/// A paginated Codex thread with a patch, a failing command and one that never ended.
pub const CODEX: &str = "rollout-2026-05-04T09-30-00-0196a2b4-11aa-7c3d-8e5f-60718293a4b5.jsonl";
/// A session of the first Codex CLI: one document, with one item that is no object.
pub const DOCUMENT: &str = "rollout-2025-06-01-cf4def41-21e0-4b91-adb4-5397c1492084.json";
/// A Claude session whose file was damaged in every way that a crash leaves behind.
pub const DAMAGED: &str = "7c2e9d40-1b3a-4f6d-8c5e-2a4b6c8d0e1f.jsonl";

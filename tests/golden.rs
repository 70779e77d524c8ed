//! Whole cases below `golden/cases/`: a transcript of our own, two drafts, and everything that the pipeline makes of
//! them. Clock and secret are fixed, so that every byte is; digests that follow from the program's version are
//! replaced by their names. `UPDATE_GOLDEN=1 cargo test golden` writes the expectations anew.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::receipt::Receipt;
use recap::report::Format;
use recap::stage::demo::{bundled_session, filled};
use recap::stage::draft_accounting::accounting_draft;
use recap::stage::draft_synthesis::synthesis_draft;
use recap::stage::render::render;
use recap::stage::seal_accounting::{seal_accounting, validate_accounting};
use recap::stage::validate_synthesis::validate_synthesis;
use recap::stage::verdict::Verdict;

use crate::golden_file;
use crate::program::Room;

/// The secret of every golden ledger.
const SECRET: [u8; 32] = *b"a golden secret has thirty-two b";

#[test]
fn claude_fix() {
    case("claude-fix");
}

#[test]
fn codex_rename() {
    case("codex-rename");
}

#[test]
fn damaged() {
    case("damaged");
}

#[test]
fn refused() {
    case("refused");
}

/// Runs a case and compares all of it.
fn case(name: &str) {
    let folder = Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/cases").join(name);
    let room = Room::new();
    let run = Run { room, name: name.to_owned(), folder, receipts: String::new(), replaced: Vec::new() };
    run.all();
}

struct Run {
    room: Room,
    name: String,
    folder: Utf8PathBuf,
    receipts: String,
    replaced: Vec<(String, &'static str)>,
}

impl Run {
    fn all(mut self) {
        let manifest = self.collected();
        let world = self.room.world();
        let [draft, accounting, synthesis, recap] =
            ["accounting.draft.json", "accounting.json", "synthesis.json", "recap.md"]
                .map(|name| manifest.with_file_name(name));
        let skeleton = manifest.with_file_name("skeleton.json");
        let first = accounting_draft(&world, &manifest, &skeleton, None).unwrap();
        let skeleton_text = fs::read_to_string(&skeleton).unwrap();
        self.write(&draft, &filled(&world, &manifest, None, &self.bundled("accounting.draft.json")).unwrap());
        let sealed = seal_accounting(&world, &manifest, &draft, &accounting, None).unwrap();
        let checked = validate_accounting(&world, &manifest, &accounting).unwrap();
        let skeleton = manifest.with_file_name("skeleton.synthesis.json");
        let second = synthesis_draft(&world, &manifest, &accounting, &skeleton, None).unwrap();
        let synthesis_skeleton = fs::read_to_string(&skeleton).unwrap();
        let text = filled(&world, &manifest, Some(&accounting), &self.bundled("synthesis.json")).unwrap();
        self.write(&synthesis, &text);
        let expanded = manifest.with_file_name("expanded.json");
        let judged =
            validate_synthesis(&world, &manifest, &accounting, &synthesis, Some(&expanded), false).unwrap();
        let rendered = render(&world, &manifest, &accounting, &synthesis, &recap, Format::Markdown).unwrap();
        let evidence = |recap: &Utf8Path| fs::read(format!("{recap}.evidence.json")).ok();
        let [html, json] =
            [("recap.html", Format::Html), ("recap.json", Format::Json)].map(|(name, format)| {
                let path = manifest.with_file_name(name);
                let other = render(&world, &manifest, &accounting, &synthesis, &path, format).unwrap();
                assert_eq!(other.receipt.get_count("words"), rendered.receipt.get_count("words"), "{name}");
                assert_eq!(evidence(&path), evidence(&recap), "{name}");
                path
            });
        drop(world);

        self.receipt(&first.receipt);
        for verdict in [&sealed, &checked, &second, &judged, &rendered] {
            self.verdict(verdict);
        }
        self.check("accounting.skeleton.json", &skeleton_text);
        self.check("synthesis.skeleton.json", &synthesis_skeleton);
        self.check("accounting.json", &pretty(&accounting));
        for (path, expected) in [
            (recap.clone(), "recap.md"),
            (html, "recap.html"),
            (json, "recap.json"),
            (Utf8PathBuf::from(format!("{recap}.evidence.json")), "recap.evidence.json"),
            (expanded, "synthesis.expanded.json"),
            (Utf8PathBuf::from(format!("{synthesis}.violations.json")), "synthesis.violations.json"),
        ] {
            let json = path.extension() == Some("json");
            let text = match path.exists() {
                true if json => pretty(&path),
                true => fs::read_to_string(&path).unwrap(),
                // What a refused draft leaves is part of the expectation: nothing.
                false => "(no such file)\n".to_owned(),
            };
            self.check(expected, &text);
        }
        let receipts = std::mem::take(&mut self.receipts);
        self.check("receipts.jsonl", &receipts);
    }

    /// The evidence half: manifest, every stream, the outline.
    fn collected(&mut self) -> Utf8PathBuf {
        let session = self.folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
        let session = session.into_iter().find(|path| path.extension() == Some("jsonl")).unwrap();
        let bytes = fs::read(&session).unwrap();
        let bytes = String::from_utf8(bytes)
            .map_or_else(|error| error.into_bytes(), |text| bundled_session(&text).into_bytes());
        let source = self.room.file(session.file_name().unwrap(), bytes);
        let manifest = self.room.path("out/manifest.json");
        self.room.file("out/manifest.json.ledger/secret", SECRET);
        let first = self.room.collect(&source, &manifest).unwrap();
        let second = self.room.packetize(&manifest).unwrap();
        let third = self.room.validate(&manifest).unwrap();
        self.replace(first.get_digest("manifest_sha256").unwrap().to_string(), "MANIFEST");
        for receipt in [&first, &second, &third] {
            self.receipt(receipt);
        }
        self.check("manifest.json", &pretty(&manifest));
        let ledger = manifest.with_file_name("manifest.json.ledger");
        let mut names: Vec<String> =
            ledger.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
        names.sort();
        for stream in ["events", "records", "relations", "observations", "packets", "episodes", "repeats"] {
            let found = names.iter().find(|name| name.ends_with(&format!(".{stream}.jsonl")));
            let text = found.map_or_else(String::new, |name| fs::read_to_string(ledger.join(name)).unwrap());
            self.check(&format!("{stream}.jsonl"), &text);
        }
        let outline = self.room.outline(&manifest);
        self.check("outline.txt", &outline);
        manifest
    }

    fn bundled(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    fn write(&self, path: &Utf8Path, text: &str) {
        let below = path.strip_prefix(self.room.path("")).unwrap();
        self.room.file(below.as_str(), text);
    }

    fn verdict(&mut self, verdict: &Verdict) {
        self.receipt(&verdict.receipt);
    }

    fn receipt(&mut self, receipt: &Receipt) {
        for (name, shown) in [
            ("synthesis_sha256", "SYNTHESIS"),
            ("synthesis_file_sha256", "SYNTHESIS_FILE"),
            ("expanded_file_sha256", "SYNTHESIS"),
            ("recap_sha256", "RECAP"),
            ("evidence_sha256", "EVIDENCE"),
        ] {
            if let Some(digest) = receipt.get_digest(name) {
                self.replace(digest.to_string(), shown);
            }
        }
        if receipt.to_line().contains("\"stage\":\"synthesis-draft\"") {
            let digest = receipt.get_digest("draft_file_sha256").unwrap();
            self.replace(digest.to_string(), "SKELETON");
        }
        self.receipts.push_str(&receipt.to_line());
        self.receipts.push('\n');
    }

    fn replace(&mut self, text: String, shown: &'static str) {
        self.replaced.push((text, shown));
    }

    fn check(&self, name: &str, text: &str) {
        let version = format!("\"recap\":\"{}\"", env!("CARGO_PKG_VERSION"));
        let mut text = text.replace(&version, "\"recap\":\"VERSION\"");
        text = text.replace(&version.replace(':', ": "), "\"recap\": \"VERSION\"");
        for (digest, shown) in &self.replaced {
            text = text.replace(digest, shown);
        }
        golden_file::check(&format!("cases/{}/expected/{name}", self.name), &text);
    }
}

/// A JSON document, indented so that a difference can be read.
fn pretty(path: &Utf8Path) -> String {
    let value: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    serde_json::to_string_pretty(&value).unwrap() + "\n"
}

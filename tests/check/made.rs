//! One bundled session, told and accepted: the expanded synthesis, the sealed accounting and the receipts of every
//! stage, made once for all tests of this family. Clock and secret are fixed.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use camino::{Utf8Path, Utf8PathBuf};
use recap::report::format::Format;
use recap::stage::demo::{bundled_session, filled};
use recap::stage::draft_accounting::accounting_draft;
use recap::stage::draft_synthesis::synthesis_draft;
use recap::stage::render::render;
use recap::stage::seal_accounting::{seal_accounting, validate_accounting};
use recap::stage::validate_synthesis::validate_synthesis;
use serde_json::Value;

use crate::program::{Ran, Room};

/// The secret of the ledger behind it.
const SECRET: [u8; 32] = *b"a published one has thirty-two b";

/// What the stages made.
pub struct Made {
    /// The author's draft, shorthand and all.
    pub draft: Value,
    /// As `--expanded` writes it.
    pub expanded: Value,
    /// As sealing writes it.
    pub accounting: Value,
    /// As `render --format json` writes it.
    pub recap: Value,
    /// One receipt a stage, in order.
    pub receipts: Vec<Value>,
}

pub static MADE: LazyLock<Made> = LazyLock::new(make);

fn make() -> Made {
    let room = Room::new();
    let case = Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/cases/claude-fix");
    let session = case.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
    let session = session.into_iter().find(|path| path.extension() == Some("jsonl")).unwrap();
    let source =
        room.file(session.file_name().unwrap(), bundled_session(&fs::read_to_string(&session).unwrap()));
    let manifest = room.path("out/manifest.json");
    room.file("out/manifest.json.ledger/secret", SECRET);
    let mut receipts = vec![
        room.collect(&source, &manifest).unwrap(),
        room.packetize(&manifest).unwrap(),
        room.validate(&manifest).unwrap(),
    ];
    let world = room.world();
    let [skeleton, draft, accounting, plan, synthesis, expanded, page, recap] = [
        "skeleton.json",
        "draft.json",
        "accounting.json",
        "plan.json",
        "synthesis.json",
        "expanded.json",
        "recap.md",
        "recap.json",
    ]
    .map(|name| manifest.with_file_name(name));
    let bundled = |name: &str, accounting: Option<&Utf8Path>| {
        filled(&world, &manifest, accounting, &fs::read_to_string(case.join(name)).unwrap()).unwrap()
    };
    let mut verdicts = vec![accounting_draft(&world, &manifest, &skeleton, None).unwrap()];
    room.file("out/draft.json", bundled("accounting.draft.json", None));
    verdicts.push(seal_accounting(&world, &manifest, &draft, &accounting, None).unwrap());
    verdicts.push(validate_accounting(&world, &manifest, &accounting).unwrap());
    verdicts.push(synthesis_draft(&world, &manifest, &accounting, &plan, None).unwrap());
    room.file("out/synthesis.json", bundled("synthesis.json", Some(&accounting)));
    verdicts.push(
        validate_synthesis(&world, &manifest, &accounting, &synthesis, Some(&expanded), false).unwrap(),
    );
    for (output, format) in [(&page, Format::Markdown), (&recap, Format::Json)] {
        verdicts.push(render(&world, &manifest, &accounting, &synthesis, output, format).unwrap());
    }
    receipts.extend(verdicts.into_iter().map(|verdict| verdict.receipt));
    let value = |path: &Utf8Path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    Made {
        draft: value(&synthesis),
        expanded: value(&expanded),
        accounting: value(&accounting),
        recap: value(&recap),
        receipts: receipts.iter().map(|receipt| serde_json::from_str(&receipt.to_line()).unwrap()).collect(),
    }
}

impl Made {
    /// The receipts as the stages printed them.
    pub fn lines(&self) -> String {
        lines(&self.receipts)
    }
}

/// Receipts, one a line.
pub fn lines(receipts: &[Value]) -> String {
    receipts.iter().map(|receipt| format!("{receipt}\n")).collect()
}

/// What `check --format json` says of a document that lies alone in a folder.
pub fn checked(document: impl AsRef<[u8]>) -> (i32, Value) {
    let room = Room::in_memory();
    room.file("published.json", document);
    said(&room, &["check", "published.json", "--format", "json"])
}

/// The status and the document that a command prints.
pub fn said(room: &Room, arguments: &[&str]) -> (i32, Value) {
    let ran = room.run(arguments);
    assert!(ran.stderr.is_empty(), "{arguments:?}: {}", ran.stderr);
    (ran.status, serde_json::from_str(&ran.stdout).unwrap())
}

/// Everything that was found, in all files, as `code pointer`.
pub fn found(report: &Value) -> Vec<String> {
    let files = report["files"].as_array().unwrap().iter();
    let findings = files.flat_map(|file| file["findings"].as_array().unwrap());
    findings
        .map(|one| format!("{} {}", one["code"].as_str().unwrap(), one["pointer"].as_str().unwrap()))
        .collect()
}

/// The program with a text on standard input.
pub fn piped(room: &Room, arguments: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_recap"))
        .args(arguments)
        .env_clear()
        .env("HOME", room.path(""))
        .current_dir(room.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { status: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

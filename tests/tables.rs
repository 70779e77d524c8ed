//! What became of every record of the real programs' files: one line a file, compared whole, so that a change
//! of a reader is read as a difference of these tables.

use std::fmt::Write as _;

use camino::Utf8Path;
use serde_json::Value;

use super::corpus::manifests;
use super::evidence::{number, numbers};
use super::golden_file;
use super::samples::corpus;

#[test]
fn records_of_claude_files() {
    table("claude", |path| {
        let case = path.components().next().unwrap().as_str().to_owned();
        let child = if path.as_str().contains("/subagents/") { "subagents/" } else { "" };
        format!("{case} {child}{}", path.file_stem().unwrap())
    });
}

#[test]
fn records_of_public_claude_files() {
    table("public/claude", |path| path.with_extension("").into_string());
}

#[test]
fn records_of_codex_files() {
    table("codex", |path| path.file_stem().unwrap().to_owned());
}

fn table(harness: &str, name: fn(&Utf8Path) -> String) {
    let Some(root) = corpus(harness) else { return };
    let mut lines: Vec<String> = manifests()
        .iter()
        .filter_map(|(path, manifest)| {
            Some(format!("{} | {}", name(path.strip_prefix(&root).ok()?), row(manifest.as_ref()?)))
        })
        .collect();
    lines.sort();
    golden_file::check(
        &format!("tables/{}.txt", harness.replace('/', "-")),
        &format!("{}\n", lines.join("\n")),
    );
}

/// Records by disposition | events by surface | calls | unknown kinds | what is damaged.
fn row(manifest: &Value) -> String {
    let coverage = &manifest["coverage"];
    let counted = |value: &Value| {
        numbers(value).iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(" ")
    };
    let mut row = format!("{} | {}", counted(&coverage["records"]), counted(&coverage["events"]));
    let calls = &coverage["calls"];
    if number(&calls["total"]) + number(&calls["orphan_results"]) > 0 {
        // Writing into memory cannot fail.
        let _ = write!(row, " | calls {} paired {}", calls["total"], calls["paired"]);
        for (name, word) in [("open", "open"), ("orphan_results", "orphans")] {
            if number(&calls[name]) > 0 {
                let _ = write!(row, " {word} {}", calls[name]);
            }
        }
    }
    for (name, count) in numbers(&coverage["unknown_types"]) {
        let _ = write!(row, " | unknown {name} {count}");
    }
    if coverage["source_complete"] == false {
        row.push_str(" | incomplete");
    }
    row
}

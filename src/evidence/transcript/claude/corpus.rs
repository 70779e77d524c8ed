//! The reader on files that the real program wrote. They are not part of the project; without them these
//! tests say so and pass. `RECAP_CORPUS` names the folder where it does not lie beside the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{ClaudeReader, identify};
use crate::evidence::transcript::item::{Surface, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{
    Head, Key, MirrorClaim, NativeType, Reader, Reading, Role, WindowMark,
};

fn corpus(folder: &str) -> Option<Vec<PathBuf>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let root = std::env::var_os("RECAP_CORPUS").map_or_else(beside, PathBuf::from).join(folder);
    if !root.is_dir() {
        println!("skipped: no corpus at hand");
        return None;
    }
    let (mut files, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                files.push(path);
            }
        }
    }
    files.sort();
    Some(files)
}

/// Every line that parses, with its reading. Lines that do not parse are another module's work.
fn readings(file: &Path, mut each: impl FnMut(&Json<'_>, Reading<Raw>)) {
    let bytes = std::fs::read(file).unwrap();
    for line in bytes.split(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        if let Ok(parsed) = Json::parse(&text, ClaudeReader.dropped()) {
            each(&parsed.value, ClaudeReader.read(&parsed.value));
        }
    }
}

/// Hidden texts and signatures of a row.
fn hidden(row: &Json<'_>) -> Vec<String> {
    let blocks = row.path(&["message", "content"]).items().iter();
    let parts = blocks.flat_map(|block| ["thinking", "signature", "data"].map(|key| block.get(key).as_str()));
    parts.flatten().filter(|part| part.len() > 3).map(ToOwned::to_owned).collect()
}

#[test]
fn every_kind_of_the_real_program_is_known_and_nothing_hidden_is_told() {
    let Some(files) = corpus("claude") else { return };
    let mut figures: BTreeMap<String, u64> = BTreeMap::new();
    let mut count = |name: String| *figures.entry(name).or_default() += 1;
    for file in &files {
        readings(file, |row, reading| {
            match &reading.native_type {
                NativeType::Known(name) => count(format!("kind {name} {:?}", reading.role)),
                NativeType::Unknown(name) => panic!("unknown {} in {}", name.expose(), file.display()),
            }
            count(format!("role {:?}", reading.role));
            let hidden = hidden(row);
            for item in &reading.items {
                count(format!("surface {} {:?} {:?}", item.surface.name(), item.actor, item.actor_grade));
                for facet in &item.facets {
                    count(format!("facet {facet}"));
                }
                if let Some(status) = item.tool.as_ref().and_then(|tool| tool.status) {
                    count(format!("status {status:?}"));
                }
                assert!(!hidden.iter().any(|part| item.text.expose().contains(part)), "{}", file.display());
            }
        });
    }
    for (name, number) in figures {
        println!("{number:6} {name}");
    }
}

#[test]
fn every_real_file_with_rows_has_an_identity() {
    let Some(files) = corpus("claude") else { return };
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap();
        let head: Vec<Json<'_>> = text
            .lines()
            .take(60)
            .filter_map(|line| Some(Json::parse(line, ClaudeReader.dropped()).ok()?.value))
            .collect();
        let identity = identify(stem, &head);
        assert_eq!(identity.is_none(), text.is_empty(), "{}", file.display());
        let Some(identity) = identity else { continue };
        assert_eq!(identity.agent.is_some(), stem.starts_with("agent-"), "{}", file.display());
        if identity.forked {
            let own = head.iter().position(|row| ClaudeReader.head(&identity, row) == Head::Own);
            let marks =
                head.iter().filter(|row| matches!(ClaudeReader.head(&identity, row), Head::Inherited(_)));
            println!("{} forked: {} marks, own work at row {own:?}", file.display(), marks.count());
        }
    }
}

/// The pairing that `queue.rs` asks for, in its plainest form.
fn told(file: &Path) -> Vec<(Surface, String)> {
    let mut waiting: Vec<Key> = Vec::new();
    let mut rows: Vec<MirrorClaim> = Vec::new();
    let mut told = Vec::new();
    readings(file, |_, reading| {
        for mark in &reading.marks {
            match mark {
                WindowMark::Clear(_) => waiting.clear(),
                WindowMark::Withdraw(_, content) => waiting.retain(|other| other != content),
            }
        }
        let paired = reading.mirrors.iter().any(|claim| match claim {
            MirrorClaim::Order { second_lane: false, content, .. } => {
                waiting.push(*content);
                false
            }
            MirrorClaim::Order { content, .. } => {
                let place = waiting.iter().position(|other| other == content);
                place.map(|place| waiting.remove(place)).is_some()
            }
            claim => {
                let again = rows.contains(claim);
                rows.push(*claim);
                again
            }
        });
        if !paired && reading.role == Role::Content {
            told.extend(reading.items.iter().map(|item| (item.surface, item.text.expose().to_owned())));
        }
    });
    told
}

#[test]
fn a_prompt_that_waited_is_told_once() {
    let Some(files) = corpus("claude") else { return };
    let prompts = |case: &str, stem: &str| -> Vec<String> {
        let named = |file: &&PathBuf| {
            file.components().any(|part| part.as_os_str() == case)
                && file.file_stem().is_some_and(|name| name.to_string_lossy().starts_with(stem))
        };
        let told = told(files.iter().find(named).unwrap());
        told.into_iter().filter(|(surface, _)| *surface == Surface::User).map(|(_, text)| text).collect()
    };
    let queue = prompts("sdkqueue-2.1.332", "");
    assert_eq!(queue.len(), 4, "{queue:?}");
    assert_eq!(prompts("sdkqueue-2.1.42", "").len(), 2);
    assert_eq!(prompts("tui-2.1.332", "1b2ccd96").iter().filter(|text| text.starts_with("Typed")).count(), 1);
    assert_eq!(prompts("tui-2.1.42", "1ea4f78c").iter().filter(|text| text.starts_with("Typed")).count(), 1);
    let compact = prompts("resume-2.1.332", "11111111");
    assert_eq!(compact.iter().filter(|text| text.contains("keep the file names")).count(), 1, "{compact:?}");
    let blocked = prompts("hookblock-2.1.332", "");
    assert_eq!(blocked.iter().filter(|text| *text == "blockme please").count(), 1);
}

#[test]
fn small_cases_have_the_events_that_their_descriptions_ask_for() {
    for (case, events) in [("01", 2), ("05", 4), ("07", 2), ("13", 2), ("15", 0), ("19", 0)] {
        let Some(files) = corpus(&format!("small/{case}")) else { return };
        for file in &files {
            let told = told(file);
            println!("{case}: {} {told:?}", told.len());
            assert!(events == 0 || told.len() == events, "{case}: {told:?}");
        }
    }
}

#[test]
fn public_files_of_other_versions_are_read_too() {
    let Some(files) = corpus("public/claude") else { return };
    for file in &files {
        readings(file, |row, reading| {
            let unknown = matches!(reading.native_type, NativeType::Unknown(_));
            assert!(!unknown, "{} {}", file.display(), row.get("type").to_text());
            for item in &reading.items {
                assert!(
                    item.surface != Surface::System
                        || !item.facets.is_empty()
                        || item.facets.contains(&facet::TASK)
                );
            }
        });
    }
}

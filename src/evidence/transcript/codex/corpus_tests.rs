//! The whole sample corpus through the reader, with a small stand-in for the mirror stage.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{CodexReader, identify};
use crate::evidence::transcript::item::Surface;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{
    Head, Key, MirrorClaim, NativeType, Reader, Reading, Role, WindowMark,
};

/// `None` where the samples neither lie beside the project nor where `RECAP_CORPUS` says.
fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folder = std::env::var("RECAP_CORPUS").map_or_else(|_| beside(), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no corpus");
    None
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|name| name == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
}

/// Proves claims as the mirror stage does: ids and calls at any distance, order one to one within the windows.
#[derive(Default)]
struct Mirrors {
    ids: HashMap<(&'static str, Key), Key>,
    calls: HashSet<Key>,
    waiting: HashMap<(&'static str, bool, Key), u32>,
}

impl Mirrors {
    fn is_mirror(&mut self, reading: &Reading<Raw>) -> bool {
        for mark in &reading.marks {
            if let WindowMark::Clear(cleared) = mark {
                self.waiting.retain(|(class, _, _), _| class != cleared);
            }
        }
        let proven = reading.mirrors.iter().any(|claim| match *claim {
            MirrorClaim::Id { class, id, content } => self.ids.get(&(class, id)) == Some(&content),
            MirrorClaim::OfCall { call } => self.calls.contains(&call),
            MirrorClaim::Order { class, second_lane, content } => self
                .waiting
                .get_mut(&(class, !second_lane, content))
                .filter(|left| **left > 0)
                .map(|left| *left -= 1)
                .is_some(),
        });
        if !proven {
            self.remember(reading);
        }
        proven
    }

    fn remember(&mut self, reading: &Reading<Raw>) {
        for claim in &reading.mirrors {
            match *claim {
                MirrorClaim::Id { class, id, content } => {
                    self.ids.insert((class, id), content);
                }
                MirrorClaim::Order { class, second_lane, content } => {
                    *self.waiting.entry((class, second_lane, content)).or_default() += 1;
                }
                MirrorClaim::OfCall { .. } => {}
            }
        }
        for item in reading.items.iter().filter(|item| item.surface == Surface::ToolCall) {
            if let Some(id) = item.tool.as_ref().and_then(|tool| tool.call_id.as_ref()) {
                self.calls.insert(Key::of(&[id.expose()]));
            }
        }
    }
}

/// Every string under a key that holds encrypted state.
fn blobs(value: &Json<'_>, found: &mut Vec<String>) {
    for (key, member) in value.members() {
        if key == "encrypted_content"
            && let Some(blob) = member.as_str()
        {
            found.push(blob.to_owned());
        }
        blobs(member, found);
    }
    value.items().iter().for_each(|member| blobs(member, found));
}

#[test]
fn every_sample_is_read_without_an_unknown_kind_and_without_a_blob() {
    let Some(corpus) = corpus() else { return };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (part, strict) in [("codex", true), ("public/codex", false)] {
        let mut found = Vec::new();
        files(&corpus.join(part), &mut found);
        for path in found {
            let mut mirrors = Mirrors::default();
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                let value = Json::parse(line, CodexReader.dropped()).unwrap().value;
                let reading = CodexReader.read(&value);
                if let NativeType::Unknown(name) = &reading.native_type {
                    assert!(!strict, "{} in {}", name.expose(), path.display());
                    *counts.entry(format!("{part}: unknown {}", name.expose())).or_default() += 1;
                }
                let mut hidden = Vec::new();
                blobs(&value, &mut hidden);
                // The public samples replace texts and blobs by the same words.
                for blob in hidden.iter().filter(|blob| strict && !blob.is_empty()) {
                    assert!(
                        reading.items.iter().all(|item| !item.text.expose().contains(blob.as_str())),
                        "{line}"
                    );
                }
                let role = match reading.role {
                    Role::Content if mirrors.is_mirror(&reading) => "mirror".to_owned(),
                    role => format!("{role:?}"),
                };
                for item in reading.items.iter().filter(|_| role == "Content") {
                    *counts.entry(format!("{part}: event {}", item.surface.name())).or_default() += 1;
                }
                *counts.entry(format!("{part}: record {role}")).or_default() += 1;
            }
        }
    }
    for (name, count) in counts {
        println!("{count:6} {name}");
    }
}

#[test]
fn in_the_real_sessions_every_prompt_and_answer_is_told_once() {
    let Some(corpus) = corpus() else { return };
    let mut found = Vec::new();
    files(&corpus.join("codex"), &mut found);
    for path in found {
        let mut mirrors = Mirrors::default();
        let (mut told, mut raw) = (0, 0);
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let value = Json::parse(line, CodexReader.dropped()).unwrap().value;
            let reading = CodexReader.read(&value);
            let speaks = |surface| reading.items.iter().any(|item| item.surface == surface);
            if !speaks(Surface::User) && !speaks(Surface::Assistant) {
                mirrors.is_mirror(&reading);
                continue;
            }
            // The reviewer's thread writes its prompt into the parent's file, where no raw message has it.
            let foreign =
                reading.facts.iter().any(|fact| !path.display().to_string().contains(fact.value.expose()));
            raw += u32::from(value.get("type").as_str() == Some("response_item"));
            told += u32::from(!mirrors.is_mirror(&reading) && !foreign);
        }
        assert_eq!(told, raw, "{}", path.display());
    }
}

#[test]
fn forks_and_children_begin_where_their_own_turns_do() {
    let Some(corpus) = corpus() else { return };
    let mut found = Vec::new();
    files(&corpus.join("codex"), &mut found);
    let mut inherited = 0;
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Json<'_>> = text.lines().map(|line| Json::parse(line, &[]).unwrap().value).collect();
        let identity = identify(path.file_stem().unwrap().to_str().unwrap(), &lines).unwrap();
        let (mut last_marked, mut end) = (0, 0);
        for (place, line) in lines.iter().enumerate() {
            match CodexReader.head(&identity, line) {
                Head::Neutral => {}
                Head::Inherited(_) => last_marked = place + 1,
                Head::Own => {
                    end = last_marked;
                    break;
                }
                Head::BeginsOwn => {
                    end = if last_marked == 0 { 0 } else { place };
                    break;
                }
            }
        }
        // What the whole file knows: own turns come after the last line that another thread's identity brought.
        let settings = lines.iter().position(|line| {
            line.path(&["payload", "thread_id"]).as_str() == Some(identity.session.as_str())
                && line.path(&["payload", "type"]).as_str() == Some("thread_settings_applied")
        });
        let copied = lines.get(1).is_some_and(|line| line.get("type").as_str() == Some("session_meta"));
        if copied && identity.own_from.is_none() {
            assert_eq!(Some(end), settings, "{}", path.display());
        } else if let Some(own_from) = identity.own_from {
            assert_eq!(end as u64, own_from, "{}", path.display());
        } else {
            assert_eq!(end, 0, "{}", path.display());
        }
        inherited += end;
    }
    assert!(inherited > 0);
}

//! What a recap costs its author: bytes to read, words to write, and how many rules the first try breaks when nothing
//! but prose is filled into the skeletons. `cargo test --test recap-tests effort -- --nocapture` prints the table.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use recap::evidence::packet::parts::Format;
use recap::stage::draft_accounting::accounting_draft;
use recap::stage::draft_synthesis::synthesis_draft;
use recap::stage::read;
use recap::stage::render::render;
use recap::stage::seal_accounting::seal_accounting;
use recap::stage::validate_synthesis::validate_synthesis;
use recap::stage::verdict::Verdict;
use serde_json::Value;

use super::program::{Room, beside};
use super::samples::{BUNDLED, bundled, corpus};

/// Real sessions of the corpus, small to large; without the corpus the bundled ones are measured.
const SESSIONS: [&str; 5] = [
    "codex/sessions/2026/11/30/rollout-2026-11-30T00-03-43-01a229c3-bea0-76f1-a6a0-540e5f087013.jsonl",
    "claude/tests-2.1.332/projects/-home-dev-work-tests-2-1-332/1e0feb73-b80f-4583-8f52-ab2ac3914e1c.jsonl",
    "claude/bash-2.1.42/projects/-home-dev-work-bash-2-1-42/4533f4bb-8ce5-4aef-9af8-6117b59ae1ed.jsonl",
    "public/codex/g1-bare-items.jsonl",
    "public/claude/with-children/258c7280-ae70-4798-800f-63464d01a85d.jsonl",
];
/// What an author writes for each: about as long as people do.
const LABEL: &str = "What this claim is about, shortly";
const TITLE: &str = "A title of five words";
const SUMMARY: &str =
    "One or two sentences say what happened here, what came of it, and what the evidence leaves open.";
/// Longest that a reading command prints.
const PART_BYTES: usize = 24_000;

#[derive(Default)]
struct Effort {
    events: u64,
    claims: u64,
    outline: usize,
    packets: usize,
    opened: usize,
    packet_bytes: usize,
    event_bytes: usize,
    skeletons: usize,
    slots: usize,
    written_words: usize,
    written_bytes: usize,
    violations: u64,
    words_left: u64,
    render_words: u64,
}

#[test]
fn the_first_try_passes_when_only_prose_is_filled_in() {
    let mut sessions: Vec<Utf8PathBuf> = BUNDLED.map(bundled).into();
    if let Some(root) = corpus("") {
        sessions = SESSIONS.iter().map(|name| root.join(name)).collect();
    }
    println!(
        "{:>9} {:>6} {:>6} | {:>8} {:>9} {:>9} {:>9} {:>9} | {:>5} {:>6} {:>7} | {:>5} {:>6} {:>6}",
        "source",
        "events",
        "claims",
        "outline",
        "opened",
        "packets",
        "or events",
        "skeletons",
        "slots",
        "words",
        "bytes",
        "first",
        "room",
        "render"
    );
    for session in sessions {
        let effort = measure(&session);
        println!(
            "{:>9} {:>6} {:>6} | {:>8} {:>9} {:>9} {:>9} {:>9} | {:>5} {:>6} {:>7} | {:>5} {:>6} {:>6}",
            fs::metadata(&session).unwrap().len(),
            effort.events,
            effort.claims,
            effort.outline,
            format!("{}/{}", effort.opened, effort.packets),
            effort.packet_bytes,
            effort.event_bytes,
            effort.skeletons,
            effort.slots,
            effort.written_words,
            effort.written_bytes,
            effort.violations,
            effort.words_left,
            effort.render_words
        );
        assert_eq!(effort.violations, 0, "{session}");
        assert!(effort.render_words <= 2_500, "{session}");
    }
}

fn measure(session: &Utf8Path) -> Effort {
    let room = Room::in_memory();
    let manifest = room.path("out/manifest.json");
    let mut effort = Effort {
        events: room.collect(session, &manifest).unwrap().get_count("events").unwrap(),
        ..Effort::default()
    };
    room.packetize(&manifest).unwrap();
    let world = room.world();
    let [draft, accounting, synthesis, recap] = beside(&manifest);

    accounting_draft(&world, &manifest, &draft, None).unwrap();
    fill(&draft, &mut effort);
    effort.judge(&seal_accounting(&world, &manifest, &draft, &accounting, None).unwrap());
    let skeleton = synthesis_draft(&world, &manifest, &accounting, &synthesis, None).unwrap().receipt;
    let (slots, words) = (effort.slots, effort.written_words);
    fill(&synthesis, &mut effort);
    assert_eq!(skeleton.get_count("empty_texts"), Some((effort.slots - slots) as u64), "{session}");
    effort.words_left = skeleton.get_count("words_left").unwrap();
    assert!(effort.words_left >= 1_200, "{session}: what the skeleton shows by itself leaves room");
    let typed = (effort.written_words - words) as u64;
    effort.judge(&validate_synthesis(&world, &manifest, &accounting, &synthesis, None, false).unwrap());
    let rendered =
        render(&world, &manifest, &accounting, &synthesis, &recap, recap::report::Format::Markdown).unwrap();
    effort.render_words = rendered.receipt.get_count("words").unwrap();
    assert!(
        effort.render_words <= 2_500 - effort.words_left + typed,
        "{session}: it was told how many words fit"
    );

    let sealed: Value = serde_json::from_slice(&fs::read(&accounting).unwrap()).unwrap();
    let claims = sealed["claims"].as_array().unwrap();
    effort.claims = claims.len() as u64;
    let owned: Vec<(u64, u64)> = claims.iter().flat_map(|claim| ranges(&claim["ranges"])).collect();
    effort.read(&room, &manifest, &owned);
    effort
}

impl Effort {
    fn judge(&mut self, verdict: &Verdict) {
        self.violations += verdict.violations.counts().values().sum::<u64>();
        assert_eq!(verdict.receipt.is_valid(), verdict.violations.is_empty());
    }

    /// The outline, every packet that holds an event of a claim, and what the beginnings of these events alone would be.
    fn read(&mut self, room: &Room, manifest: &Utf8Path, owned: &[(u64, u64)]) {
        let outline = room.outline(manifest);
        let parts = (1..).map_while(|part| read::outline(&room.world(), manifest, part).ok());
        assert!(parts.map(|part| part.len()).max().unwrap() <= PART_BYTES);
        self.outline = outline.len();
        for line in outline.lines().filter(|line| line.starts_with("= packet ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (first, last): (u64, u64) = match words[3..] {
                ["holds", "events", first, "to", last] => (first.parse().unwrap(), last.parse().unwrap()),
                ["holds", "event", only] => (only.parse().unwrap(), only.parse().unwrap()),
                _ => panic!("{line}"),
            };
            self.packets += 1;
            if !owned.iter().any(|(from, to)| *from <= last && *to >= first) {
                continue;
            }
            self.opened += 1;
            let part = |part| read::packet(&room.world(), manifest, words[2], part, Format::Compact).ok();
            for text in (1..).map_while(part) {
                assert!(text.len() <= PART_BYTES, "{line}: {}", text.len());
                self.packet_bytes += text.len();
            }
        }
        for ordinal in owned.iter().flat_map(|(first, last)| *first..=*last) {
            let text =
                read::event(&room.world(), manifest, &format!("e{ordinal}"), Some((0, 2_000))).unwrap();
            assert!(text.len() <= PART_BYTES, "event {ordinal}: {}", text.len());
            self.event_bytes += text.len();
        }
    }
}

fn ranges(value: &Value) -> Vec<(u64, u64)> {
    let pairs = value.as_array().into_iter().flatten();
    pairs.map(|pair| (pair[0].as_u64().unwrap(), pair[1].as_u64().unwrap())).collect()
}

/// Writes words where a skeleton has none, and counts.
fn fill(path: &Utf8Path, effort: &mut Effort) {
    let mut text = fs::read_to_string(path).unwrap();
    effort.skeletons += text.len();
    for (name, words) in [("label", LABEL), ("title", TITLE), ("summary", SUMMARY)] {
        let empty = format!("\"{name}\": \"\"");
        let slots = text.matches(&empty).count();
        text = text.replace(&empty, &format!("\"{name}\": \"{words}\""));
        effort.slots += slots;
        effort.written_words += slots * words.split_whitespace().count();
        effort.written_bytes += slots * words.len();
    }
    fs::write(path, text).unwrap();
}

/// An agent's shell shows about 30,000 characters of a command: whatever a transcript holds, a part is smaller, and the
/// parts together are everything.
#[test]
fn whatever_a_session_holds_no_part_is_larger_than_a_shell_shows() {
    let whole = fs::read_to_string(bundled(BUNDLED[0])).unwrap();
    let ask = whole.lines().find(|line| line.contains("\"type\":\"user\"")).unwrap();
    let texts = ["word ", "\n", "\u{1b}[31m", "\u{202e}", "😀", "ä\r", "| #", "x"];
    let mut rows = String::new();
    for number in 0..400_usize {
        let mut row: Value = serde_json::from_str(ask).unwrap();
        row["uuid"] = format!("aaaaaaaa-0000-4000-8000-{number:012}").into();
        let length = if number % 40 == 0 { 40_000 } else { 5 + number * 3 };
        row["message"]["content"] = format!("{number} {}", texts[number % texts.len()].repeat(length)).into();
        rows.push_str(&row.to_string());
        rows.push('\n');
    }
    let room = Room::in_memory();
    let session = room.file(BUNDLED[0], rows);
    let manifest = room.path("out/manifest.json");
    let events = room.collect(&session, &manifest).unwrap().get_count("events").unwrap();
    room.packetize(&manifest).unwrap();
    let world = room.world();
    let within = |text: String| -> String {
        assert!(text.len() <= PART_BYTES, "{}", text.len());
        text
    };
    let outline = (1..).map_while(|part| read::outline(&world, &manifest, part).ok()).map(within);
    let outline: Vec<String> = outline.collect();
    assert!(outline.len() > 1);
    let lines = |text: &str| text.lines().filter(|line| line.starts_with('e')).count() as u64;
    assert_eq!(outline.iter().map(|part| lines(part)).sum::<u64>(), events);
    let packets =
        outline.iter().flat_map(|part| part.lines()).filter_map(|line| line.strip_prefix("= packet "));
    for packet in packets {
        let id = packet.split_whitespace().next().unwrap();
        for format in [Format::Compact, Format::Json] {
            let parts = (1..).map_while(|part| read::packet(&world, &manifest, id, part, format).ok());
            assert!(!parts.map(within).collect::<String>().is_empty());
        }
    }
    for ordinal in 0..events {
        let id = format!("e{ordinal}");
        let mut from = 0;
        loop {
            let text = within(read::event(&world, &manifest, &id, Some((from, u64::MAX))).unwrap());
            let Some((_, next)) = text.lines().nth(1).unwrap().split_once("; next: --slice ") else { break };
            let next: u64 = next.split("..").next().unwrap().parse().unwrap();
            assert!(next > from, "{id} goes on");
            from = next;
        }
    }
}

//! Skeletons over every sample that has events: each passes every rule but the empty texts, and once an author's
//! words stand in them, everything up to the render succeeds.

use std::fs;

use camino::Utf8Path;
use recap::base::rules::Code;
use recap::base::violations::Violations;
use recap::report::Format;
use recap::stage::draft_accounting::accounting_draft;
use recap::stage::draft_synthesis::synthesis_draft;
use recap::stage::render::render;
use recap::stage::seal_accounting::{seal_accounting, validate_accounting};
use recap::stage::validate_synthesis::validate_synthesis;

use super::corpus::{all, in_parallel};
use super::program::{Room, beside};
use super::samples::{BUNDLED, bundled, corpus};

#[test]
fn skeletons_lack_only_words() {
    let files: Vec<_> = all().into_iter().filter(|file| fs::metadata(file).unwrap().len() > 0).collect();
    let with_events = in_parallel(&files, |file| written(file)).into_iter().filter(|has| *has).count();
    // Every bundled one has; more only where the corpus lies beside the project.
    let least = BUNDLED.len() + usize::from(corpus("").is_some());
    assert!(with_events >= least, "only {with_events} samples have events");
}

/// Goes all the way with one transcript; false when it has no event.
fn written(file: &Utf8Path) -> bool {
    let room = Room::in_memory();
    let manifest = room.path("out/manifest.json");
    if room.collect(file, &manifest).unwrap().get_count("events") == Some(0) {
        return false;
    }
    room.packetize(&manifest).unwrap();
    let world = room.world();
    let [draft, accounting, synthesis, recap] = beside(&manifest);

    accounting_draft(&world, &manifest, &draft, None).unwrap();
    let refused = seal_accounting(&world, &manifest, &draft, &accounting, None).unwrap();
    assert_eq!(only(&refused.violations), Code::LabelEmpty, "{file}");
    fill(&draft, &[("\"label\": \"\"", "\"label\": \"Some words\"")]);
    let sealed = seal_accounting(&world, &manifest, &draft, &accounting, None).unwrap();
    assert!(sealed.receipt.is_valid(), "{file}: {}", sealed.receipt.to_line());
    assert!(validate_accounting(&world, &manifest, &accounting).unwrap().receipt.is_valid(), "{file}");

    synthesis_draft(&world, &manifest, &accounting, &synthesis, None).unwrap();
    let refused = validate_synthesis(&world, &manifest, &accounting, &synthesis, None, false).unwrap();
    assert_eq!(only(&refused.violations), Code::TextEmpty, "{file}");
    fill(
        &synthesis,
        &[
            ("\"title\": \"\"", "\"title\": \"A title\""),
            ("\"summary\": \"\"", "\"summary\": \"Some words.\""),
        ],
    );
    let rendered = render(&world, &manifest, &accounting, &synthesis, &recap, Format::Markdown).unwrap();
    assert!(rendered.receipt.is_valid(), "{file}: {}", rendered.receipt.to_line());
    assert!(rendered.receipt.get_count("words").unwrap() <= 2_500, "{file}");
    true
}

/// The one code that was broken.
fn only(violations: &Violations) -> Code {
    let codes: Vec<Code> = violations.counts().keys().copied().collect();
    assert_eq!(codes.len(), 1, "{codes:?}");
    codes[0]
}

fn fill(path: &Utf8Path, words: &[(&str, &str)]) {
    let text = fs::read_to_string(path).unwrap();
    let filled = words.iter().fold(text, |text, (empty, full)| text.replace(empty, full));
    fs::write(path, filled).unwrap();
}

#[test]
fn a_skeleton_replaces_a_skeleton_and_no_words() {
    let room = Room::new();
    let manifest = room.path("out/manifest.json");
    room.collect(&bundled(BUNDLED[0]), &manifest).unwrap();
    room.packetize(&manifest).unwrap();
    let draft = manifest.with_file_name("draft.json");
    let again = || accounting_draft(&room.world(), &manifest, &draft, None).map_err(|refusal| refusal.code());
    again().unwrap();
    let skeleton = fs::read_to_string(&draft).unwrap();
    again().unwrap();
    assert_eq!(fs::read_to_string(&draft).unwrap(), skeleton);
    let words = skeleton.replacen("\"label\": \"\"", "\"label\": \"Mine\"", 1);
    fs::write(&draft, &words).unwrap();
    assert_eq!(again().unwrap_err(), Code::DraftExists);
    assert_eq!(fs::read_to_string(&draft).unwrap(), words);
}

//! What is published: the page, the recap in JSON, documents that somebody checks, receipts. Whatever the texts of a draft are, a
//! browser finds the elements that it finds with harmless words; whatever bytes are checked, every format can be read.

use camino::Utf8PathBuf;
use recap::base::digest::Digest;
use recap::base::json::read::strict;
use recap::report::findings::{Report, chain::Chain, github, json, sarif, text};
use recap::report::published::Published;
use recap::stage::chain::chain;
use recap::stage::check::check;
use recap::stage::given::STDIN;
use scraper::{ElementRef, Html};
use serde_json::Value;

use super::ground::{Ground, Session};
use super::rendering::{recap_of, texts_of};
use super::verdicts::canonical_form;

thread_local! {
    /// What is checked comes from standard input: one folder is for all runs.
    static GROUND: Ground = Ground::new();
}

fn stdin() -> [Utf8PathBuf; 1] {
    [Utf8PathBuf::from(STDIN)]
}

/// Elements that hold a line of text.
const LINES: [&str; 5] = ["p", "h1", "h2", "h3", "li"];

/// Texts, parted by the byte 0x1e, in every place that a draft fills, as a page and as JSON.
pub fn page(data: &[u8]) {
    let recap = recap_of(&texts_of(data));
    let page = recap.html();
    assert_eq!(page, recap_of(&texts_of(data)).html(), "the same inputs give the same bytes");
    let (found, harmless) = (Html::parse_document(&page), recap_of(&["words".to_owned()]).html());
    assert!(found.errors.is_empty(), "{:?}\n{page}", found.errors);
    assert_eq!(elements(&found), elements(&Html::parse_document(&harmless)), "{page}");
    let seen: Vec<String> = lines(&found);
    let visible = recap.visible_text();
    let visible: Vec<&str> = visible.lines().map(str::trim).collect();
    assert_eq!(seen, visible, "{page}");
    let bytes = recap.json(Digest::of(b"a synthesis")).unwrap();
    let read = Published::read(&strict(&bytes).unwrap()).unwrap();
    assert_eq!(read.visible_text(), recap.visible_text());
    assert_eq!(read.contradictions(), [""; 0]);
}

/// Every element with the names of its attributes.
fn elements(page: &Html) -> Vec<String> {
    let all = page.root_element().descendants().filter_map(ElementRef::wrap);
    all.map(|element| {
        let attributes: Vec<&str> = element.value().attrs().map(|(name, _)| name).collect();
        // Code and direction are marked where a text holds what asks for it.
        (element.value().name(), attributes.join(" "))
    })
    .filter(|(name, _)| !matches!(*name, "code" | "bdi" | "strong"))
    .map(|(name, attributes)| format!("{name} {attributes}"))
    .collect()
}

fn lines(page: &Html) -> Vec<String> {
    let all = page.root_element().descendants().filter_map(ElementRef::wrap);
    let texts = all.filter(|element| LINES.contains(&element.value().name())).map(|element| {
        let text: String = element.text().collect();
        text.trim().to_owned()
    });
    texts.collect()
}

/// Bytes that somebody publishes as a recap, an accounting or a synthesis: judged alike in every spelling, told in every format.
pub fn published(data: &[u8]) {
    let verdict =
        |bytes: &[u8]| GROUND.with(|ground| check(&ground.world(), &stdin(), &[], &mut &*bytes).unwrap());
    let data = Session::golden().filled(data);
    let report = verdict(&data);
    is_readable(&report);
    let Some(canonical) = canonical_form(&data) else {
        assert!(!report.is_green());
        return;
    };
    assert_eq!(codes(&report), codes(&verdict(&canonical)));
}

fn codes(report: &Report) -> Vec<String> {
    let mut codes: Vec<String> = report
        .files
        .iter()
        .flat_map(|file| file.findings.iter().map(|finding| finding.code.as_str().to_owned()))
        .collect();
    codes.sort();
    codes
}

/// No format breaks, and each says the same number of findings.
fn is_readable(report: &Report) {
    let findings: usize = report.files.iter().map(|file| file.findings.len()).sum();
    let json: Value = serde_json::from_str(&json::json(report)).unwrap();
    assert_eq!(json["valid"], report.is_green());
    let sarif: Value = serde_json::from_str(&sarif::sarif(report)).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), findings);
    let told = format!("{}{}", text::text(report), github::github(report));
    assert!(told.chars().all(|letter| letter == '\n' || !letter.is_control()));
    if report.is_green() {
        assert_eq!(findings, 0);
    }
}

/// Bytes as lines of receipts: each is read or refused by itself, and what fits together does in any spelling of a line.
pub fn receipts(data: &[u8]) {
    let read = |bytes: &[u8]| -> Chain {
        GROUND.with(|ground| chain(&ground.world(), &stdin(), &mut &*bytes).unwrap())
    };
    let first = read(data);
    let told: Value = serde_json::from_str(&first.json()).unwrap();
    assert_eq!(told["valid"], first.is_whole());
    assert!(first.text().chars().all(|letter| letter == '\n' || !letter.is_control()));
    let lines = data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    assert!(first.receipts.len() <= lines);
    // A receipt once more is no other receipt.
    let mut twice = data.to_vec();
    twice.extend_from_slice(if data.ends_with(b"\n") { data } else { b"" });
    assert!(read(&twice).receipts.len() >= first.receipts.len());
    let report = GROUND.with(|ground| check(&ground.world(), &[], &stdin(), &mut &*data));
    if let Ok(report) = report {
        is_readable(&report);
    }
}

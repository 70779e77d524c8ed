//! Bytes a second on ordinary and on hostile text, beside the SHA-256 of the same bytes in the same run.

use std::hint::black_box;
use std::time::Instant;

use recap::base::credential::kinds::TABLES;
use recap::base::credential::shape::Shape;
use recap::base::credential::{Spotter, openers};
use recap::base::digest::Digest;

use super::dice::Dice;
use super::say;

/// Bytes of each text.
const SIZE: usize = 1_000_000;
/// Rounds; the median counts. The texts take turns, so that another load on the machine meets all alike.
const ROUNDS: usize = 5;
/// Least processor time of one measurement, in nanoseconds: systems count it in steps of milliseconds.
const LEAST: f64 = 6e7;

/// Texts that cost a careless search more than its length.
const HOSTILE: &[(&str, &str)] = &[
    ("one hex run", ""),
    ("key key", "key"),
    ("key.key.", "key."),
    ("aaaa://", "aaaa://"),
    ("equals signs", "="),
    ("a=a=", "a="),
    ("key=key=", "key="),
    ("password: ", "password: "),
    ("token=\"", "token=\""),
    ("ask-", "ask-"),
    ("sk-sk-", "sk-"),
    ("sk-ant-sk-ab-", "sk-ant-sk-ab-"),
    ("0.12345678-", "0.12345678-"),
    ("eyJ.", "eyJ."),
    ("eyJeyJ", "eyJ"),
    ("BEGIN", "-----BEGIN PRIVATE KEY-----\n"),
    ("END", "-----END PRIVATE KEY-----\n"),
    ("curl -u", "curl -u "),
    ("://a:", "://a:"),
    ("a://b:c@", "a://b:c@"),
    ("zero width", "\u{200b}"),
    ("backslashes", "\\"),
    ("\\u0061", "\\u0061"),
    ("%41", "%41"),
    ("&#65;", "&#65;"),
    ("JQQJ99", "JQQJ99"),
    ("AzCa", "AzCa"),
    ("-us", "-us"),
    ("quotes", "\"'"),
    ("mark", "[redacted:secret#1]"),
    ("base64 of text", "cGFzc3dvcmQ9"),
    ("pass ", "pass "),
    ("NUL", "a\u{0}"),
    (":5432:", ":5432:"),
    ("Cookie: a=", "Cookie: a="),
    ("\\n", "\\n"),
    ("BEGIN one line", "-----BEGIN PRIVATE KEY-----"),
    ("key\\n", "key\\n"),
    ("passworD", "passwor"),
    ("Bearer ", "Bearer "),
    ("secret,", "\"secret\","),
    ("token=', '", "token='x', "),
    ("api_key: ", "api_key: "),
    ("PASSWORD=", "PASSWORD="),
    ("AzCa\\n", "AzCa\n"),
    ("aaaaAzCa\\n", "aaaaAzCa\n"),
    ("sig= lines", "&sig=a1b2c3d4e5f6g7h8i9\n"),
    ("Private-MAC", "Private-MAC: 0123456789abcdef0123456789abcdef\n"),
    ("Private-Lines", "Private-Lines: 3\n"),
    ("armour lines", "lQOYBGPtqXYBCADKlw3vUeLdS1hMVGZqf0JrKzO8xT5nHcBmYaEiWuQjNsDgRkXo\n"),
    ("SSH2", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: a\n"),
];

/// What stands behind each mark of the table in texts that are made of it alone.
const BEHIND: [&str; 6] = ["", "\n", "\\n", "-", "=", "a1b2c3d4\n"];
/// Bytes of each of these.
const MARKS_SIZE: usize = 300_000;
/// How many of the slowest are told.
const SLOWEST: usize = 8;

/// One text and its times in seconds, of the search and of the hash.
struct Entry {
    name: String,
    text: String,
    spotted: Vec<f64>,
    hashed: Vec<f64>,
}

/// Measures all texts and prints each as a multiple of the ordinary one; `only` names one that is
/// wanted beside it.
pub fn measure(strings: &[String], only: &str) {
    let mut dice = Dice::new(5);
    let mut entries = vec![entry("ordinary", ordinary())];
    if !strings.is_empty() {
        entries.push(entry("given", strings.join("\n")));
    }
    for (name, unit) in HOSTILE.iter().filter(|(name, _)| only.is_empty() || *name == only) {
        let text =
            if unit.is_empty() { dice.fill(&format!("{{H{SIZE}}}")) } else { unit.repeat(SIZE / unit.len()) };
        entries.push(entry(name, text));
    }
    for _ in 0..ROUNDS {
        for entry in &mut entries {
            entry.spotted.push(seconds(|| drop(black_box(Spotter::global().spot(&entry.text)))));
            entry.hashed.push(seconds(|| {
                black_box(Digest::of(entry.text.as_bytes()));
            }));
        }
    }
    let mut usual = None;
    for entry in &mut entries {
        let bytes = entry.text.len() as f64;
        let (spotted, hashed) = (median(&mut entry.spotted), median(&mut entry.hashed));
        let per_byte = spotted / bytes;
        let usual = *usual.get_or_insert(per_byte);
        say(&format!(
            "{:<16} {:>7.1} MB/s, {:>5.2} x sha256 of the same, {:>5.2} x ordinary text",
            entry.name,
            bytes / 1e6 / spotted,
            spotted / hashed,
            per_byte / usual
        ));
    }
    if let Some(usual) = usual.filter(|_| only.is_empty()) {
        measure_marks(usual);
    }
}

/// Texts made of one mark of the table each; `usual` is what a byte of ordinary text takes.
fn measure_marks(usual: f64) {
    let kinds = TABLES.iter().flat_map(|table| table.iter());
    let shapes: Vec<Shape> =
        kinds.flat_map(|kind| kind.shapes).filter_map(|notation| Shape::parse(notation)).collect();
    let marks = openers::all(shapes.iter().map(Shape::anchor));
    let units = marks.iter().flat_map(|(mark, _)| BEHIND.map(|behind| format!("{mark}{behind}")));
    let mut rows: Vec<(f64, String)> = units
        .map(|unit| {
            let text = unit.repeat(MARKS_SIZE / unit.len());
            let started = Instant::now();
            drop(black_box(Spotter::global().spot(&text)));
            (started.elapsed().as_secs_f64() / text.len() as f64 / usual, unit)
        })
        .collect();
    rows.sort_by(|one, other| other.0.total_cmp(&one.0));
    rows.dedup_by(|one, other| one.1 == other.1);
    let middle = rows.get(rows.len() / 2).map_or(0.0, |(ratio, _)| *ratio);
    say(&format!("{} texts of one mark each: median {middle:.2} x ordinary text; slowest:", rows.len()));
    for (ratio, unit) in rows.iter().take(SLOWEST) {
        say(&format!("{unit:<24?} {ratio:>6.2} x ordinary text"));
    }
}

fn entry(name: &str, text: String) -> Entry {
    Entry { name: name.to_owned(), text, spotted: Vec::new(), hashed: Vec::new() }
}

/// Processor time of one piece of work: what else the machine does takes no part in it.
fn seconds(work: impl Fn()) -> f64 {
    let (started, before) = (Instant::now(), on_processor());
    let mut times = 0.0;
    loop {
        work();
        times += 1.0;
        let wall = started.elapsed().as_secs_f64() * 1e9;
        let busy = before.zip(on_processor()).map_or(wall, |(before, after)| after - before);
        if busy >= LEAST {
            return busy / 1e9 / times;
        }
    }
}

/// Nanoseconds that this thread has run, where the system tells.
fn on_processor() -> Option<f64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}

/// What a transcript is made of: listings, code, logs, prose, escaped and not.
fn ordinary() -> String {
    let mut bytes = Vec::new();
    // A vector takes every write.
    let _ = super::session::write(&mut bytes, SIZE as u64);
    let mut text = String::new();
    for line in String::from_utf8_lossy(&bytes).lines() {
        if let Ok(value) = serde_json::from_str::<serde_json::Value>(line) {
            strings(&value, &mut text);
        }
    }
    text
}

fn strings(value: &serde_json::Value, text: &mut String) {
    match value {
        serde_json::Value::String(string) => {
            text.push_str(string);
            text.push('\n');
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, text)),
        serde_json::Value::Object(members) => members.values().for_each(|member| strings(member, text)),
        _ => {}
    }
}

//! Labelled rows: read from a file, or made up.

use std::io::Read as _;

use serde::Deserialize;

use super::dice::Dice;
use super::disguises::{INSIDE, WHOLE};
use super::families::FAMILIES;
use super::labelled::{Label, Labelled};
use super::look_alikes::LOOK_ALIKES;
use super::places::{BARE, DOCUMENTS, NAMED, PRIVATE_KEYS, SENT};

/// One row: a text and which of its bytes are secret.
pub struct Row {
    pub id: String,
    /// What the row is about; `negative` holds no secret.
    pub family: String,
    /// Place and disguise.
    pub variant: String,
    pub text: String,
    pub labels: Vec<Label>,
    pub secrets: usize,
}

#[derive(Deserialize)]
struct Written {
    id: String,
    family: String,
    variant: String,
    text: String,
    secrets: Vec<WrittenSecret>,
    #[serde(default)]
    may: Vec<WrittenRange>,
}

#[derive(Deserialize)]
struct WrittenRange {
    start: usize,
    end: usize,
}

#[derive(Deserialize)]
struct WrittenSecret {
    start: usize,
    end: usize,
    group: usize,
}

impl From<Written> for Row {
    fn from(written: Written) -> Self {
        let mut labels = vec![Label::Ordinary; written.text.len()];
        let mut paint = |start, end, label| {
            if let Some(range) = labels.get_mut(start..end) {
                range.fill(label);
            }
        };
        written.may.iter().for_each(|range| paint(range.start, range.end, Label::Through));
        let mut groups: Vec<usize> = written.secrets.iter().map(|secret| secret.group).collect();
        groups.sort_unstable();
        groups.dedup();
        for secret in &written.secrets {
            let number = groups.binary_search(&secret.group).unwrap_or(0);
            paint(secret.start, secret.end, Label::Secret(number));
        }
        let Written { id, family, variant, text, .. } = written;
        Self { id, family, variant, text, labels, secrets: groups.len() }
    }
}

/// The rows of a file, JSON Lines, compressed where its name says so.
pub fn read(path: &str) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let mut text = String::new();
    let file = std::fs::File::open(path)?;
    if path.ends_with(".gz") {
        flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text)?;
    } else {
        std::io::BufReader::new(file).read_to_string(&mut text)?;
    }
    text.lines().map(|line| Ok(serde_json::from_str::<Written>(line)?.into())).collect()
}

/// A row under way.
struct Draft {
    family: String,
    place: String,
    text: Labelled,
}

/// Made-up rows: `rounds` times every family in some places and disguises, and every look-alike.
pub fn make(seed: u64, rounds: usize) -> Vec<Row> {
    let mut dice = Dice::new(seed);
    let mut rows = Vec::new();
    for _ in 0..rounds {
        for family in FAMILIES {
            for places in [NAMED, NAMED, NAMED, SENT, if family.marked { BARE } else { NAMED }] {
                let (place, text) = dice.one(places);
                let token = family.token(&mut dice);
                let text = Labelled::marked(&named(text, family.variable).replace('«', &format!("«{token}")));
                rows.push(Draft { family: family.name.to_owned(), place: (*place).to_owned(), text });
            }
        }
        for (name, text) in DOCUMENTS.iter().chain(PRIVATE_KEYS) {
            for _ in 0..3 {
                let text = Labelled::marked(&dice.fill(text));
                rows.push(Draft { family: (*name).to_owned(), place: "document".to_owned(), text });
            }
        }
        for (name, text) in LOOK_ALIKES {
            for _ in 0..3 {
                let text = Labelled::plain(&dice.fill(text));
                rows.push(Draft { family: "negative".to_owned(), place: (*name).to_owned(), text });
            }
        }
    }
    rows.into_iter().enumerate().map(|(number, draft)| disguised(number, draft, &mut dice)).collect()
}

fn named(place: &str, variable: &str) -> String {
    let lower = variable.to_lowercase();
    let mut camel = String::new();
    for (index, word) in lower.split('_').enumerate() {
        let (first, rest) = word.split_at_checked(usize::from(index > 0)).unwrap_or(("", word));
        camel.push_str(&first.to_uppercase());
        camel.push_str(rest);
    }
    let is_written = variable.chars().any(char::is_lowercase);
    let (upper, camel) = if is_written { (variable, variable) } else { (variable, camel.as_str()) };
    place
        .replace("camelName", camel)
        .replace("kebab-name", &lower.replace('_', "-"))
        .replace("(\"name\"", "(\"\u{0}\"")
        .replace("name: NAME", "\u{1}")
        .replace("k8s-name", "\u{1}")
        .replace("name", &lower)
        .replace('\u{1}', "name: NAME")
        .replace("NAME", upper)
}

/// Half of the rows are as written, the others stand in one or two disguises; all have harmless lines around.
fn disguised(number: usize, draft: Draft, dice: &mut Dice) -> Row {
    let Draft { family, place, mut text } = draft;
    let mut disguise = String::from("none");
    let inner = text.secrets == 1 && dice.below(3) == 0;
    if inner {
        let (name, apply) = dice.one(INSIDE);
        if let Some(changed) = apply(&text, dice) {
            text = changed;
            disguise = (*name).to_owned();
        }
    }
    if dice.below(2) == 0 {
        let (name, apply) = dice.one(WHOLE);
        let is_readable = !disguise.starts_with("deltas") && (!inner || *name != "base64");
        if let Some(changed) = is_readable.then(|| apply(&text, dice)).flatten() {
            text = changed;
            disguise = if disguise == "none" { (*name).to_owned() } else { format!("{disguise} {name}") };
        }
    }
    let mut whole = Labelled::default();
    around(&mut whole, dice);
    whole.append(text);
    whole.append(Labelled::plain("\n"));
    around(&mut whole, dice);
    Row {
        id: format!("made-{number:06}"),
        family,
        variant: format!("{place}/{disguise}"),
        text: whole.text(),
        labels: whole.labels(),
        secrets: whole.secrets,
    }
}

fn around(whole: &mut Labelled, dice: &mut Dice) {
    for _ in 0..dice.below(3) {
        let (_, text) = dice.one(LOOK_ALIKES);
        whole.append(Labelled::plain(&dice.fill(text)));
        if !whole.text().ends_with('\n') {
            whole.append(Labelled::plain("\n"));
        }
    }
}

//! How much of the secrets is hidden, and how much of the rest with them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use recap::base::credential::Spotter;

use super::labelled::Label;
use super::rows::Row;
use super::say;

/// Counts over some rows.
#[derive(Default, Clone)]
struct Tally {
    secrets: usize,
    covered: usize,
    secret_bytes: usize,
    left: usize,
    ordinary: usize,
    lost: usize,
    harmless: usize,
    touched: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.secrets += other.secrets;
        self.covered += other.covered;
        self.secret_bytes += other.secret_bytes;
        self.left += other.left;
        self.ordinary += other.ordinary;
        self.lost += other.lost;
        self.harmless += other.harmless;
        self.touched += other.touched;
    }

    fn of(row: &Row, hidden: &[bool]) -> Self {
        let mut tally = Self { secrets: row.secrets, covered: row.secrets, ..Self::default() };
        let mut missed = vec![false; row.secrets];
        for (label, hidden) in row.labels.iter().zip(hidden) {
            match label {
                Label::Secret(number) => {
                    tally.secret_bytes += 1;
                    tally.left += usize::from(!hidden);
                    if let Some(slot) = missed.get_mut(*number) {
                        *slot |= !hidden;
                    }
                }
                Label::Ordinary => {
                    tally.ordinary += 1;
                    tally.lost += usize::from(*hidden);
                }
                Label::Through => {}
            }
        }
        tally.covered -= missed.iter().filter(|missed| **missed).count();
        if row.secrets == 0 {
            tally.harmless = 1;
            tally.touched = usize::from(tally.lost > 0);
        }
        tally
    }

    const fn is_perfect(&self) -> bool {
        self.covered == self.secrets && self.touched == 0 && self.lost == 0
    }
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Scores rows and prints the figures; with `details`, every row that is not perfect, too.
pub fn score(title: &str, rows: &[Row], details: bool) {
    let mut total = Tally::default();
    let mut families: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut places: BTreeMap<String, Tally> = BTreeMap::new();
    let mut taken = Duration::ZERO;
    let mut bytes = 0;
    for row in rows {
        let started = Instant::now();
        let spans = Spotter::global().spot(&row.text);
        taken += started.elapsed();
        bytes += row.text.len();
        let mut hidden = vec![false; row.text.len()];
        for span in &spans {
            if let Some(range) = hidden.get_mut(span.start..span.end) {
                range.fill(true);
            }
        }
        let tally = Tally::of(row, &hidden);
        total.add(&tally);
        families.entry(&row.family).or_default().add(&tally);
        for part in row.variant.split('/') {
            places.entry(part.to_owned()).or_default().add(&tally);
        }
        if details && !tally.is_perfect() {
            detail(row, &hidden, &tally);
        }
    }
    say(&format!(
        "{title}: {} rows, {} secrets, {:.2} % covered whole; {:.3} % of secret bytes left; {:.3} ordinary bytes lost per 1,000; \
         {} of {} harmless rows touched ({:.2} %); {:.0} MB/s on short rows",
        rows.len(),
        total.secrets,
        share(total.covered, total.secrets),
        share(total.left, total.secret_bytes),
        1000.0 * total.lost as f64 / total.ordinary.max(1) as f64,
        total.touched,
        total.harmless,
        share(total.touched, total.harmless),
        bytes as f64 / 1e6 / taken.as_secs_f64(),
    ));
    let named = |(name, tally): (&str, &Tally)| worst(name, tally);
    families.iter().map(|(name, tally)| (*name, tally)).for_each(named);
    say("by place and disguise:");
    places.iter().map(|(name, tally)| (name.as_str(), tally)).for_each(named);
}

/// A line for a kind that is not perfect.
fn worst(name: &str, tally: &Tally) {
    if tally.covered < tally.secrets || tally.touched > 0 || tally.lost > 20 {
        say(&format!(
            "  {name:<28} {:>5} of {:>5} covered, {:>6} bytes left, {:>6} lost, {} touched",
            tally.covered, tally.secrets, tally.left, tally.lost, tally.touched
        ));
    }
}

/// What is wrong with a row: left bytes between `«»`, lost ones between `‹›`.
fn detail(row: &Row, hidden: &[bool], tally: &Tally) {
    let mut text = String::new();
    let mut open = ' ';
    for (at, letter) in row.text.char_indices() {
        let label = row.labels.get(at).copied().unwrap_or(Label::Ordinary);
        let is_hidden = hidden.get(at).copied().unwrap_or(false);
        let state = match label {
            Label::Secret(_) if !is_hidden => '«',
            Label::Ordinary if is_hidden => '‹',
            _ => ' ',
        };
        if state != open {
            text.push_str(match open {
                '«' => "»",
                '‹' => "›",
                _ => "",
            });
            if state != ' ' {
                text.push(state);
            }
            open = state;
        }
        text.push(letter);
    }
    let marks: Vec<usize> = text.match_indices(['«', '‹']).map(|(at, _)| at).collect();
    let from = text.floor_char_boundary(marks.first().map_or(0, |at| at.saturating_sub(120)));
    let to = text.ceil_char_boundary(text.len().min(marks.last().map_or(0, |at| at + 260)));
    let excerpt = text.get(from..to).unwrap_or_default();
    say(&format!(
        "{} {} {}: {} of {} covered: {excerpt:?}",
        row.id, row.family, row.variant, tally.covered, tally.secrets
    ));
}

//! The survivors that were judged: `golden/mutants/survivors.txt` has, below each reason, every mutant that is accepted
//! and means something else. A survivor that is not in it fails, and so does a line that no longer survives.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// Below this stands what nobody judged.
const NOT_JUDGED: &str = "not judged yet";

/// The file.
pub struct Judged {
    /// Reasons in the order of the file, each with its lines.
    reasons: Vec<(String, Vec<String>)>,
}

impl Judged {
    /// Reads it.
    pub fn read() -> Self {
        let text = fs::read_to_string(file()).unwrap_or_default();
        let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            match (line.strip_prefix("# "), reasons.last_mut()) {
                (Some(reason), Some((last, lines))) if lines.is_empty() => {
                    *last = format!("{last} {reason}");
                }
                (Some(reason), _) => reasons.push((reason.to_owned(), Vec::new())),
                (None, Some((_, lines))) => lines.push(line.to_owned()),
                (None, None) => panic!("a line before any reason: {line}"),
            }
        }
        Self { reasons }
    }

    /// Reasons with their numbers of survivors.
    pub fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.reasons.iter().map(|(reason, lines)| (reason.as_str(), lines.len()))
    }

    /// Compares the sorted survivors with the file, or, with `UPDATE_GOLDEN=1`, writes it anew: what is of the same
    /// shape as what was judged joins it, everything else is not judged, and stays a failure.
    pub fn check(mut self, survivors: &[String]) {
        if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
            self.update(survivors);
            fs::create_dir_all(file().parent().unwrap()).unwrap();
            fs::write(file(), self.text()).unwrap();
        }
        let mut judged: Vec<&String> = self.reasons.iter().flat_map(|(_, lines)| lines).collect();
        judged.sort();
        let new: Vec<&String> = survivors.iter().filter(|line| !judged.contains(line)).collect();
        let gone: Vec<&&String> = judged.iter().filter(|line| !survivors.contains(line)).collect();
        let open = self.reasons.iter().find(|(reason, lines)| reason == NOT_JUDGED && !lines.is_empty());
        assert!(
            new.is_empty() && gone.is_empty() && open.is_none(),
            "survivors that were not judged: {new:#?}\njudged and no longer survivors: {gone:#?}\n{open:#?}"
        );
    }

    fn update(&mut self, survivors: &[String]) {
        let known: BTreeMap<String, usize> = self
            .reasons
            .iter()
            .enumerate()
            .flat_map(|(number, (_, lines))| lines.iter().map(move |line| (line.clone(), number)))
            .collect();
        let shapes: BTreeMap<String, usize> =
            known.iter().map(|(line, number)| (shape(line), *number)).collect();
        self.reasons.iter_mut().for_each(|(_, lines)| lines.clear());
        if !self.reasons.iter().any(|(reason, _)| reason == NOT_JUDGED) {
            self.reasons.push((NOT_JUDGED.to_owned(), Vec::new()));
        }
        let open = self.reasons.iter().position(|(reason, _)| reason == NOT_JUDGED).unwrap();
        for line in survivors {
            let number = known.get(line).or_else(|| shapes.get(&shape(line))).copied().unwrap_or(open);
            self.reasons[number].1.push(line.clone());
        }
        self.reasons.retain(|(_, lines)| !lines.is_empty());
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (reason, lines) in &self.reasons {
            let mut width = 0;
            let mut heading = String::from("#");
            for word in reason.split(' ') {
                if width + word.len() > 105 {
                    heading.push_str("\n#");
                    width = 0;
                }
                write!(heading, " {word}").unwrap();
                width += word.len() + 1;
            }
            writeln!(text, "{heading}\n{}\n", lines.join("\n")).unwrap();
        }
        text.truncate(text.trim_end().len() + 1);
        text
    }
}

/// A line without its ground and its numbers.
fn shape(line: &str) -> String {
    let line = line.split_once('/').map_or(line, |(_, rest)| rest);
    let part = |part: &str| part.parse::<u32>().map_or(part.to_owned(), |_| "*".to_owned());
    let word = |word: &str| word.split('/').map(part).collect::<Vec<_>>().join("/");
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/mutants/survivors.txt")
}

//! Numbers in the lines of an output: how runners write what they counted. It knows words, not runners.

use crate::base::limits::INTEGER_MAX;
use crate::evidence::command::observation::{Outcome, ReportedCounts};

/// What closing lines say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Passed or failed; `None` where the runner only says that it ran nothing.
    pub outcome: Option<Outcome>,
    /// Of tests; checkers count findings, not tests.
    pub counts: Option<ReportedCounts>,
}

impl Report {
    /// A verdict without numbers.
    pub const fn of(passed: bool) -> Self {
        Self { outcome: Some(if passed { Outcome::Passed } else { Outcome::Failed }), counts: None }
    }

    /// Passed unless something failed.
    pub fn counted(counts: ReportedCounts) -> Self {
        Self { counts: Some(counts), ..Self::of(counts.failed == 0) }
    }

    /// The runner says that there was nothing to run, and leaves open whether that is well.
    pub fn nothing() -> Self {
        Self { outcome: None, counts: Some(ReportedCounts::default()) }
    }

    /// A total with its failures and skips: the rest passed.
    pub fn of_total(total: u64, failed: u64, skipped: u64) -> Self {
        let passed = total.saturating_sub(failed).saturating_sub(skipped);
        Self::counted(ReportedCounts { passed, failed, skipped })
    }

    /// Failed if `failed`, whatever the numbers say.
    pub fn failed_if(self, failed: bool) -> Self {
        if failed { Self { outcome: Some(Outcome::Failed), ..self } } else { self }
    }

    /// It reports a failure.
    pub fn is_failed(&self) -> bool {
        self.outcome == Some(Outcome::Failed)
    }
}

/// Several reports as one: the numbers added up, failed if one of them is.
pub fn merged(reports: impl IntoIterator<Item = Report>) -> Option<Report> {
    reports.into_iter().reduce(|sum, next| {
        let mut counts = sum.counts.zip(next.counts).map(|(one, _)| one);
        if let (Some(counts), Some(more)) = (&mut counts, next.counts) {
            add(counts, more);
        }
        Report { outcome: sum.outcome.or(next.outcome), counts }
            .failed_if(sum.is_failed() || next.is_failed())
    })
}

/// Adds numbers up.
pub fn add(into: &mut ReportedCounts, more: ReportedCounts) {
    into.passed = sum([into.passed, more.passed]);
    into.failed = sum([into.failed, more.failed]);
    into.skipped = sum([into.skipped, more.skipped]);
}

/// Numbers together. What an output says may be any number; ours stay those that a document may hold.
pub fn sum<const N: usize>(counts: [u64; N]) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add).min(INTEGER_MAX)
}

/// The last line that says something.
pub fn last(lines: &[&str], read: impl Fn(&str) -> Option<Report>) -> Option<Report> {
    lines.iter().rev().find_map(|line| read(line))
}

/// Every line that says something, as one report.
pub fn every(lines: &[&str], read: impl Fn(&str) -> Option<Report>) -> Option<Report> {
    merged(lines.iter().filter_map(|line| read(line)))
}

/// A whole number that a document may hold.
pub fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number| *number <= INTEGER_MAX)
}

/// The number that a text begins with.
pub fn leading(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    number(text.get(..end)?)
}

/// The number behind a name: `Failures: 3`.
pub fn behind(line: &str, name: &str) -> Option<u64> {
    leading(line.split_once(name)?.1)
}

/// One of two openings.
pub fn verdict(line: &str, passed: &str, failed: &str) -> Option<Report> {
    if line.starts_with(failed) {
        return Some(Report::of(false));
    }
    line.starts_with(passed).then(|| Report::of(true))
}

/// Adds up every `N word` of a line by what the word means.
pub fn counted(line: &str) -> ReportedCounts {
    let mut counts = ReportedCounts::default();
    let mut before = "";
    for word in line.split([' ', ',', ';', '|', '(', ')', '\t']).filter(|word| !word.is_empty()) {
        if let Some(count) = number(before) {
            let slot = match word.trim_end_matches(['.', ':']) {
                "passed" | "pass" | "passes" | "passing" | "xpassed" | "successful" | "success"
                | "successes" | "succeeded" => Some(&mut counts.passed),
                "failed" | "fail" | "fails" | "failing" | "error" | "errors" | "errored" | "failure"
                | "failures" | "invalid" | "timed" => Some(&mut counts.failed),
                "skipped" | "skip" | "skips" | "ignored" | "pending" | "todo" | "xfailed" | "excluded"
                | "canceled" | "undefined" => Some(&mut counts.skipped),
                _ => None,
            };
            if let Some(slot) = slot {
                *slot = sum([*slot, count]);
            }
        }
        before = word;
    }
    counts
}

/// Lines of one count each; the last line of every word counts.
pub fn grouped(lines: &[&str], words: &[(&str, usize)]) -> Option<Report> {
    let mut slots = [0u64; 3];
    let mut told = false;
    for (word, slot) in words {
        let count = lines.iter().rev().find_map(|line| {
            let (count, rest) = line.trim_start().split_once(' ')?;
            let whole = rest == *word || rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(" ("));
            whole.then(|| number(count))?
        });
        if let (Some(count), Some(total)) = (count, slots.get_mut(*slot)) {
            *total = sum([*total, count]);
            told |= *slot < 2;
        }
    }
    let [passed, failed, skipped] = slots;
    told.then(|| Report::counted(ReportedCounts { passed, failed, skipped }))
}

/// `1 doctest, 10 tests, 1 failure, 2 excluded`, `10 examples, 0 failures, 1 error occurred outside of examples`,
/// `5 runs, 9 assertions, 1 failures, 0 errors, 2 skips`: a total of units with what became of them.
pub fn examples(line: &str, units: &[&str]) -> Option<Report> {
    let mut total = None;
    let (mut failures, mut errors) = (None, 0u64);
    for part in line.split(", ") {
        let (count, word) = part.split_once(' ')?;
        let count = number(count)?;
        let unit = word.split(' ').next().unwrap_or(word).trim_end_matches(['s', '.']);
        if units.contains(&unit) && !word.contains("pending") {
            total = Some(sum([total.unwrap_or(0), count]));
        } else if word.starts_with("failure") {
            failures = Some(count);
        } else if word.starts_with("error") || word.starts_with("invalid") {
            errors = sum([errors, count]);
        }
    }
    let counts = counted(line);
    Some(Report::of_total(total?, sum([failures?, errors]), counts.skipped))
}

/// A coverage that the runner was told to reach and did not: it fails, whatever its tests did.
pub fn lacks_coverage(lines: &[&str]) -> bool {
    lines.iter().any(|line| {
        // Jest; pytest-cov; vitest and nyc; simplecov.
        (line.starts_with("Jest: ") && line.contains(" coverage threshold for "))
            || (line.contains("Required test coverage of ") && line.contains(" not reached"))
            || (line.contains("ERROR: Coverage for ") && line.contains(" does not meet "))
            || line.contains(" is below the expected minimum coverage ")
    })
}

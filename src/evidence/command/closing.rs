//! The closing lines of runners: what a runner itself says at its end. The last closing line wins; several
//! reports of one run (crates, projects) are added up. It does not know whose output a text is.

use serde::{Deserialize, Serialize};

use super::observation::{Outcome, ReportedCounts};
use crate::base::limits::CLOSING_BYTES;

/// How the closing lines of a runner look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Closing {
    /// `test result: ok. 3 passed; 0 failed; …` of every crate.
    Cargo,
    /// `Finished …` or `error: could not compile …`.
    CargoBuild,
    /// `Summary [ 0.1s] 5 tests run: 4 passed, 1 failed`.
    Nextest,
    /// `=== 3 passed, 1 failed in 0.1s ===`.
    Pytest,
    /// `Ran 3 tests in 0.1s` and `OK` or `FAILED (failures=1)`.
    Unittest,
    /// `ok  pkg 0.1s`, `FAIL pkg 0.1s`.
    Go,
    /// `Tests: 1 failed, 5 passed, 6 total`.
    Jest,
    /// `Tests  1 failed | 5 passed (6)`.
    Vitest,
    /// `5 passing`, `1 failing`.
    Mocha,
    /// `5 passed (3s)`, `1 failed`.
    Playwright,
    /// `10 examples, 1 failure, 2 pending`.
    Rspec,
    /// `8 tests, 0 failures`.
    ExUnit,
    /// `OK (5 tests, 9 assertions)`, `Tests: 5, Assertions: 9, Failures: 1.`
    Phpunit,
    /// `BUILD SUCCESS`, `BUILD FAILURE`.
    Maven,
    /// `BUILD SUCCESSFUL in 3s`, `BUILD FAILED in 3s`.
    Gradle,
    /// `100% tests passed, 0 tests failed out of 5`.
    Ctest,
    /// `Passed!  - Failed: 0, Passed: 5, Skipped: 0`.
    Dotnet,
    /// `Executed 5 tests, with 1 failure`.
    Swift,
    /// `ok | 5 passed | 0 failed (3ms)`.
    Deno,
    /// ` 5 pass`, ` 1 fail`.
    Bun,
    /// `# pass 5`, `# fail 1`.
    NodeTest,
    /// `All checks passed!`, `Found 3 errors.`
    Ruff,
    /// `Success: no issues found`, `Found 3 errors in 1 file`.
    Mypy,
    /// `0 errors, 0 warnings`.
    Pyright,
    /// `✖ 5 problems (1 error, 4 warnings)`.
    Eslint,
    /// `Found 3 errors`.
    Tsc,
    /// Runs some other runner: its own complaint, or the closing lines of exactly one of them.
    Driver,
    /// Says nothing that counts.
    Silent,
}

/// What closing lines say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Passed or failed.
    pub outcome: Outcome,
    /// Of tests; checkers count findings, not tests.
    pub counts: Option<ReportedCounts>,
}

impl Report {
    const fn of(passed: bool) -> Self {
        Self { outcome: if passed { Outcome::Passed } else { Outcome::Failed }, counts: None }
    }

    fn counted(counts: ReportedCounts) -> Self {
        Self { counts: Some(counts), ..Self::of(counts.failed == 0) }
    }
}

/// Reads the end of an output.
pub fn read(closing: Closing, text: &str) -> Option<Report> {
    let mut start = text.len().saturating_sub(CLOSING_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let text = plain(text.get(start..).unwrap_or(""));
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines_of(closing, &lines)
}

/// Without the colours of a terminal.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            // Up to the letter that ends the sequence.
            letters.by_ref().skip(1).find(char::is_ascii_alphabetic);
        } else {
            out.push(letter);
        }
    }
    out
}

fn lines_of(closing: Closing, lines: &[&str]) -> Option<Report> {
    match closing {
        Closing::Cargo => cargo(lines),
        Closing::CargoBuild => last(lines, |line| {
            let line = line.trim_start();
            if line.starts_with("error: could not compile") {
                return Some(Report::of(false));
            }
            (line.starts_with("Finished ") && line.contains(" target(s) in ")).then(|| Report::of(true))
        }),
        Closing::Nextest => last(lines, |line| {
            let counts =
                line.trim_start().strip_prefix("Summary [").and_then(|rest| rest.split_once(" run: "))?.1;
            Some(Report::counted(counted(counts)))
        }),
        Closing::Pytest => last(lines, pytest),
        Closing::Unittest => unittest(lines),
        Closing::Go => go(lines),
        Closing::Jest => jest(lines),
        Closing::Vitest => vitest(lines),
        Closing::Mocha => grouped(lines, &[("passing", 0), ("failing", 1), ("pending", 2)]),
        Closing::Playwright => grouped(lines, &[("passed", 0), ("failed", 1), ("skipped", 2), ("flaky", 0)]),
        Closing::Bun => grouped(lines, &[("pass", 0), ("fail", 1), ("skip", 2)]),
        Closing::Rspec => last(lines, |line| examples(line, "example")),
        Closing::ExUnit => last(lines, |line| examples(line, "test")),
        Closing::Phpunit => last(lines, phpunit),
        Closing::Maven => maven(lines),
        Closing::Gradle => last(lines, |line| verdict(line, "BUILD SUCCESSFUL", "BUILD FAILED")),
        Closing::Ctest => last(lines, ctest),
        Closing::Dotnet => dotnet(lines),
        Closing::Swift => last(lines, swift),
        Closing::Deno => last(lines, |line| {
            let line = line.strip_prefix("ok | ").or_else(|| line.strip_prefix("FAILED | "))?;
            Some(Report::counted(counted(line)))
        }),
        Closing::NodeTest => node(lines),
        Closing::Ruff => last(lines, |line| match line {
            "All checks passed!" => Some(Report::of(true)),
            _ => found(line),
        }),
        Closing::Mypy => last(lines, |line| {
            if line.starts_with("Success: no issues found") { Some(Report::of(true)) } else { found(line) }
        }),
        Closing::Pyright => last(lines, |line| {
            let (errors, rest) = line.split_once(" error")?;
            let errors: u64 = errors.parse().ok()?;
            rest.contains(" warning").then(|| Report::of(errors == 0))
        }),
        Closing::Eslint => last(lines, |line| {
            let rest = line.trim_start().strip_prefix("✖ ")?.split_once(" problem")?.1.split_once('(')?.1;
            Some(Report::of(number(rest.split(' ').next()?)? == 0))
        }),
        Closing::Tsc => last(lines, found),
        Closing::Driver => driver(lines),
        Closing::Silent => None,
    }
}

/// The last line that says something.
fn last(lines: &[&str], read: impl Fn(&str) -> Option<Report>) -> Option<Report> {
    lines.iter().rev().find_map(|line| read(line))
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

fn verdict(line: &str, passed: &str, failed: &str) -> Option<Report> {
    if line.starts_with(failed) {
        return Some(Report::of(false));
    }
    line.starts_with(passed).then(|| Report::of(true))
}

/// `Found 3 errors`, as checkers say.
fn found(line: &str) -> Option<Report> {
    let mut words = line.strip_prefix("Found ")?.split(' ');
    let count = number(words.next()?)?;
    words.next()?.starts_with("error").then(|| Report::of(count == 0))
}

/// Adds up every `N word` of a line by what the word means.
fn counted(line: &str) -> ReportedCounts {
    let mut counts = ReportedCounts::default();
    let mut before = "";
    for word in line.split([' ', ',', ';', '|', '(', ')', '\t']).filter(|word| !word.is_empty()) {
        if let Some(count) = number(before) {
            let slot = match word.trim_end_matches(['.', ':']) {
                "passed" | "pass" | "passing" | "xpassed" => Some(&mut counts.passed),
                "failed" | "fail" | "failing" | "error" | "errors" | "failure" | "failures" => {
                    Some(&mut counts.failed)
                }
                "skipped" | "skip" | "ignored" | "pending" | "todo" | "xfailed" | "excluded" | "invalid" => {
                    Some(&mut counts.skipped)
                }
                _ => None,
            };
            if let Some(slot) = slot {
                *slot = slot.saturating_add(count);
            }
        }
        before = word;
    }
    counts
}

fn add(sum: &mut ReportedCounts, more: ReportedCounts) {
    sum.passed = sum.passed.saturating_add(more.passed);
    sum.failed = sum.failed.saturating_add(more.failed);
    sum.skipped = sum.skipped.saturating_add(more.skipped);
}

/// A total with its failures and skips: the rest passed.
fn of_total(total: u64, failed: u64, skipped: u64) -> Report {
    let passed = total.saturating_sub(failed).saturating_sub(skipped);
    Report::counted(ReportedCounts { passed, failed, skipped })
}

fn cargo(lines: &[&str]) -> Option<Report> {
    let mut sum: Option<ReportedCounts> = None;
    let mut failed = false;
    for line in lines {
        if let Some(rest) = line.strip_prefix("test result: ") {
            failed |= rest.starts_with("FAILED");
            add(sum.get_or_insert_default(), counted(rest));
        } else if line.starts_with("error: could not compile") || line.starts_with("error: test failed") {
            failed = true;
            sum.get_or_insert_default();
        }
    }
    let counts = sum?;
    let told = counts != ReportedCounts::default();
    let outcome = Report::of(!failed && counts.failed == 0).outcome;
    Some(Report { outcome, counts: (told || !failed).then_some(counts) })
}

fn pytest(line: &str) -> Option<Report> {
    let line = line.trim_matches('=').trim();
    let (told, time) = line.rsplit_once(" in ")?;
    let seconds = time.split(['s', ' ']).next()?;
    let starts = told.split(' ').next().and_then(number).is_some();
    if !starts || seconds.parse::<f64>().is_err() {
        return None;
    }
    let counts = counted(told);
    // `3 deselected` alone ends with status 5: nothing was run.
    (counts != ReportedCounts::default()).then(|| Report::counted(counts))
}

fn unittest(lines: &[&str]) -> Option<Report> {
    let place = lines.iter().rposition(|line| ran(line).is_some())?;
    let total = lines.get(place).and_then(|line| ran(line))?;
    let verdict = lines.iter().skip(place + 1).find(|line| !line.is_empty())?;
    let value = |name: &str| {
        let rest = verdict.split_once(name)?.1;
        number(rest.split(|letter: char| !letter.is_ascii_digit()).next()?)
    };
    let failed = value("(failures=").or_else(|| value(" failures=")).unwrap_or(0)
        + value("errors=").unwrap_or(0)
        + value("unexpected successes=").unwrap_or(0);
    let skipped = value("skipped=").unwrap_or(0);
    let passed = *verdict == "OK" || verdict.starts_with("OK (");
    if !passed && !verdict.starts_with("FAILED") {
        return None;
    }
    Some(Report { outcome: Report::of(passed).outcome, ..of_total(total, failed, skipped) })
}

/// `Ran 3 tests in 0.1s`.
fn ran(line: &str) -> Option<u64> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    (rest.starts_with("test in ") || rest.starts_with("tests in ")).then(|| number(count))?
}

fn go(lines: &[&str]) -> Option<Report> {
    let mut passed = None;
    for line in lines {
        if *line == "FAIL" || line.starts_with("FAIL\t") || line.starts_with("panic: ") {
            return Some(Report::of(false));
        }
        if *line == "PASS" || line.starts_with("ok  \t") {
            passed = Some(Report::of(true));
        }
    }
    passed
}

fn jest(lines: &[&str]) -> Option<Report> {
    let suites = lines.iter().rev().find_map(|line| line.strip_prefix("Test Suites: ").map(counted));
    let tests = lines
        .iter()
        .rev()
        .find_map(|line| line.strip_prefix("Tests: ").filter(|rest| rest.contains(" total")));
    let counts = counted(tests?);
    let failed = counts.failed > 0 || suites.is_some_and(|suites| suites.failed > 0);
    Some(Report { outcome: Report::of(!failed).outcome, counts: Some(counts) })
}

fn vitest(lines: &[&str]) -> Option<Report> {
    let told = |name: &str| {
        lines
            .iter()
            .rev()
            .find_map(|line| line.trim_start().strip_prefix(name).filter(|rest| rest.ends_with(')')))
    };
    let counts = counted(told("Tests  ")?);
    let files = told("Test Files  ").map(counted);
    let errors = lines.iter().any(|line| line.trim_start().starts_with("Errors  "));
    let failed = counts.failed > 0 || errors || files.is_some_and(|files| files.failed > 0);
    Some(Report { outcome: Report::of(!failed).outcome, counts: Some(counts) })
}

/// Lines of one count each; the last line of every word counts.
fn grouped(lines: &[&str], words: &[(&str, usize)]) -> Option<Report> {
    let mut slots = [0u64; 3];
    let mut told = false;
    for (word, slot) in words {
        let count = lines.iter().rev().find_map(|line| {
            let (count, rest) = line.trim_start().split_once(' ')?;
            let whole = rest == *word || rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(" ("));
            whole.then(|| number(count))?
        });
        if let (Some(count), Some(sum)) = (count, slots.get_mut(*slot)) {
            *sum = sum.saturating_add(count);
            told |= *slot < 2;
        }
    }
    let [passed, failed, skipped] = slots;
    told.then(|| Report::counted(ReportedCounts { passed, failed, skipped }))
}

/// `1 doctest, 10 tests, 1 failure, 2 excluded`.
fn examples(line: &str, unit: &str) -> Option<Report> {
    let mut total = None;
    let mut failures = None;
    for part in line.split(", ") {
        let (count, word) = part.split_once(' ')?;
        let count = number(count)?;
        if word.trim_end_matches('s') == unit || word.starts_with("doctest") || word.starts_with("propert") {
            total = Some(total.unwrap_or(0u64).saturating_add(count));
        } else if word.starts_with("failure") {
            failures = Some(count);
        }
    }
    Some(of_total(total?, failures?, counted(line).skipped))
}

fn phpunit(line: &str) -> Option<Report> {
    if let Some(rest) = line.strip_prefix("OK (") {
        let (count, rest) = rest.split_once(" test")?;
        rest.contains("assertion").then_some(())?;
        return Some(of_total(number(count)?, 0, 0));
    }
    line.strip_prefix("Tests: ").filter(|rest| rest.contains("Assertions: "))?;
    let value = |name: &str| {
        let rest = line.split_once(name)?.1;
        number(rest.split([',', '.']).next()?)
    };
    let failed = value("Failures: ").unwrap_or(0) + value("Errors: ").unwrap_or(0);
    Some(of_total(value("Tests: ")?, failed, value("Skipped: ").unwrap_or(0)))
}

fn maven(lines: &[&str]) -> Option<Report> {
    let plain = |line: &str| line.trim_start_matches("[INFO] ").trim_start_matches("[ERROR] ").to_owned();
    let report = last(lines, |line| verdict(&plain(line), "BUILD SUCCESS", "BUILD FAILURE"))?;
    let value = |line: &str, name: &str| number(line.split_once(name)?.1.split(',').next()?.trim());
    // The summary has no class at its end.
    let counts = lines.iter().rev().map(|line| plain(line)).find_map(|line| {
        let line = line.trim_start_matches("[WARNING] ");
        let skipped = value(line, "Skipped: ")?;
        let failed = value(line, "Failures: ")?.saturating_add(value(line, "Errors: ")?);
        of_total(value(line, "Tests run: ")?, failed, skipped).counts
    });
    Some(Report { counts, ..report })
}

fn ctest(line: &str) -> Option<Report> {
    let (_, rest) = line.split_once("% tests passed, ")?;
    let (failed, total) = rest.split_once(" tests failed out of ")?;
    Some(of_total(number(total)?, number(failed)?, 0))
}

/// One line a project.
fn dotnet(lines: &[&str]) -> Option<Report> {
    let mut sum: Option<ReportedCounts> = None;
    let mut failed = false;
    for line in lines {
        let Some(rest) = line.strip_prefix("Passed!").or_else(|| line.strip_prefix("Failed!")) else {
            continue;
        };
        failed |= line.starts_with("Failed!");
        let value = |name: &str| {
            rest.split_once(name).and_then(|(_, rest)| number(rest.split(',').next()?.trim())).unwrap_or(0)
        };
        let counts = ReportedCounts {
            passed: value(" Passed:"),
            failed: value(" Failed:"),
            skipped: value(" Skipped:"),
        };
        add(sum.get_or_insert_default(), counts);
    }
    let counts = sum?;
    Some(Report { outcome: Report::of(!failed && counts.failed == 0).outcome, counts: Some(counts) })
}

fn swift(line: &str) -> Option<Report> {
    let (count, rest) = line.trim_start().strip_prefix("Executed ")?.split_once(" test")?;
    let failures = rest.split_once("with ")?.1.split_once(" failure")?.0;
    let failures = failures.rsplit(' ').next()?;
    Some(of_total(number(count)?, number(failures)?, 0))
}

fn node(lines: &[&str]) -> Option<Report> {
    let value = |name: &str| {
        lines.iter().rev().find_map(|line| {
            let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
            number(rest.strip_prefix(name)?.strip_prefix(' ')?)
        })
    };
    let failed = value("fail")?.saturating_add(value("cancelled").unwrap_or(0));
    Some(Report::counted(ReportedCounts {
        passed: value("pass")?,
        failed,
        skipped: value("skipped").unwrap_or(0),
    }))
}

/// The complaint of a build tool or script runner, else the closing lines of exactly one runner.
fn driver(lines: &[&str]) -> Option<Report> {
    const COMPLAINTS: &[&str] = &[
        "npm ERR!",
        "npm error",
        "error Command failed with exit code",
        "task: Failed to run task",
        "nox > Session ",
    ];
    let complains = lines.iter().any(|line| {
        (line.starts_with("make: ***") || line.starts_with("make[") && line.contains("]: ***"))
            || line.contains("ELIFECYCLE")
            || (line.starts_with("error: Recipe `") || line.starts_with("error: recipe `"))
                && line.contains("` failed")
            || line.starts_with("error: script \"")
            || COMPLAINTS.iter().any(|start| {
                line.starts_with(start) && (!start.starts_with("nox") || line.ends_with(" failed."))
            })
    });
    const RUNNERS: &[Closing] = &[
        Closing::Cargo,
        Closing::Nextest,
        Closing::Pytest,
        Closing::Unittest,
        Closing::Go,
        Closing::Jest,
        Closing::Vitest,
        Closing::Mocha,
        Closing::Playwright,
        Closing::Bun,
        Closing::Rspec,
        Closing::ExUnit,
        Closing::Phpunit,
        Closing::Ctest,
        Closing::Dotnet,
        Closing::Swift,
        Closing::Deno,
        Closing::NodeTest,
    ];
    let mut reports = RUNNERS.iter().filter_map(|closing| lines_of(*closing, lines));
    let only = match (reports.next(), reports.next()) {
        (Some(report), None) => Some(report),
        _ => None,
    };
    match (complains, only) {
        (true, report) => {
            Some(Report { counts: report.and_then(|report| report.counts), ..Report::of(false) })
        }
        (false, report) => report,
    }
}

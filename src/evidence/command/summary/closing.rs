//! The closing lines of runners: what a runner itself says at its end. It knows which lines are whose, and reads the
//! end of an output by them. It does not know whose output a text is.

use serde::{Deserialize, Serialize};

use super::build_summary as build;
use super::check_summary as check;
use super::tally::{Report, merged};
use super::test_summary as tests;
use crate::base::limits::CLOSING_BYTES;

/// How the closing lines of a runner look; what reads them says it in full.
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
    /// `All specs passed!` and columns.
    Cypress,
    /// `Executed 5 of 5 SUCCESS`.
    Karma,
    /// `5 specs, 0 failures`.
    Jasmine,
    /// `5 tests passed`.
    Ava,
    /// The Test Anything Protocol.
    Tap,
    /// `10 examples, 1 failure, 2 pending`.
    Rspec,
    /// `8 tests, 0 failures` of every app.
    ExUnit,
    /// `5 runs, 9 assertions, 1 failures, 0 errors, 2 skips`.
    Minitest,
    /// `5 tests, 1 failure`, or the protocol.
    Bats,
    /// `OK (5 tests, 9 assertions)`, `Tests: 5, Assertions: 9, Failures: 1.`
    Phpunit,
    /// `Tests:  1 failed, 5 passed (9 assertions)`.
    Pest,
    /// `3 scenarios (1 failed, 2 passed)`.
    Scenarios,
    /// `BUILD SUCCESS`, `BUILD FAILURE`.
    Maven,
    /// `BUILD SUCCESSFUL in 3s`, `BUILD FAILED in 3s`.
    Gradle,
    /// `100% tests passed, 0 tests failed out of 5`.
    Ctest,
    /// `Ok: 5`, `Fail: 1`.
    Meson,
    /// `Executed 1 out of 1 test: 1 test passes.`
    Bazel,
    /// `Tests finished: Pass 5. Fail 1. …`
    Buck,
    /// `✓ a:tests succeeded in 1s.`
    Pants,
    /// `Passed!  - Failed: 0, Passed: 5, Skipped: 0`.
    Dotnet,
    /// `Executed 5 tests, with 1 failure`, `Test run with 5 tests passed`.
    Swift,
    /// `ok | 5 passed | 0 failed (3ms)`.
    Deno,
    /// ` 5 pass`, ` 1 fail`.
    Bun,
    /// `# pass 5`, `# fail 1`.
    NodeTest,
    /// `Passed: Total 5, Failed 0, …`
    Sbt,
    /// `All 5 tests passed.`
    Zig,
    /// `+5: All tests passed!`
    Dart,
    /// `TEST RUN PASSED`.
    Elm,
    /// `0 failures, 0 errors.`
    Clojure,
    /// `5 successes / 0 failures / …`
    Busted,
    /// hspec, tasty and cabal.
    Haskell,
    /// `DONE 5 tests in 0.1s`.
    Gotestsum,
    /// `SUCCESS! -- 5 Passed | 0 Failed`.
    Ginkgo,
    /// `All checks passed!`, `Found 3 errors.`
    Ruff,
    /// `2 files would be reformatted`.
    Formatted,
    /// `Success: no issues found`, `Found 3 errors in 1 file`.
    Mypy,
    /// `0 errors, 0 warnings`.
    Pyright,
    /// `Found 3 diagnostics`.
    Ty,
    /// `✖ 5 problems (1 error, 4 warnings)`.
    Eslint,
    /// `Found 0 warnings and 1 error.`
    Oxlint,
    /// `Checked 3 files in 5ms.`
    Biome,
    /// `All matched files use Prettier code style!`
    Prettier,
    /// `Found 3 errors`, `error TS2322`.
    Tsc,
    /// `svelte-check found 0 errors`.
    Svelte,
    /// `0 issues.`
    Golangci,
    /// `3 files inspected, no offenses detected`.
    Rubocop,
    /// PHPStan and Psalm.
    PhpCheck,
    /// `No issues found!`
    DartAnalyze,
    /// `ruff....Passed`.
    Hooks,
    /// Runs some other runner: its own complaint, or the closing lines of exactly one of them.
    Driver,
    /// Says nothing that counts.
    Silent,
}

impl Closing {
    /// Its report is put together from lines of many places: where a part of the output is missing, so are they.
    pub const fn adds_up(self) -> bool {
        matches!(
            self,
            Self::Cargo
                | Self::Go
                | Self::ExUnit
                | Self::Maven
                | Self::Gradle
                | Self::Dotnet
                | Self::Sbt
                | Self::Tap
                | Self::Bats
                | Self::Pants
                | Self::Hooks
                | Self::Driver
        )
    }
}

/// What an output holds of a runner's closing lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// What they say.
    pub report: Report,
    /// The beginning of the output was not looked at.
    pub cut: bool,
}

/// Reads the end of an output.
pub fn read(closing: Closing, text: &str) -> Option<Ending> {
    let mut start = text.len().saturating_sub(CLOSING_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let cut = start > 0;
    let text = plain(text.get(start..).unwrap_or(""));
    // What stands before a carriage return was overwritten.
    let shown = |line: &'_ str| line.trim_end().rsplit('\r').next().unwrap_or_default().len();
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim_end())
        .map(|line| line.get(line.len() - shown(line)..).unwrap_or_default())
        .collect();
    lines_of(closing, &lines).map(|report| Ending { report, cut })
}

/// Without the colours and links of a terminal.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            out.push(letter);
            continue;
        }
        if letters.next() == Some(']') {
            // A command to the terminal, up to a bell or `ESC \`.
            while letters.peek().is_some_and(|letter| *letter != '\n') {
                match letters.next() {
                    Some('\u{7}') => break,
                    Some('\u{1b}') => {
                        letters.next_if_eq(&'\\');
                        break;
                    }
                    _ => {}
                }
            }
        } else {
            // Up to the letter that ends the sequence.
            letters.find(char::is_ascii_alphabetic);
        }
    }
    out
}

/// Reads the lines of an output.
type Reader = fn(&[&str]) -> Option<Report>;

/// What reads each of them, but for [`Closing::Driver`], which reads the others.
const READERS: &[(Closing, Reader)] = &[
    (Closing::Cargo, tests::cargo),
    (Closing::CargoBuild, check::cargo_build),
    (Closing::Nextest, tests::nextest),
    (Closing::Pytest, tests::pytest),
    (Closing::Unittest, tests::unittest),
    (Closing::Go, tests::go),
    (Closing::Jest, tests::jest),
    (Closing::Vitest, tests::vitest),
    (Closing::Mocha, tests::mocha),
    (Closing::Playwright, tests::playwright),
    (Closing::Cypress, tests::cypress),
    (Closing::Karma, tests::karma),
    (Closing::Jasmine, |lines| tests::listed(lines, &["spec"], false)),
    (Closing::Ava, tests::ava),
    (Closing::Tap, tests::tap),
    (Closing::Rspec, |lines| tests::listed(lines, &["example"], false)),
    (Closing::ExUnit, |lines| tests::listed(lines, &["test", "doctest", "property", "propertie"], true)),
    (Closing::Minitest, |lines| tests::listed(lines, &["run", "test"], false)),
    (Closing::Bats, |lines| tests::listed(lines, &["test"], false).or_else(|| tests::tap(lines))),
    (Closing::Phpunit, tests::phpunit),
    (Closing::Pest, |lines| tests::pest(lines).or_else(|| tests::phpunit(lines))),
    (Closing::Scenarios, tests::scenarios),
    (Closing::Maven, tests::maven),
    (Closing::Gradle, tests::gradle),
    (Closing::Ctest, tests::ctest),
    (Closing::Meson, build::meson),
    (Closing::Bazel, build::bazel),
    (Closing::Buck, build::buck),
    (Closing::Pants, build::pants),
    (Closing::Dotnet, tests::dotnet),
    (Closing::Swift, tests::swift),
    (Closing::Deno, tests::deno),
    (Closing::Bun, tests::bun),
    (Closing::NodeTest, tests::node),
    (Closing::Sbt, build::sbt),
    (Closing::Zig, build::zig),
    (Closing::Dart, build::dart),
    (Closing::Elm, build::elm),
    (Closing::Clojure, build::clojure),
    (Closing::Busted, build::busted),
    (Closing::Haskell, build::haskell),
    (Closing::Gotestsum, build::gotestsum),
    (Closing::Ginkgo, build::ginkgo),
    (Closing::Ruff, check::ruff),
    (Closing::Formatted, check::reformatted),
    (Closing::Mypy, check::mypy),
    (Closing::Pyright, check::pyright),
    (Closing::Ty, check::ty),
    (Closing::Eslint, check::eslint),
    (Closing::Oxlint, check::oxlint),
    (Closing::Biome, check::biome),
    (Closing::Prettier, check::prettier),
    (Closing::Tsc, check::tsc),
    (Closing::Svelte, check::svelte),
    (Closing::Golangci, check::golangci),
    (Closing::Rubocop, check::rubocop),
    (Closing::PhpCheck, check::php),
    (Closing::DartAnalyze, check::dart_analyze),
    (Closing::Hooks, build::hooks),
];

fn lines_of(closing: Closing, lines: &[&str]) -> Option<Report> {
    if closing == Closing::Driver {
        return driver(lines);
    }
    READERS.iter().find(|(own, _)| *own == closing).and_then(|(_, read)| read(lines))
}

/// Some runner would take a line of this text for its own.
pub fn looks_like_one(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    READERS.iter().any(|(_, read)| read(&lines).is_some()) || driver(&lines).is_some()
}

/// Runners that a script of a project may run, of which exactly one may be seen in its output. Those that write alike
/// stand here once.
const DRIVEN: &[Closing] = &[
    Closing::Cargo,
    Closing::Nextest,
    Closing::Pytest,
    Closing::Unittest,
    Closing::Go,
    Closing::Gotestsum,
    Closing::Ginkgo,
    Closing::Jest,
    Closing::Vitest,
    Closing::Mocha,
    Closing::Playwright,
    Closing::Cypress,
    Closing::Karma,
    Closing::Jasmine,
    Closing::Ava,
    Closing::Bun,
    Closing::Rspec,
    Closing::Minitest,
    Closing::Phpunit,
    Closing::Pest,
    Closing::Scenarios,
    Closing::Ctest,
    Closing::Meson,
    Closing::Dotnet,
    Closing::Swift,
    Closing::Deno,
    Closing::NodeTest,
    Closing::Dart,
    Closing::Elm,
    Closing::Busted,
];

/// The complaint of a build tool or script runner, else the closing lines of exactly one runner.
fn driver(lines: &[&str]) -> Option<Report> {
    let scripts = build::scripts(lines);
    let complains =
        lines.iter().any(|line| is_complaint(line)) || scripts.is_some_and(|report| report.is_failed());
    let mut reports = DRIVEN.iter().filter_map(|closing| whole(*closing, lines));
    let only = match (reports.next(), reports.next()) {
        (Some(report), None) => Some(report),
        _ => None,
    };
    // Of what several projects did, the last one's numbers are not the whole.
    let counts = only.and_then(|report| report.counts);
    match (complains, only) {
        (true, _) => Some(Report { counts, ..Report::of(false) }),
        (false, Some(report)) => Some(report),
        (false, None) => scripts,
    }
}

/// The reports of a runner that a script may have run several times, once for every project.
fn whole(closing: Closing, lines: &[&str]) -> Option<Report> {
    let ends = |line: &&str| match closing {
        Closing::Jest => line.starts_with("Tests: ") && line.ends_with(" total"),
        Closing::Vitest => line.trim_start().starts_with("Tests  "),
        Closing::Pytest => line.contains(" in ") && tests::pytest(&[*line]).is_some(),
        _ => false,
    };
    let places: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| ends(line)).map(|(place, _)| place).collect();
    if places.len() < 2 {
        return lines_of(closing, lines);
    }
    let mut start = 0;
    merged(places.iter().filter_map(|end| {
        let part = lines.get(start..=*end)?;
        start = end + 1;
        lines_of(closing, part)
    }))
}

fn is_complaint(line: &str) -> bool {
    const COMPLAINTS: &[&str] = &[
        "npm ERR!",
        "npm error",
        "error Command failed with exit code",
        "task: Failed to run task",
        "error: script \"",
        "ninja: build stopped: ",
    ];
    let make = line.trim_start_matches('g');
    (make.starts_with("make: ***") || make.starts_with("make[") && line.contains("]: ***"))
        || line.contains("ELIFECYCLE")
        || (line.starts_with("error: Recipe `") || line.starts_with("error: recipe `"))
            && line.contains("` failed")
        || (line.starts_with("nox > Session ") && line.ends_with(" failed."))
        || COMPLAINTS.iter().any(|start| line.starts_with(start))
}

//! How runners of tests end: the lines that each of them writes itself, in the versions that write them differently.
//! Lines are without colours and without what a carriage return has overwritten.

use super::tally::{
    Report, behind, counted, every, examples, grouped, lacks_coverage, last, leading, merged, number, sum,
    verdict,
};
use crate::evidence::command::observation::ReportedCounts;

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …` of every crate and of the doc tests.
pub fn cargo(lines: &[&str]) -> Option<Report> {
    let failing = |line: &&&str| {
        ["error: could not compile", "error: test failed", "error: doctest failed"]
            .iter()
            .any(|start| line.starts_with(start))
            // `--no-fail-fast`: `error: 2 targets failed:`.
            || (line.starts_with("error: ") && (line.ends_with(" targets failed:") || line.ends_with(" target failed:")))
    };
    let failed = lines.iter().any(|line| failing(&line));
    let sum = every(lines, |line| {
        let rest = line.strip_prefix("test result: ")?;
        let (word, counts) = rest.split_once(". ").filter(|(_, counts)| counts.contains(" passed; "))?;
        Some(Report::counted(counted(counts)).failed_if(word == "FAILED"))
    });
    match sum {
        Some(report) => Some(report.failed_if(failed)),
        None => failed.then(|| Report::of(false)),
    }
}

/// `Summary [ 0.1s] 5 tests run: 4 passed (1 flaky), 1 failed, 1 timed out`, `4/5 tests run: …`.
pub fn nextest(lines: &[&str]) -> Option<Report> {
    let summary = last(lines, |line| {
        let rest = line.trim_start().strip_prefix("Summary [")?;
        let counts = rest.split_once(" run: ")?.1.replace("exec failed", "failed");
        Some(Report::counted(counted(&counts)))
    });
    summary.or_else(|| {
        last(lines, |line| {
            if line.starts_with("error: could not compile") {
                return Some(Report::of(false));
            }
            line.starts_with("error: no tests to run").then(Report::nothing)
        })
    })
}

/// `=== 3 passed, 1 failed, 2 warnings in 0.1s ===`; `in 65.00s (0:01:05)`; without signs with `-q`.
pub fn pytest(lines: &[&str]) -> Option<Report> {
    let report = last(lines, |line| {
        let line = line.trim_matches('=').trim();
        let (told, time) = line.rsplit_once(" in ")?;
        let seconds = time.split(['s', ' ']).next()?;
        let starts = told.split(' ').next().and_then(number).is_some() || told == "no tests ran";
        if !starts || seconds.parse::<f64>().is_err() {
            return None;
        }
        let counts = counted(told);
        // `3 deselected` alone ends with status 5: nothing was run.
        let none = counts == ReportedCounts::default();
        Some(if none { Report::nothing() } else { Report::counted(counts) })
    });
    report.map(|report| report.failed_if(lacks_coverage(lines)))
}

/// `Ran 3 tests in 0.1s` and `OK`, `OK (skipped=1)`, `FAILED (failures=1, expected failures=2)`, since Python 3.12
/// also `NO TESTS RAN`.
pub fn unittest(lines: &[&str]) -> Option<Report> {
    let place = lines.iter().rposition(|line| ran(line).is_some())?;
    let total = lines.get(place).and_then(|line| ran(line))?;
    let verdict = lines.iter().skip(place + 1).find(|line| !line.is_empty())?;
    let inside = verdict.split_once('(').map_or("", |(_, inside)| inside.trim_end_matches(')'));
    let value = |name: &str| {
        let parts = inside.split(", ").filter_map(|part| part.split_once('='));
        parts.filter(|(own, _)| *own == name).find_map(|(_, value)| number(value)).unwrap_or(0)
    };
    if verdict.starts_with("NO TESTS RAN") {
        return Some(Report::nothing());
    }
    let passed = *verdict == "OK" || verdict.starts_with("OK (");
    if !passed && !verdict.starts_with("FAILED") {
        return None;
    }
    let failed = sum([value("failures"), value("errors"), value("unexpected successes")]);
    let skipped = sum([value("skipped"), value("expected failures")]);
    Some(Report::of_total(total, failed, skipped).failed_if(!passed))
}

/// `Ran 3 tests in 0.1s`.
fn ran(line: &str) -> Option<u64> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    (rest.starts_with("test in ") || rest.starts_with("tests in ")).then(|| number(count))?
}

/// `ok  pkg 0.1s`, `FAIL pkg [build failed]`, lone `PASS` and `FAIL`; with `-v` every test has its line, with `-json`
/// its object.
pub fn go(lines: &[&str]) -> Option<Report> {
    let json = |line: &&str, action: &str| {
        line.starts_with('{')
            && line.contains(&format!("\"Action\":\"{action}\""))
            && !line.contains("\"Test\":")
    };
    let mut verdict = None;
    let (mut counts, mut empty) = (ReportedCounts::default(), true);
    for line in lines {
        if *line == "FAIL" || line.starts_with("FAIL\t") || json(line, "fail") {
            verdict = Some(false);
        } else if *line == "PASS" || line.starts_with("ok  \t") || json(line, "pass") {
            empty &= *line == "PASS" || line.ends_with("[no tests to run]");
            verdict = verdict.or(Some(true));
        }
        let slot = match line.split(' ').take(2).collect::<Vec<_>>().as_slice() {
            ["---", "PASS:"] => &mut counts.passed,
            ["---", "FAIL:"] => &mut counts.failed,
            ["---", "SKIP:"] => &mut counts.skipped,
            _ => continue,
        };
        *slot = slot.saturating_add(1);
    }
    // A panic ends a test binary, and `FAIL` follows; alone it stands where the rest was cut.
    let panics = || lines.iter().any(|line| line.starts_with("panic: "));
    let passed = verdict.or_else(|| panics().then_some(false))?;
    // Without `-v` only failures have lines.
    let listed = counts.passed > 0 || counts.skipped > 0;
    let none = passed && empty && lines.iter().any(|line| line.contains("no tests to run"));
    Some(Report { counts: (listed || none).then_some(counts), ..Report::of(passed) })
}

/// `Tests: 1 failed, 5 passed, 6 total`.
pub fn jest(lines: &[&str]) -> Option<Report> {
    let place = lines.iter().rposition(|line| line.starts_with("Tests: ") && line.ends_with(" total"));
    let Some(place) = place else {
        // `--passWithNoTests` says code 0.
        return last(lines, |line| {
            line.starts_with("No tests found, exiting with code ").then(Report::nothing)
        });
    };
    let told = lines.get(..=place)?;
    let suites = told.iter().rev().find_map(|line| line.strip_prefix("Test Suites: ").map(counted));
    let counts = counted(told.last()?);
    let failed = suites.is_some_and(|suites| suites.failed > 0) || lacks_coverage(lines);
    Some(Report::counted(counts).failed_if(failed))
}

/// `Test Files  1 failed | 2 passed (3)` and `Tests  1 failed | 5 passed (6)`, or `no tests`.
pub fn vitest(lines: &[&str]) -> Option<Report> {
    let told = |name: &str| {
        let rests = lines.iter().rev().filter_map(|line| line.trim_start().strip_prefix(name));
        rests.map(str::trim).find(|rest| rest.ends_with(')') || *rest == "no tests")
    };
    let Some(tests) = told("Tests  ") else {
        return last(lines, |line| {
            line.contains("No test files found, exiting with code ").then(Report::nothing)
        });
    };
    let files = told("Test Files  ").map(counted);
    let errors = lines.iter().any(|line| line.trim_start().starts_with("Errors  "));
    let failed = errors || files.is_some_and(|files| files.failed > 0) || lacks_coverage(lines);
    Some(Report::counted(counted(tests)).failed_if(failed))
}

/// `5 passing`, `2 pending`, `1 failing`.
pub fn mocha(lines: &[&str]) -> Option<Report> {
    // What stands before the last `passing` is of another run.
    let start = lines.iter().rposition(|line| {
        line.trim_start().split_once(' ').is_some_and(|(_, rest)| rest.starts_with("passing"))
    });
    let report = grouped(lines.get(start?..)?, &[("passing", 0), ("failing", 1), ("pending", 2)])?;
    Some(report.failed_if(lacks_coverage(lines)))
}

/// `5 passed (3.2s)`, `1 failed`, `1 flaky`, `1 did not run`.
pub fn playwright(lines: &[&str]) -> Option<Report> {
    let words =
        [("passed", 0), ("flaky", 0), ("failed", 1), ("interrupted", 1), ("skipped", 2), ("did not run", 2)];
    if lines.iter().any(|line| line.starts_with("Error: No tests found")) {
        return Some(Report::nothing());
    }
    let outside = lines.iter().any(|line| line.contains(" not a part of any test"));
    match grouped(lines, &words) {
        Some(report) => Some(report.failed_if(outside)),
        None => outside.then(|| Report::of(false)),
    }
}

/// ` 5 pass`, ` 1 fail`, ` 2 skip`, ` 3 todo`.
pub fn bun(lines: &[&str]) -> Option<Report> {
    grouped(lines, &[("pass", 0), ("fail", 1), ("skip", 2), ("todo", 2)])
}

/// `5 tests passed`, `1 test failed`, `1 uncaught exception`.
pub fn ava(lines: &[&str]) -> Option<Report> {
    grouped(
        lines,
        &[
            ("tests passed", 0),
            ("test passed", 0),
            ("tests failed", 1),
            ("test failed", 1),
            ("uncaught exception", 1),
            ("uncaught exceptions", 1),
            ("unhandled rejection", 1),
            ("unhandled rejections", 1),
            ("tests skipped", 2),
            ("test skipped", 2),
            ("tests todo", 2),
            ("known failures", 2),
            ("known failure", 2),
        ],
    )
}

/// Node and tape: `# pass 5`, `ℹ pass 5`; tape leaves `# fail` out where there is none.
pub fn node(lines: &[&str]) -> Option<Report> {
    let value = |name: &str| {
        lines.iter().rev().find_map(|line| {
            let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
            number(rest.strip_prefix(name)?.strip_prefix(' ')?.trim_start())
        })
    };
    let passed = value("pass")?;
    let failed = match value("fail") {
        Some(failed) => failed,
        None => value("tests").filter(|tests| *tests == passed).map(|_| 0)?,
    };
    let failed = sum([failed, value("cancelled").unwrap_or(0)]);
    let skipped = sum([value("skipped"), value("todo")].map(Option::unwrap_or_default));
    Some(Report::counted(ReportedCounts { passed, failed, skipped }))
}

/// The Test Anything Protocol, and what `prove` and node-tap say of it.
pub fn tap(lines: &[&str]) -> Option<Report> {
    let said = last(lines, |line| {
        // prove.
        if let Some(rest) = line.strip_prefix("Result: ") {
            return match rest {
                "NOTESTS" => Some(Report::nothing()),
                "PASS" => Some(Report::of(true)),
                _ => Some(Report::of(false)),
            };
        }
        // node-tap 16: `Asserts:  1 failed, 2 passed, of 3`; 18 and later: `# { total: 3, pass: 3 }`.
        if let Some(rest) = line.strip_prefix("Asserts: ") {
            return Some(Report::counted(counted(rest)));
        }
        let inside = line.strip_prefix("# { total: ")?;
        let value = |name| behind(inside, name).unwrap_or(0);
        Some(Report::of_total(leading(inside)?, value("fail: "), sum([value("skip: "), value("todo: ")])))
    });
    said.or_else(|| node(lines)).or_else(|| {
        lines.iter().find(|line| line.starts_with("1.."))?;
        let mut counts = ReportedCounts::default();
        for line in lines {
            let upper = line.to_ascii_uppercase();
            let directive = upper.contains("# SKIP") || upper.contains("# TODO");
            if (line.starts_with("ok ") || line.starts_with("not ok ")) && directive {
                counts.skipped = counts.skipped.saturating_add(1);
            } else if line.starts_with("ok ") {
                counts.passed = counts.passed.saturating_add(1);
            } else if line.starts_with("not ok ") {
                counts.failed = counts.failed.saturating_add(1);
            }
        }
        Some(Report::counted(counts))
    })
}

/// `All specs passed!  00:05  3  3  -  -  -`, `1 of 2 failed (50%)  00:05  3  2  1  -  -`: tests, passing, failing,
/// pending, skipped.
pub fn cypress(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let passed = line.contains("All specs passed!");
        let failed = line.contains("✖") && line.contains(" failed (");
        (passed || failed).then_some(())?;
        let columns: Vec<&str> = line.split_whitespace().rev().take(5).collect();
        let value = |place: usize| {
            columns.get(place).and_then(|column| if *column == "-" { Some(0) } else { number(column) })
        };
        let counts = value(3).zip(value(2)).zip(value(1)).zip(value(0)).map(
            |(((passed, failed), pending), skipped)| ReportedCounts {
                passed,
                failed,
                skipped: sum([pending, skipped]),
            },
        );
        Some(Report { counts, ..Report::of(passed) })
    })
}

/// `Executed 5 of 6 (1 FAILED) (skipped 1) (0.1 secs / 0.05 secs)`, `Executed 5 of 5 SUCCESS (0.1 secs / …)`.
pub fn karma(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let rest = line.split_once("Executed ")?.1;
        let executed = leading(rest)?;
        rest.split_once(" of ").filter(|_| rest.contains("SUCCESS") || rest.contains(" FAILED"))?;
        let failed =
            rest.split_once(" FAILED").and_then(|(before, _)| number(before.rsplit(['(', ' ']).next()?));
        let skipped = behind(rest, "(skipped ").unwrap_or(0);
        let failed = failed.unwrap_or(0);
        let report = Report::of_total(sum([executed, skipped]), failed, skipped);
        Some(report.failed_if(rest.contains(" FAILED")))
    })
}

/// `10 examples, 1 failure, 2 pending`, `8 tests, 0 failures`, `5 runs, 9 assertions, 1 failures, 0 errors, 2 skips`,
/// `5 specs, 0 failures`: RSpec, ExUnit, Minitest, test-unit, Jasmine, Bats, hspec, kaocha. Several apps of an umbrella
/// have a line each.
pub fn listed(lines: &[&str], units: &[&str], several: bool) -> Option<Report> {
    let read = |line: &str| examples(line.trim_start(), units);
    let report = if several { every(lines, read) } else { last(lines, read) };
    report.map(|report| report.failed_if(lacks_coverage(lines)))
}

/// `OK (5 tests, 9 assertions)`, `Tests: 5, Assertions: 9, Failures: 1.`
pub fn phpunit(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        if line.starts_with("No tests executed!") {
            return Some(Report::nothing());
        }
        if let Some(rest) = line.strip_prefix("OK (") {
            let (count, rest) = rest.split_once(" test")?;
            rest.contains("assertion").then_some(())?;
            return Some(Report::of_total(number(count)?, 0, 0));
        }
        line.strip_prefix("Tests: ").filter(|rest| rest.contains("Assertions: "))?;
        let value = |name| behind(line, name).unwrap_or(0);
        let skipped = sum([value("Skipped: "), value("Incomplete: ")]);
        Some(Report::of_total(
            behind(line, "Tests: ")?,
            sum([value("Failures: "), value(" Errors: ")]),
            skipped,
        ))
    })
}

/// Pest and `artisan test`: `Tests:    1 failed, 5 passed (9 assertions)`.
pub fn pest(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let rest = line.trim_start().strip_prefix("Tests:")?;
        let counts = counted(rest);
        let counts =
            ReportedCounts { skipped: sum([counts.skipped, behind_word(rest, "incomplete")]), ..counts };
        // Jest's line is alike but for its total.
        (!rest.contains("Assertions: ") && !rest.ends_with(" total") && counts != ReportedCounts::default())
            .then(|| Report::counted(counts))
    })
}

fn behind_word(line: &str, word: &str) -> u64 {
    line.split(", ").find_map(|part| number(part.trim().strip_suffix(word)?.trim())).unwrap_or(0)
}

/// Cucumber and Behat: `3 scenarios (1 failed, 2 passed)`; behave: `3 scenarios passed, 0 failed, 0 skipped`.
pub fn scenarios(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let (total, rest) = line.split_once(" scenario")?;
        let total = number(total.trim())?;
        let rest = rest.trim_start_matches('s').trim_start();
        if total == 0 {
            return Some(Report::nothing());
        }
        match rest.strip_prefix("passed, ") {
            Some(others) => {
                let others = counted(others);
                Some(Report::counted(ReportedCounts { passed: total, ..others }))
            }
            // Undefined and pending steps fail a strict run only.
            None => rest.starts_with('(').then(|| Report::counted(counted(rest))),
        }
    })
}

/// `BUILD SUCCESS`, `BUILD FAILURE`; a summary of every module, which has no time at its end as classes have.
pub fn maven(lines: &[&str]) -> Option<Report> {
    let plain = |line: &str| {
        ["[INFO]", "[ERROR]", "[WARNING]"]
            .iter()
            .find_map(|level| line.strip_prefix(level))
            .unwrap_or(line)
            .trim_start()
            .to_owned()
    };
    let report = last(lines, |line| verdict(&plain(line), "BUILD SUCCESS", "BUILD FAILURE"))?;
    let counts = every(lines, |line| {
        let line = plain(line);
        line.strip_prefix("Tests run: ").filter(|rest| !rest.contains("Time elapsed"))?;
        let failed = sum([behind(&line, "Failures: ")?, behind(&line, "Errors: ")?]);
        Some(Report::of_total(behind(&line, "Tests run: ")?, failed, behind(&line, "Skipped: ")?))
    });
    Some(Report { counts: counts.and_then(|counts| counts.counts), ..report })
}

/// `BUILD SUCCESSFUL in 3s`, `BUILD FAILED in 3s`; `5 tests completed, 1 failed, 1 skipped` where some failed.
pub fn gradle(lines: &[&str]) -> Option<Report> {
    let report = last(lines, |line| verdict(line, "BUILD SUCCESSFUL", "BUILD FAILED"))?;
    let counts = every(lines, |line| {
        let (total, rest) = line.split_once(" test")?;
        let rest = rest.trim_start_matches('s').strip_prefix(" completed, ")?;
        let others = counted(rest);
        Some(Report::of_total(number(total)?, others.failed, others.skipped))
    });
    Some(Report { counts: counts.and_then(|counts| counts.counts), ..report })
}

/// `100% tests passed, 0 tests failed out of 5`.
pub fn ctest(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        if line.starts_with("No tests were found") {
            return Some(Report::nothing());
        }
        let (_, rest) = line.split_once("% tests passed, ")?;
        let (failed, total) = rest.split_once(" failed out of ")?;
        let failed = failed.strip_suffix(" tests").or_else(|| failed.strip_suffix(" test"))?;
        Some(Report::of_total(number(total)?, number(failed)?, 0))
    })
}

/// One line a project: `Passed!  - Failed: 0, Passed: 5, Skipped: 0, Total: 5`; with `-v n` lines of one count each;
/// since .NET 9 `Test summary: total: 5, failed: 1, succeeded: 4, skipped: 0`, since .NET 10 also in lines.
pub fn dotnet(lines: &[&str]) -> Option<Report> {
    let projects = every(lines, |line| {
        let rest = line.strip_prefix("Passed!").or_else(|| line.strip_prefix("Failed!"))?;
        let value = |name| behind(rest, name);
        let (passed, failed) = value(" Passed:").zip(value(" Failed:"))?;
        let counts = ReportedCounts { passed, failed, skipped: value(" Skipped:").unwrap_or(0) };
        Some(Report::counted(counts).failed_if(line.starts_with("Failed!")))
    });
    let value = |text: &str, name| behind(text, name).unwrap_or(0);
    let summary = || {
        every(lines, |line| {
            let rest = line.trim_start().strip_prefix("Test summary: total: ")?;
            let (failed, skipped) = (value(rest, "failed: "), value(rest, "skipped: "));
            Some(Report::of_total(leading(rest)?, failed, skipped))
        })
    };
    let in_lines = || {
        let place = lines
            .iter()
            .rposition(|line| line.starts_with("Test run summary: ") || line.starts_with("Total tests: "))?;
        let after = lines.get(place..)?.iter().take(8).map(|line| line.trim()).collect::<Vec<_>>().join("\n");
        let total = behind(&after, "Total tests: ").or_else(|| behind(&after, "total: "))?;
        let failed = value(&after, "Failed: ").max(value(&after, "failed: "));
        let skipped = value(&after, "Skipped: ").max(value(&after, "skipped: "));
        Some(Report::of_total(total, failed, skipped))
    };
    let failed = lines
        .iter()
        .any(|line| line.starts_with("Test Run Failed.") || line.starts_with("Test run summary: Failed"));
    let report = projects.or_else(summary).or_else(in_lines);
    report.map(|report| report.failed_if(failed))
}

/// XCTest: `Executed 5 tests, with 1 test skipped and 1 failure (0 unexpected)`, the last of them is of all; Swift
/// Testing: `Test run with 5 tests in 2 suites passed after 0.1 seconds.` Both run in one command.
pub fn swift(lines: &[&str]) -> Option<Report> {
    let old = last(lines, |line| {
        let (count, rest) = line.trim_start().strip_prefix("Executed ")?.split_once(" test")?;
        let told = rest.split_once("with ")?.1;
        let failures = told.split_once(" failure")?.0.rsplit(' ').next()?;
        let skipped = told.split_once(" skipped").and_then(|(before, _)| leading(before)).unwrap_or(0);
        Some(Report::of_total(number(count)?, number(failures)?, skipped))
    });
    let new = last(lines, |line| {
        let rest = line.split_once("Test run with ")?.1;
        let count = leading(rest)?;
        if rest.contains(" passed after ") {
            return Some(Report::of_total(count, 0, 0));
        }
        rest.contains(" failed after ").then(|| Report::of(false))
    });
    let ended = last(lines, |line| verdict(line, "** TEST SUCCEEDED **", "** TEST FAILED **"));
    let failed = ended.is_some_and(|ended| ended.is_failed());
    merged(old.into_iter().chain(new)).map(|report| report.failed_if(failed)).or(ended)
}

/// `ok | 5 passed | 0 failed (3ms)`.
pub fn deno(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let failed = line.strip_prefix("FAILED | ");
        let rest = line.strip_prefix("ok | ").or(failed)?;
        Some(Report::counted(counted(rest)).failed_if(failed.is_some()))
    })
}

//! How test commands of build tools and of the smaller ecosystems end, and what hooks say.

use super::tally::{Report, add, behind, counted, every, examples, last, leading, number, sum, verdict};
use crate::evidence::command::observation::ReportedCounts;

/// `Executed 2 out of 3 tests: 2 tests pass and 1 fails locally.`
pub fn bazel(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let (_, rest) = line.strip_prefix("Executed ")?.split_once(" out of ")?;
        let (total, told) = rest.split_once(" test")?;
        number(total)?;
        let mut counts = ReportedCounts::default();
        for part in told.split_once(": ")?.1.split([',', '.']).flat_map(|part| part.split(" and ")) {
            let Some(count) = leading(part) else { continue };
            let one = if part.contains(" pass") {
                ReportedCounts { passed: count, ..ReportedCounts::default() }
            } else if part.contains(" fail") {
                ReportedCounts { failed: count, ..ReportedCounts::default() }
            } else if part.contains("skipped") {
                ReportedCounts { skipped: count, ..ReportedCounts::default() }
            } else {
                continue;
            };
            add(&mut counts, one);
        }
        Some(Report::counted(counts))
    })
}

/// `Tests finished: Pass 5. Fail 1. Fatal 0. Skip 0. Build failure 0`.
pub fn buck(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let rest = line.split_once("Tests finished: ")?.1;
        let value = |name| behind(rest, name).unwrap_or(0);
        let failed = sum([value("Fail "), value("Fatal "), value("Timeout "), value("Build failure ")]);
        Some(Report::counted(ReportedCounts {
            passed: behind(rest, "Pass ")?,
            failed,
            skipped: sum([value("Skip "), value("Omit ")]),
        }))
    })
}

/// `Ok: 5`, `Fail: 1`, `Timeout: 0` in lines of their own.
pub fn meson(lines: &[&str]) -> Option<Report> {
    // Before 0.55 in capitals, and `SKIP` for `Skipped`.
    let value = |name: &str| {
        lines.iter().rev().find_map(|line| {
            let (own, count) = line.trim().split_once(':')?;
            own.eq_ignore_ascii_case(name).then(|| number(count.trim()))?
        })
    };
    let rare = |name| value(name).unwrap_or(0);
    let passed = sum([value("Ok")?, rare("Expected Fail")]);
    let failed = sum([value("Fail")?, rare("Unexpected Pass"), rare("Timeout")]);
    let skipped = sum([rare("Skipped"), rare("Skip")]);
    Some(Report::counted(ReportedCounts { passed, failed, skipped }))
}

/// `[info] Passed: Total 5, Failed 0, Errors 0, Passed 5` of every project, `[error] Failed: Total …`.
pub fn sbt(lines: &[&str]) -> Option<Report> {
    let counts = every(lines, |line| {
        let line = line.trim_start_matches("[info] ").trim_start_matches("[error] ");
        let rest = line.strip_prefix("Passed: Total ").or_else(|| line.strip_prefix("Failed: Total "))?;
        let value = |name| behind(rest, name).unwrap_or(0);
        let failed = sum([value("Failed "), value("Errors ")]);
        let skipped = sum([value("Ignored "), value("Skipped "), value("Canceled "), value("Pending ")]);
        Some(Report::counted(ReportedCounts { passed: value("Passed "), failed, skipped }))
    });
    let failed = lines.iter().any(|line| {
        line.starts_with("[error] (") && line.contains("Tests unsuccessful")
            || line.starts_with("[error] (") && line.contains("TestsFailedException")
            || line.contains("Compilation failed")
    });
    match counts {
        Some(report) => Some(report.failed_if(failed)),
        None => failed.then(|| Report::of(false)),
    }
}

/// `All 5 tests passed.`, `4 passed; 0 skipped; 1 failed.`, with `zig build`: `3/3 steps succeeded; 5/5 tests passed`.
pub fn zig(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        if let Some(rest) = line.strip_prefix("All ") {
            let (count, rest) = rest.split_once(" tests ")?;
            return rest.starts_with("passed.").then(|| Report::of_total(number(count).unwrap_or(0), 0, 0));
        }
        if let Some(rest) = line.strip_prefix("Build Summary: ") {
            let tests = rest.split("; ").find_map(|part| {
                let (passed, total) = part.split_once(" tests passed")?.0.split_once('/')?;
                number(passed).zip(number(total))
            });
            let steps = rest.split_once(" steps succeeded")?.0.split_once('/')?;
            let report = Report::of(steps.0 == steps.1);
            return Some(match tests {
                Some((passed, total)) => {
                    let skipped = behind_word(rest, " skipped");
                    let failed = total.saturating_sub(passed).saturating_sub(skipped);
                    let counts = ReportedCounts { passed, failed, skipped };
                    Report { counts: Some(counts), ..report }.failed_if(failed > 0)
                }
                None => report,
            });
        }
        let whole = line.contains(" passed; ") && line.contains(" skipped; ") && line.ends_with(" failed.");
        whole.then(|| Report::counted(counted(line)))
    })
}

fn behind_word(line: &str, word: &str) -> u64 {
    line.split("; ").find_map(|part| number(part.strip_suffix(word)?)).unwrap_or(0)
}

/// Dart and Flutter: `00:02 +4 ~1 -1: Some tests failed.`
pub fn dart(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        if line.starts_with("No tests ran.") {
            return Some(Report::nothing());
        }
        let (head, said) = line.split_once(": ")?;
        let mut counts = ReportedCounts::default();
        for word in head.split(' ').skip(1) {
            match (word.get(..1)?, number(word.get(1..)?)?) {
                ("+", count) => counts.passed = count,
                ("~", count) => counts.skipped = count,
                ("-", count) => counts.failed = count,
                _ => return None,
            }
        }
        match said {
            "All tests passed!" => Some(Report::counted(counts)),
            "Some tests failed." => Some(Report::counted(counts).failed_if(true)),
            "All tests skipped." => Some(Report { counts: Some(counts), ..Report::of(true) }),
            "No tests ran." => Some(Report::nothing()),
            _ => None,
        }
    })
}

/// `TEST RUN PASSED`, then `Passed:   5` and `Failed:   0`.
pub fn elm(lines: &[&str]) -> Option<Report> {
    let place = lines.iter().rposition(|line| line.starts_with("TEST RUN "))?;
    let after = lines.get(place..)?;
    let value = |name: &str| after.iter().find_map(|line| number(line.strip_prefix(name)?.trim()));
    let passed = after.first().is_some_and(|line| line.starts_with("TEST RUN PASSED"));
    let counts = value("Passed:").zip(value("Failed:")).map(|(passed, failed)| {
        let skipped = sum([value("Todo:"), value("Skipped:")].map(Option::unwrap_or_default));
        ReportedCounts { passed, failed, skipped }
    });
    Some(Report { counts, ..Report::of(passed) })
}

/// `Ran 5 tests containing 9 assertions.`, then `0 failures, 1 errors.`; kaocha: `5 tests, 9 assertions, 0 failures.`
pub fn clojure(lines: &[&str]) -> Option<Report> {
    let place =
        lines.iter().rposition(|line| line.starts_with("Ran ") && line.contains(" tests containing "));
    let Some(place) = place else { return last(lines, |line| examples(line, &["test"])) };
    let total = behind(lines.get(place)?, "Ran ")?;
    let after = lines.get(place + 1)?;
    let failed = behind_each(after)?;
    // Failures are of assertions, of which a test may hold several.
    let failed_tests = failed.min(total);
    Some(Report::of_total(total, failed_tests, 0).failed_if(failed > 0))
}

fn behind_each(line: &str) -> Option<u64> {
    let (failures, rest) = line.split_once(" failures, ")?;
    Some(sum([number(failures)?, leading(rest)?]))
}

/// `5 successes / 1 failure / 0 errors / 0 pending : 0.001 seconds`.
pub fn busted(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let whole = line.contains(" success") && line.contains(" / ") && line.contains(" pending : ");
        whole.then(|| Report::counted(counted(&line.replace("success ", "successes "))))
    })
}

/// hspec as RSpec; tasty `All 5 tests passed (0.00s)`, `1 out of 5 tests failed`; cabal `1 of 2 test suites (…) passed.`
pub fn haskell(lines: &[&str]) -> Option<Report> {
    let inner = last(lines, |line| {
        if let Some(rest) = line.strip_prefix("All ") {
            let (count, rest) = rest.split_once(" tests passed")?;
            return rest.starts_with(" (").then(|| Report::of_total(number(count).unwrap_or(0), 0, 0));
        }
        if let Some((failed, rest)) = line.split_once(" out of ") {
            let total = leading(rest).filter(|_| rest.contains(" tests failed"))?;
            return Some(Report::of_total(total, number(failed)?, 0));
        }
        examples(line.trim_start(), &["example"])
    });
    let suites = last(lines, |line| {
        let (passed, rest) = line.split_once(" of ")?;
        let total = leading(rest).filter(|_| rest.contains(" test suite") && rest.ends_with(" passed."))?;
        Some(Report::of(number(passed)? == total))
    });
    match (inner, suites) {
        (Some(inner), suites) => Some(inner.failed_if(suites.is_some_and(|suites| suites.is_failed()))),
        (None, suites) => suites,
    }
}

/// `DONE 5 tests, 1 skipped, 1 failure in 0.1s`.
pub fn gotestsum(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let rest = line.strip_prefix("DONE ")?;
        let total = leading(rest).filter(|_| rest.contains(" test"))?;
        let others = counted(rest.rsplit_once(" in ")?.0);
        Some(Report::of_total(total, others.failed, others.skipped))
    })
}

/// Ginkgo: `SUCCESS! -- 5 Passed | 0 Failed | 0 Pending | 0 Skipped`.
pub fn ginkgo(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let (verdict, rest) = line.split_once("! -- ")?;
        let failed = verdict.starts_with("FAIL");
        (failed || verdict.starts_with("SUCCESS"))
            .then(|| Report::counted(counted(&rest.to_ascii_lowercase())).failed_if(failed))
    })
}

/// `✕ src/a:tests failed in 1.2s.` among lines of every target.
pub fn pants(lines: &[&str]) -> Option<Report> {
    every(lines, |line| {
        if line.starts_with("✕ ") && line.contains(" failed") {
            return Some(Report::of(false));
        }
        (line.starts_with("✓ ") && line.contains(" succeeded")).then(|| Report::of(true))
    })
}

/// `ruff.....Passed`, one line a hook.
pub fn hooks(lines: &[&str]) -> Option<Report> {
    every(lines, |line| {
        let (_, word) = line.rsplit_once("..")?;
        match word.trim_start_matches(['.', ')']) {
            "Passed" => Some(Report::of(true)),
            "Failed" => Some(Report::of(false)),
            _ => None,
        }
    })
}

/// Runners of other projects' scripts, which say how those ended: nx, turbo, lerna, tox and nox.
pub fn scripts(lines: &[&str]) -> Option<Report> {
    let nx = |line: &str| {
        let rest = line.trim_start().strip_prefix("NX ")?.trim_start();
        if rest.starts_with("Successfully ran target") {
            return Some(Report::of(true));
        }
        ((rest.starts_with("Running target") || rest.starts_with("Ran target")) && rest.ends_with("failed"))
            .then(|| Report::of(false))
    };
    let turbo = |line: &str| {
        let rest = line.trim_start().strip_prefix("Tasks:")?.trim_start();
        let (done, rest) = rest.split_once(" successful, ")?;
        Some(Report::of(number(done)? == leading(rest)?))
    };
    let tox = |line: &str| verdict(line.trim_start(), "congratulations :)", "evaluation failed :(");
    last(lines, |line| {
        nx(line)
            .or_else(|| turbo(line))
            .or_else(|| tox(line))
            .or_else(|| line.starts_with("lerna success run ").then(|| Report::of(true)))
            .or_else(|| line.starts_with("lerna ERR! ").then(|| Report::of(false)))
    })
}

//! Facts about closing lines, one runner after another.

use super::closing::{Closing, Report, read};
use super::observation::{Outcome, ReportedCounts};

fn told(passed: u64, failed: u64, skipped: u64) -> Option<Report> {
    let outcome = if failed == 0 { Outcome::Passed } else { Outcome::Failed };
    Some(Report { outcome, counts: Some(ReportedCounts { passed, failed, skipped }) })
}

const PASSED: Option<Report> = Some(Report { outcome: Outcome::Passed, counts: None });
const FAILED: Option<Report> = Some(Report { outcome: Outcome::Failed, counts: None });

#[test]
fn every_runner_is_understood() {
    use Closing as C;
    for (closing, text, report) in [
        (
            C::Cargo,
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\n\ntest result: ok. 2 passed; 0 failed; 0 ignored;",
            told(5, 0, 1),
        ),
        (
            C::Cargo,
            "test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\nerror: test failed, to rerun pass `--lib`",
            told(3, 1, 0),
        ),
        (
            C::Cargo,
            "error[E0425]: x\nerror: could not compile `demo` (lib test) due to 1 previous error",
            FAILED,
        ),
        (C::CargoBuild, "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.27s", PASSED),
        (C::CargoBuild, "error: could not compile `demo` (lib) due to 2 previous errors", FAILED),
        (C::Nextest, "     Summary [   0.012s] 5 tests run: 3 passed, 1 failed, 1 skipped", told(3, 1, 1)),
        (C::Pytest, "==== 3 passed, 1 failed, 2 skipped, 4 warnings in 0.12s ====", told(3, 1, 2)),
        (C::Pytest, "1 failed, 2 errors in 1.50s", told(0, 3, 0)),
        (C::Pytest, "3 passed in 65.00s (0:01:05)", told(3, 0, 0)),
        (C::Pytest, "===== no tests ran in 0.01s =====", None),
        (C::Pytest, "2 deselected in 0.01s", None),
        (C::Unittest, "Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)", told(1, 2, 1)),
        (C::Unittest, "Ran 1 test in 0.000s\n\nOK", told(1, 0, 0)),
        (C::Unittest, "Ran 5 tests in 0.000s\n\nOK (skipped=2)", told(3, 0, 2)),
        (C::Unittest, "Ran 5 tests in 0.000s", None),
        (C::Go, "ok  \ta\t0.1s\n--- FAIL: TestX\nFAIL\tb\t0.2s\nFAIL", FAILED),
        (C::Go, "ok  \ta\t0.1s\n?   \tb\t[no test files]", PASSED),
        (
            C::Jest,
            "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 5 passed, 8 total",
            told(5, 1, 2),
        ),
        (
            C::Jest,
            "Test Suites: 1 failed, 1 total\nTests:       5 passed, 5 total",
            Some(Report {
                outcome: Outcome::Failed,
                counts: Some(ReportedCounts { passed: 5, failed: 0, skipped: 0 }),
            }),
        ),
        (
            C::Vitest,
            " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 5 passed | 1 skipped (7)",
            told(5, 1, 1),
        ),
        (
            C::Vitest,
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m5 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (5)\u{1b}[39m",
            told(5, 0, 0),
        ),
        (C::Mocha, "  5 passing (20ms)\n  2 pending\n  1 failing", told(5, 1, 2)),
        (C::Playwright, "  1 failed\n    a.spec.ts\n  5 passed (3.2s)", told(5, 1, 0)),
        (C::Bun, " 5 pass\n 1 fail\nRan 6 tests across 1 file.", told(5, 1, 0)),
        (C::Rspec, "10 examples, 1 failure, 2 pending", told(7, 1, 2)),
        (C::ExUnit, "1 doctest, 8 tests, 0 failures, 1 skipped", told(8, 0, 1)),
        (C::Phpunit, "OK (5 tests, 9 assertions)", told(5, 0, 0)),
        (C::Phpunit, "Tests: 5, Assertions: 9, Errors: 1, Failures: 1, Skipped: 1.", told(2, 2, 1)),
        (
            C::Maven,
            "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1\n[INFO] BUILD FAILURE",
            told(3, 1, 1),
        ),
        (C::Gradle, "BUILD SUCCESSFUL in 3s", PASSED),
        (C::Gradle, "BUILD FAILED in 3s", FAILED),
        (C::Ctest, "80% tests passed, 1 tests failed out of 5", told(4, 1, 0)),
        (C::Dotnet, "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6", told(5, 0, 1)),
        (C::Swift, "Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds", told(4, 1, 0)),
        (C::Deno, "FAILED | 4 passed | 1 failed (12ms)", told(4, 1, 0)),
        (C::NodeTest, "# tests 6\n# pass 5\n# fail 1\n# skipped 0", told(5, 1, 0)),
        (C::Ruff, "All checks passed!", PASSED),
        (C::Ruff, "Found 2 errors.", FAILED),
        (C::Mypy, "Success: no issues found in 3 source files", PASSED),
        (C::Mypy, "Found 1 error in 1 file (checked 3 source files)", FAILED),
        (C::Pyright, "0 errors, 2 warnings, 0 informations", PASSED),
        (C::Eslint, "✖ 5 problems (0 errors, 5 warnings)", PASSED),
        (C::Tsc, "Found 3 errors in 2 files.", FAILED),
        (C::Driver, "Tests:       5 passed, 5 total", told(5, 0, 0)),
        (
            C::Driver,
            "1 passed in 0.10s\nmake: *** [Makefile:3: lint] Error 1",
            Some(Report {
                outcome: Outcome::Failed,
                counts: Some(ReportedCounts { passed: 1, failed: 0, skipped: 0 }),
            }),
        ),
        (C::Driver, "Ran 1 test in 0.0s\n\nOK\n5 passed in 0.1s", None),
        (C::Silent, "test result: ok. 1 passed", None),
    ] {
        assert_eq!(read(closing, text), report, "{closing:?} {text}");
    }
}

#[test]
fn only_the_end_of_a_long_output_is_read() {
    let early = format!("3 passed in 0.1s\n{}", "é\n".repeat(20_000));
    assert_eq!(read(Closing::Pytest, &early), None);
    let late = format!("{}3 passed in 0.1s", "é\n".repeat(20_000));
    assert_eq!(read(Closing::Pytest, &late), told(3, 0, 0));
}

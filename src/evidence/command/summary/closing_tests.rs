//! Facts about closing lines, one runner after another. Where versions write differently, the version stands beside
//! its line.

use super::closing::{Closing as C, read};
use super::tally::Report;
use crate::evidence::command::observation::{Outcome, ReportedCounts};

pub(super) fn told(passed: u64, failed: u64, skipped: u64) -> Option<Report> {
    Some(Report::counted(ReportedCounts { passed, failed, skipped }))
}

/// The runner fails although no test did, or more than its numbers say.
pub(super) fn failed_with(passed: u64, failed: u64, skipped: u64) -> Option<Report> {
    told(passed, failed, skipped).map(|report| report.failed_if(true))
}

pub(super) const PASSED: Option<Report> = Some(Report { outcome: Some(Outcome::Passed), counts: None });
pub(super) const FAILED: Option<Report> = Some(Report { outcome: Some(Outcome::Failed), counts: None });
pub(super) const NOTHING: Option<Report> =
    Some(Report { outcome: None, counts: Some(ReportedCounts { passed: 0, failed: 0, skipped: 0 }) });

pub(super) fn check(table: &[(C, &str, Option<Report>)]) {
    for (closing, text, expected) in table {
        assert_eq!(read(*closing, text).map(|ending| ending.report), *expected, "{closing:?} {text}");
    }
}

#[test]
fn rust() {
    let suite = "running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s\n";
    let docs = "   Doc-tests demo\n\nrunning 1 test\ntest src/lib.rs - add (line 3) ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.21s\n";
    let bad = "test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`";
    let none = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out; finished in 0.00s";
    check(&[
        (C::Cargo, &format!("{suite}{docs}"), told(3, 0, 0)),
        (C::Cargo, &format!("{suite}{bad}"), told(5, 1, 1)),
        (C::Cargo, &format!("{suite}\r\n{docs}").replace('\n', "\r\n"), told(3, 0, 0)),
        (C::Cargo, none, told(0, 0, 0)),
        (
            C::Cargo,
            "error[E0425]: x\nerror: could not compile `demo` (lib test) due to 1 previous error",
            FAILED,
        ),
        // `--no-fail-fast`.
        (C::Cargo, &format!("{suite}error: 1 target failed:\n    `-p demo --test b`"), failed_with(2, 0, 0)),
        (C::Cargo, &format!("{suite}error: doctest failed, to rerun pass `--doc`"), failed_with(2, 0, 0)),
        // Ended by a signal: no line of the crate.
        (
            C::Cargo,
            "running 1 test\nerror: test failed, to rerun pass `--lib`\n\nCaused by:\n  process didn't exit successfully: `x` (signal: 6, SIGABRT: process abort signal)",
            FAILED,
        ),
        // What a test prints is no result line.
        (C::Cargo, "test result: fine", None),
        (
            C::Cargo,
            "\u{1b}[1mtest result: \u{1b}[32mok\u{1b}[0m. 1 passed; 0 failed; 0 ignored;",
            told(1, 0, 0),
        ),
        (C::CargoBuild, "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.27s", PASSED),
        // Before 1.79.
        (C::CargoBuild, "    Finished dev [unoptimized + debuginfo] target(s) in 0.27s", PASSED),
        (C::CargoBuild, "error: could not compile `demo` (lib) due to 2 previous errors", FAILED),
        (C::Nextest, "     Summary [   0.012s] 5 tests run: 3 passed, 1 failed, 1 skipped", told(3, 1, 1)),
        (
            C::Nextest,
            "     Summary [   0.012s] 4/9 tests run: 2 passed, 1 failed, 1 timed out, 5 skipped",
            told(2, 2, 5),
        ),
        (
            C::Nextest,
            "     Summary [   0.012s] 2 tests run: 1 passed (1 flaky), 1 exec failed, 0 skipped\nerror: test run failed",
            told(1, 1, 0),
        ),
        (C::Nextest, "    Starting 0 tests across 1 binary\nerror: no tests to run", NOTHING),
        (C::Nextest, "error: could not compile `demo` (lib test) due to 1 previous error", FAILED),
    ]);
}

#[test]
fn python() {
    check(&[
        (C::Pytest, "==== 3 passed, 1 failed, 2 skipped, 4 warnings in 0.12s ====", told(3, 1, 2)),
        (C::Pytest, "1 failed, 2 errors in 1.50s", told(0, 3, 0)),
        (C::Pytest, "3 passed in 65.00s (0:01:05)", told(3, 0, 0)),
        (C::Pytest, "===== 4 passed, 1 xfailed, 1 xpassed, 2 rerun in 0.10s =====", told(5, 0, 1)),
        // Before 3.0 `seconds`.
        (C::Pytest, "===== 1 failed, 2 passed in 0.10 seconds =====", told(2, 1, 0)),
        (
            C::Pytest,
            "!!!! Interrupted: 1 error during collection !!!!\n==== 1 error in 0.05s ====",
            told(0, 1, 0),
        ),
        (C::Pytest, "===== no tests ran in 0.01s =====", NOTHING),
        (C::Pytest, "2 deselected in 0.01s", NOTHING),
        (
            C::Pytest,
            "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%\n=== 3 passed in 0.1s ===",
            failed_with(3, 0, 0),
        ),
        // A subprocess in the middle; the last one counts.
        (C::Pytest, "1 failed in 0.1s\n----\n==== 2 passed in 0.20s ====", told(2, 0, 0)),
        (C::Pytest, "INTERNALERROR> x", None),
        (C::Unittest, "Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)", told(1, 2, 1)),
        (C::Unittest, "Ran 4 tests in 0.001s\n\nFAILED (errors=1, expected failures=2)", told(1, 1, 2)),
        (C::Unittest, "Ran 4 tests in 0.001s\n\nFAILED (unexpected successes=1)", told(3, 1, 0)),
        (C::Unittest, "Ran 1 test in 0.000s\n\nOK", told(1, 0, 0)),
        (C::Unittest, "Ran 5 tests in 0.000s\n\nOK (skipped=2)\nDestroying test database", told(3, 0, 2)),
        (C::Unittest, "Ran 5 tests in 0.000s", None),
        (C::Unittest, "Ran 0 tests in 0.000s\n\nOK", told(0, 0, 0)),
        // Since 3.12.
        (C::Unittest, "Ran 0 tests in 0.000s\n\nNO TESTS RAN", NOTHING),
        (
            C::Scenarios,
            "1 feature passed, 0 failed, 0 skipped\n3 scenarios passed, 1 failed, 2 skipped\n9 steps passed",
            told(3, 1, 2),
        ),
        (C::Ruff, "All checks passed!", PASSED),
        (C::Ruff, "Found 2 errors.", FAILED),
        (C::Ruff, "Found 2 errors (2 fixed, 0 remaining).", PASSED),
        (C::Ruff, "Found 2 errors (1 fixed, 1 remaining).", FAILED),
        (C::Formatted, "1 file would be reformatted, 2 files already formatted", FAILED),
        (C::Formatted, "3 files already formatted", PASSED),
        (C::Formatted, "All done! ✨ 🍰 ✨\n3 files would be left unchanged.", PASSED),
        (
            C::Formatted,
            "Oh no! 💥 💔 💥\n1 file would be reformatted, 2 files would be left unchanged.",
            FAILED,
        ),
        (C::Mypy, "Success: no issues found in 3 source files", PASSED),
        (C::Mypy, "Found 1 error in 1 file (checked 3 source files)", FAILED),
        (C::Pyright, "0 errors, 2 warnings, 0 informations", PASSED),
        (C::Pyright, "1 error, 0 warnings, 0 notes", FAILED),
        (C::Ty, "Found 3 diagnostics", FAILED),
        (
            C::Hooks,
            "ruff.....................Passed\nmypy.....................(no files to check)Skipped",
            PASSED,
        ),
        (
            C::Hooks,
            "ruff.....................Failed\n- hook id: ruff\nmypy.....................Passed",
            FAILED,
        ),
    ]);
}

#[test]
fn javascript() {
    check(&[
        (
            C::Jest,
            "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 1 todo, 5 passed, 9 total\nSnapshots:   0 total\nTime:        1.2 s\nRan all test suites.",
            told(5, 1, 3),
        ),
        // A suite that does not compile has no tests.
        (
            C::Jest,
            "Test Suites: 1 failed, 1 passed, 2 total\nTests:       5 passed, 5 total",
            failed_with(5, 0, 0),
        ),
        (
            C::Jest,
            "Tests:       5 passed, 5 total\nJest: \"global\" coverage threshold for lines (80%) not met: 50%",
            failed_with(5, 0, 0),
        ),
        (C::Jest, "No tests found, exiting with code 1", NOTHING),
        // Of a watched run the last round counts.
        (C::Jest, "Tests:       1 failed, 1 total\n\nTests:       1 passed, 1 total", told(1, 0, 0)),
        (
            C::Vitest,
            " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 5 passed | 1 skipped (7)\n   Start at  10:00:00",
            told(5, 1, 1),
        ),
        (
            C::Vitest,
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m5 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (5)\u{1b}[39m",
            told(5, 0, 0),
        ),
        (C::Vitest, " Test Files  1 failed (1)\n      Tests  no tests", failed_with(0, 0, 0)),
        (
            C::Vitest,
            " Test Files  1 passed (1)\n      Tests  1 passed (1)\n     Errors  1 error",
            failed_with(1, 0, 0),
        ),
        (C::Vitest, "No test files found, exiting with code 1", NOTHING),
        (C::Mocha, "  5 passing (20ms)\n  2 pending\n  1 failing\n\n  1) adds", told(5, 1, 2)),
        (C::Mocha, "  1 failing\n\n  2 passing (3ms)", told(2, 0, 0)),
        (
            C::Playwright,
            "  1 failed\n    a.spec.ts:3:1 › adds\n  1 flaky\n    b.spec.ts\n  2 skipped\n  5 passed (3.2s)",
            told(6, 1, 2),
        ),
        (
            C::Playwright,
            "  2 passed (1.2m)\n  1 error was not a part of any test, see above for details",
            failed_with(2, 0, 0),
        ),
        (C::Playwright, "Error: No tests found", NOTHING),
        (
            C::Cypress,
            "    ✔  All specs passed!                        00:05        3        3        -        -        -",
            told(3, 0, 0),
        ),
        (
            C::Cypress,
            "    ✖  1 of 2 failed (50%)                      00:05        6        3        1        1        1",
            told(3, 1, 2),
        ),
        (
            C::Karma,
            "Chrome Headless 120.0.0.0 (Linux x86_64): Executed 5 of 5 SUCCESS (0.1 secs / 0.05 secs)",
            told(5, 0, 0),
        ),
        (
            C::Karma,
            "Chrome 120 (Linux): Executed 3 of 5 (1 FAILED)\rChrome 120 (Linux): Executed 5 of 5 (2 FAILED) (0.1 secs / 0.05 secs)",
            told(3, 2, 0),
        ),
        (
            C::Karma,
            "Chrome 120 (Linux): Executed 4 of 5 (skipped 1) SUCCESS (0.1 secs / 0.05 secs)",
            told(4, 0, 1),
        ),
        (C::Jasmine, "5 specs, 1 failure, 2 pending specs", told(2, 1, 2)),
        (C::Ava, "  1 test failed\n  4 tests passed\n  1 known failure", told(4, 1, 1)),
        (
            C::Bun,
            " 5 pass\n 1 skip\n 1 fail\n 9 expect() calls\nRan 7 tests across 1 file. [12.00ms]",
            told(5, 1, 1),
        ),
        (
            C::Deno,
            "FAILED | 4 passed (2 steps) | 1 failed | 1 ignored (12ms)\n\nerror: Test failed",
            told(4, 1, 1),
        ),
        (C::Deno, "ok | 0 passed | 0 failed (3ms)", told(0, 0, 0)),
        (
            C::NodeTest,
            "# tests 6\n# suites 0\n# pass 5\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0",
            told(5, 1, 0),
        ),
        (C::NodeTest, "ℹ tests 6\nℹ pass 4\nℹ fail 0\nℹ cancelled 1\nℹ skipped 1", told(4, 1, 1)),
        // tape pads, and leaves out what is 0.
        (C::Tap, "1..3\n# tests 3\n# pass  3\n\n# ok", told(3, 0, 0)),
        (C::Tap, "1..3\n# tests 3\n# pass  2\n# fail  1", told(2, 1, 0)),
        // node-tap 16, then 18.
        (C::Tap, "Suites:   1 failed, 1 of 1 completed\nAsserts:  1 failed, 2 passed, of 3", told(2, 1, 0)),
        (C::Tap, "# { total: 4, pass: 2, fail: 1, skip: 1 }", told(2, 1, 1)),
        (C::Eslint, "✖ 5 problems (0 errors, 5 warnings)", PASSED),
        (C::Eslint, "✖ 1 problem (1 error, 0 warnings)", FAILED),
        (
            C::Eslint,
            "✖ 5 problems (0 errors, 5 warnings)\n\nESLint found too many warnings (maximum: 0).",
            FAILED,
        ),
        // stylelint before 16 has no sign.
        (C::Eslint, "3 problems (3 errors, 0 warnings)", FAILED),
        (C::Tsc, "Found 3 errors in 2 files.", FAILED),
        (C::Tsc, "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.", FAILED),
        (C::Tsc, "Found 0 errors. Watching for file changes.", PASSED),
        (C::Svelte, "svelte-check found 0 errors and 2 warnings in 1 file", PASSED),
        (C::Svelte, "svelte-check found 1 error and 0 warnings in 1 file", FAILED),
        (C::Oxlint, "Found 1 warning and 0 errors.\nFinished in 5ms on 3 files with 90 rules", PASSED),
        (C::Oxlint, "Found 0 warnings and 1 error.", FAILED),
        (C::Biome, "Checked 3 files in 5ms. No fixes applied.", PASSED),
        (C::Biome, "Checked 3 files in 5ms. No fixes applied.\nFound 1 error.", FAILED),
        (C::Prettier, "Checking formatting...\nAll matched files use Prettier code style!", PASSED),
        (
            C::Prettier,
            "[warn] a.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.",
            FAILED,
        ),
    ]);
}

#[test]
fn go_and_c() {
    check(&[
        (C::Go, "ok  \ta\t0.1s\n--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tb\t0.2s\nFAIL", FAILED),
        (C::Go, "ok  \ta\t0.1s\n?   \tb\t[no test files]", PASSED),
        (C::Go, "ok  \ta\t(cached)", PASSED),
        (C::Go, "# b\nb.go:1:1: x\nFAIL\tb [build failed]\nFAIL", FAILED),
        (
            C::Go,
            "=== RUN   TestX\n--- PASS: TestX (0.00s)\n--- SKIP: TestY (0.00s)\nPASS\nok  \ta\t0.1s",
            told(1, 0, 1),
        ),
        (
            C::Go,
            "=== RUN   TestX\n--- FAIL: TestX (0.00s)\n--- PASS: TestY (0.00s)\nFAIL\nFAIL\ta\t0.1s",
            told(1, 1, 0),
        ),
        (C::Go, "testing: warning: no tests to run\nPASS\nok  \ta\t0.1s [no tests to run]", told(0, 0, 0)),
        // A recovered panic that a test prints.
        (C::Go, "panic: printed\nok  \ta\t0.1s", PASSED),
        (C::Go, "panic: runtime error", FAILED),
        (
            C::Go,
            "{\"Action\":\"fail\",\"Package\":\"a\",\"Test\":\"TestX\"}\n{\"Action\":\"fail\",\"Package\":\"a\",\"Elapsed\":0.1}",
            FAILED,
        ),
        (C::Gotestsum, "DONE 5 tests, 1 skipped, 1 failure in 0.123s", told(3, 1, 1)),
        (
            C::Ginkgo,
            "Ran 5 of 6 Specs in 0.001 seconds\nFAIL! -- 4 Passed | 1 Failed | 0 Pending | 1 Skipped",
            told(4, 1, 1),
        ),
        (C::Golangci, "0 issues.", PASSED),
        (C::Golangci, "3 issues:\n* errcheck: 3", FAILED),
        (C::Ctest, "80% tests passed, 1 tests failed out of 5", told(4, 1, 0)),
        (
            C::Ctest,
            "100% tests passed, 0 tests failed out of 5\n\nTotal Test time (real) =   0.01 sec",
            told(5, 0, 0),
        ),
        (C::Ctest, "No tests were found!!!", NOTHING),
        (
            C::Meson,
            "Ok:                 5   \nExpected Fail:      0   \nFail:               1   \nUnexpected Pass:    0   \nSkipped:            2   \nTimeout:            1   ",
            told(5, 2, 2),
        ),
        (C::Meson, "OK:         1\nFAIL:       0\nSKIP:       2\nTIMEOUT:    0", told(1, 0, 2)),
        (C::Bazel, "Executed 2 out of 3 tests: 2 tests pass and 1 fails locally.", told(2, 1, 0)),
        (C::Bazel, "Executed 0 out of 1 test: 1 test passes.", told(1, 0, 0)),
        (C::Bazel, "Executed 0 out of 2 tests: 1 fails to build and 1 was skipped.", told(0, 1, 1)),
        (C::Buck, "Tests finished: Pass 5. Fail 1. Fatal 0. Skip 2. Build failure 0", told(5, 1, 2)),
        (C::Zig, "All 5 tests passed.", told(5, 0, 0)),
        (C::Zig, "4 passed; 1 skipped; 1 failed.", told(4, 1, 1)),
        (C::Zig, "Build Summary: 1/3 steps succeeded; 1 failed; 4/5 tests passed; 1 failed", told(4, 1, 0)),
        (C::Zig, "Build Summary: 3/3 steps succeeded; 5/5 tests passed", told(5, 0, 0)),
    ]);
}

#[test]
fn drivers_tell_their_own_complaint_or_what_exactly_one_runner_says() {
    check(&[
        (C::Driver, "Tests:       5 passed, 5 total", told(5, 0, 0)),
        (C::Driver, "1 passed in 0.10s\nmake: *** [Makefile:3: lint] Error 1", failed_with(1, 0, 0)),
        (C::Driver, "make: [Makefile:3: lint] Error 1 (ignored)\n1 passed in 0.10s", told(1, 0, 0)),
        (C::Driver, "Ran 1 test in 0.0s\n\nOK\n5 passed in 0.1s", None),
        (C::Driver, "npm ERR! Test failed.  See above for more details.", FAILED),
        (C::Driver, " ELIFECYCLE  Test failed. See above for more details.", FAILED),
        (C::Driver, "error: Recipe `test` failed on line 3 with exit code 1", FAILED),
        // Several workspaces.
        (
            C::Driver,
            "Tests:       1 failed, 1 total\n> b@1.0.0 test\nTests:       2 passed, 2 total",
            told(2, 1, 0),
        ),
        (C::Driver, "  py311: OK (1.23 seconds)\n  congratulations :) (1.30 seconds)", PASSED),
        (
            C::Driver,
            "=== 3 passed in 0.1s ===\n  py311: OK\n  lint: FAIL code 1\n  evaluation failed :( (0.52 seconds)",
            failed_with(3, 0, 0),
        ),
        (C::Driver, " NX   Successfully ran target test for 3 projects", PASSED),
        (C::Driver, " NX   Running target test for 3 projects failed", FAILED),
        (C::Driver, " Tasks:    2 successful, 3 total\nCached:    0 cached, 3 total", FAILED),
        (C::Driver, "lerna success run Ran npm script 'test' in 2 packages in 1.2s:", PASSED),
        (C::Driver, "5 runs, 9 assertions, 0 failures, 0 errors, 0 skips", told(5, 0, 0)),
        (C::Silent, "test result: ok. 1 passed; 0 failed; 0 ignored", None),
    ]);
}

#[test]
fn colours_links_and_overwritten_lines_are_not_read() {
    check(&[
        (
            C::Pytest,
            "\u{1b}[32m\u{1b}[1m===== 3 passed\u{1b}[0m\u{1b}[32m in 0.10s =====\u{1b}[0m",
            told(3, 0, 0),
        ),
        (
            C::Jest,
            "\u{1b}]8;;file:///a\u{1b}\\a.test.js\u{1b}]8;;\u{1b}\\\nTests:       1 passed, 1 total",
            told(1, 0, 0),
        ),
        (C::Pytest, "50%\r100%\r3 passed in 0.10s\r\n", told(3, 0, 0)),
        (C::Pytest, "\u{1b}]0;title\u{7}3 passed in 0.10s", told(3, 0, 0)),
        (C::Pytest, "\u{1b}", None),
        (C::Pytest, "\u{1b}]8;;never ended", None),
    ]);
}

#[test]
fn only_the_end_of_a_long_output_is_read() {
    let early = format!("3 passed in 0.1s\n{}", "é\n".repeat(80_000));
    assert_eq!(read(C::Pytest, &early), None);
    let late = format!("{}3 passed in 0.1s", "é\n".repeat(80_000));
    let ending = read(C::Pytest, &late).unwrap();
    assert_eq!((Some(ending.report), ending.cut), (told(3, 0, 0), true));
}

#[test]
fn numbers_stay_those_that_a_document_may_hold() {
    let most = 9_007_199_254_740_991;
    let line =
        |count: u64| format!("Tests finished: Pass 1. Fail {count}. Fatal {count}. Skip 0. Build failure 0");
    check(&[
        (C::Buck, &line(2), failed_with(1, 4, 0)),
        (C::Buck, &line(most), failed_with(1, most, 0)),
        (C::Pytest, &format!("== {} passed in 1s ==", u64::MAX), None),
        (
            C::Cargo,
            &format!("test result: ok. {most} passed; 0 failed;").repeat(2).replace(";t", ";\nt"),
            told(most, 0, 0),
        ),
    ]);
}

//! The same of the runners of the JVM, .NET, Swift and the smaller ecosystems.

use super::closing::Closing as C;
use super::closing_tests::{FAILED, NOTHING, PASSED, check, failed_with, told};

#[test]
fn jvm_net_and_swift() {
    let module = "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s - in a.B\n[INFO] \n[INFO] Results:\n[INFO] \n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n";
    check(&[
        (C::Maven, &format!("{module}{module}[INFO] BUILD SUCCESS"), told(4, 0, 0)),
        (
            C::Maven,
            "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1\n[INFO] BUILD FAILURE",
            told(3, 1, 1),
        ),
        (C::Maven, "[INFO] BUILD SUCCESS", PASSED),
        (C::Gradle, "BUILD SUCCESSFUL in 3s\n5 actionable tasks: 2 executed, 3 up-to-date", PASSED),
        (
            C::Gradle,
            "5 tests completed, 1 failed, 1 skipped\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 3s",
            told(3, 1, 1),
        ),
        (
            C::Sbt,
            "[info] Passed: Total 5, Failed 0, Errors 0, Passed 5\n[info] Passed: Total 2, Failed 0, Errors 0, Passed 1, Ignored 1\n[success] Total time: 1 s",
            told(6, 0, 1),
        ),
        (
            C::Sbt,
            "[error] Failed: Total 2, Failed 1, Errors 0, Passed 1\n[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful",
            told(1, 1, 0),
        ),
        (
            C::Dotnet,
            "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6, Duration: 12 ms - A.dll (net8.0)\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 3 ms - B.dll (net8.0)",
            told(7, 1, 1),
        ),
        // `-v n`.
        (
            C::Dotnet,
            "Test Run Failed.\nTotal tests: 5\n     Passed: 3\n     Failed: 1\n    Skipped: 1\n Total time: 1.2 Seconds",
            told(3, 1, 1),
        ),
        // .NET 9, .NET 10.
        (
            C::Dotnet,
            "Test summary: total: 5, failed: 1, succeeded: 4, skipped: 0, duration: 1.2s\nBuild failed with 1 error(s) in 3.1s",
            told(4, 1, 0),
        ),
        (
            C::Dotnet,
            "Test run summary: Passed!\n  total: 5\n  failed: 0\n  succeeded: 4\n  skipped: 1\n  duration: 300ms",
            told(4, 0, 1),
        ),
        (C::Swift, "Executed 5 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds", told(4, 1, 0)),
        (
            C::Swift,
            "Executed 5 tests, with 1 test skipped and 0 failures (0 unexpected) in 0.1 (0.1) seconds",
            told(4, 0, 1),
        ),
        // Swift 6 runs both libraries.
        (
            C::Swift,
            "Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds\n✔ Test run with 5 tests in 2 suites passed after 0.001 seconds.",
            told(5, 0, 0),
        ),
        (
            C::Swift,
            "Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds\n✘ Test run with 5 tests failed after 0.001 seconds with 1 issue.",
            FAILED,
        ),
        (
            C::Swift,
            "Executed 2 tests, with 0 failures (0 unexpected) in 0.1 (0.1) seconds\n** TEST FAILED **",
            failed_with(2, 0, 0),
        ),
        (C::Swift, "** TEST SUCCEEDED **", PASSED),
    ]);
}

#[test]
fn other_ecosystems() {
    check(&[
        (C::Rspec, "10 examples, 1 failure, 2 pending", told(7, 1, 2)),
        (C::Rspec, "0 examples, 0 failures, 1 error occurred outside of examples", failed_with(0, 1, 0)),
        (
            C::Rspec,
            "3 examples, 0 failures\n\nLine coverage (50.00%) is below the expected minimum coverage (90.00%).",
            failed_with(3, 0, 0),
        ),
        (C::Rspec, "0 examples, 0 failures", told(0, 0, 0)),
        (C::Minitest, "5 runs, 9 assertions, 1 failures, 1 errors, 2 skips", told(1, 2, 2)),
        (
            C::Minitest,
            "5 tests, 9 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications",
            told(4, 1, 0),
        ),
        (C::ExUnit, "1 doctest, 8 tests, 0 failures, 1 skipped", told(8, 0, 1)),
        (C::ExUnit, "==> a\n3 tests, 1 failure\n==> b\n2 tests, 0 failures", told(4, 1, 0)),
        (C::ExUnit, "5 tests, 0 failures, 5 invalid", told(0, 5, 0)),
        (C::Phpunit, "OK (5 tests, 9 assertions)", told(5, 0, 0)),
        (
            C::Phpunit,
            "FAILURES!\nTests: 5, Assertions: 9, Errors: 1, Failures: 1, Skipped: 1.",
            told(2, 2, 1),
        ),
        // 9, then 10.
        (
            C::Phpunit,
            "OK, but incomplete, skipped, or risky tests!\nTests: 5, Assertions: 9, Incomplete: 1.",
            told(4, 0, 1),
        ),
        (
            C::Phpunit,
            "OK, but there were issues!\nTests: 5, Assertions: 9, PHPUnit Deprecations: 1.",
            told(5, 0, 0),
        ),
        (C::Phpunit, "No tests executed!", NOTHING),
        (
            C::Pest,
            "  Tests:    1 failed, 1 skipped, 5 passed (9 assertions)\n  Duration: 0.12s",
            told(5, 1, 1),
        ),
        (C::PhpCheck, " [OK] No errors", PASSED),
        (C::PhpCheck, " [ERROR] Found 3 errors", FAILED),
        (C::PhpCheck, "No errors found!", PASSED),
        (C::Rubocop, "3 files inspected, no offenses detected", PASSED),
        (C::Rubocop, "3 files inspected, 2 offenses detected, 1 offense autocorrectable", FAILED),
        (C::Rubocop, "3 files inspected, 2 offenses detected, 2 offenses corrected", PASSED),
        (
            C::Scenarios,
            "3 scenarios (1 failed, 2 passed)\n9 steps (1 failed, 1 skipped, 7 passed)",
            told(2, 1, 0),
        ),
        (C::Scenarios, "0 scenarios\n0 steps", NOTHING),
        (C::Dart, "00:02 +4 ~1 -1: Some tests failed.", told(4, 1, 1)),
        (C::Dart, "00:01 +1: adds\r00:02 +5: All tests passed!", told(5, 0, 0)),
        (C::Dart, "No tests ran.", NOTHING),
        (C::DartAnalyze, "No issues found! (ran in 1.2s)", PASSED),
        (C::DartAnalyze, "1 issue found. (ran in 1.2s)", None),
        (C::Elm, "TEST RUN FAILED\n\nDuration: 150 ms\nPassed:   4\nFailed:   1", told(4, 1, 0)),
        (C::Clojure, "Ran 5 tests containing 9 assertions.\n1 failures, 1 errors.", told(3, 2, 0)),
        (C::Clojure, "5 tests, 9 assertions, 0 failures.", told(5, 0, 0)),
        (C::Busted, "5 successes / 1 failure / 0 errors / 2 pending : 0.001 seconds", told(5, 1, 2)),
        (C::Busted, "1 success / 0 failures / 0 errors / 0 pending : 0.001 seconds", told(1, 0, 0)),
        (C::Bats, "5 tests, 1 failure, 1 skipped", told(3, 1, 1)),
        (C::Bats, "1..3\nok 1 adds\nnot ok 2 removes\nok 3 moves # skip", told(1, 1, 1)),
        (C::Tap, "All tests successful.\nFiles=2, Tests=5,  0 wallclock secs\nResult: PASS", PASSED),
        (C::Tap, "Failed 1/5 subtests\nResult: FAIL", FAILED),
        (C::Haskell, "5 examples, 1 failure", told(4, 1, 0)),
        (
            C::Haskell,
            "All 5 tests passed (0.00s)\n1 of 1 test suites (1 of 1 test cases) passed.",
            told(5, 0, 0),
        ),
        (C::Haskell, "1 out of 5 tests failed (0.00s)", told(4, 1, 0)),
        (C::Haskell, "0 of 1 test suites (0 of 1 test cases) passed.", FAILED),
        (C::Pants, "✓ src/a:tests succeeded in 1.20s.\n✕ src/b:tests failed in 0.90s.", FAILED),
    ]);
}

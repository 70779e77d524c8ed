//! How checkers of types, style and formats end. They count findings and no tests; many of them say nothing when all
//! is well, and then only their status tells.

use super::tally::{Report, behind, last, leading, number, verdict};

/// `Finished …` or `error: could not compile …`.
pub fn cargo_build(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let line = line.trim_start();
        if line.starts_with("error: could not compile") {
            return Some(Report::of(false));
        }
        (line.starts_with("Finished ") && line.contains(" target(s) in ")).then(|| Report::of(true))
    })
}

/// `Found 3 errors`, as several of them say.
fn found(line: &str) -> Option<Report> {
    let mut words = line.strip_prefix("Found ")?.split(' ');
    let count = number(words.next()?)?;
    words.next()?.starts_with("error").then(|| Report::of(count == 0))
}

/// `All checks passed!`, `Found 3 errors.`, `Found 3 errors (2 fixed, 1 remaining).`
pub fn ruff(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        if line == "All checks passed!" {
            return Some(Report::of(true));
        }
        let report = found(line)?;
        let remaining = line.split_once(" fixed, ").and_then(|(_, rest)| leading(rest));
        Some(remaining.map_or(report, |remaining| Report::of(remaining == 0)))
    })
}

/// ruff and black: `2 files would be reformatted, 3 files already formatted`, `3 files would be left unchanged.`
pub fn reformatted(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        leading(line)?;
        if line.contains(" would be reformatted") || line.contains(" would fail to reformat") {
            return Some(Report::of(false));
        }
        (line.contains(" already formatted") || line.contains(" would be left unchanged"))
            .then(|| Report::of(true))
    })
}

/// `Success: no issues found`, `Found 3 errors in 1 file`.
pub fn mypy(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        if line.starts_with("Success: no issues found") { Some(Report::of(true)) } else { found(line) }
    })
}

/// `0 errors, 0 warnings, 0 informations`, in basedpyright `notes`.
pub fn pyright(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let (errors, rest) = line.split_once(" error")?;
        let errors = number(errors)?;
        rest.contains(" warning").then(|| Report::of(errors == 0))
    })
}

/// ESLint, and stylelint with and without the sign: `✖ 5 problems (1 error, 4 warnings)`.
pub fn eslint(lines: &[&str]) -> Option<Report> {
    let many = lines.iter().any(|line| {
        line.contains("found too many warnings (maximum: ") || line.contains("Maximum number of warnings")
    });
    let told = last(lines, |line| {
        let line = line.trim_start().trim_start_matches("✖ ");
        let (count, rest) = line.split_once(" problem")?;
        number(count)?;
        Some(Report::of(leading(rest.split_once('(')?.1)? == 0))
    });
    match told {
        Some(report) => Some(report.failed_if(many)),
        None => many.then(|| Report::of(false)),
    }
}

/// `Found 3 errors` in its pretty form, `a.ts(1,2): error TS2322: …` without it.
pub fn tsc(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let error =
            line.contains("): error TS") || line.contains(" - error TS") || line.starts_with("error TS");
        found(line).or_else(|| error.then(|| Report::of(false)))
    })
}

/// `Found 0 warnings and 1 error.`
pub fn oxlint(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let rest = line.strip_prefix("Found ")?.split_once(" warning")?.1;
        Some(Report::of(behind(rest, " and ")? == 0))
    })
}

/// Biome: `Found 2 errors.` before or behind `Checked 3 files in 5ms.`
pub fn biome(lines: &[&str]) -> Option<Report> {
    let errors = last(lines, found);
    errors.or_else(|| {
        last(lines, |line| (line.starts_with("Checked ") && line.contains(" in ")).then(|| Report::of(true)))
    })
}

/// `All matched files use Prettier code style!`, `Code style issues found in 2 files. …`, `[warn] Code style issues …`.
pub fn prettier(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let line = line.trim_start_matches("[warn] ").trim_start_matches("[error] ");
        verdict(line, "All matched files use Prettier code style!", "Code style issues ")
    })
}

/// golangci-lint since 2.0: `0 issues.`, `3 issues:`.
pub fn golangci(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let (count, rest) = line.split_once(" issue")?;
        matches!(rest.trim_start_matches('s'), "." | ":")
            .then(|| number(count))
            .flatten()
            .map(|count| Report::of(count == 0))
    })
}

/// `3 files inspected, no offenses detected`, `3 files inspected, 2 offenses detected`.
pub fn rubocop(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let (_, rest) = line.split_once(" inspected, ")?;
        if rest.starts_with("no offenses detected") {
            return Some(Report::of(true));
        }
        let offenses = leading(rest).filter(|_| rest.contains(" detected"))?;
        let corrected =
            rest.split(", ").find_map(|part| part.ends_with(" corrected").then(|| leading(part)).flatten());
        Some(Report::of(corrected.unwrap_or(0) >= offenses))
    })
}

/// PHPStan `[OK] No errors`, `[ERROR] Found 3 errors`; Psalm `No errors found!`, `3 errors found`.
pub fn php(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        let line = line.trim();
        if line.starts_with("[OK] No errors") || line == "No errors found!" {
            return Some(Report::of(true));
        }
        if let Some(rest) = line.strip_prefix("[ERROR] ") {
            return found(rest);
        }
        let (count, rest) = line.split_once(" error")?;
        (rest.trim_start_matches('s') == " found")
            .then(|| number(count))
            .flatten()
            .map(|count| Report::of(count == 0))
    })
}

/// `svelte-check found 0 errors and 0 warnings`.
pub fn svelte(lines: &[&str]) -> Option<Report> {
    last(lines, |line| Some(Report::of(behind(line, "svelte-check found ")? == 0)))
}

/// Dart's analyzer; that it found something says nothing of its status, which hints leave 0.
pub fn dart_analyze(lines: &[&str]) -> Option<Report> {
    last(lines, |line| line.starts_with("No issues found!").then(|| Report::of(true)))
}

/// ty and pyrefly: `All checks passed!`, `Found 3 diagnostics`; `0 errors`, `INFO 3 errors (1 ignored)`.
pub fn ty(lines: &[&str]) -> Option<Report> {
    last(lines, |line| {
        if line == "All checks passed!" {
            return Some(Report::of(true));
        }
        let rest = line.strip_prefix("Found ")?;
        let count = leading(rest).filter(|_| rest.contains(" diagnostic"))?;
        Some(Report::of(count == 0))
    })
}

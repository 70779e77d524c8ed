//! Whose closing lines an output may hold. A report is taken for a run's own only if nothing else in the same
//! call can have printed lines that look like it, and only as far as the run's output was let through.

use serde::{Deserialize, Serialize};

use super::runner::Runner;
use super::shell::member::{Member, Members, Shown};
use super::shell::word::{Form, Word};
use super::summary::closing::{Closing, Ending, looks_like_one, read};
use super::summary::tally::Report;

/// How a run's closing lines are to be read from the result of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// How they look.
    pub closing: Closing,
    /// Part of the output is missing, so that success may only be success of a part.
    pub partial: bool,
    /// What it said before its end may be missing.
    pub headless: bool,
    /// Lines without counts of tests may be those of another run.
    pub needs_counts: bool,
}

/// Decides for the run at `place`, beside the runners of all commands; `None` when its closing lines cannot be told
/// from others.
pub fn watch(members: &Members, runners: &[Option<Runner>], place: usize) -> Option<Watch> {
    let run = members.list.get(place)?;
    let closing = runners.get(place)?.as_ref()?.closing;
    if members.incomplete || run.shown == Shown::Nothing || closing == Closing::Silent {
        return None;
    }
    let mut needs_counts = false;
    for (other, (member, sibling)) in members.list.iter().zip(runners).enumerate() {
        if other == place || member.shown == Shown::Nothing {
            continue;
        }
        match sibling {
            Some(sibling) if sibling.closing == Closing::Silent => {}
            Some(sibling) if alike(sibling.closing, closing) => {
                if !(closing == Closing::Cargo && sibling.closing == Closing::CargoBuild) {
                    return None;
                }
                needs_counts = true;
            }
            Some(sibling) if sibling.closing == Closing::Driver || closing == Closing::Driver => return None,
            Some(_) => {}
            None if is_quiet(member) => {}
            None => return None,
        }
    }
    let readers = members.list.iter().skip(place + 1).filter(|other| other.step == run.step && other.piped);
    let headless = run.shown == Shown::Selection
        || readers.clone().any(|other| !matches!(other.program(), Some("tee" | "cat")));
    let partial = run.shown == Shown::Selection || (headless && goes_on(run));
    Some(Watch { closing, partial, headless, needs_counts })
}

/// It goes on after a failure, and what it says at its end is about the last part only.
fn goes_on(run: &Member) -> bool {
    let options: &[&str] = match run.program() {
        Some("npm") => &["--workspaces", "-ws", "--workspace", "-w"],
        Some("pnpm") => &["-r", "--recursive"],
        Some("yarn") => &["workspaces"],
        Some("make" | "gmake") => &["-k", "--keep-going"],
        _ => &["--no-fail-fast", "--no-bail"],
    };
    run.argv.iter().any(|word| options.contains(&word.text.as_str()))
}

/// What of an output the harness left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Nothing.
    Whole,
    /// Some of its middle or beginning.
    Ending,
    /// Its end.
    Beginning,
}

/// Reads a run's closing lines from the output of its call.
pub fn report(watch: Watch, output: &str, kept: Kept) -> Option<Report> {
    let Ending { mut report, cut } = read(watch.closing, output)?;
    let counted = report.counts.is_some_and(|counts| counts.passed > 0 || counts.failed > 0);
    let missing = cut || watch.headless || kept != Kept::Whole;
    if missing && watch.closing.adds_up() {
        report.counts = None;
    }
    // Every project has its own line, and the last one speaks for itself only.
    let parts = missing
        && matches!(
            watch.closing,
            Closing::Dotnet
                | Closing::ExUnit
                | Closing::Pants
                | Closing::Hooks
                | Closing::Tap
                | Closing::Bats
        );
    let whole = !watch.partial && !parts && kept != Kept::Beginning;
    ((whole || report.is_failed()) && (counted || !watch.needs_counts)).then_some(report)
}

/// Runners whose closing lines could be taken for one another's; of any other kind there is only one.
fn alike(one: Closing, other: Closing) -> bool {
    const FAMILIES: &[&[Closing]] = &[
        &[Closing::Cargo, Closing::CargoBuild, Closing::Nextest],
        &[
            Closing::Ruff,
            Closing::Mypy,
            Closing::Tsc,
            Closing::Biome,
            Closing::Ty,
            Closing::Oxlint,
            Closing::PhpCheck,
        ],
        &[Closing::Pytest, Closing::Playwright, Closing::Bun, Closing::Mocha, Closing::Deno, Closing::Ava],
        &[Closing::Jest, Closing::Vitest, Closing::Pest, Closing::Phpunit],
        &[
            Closing::Rspec,
            Closing::ExUnit,
            Closing::Minitest,
            Closing::Bats,
            Closing::Jasmine,
            Closing::Clojure,
            Closing::Haskell,
        ],
        &[Closing::Maven, Closing::Gradle],
        &[Closing::NodeTest, Closing::Tap, Closing::Bats],
        &[Closing::Unittest, Closing::Clojure],
        &[Closing::Swift, Closing::Karma, Closing::Bazel],
        &[Closing::Zig, Closing::Haskell],
        &[Closing::Go, Closing::Gotestsum, Closing::Ginkgo],
    ];
    one == other || FAMILIES.iter().any(|family| family.contains(&one) && family.contains(&other))
}

/// Programs that print nothing, or nothing like a report.
const QUIET: &[&str] = &[
    ":",
    ".",
    "[",
    "cd",
    "chmod",
    "cp",
    "date",
    "exit",
    "export",
    "false",
    "gofmt",
    "goimports",
    "isort",
    "kill",
    "ln",
    "ls",
    "mkdir",
    "mv",
    "popd",
    "prettier",
    "pushd",
    "pwd",
    "return",
    "rm",
    "rustfmt",
    "set",
    "shopt",
    "sleep",
    "source",
    "test",
    "touch",
    "true",
    "type",
    "unset",
    "wait",
    "which",
];

/// It prints nothing that could be taken for a report.
fn is_quiet(member: &Member) -> bool {
    const FILTERS: &[&str] = &["cat", "egrep", "grep", "head", "rg", "sed", "sort", "tail", "tee", "uniq"];
    const WITH_WORD: &[(&str, &[&str])] = &[
        (
            "git",
            &["add", "checkout", "commit", "fetch", "pull", "push", "rev-parse", "stash", "status", "switch"],
        ),
        ("cargo", &["add", "fmt"]),
        ("go", &["fmt", "mod"]),
        ("npm", &["ci", "install"]),
        ("pnpm", &["install"]),
        ("yarn", &["install"]),
        ("pip", &["install"]),
        ("uv", &["sync"]),
    ];
    if member.argv.is_empty() {
        return true;
    }
    let Some(program) = member.program() else { return false };
    let words = member.argv.get(1..).unwrap_or_default();
    match program {
        "echo" | "printf" => says_nothing(words),
        // Of what a filter shows, the run before it is the source; with a file of its own it is not.
        "cat" | "tail" | "head" | "sort" | "uniq" if member.piped => {
            words.iter().all(|word| word.text.starts_with(['-', '+']) || word.text.parse::<u64>().is_ok())
        }
        _ => {
            QUIET.contains(&program)
                || (member.piped && FILTERS.contains(&program))
                || WITH_WORD.iter().any(|(own, verbs)| {
                    *own == program && words.first().is_some_and(|word| verbs.contains(&word.text.as_str()))
                })
        }
    }
}

/// Words of `echo` that are known and look like nobody's closing line. The status of a command may be among them.
fn says_nothing(words: &[Word]) -> bool {
    let mut text = String::new();
    for word in words {
        let known = word.text.replace("$?", "").replace("${PIPESTATUS[0]}", "");
        if word.form == Form::Expanded && known.contains('$') {
            return false;
        }
        text.push_str(&known.replace("\\n", "\n"));
        text.push(' ');
    }
    let starts_or_ends =
        |line: &str| line.starts_with("Ran ") || line.starts_with("OK") || line.starts_with("FAILED");
    !looks_like_one(&text) && !text.lines().any(starts_or_ends)
}

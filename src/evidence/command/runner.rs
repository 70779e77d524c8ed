//! Which commands verify something: one table of runners and checkers, matched by program and words. A script
//! of a project is a verification only by its name (`npm run lint`, `make test`).

use super::closing::Closing;
use super::word::Word;
use super::wrapper::program_name;

/// A verification that a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runner {
    /// The name in rows.
    pub name: &'static str,
    /// How its closing lines look.
    pub closing: Closing,
    /// It was told to end with success whatever it finds.
    pub forgiving: bool,
}

/// What must follow the program.
enum Sub {
    /// Nothing.
    Any,
    /// These words first, options between them allowed.
    Words(&'static [&'static str]),
    /// These words first, and this option anywhere.
    With(&'static [&'static str], &'static str),
    /// Any operand that names a verification (targets of a build tool).
    Target,
    /// These words, then the name of a verification script.
    Script(&'static [&'static str]),
    /// An operand with this name or ending in it after `:` (gradle, maven).
    Task(&'static [&'static str]),
}

struct Row {
    programs: &'static [&'static str],
    sub: Sub,
    name: &'static str,
    closing: Closing,
}

const fn row(programs: &'static [&'static str], sub: Sub, name: &'static str, closing: Closing) -> Row {
    Row { programs, sub, name, closing }
}

use Closing as C;
use Sub::{Any, Script, Target, Task, With, Words};

const PYTHON: &[&str] = &["python"];
const NPM: &[&str] = &["npm"];

const ROWS: &[Row] = &[
    row(&["cargo"], Words(&["nextest", "run"]), "cargo nextest", C::Nextest),
    row(&["cargo"], Words(&["test"]), "cargo test", C::Cargo),
    row(&["cargo"], Words(&["t"]), "cargo test", C::Cargo),
    row(&["cargo"], Words(&["check"]), "cargo check", C::CargoBuild),
    row(&["cargo"], Words(&["c"]), "cargo check", C::CargoBuild),
    row(&["cargo"], Words(&["clippy"]), "cargo clippy", C::CargoBuild),
    row(&["cargo"], With(&["fmt"], "--check"), "cargo fmt --check", C::Silent),
    row(&["rustfmt"], With(&[], "--check"), "rustfmt --check", C::Silent),
    row(&["pytest", "py.test"], Any, "pytest", C::Pytest),
    row(PYTHON, Words(&["-m", "pytest"]), "pytest", C::Pytest),
    row(PYTHON, Words(&["-m", "unittest"]), "unittest", C::Unittest),
    row(PYTHON, Words(&["-m", "mypy"]), "mypy", C::Mypy),
    row(PYTHON, Words(&["-m", "pyright"]), "pyright", C::Pyright),
    row(PYTHON, Words(&["-m", "tox"]), "tox", C::Driver),
    row(PYTHON, Words(&["-m", "nox"]), "nox", C::Driver),
    row(PYTHON, Words(&["-m", "ruff", "check"]), "ruff check", C::Ruff),
    row(PYTHON, Words(&["manage.py", "test"]), "django test", C::Unittest),
    row(&["tox"], Any, "tox", C::Driver),
    row(&["nox"], Any, "nox", C::Driver),
    row(&["ruff"], Words(&["check"]), "ruff check", C::Ruff),
    row(&["ruff"], With(&["format"], "--check"), "ruff format --check", C::Silent),
    row(&["mypy"], Any, "mypy", C::Mypy),
    row(&["pyright", "basedpyright"], Any, "pyright", C::Pyright),
    row(&["go"], Words(&["test"]), "go test", C::Go),
    row(&["go"], Words(&["vet"]), "go vet", C::Silent),
    row(NPM, Words(&["test"]), "npm test", C::Driver),
    row(NPM, Words(&["t"]), "npm test", C::Driver),
    row(NPM, Script(&["run"]), "npm run", C::Driver),
    row(NPM, Script(&["run-script"]), "npm run", C::Driver),
    row(&["pnpm"], Script(&["run"]), "pnpm run", C::Driver),
    row(&["pnpm"], Script(&[]), "pnpm", C::Driver),
    row(&["yarn"], Script(&["run"]), "yarn run", C::Driver),
    row(&["yarn"], Script(&[]), "yarn", C::Driver),
    row(&["bun"], Words(&["test"]), "bun test", C::Bun),
    row(&["bun"], Script(&["run"]), "bun run", C::Driver),
    row(&["deno"], Words(&["test"]), "deno test", C::Deno),
    row(&["deno"], Words(&["lint"]), "deno lint", C::Silent),
    row(&["deno"], Words(&["check"]), "deno check", C::Silent),
    row(&["deno"], Script(&["task"]), "deno task", C::Driver),
    row(&["node"], With(&[], "--test"), "node --test", C::NodeTest),
    row(&["jest"], Any, "jest", C::Jest),
    row(&["vitest"], Any, "vitest", C::Vitest),
    row(&["mocha"], Any, "mocha", C::Mocha),
    row(&["playwright"], Words(&["test"]), "playwright test", C::Playwright),
    row(&["tsc"], Any, "tsc", C::Tsc),
    row(&["eslint"], Any, "eslint", C::Eslint),
    row(&["make", "gmake"], Target, "make", C::Driver),
    row(&["just"], Target, "just", C::Driver),
    row(&["task", "go-task"], Target, "task", C::Driver),
    row(&["gradle", "gradlew"], Task(&["test", "check", "lint"]), "gradle", C::Gradle),
    row(&["mvn", "mvnw"], Task(&["test", "verify", "integration-test"]), "mvn", C::Maven),
    row(&["bazel", "bazelisk"], Words(&["test"]), "bazel test", C::Silent),
    row(&["ctest"], Any, "ctest", C::Ctest),
    row(&["dotnet"], Words(&["test"]), "dotnet test", C::Dotnet),
    row(&["swift"], Words(&["test"]), "swift test", C::Swift),
    row(&["mix"], Words(&["test"]), "mix test", C::ExUnit),
    row(&["mix"], With(&["format"], "--check-formatted"), "mix format --check-formatted", C::Silent),
    row(&["mix"], Words(&["credo"]), "mix credo", C::Silent),
    row(&["mix"], Words(&["dialyzer"]), "mix dialyzer", C::Silent),
    row(&["rspec"], Any, "rspec", C::Rspec),
    row(&["phpunit"], Any, "phpunit", C::Phpunit),
];

/// Options that make a runner answer instead of run.
const ANSWERING: &[&str] = &[
    "--help",
    "-h",
    "--version",
    "-V",
    "--collect-only",
    "--co",
    "--list",
    "--listTests",
    "--list-tests",
    "--no-run",
    "--dry-run",
    "--just-print",
    "--init",
    "--print-config",
    "--showConfig",
    "--fixtures",
    "--markers",
    "--show-only",
    "--summary",
    "--evaluate",
    "-DskipTests",
    "-DskipTests=true",
    "-Dmaven.test.skip=true",
    "-Dmaven.test.skip",
    "--notest",
    "--nobuild",
    "--check_tests_up_to_date",
    "--setup-plan",
    "--setup-only",
    "--dry",
    "--if-present",
];

/// Options that make a runner end with success whatever it found: what such a run proves is unknown.
const FORGIVING: &[&str] = &[
    "-Dmaven.test.failure.ignore=true",
    "-Dmaven.test.failure.ignore",
    "-fn",
    "--fail-never",
    "--exit-zero",
    "--exit-status",
    "--ignore-errors",
];

/// The same, where the letter means something else to others.
const FORGIVING_OF: &[(&str, &str)] = &[("make", "-i"), ("gmake", "-i")];

/// The same, where the letter means something else to others.
const ANSWERING_OF: &[(&str, &str)] = &[
    ("make", "-n"),
    ("make", "-q"),
    ("make", "-t"),
    ("vitest", "list"),
    ("swift", "list"),
    ("go", "-c"),
    ("go", "-n"),
    ("go", "-exec"),
    ("just", "-n"),
    ("just", "-l"),
    ("task", "-l"),
    ("tox", "-l"),
    ("nox", "-l"),
    ("tsc", "-v"),
    ("ctest", "-N"),
    ("go", "-list"),
    ("gradle", "-m"),
];

/// Options that take the next word, before a subcommand.
const VALUED: &[(&str, &[&str])] = &[
    ("cargo", &["--manifest-path", "--config", "-Z", "-C", "--color", "--target-dir"]),
    ("npm", &["--prefix", "-w", "--workspace", "-C", "--loglevel"]),
    ("pnpm", &["-C", "--dir", "--filter", "-F", "--loglevel"]),
    ("yarn", &["--cwd"]),
    ("bun", &["--cwd", "--filter", "-F"]),
    ("make", &["-C", "-f", "-I", "-o", "-W", "--directory", "--file"]),
    ("just", &["-f", "--justfile", "-d", "--working-directory"]),
    ("task", &["-d", "--dir", "-t", "--taskfile"]),
    ("go", &["-C"]),
    ("gradle", &["-p", "-b", "--project-dir", "-x", "--exclude-task", "--tests", "-I"]),
    ("mvn", &["-pl", "-f", "-P", "--projects", "--file", "-s"]),
    ("node", &["-r", "--require", "--import", "--loader"]),
];

/// The verification that a command is, if it is one.
pub fn runner(argv: &[Word]) -> Option<Runner> {
    let (program, words) = argv.split_first()?;
    let name = program_name(program.plain()?);
    let name = if is_python(name) { "python" } else { name.trim_end_matches(".bat") };
    let has = |options: &[&str], of: &[(&str, &str)]| {
        words.iter().map(|word| word.text.as_str()).any(|text| {
            options.contains(&text) || of.iter().any(|(own, option)| *own == name && text == *option)
        })
    };
    if has(ANSWERING, ANSWERING_OF) {
        return None;
    }
    let operands = operands(name, words);
    ROWS.iter()
        .find(|row| row.programs.contains(&name) && matches(&row.sub, words, &operands))
        .map(|row| Runner { name: row.name, closing: row.closing, forgiving: has(FORGIVING, FORGIVING_OF) })
}

/// `python`, `python3`, `python3.12`, `pypy3`.
pub fn is_python(name: &str) -> bool {
    let rest = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// The words that are neither options nor their values. What `-m` names counts, and so does `+toolchain` not.
pub fn operands<'a>(program: &str, words: &'a [Word]) -> Vec<&'a str> {
    let valued = VALUED.iter().find(|(own, _)| *own == program).map_or(&[][..], |(_, options)| options);
    let mut operands = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if valued.contains(&text) {
            words.next();
        } else if (program == "python" && text == "-m") || !text.starts_with(['-', '+']) {
            operands.push(text);
        } else if text == "--" {
            break;
        }
    }
    operands
}

fn matches(sub: &Sub, words: &[Word], operands: &[&str]) -> bool {
    let has = |option: &str| words.iter().any(|word| word.text == option);
    match sub {
        Any => true,
        Words(wanted) => operands.starts_with(wanted),
        With(wanted, option) => operands.starts_with(wanted) && has(option),
        Target => operands.iter().any(|operand| names_verification(operand)),
        Script(wanted) => {
            operands.starts_with(wanted)
                && operands.get(wanted.len()).is_some_and(|name| names_verification(name))
        }
        Task(wanted) => operands.iter().any(|operand| {
            let task = operand.rsplit(':').next().unwrap_or(operand);
            wanted.contains(&task) || (wanted.contains(&"check") && is_gradle_test(task))
        }),
    }
}

/// `testDebugUnitTest`, `integrationTest`, `lintDebug`: tasks that the plugins name so.
fn is_gradle_test(task: &str) -> bool {
    (task.starts_with("test") && task.ends_with("Test"))
        || task == "integrationTest"
        || task.starts_with("lint")
}

/// Names that projects give to tests and checks, alone or as the first part.
fn names_verification(name: &str) -> bool {
    const NAMES: &[&str] =
        &["test", "tests", "check", "lint", "typecheck", "type-check", "clippy", "fmt-check"];
    NAMES.contains(&name)
        || ["test", "check", "lint", "typecheck"].iter().any(|first| {
            name.strip_prefix(first).is_some_and(|rest| {
                rest.starts_with([':', '-', '_'])
                    && !["clean", "fix", "watch", "deps", "setup"].iter().any(|word| rest.ends_with(word))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::runner;
    use crate::evidence::command::word::Word;

    fn name(text: &str) -> Option<&'static str> {
        let words: Vec<Word> = text.split(' ').map(Word::resolve).collect();
        runner(&words).map(|runner| runner.name)
    }

    #[test]
    fn runners_of_every_ecosystem_are_known() {
        for (text, expected) in [
            ("cargo test --offline", "cargo test"),
            ("cargo +nightly --locked test -p x", "cargo test"),
            ("cargo --manifest-path a/Cargo.toml t", "cargo test"),
            ("cargo nextest run", "cargo nextest"),
            ("cargo check", "cargo check"),
            ("cargo clippy --all-targets -- -D warnings", "cargo clippy"),
            ("cargo fmt --all -- --check", "cargo fmt --check"),
            ("pytest -q tests", "pytest"),
            ("venv/bin/pytest", "pytest"),
            ("python3.12 -m pytest", "pytest"),
            ("python -m unittest -v", "unittest"),
            ("python manage.py test", "django test"),
            ("tox -e py", "tox"),
            ("nox", "nox"),
            ("ruff check .", "ruff check"),
            ("ruff format --check .", "ruff format --check"),
            ("mypy src", "mypy"),
            ("pyright", "pyright"),
            ("go test ./...", "go test"),
            ("go -C x vet ./...", "go vet"),
            ("npm test", "npm test"),
            ("npm --prefix web run test:unit", "npm run"),
            ("npm run lint", "npm run"),
            ("pnpm -r test", "pnpm"),
            ("pnpm --filter web run typecheck", "pnpm run"),
            ("yarn lint", "yarn"),
            ("bun test", "bun test"),
            ("deno test -A", "deno test"),
            ("node --test", "node --test"),
            ("./node_modules/.bin/jest --ci", "jest"),
            ("vitest run", "vitest"),
            ("mocha", "mocha"),
            ("playwright test", "playwright test"),
            ("tsc --noEmit", "tsc"),
            ("eslint .", "eslint"),
            ("make -C x -j4 test", "make"),
            ("just lint", "just"),
            ("task check", "task"),
            ("./gradlew :app:testDebugUnitTest", "gradle"),
            ("mvn -q -pl x verify", "mvn"),
            ("bazel test //...", "bazel test"),
            ("ctest --output-on-failure", "ctest"),
            ("dotnet test", "dotnet test"),
            ("swift test", "swift test"),
            ("mix test test/a.exs", "mix test"),
            ("rspec", "rspec"),
            ("vendor/bin/phpunit", "phpunit"),
        ] {
            assert_eq!(name(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_only_answers_builds_or_installs_is_no_verification() {
        for text in [
            "cargo build",
            "cargo fmt",
            "cargo test --no-run",
            "cargo test -- --list",
            "cargo --version",
            "pytest --collect-only",
            "python test.py",
            "npm install",
            "npm run build",
            "npm run test:watch",
            "npm run lint:fix",
            "make",
            "make install",
            "make -n test",
            "just --list",
            "go build",
            "tsc --init",
            "gradle build",
            "mvn package",
            "ruff format",
            "node test.js",
            "echo cargo test",
            "cargo add test",
            "$CARGO test",
            "pnpm install",
            "yarn add test",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}

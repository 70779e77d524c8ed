//! Which commands verify something: one table of runners and checkers, matched by program and words. A script
//! of a project is a verification only by its name (`npm run lint`, `make test`).

use super::catalogue::{ANSWERING, ANSWERING_OF, FORGIVING, FORGIVING_OF, ROWS, Sub, VALUED};
use super::shell::word::Word;
use super::shell::wrapper::program_name;
use super::summary::closing::Closing;

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

/// The verification that a command is, if it is one.
pub fn runner(argv: &[Word]) -> Option<Runner> {
    let (name, words) = subject(argv)?;
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

/// The program that a command is about, and its words: `python -m pytest`, `coverage run -m pytest` and
/// `node node_modules/.bin/jest` are `pytest` and `jest`.
pub fn subject(argv: &[Word]) -> Option<(&str, &[Word])> {
    let (program, mut words) = argv.split_first()?;
    let mut name = own_name(program.plain()?);
    for _ in 0..INTERPRETERS {
        let Some((inner, rest)) = interpreted(name, words) else { break };
        (name, words) = (inner, rest);
    }
    Some((name, words))
}

/// Most interpreters and tracers around one program.
const INTERPRETERS: usize = 3;

/// What an interpreter, or a program that traces another, is given to run.
fn interpreted<'a>(name: &str, words: &'a [Word]) -> Option<(&'a str, &'a [Word])> {
    let text = |place: usize| words.get(place).and_then(Word::plain);
    let skip = |valued: &[&str], place: usize| {
        let mut place = place;
        while let Some(word) = text(place).filter(|word| word.starts_with('-') && *word != "-m") {
            place += if valued.contains(&word) { 2 } else { 1 };
        }
        place
    };
    let place = match name {
        _ if is_python(name) => skip(&["-X", "-W"], 0),
        "coverage" if text(0) == Some("run") => {
            skip(&["--source", "--omit", "--include", "--rcfile", "--data-file", "--context"], 1)
        }
        "php" => skip(&["-d", "-c"], 0),
        "ruby" => skip(&["-I", "-r", "-C"], 0),
        "node" => skip(&["-r", "--require", "--import", "--loader"], 0),
        "nyc" | "c8" => skip(&["-r", "--reporter", "--include", "--exclude", "-x", "-n"], 0),
        _ => return None,
    };
    let module = text(place) == Some("-m");
    let path = text(place + usize::from(module))?;
    let rest = words.get(place + usize::from(module) + 1..)?;
    let known = match name {
        _ if is_python(name) || name == "coverage" => module || path.ends_with("manage.py"),
        "node" => path.contains("node_modules/"),
        // Its own tests are files that it is given.
        "ruby" => !module && ["rails", "rake", "rspec"].contains(&program_name(path)),
        _ => !module,
    };
    known.then_some((own_name(path), rest))
}

/// `node_modules/jest/bin/jest.js` is `jest`, `gradlew.bat` is `gradlew`.
fn own_name(path: &str) -> &str {
    let name = program_name(path);
    let name = [".bat", ".mjs", ".cjs", ".js", ".phar"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    name.trim_start_matches('_')
}

/// `python`, `python3`, `python3.12`, `pypy3`.
fn is_python(name: &str) -> bool {
    let rest = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// The words that are neither options nor their values; `+toolchain` is none of them.
pub fn operands<'a>(program: &str, words: &'a [Word]) -> Vec<&'a str> {
    let valued = VALUED.iter().find(|(own, _)| *own == program).map_or(&[][..], |(_, options)| options);
    let mut operands = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if valued.contains(&text) {
            words.next();
        } else if !text.starts_with(['-', '+']) {
            operands.push(text);
        } else if text == "--" {
            break;
        }
    }
    operands
}

fn matches(sub: &Sub, words: &[Word], operands: &[&str]) -> bool {
    let has = |options: &[&str]| words.iter().any(|word| options.contains(&word.text.as_str()));
    match sub {
        Sub::Any => true,
        Sub::Words(wanted) => operands.starts_with(wanted),
        Sub::With(wanted, options) => operands.starts_with(wanted) && has(options),
        Sub::Target => operands.iter().any(|operand| names_verification(operand)),
        Sub::Mentions(wanted) => {
            let mentions = |word: &Word| {
                let last = word.text.rsplit([':', '=']).next().unwrap_or_default();
                names_verification(&word.text) || names_verification(last)
            };
            operands.starts_with(wanted) && words.iter().any(mentions)
        }
        Sub::TestFile => operands.first().is_some_and(|file| is_test_file(file)),
        Sub::Script(wanted) => {
            operands.starts_with(wanted)
                && operands.get(wanted.len()).is_some_and(|name| names_verification(name))
        }
        Sub::Task(wanted) => operands.iter().any(|operand| {
            let task = operand.rsplit([':', '/']).next().unwrap_or(operand);
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

/// `test/models/user_test.rb`, `test_user.rb`.
fn is_test_file(path: &str) -> bool {
    let name = program_name(path);
    name.ends_with("_test.rb") || (name.starts_with("test_") && name.ends_with(".rb"))
}

/// Names that projects give to tests and checks, alone or as the first part.
fn names_verification(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "test",
        "tests",
        "spec",
        "e2e",
        "unit",
        "check",
        "verify",
        "lint",
        "typecheck",
        "type-check",
        "clippy",
        "fmt-check",
        "format-check",
        "prettier-check",
    ];
    NAMES.contains(&name)
        || [":test", ":check", ":lint", ":typecheck"].iter().any(|last| name.ends_with(last))
        || ["test", "check", "lint", "typecheck"].iter().any(|first| {
            name.strip_prefix(first).is_some_and(|rest| {
                rest.starts_with([':', '-', '_'])
                    && !["clean", "fix", "watch", "deps", "setup", "build", "update"]
                        .iter()
                        .any(|word| rest.ends_with(word))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::runner;
    use crate::evidence::command::shell::walk::of_script;

    /// As a session's script, so that wrappers are off as they are there.
    fn name(text: &str) -> Option<&'static str> {
        let members = of_script(text, None).unwrap();
        members.list.iter().find_map(|member| runner(&member.argv)).map(|runner| runner.name)
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
            ("cargo llvm-cov --html", "cargo llvm-cov"),
            ("cargo llvm-cov nextest", "cargo llvm-cov"),
            ("cargo tarpaulin", "cargo tarpaulin"),
            ("cargo hack test --each-feature", "cargo test"),
            ("cargo xtask lint", "cargo xtask"),
            ("coverage run --source x -m pytest", "pytest"),
            ("python3 -X dev -m unittest", "unittest"),
            ("./manage.py test app", "django test"),
            ("black --check .", "black --check"),
            ("python -m isort --check-only .", "isort --check"),
            ("ty check", "ty check"),
            ("pre-commit run --all-files", "pre-commit run"),
            ("hatch run test", "hatch run"),
            ("hatch test", "pytest"),
            ("gotestsum -- ./...", "gotestsum"),
            ("ginkgo -r", "ginkgo"),
            ("golangci-lint run ./...", "golangci-lint"),
            ("gofmt -l .", "gofmt -l"),
            ("node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest"),
            ("node node_modules/.bin/mocha", "mocha"),
            ("node ./node_modules/vitest/vitest.mjs run", "vitest"),
            ("nyc mocha", "mocha"),
            ("c8 --reporter text node --test", "node --test"),
            ("cross-env NODE_ENV=test jest", "jest"),
            ("react-scripts test --watchAll=false", "jest"),
            ("ng test --watch=false", "ng test"),
            ("cypress run --e2e", "cypress run"),
            ("nx run-many -t test", "nx"),
            ("nx run app:lint", "nx"),
            ("turbo run test --filter web", "turbo"),
            ("lerna run test", "lerna run"),
            ("yarn workspace web test", "yarn"),
            ("biome ci .", "biome"),
            ("prettier --check .", "prettier --check"),
            ("stylelint **/*.css", "stylelint"),
            ("oxlint", "oxlint"),
            ("vue-tsc --noEmit", "tsc"),
            ("npm run format:check", "npm run"),
            ("npm run test:e2e", "npm run"),
            ("ninja -C build test", "ninja"),
            ("cmake --build build --target test", "cmake"),
            ("meson test -C build", "meson test"),
            ("sbt core/test", "sbt test"),
            ("buck2 test //...", "buck test"),
            ("pants test ::", "pants"),
            ("xcodebuild -scheme App test", "xcodebuild test"),
            ("flutter test", "dart test"),
            ("dart analyze", "dart analyze"),
            ("bin/rails test test/models", "rails test"),
            ("rake test", "rake"),
            ("ruby -I test test/a_test.rb", "minitest"),
            ("php artisan test", "artisan test"),
            ("php -d memory_limit=1G vendor/bin/phpunit", "phpunit"),
            ("vendor/bin/pest", "pest"),
            ("vendor/bin/phpstan analyse", "phpstan"),
            ("vendor/bin/behat", "cucumber"),
            ("composer test", "composer"),
            ("lein test", "lein test"),
            ("clojure -M:test", "clojure test"),
            ("stack test", "cabal test"),
            ("zig build test --summary all", "zig build test"),
            ("elm-test", "elm-test"),
            ("busted", "busted"),
            ("bats test", "bats"),
            ("prove -r t", "prove"),
            ("shellcheck a.sh", "shellcheck"),
            ("terraform fmt -check", "terraform fmt -check"),
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
            "python -m build",
            "coverage report",
            "cargo llvm-cov --version",
            "black .",
            "isort .",
            "gofmt -l -w .",
            "prettier --write .",
            "node server.js",
            "nx g lib test",
            "nx build app",
            "turbo run build",
            "cmake -B build -S test",
            "cmake --build build",
            "rails g model test",
            "rake db:test:prepare",
            "ruby script.rb",
            "php artisan migrate",
            "phpstan analyse --generate-baseline",
            "composer require x",
            "zig build",
            "flutter build apk",
            "xcodebuild build",
            "pre-commit install",
            "terraform plan",
            "npm run build:test-data",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}

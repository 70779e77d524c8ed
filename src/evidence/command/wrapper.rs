//! Programs that run another program: what they run, and whether a failing status can be their own.

use super::word::{Form, Word};

/// What a simple command comes to.
#[derive(Debug)]
pub enum Unwrapped {
    /// A command of its own.
    Command(Inner),
    /// A script given to a shell.
    Script {
        /// Its text.
        text: String,
        /// Options of that shell.
        pipefail: bool,
        /// Options of that shell.
        errexit: bool,
        /// What was around the shell.
        around: Around,
    },
    /// Not known from the words.
    Opaque,
}

/// What was around a command.
#[derive(Debug, Default, Clone)]
pub struct Around {
    /// `env A=1`: as if written before the command.
    pub assignments: Vec<(String, Word)>,
    /// Words that change where or with what it runs (`docker exec web`, `uv run`).
    pub prefix: Vec<String>,
    /// The wrapper can fail with a small status of its own.
    pub can_fail: bool,
    /// The wrapper returns at once.
    pub detached: bool,
    /// `exec`: nothing of the script runs behind it.
    pub replaces: bool,
    /// Changes the work directory in a way that is not followed.
    pub elsewhere: bool,
}

/// A command and what was around it.
#[derive(Debug)]
pub struct Inner {
    /// The words of the command itself.
    pub argv: Vec<Word>,
    /// What was around it.
    pub around: Around,
}

/// One kind of wrapper.
struct Wrapper {
    /// Program and the words that must follow it, options between them allowed.
    words: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// Plain words before the command (a duration, a container).
    operands: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Ends as its command does, and changes nothing that matters for comparing runs.
    Thin,
    /// Ends as its command does; runs it in a prepared environment, and what it prepares belongs to the run.
    Launcher,
    /// Another machine, user or environment, with failures of its own.
    Border,
}

const fn thin(words: &'static [&'static str], valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { words, valued, operands, kind: Kind::Thin }
}

const fn launcher(words: &'static [&'static str], valued: &'static [&'static str]) -> Wrapper {
    Wrapper { words, valued, operands: 0, kind: Kind::Launcher }
}

const fn border(words: &'static [&'static str], valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { words, valued, operands, kind: Kind::Border }
}

const UV: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--extra",
    "--group",
    "--only-group",
    "--project",
    "--directory",
    "--env-file",
    "--package",
    "--index",
    "--with-editable",
    "--with-requirements",
    "--index-url",
    "--cache-dir",
    "--config-file",
];
const DOCKER: &[&str] =
    &["-u", "--user", "-w", "--workdir", "-e", "--env", "--env-file", "--index", "-f", "--file", "-p"];

const WRAPPERS: &[Wrapper] = &[
    thin(&["env"], &["-u", "--unset"], 0),
    thin(&["timeout"], &["-s", "--signal", "-k", "--kill-after"], 1),
    thin(&["gtimeout"], &["-s", "--signal", "-k", "--kill-after"], 1),
    thin(&["time"], &["-f", "--format", "-o", "--output"], 0),
    thin(&["nice"], &["-n", "--adjustment"], 0),
    thin(&["ionice"], &["-c", "-n"], 0),
    thin(&["nohup"], &[], 0),
    thin(&["stdbuf"], &["-i", "-o", "-e"], 0),
    thin(&["command"], &[], 0),
    thin(&["exec"], &["-a"], 0),
    launcher(&["uv", "run"], UV),
    launcher(&["uvx"], UV),
    launcher(&["poetry", "run"], &[]),
    launcher(&["pipenv", "run"], &[]),
    launcher(&["pdm", "run"], &["-p", "--project"]),
    launcher(&["rye", "run"], &[]),
    launcher(&["pipx", "run"], &["--spec", "--python"]),
    launcher(&["npx"], &["-p", "--package"]),
    launcher(&["bunx"], &["-p", "--package"]),
    launcher(&["npm", "exec"], &["-p", "--package", "-w", "--workspace", "--prefix"]),
    launcher(&["pnpm", "exec"], &["-C", "--dir", "--filter", "-F"]),
    launcher(&["pnpm", "dlx"], &["--package"]),
    launcher(&["yarn", "exec"], &["--cwd"]),
    launcher(&["yarn", "dlx"], &["-p", "--package"]),
    launcher(&["bundle", "exec"], &["--gemfile"]),
    border(&["xvfb-run"], &["-s", "--server-args", "-n", "--server-num", "-e", "--error-file", "-f"], 0),
    border(&["sudo"], &["-u", "--user", "-g", "--group", "-h", "-p", "-C", "-D"], 0),
    border(&["doas"], &["-u", "-C"], 0),
    border(&["docker", "compose", "exec"], DOCKER, 1),
    border(&["docker-compose", "exec"], DOCKER, 1),
    border(&["docker", "container", "exec"], DOCKER, 1),
    border(&["docker", "exec"], DOCKER, 1),
    border(&["podman", "exec"], DOCKER, 1),
];

/// Options of launchers that move them to another project.
const MOVING: &[&str] = &[
    "-C",
    "--dir",
    "--cwd",
    "--prefix",
    "--project",
    "--directory",
    "-w",
    "--workdir",
    "--workspace",
    "-D",
    "--chdir",
];

/// Most wrappers around one command.
const WRAPPINGS: usize = 8;

/// Takes the wrappers off.
pub fn unwrap(mut argv: Vec<Word>) -> Unwrapped {
    let mut around = Around::default();
    for _ in 0..WRAPPINGS {
        let Some(program) = argv.first().and_then(Word::plain).map(program_name) else {
            return Unwrapped::Command(Inner { argv, around });
        };
        if ["bash", "sh", "zsh", "dash"].contains(&program) {
            return shell(argv, around);
        }
        if program == "nix" || program == "nix-shell" {
            match nix(&argv, &mut around) {
                Nix::Command(inner) => argv = inner,
                Nix::Script(text) => {
                    return Unwrapped::Script { text, pipefail: false, errexit: false, around };
                }
                Nix::Other => return Unwrapped::Command(Inner { argv, around }),
            }
            continue;
        }
        let Some((wrapper, rest)) =
            WRAPPERS.iter().find_map(|wrapper| Some((wrapper, opened(wrapper, &argv)?)))
        else {
            return Unwrapped::Command(Inner { argv, around });
        };
        match inside(wrapper, &argv, rest, &mut around) {
            Some(inner) if !inner.is_empty() => argv = inner,
            _ => return Unwrapped::Command(Inner { argv, around }),
        }
    }
    Unwrapped::Opaque
}

/// The last part of a path: `./node_modules/.bin/jest` is `jest`.
pub fn program_name(text: &str) -> &str {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name)
}

/// The words behind the wrapper's own name, if it is that wrapper.
fn opened(wrapper: &Wrapper, argv: &[Word]) -> Option<usize> {
    let (first, more) = wrapper.words.split_first()?;
    if program_name(argv.first()?.plain()?) != *first {
        return None;
    }
    let mut place = 1;
    for wanted in more {
        place = skip_options(wrapper, argv, place, &mut Vec::new())?;
        if argv.get(place)?.plain()? != *wanted {
            return None;
        }
        place += 1;
    }
    Some(place)
}

/// The place of the first word that is no option; `None` when an option cannot be told.
fn skip_options(wrapper: &Wrapper, argv: &[Word], mut place: usize, seen: &mut Vec<String>) -> Option<usize> {
    while let Some(word) = argv.get(place) {
        if word.form == Form::Expanded && !word.text.starts_with('-') {
            return Some(place);
        }
        let text = word.text.as_str();
        if text == "--" {
            return Some(place + 1);
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        seen.push(text.split('=').next().unwrap_or(text).to_owned());
        place += if wrapper.valued.contains(&text) { 2 } else { 1 };
    }
    Some(place)
}

/// The command inside a wrapper, which begins at `start`.
fn inside(wrapper: &Wrapper, argv: &[Word], start: usize, around: &mut Around) -> Option<Vec<Word>> {
    let mut options = Vec::new();
    let mut place = skip_options(wrapper, argv, start, &mut options)?;
    let name = *wrapper.words.first()?;
    let has = |option: &str| options.iter().any(|seen| seen == option);
    // `command -v x` only asks; `env -S` splits a string.
    if (name == "command" && (has("-v") || has("-V"))) || has("-S") || has("--split-string") {
        return None;
    }
    around.elsewhere |= options.iter().any(|seen| MOVING.contains(&seen.as_str()));
    if matches!(name, "env" | "sudo" | "doas") {
        while let Some((key, value)) = argv.get(place).and_then(assignment) {
            around.assignments.push((key, value));
            place += 1;
        }
    }
    // The module of `uv run -m pytest` is as good as `python -m pytest`.
    let module = wrapper.words == ["uv", "run"] && (has("-m") || has("--module"));
    place += wrapper.operands;
    let mut inner: Vec<Word> = argv.get(place..)?.to_vec();
    if wrapper.kind == Kind::Launcher {
        // `npx jest@29`: the version is the launcher's.
        if let Some(first) = inner.first_mut()
            && let Some(at) = first.text.rfind('@').filter(|at| *at > 0)
        {
            first.text.truncate(at);
        }
    }
    if module {
        inner.splice(0..0, [Word::verbatim("python"), Word::verbatim("-m")]);
    }
    if wrapper.kind != Kind::Thin {
        around.prefix.extend(argv.iter().take(place).map(|word| word.text.clone()));
    }
    around.replaces |= name == "exec";
    around.can_fail |= wrapper.kind == Kind::Border;
    let docker = matches!(name, "docker" | "docker-compose" | "podman");
    around.detached |= docker && (has("-d") || has("--detach"));
    around.elsewhere |= docker;
    Some(inner)
}

/// `NAME=value`.
pub fn assignment(word: &Word) -> Option<(String, Word)> {
    let (name, value) = word.text.split_once('=')?;
    let mut letters = name.bytes();
    let first = letters.next()?;
    let named = (first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    named.then(|| (name.to_owned(), Word { text: value.to_owned(), form: word.form }))
}

/// `bash [options] -c script`.
fn shell(argv: Vec<Word>, around: Around) -> Unwrapped {
    let (mut pipefail, mut errexit, mut script) = (false, false, false);
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next() {
        let Some(text) = word.plain() else { return Unwrapped::Opaque };
        if let Some(long) = text.strip_prefix("--") {
            if long.is_empty() || matches!(long, "rcfile" | "init-file") {
                return Unwrapped::Opaque;
            }
        } else if let Some(flags) = text.strip_prefix('-').filter(|flags| !flags.is_empty()) {
            errexit |= flags.contains('e');
            script |= flags.contains('c');
            // Only read, never run.
            if flags.contains('n') {
                return Unwrapped::Opaque;
            }
            if flags.ends_with('o') {
                let option = words.next().and_then(Word::plain);
                pipefail |= option == Some("pipefail");
                errexit |= option == Some("errexit");
            }
        } else if script {
            return Unwrapped::Script { text: text.to_owned(), pipefail, errexit, around };
        } else {
            // A script file: its commands are not in the transcript.
            return Unwrapped::Command(Inner { argv, around });
        }
    }
    Unwrapped::Command(Inner { argv, around })
}

enum Nix {
    Command(Vec<Word>),
    Script(String),
    Other,
}

/// `nix develop … -c cmd` and `nix-shell … --run 'script'`.
fn nix(argv: &[Word], around: &mut Around) -> Nix {
    let marks: &[&str] = match argv.get(1).and_then(Word::plain) {
        _ if argv.first().is_some_and(|word| program_name(&word.text) == "nix-shell") => {
            &["--run", "--command"]
        }
        Some("develop" | "shell") => &["-c", "--command"],
        _ => return Nix::Other,
    };
    let Some(place) = argv.iter().position(|word| marks.contains(&word.text.as_str())) else {
        return Nix::Other;
    };
    let inner = argv.get(place + 1..).unwrap_or_default();
    let found = if marks.contains(&"--run") {
        inner.first().and_then(Word::plain).map_or(Nix::Other, |text| Nix::Script(text.to_owned()))
    } else if inner.is_empty() {
        Nix::Other
    } else {
        Nix::Command(inner.to_vec())
    };
    if !matches!(found, Nix::Other) {
        around.can_fail = true;
        around.prefix.extend(argv.iter().take(place).map(|word| word.text.clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Unwrapped, unwrap};
    use crate::evidence::command::word::Word;

    fn words(text: &str) -> Vec<Word> {
        text.split(' ').map(Word::resolve).collect()
    }

    fn inner(text: &str) -> String {
        match unwrap(words(text)) {
            Unwrapped::Command(inner) => {
                inner.argv.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
            }
            Unwrapped::Script { text, .. } => format!("<{text}>"),
            Unwrapped::Opaque => "?".to_owned(),
        }
    }

    #[test]
    fn wrappers_come_off() {
        for (text, expected) in [
            ("env -u X A=1 cargo test", "cargo test"),
            ("timeout -k 5 60s cargo test", "cargo test"),
            ("timeout --signal=INT 60 nice -n 5 nohup cargo test", "cargo test"),
            ("sudo -u web A=1 pytest", "pytest"),
            ("xvfb-run -a npx playwright test", "playwright test"),
            ("uv run --with x pytest -q", "pytest -q"),
            ("uv run -m pytest", "python -m pytest"),
            ("poetry run pytest", "pytest"),
            ("pipx run ruff check", "ruff check"),
            ("npx --yes jest@29 --ci", "jest --ci"),
            ("npx @scope/x", "@scope/x"),
            ("bunx vitest", "vitest"),
            ("pnpm --filter web exec tsc", "tsc"),
            ("docker compose -f x.yml exec -T web pytest", "pytest"),
            ("docker exec -it -u me web bash -lc pytest", "<pytest>"),
            ("nix develop .#ci -c cargo test", "cargo test"),
            ("nix-shell --run pytest", "<pytest>"),
            ("bash -eo pipefail -c make", "<make>"),
            ("bash -n -c make", "?"),
            ("bash run.sh", "bash run.sh"),
            ("command -v cargo", "command -v cargo"),
            ("command cargo test", "cargo test"),
            ("cargo test", "cargo test"),
            ("$X test", "$X test"),
        ] {
            assert_eq!(inner(text), expected, "{text}");
        }
    }
}

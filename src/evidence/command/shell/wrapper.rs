//! Programs that run another program: what they run, and whether a failing status can be their own.

use super::launchers::{Kind, MOVING, WRAPPERS, Wrapper};
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
    /// The wrapper can stop it, with a status of its own that no other program gives.
    pub can_stop: bool,
    /// The wrapper returns at once.
    pub detached: bool,
    /// `exec`: nothing of the script runs behind it.
    pub replaces: bool,
    /// Changes the work directory in a way that is not followed.
    pub elsewhere: bool,
    /// A shell on another machine runs it.
    pub remote: bool,
}

/// A command and what was around it.
#[derive(Debug)]
pub struct Inner {
    /// The words of the command itself.
    pub argv: Vec<Word>,
    /// What was around it.
    pub around: Around,
}

/// A shell that a text can be given to.
pub fn is_shell(program: &str) -> bool {
    ["bash", "sh", "zsh", "dash"].contains(&program_name(program))
}

/// Most wrappers around one command.
const WRAPPINGS: usize = 8;

/// Takes the wrappers off.
pub fn unwrap(mut argv: Vec<Word>) -> Unwrapped {
    let mut around = Around::default();
    for _ in 0..WRAPPINGS {
        let Some(program) = argv.first().and_then(Word::plain).map(program_name) else {
            return Unwrapped::Command(Inner { argv, around });
        };
        if is_shell(program) {
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
        if let Some(text) = sent(&argv, &mut around) {
            return Unwrapped::Script { text, pipefail: false, errexit: false, around };
        }
        if let Some(inner) = in_pod(&argv, &mut around) {
            argv = inner;
            continue;
        }
        let Some((wrapper, rest)) =
            WRAPPERS.iter().find_map(|wrapper| Some((wrapper, opened(wrapper, &argv)?)))
        else {
            return Unwrapped::Command(Inner { argv, around });
        };
        if program == "env" && splits(&argv) {
            return Unwrapped::Opaque;
        }
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

/// What `ssh` is to run on its host: its words, which a shell there reads as one text.
pub fn over_ssh(argv: &[Word]) -> Option<&[Word]> {
    const VALUED: &[&str] = &[
        "-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-e", "-m", "-S", "-W", "-w",
    ];
    if program_name(argv.first()?.plain()?) != "ssh" {
        return None;
    }
    let mut place = 1;
    while let Some(word) = argv.get(place).filter(|word| word.text.starts_with('-')) {
        place += if VALUED.contains(&word.text.as_str()) { 2 } else { 1 };
    }
    argv.get(place + 1..).filter(|words| !words.is_empty())
}

/// `ssh host 'script'`, where the script is known.
fn sent(argv: &[Word], around: &mut Around) -> Option<String> {
    let script = over_ssh(argv)?;
    let words: Vec<&str> = script.iter().map(Word::plain).collect::<Option<_>>()?;
    around.prefix.extend(argv.iter().take(argv.len() - script.len()).map(|word| word.text.clone()));
    (around.can_fail, around.elsewhere, around.remote) = (true, true, true);
    Some(words.join(" "))
}

/// `kubectl exec pod -- words`.
fn in_pod(argv: &[Word], around: &mut Around) -> Option<Vec<Word>> {
    let kubectl = program_name(argv.first()?.plain()?) == "kubectl";
    if !kubectl || !argv.iter().skip(1).take(4).any(|word| word.text == "exec") {
        return None;
    }
    let place = argv.iter().position(|word| word.text == "--")? + 1;
    let inner = argv.get(place..).filter(|words| !words.is_empty())?.to_vec();
    around.prefix.extend(argv.iter().take(place).map(|word| word.text.clone()));
    (around.can_fail, around.elsewhere) = (true, true);
    Some(inner)
}

/// `env -S 'a b'` makes words out of one.
fn splits(argv: &[Word]) -> bool {
    argv.iter().skip(1).take_while(|word| word.text.starts_with('-')).any(|word| {
        word.text.starts_with("-S") || word.text.starts_with("--split-string") || word.text.starts_with("-vS")
    })
}

/// The command inside a wrapper, which begins at `start`.
fn inside(wrapper: &Wrapper, argv: &[Word], start: usize, around: &mut Around) -> Option<Vec<Word>> {
    let mut options = Vec::new();
    let mut place = skip_options(wrapper, argv, start, &mut options)?;
    let name = *wrapper.words.first()?;
    let has = |option: &str| options.iter().any(|seen| seen == option);
    // `command -v x` only asks; another entry point is another program.
    if (name == "command" && (has("-v") || has("-V"))) || has("--entrypoint") {
        return None;
    }
    around.elsewhere |= options.iter().any(|seen| MOVING.contains(&seen.as_str()));
    if matches!(name, "env" | "sudo" | "doas" | "cross-env") {
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
    around.can_fail |= wrapper.kind == Kind::Border || (name == "env" && has("-C")) || has("--chdir");
    around.can_stop |= matches!(name, "timeout" | "gtimeout");
    let docker = matches!(name, "docker" | "docker-compose" | "podman");
    around.detached |= docker && (has("-d") || has("--detach"));
    around.elsewhere |= docker;
    Some(inner)
}

/// `NAME=value`.
pub fn assignment(word: &Word) -> Option<(String, Word)> {
    let (name, value) = word.text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
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
            if flags == "n" {
                return Unwrapped::Command(Inner { argv, around });
            }
            // Ended behind one command, and what a shell refuses.
            if !flags.bytes().all(|flag| b"abcefhilmopsuvxBCEHPT".contains(&flag)) {
                return Unwrapped::Opaque;
            }
            if flags.contains('o') {
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

/// A shell without the name of a script: it reads one from its standard input.
pub fn reads_its_script(argv: &[Word]) -> bool {
    let Some((program, words)) = argv.split_first() else { return false };
    let shell = program.plain().is_some_and(is_shell);
    shell && words.iter().all(|word| word.text.starts_with('-') && !word.text.starts_with("--"))
}

/// The text of `eval` where its words are all known.
pub fn evaluated(argv: &[Word]) -> Option<String> {
    let (program, words) = argv.split_first()?;
    let known = program.plain() == Some("eval") && !words.iter().any(|word| word.text.starts_with('-'));
    let words: Option<Vec<&str>> = words.iter().map(Word::plain).collect();
    words.filter(|_| known).map(|words| words.join(" "))
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
    use crate::evidence::command::shell::word::Word;

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
            ("docker run --rm -v a:b -w /w rust:1 cargo test", "cargo test"),
            ("docker run --rm --entrypoint pytest image -q", "docker run --rm --entrypoint pytest image -q"),
            ("docker run image", "docker run image"),
            ("docker compose run --rm web pytest", "pytest"),
            ("npx cross-env CI=1 jest", "jest"),
            ("env -C web npm test", "npm test"),
            ("env -S pytest", "?"),
            ("conda run -n x pytest", "pytest"),
            ("kubectl exec -n x pod -c y -- pytest -q", "pytest -q"),
            ("kubectl get pods", "kubectl get pods"),
            ("ssh -p 22 host cargo test", "<cargo test>"),
            ("ssh host", "ssh host"),
            ("flock lock cargo test", "cargo test"),
            ("bash -l-c make", "?"),
            ("nix develop .#ci -c cargo test", "cargo test"),
            ("nix-shell --run pytest", "<pytest>"),
            ("bash -eo pipefail -c make", "<make>"),
            ("bash -n -c make", "bash -n -c make"),
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

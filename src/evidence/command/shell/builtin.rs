//! The state of a shell that its builtins change: work directory, options, and whether it may have ended early.

use super::directory::Directory;
use super::word::{Form, Word};

/// An option of the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Not set.
    Off,
    /// Set.
    On,
    /// Set on a path that may not have run.
    Perhaps,
}

impl Switch {
    /// Set or not.
    pub const fn of(set: bool) -> Self {
        if set { Self::On } else { Self::Off }
    }
}

/// The options that decide whose status a script has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `set -o pipefail`.
    pub pipefail: Switch,
    /// `set -e`.
    pub errexit: Switch,
}

impl Options {
    /// As a shell starts.
    pub const DEFAULT: Self = Self { pipefail: Switch::Off, errexit: Switch::Off };
}

/// How commands may end the shell early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaving {
    /// With any status, success too.
    pub any: bool,
    /// With a literal 1 or 2.
    pub failing: bool,
    /// With another status than 0.
    pub boldly: bool,
}

impl Leaving {
    /// In one of the ways of both.
    pub const fn or(self, other: Self) -> Self {
        Self {
            any: self.any || other.any,
            failing: self.failing || other.failing,
            boldly: self.boldly || other.boldly,
        }
    }
}

/// A word that this analysis trusts to mean what the shell means by it.
pub fn steers(name: &str) -> bool {
    const NAMES: &[&str] = &[
        ".", "[", "alias", "bash", "builtin", "command", "dash", "enable", "env", "eval", "exec", "exit",
        "kill", "logout", "nice", "nohup", "return", "sh", "source", "stdbuf", "time", "timeout", "trap",
        "zsh",
    ];
    NAMES.binary_search(&name).is_ok()
}

/// The status of a literal `exit N`, as the shell takes it.
pub fn literal_status(word: &Word) -> Option<u8> {
    word.plain()?.parse::<u64>().ok().and_then(|code| u8::try_from(code % 256).ok())
}

/// Files that a shell reads to set itself up, by the names that their makers give them. They are taken not to end
/// it with success; any other sourced file may.
fn sets_up(path: &str) -> bool {
    const NAMES: &[&str] = &[
        ".bash_profile",
        ".bashrc",
        ".env",
        ".envrc",
        ".profile",
        ".zprofile",
        ".zshenv",
        ".zshrc",
        "activate",
        "asdf.sh",
        "conda.sh",
        "emsdk_env.sh",
        "env",
        "nvm.sh",
        "profile",
        "sdkman-init.sh",
        "setup.bash",
    ];
    NAMES.binary_search(&path.rsplit('/').next().unwrap_or(path)).is_ok()
}

/// The shell at one place of its script.
#[derive(Clone, Debug)]
pub struct Shell {
    /// Where it stands.
    pub directory: Directory,
    /// Its options.
    pub options: Options,
    /// This place is reached whatever came before.
    pub certain: bool,
    /// A failure here does not end it under `set -e`.
    pub spared: bool,
    /// `exec` took its place.
    pub replaced: bool,
    /// What may have ended it.
    pub leaving: Leaving,
}

impl Shell {
    /// At its start.
    pub fn new(directory: Directory, options: Options) -> Self {
        Self {
            directory,
            options,
            certain: true,
            spared: false,
            replaced: false,
            leaving: Leaving::default(),
        }
    }

    /// What a builtin changes.
    pub fn run(&mut self, argv: &[Word]) {
        let Some((program, words)) = argv.split_first() else { return };
        match program.plain() {
            Some("cd" | "pushd") => {
                let target = words.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
                let home = Word { text: "~".to_owned(), form: Form::Tilde };
                self.directory = self.directory.entered(target.unwrap_or(&home));
            }
            Some("popd") => {
                self.directory =
                    self.directory.entered(&Word { text: "$OLDPWD".to_owned(), form: Form::Expanded });
            }
            Some("set") => self.set(words),
            Some("exit" | "return") => match words.first().and_then(literal_status) {
                Some(1 | 2) => self.leaving.failing = true,
                Some(3..) => self.leaving.boldly = true,
                Some(0) | None => self.leaving.any = true,
            },
            // `exec` without a command only moves the shell's own descriptors, and with them all output; what
            // `kill` and `enable` do to this shell is not followed, nor is a text that is made as it runs.
            Some("exec" | "logout" | "eval" | "kill" | "enable") => self.leaving.any = true,
            // Names of commands may mean something else from here on.
            Some("alias") => self.leaving.any |= words.iter().any(|word| word.text.contains('=')),
            Some("shopt") => self.leaving.any |= words.iter().any(|word| word.text == "expand_aliases"),
            Some("source" | ".") => {
                let quiet = words.first().and_then(Word::plain).is_some_and(sets_up);
                self.leaving.boldly |= quiet;
                self.leaving.any |= !quiet;
            }
            _ => {}
        }
    }

    fn set(&mut self, words: &[Word]) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some((sign, flags)) = word.text.split_at_checked(1) else { continue };
            let value = match sign {
                "-" if self.certain => Switch::On,
                "+" if self.certain => Switch::Off,
                "-" | "+" => Switch::Perhaps,
                _ => continue,
            };
            // `--`, and `-` alone, end the options.
            if flags.is_empty() || flags.starts_with('-') {
                return;
            }
            if flags.contains('e') {
                self.options.errexit = value;
            }
            // Reads without running, or ends behind one command.
            self.leaving.any |= flags.contains(['n', 't']);
            for _ in flags.matches('o') {
                match words.next().map(|word| word.text.as_str()) {
                    Some("pipefail") => self.options.pipefail = value,
                    Some("errexit") => self.options.errexit = value,
                    Some("noexec" | "onecmd") => self.leaving.any = true,
                    _ => {}
                }
            }
        }
    }
}

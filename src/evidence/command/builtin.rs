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

/// Commands that may end the shell early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaving {
    /// With any status, success too.
    pub any: bool,
    /// With failure only.
    pub failing: bool,
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
        // Behind `exec` nothing runs; that something stands there makes all of it doubtful.
        self.leaving.any |= self.replaced;
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
            Some("exit" | "return") => {
                let code = words.first().and_then(Word::plain).and_then(|code| code.parse::<u64>().ok());
                let failing = code.is_some_and(|code| code % 256 != 0);
                self.leaving.failing |= failing;
                self.leaving.any |= !failing;
            }
            // `exec` without a command only moves the shell's own descriptors, and with them all output.
            Some("exec" | "trap" | "logout") => self.leaving.any = true,
            Some("source" | "." | "eval") => self.leaving.failing = true,
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
            if flags.contains('e') && !flags.starts_with('-') {
                self.options.errexit = value;
            }
            if flags.ends_with('o') {
                match words.next().map(|word| word.text.as_str()) {
                    Some("pipefail") => self.options.pipefail = value,
                    Some("errexit") => self.options.errexit = value,
                    _ => {}
                }
            }
        }
    }
}

//! What comes in from outside a stage, in one value, so that a test owns it: clock, environment, folders,
//! interruption.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use camino::{Utf8Path, Utf8PathBuf};

use crate::base::clock::Clock;
use crate::base::ids::Harness;

/// The world of one command.
pub struct World<'w> {
    /// The only clock.
    pub clock: &'w dyn Clock,
    /// The environment variables that are looked at; others are never read.
    pub environment: BTreeMap<String, String>,
    /// The working directory, absolute.
    pub working_directory: Utf8PathBuf,
    /// Set by SIGINT.
    pub interrupted: Arc<AtomicBool>,
    /// Standard input and error are a terminal: a person is there.
    pub terminal: bool,
}

impl World<'_> {
    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The home folder.
    pub fn home(&self) -> Option<Utf8PathBuf> {
        self.variable("HOME").map(Utf8PathBuf::from)
    }

    /// A path as seen from the working directory.
    pub fn absolute(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.working_directory.join(path)
    }

    /// The homes of the harnesses, below which they keep their transcripts.
    pub fn harness_homes(&self) -> Vec<(Harness, Utf8PathBuf)> {
        let home = |harness, variable: &str, folder: &str| {
            let named = self.variable(variable).map(|path| self.absolute(Utf8Path::new(path)));
            named.or_else(|| self.home().map(|home| home.join(folder))).map(|path| (harness, path))
        };
        let claude = home(Harness::Claude, "CLAUDE_CONFIG_DIR", ".claude");
        claude.into_iter().chain(home(Harness::Codex, "CODEX_HOME", ".codex")).collect()
    }
}

//! What comes in from outside a stage, in one value, so that a test owns it: clock, environment, folders,
//! interruption.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use camino::Utf8PathBuf;

use crate::base::clock::Clock;

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
    pub fn absolute(&self, path: &camino::Utf8Path) -> Utf8PathBuf {
        self.working_directory.join(path)
    }

    /// Roots below which the harnesses of this machine keep their transcripts.
    pub fn harness_roots(&self) -> Vec<Utf8PathBuf> {
        let home = self.home();
        let root = |variable: &str, folder: &str| {
            self.variable(variable)
                .map(Utf8PathBuf::from)
                .or_else(|| home.as_ref().map(|home| home.join(folder)))
        };
        [root("CLAUDE_CONFIG_DIR", ".claude"), root("CODEX_HOME", ".codex")].into_iter().flatten().collect()
    }
}

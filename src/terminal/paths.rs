//! Paths that may be left out: all of a command's together, never one alone.

use camino::Utf8PathBuf;

use crate::base::Result;
use crate::report::Format;
use crate::stage::World;
use crate::stage::place::{MANIFEST_FILE, only_default_folder};

/// Finds paths in the default folder where none is given.
pub struct Paths<'w> {
    world: &'w World<'w>,
}

impl<'w> Paths<'w> {
    /// Of one command.
    pub const fn new(world: &'w World<'w>) -> Self {
        Self { world }
    }

    /// The manifest.
    ///
    /// # Errors
    /// `default-folder-ambiguous`, as all of these.
    pub fn manifest(&self, given: Option<&Utf8PathBuf>) -> Result<Utf8PathBuf> {
        self.or_default(given, MANIFEST_FILE)
    }

    /// The accounting draft.
    ///
    /// # Errors
    /// `default-folder-ambiguous`.
    pub fn draft(&self, given: Option<&Utf8PathBuf>) -> Result<Utf8PathBuf> {
        self.or_default(given, "accounting.draft.json")
    }

    /// The sealed accounting.
    ///
    /// # Errors
    /// `default-folder-ambiguous`.
    pub fn accounting(&self, given: Option<&Utf8PathBuf>) -> Result<Utf8PathBuf> {
        self.or_default(given, "accounting.json")
    }

    /// The synthesis.
    ///
    /// # Errors
    /// `default-folder-ambiguous`.
    pub fn synthesis(&self, given: Option<&Utf8PathBuf>) -> Result<Utf8PathBuf> {
        self.or_default(given, "synthesis.json")
    }

    /// The recap in a format.
    ///
    /// # Errors
    /// `default-folder-ambiguous`.
    pub fn recap(&self, given: Option<&Utf8PathBuf>, format: Format) -> Result<Utf8PathBuf> {
        self.or_default(given, &format!("recap.{}", format.extension()))
    }

    fn or_default(&self, given: Option<&Utf8PathBuf>, name: &str) -> Result<Utf8PathBuf> {
        match given {
            Some(path) => Ok(path.clone()),
            None => Ok(only_default_folder(self.world)?.join(name)),
        }
    }
}

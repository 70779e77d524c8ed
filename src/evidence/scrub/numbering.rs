//! stub
use std::collections::BTreeMap;

use super::text::Scrubbed;
use crate::evidence::transcript::raw::Raw;

/// Raw text with the places of its secrets.
pub struct Spotted {
    raw: Raw,
}

impl Spotted {
    /// Finds the secrets.
    pub fn new(raw: Raw, _spotter: &crate::base::credential::Spotter) -> Self {
        Self { raw }
    }
}

/// Numbers values.
#[derive(Default)]
pub struct Numbering {
    counts: BTreeMap<&'static str, u64>,
}

impl Numbering {
    /// New.
    pub fn new(_key: [u8; 32]) -> Self {
        Self::default()
    }
    /// Scrubs.
    pub fn scrub(&mut self, spotted: Spotted) -> Scrubbed {
        Scrubbed::from_ledger(spotted.raw.into_clean(), Vec::new())
    }
    /// Counts.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }
}

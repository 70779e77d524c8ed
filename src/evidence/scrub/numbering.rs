//! The numbers of secrets: the same value has the same number within a boundary.
//!
//! Known are only keyed hashes of the values; with another key, or without it, they say nothing. Numbers begin at 1 and count
//! over all kinds, in the order in which values first occur.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::text::{Scrubbed, Spotted};
use crate::base::credential::marker;

/// Bytes of a keyed hash that are kept: enough that two values never share a number.
const KEPT_BYTES: usize = 16;

/// What a numbering knows, as it is saved: keyed hashes and counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The first bytes of the keyed hash of each value, in the order of their numbers from 1.
    hashes: Vec<[u8; KEPT_BYTES]>,
    /// Redactions by kind.
    counts: BTreeMap<Cow<'static, str>, u64>,
    /// What was seen and stays.
    kept: Kept,
}

/// What was seen and left where it stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Marks that somebody else left in place of secrets.
    pub marks: u64,
    /// Values that a policy allows.
    pub allowed: u64,
}

impl Kept {
    /// Whether nothing was.
    pub const fn is_nothing(&self) -> bool {
        self.marks == 0 && self.allowed == 0
    }
}

/// Gives secrets their numbers.
pub struct Numbering {
    key: Zeroizing<[u8; 32]>,
    numbers: HashMap<[u8; KEPT_BYTES], u64>,
    counts: BTreeMap<Cow<'static, str>, u64>,
    kept: Kept,
}

impl Numbering {
    /// A numbering that knows no value yet; `key` is a secret of the ledger.
    pub fn new(key: [u8; 32]) -> Self {
        Self {
            key: Zeroizing::new(key),
            numbers: HashMap::new(),
            counts: BTreeMap::new(),
            kept: Kept::default(),
        }
    }

    /// A numbering that goes on from a saved one; `None` where a hash stands twice in it.
    pub fn resume(key: [u8; 32], saved: Known) -> Option<Self> {
        let mut numbering = Self { counts: saved.counts, kept: saved.kept, ..Self::new(key) };
        for (hash, number) in saved.hashes.into_iter().zip(1..) {
            if numbering.numbers.insert(hash, number).is_some() {
                return None;
            }
        }
        Some(numbering)
    }

    /// What is known; equal states are equal bytes.
    pub fn save(&self) -> Known {
        let mut known: Vec<(u64, [u8; KEPT_BYTES])> =
            self.numbers.iter().map(|(hash, number)| (*number, *hash)).collect();
        known.sort_unstable();
        let hashes = known.into_iter().map(|(_, hash)| hash).collect();
        Known { hashes, counts: self.counts.clone(), kept: self.kept }
    }

    /// Replaces the secrets of a text by their marks. Texts must come in the order of the session.
    pub fn scrub(&mut self, spotted: Spotted) -> Scrubbed {
        let (marks, allowed) = spotted.kept();
        self.keep(marks, allowed);
        spotted.replace(|kind, secret| self.mark(kind, secret))
    }

    /// The number of a value and the mark in its place; counted.
    pub(super) fn mark(&mut self, kind: &'static str, secret: &str) -> (u64, String) {
        let number = self.number_of(secret);
        *self.counts.entry(Cow::Borrowed(kind)).or_default() += 1;
        (number, marker(kind, number))
    }

    /// Counts what was seen and stays.
    pub(super) const fn keep(&mut self, marks: u64, allowed: u64) {
        self.kept.marks += marks;
        self.kept.allowed += allowed;
    }

    /// What was seen and stays.
    pub const fn kept(&self) -> Kept {
        self.kept
    }

    /// Redactions by kind.
    pub const fn counts(&self) -> &BTreeMap<Cow<'static, str>, u64> {
        &self.counts
    }

    fn number_of(&mut self, secret: &str) -> u64 {
        let hash = blake3::keyed_hash(&self.key, secret.as_bytes());
        let mut kept = [0; KEPT_BYTES];
        for (slot, byte) in kept.iter_mut().zip(hash.as_bytes()) {
            *slot = *byte;
        }
        let next = self.numbers.len() as u64 + 1;
        *self.numbers.entry(kept).or_insert(next)
    }
}

impl std::fmt::Debug for Numbering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Numbering({} values)", self.numbers.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, Numbering, Scrubbed, Spotted};
    use crate::base::credential::Spotter;
    use crate::evidence::transcript::Raw;

    fn scrub(numbering: &mut Numbering, text: &str) -> Scrubbed {
        numbering.scrub(Spotted::new(Raw::from(text.to_owned()), Spotter::global()))
    }

    fn token(letter: char) -> String {
        format!("ghp_{}", format!("{letter}1b2C3d4").repeat(5))
    }

    #[test]
    fn the_same_value_has_the_same_number_in_every_text() {
        let mut numbering = Numbering::new([7; 32]);
        let first = scrub(&mut numbering, &format!("a {} b {} c", token('x'), token('y')));
        assert_eq!(first.as_str(), "a [redacted:github-token#1] b [redacted:github-token#2] c");
        let second = scrub(&mut numbering, &format!("again {}", token('y')));
        assert_eq!(second.as_str(), "again [redacted:github-token#2]");
        assert_eq!(
            second.redactions().iter().map(|r| (r.start, r.end, r.number)).collect::<Vec<_>>(),
            [(6, 31, 2)]
        );
        assert_eq!(numbering.counts().get("github-token"), Some(&3));
    }

    #[test]
    fn a_saved_numbering_goes_on_and_a_damaged_one_is_refused() {
        let mut numbering = Numbering::new([7; 32]);
        scrub(&mut numbering, &format!("{} {}", token('x'), token('y')));
        let saved = numbering.save();
        let mut resumed = Numbering::resume([7; 32], saved.clone()).unwrap();
        assert_eq!(scrub(&mut resumed, &token('y')).as_str(), "[redacted:github-token#2]");
        assert_eq!(scrub(&mut resumed, &token('z')).as_str(), "[redacted:github-token#3]");
        assert_eq!(resumed.counts().get("github-token"), Some(&4));
        let twice = Known { hashes: vec![saved.hashes[0]; 2], ..saved };
        assert!(Numbering::resume([7; 32], twice).is_none());
    }

    #[test]
    fn text_of_marks_alone_is_known_and_foreign_marks_are_text() {
        let mut numbering = Numbering::new([7; 32]);
        assert!(scrub(&mut numbering, &format!("- {}.\n", token('x'))).only_redactions());
        assert!(!scrub(&mut numbering, &format!("use {}", token('x'))).only_redactions());
        assert!(!scrub(&mut numbering, "[redacted:github-token#1]").only_redactions());
    }
}

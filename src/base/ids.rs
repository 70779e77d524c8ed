//! Identities that cannot stand in for one another: boundary, event, ordinal, harness.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::digest::{decode_hex, encode_hex};

/// Which program wrote a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Harness {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
}

impl Harness {
    /// The name used in boundary ids, folders and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }
}

/// The place of an event in its ledger, contiguous from 0.
pub type Ordinal = u64;

/// `recap://<harness>/<16 hex>`: one native session, the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundaryId {
    harness: Harness,
    value: [u8; 8],
}

impl BoundaryId {
    /// Derives the id: the first 8 bytes of a SHA-256 over a domain string and the length-prefixed harness name, native session id,
    /// agent id and rollout id (an absent part is an empty one).
    pub fn derive(harness: Harness, session: &str, agent: Option<&str>, rollout: Option<&str>) -> Self {
        let mut hasher = super::digest::Hasher::default();
        hasher.update(b"recap boundary id v1\0");
        for part in [harness.name(), session, agent.unwrap_or(""), rollout.unwrap_or("")] {
            hasher.update(&(part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        let digest = hasher.finish();
        let mut value = [0; 8];
        value.copy_from_slice(digest.as_bytes().split_at(8).0);
        Self { harness, value }
    }

    /// Reads the printed form; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("recap://")?;
        let (name, hex) = rest.split_once('/')?;
        let harness = [Harness::Claude, Harness::Codex].into_iter().find(|harness| harness.name() == name)?;
        let mut value = [0; 8];
        decode_hex(hex, &mut value).then_some(Self { harness, value })
    }

    /// The harness of the session.
    pub const fn harness(self) -> Harness {
        self.harness
    }

    /// The 16 hexadecimal digits.
    pub fn hex(self) -> String {
        encode_hex(&self.value)
    }
}

impl std::fmt::Display for BoundaryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "recap://{}/{}", self.harness.name(), self.hex())
    }
}

impl std::fmt::Debug for BoundaryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for BoundaryId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BoundaryId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a boundary id"))
    }
}

/// `e<ordinal>-<12 hex>`: an event and the proof that whoever wrote the id had seen the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    ordinal: Ordinal,
    tag: [u8; 6],
}

impl EventId {
    /// Joins an ordinal and its keyed tag.
    pub const fn new(ordinal: Ordinal, tag: [u8; 6]) -> Self {
        Self { ordinal, tag }
    }

    /// Reads the printed form; anything else is `None` (leading zeros included).
    pub fn parse(text: &str) -> Option<Self> {
        let (digits, hex) = text.strip_prefix('e')?.split_once('-')?;
        let plain = digits == "0" || !digits.starts_with('0');
        if !plain || digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let ordinal = digits.parse().ok().filter(|ordinal| *ordinal <= super::limits::INTEGER_MAX)?;
        let mut tag = [0; 6];
        decode_hex(hex, &mut tag).then_some(Self { ordinal, tag })
    }

    /// The place in the ledger.
    pub const fn ordinal(self) -> Ordinal {
        self.ordinal
    }

    /// The keyed tag.
    pub const fn tag(self) -> [u8; 6] {
        self.tag
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "e{}-{}", self.ordinal, encode_hex(&self.tag))
    }
}

impl std::fmt::Debug for EventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for EventId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            (self.ordinal, self.tag).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for EventId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return <(Ordinal, [u8; 6])>::deserialize(deserializer)
                .map(|(ordinal, tag)| Self::new(ordinal, tag));
        }
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not an event id"))
    }
}

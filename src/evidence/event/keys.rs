//! What the ledger's secret is for: event ids and salts that nobody can guess or invent.

use secrecy::{ExposeSecret, SecretBox};

use crate::base::ids::{BoundaryId, EventId, Ordinal};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::transcript::item::Surface;

/// Bytes of the secret.
pub const SECRET_BYTES: usize = 32;

/// The 32 bytes of one ledger. Never in a receipt, manifest, proof, packet or export.
pub struct Secret(SecretBox<[u8; SECRET_BYTES]>);

impl Secret {
    /// New randomness from the operating system.
    ///
    /// # Errors
    /// `read-failed` when the system gives none.
    pub fn generate() -> Result<Self> {
        let mut bytes = Box::new([0; SECRET_BYTES]);
        getrandom::fill(bytes.as_mut_slice())
            .map_err(|_| Refusal::new(Code::ReadFailed).at("system randomness"))?;
        Ok(Self(SecretBox::new(bytes)))
    }

    /// The secret of a file.
    ///
    /// # Errors
    /// `secret-invalid` unless it is 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bytes: [u8; SECRET_BYTES] = bytes.try_into().map_err(|_| Refusal::new(Code::SecretInvalid))?;
        Ok(Self(SecretBox::new(Box::new(bytes))))
    }

    /// The bytes, for the one file that keeps them.
    pub fn expose(&self) -> &[u8] {
        self.0.expose_secret()
    }

    /// A key for one purpose.
    fn derive(&self, purpose: &str) -> [u8; 32] {
        blake3::derive_key(purpose, self.0.expose_secret())
    }

    /// The key under which the scrubber remembers values.
    pub fn numbering_key(&self) -> [u8; 32] {
        self.derive("recap 2026 scrub numbering v1")
    }

    /// The key under which fingerprints of native ids and contents are kept.
    pub fn fingerprint_key(&self) -> [u8; 32] {
        self.derive("recap 2026 fingerprint v1")
    }

    /// The code that binds a kept state of a collection to this ledger.
    pub fn resume_code(&self, bytes: &[u8]) -> [u8; 32] {
        *blake3::keyed_hash(&self.derive("recap 2026 resume v2"), bytes).as_bytes()
    }

    /// The tag that frames reading commands.
    pub fn frame_tag(&self, boundary: BoundaryId) -> String {
        let key = self.derive("recap 2026 frame tag v1");
        let hash = blake3::keyed_hash(&key, boundary.to_string().as_bytes());
        crate::base::digest::encode_hex(hash.as_bytes().split_at(4).0)
    }

    /// The maker of ids and salts of one boundary.
    pub fn event_keys(&self, boundary: BoundaryId) -> EventKeys {
        EventKeys {
            id: self.derive("recap 2026 event id v1"),
            salt: self.derive("recap 2026 event salt v1"),
            boundary: boundary.to_string(),
        }
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Makes event ids and salts.
pub struct EventKeys {
    id: [u8; 32],
    salt: [u8; 32],
    boundary: String,
}

impl EventKeys {
    /// `e<ordinal>-<12 hex>`: keyed BLAKE3 over boundary id, offset, item, surface and text, each with its length.
    pub fn event_id(
        &self,
        ordinal: Ordinal,
        offset: u64,
        item: u32,
        surface: Surface,
        text: &str,
    ) -> EventId {
        let mut hasher = blake3::Hasher::new_keyed(&self.id);
        field(&mut hasher, self.boundary.as_bytes());
        field(&mut hasher, &offset.to_be_bytes());
        field(&mut hasher, &item.to_be_bytes());
        field(&mut hasher, surface.name().as_bytes());
        field(&mut hasher, text.as_bytes());
        let mut tag = [0; 6];
        hasher.finalize_xof().fill(&mut tag);
        EventId::new(ordinal, tag)
    }

    /// 16 bytes of keyed BLAKE3 over boundary id, ordinal, offset and item.
    pub fn salt(&self, ordinal: Ordinal, offset: u64, item: u32) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_keyed(&self.salt);
        field(&mut hasher, self.boundary.as_bytes());
        field(&mut hasher, &ordinal.to_be_bytes());
        field(&mut hasher, &offset.to_be_bytes());
        field(&mut hasher, &item.to_be_bytes());
        let mut salt = [0; 16];
        hasher.finalize_xof().fill(&mut salt);
        salt
    }
}

fn field(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_be_bytes());
    hasher.update(bytes);
}

impl std::fmt::Debug for EventKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EventKeys")
    }
}

//! `SHA256SUMS`: every stream file of a ledger folder with its digest, so that `sha256sum -c SHA256SUMS` checks them
//! with nothing of ours. Derived: it is written behind every commit and counts for nothing.

use std::fmt::Write as _;

use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::private::Folder;
use crate::evidence::ledger::write::segment_file;
use crate::evidence::manifest::Manifest;

/// Name of the file.
const SUMS_FILE: &str = "SHA256SUMS";

/// Every stream file that a manifest names.
pub fn files_of(manifest: &Manifest) -> Vec<String> {
    let segments = manifest.ledger.segments.iter().map(segment_file);
    let parts = manifest.ledger.parts.values().flatten();
    let streams = parts.chain(manifest.ledger.streams.values());
    segments.chain(streams.map(|stream| stream.file.clone())).collect()
}

/// Writes the sums of the named files.
///
/// # Errors
/// `write-failed` and what creating an artifact refuses.
pub fn write(folder: &Folder, names: impl IntoIterator<Item = String>) -> Result<()> {
    let mut sums = String::new();
    for name in names {
        // The digest is the name; a name without one is none of ours.
        if let Some(digest) = digest_of(&name) {
            // Writing into memory cannot fail.
            let _ = writeln!(sums, "{digest}  {name}");
        }
    }
    folder.write(SUMS_FILE, sums.as_bytes())
}

/// The digest that a stream file is named by.
pub fn digest_of(name: &str) -> Option<Digest> {
    name.split_once('.').and_then(|(digest, _)| Digest::parse(digest))
}

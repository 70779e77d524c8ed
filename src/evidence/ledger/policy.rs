//! The policy that a ledger was collected under. It lies beside the streams, named by its digest as they are, so that
//! whoever reads the ledger or writes about it looks for the same secrets as the collection did.

use super::stream::{self, StreamWriter};
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::policy::{POLICY_BYTES, Policy, Search};
use crate::base::private::Folder;
use crate::base::refusal::Refusal;
use crate::base::rules::Code;
use crate::evidence::manifest::{Manifest, POLICY_VERSION, Stream};

/// Its name among the streams of a manifest.
pub const STREAM: &str = "policy";
/// What stands behind its digest.
const EXTENSION: &str = "policy.json";
/// What mends a manifest whose parts disagree.
const ANEW: &str =
    "what it says of its policy does not agree; collect again, with the policy if there is one";
/// Between the built-in version and the digest of a team's policy.
const JOINT: char = '+';

/// The version that a manifest names: the built-in one and, with a policy, its digest.
pub fn policy_version(own: Option<Digest>) -> String {
    own.map_or_else(|| POLICY_VERSION.to_owned(), |own| format!("{POLICY_VERSION}{JOINT}{own}"))
}

/// Writes a policy's own bytes.
///
/// # Errors
/// `write-failed`.
pub fn write(folder: &Folder, document: &[u8]) -> Result<Stream> {
    let mut stream = StreamWriter::create(folder)?;
    stream.row(document)?;
    stream.finish(EXTENSION)
}

/// The search for secrets that a ledger was collected with.
///
/// # Errors
/// `manifest-invalid` where version and stream do not say the same; `stream-missing`, `stream-corrupt`; `policy-invalid`.
pub fn open(manifest: &Manifest, folder: &Folder) -> Result<Search> {
    let disagree = || Refusal::new(Code::ManifestInvalid).at(STREAM).hint(ANEW);
    let told = manifest.versions.policy.split_once(JOINT).map(|(_, digest)| digest);
    let stream = match (told, manifest.ledger.streams.get(STREAM)) {
        (None, None) => return Ok(Search::default()),
        (Some(told), Some(stream)) if Digest::parse(told) == Some(stream.sha256) => stream,
        _ => return Err(disagree()),
    };
    let named = stream.file == format!("{}.{EXTENSION}", stream.sha256) && stream.rows == 1;
    if !named || stream.bytes > POLICY_BYTES {
        return Err(disagree());
    }
    let bytes = stream::open(folder, &stream.file, stream.bytes)?.read_all(stream.bytes)?;
    if Digest::of(&bytes) != stream.sha256 {
        return Err(Refusal::new(Code::StreamCorrupt).at(&stream.file));
    }
    Policy::parse(&bytes).map(|policy| policy.search()).map_err(|refusal| refusal.at(&stream.file))
}

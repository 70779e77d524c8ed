//! The policy that a person names, read once and made into the search for secrets of one command.

use camino::Utf8Path;

use super::given;
use super::world::World;
use crate::base::digest::Digest;
use crate::base::policy::{POLICY_BYTES, Policy, Search};
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::ledger::policy::policy_version;

/// The search for secrets of one command.
#[derive(Default)]
pub struct Asked {
    /// What finds secrets.
    pub search: Search,
    /// The policy's own bytes and their digest; nothing where the built-in table is meant.
    pub document: Option<(Vec<u8>, Digest)>,
}

impl Asked {
    /// The version that a manifest names: the built-in one and, with a policy, its digest.
    pub fn version(&self) -> String {
        let own = self.document.as_ref().map(|(_, sha256)| *sha256);
        policy_version(own)
    }
}

/// The search that `policy` asks for, the built-in one without it.
///
/// # Errors
/// `policy-invalid`; what opening and reading the file refuses.
pub fn search(world: &World<'_>, policy: Option<&Utf8Path>) -> Result<Asked> {
    let Some(path) = policy else { return Ok(Asked::default()) };
    let source = Source::open(&world.absolute(path))?;
    let bytes = given::bounded(&source, POLICY_BYTES)?;
    if bytes.len() as u64 > POLICY_BYTES {
        return Err(Refusal::new(Code::PolicyInvalid).hint("it is longer than 256 KiB"));
    }
    let policy = Policy::parse(&bytes).map_err(|refusal| refusal.at(path))?;
    Ok(Asked { search: policy.search(), document: Some((bytes, policy.sha256)) })
}

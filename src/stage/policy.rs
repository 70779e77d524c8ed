//! The policy that a person names, read once and made into the search for secrets of one command.

use std::io::Read as _;

use camino::Utf8Path;

use super::world::World;
use crate::base::credential::Spotter;
use crate::base::policy::{POLICY_BYTES, Policy};
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::manifest::POLICY_VERSION;

/// The search for secrets of one command.
pub struct Search {
    /// A team's; the built-in one where there is none.
    own: Option<Spotter>,
    /// The version that a manifest names: the built-in one and, with a policy, its digest.
    pub version: String,
}

impl Search {
    /// What finds secrets.
    pub fn spotter(&self) -> &Spotter {
        self.own.as_ref().unwrap_or_else(|| Spotter::global())
    }
}

/// The search that `policy` asks for, the built-in one without it.
///
/// # Errors
/// `policy-invalid`; what opening and reading the file refuses.
pub fn search(world: &World<'_>, policy: Option<&Utf8Path>) -> Result<Search> {
    let Some(path) = policy else {
        return Ok(Search { own: None, version: POLICY_VERSION.to_owned() });
    };
    let source = Source::open(&world.absolute(path))?;
    let mut bytes = Vec::new();
    source
        .file()
        .take(POLICY_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| source.read_failed(error))?;
    if bytes.len() as u64 > POLICY_BYTES {
        return Err(Refusal::new(Code::PolicyInvalid).hint("it is longer than 256 KiB"));
    }
    let policy = Policy::parse(&bytes).map_err(|refusal| refusal.at(path))?;
    let version = format!("{POLICY_VERSION}+{}", policy.sha256);
    Ok(Search { own: Some(policy.spotter()), version })
}

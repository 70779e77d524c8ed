//! The manifest of a ledger that was just built: what the pass showed, what the repositories hold, what is known to
//! be missing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::repositories::Surveyed;
use super::world::World;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::ledger::build::Built;
use crate::evidence::manifest::{
    ANALYSIS_VERSION, Boundary, Coverage, Git, Ledger, MANIFEST_SCHEMA, Manifest, READER_VERSION,
    SCRUBBER_VERSION, SessionObserved, Source as SourceFacts, Versions,
};
use crate::evidence::transcript::detect::Inherited;
use crate::evidence::transcript::input::Input;
use crate::evidence::transcript::reading::{Identity, UNKNOWN_MODE_FORM};

/// The versions of this program's parts, under the policy of that version.
pub fn versions(policy: &str) -> Versions {
    Versions {
        recap: env!("CARGO_PKG_VERSION").to_owned(),
        reader: READER_VERSION.to_owned(),
        scrubber: SCRUBBER_VERSION.to_owned(),
        policy: policy.to_owned(),
    }
}

/// Puts the manifest together.
///
/// # Errors
/// `read-failed` when the source cannot be asked for its size any more.
pub fn manifest(
    world: &World<'_>,
    input: &Input,
    identity: &Identity,
    inherited: &Inherited,
    built: Built,
    surveyed: Surveyed,
    policy: &str,
) -> Result<Manifest> {
    let end = SourceEnd::of(input, &built)?;
    let limitations = limitations(&built, &surveyed, identity, inherited, end);
    let damaged = built.coverage.partial_tail.is_some() || built.coverage.records.contains_key("malformed");
    let coverage = Coverage { source_complete: !end.shrunk && !end.replaced && !damaged, ..built.coverage };
    let observed = built.streams.get("observations");
    let observed = observed.ok_or_else(|| Refusal::new(Code::ManifestInvalid))?;
    let owned = |counts: &BTreeMap<Cow<'static, str>, u64>| {
        counts.iter().map(|(kind, count)| (kind.to_string(), *count)).collect()
    };
    Ok(Manifest {
        schema_version: MANIFEST_SCHEMA.to_owned(),
        boundary: boundary(identity),
        collected_at: world.clock.now().to_string(),
        source: SourceFacts {
            size: built.pass.bytes_read,
            blake3: built.blake3.to_hex().to_string(),
            terminated: built.pass.terminated,
            live: end.live,
            flags: source_flags(input, built.pass.byte_order_mark),
        },
        coverage,
        git: Git {
            session_observed: SessionObserved {
                sha256: observed.sha256,
                records: observed.rows,
                analysis_version: ANALYSIS_VERSION.to_owned(),
                counts: owned(&built.observations.counts),
                omitted: owned(&built.observations.omitted),
                last_mutation: built.observations.last_mutation,
            },
            session_end: built.observations.session_end,
            verified_now: surveyed.verified_now,
            not_probed: surveyed.not_probed,
        },
        redactions: owned(built.numbering.counts()),
        kept: built.numbering.kept(),
        ledger: Ledger {
            state: built.state,
            segments: built.segments,
            parts: built.parts,
            streams: built.streams,
        },
        session: built.session,
        limitations,
        versions: versions(policy),
    })
}

/// What became of the source while it was read.
#[derive(Clone, Copy)]
struct SourceEnd {
    shrunk: bool,
    replaced: bool,
    live: bool,
}

impl SourceEnd {
    fn of(input: &Input, built: &Built) -> Result<Self> {
        let (source, read) = (input.source(), built.pass.bytes_read);
        let now = source.size_bytes_now()?;
        if input.is_compressed() {
            // Nobody appends to it: another size is another file.
            let replaced = !source.is_in_place() || now != source.size_bytes_at_open();
            return Ok(Self { shrunk: read < input.size_bytes_at_open(), replaced, live: false });
        }
        let shrunk = now < read || read < input.size_bytes_at_open();
        let replaced = !source.is_in_place();
        Ok(Self { shrunk, replaced, live: now > read && !shrunk && !replaced })
    }
}

fn limitations(
    built: &Built,
    surveyed: &Surveyed,
    identity: &Identity,
    inherited: &Inherited,
    end: SourceEnd,
) -> BTreeMap<Code, u64> {
    let mut limitations = built.limitations.clone();
    for (code, count) in &surveyed.limitations {
        *limitations.entry(*code).or_default() += count;
    }
    let omitted: u64 = built.observations.omitted.values().sum();
    for (code, holds) in [
        (Code::SourceShrankWhileRead, end.shrunk),
        (Code::SourceRewrittenWhileRead, end.replaced),
        (Code::LiveSource, end.live),
        (Code::PartialTail, built.coverage.partial_tail.is_some()),
        (Code::PossibleInheritedPrefix, inherited.possible),
        (Code::UnknownHistoryMode, identity.form == UNKNOWN_MODE_FORM),
        (Code::ObservationsOmitted, omitted > 0),
    ] {
        if holds {
            *limitations.entry(code).or_default() += 1;
        }
    }
    limitations
}

fn boundary(identity: &Identity) -> Boundary {
    Boundary {
        id: identity.boundary(),
        harness: identity.harness,
        session: identity.session.clone(),
        agent: identity.agent.clone(),
        rollout: identity.rollout.clone(),
        form: identity.form.to_owned(),
    }
}

fn source_flags(input: &Input, byte_order_mark: bool) -> Vec<String> {
    let flags = input.source().flags();
    let named = [
        (flags.mode_open_to_others, "mode_open_to_others"),
        (flags.several_links, "several_links"),
        (flags.not_ours, "not_ours"),
        (byte_order_mark, "byte_order_mark"),
        (input.is_compressed(), "compressed"),
    ];
    named.into_iter().filter(|(set, _)| *set).map(|(_, name)| name.to_owned()).collect()
}

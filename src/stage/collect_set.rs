//! collect-set: a session and its relatives become ledgers of their own and one document that says how they belong
//! together. The document is the commit: before it has its name, there is no set.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use super::assay;
use super::collect::{Collect, collect};
use super::find::{self, Wanted};
use super::place::{self, BOUNDARIES_SUFFIX};
use super::policy;
use super::relatives::Relatives;
use super::world::World;
use crate::base::digest::Digest;
use crate::base::ids::BoundaryId;
use crate::base::private::ArtifactPath;
use crate::base::receipt::Receipt;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::kinship::find::Kin;
use crate::evidence::kinship::said::Heard;
use crate::evidence::kinship::set::{
    EdgeType, Follows, Inherited, Member, MemberKind, SET_SCHEMA, Set, ShownBy, begun,
};
use crate::evidence::ledger::open::{LOCK_SUFFIX, read_manifest};
use crate::evidence::manifest::Manifest;

/// What to collect.
#[derive(Debug, Clone)]
pub struct CollectSet {
    /// The selected session.
    pub session: Wanted,
    /// Which relations to follow.
    pub follows: Follows,
    /// Relatives to leave out, by boundary id or native id.
    pub without: Vec<String>,
    /// The set document.
    pub output: Utf8PathBuf,
    /// Repositories that a person names.
    pub repositories: Vec<Utf8PathBuf>,
    /// A scrubbing policy, for every member.
    pub policy: Option<Utf8PathBuf>,
}

/// Collects a session and its relatives.
///
/// # Errors
/// What finding the session, searching for relatives and collecting each of them refuse; `set-of-another-session`,
/// `set-invalid`.
pub fn collect_set(world: &World<'_>, order: &CollectSet) -> Result<Receipt> {
    let started = world.clock.elapsed_ms();
    if !order.follows.children && !order.follows.chain {
        return Err(Refusal::new(Code::Usage).hint("give --include-children, --chain or both"));
    }
    let search = policy::search(world, order.policy.as_deref())?.search;
    let selected = find::find(world, &order.session)?;
    let member_file = format!("{BOUNDARIES_SUFFIX}/x");
    let output = place::output(world, &order.output, &[LOCK_SUFFIX, &member_file], &[&selected.path])?;
    let _lock = output.folder().lock_exclusive(&format!("{}{LOCK_SUFFIX}", output.name()))?;
    let older = if output.folder().exists(output.name())? { Some(Set::read(&output)?) } else { None };
    if older.as_ref().is_some_and(|(older, _)| older.selected != selected.boundary) {
        return Err(Refusal::new(Code::SetOfAnotherSession).at(selected.boundary));
    }
    let mut relatives = Relatives::read(world, &selected, order.follows, BTreeMap::new())?;
    let mut kin = relatives.kin(world, order.follows, &order.without)?;
    // Whoever grew while it was collected may have begun somebody: everybody is looked for again, and heard up to what
    // was collected, so that the set tells one state.
    let members = loop {
        let members = collect_members(world, order, &relatives, &kin, &output)?;
        let before = boundaries(&relatives, &kin);
        let collected =
            members.iter().map(|member| (member.manifest.boundary.id, member.manifest.source.size));
        let collected: BTreeMap<BoundaryId, u64> = collected.collect();
        let is_heard = |index: &usize| {
            relatives
                .heard(*index)
                .is_some_and(|heard| collected.get(&heard.boundary()) == Some(&heard.bytes))
        };
        if kin.members.iter().all(is_heard) {
            break members;
        }
        relatives = Relatives::read(world, &selected, order.follows, collected)?;
        kin = relatives.kin(world, order.follows, &order.without)?;
        if boundaries(&relatives, &kin) == before {
            break members;
        }
    };
    mark_inherited(world, &relatives, &mut kin, &members)?;
    let set = assemble(order, &relatives, &kin, selected.boundary, &members)?;
    let bytes = set.to_bytes()?;
    let digest = Digest::of(&bytes);
    let unchanged = older.as_ref().is_some_and(|(_, older)| *older == digest);
    if !unchanged {
        // Durable: every member's manifest. The document is their commit.
        assay::publish(&output, &bytes, &search)?;
    }
    let previous = older.map(|(_, digest)| digest).filter(|_| !unchanged);
    let duration = world.clock.elapsed_ms() - started;
    Ok(receipt("collect-set", &set, digest)
        .flag("unchanged", unchanged)
        .previous(previous)
        .duration(duration))
}

/// Members in graph order.
fn boundaries(relatives: &Relatives, kin: &Kin) -> Vec<BoundaryId> {
    kin.members.iter().filter_map(|index| relatives.heard(*index)).map(Heard::boundary).collect()
}

/// A member that was collected.
struct Collected {
    manifest: Manifest,
    sha256: Digest,
}

/// Collects each member into its own folder; a member that did not change writes nothing.
fn collect_members(
    world: &World<'_>,
    order: &CollectSet,
    relatives: &Relatives,
    kin: &Kin,
    output: &ArtifactPath,
) -> Result<Vec<Collected>> {
    let mut members = Vec::with_capacity(kin.members.len());
    for index in &kin.members {
        let (Some(path), Some(heard)) = (relatives.path(*index), relatives.heard(*index)) else { continue };
        let manifest = manifest_of(output, heard.boundary());
        let boundary = heard.boundary();
        collect(
            world,
            &Collect {
                session: path.to_owned(),
                output: Some(manifest.clone()),
                repositories: order.repositories.clone(),
                policy: order.policy.clone(),
                refresh_git: false,
                fresh: false,
            },
        )
        .map_err(|refusal| named(refusal, boundary))?;
        let (manifest, sha256) = read_manifest(&ArtifactPath::parse(&manifest)?)?;
        members.push(Collected { manifest, sha256 });
    }
    Ok(members)
}

/// Says on each edge how much of the newer member is a copy: by its own ledger, or, where its ledger could not know, by
/// the transcript that it was copied from.
fn mark_inherited(
    world: &World<'_>,
    relatives: &Relatives,
    kin: &mut Kin,
    members: &[Collected],
) -> Result<()> {
    let manifests: BTreeMap<BoundaryId, &Manifest> =
        members.iter().map(|member| (member.manifest.boundary.id, &member.manifest)).collect();
    for edge in &mut kin.edges {
        let Some(manifest) = manifests.get(&edge.to) else { continue };
        let own = manifest.coverage.records.get("inherited").copied().unwrap_or_default();
        let unknown = manifest.limitations.contains_key(&Code::PossibleInheritedPrefix);
        let (records, shown_by) = match own {
            0 if unknown => (relatives.repeated(world, edge.from, edge.to)?, ShownBy::OtherTranscript),
            own => (own, ShownBy::OwnMarks),
        };
        edge.inherited = (records > 0).then_some(Inherited { records, shown_by });
    }
    Ok(())
}

/// Says which member a refusal is about, where it does not say where it is.
fn named(refusal: Refusal, boundary: BoundaryId) -> Refusal {
    if refusal.place().is_some() { refusal } else { refusal.at(boundary) }
}

/// Where the manifest of a member lies.
pub fn manifest_of(set: &ArtifactPath, boundary: BoundaryId) -> Utf8PathBuf {
    let folder = set.with_suffix(BOUNDARIES_SUFFIX).path();
    folder.join(boundary.hex()).join(place::MANIFEST_FILE)
}

fn assemble(
    order: &CollectSet,
    relatives: &Relatives,
    kin: &Kin,
    selected: BoundaryId,
    collected: &[Collected],
) -> Result<Set> {
    let begun = begun(&kin.edges);
    let mut members = Vec::with_capacity(collected.len());
    for (index, Collected { manifest, sha256 }) in kin.members.iter().zip(collected) {
        let boundary = manifest.boundary.id;
        if relatives.heard(*index).is_none_or(|heard| heard.boundary() != boundary) {
            return Err(Refusal::new(Code::LedgerOfAnotherSession).at(boundary));
        }
        members.push(Member {
            boundary,
            kind: kind_of(manifest, begun.contains(&boundary)),
            manifest_sha256: *sha256,
            ledger: manifest.ledger.state,
        });
    }
    let live = collected.iter().filter(|member| member.manifest.source.live).count();
    let limitations: BTreeMap<Code, u64> = [
        (Code::LiveSource, live as u64),
        (Code::ChildWithoutId, if order.follows.children { kin.nameless } else { 0 }),
        (Code::RelativesLeftOut, kin.left_out.len() as u64),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .collect();
    Set {
        schema_version: SET_SCHEMA.to_owned(),
        selected,
        follows: order.follows,
        members,
        edges: kin.edges.clone(),
        left_out: kin.left_out.clone(),
        limitations,
        content_sha256: Digest::of(&[]),
    }
    .sealed()
}

/// What a member is, from its own manifest and the edges into it.
pub fn kind_of(manifest: &Manifest, begun: bool) -> MemberKind {
    let boundary = &manifest.boundary;
    MemberKind::of(boundary.agent.as_deref(), boundary.rollout.as_deref(), begun)
}

/// What every receipt about a set says.
pub fn receipt(stage: &'static str, set: &Set, digest: Digest) -> Receipt {
    let edges = |kind| set.edges.iter().filter(|edge| edge.kind == kind).count() as u64;
    Receipt::new(stage)
        .boundary(set.selected)
        .digest("set_sha256", digest)
        .count("members", set.members.len() as u64)
        .count("edges_child", edges(EdgeType::Child))
        .count("edges_continuation", edges(EdgeType::Continuation))
        .count("left_out", set.left_out.len() as u64)
        .count("left_out_missing", set.left_out.iter().filter(|left| left.missing).count() as u64)
        .count("events", set.members.iter().map(|member| member.ledger.size).sum())
        .count("records", set.members.iter().map(|member| member.ledger.records).sum())
        .flag("children", set.follows.children)
        .flag("chain", set.follows.chain)
        .limitations(&set.limitations)
}

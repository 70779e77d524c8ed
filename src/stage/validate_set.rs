//! validate-set: everything that a set names is there in the state that it binds, and belongs together by every rule.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::collect_set::{kind_of, manifest_of, receipt};
use super::place;
use super::validate::validate;
use super::world::World;
use crate::base::digest::Digest;
use crate::base::ids::BoundaryId;
use crate::base::private::{ArtifactPath, Lock};
use crate::base::receipt::Receipt;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::line::RecordSpan;
use crate::evidence::kinship::graph::{check, order, sort_edges};
use crate::evidence::kinship::said::By;
use crate::evidence::kinship::set::{Edge, EdgeType, Inherited, Member, Set, ShownBy, Side, begun};
use crate::evidence::ledger::open::{LOCK_SUFFIX, OpenLedger};
use crate::evidence::manifest::Manifest;

/// A set of which everything holds; no set is collected there as long as this lives.
pub struct ValidSet {
    /// The document.
    pub set: Set,
    /// Digest of its file.
    pub sha256: Digest,
    /// Where it lies.
    pub path: ArtifactPath,
    /// Every id and salt of every member was recomputed.
    pub ids_checked: bool,
    /// Every member has packets of its present state, and they were recomputed.
    pub packets_checked: bool,
    _lock: Lock,
}

/// Validates a set.
///
/// # Errors
/// The first thing that does not hold, with its code.
pub fn validate_set(world: &World<'_>, set: &Utf8Path) -> Result<Receipt> {
    let started = world.clock.elapsed_ms();
    let valid = open(world, set)?;
    Ok(receipt("validate-set", &valid.set, valid.sha256)
        .flag("ids_checked", valid.ids_checked)
        .flag("packets_checked", valid.packets_checked)
        .duration(world.clock.elapsed_ms() - started))
}

/// Opens a set and holds everything in it against every rule.
///
/// # Errors
/// `set-invalid`, `set-member-missing`, `set-member-mismatch`, the codes of relations; what validating a member refuses.
pub fn open(world: &World<'_>, set: &Utf8Path) -> Result<ValidSet> {
    let path = place::input(world, set)?;
    path.open()?;
    let lock = path.folder().lock_shared(&format!("{}{LOCK_SUFFIX}", path.name()))?;
    let (set, sha256) = Set::read(&path)?;
    check_document(&set)?;
    let (mut ids_checked, mut packets_checked) = (true, true);
    let mut manifests = BTreeMap::new();
    for member in &set.members {
        let manifest = manifest_of(&path, member.boundary);
        let validated = validate(world, &manifest).map_err(|refusal| match refusal.code() {
            Code::ArtifactMissing => Refusal::new(Code::SetMemberMissing).at(member.boundary),
            _ => refusal,
        })?;
        ids_checked &= validated.get_flag("ids_checked").unwrap_or(false);
        packets_checked &= validated.get_flag("packets_checked").unwrap_or(false);
        let ledger = open_member(world, &path, member)?;
        check_proofs(&set, member, &ledger)?;
        manifests.insert(member.boundary, ledger.manifest().clone());
    }
    check_manifests(&set, &manifests)?;
    Ok(ValidSet { set, sha256, path, ids_checked, packets_checked, _lock: lock })
}

/// Opens the ledger of a member in the state that the set binds.
///
/// # Errors
/// `set-member-mismatch`; what opening a ledger refuses.
pub fn open_member(world: &World<'_>, set: &ArtifactPath, member: &Member) -> Result<OpenLedger> {
    let path = ArtifactPath::parse(&manifest_of(set, member.boundary))?;
    let ledger = OpenLedger::open(&path, &world.interrupted)?;
    let manifest = ledger.manifest();
    let same = ledger.sha256() == member.manifest_sha256
        && manifest.boundary.id == member.boundary
        && manifest.ledger.state == member.ledger;
    if same { Ok(ledger) } else { Err(Refusal::new(Code::SetMemberMismatch).at(member.boundary)) }
}

/// What holds of the document alone: the rules of the graph, every list in its order, counts that follow from it.
fn check_document(set: &Set) -> Result<()> {
    let members: Vec<BoundaryId> = set.members.iter().map(|member| member.boundary).collect();
    check(set.selected, &members, &set.edges)?;
    let invalid = |what: &'static str| Err(Refusal::new(Code::SetInvalid).at(what));
    if order(&members, &set.edges) != members {
        return invalid("members");
    }
    let mut edges = set.edges.clone();
    sort_edges(&members, &mut edges);
    let is_sorted =
        |edge: &Edge| edge.proof.is_sorted() && edge.proof.windows(2).all(|two| two.first() != two.last());
    if edges != set.edges || !set.edges.iter().all(is_sorted) {
        return invalid("edges");
    }
    let followed = |kind| if kind == EdgeType::Child { set.follows.children } else { set.follows.chain };
    if set.edges.iter().any(|edge| !followed(edge.kind)) {
        return invalid("follows");
    }
    let known: BTreeSet<BoundaryId> = members.into_iter().collect();
    let left: Vec<BoundaryId> = set.left_out.iter().map(|left| left.boundary).collect();
    let apart =
        set.left_out.iter().all(|left| !known.contains(&left.boundary) && known.contains(&left.named_by));
    if !apart || !left.is_sorted() || left.windows(2).any(|two| two.first() == two.last()) {
        return invalid("left_out");
    }
    let told = set.limitations.get(&Code::RelativesLeftOut).copied().unwrap_or_default();
    if told == left.len() as u64 { Ok(()) } else { invalid("limitations") }
}

/// What the members' own manifests say of kinds and relations.
fn check_manifests(set: &Set, manifests: &BTreeMap<BoundaryId, Manifest>) -> Result<()> {
    let begun = begun(&set.edges);
    for member in &set.members {
        let Some(manifest) = manifests.get(&member.boundary) else { continue };
        if kind_of(manifest, begun.contains(&member.boundary)) != member.kind {
            return Err(Refusal::new(Code::SetMemberMismatch).at(member.boundary));
        }
    }
    for edge in &set.edges {
        let (Some(from), Some(to_manifest)) = (manifests.get(&edge.from), manifests.get(&edge.to)) else {
            continue;
        };
        let (from, to) = (&from.boundary, &to_manifest.boundary);
        // An agent of Claude Code carries the session of its tree in its own identity.
        let same_tree = from.session == to.session || to.agent.is_none();
        let holds = from.harness == to.harness
            && match edge.kind {
                EdgeType::Child => same_tree,
                EdgeType::Continuation => from.agent.is_none() && to.agent.is_none(),
            };
        if !holds || !inherits(edge, to_manifest) {
            return Err(Refusal::new(Code::SetEdgeUnproven).at(&edge.id));
        }
    }
    Ok(())
}

/// Copies by own marks are those of the ledger; by the other transcript only where the ledger says that it cannot know.
fn inherits(edge: &Edge, to: &Manifest) -> bool {
    let own = to.coverage.records.get("inherited").copied().unwrap_or_default();
    match edge.inherited {
        None => own == 0,
        Some(Inherited { records, shown_by: ShownBy::OwnMarks }) => records == own && own > 0,
        Some(Inherited { records, shown_by: ShownBy::OtherTranscript }) => {
            let unknown = to.limitations.contains_key(&Code::PossibleInheritedPrefix);
            unknown && own == 0 && (1..=to.ledger.state.records).contains(&records)
        }
    }
}

/// What a member's own ledger shows of the proofs that stand in its transcript.
fn check_proofs(set: &Set, member: &Member, ledger: &OpenLedger) -> Result<()> {
    let mut open: BTreeMap<RecordSpan, &str> = BTreeMap::new();
    let mut names: BTreeMap<u64, Vec<(&str, BoundaryId)>> = BTreeMap::new();
    for edge in &set.edges {
        for proof in &edge.proof {
            let end = if proof.side == Side::From { edge.from } else { edge.to };
            let Some(record) = proof.record.filter(|_| end == member.boundary && proof.side != Side::Beside)
            else {
                continue;
            };
            open.insert(record, &edge.id);
            if matches!(proof.by, By::ResultAgentId | By::NotificationAgentId) {
                names.entry(record.offset).or_default().push((&edge.id, edge.to));
            }
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    ledger.each_record(|line| {
        open.remove(&RecordSpan { offset: line.offset, length: line.length });
        Ok(())
    })?;
    if let Some(edge) = open.values().next() {
        return Err(Refusal::new(Code::SetEdgeUnproven).at(edge));
    }
    let boundary = &ledger.manifest().boundary;
    let agent = |id: &str| BoundaryId::derive(boundary.harness, &boundary.session, Some(id), None);
    let mut told: BTreeMap<u64, BTreeSet<BoundaryId>> = BTreeMap::new();
    if !names.is_empty() {
        ledger.each_event(|event, _| {
            if names.contains_key(&event.record.offset) {
                let agents = event.entities.iter().filter(|entity| entity.kind == "agent");
                let ids = agents.map(|entity| agent(entity.value.as_str()));
                told.entry(event.record.offset).or_default().extend(ids);
            }
            Ok(())
        })?;
    }
    for (offset, edges) in names {
        // A record that gave no event (a mirror) names its agents in the transcript alone.
        let Some(told) = told.get(&offset) else { continue };
        if let Some((edge, _)) = edges.iter().find(|(_, child)| !told.contains(child)) {
            return Err(Refusal::new(Code::SetEdgeUnproven).at(edge));
        }
    }
    Ok(())
}

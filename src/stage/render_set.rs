//! render-set: a valid set and an author's words about its edges become a handoff and its private evidence document.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::assay;
use super::bound::{self, Bound, too_long};
use super::collect_set::{manifest_of, receipt};
use super::place;
use super::render::EVIDENCE_SUFFIX;
use super::validate_set::{self, ValidSet, open_member};
use super::verdict::{Verdict, attempts_of, forget_report, read_draft, refused};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::ids::BoundaryId;
use crate::base::json::canonical;
use crate::base::policy::Search;
use crate::evidence::kinship::set::Member;
use crate::evidence::manifest::Manifest;
use crate::evidence::table::Table;
use crate::meaning::handoff::check::{Basis, check};
use crate::meaning::synthesis;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::Synthesis;
use crate::report::handoff::{MemberPart, MemberRecap, compose_set};

/// Renders the handoff of a set.
///
/// # Errors
/// What validating the set, reading the draft or creating an artifact refuses.
pub fn render_set(world: &World<'_>, set: &Utf8Path, edges: &Utf8Path, output: &Utf8Path) -> Result<Verdict> {
    let started = world.clock.elapsed_ms();
    let valid = validate_set::open(world, set)?;
    let draft = place::input(world, edges)?;
    let output = place::output(world, output, &[EVIDENCE_SUFFIX], &[set, edges])?;
    let receipt = receipt("render-set", &valid.set, valid.sha256);
    let (parts, tables) = read_members(world, &valid)?;
    let search = Search::all(tables.values().map(Table::search));
    let bytes = match read_draft(&draft)? {
        Ok(bytes) => bytes,
        Err(violations) => return refused(&draft, &search, Vec::new(), receipt, violations),
    };
    let receipt = receipt.digest("edges_file_sha256", Digest::of(&bytes));
    let basis = Basis { set: &valid.set, set_sha256: valid.sha256, tables: &tables };
    let handoff = match check(&bytes, &basis) {
        Ok(handoff) => handoff,
        Err(violations) => return refused(&draft, &search, bytes, receipt, violations),
    };
    let recap = compose_set(&basis, &parts, &handoff);
    let words = recap.word_count();
    if let Some(violations) = too_long(words) {
        return refused(&draft, &search, bytes, receipt.count("words", words as u64), violations);
    }
    forget_report(&draft)?;
    let evidence = canonical::to_bytes(recap.evidence())?;
    let markdown = recap.markdown();
    // The evidence comes first: a handoff that is there has its evidence beside it.
    let beside = output.with_suffix(EVIDENCE_SUFFIX);
    assay::publish_both((&beside, &evidence), (&output, markdown.as_bytes()), &search)?;
    Ok(Verdict::valid(
        receipt
            .digest("recap_sha256", Digest::of(markdown.as_bytes()))
            .digest("evidence_sha256", Digest::of(&evidence))
            .count("words", words as u64)
            .count("not_recapped", recap.not_recapped() as u64)
            .flag("incomplete", !recap.incomplete().is_empty())
            .flag("blocked_evidence", handoff.blocked_evidence())
            .duration(world.clock.elapsed_ms() - started),
    ))
}

/// Every member as it is told, and its events. Ledgers are opened one after the other: a set can have more members than
/// a process may have open files.
fn read_members(
    world: &World<'_>,
    valid: &ValidSet,
) -> Result<(Vec<MemberPart>, BTreeMap<BoundaryId, Table>)> {
    let mut parts = Vec::with_capacity(valid.set.members.len());
    let mut tables = BTreeMap::new();
    for member in &valid.set.members {
        let (part, table) = match recapped(world, valid, member)? {
            Some((part, table)) => (part, table),
            None => {
                let ledger = open_member(world, &valid.path, member)?;
                let manifest = ledger.manifest().clone();
                (MemberPart { manifest, recap: None }, ledger.table()?)
            }
        };
        tables.insert(member.boundary, table);
        parts.push(part);
    }
    Ok((parts, tables))
}

/// A member with a sealed accounting and a synthesis in its folder that pass every rule and that its attempts allow.
/// Nothing is counted here: who wants to know why a draft fails runs `validate-synthesis`.
fn recapped(world: &World<'_>, valid: &ValidSet, member: &Member) -> Result<Option<(MemberPart, Table)>> {
    let manifest = manifest_of(&valid.path, member.boundary);
    let beside = |name: &str| -> Utf8PathBuf { manifest.with_file_name(name) };
    let (accounting, synthesis) = (beside("accounting.json"), beside("synthesis.json"));
    let path = place::input(world, &synthesis)?;
    if !path.folder().exists("accounting.json")? || !path.folder().exists(path.name())? {
        return Ok(None);
    }
    let Ok(bound) = bound::open(world, &manifest, &accounting, "render-set")? else { return Ok(None) };
    let Ok(bytes) = read_draft(&path)? else { return Ok(None) };
    let measure = |synthesis: &Synthesis, _: &Evidence<'_>| bound.recap(synthesis, false, false).word_count();
    let Ok(validated) = synthesis::check(&bytes, &bound.evidence(), &measure) else { return Ok(None) };
    let attempts = attempts_of(&bound.ledger)?;
    if attempts.exhausted() && !attempts.is_accepted(validated.document_sha256()) {
        return Ok(None);
    }
    let recap = bound.recap(validated.synthesis(), attempts.resets() > 0, validated.blocked_evidence());
    let accounting_sha256 = bound.accounting_sha256;
    let synthesis_sha256 = validated.document_sha256();
    let Bound { ledger, table, .. } = bound;
    let manifest: Manifest = ledger.manifest().clone();
    let recap = Some(MemberRecap { recap, accounting_sha256, synthesis_sha256 });
    Ok((ledger.sha256() == member.manifest_sha256).then_some((MemberPart { manifest, recap }, table)))
}

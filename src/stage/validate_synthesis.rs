//! validate-synthesis: every rule at once, the attempt counted before the verdict.

use camino::Utf8Path;

use super::assay;
use super::bound::{self, Bound, too_long};
use super::place;
use super::verdict::{Verdict, close_if_exhausted, count, forget_report, read_draft, refused};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::private::ArtifactPath;
use crate::base::receipt::Receipt;
use crate::base::violations::Violations;
use crate::meaning::synthesis::attempts;
use crate::meaning::synthesis::validated::{Rejected, expanded_bytes};
use crate::meaning::synthesis::{Validated, check};

/// A synthesis that may be rendered.
pub struct Accepted {
    /// The synthesis.
    pub validated: Validated,
    /// A person opened the ledger state again.
    pub attempts_reset: bool,
    /// Drafts that may still fail.
    pub attempts_left: u64,
}

/// Validates a synthesis; `expanded` is where its long form goes.
///
/// # Errors
/// What reading the evidence or the draft, counting the attempt or creating an artifact refuses.
pub fn validate_synthesis(
    world: &World<'_>,
    manifest: &Utf8Path,
    accounting: &Utf8Path,
    synthesis: &Utf8Path,
    expanded: Option<&Utf8Path>,
    dry_run: bool,
) -> Result<Verdict> {
    let started = world.clock.elapsed_ms();
    let bound = match bound::open(world, manifest, accounting, "validate-synthesis")? {
        Ok(bound) => bound,
        Err(unbound) => return unbound.refused(),
    };
    let path = place::input(world, synthesis)?;
    let expanded = expanded
        .map(|expanded| place::output(world, expanded, &[], &[manifest, accounting, synthesis]))
        .transpose()?;
    let receipt = bound.receipt("validate-synthesis").flag("dry_run", dry_run);
    let accepted = match accept(world, &bound, &path, "validate-synthesis", dry_run, receipt.clone())? {
        Ok(accepted) => accepted,
        Err(verdict) => return Ok(verdict),
    };
    let mut receipt = described(receipt, &accepted);
    if let Some(expanded) = expanded {
        let bytes = expanded_bytes(&accepted.validated);
        assay::publish(&expanded, &bytes, bound.ledger.search())?;
        receipt = receipt.digest("expanded_file_sha256", Digest::of(&bytes));
    }
    Ok(Verdict::valid(receipt.duration(world.clock.elapsed_ms() - started)))
}

/// What every receipt about an accepted synthesis says.
pub fn described(receipt: Receipt, accepted: &Accepted) -> Receipt {
    let validated = &accepted.validated;
    receipt
        .digest("synthesis_file_sha256", validated.file_sha256())
        .digest("synthesis_sha256", validated.document_sha256())
        .count("render_words", validated.render_words() as u64)
        .count("attempts_left", accepted.attempts_left)
        .flag("attempts_reset", accepted.attempts_reset)
        .flag("blocked_evidence", validated.blocked_evidence())
}

/// A draft stays renderable whatever comes after: there must be room for the longest first line that it can come to.
fn with_room(bound: &Bound, validated: Validated) -> std::result::Result<Validated, Box<Rejected>> {
    let longest = bound.recap(validated.synthesis(), true, validated.blocked_evidence()).word_count();
    let Some(violations) = too_long(longest) else { return Ok(validated) };
    Err(Box::new(Rejected {
        violations,
        file_sha256: validated.file_sha256(),
        document_sha256: Some(validated.document_sha256()),
        render_words: Some(validated.render_words()),
        counts_as_attempt: false,
    }))
}

/// Checks a draft and counts it.
///
/// # Errors
/// What reading the draft or counting the attempt refuses.
pub fn accept(
    world: &World<'_>,
    bound: &Bound,
    path: &ArtifactPath,
    stage: &'static str,
    dry_run: bool,
    receipt: Receipt,
) -> Result<std::result::Result<Accepted, Verdict>> {
    let bytes = match read_draft(path)? {
        Ok(bytes) => bytes,
        Err(violations) => {
            return refused(path, bound.ledger.search(), Vec::new(), receipt, violations).map(Err);
        }
    };
    let checked =
        check(&bytes, &bound.evidence(), &|synthesis, _| bound.recap(synthesis, false, false).word_count());
    let checked = checked.and_then(|validated| with_room(bound, validated));
    let verdict = match &checked {
        Ok(validated) => attempts::Verdict::from(validated),
        Err(rejected) => attempts::Verdict::from(&**rejected),
    };
    let (decision, attempts) = count(world, &bound.ledger, stage, &verdict, dry_run)?;
    let left = decision.left as u64;
    let (mut violations, receipt) = match checked {
        Ok(validated) if decision.accepted => {
            forget_report(path)?;
            let attempts_reset = attempts.resets() > 0;
            return Ok(Ok(Accepted { validated, attempts_reset, attempts_left: left }));
        }
        Ok(validated) => {
            (Violations::default(), receipt.digest("synthesis_file_sha256", validated.file_sha256()))
        }
        Err(rejected) => {
            let words = rejected.render_words.map_or(0, |words| words as u64);
            let receipt = receipt
                .digest("synthesis_file_sha256", rejected.file_sha256)
                .count("render_words", words)
                .flag("counted", rejected.counts_as_attempt);
            (rejected.violations, receipt)
        }
    };
    close_if_exhausted(&decision, &mut violations);
    let receipt = receipt.count("attempts_left", left).flag("attempts_reset", attempts.resets() > 0);
    refused(path, bound.ledger.search(), bytes, receipt, violations).map(Err)
}

//! synthesis-draft: a skeleton that leaves only prose to the author.

use camino::Utf8Path;

use super::bound;
use super::place;
use super::verdict::{Verdict, forget_report, read_draft, refused, report_beside, write_skeleton};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::limits::RENDER_WORDS;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::packet::packets_file;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::check;
use crate::meaning::synthesis::document::Synthesis;
use crate::meaning::synthesis::skeleton::{carry_over, skeleton};

/// Writes the skeleton; with `from`, the prose, titles and groupings of an older draft are carried over and what no
/// longer fits is reported beside the new draft.
///
/// # Errors
/// `packets-stale`, `packets-missing`; what reading the evidence or creating an artifact refuses.
pub fn synthesis_draft(
    world: &World<'_>,
    manifest: &Utf8Path,
    accounting: &Utf8Path,
    output: &Utf8Path,
    from: Option<&Utf8Path>,
) -> Result<Verdict> {
    let started = world.clock.elapsed_ms();
    let bound = match bound::open(world, manifest, accounting, "synthesis-draft")? {
        Ok(bound) => bound,
        Err(unbound) => return unbound.refused(),
    };
    packets_file::open(&bound.ledger)?;
    let output = place::output(world, output, &[], &[manifest, accounting])?;
    let measure = |synthesis: &Synthesis, _: &Evidence<'_>| bound.recap(synthesis, false, false).word_count();
    let receipt = bound.receipt("synthesis-draft");
    let (bytes, violations, left_behind, (empty_texts, words_left)) = match from {
        None => {
            let bytes = skeleton(&bound.evidence(), &measure)?;
            let room = match check(&bytes, &bound.evidence(), &measure) {
                Ok(validated) => room(&Violations::default(), Some(validated.render_words())),
                Err(rejected) => room(&rejected.violations, rejected.render_words),
            };
            (bytes, Violations::default(), None, room)
        }
        Some(from) => {
            let from = place::input(world, from)?;
            let older = match read_draft(&from)? {
                Ok(older) => older,
                Err(violations) => {
                    return refused(&from, bound.ledger.search(), Vec::new(), receipt, violations);
                }
            };
            let carried = carry_over(&older, &bound.evidence(), &measure)?;
            let room = room(&carried.violations, carried.render_words);
            (carried.draft, carried.violations, Some((carried.left_behind, older)), room)
        }
    };
    write_skeleton(&output, &bytes, bound.ledger.search())?;
    let mut all = violations.clone();
    if let Some((left_behind, _)) = &left_behind {
        all.extend(left_behind.clone().said_of("in the older draft"));
    }
    let receipt = receipt
        .digest("draft_file_sha256", Digest::of(&bytes))
        .count("draft_bytes", bytes.len() as u64)
        .count("left_behind", all.counts().values().sum())
        .count("empty_texts", empty_texts)
        .count("words_left", words_left)
        .duration(world.clock.elapsed_ms() - started);
    if all.is_empty() {
        forget_report(&output)?;
        return Ok(Verdict::valid(receipt));
    }
    // The draft is there; what the author still has to mend is no fault of this stage.
    report_beside(&output, bound.ledger.search(), all)?;
    Ok(Verdict { left_behind, ..Verdict::of(receipt, violations, bytes) })
}

/// How many texts the author still has to write, and how many words a recap has left for all of them.
fn room(violations: &Violations, words: Option<usize>) -> (u64, u64) {
    let empty = violations.counts().get(&Code::TextEmpty).copied().unwrap_or(0);
    (empty, RENDER_WORDS.saturating_sub(words.unwrap_or(RENDER_WORDS)) as u64)
}

//! The evidence of a synthesis, opened and re-verified: ledger, table, sealed accounting.

use camino::Utf8Path;

use super::place;
use super::verdict::{Faulty, Verdict, forget_report, read_draft};
use super::world::World;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::policy::Search;
use crate::base::receipt::Receipt;
use crate::base::violations::Violations;
use crate::evidence::ledger::open::OpenLedger;
use crate::evidence::table::Table;
use crate::meaning::accounting::Sealed;
use crate::meaning::prose::recap_length;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::Synthesis;
use crate::report::{Recap, Scope, compose};

/// A ledger with a sealed accounting that belongs to it.
pub struct Bound {
    /// The ledger.
    pub ledger: OpenLedger,
    /// Its events.
    pub table: Table,
    /// The accounting.
    pub accounting: Sealed,
    /// Digest of the accounting's file.
    pub accounting_sha256: Digest,
}

/// An accounting that does not belong to its ledger.
pub struct Unbound {
    faulty: Faulty,
    search: Search,
    receipt: Receipt,
}

impl Unbound {
    /// Writes the report beside the accounting and gives the verdict.
    ///
    /// # Errors
    /// What creating an artifact refuses.
    pub fn refused(self) -> Result<Verdict> {
        self.faulty.refused(&self.search, self.receipt)
    }
}

/// Opens both, or says what is wrong with the accounting.
///
/// # Errors
/// What reading the ledger or the document refuses.
pub fn open(
    world: &World<'_>,
    manifest: &Utf8Path,
    accounting: &Utf8Path,
    stage: &'static str,
) -> Result<std::result::Result<Bound, Unbound>> {
    let ledger = OpenLedger::open(&place::input(world, manifest)?, &world.interrupted)?;
    let path = place::input(world, accounting)?;
    // Only a refusal carries this receipt: its places are those of the accounting, beside which the report lies.
    let receipt = Receipt::new(stage)
        .boundary(ledger.manifest().boundary.id)
        .digest("manifest_sha256", ledger.sha256())
        .flag("accounting_refused", true);
    let search = ledger.search().clone();
    let bytes = match read_draft(&path)? {
        Ok(bytes) => bytes,
        Err(violations) => {
            let faulty = Faulty { path, document: Vec::new(), violations };
            return Ok(Err(Unbound { faulty, search, receipt }));
        }
    };
    let table = ledger.table()?;
    let accounting_sha256 = Digest::of(&bytes);
    Ok(match Sealed::open(&bytes, &table) {
        Ok(accounting) => {
            forget_report(&path)?;
            Ok(Bound { ledger, table, accounting, accounting_sha256 })
        }
        Err(violations) => {
            let receipt = receipt.digest("accounting_sha256", accounting_sha256);
            Err(Unbound { faulty: Faulty { path, document: bytes, violations }, search, receipt })
        }
    })
}

impl Bound {
    /// What a synthesis is held against.
    pub fn evidence(&self) -> Evidence<'_> {
        Evidence {
            manifest: self.ledger.manifest(),
            manifest_sha256: self.ledger.sha256(),
            table: &self.table,
            accounting: &self.accounting,
            accounting_sha256: self.accounting_sha256,
        }
    }

    /// The beginning of a receipt.
    pub fn receipt(&self, stage: &'static str) -> Receipt {
        Receipt::new(stage)
            .boundary(self.ledger.manifest().boundary.id)
            .digest("manifest_sha256", self.ledger.sha256())
            .digest("accounting_sha256", self.accounting_sha256)
            .digest("ledger_root", self.ledger.manifest().ledger.state.root)
    }

    /// The recap of a synthesis, before it is known to be valid or after.
    pub fn recap(&self, synthesis: &Synthesis, attempts_reset: bool, blocked_evidence: bool) -> Recap {
        compose(
            synthesis,
            &Scope {
                manifest: self.ledger.manifest(),
                table: &self.table,
                accounting: &self.accounting,
                attempts_reset,
                blocked_evidence,
            },
        )
    }
}

/// The violation of a recap of so many words; `None` below the cap.
pub fn too_long(words: usize) -> Option<Violations> {
    let mut violations = Violations::default();
    recap_length(words, &mut violations);
    (!violations.is_empty()).then_some(violations)
}

//! The draft is bound to this manifest and this accounting, and they to one ledger state.

use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::expand::Expanded;

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let pairs = [
        (synthesis.manifest_sha256, basis.manifest_sha256, "manifest_sha256", Code::ManifestMismatch),
        (synthesis.accounting_sha256, basis.accounting_sha256, "accounting_sha256", Code::AccountingMismatch),
    ];
    for (stated, actual, member, code) in pairs {
        if stated.is_some_and(|stated| stated != actual) {
            violations.push(code, Pointer::root().member(member), format!("this one is {actual}"));
        }
    }
    if basis.accounting.state() != basis.table.state() {
        let place = Pointer::root().member("accounting_sha256");
        violations.push(Code::AccountingLedgerMismatch, place, "sealed to another ledger state");
    }
}

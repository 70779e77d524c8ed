//! The draft is bound to this manifest and this accounting, and they to one ledger state.

use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::expanded::Expanded;

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    let pairs = [
        (synthesis.manifest_sha256, basis.manifest_sha256, "manifest_sha256", Code::ManifestMismatch),
        (synthesis.accounting_sha256, basis.accounting_sha256, "accounting_sha256", Code::AccountingMismatch),
    ];
    for (stated, actual, member, code) in pairs {
        if let Some(stated) = stated.filter(|stated| *stated != actual) {
            let detail = format!("found {stated}, expected {actual}, the digest of the file given");
            violations.push(code, Pointer::root().member(member), detail);
        }
    }
    if basis.accounting.state() != basis.table.state() {
        let place = Pointer::root().member("accounting_sha256");
        violations.push(
            Code::AccountingLedgerMismatch,
            place,
            "found an accounting of another ledger state, expected one sealed to this",
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::base::digest::Digest;
    use crate::meaning::accounting::ClaimKind;
    use crate::meaning::synthesis::testing::Case;

    #[test]
    fn a_draft_is_bound_to_its_manifest_and_its_accounting() {
        let case = Case::new();
        case.accepts(|_| {});
        let other = Digest::of(b"other");
        let rejected = case.refuses(
            |draft| draft["manifest_sha256"] = json!(other),
            &["manifest-mismatch /manifest_sha256"],
        );
        assert!(!rejected.counts_as_attempt);
        case.refuses(
            |draft| draft["accounting_sha256"] = json!(other),
            &["accounting-mismatch /accounting_sha256"],
        );
    }

    #[test]
    fn an_accounting_of_another_ledger_state_is_refused() {
        let (mut longer, case) = (Case::new(), Case::new());
        longer.event("user", "one more");
        longer.claim("goal-2", ClaimKind::Goal, &[16]);
        let rejected = case.with(|evidence| {
            let accounting = longer.sealed(&longer.table());
            let evidence =
                crate::meaning::synthesis::basis::Evidence { accounting: &accounting, ..*evidence };
            let draft = serde_json::to_vec(&crate::meaning::synthesis::testing::draft()).unwrap();
            crate::meaning::synthesis::check(&draft, &evidence, &|_, _| 1).unwrap_err()
        });
        let found = crate::meaning::synthesis::testing::found(&rejected);
        assert_eq!(found[0], "accounting-ledger-mismatch /accounting_sha256");
        assert!(!rejected.counts_as_attempt);
    }
}

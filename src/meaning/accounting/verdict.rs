//! What a refused draft leaves behind: all its violations, its digests, and whether it counts as an attempt.

use crate::base::digest::Digest;
use crate::base::rules::Code;
use crate::base::violations::Violations;

/// A draft that was not sealed.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// All of them.
    pub violations: Violations,
    /// Of the bytes of the file.
    pub file_sha256: Digest,
    /// Of the expanded form, for a draft of the right shape.
    pub document_sha256: Option<Digest>,
    /// It passed shape, limits and binding and then broke a rule that counts.
    pub counts_as_attempt: bool,
}

impl Rejected {
    /// The verdict on a file.
    pub fn new(bytes: &[u8], violations: Violations, document_sha256: Option<Digest>) -> Self {
        let counts_as_attempt = document_sha256.is_some() && counts_as_attempt(&violations);
        Self { violations, file_sha256: Digest::of(bytes), document_sha256, counts_as_attempt }
    }
}

/// True when a draft passed shape, limits and binding and then broke at least one rule that counts. Faults of
/// spelling (texts, ids, length) do not count: they say nothing about how well the author knows the evidence.
pub fn counts_as_attempt(violations: &Violations) -> bool {
    let codes = || violations.counts().keys().copied();
    !codes().any(is_barrier) && codes().any(|code| !is_spelling(code))
}

/// Shape, limits and binding.
const fn is_barrier(code: Code) -> bool {
    matches!(
        code,
        Code::JsonMalformed
            | Code::DraftTooLarge
            | Code::SchemaViolation
            | Code::ManifestMismatch
            | Code::AccountingMismatch
            | Code::AccountingLedgerMismatch
    )
}

/// `text-*`, `id-*`, `label-*`, `credential-shaped` and `render-too-long`.
fn is_spelling(code: Code) -> bool {
    let name = code.as_str();
    name.starts_with("text-")
        || name.starts_with("id-")
        || name.starts_with("label-")
        || matches!(code, Code::CredentialShaped | Code::RenderTooLong)
}

#[cfg(test)]
mod tests {
    use super::{Code, Violations, counts_as_attempt};
    use crate::base::pointer::Pointer;

    fn counts(codes: &[Code]) -> bool {
        let mut violations = Violations::default();
        for code in codes {
            violations.push(*code, Pointer::root(), "");
        }
        counts_as_attempt(&violations)
    }

    #[test]
    fn spelling_alone_does_not_count_and_hides_nothing() {
        assert!(!counts(&[]));
        assert!(!counts(&[Code::IdMalformed, Code::IdCollides, Code::TextUnsafe, Code::CredentialShaped]));
        assert!(counts(&[Code::IdMalformed, Code::EventUnaccounted]));
        assert!(counts(&[Code::ItemIdDuplicate]));
    }

    #[test]
    fn a_draft_that_never_passed_shape_or_binding_does_not_count() {
        assert!(!counts(&[Code::SchemaViolation, Code::EventUnaccounted]));
        assert!(!counts(&[Code::ManifestMismatch, Code::StoryClaimMissing]));
    }
}

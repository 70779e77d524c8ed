//! Which rules apply to a published document, how far each of them can be held against the document alone, and why
//! the rest cannot. Every rule that a draft can break is said here, one way or the other.

use crate::base::rules::{Area, Code, Kind};
use crate::report::findings::State;
use crate::report::findings::State::{Checked, NotChecked, Partly};

/// Codes that are said of published files alone, by `check` and `chain`: no draft of a stage can break them.
pub const OF_PUBLISHING: [Code; 10] = [
    Code::DocumentUnknown,
    Code::NotExpanded,
    Code::RenderContradicts,
    Code::ReceiptsMissing,
    Code::ReceiptMalformed,
    Code::ReceiptContradicts,
    Code::ReceiptOfAnotherSession,
    Code::ReceiptUnlinked,
    Code::DocumentRefused,
    Code::DocumentUnlinked,
];

/// What a published file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// A synthesis, expanded or not.
    Synthesis,
    /// An accounting, sealed or not.
    Accounting,
    /// A rendered recap.
    Recap,
    /// Nothing that is known.
    Unknown,
}

impl Document {
    /// The word for it; `None` for what is unknown.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Synthesis => Some("synthesis"),
            Self::Accounting => Some("accounting"),
            Self::Recap => Some("recap"),
            Self::Unknown => None,
        }
    }

    /// What receipts call the digests by which they tell of such a document.
    pub const fn digests(self) -> &'static [&'static str] {
        match self {
            Self::Synthesis => &["synthesis_sha256", "expanded_file_sha256", "synthesis_file_sha256"],
            Self::Accounting => &["accounting_sha256"],
            Self::Recap => &["recap_sha256"],
            Self::Unknown => &[],
        }
    }
}

/// What is known of a document before its rules are told.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// What it is.
    pub document: Document,
    /// It is strict JSON within the bounds.
    pub read: bool,
    /// Every part has its shape.
    pub shaped: bool,
    /// Nothing is left to expansion.
    pub expanded: bool,
    /// A receipt tells of it.
    pub told: bool,
}

const LEDGER: &str = "needs the ledger";
const ACCOUNTING: &str = "needs the sealed accounting";
const MANIFEST: &str = "needs the manifest";
const DRAFT: &str = "needs the expanded draft";
const ATTEMPTS: &str = "needs the ledger's attempts; a valid receipt shows that they were not exhausted";
const RECEIPTS: &str = "needs a receipt that tells of this document";

impl Facts {
    /// Every rule that applies, with how far it was checked, in the order of the table.
    pub fn rules(&self) -> Vec<(Code, State)> {
        let codes = Code::ALL.iter().copied().filter(|code| code.rule().kind == Kind::Violation);
        codes.filter_map(|code| Some((code, self.state(code)?))).collect()
    }

    /// `None` for a rule of other documents.
    fn state(&self, code: Code) -> Option<State> {
        let whole = match code.rule().area {
            Area::Document if self.document == Document::Recap && code == Code::IdMalformed => return None,
            Area::Document => of_any(code),
            Area::Receipts => self.of_receipts(code)?,
            _ => match self.document {
                Document::Synthesis => self.of_synthesis(code)?,
                Document::Accounting => of_accounting(code)?,
                Document::Recap => self.of_recap(code)?,
                Document::Unknown => return None,
            },
        };
        Some(self.limited(code, whole))
    }

    /// What could not be read, or has not its shape, is not checked whole.
    fn limited(&self, code: Code, whole: State) -> State {
        let always = matches!(code, Code::JsonMalformed | Code::DraftTooLarge);
        match whole {
            NotChecked(_) => whole,
            _ if always => whole,
            _ if !self.read => NotChecked("the document could not be read"),
            _ if code == Code::DocumentUnknown => whole,
            _ if self.document == Document::Unknown => NotChecked("the document is of no known kind"),
            _ if !self.shaped && !looks_at_all(code) => Partly("only where the shape is right"),
            _ => whole,
        }
    }

    fn of_receipts(&self, code: Code) -> Option<State> {
        match code {
            Code::DocumentRefused | Code::DocumentUnlinked if self.told => Some(Checked),
            Code::DocumentRefused | Code::DocumentUnlinked => {
                Some(NotChecked("no receipt was held against the document"))
            }
            Code::ReceiptContradicts if self.document == Document::Synthesis => None,
            Code::ReceiptContradicts if self.document == Document::Unknown => None,
            Code::ReceiptContradicts if self.told => Some(Checked),
            Code::ReceiptContradicts => Some(NotChecked(RECEIPTS)),
            _ => None,
        }
    }

    fn of_recap(&self, code: Code) -> Option<State> {
        let state = recap(code)?;
        let by_receipts = matches!(code, Code::ManifestMismatch | Code::AccountingMismatch);
        Some(if by_receipts && !self.told { NotChecked(RECEIPTS) } else { state })
    }

    fn of_synthesis(&self, code: Code) -> Option<State> {
        let state = synthesis(code)?;
        let by_receipts =
            matches!(code, Code::ManifestMismatch | Code::AccountingMismatch | Code::RenderTooLong);
        Some(match state {
            Partly(_) if code == Code::RenderTooLong && self.told => Checked,
            Checked if by_receipts && !self.told => NotChecked(RECEIPTS),
            Checked | Partly(_) if !self.expanded && looks_at_evidence(code) => {
                NotChecked("the draft is not expanded")
            }
            state => state,
        })
    }
}

fn of_any(code: Code) -> State {
    match code {
        Code::TextUnsafe | Code::CredentialShaped | Code::IdMalformed => Checked,
        Code::JsonMalformed | Code::DraftTooLarge | Code::DocumentUnknown | Code::SchemaViolation => Checked,
        _ => NotChecked(LEDGER),
    }
}

/// Rules that are held against the whole of a document whatever its shape.
const fn looks_at_all(code: Code) -> bool {
    matches!(
        code,
        Code::SchemaViolation
            | Code::TextUnsafe
            | Code::CredentialShaped
            | Code::NotSealed
            | Code::ManifestMismatch
            | Code::AccountingMismatch
            | Code::ReceiptContradicts
            | Code::DocumentRefused
            | Code::DocumentUnlinked
    )
}

/// Rules that the expanded form alone can be held against.
const fn looks_at_evidence(code: Code) -> bool {
    matches!(
        code,
        Code::EvidenceMissing
            | Code::EvidenceDuplicate
            | Code::EvidenceOutsideClaims
            | Code::StoryClaimMissing
            | Code::StoryEvidenceIncomplete
            | Code::TimelineEventMissing
            | Code::TimelineEventRepeated
            | Code::TimelineClaimMissing
            | Code::TimelineBoundsWrong
            | Code::TimelineNotChronological
            | Code::ViewsSharePartition
    )
}

/// How far an expanded synthesis shows by itself whether a rule is kept.
const fn synthesis(code: Code) -> Option<State> {
    Some(match code {
        Code::NotExpanded
        | Code::ManifestMismatch
        | Code::AccountingMismatch
        | Code::ItemIdDuplicate
        | Code::TextEmpty
        | Code::TextTooLong
        | Code::EvidenceMissing
        | Code::EvidenceDuplicate
        | Code::InferenceWithoutCaveat
        | Code::CaveatMisplaced
        | Code::GitEvidenceMissing
        | Code::GitEvidenceMisplaced
        | Code::GitEvidenceKindUnknown
        | Code::StoryClaimRepeated
        | Code::TimelineEventRepeated
        | Code::TimelineBoundsWrong
        | Code::TimelineNotChronological
        | Code::ViewsSharePartition
        | Code::VerificationNeedsCommand
        | Code::VerificationMustNotNameCommand
        | Code::CoverageGroupRepeated => Checked,
        Code::EvidenceOutsideClaims => Partly("only events without any claim, and two ids of one ordinal"),
        Code::GitEvidenceUnknownRepository => Partly("only the form of the name"),
        Code::GitEvidenceValueMismatch => Partly("only that clean and available are true or false"),
        Code::StoryClaimMissing => Partly("only claims that other sections name"),
        Code::StoryEvidenceIncomplete => Partly("only events of the timeline"),
        Code::TimelineEventMissing => Partly("only events of the story"),
        Code::TimelineClaimMissing => Partly("only claims of the story"),
        Code::VerificationOutcomeMismatch => Partly("only that the basis goes with the outcome"),
        Code::RenderTooLong => Partly("only the words of the draft itself"),
        Code::ClaimUnknown
        | Code::ProjectionMissing
        | Code::CoverageGroupMissing
        | Code::CoverageGroupUnknown => NotChecked(ACCOUNTING),
        Code::AgentReportUnsupported
        | Code::SessionObservedUnsupported
        | Code::ChangePathUnobserved
        | Code::ChangeCommitUnobserved
        | Code::VerificationCommandUnknown
        | Code::VerificationResultMismatch
        | Code::VerificationStale
        | Code::VerificationRunOmitted
        | Code::RedactionBlocksEvidence => NotChecked(LEDGER),
        Code::AttemptsExhausted => NotChecked(ATTEMPTS),
        _ => return None,
    })
}

/// How far a rendered recap shows by itself whether a rule is kept. What its schema says has no row here.
fn recap(code: Code) -> Option<State> {
    Some(match code {
        Code::ManifestMismatch
        | Code::AccountingMismatch
        | Code::ItemIdDuplicate
        | Code::TextEmpty
        | Code::EvidenceMissing
        | Code::InferenceWithoutCaveat
        | Code::CaveatMisplaced
        | Code::GitEvidenceMissing
        | Code::GitEvidenceMisplaced
        | Code::TimelineNotChronological
        | Code::CoverageGroupRepeated
        | Code::RenderTooLong
        | Code::RenderContradicts => Checked,
        Code::GitEvidenceValueMismatch => Partly("only that clean and available are true or false"),
        Code::TimelineBoundsWrong => Partly("only the ranges that are shown"),
        Code::NotExpanded
        | Code::TextTooLong
        | Code::GitEvidenceUnknownRepository
        | Code::GitEvidenceKindUnknown => {
            return None;
        }
        Code::AttemptsExhausted => NotChecked(ATTEMPTS),
        code => match synthesis(code)? {
            Checked | Partly(_) => NotChecked(DRAFT),
            state => state,
        },
    })
}

/// How far a sealed accounting shows by itself whether a rule is kept.
fn of_accounting(code: Code) -> Option<State> {
    Some(match code {
        Code::NothingToRecap
        | Code::NotSealed
        | Code::ClaimIdDuplicate
        | Code::GroupIdDuplicate
        | Code::IdCollides
        | Code::LabelEmpty
        | Code::LabelTooLong
        | Code::ClaimKindUnknown
        | Code::ClaimWithoutEvidence
        | Code::RangeInvalid
        | Code::RangeOutOfBounds
        | Code::RangeOverlap
        | Code::GroupWithoutRange
        | Code::EventOwnedTwice
        | Code::EventUnaccounted => Checked,
        Code::GroupSealBroken => Partly("only counts and order; digests are over event ids"),
        Code::AccountingLedgerMismatch => NotChecked(MANIFEST),
        Code::EventUnknown | Code::SignificantEventSetAside | Code::ClaimKindUnsupported => {
            NotChecked(LEDGER)
        }
        Code::AttemptsExhausted => NotChecked(ATTEMPTS),
        _ => return None,
    })
}

/// Rules of a file of receipts.
pub fn of_receipts() -> Vec<(Code, State)> {
    let codes = Code::ALL.iter().copied().filter(|code| code.rule().area == Area::Receipts);
    codes
        .filter(|code| !matches!(code, Code::DocumentRefused | Code::DocumentUnlinked))
        .map(|code| {
            (code, if code == Code::ReceiptContradicts { Partly("receipts are not signed") } else { Checked })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Area, Code, Document, Facts, Kind};

    #[test]
    fn every_rule_of_a_document_is_told_one_way_or_the_other() {
        let told = |document| {
            let facts = Facts { document, read: true, shaped: true, expanded: true, told: true };
            facts.rules().into_iter().map(|(code, _)| code).collect::<Vec<_>>()
        };
        let (synthesis, accounting) = (told(Document::Synthesis), told(Document::Accounting));
        let recap = told(Document::Recap);
        for code in Code::ALL.iter().filter(|code| code.rule().kind == Kind::Violation) {
            let (in_synthesis, in_accounting) = (synthesis.contains(code), accounting.contains(code));
            let expected = match code.rule().area {
                Area::Document | Area::Attempts => in_synthesis && in_accounting,
                Area::Render => recap.contains(code) && !in_accounting,
                Area::Synthesis => in_synthesis && !in_accounting,
                Area::Accounting => in_accounting && !in_synthesis,
                _ => true,
            };
            assert!(expected, "{}", code.as_str());
        }
    }
}

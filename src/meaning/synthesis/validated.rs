//! A draft becomes `Validated` here and nowhere else: by breaking no rule. Only that can be rendered.

use super::basis::Evidence;
use super::document::Synthesis;
use super::draft::{Draft, LINES};
use super::expand::expand;
use super::expanded::Expanded;
use super::rules::{self, rests_on_redactions};
use crate::base::digest::Digest;
use crate::base::json::canonical;
use crate::base::schemas;
use crate::base::violations::Violations;
use crate::meaning::accounting::{counts_as_attempt, read_strictly, strings};
use crate::meaning::prose::recap_length;

/// A synthesis that every rule accepts.
///
/// Nobody else can put one together:
///
/// ```compile_fail
/// use recap::meaning::synthesis::Validated;
/// fn same(validated: Validated) -> Validated {
///     Validated { ..validated }
/// }
/// ```
///
/// though anybody may hold one:
///
/// ```
/// use recap::meaning::synthesis::Validated;
/// fn same(validated: Validated) -> Validated {
///     validated
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Validated {
    synthesis: Synthesis,
    file_sha256: Digest,
    document_sha256: Digest,
    render_words: usize,
    blocked_evidence: bool,
}

impl Validated {
    /// The expanded document.
    pub const fn synthesis(&self) -> &Synthesis {
        &self.synthesis
    }

    /// Digest of the author's bytes.
    pub const fn file_sha256(&self) -> Digest {
        self.file_sha256
    }

    /// Digest of the RFC 8785 bytes of the expanded form.
    pub const fn document_sha256(&self) -> Digest {
        self.document_sha256
    }

    /// Words that the render will have.
    pub const fn render_words(&self) -> usize {
        self.render_words
    }

    /// Some item rests only on redaction marks and says so in a caveat: the render is incomplete.
    pub const fn blocked_evidence(&self) -> bool {
        self.blocked_evidence
    }
}

/// The RFC 8785 bytes of the expanded form, as `--expanded` writes them.
pub fn expanded_bytes(validated: &Validated) -> Vec<u8> {
    // They were made once, for the digest, and can be made again; to keep them would cost more than all the rest.
    canonical::to_bytes(&validated.synthesis).unwrap_or_default()
}

/// A draft that breaks rules, or that could not be read.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// Everything that was found.
    pub violations: Violations,
    /// Digest of the author's bytes.
    pub file_sha256: Digest,
    /// Digest of the expanded form, when the whole draft had its shape.
    pub document_sha256: Option<Digest>,
    /// It passed shape, limits and binding and then broke a meaning rule.
    pub counts_as_attempt: bool,
    /// Words that the render would have, when the whole draft had its shape.
    pub render_words: Option<usize>,
}

/// Words of the render of a synthesis; the report, which comes later, knows them.
pub type Measure<'m> = &'m dyn Fn(&Synthesis, &Evidence<'_>) -> usize;

/// Holds the bytes of a draft against every rule: read, shape, expand, rules, measure.
///
/// # Errors
/// [`Rejected`] with all violations of the draft.
pub fn check(
    draft: &[u8],
    evidence: &Evidence<'_>,
    measure: Measure<'_>,
) -> Result<Validated, Box<Rejected>> {
    let mut verdict = Verdict::new(Digest::of(draft));
    let Some(expanded) = verdict.expanded(draft, evidence) else { return Err(verdict.rejected()) };
    rules::check(&expanded, evidence, &mut verdict.violations);
    let blocked_evidence = expanded.views().any(|view| rests_on_redactions(&view, evidence));
    let Some(synthesis) = expanded.into_synthesis() else { return Err(verdict.rejected()) };
    let Ok(document_sha256) = synthesis.digest() else { return Err(verdict.rejected()) };
    let render_words = measure(&synthesis, evidence);
    verdict.document_sha256 = Some(document_sha256);
    verdict.render_words = Some(render_words);
    recap_length(render_words, &mut verdict.violations);
    if !verdict.violations.is_empty() {
        return Err(verdict.rejected());
    }
    let file_sha256 = verdict.file_sha256;
    Ok(Validated { synthesis, file_sha256, document_sha256, render_words, blocked_evidence })
}

/// What is known of a draft while it is checked.
struct Verdict {
    violations: Violations,
    file_sha256: Digest,
    document_sha256: Option<Digest>,
    render_words: Option<usize>,
}

impl Verdict {
    fn new(file_sha256: Digest) -> Self {
        Self { violations: Violations::default(), file_sha256, document_sha256: None, render_words: None }
    }

    fn expanded(&mut self, draft: &[u8], evidence: &Evidence<'_>) -> Option<Expanded> {
        let value = match read_strictly(draft) {
            Ok(value) => value,
            Err(violations) => {
                self.violations = violations;
                return None;
            }
        };
        schemas::check("synthesis-draft", &value, &mut self.violations);
        let mut shape = Violations::default();
        let read = Draft::read(&value, &mut shape);
        // The schema says more exactly what is wrong; what only the reader refuses must not pass either.
        if self.violations.is_empty() {
            self.violations = shape;
        }
        // Texts of the whole document, also where a part has not its shape and no rule reads it.
        if let Some(schema) = schemas::find("synthesis-draft") {
            strings::check(schema, &LINES, &value, evidence.table.search(), &mut self.violations);
        }
        expand(read?, evidence, &mut self.violations)
    }

    fn rejected(self) -> Box<Rejected> {
        Box::new(Rejected {
            counts_as_attempt: self.document_sha256.is_some() && counts_as_attempt(&self.violations),
            violations: self.violations,
            file_sha256: self.file_sha256,
            document_sha256: self.document_sha256,
            render_words: self.render_words,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Digest, expanded_bytes};
    use crate::base::limits::{DRAFT_BYTES, RENDER_WORDS};
    use crate::meaning::synthesis::testing::{Case, draft, found};

    #[test]
    fn the_digest_of_a_document_is_that_of_its_bytes() {
        let validated = Case::new().accepts(|_| {});
        assert_eq!(Digest::of(&expanded_bytes(&validated)), validated.document_sha256());
    }

    #[test]
    fn what_is_not_strict_json_has_no_document() {
        let rejected = Case::new().check_bytes(b"{\"a\": 1, \"a\": 2}").unwrap_err();
        assert_eq!(found(&rejected), ["json-malformed "]);
        assert_eq!((rejected.document_sha256, rejected.counts_as_attempt), (None, false));
        let rejected = Case::new().check_bytes(b"[]").unwrap_err();
        assert_eq!(found(&rejected), ["schema-violation "]);
    }

    #[test]
    fn a_draft_over_its_bound_is_not_read() {
        let bytes = vec![b' '; usize::try_from(DRAFT_BYTES).unwrap() + 1];
        assert_eq!(found(&Case::new().check_bytes(&bytes).unwrap_err()), ["draft-too-large "]);
    }

    #[test]
    fn a_part_of_wrong_shape_does_not_hide_the_others() {
        let rejected = Case::new().refuses(
            |draft| {
                draft["timeline"] = json!(1);
                draft["story"][0]["id"] = json!("A");
            },
            &["id-malformed /story/0/id", "schema-violation /timeline"],
        );
        assert_eq!((rejected.document_sha256, rejected.counts_as_attempt), (None, false));
    }

    #[test]
    fn a_long_render_is_refused_and_its_length_told() {
        let mut case = Case::new();
        case.words = RENDER_WORDS;
        assert_eq!(case.accepts(|_| {}).render_words(), RENDER_WORDS);
        case.words += 1;
        let rejected = case.refuses(|_| {}, &["render-too-long "]);
        assert_eq!((rejected.render_words, rejected.counts_as_attempt), (Some(RENDER_WORDS + 1), false));
    }

    #[test]
    fn only_a_broken_meaning_rule_counts_as_an_attempt() {
        let case = Case::new();
        let counts = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut draft = draft();
            change(&mut draft);
            case.check(&draft).unwrap_err().counts_as_attempt
        };
        let meaning = |draft: &mut serde_json::Value| draft["final_state"] = json!([]);
        let form = |draft: &mut serde_json::Value| draft["headline"]["summary"] = json!("");
        assert!(counts(&meaning));
        assert!(!counts(&form));
        assert!(counts(&|draft| (meaning(draft), form(draft)).0));
        let unbound =
            |draft: &mut serde_json::Value| draft["manifest_sha256"] = draft["accounting_sha256"].clone();
        assert!(!counts(&|draft| (meaning(draft), unbound(draft)).0));
    }
}

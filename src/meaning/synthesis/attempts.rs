//! First try and two repairs: how many different drafts of one ledger state have failed, and what that
//! means for the next. Pure logic and the line format; the stage holds the lock, appends the line and flushes
//! it before it prints a verdict. It stops an agent from guessing, not an owner from deleting files.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::validated::{Rejected, Validated};
use crate::base::digest::Digest;
use crate::base::limits::ATTEMPTS;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::base::{Refusal, Result};
use crate::meaning::accounting;

/// What attempts are counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerKey {
    /// Number of events.
    pub size: u64,
    /// Root over the event lines.
    pub root: Digest,
}

/// One line of the attempts file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case", deny_unknown_fields)]
pub enum AttemptLine {
    /// A draft was checked.
    Draft {
        /// The ledger state that it tells.
        ledger: LedgerKey,
        /// Digest of its expanded form.
        document_sha256: Digest,
        /// The command that saw it.
        stage: String,
        /// It broke no rule.
        accepted: bool,
        /// It broke a meaning rule after passing shape, limits and binding.
        counted: bool,
        /// The rules that it broke, in the order of the table.
        codes: Vec<Code>,
        /// When, RFC 3339 UTC.
        at: String,
    },
    /// A person opened the ledger state again.
    Reset {
        /// The ledger state.
        ledger: LedgerKey,
        /// When, RFC 3339 UTC.
        at: String,
    },
}

impl AttemptLine {
    /// The line with its LF.
    ///
    /// # Errors
    /// `attempts-unwritable` if it cannot be expressed in JSON, which digests, codes and words always can.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self).map_err(|_| Refusal::new(Code::AttemptsUnwritable))?;
        line.push(b'\n');
        Ok(line)
    }
}

/// What a check said of a draft, as far as attempts go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Digest of the expanded form; `None` when the draft could not be read so far.
    pub document_sha256: Option<Digest>,
    /// It broke no rule.
    pub accepted: bool,
    /// It counts as a failed attempt.
    pub counted: bool,
    /// The rules that it broke.
    pub codes: Vec<Code>,
}

impl From<&Validated> for Verdict {
    fn from(validated: &Validated) -> Self {
        let document_sha256 = Some(validated.document_sha256());
        Self { document_sha256, accepted: true, counted: false, codes: Vec::new() }
    }
}

impl From<&accounting::Rejected> for Verdict {
    fn from(rejected: &accounting::Rejected) -> Self {
        Self::failed(rejected.document_sha256, rejected.counts_as_attempt, &rejected.violations)
    }
}

impl From<&Rejected> for Verdict {
    fn from(rejected: &Rejected) -> Self {
        Self::failed(rejected.document_sha256, rejected.counts_as_attempt, &rejected.violations)
    }
}

impl Verdict {
    fn failed(document_sha256: Option<Digest>, counted: bool, violations: &Violations) -> Self {
        let codes = violations.counts().keys().copied().collect();
        Self { document_sha256, accepted: false, counted, codes }
    }
}

/// Everything that the file says of one ledger state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempts {
    failed: HashSet<Digest>,
    accepted: HashSet<Digest>,
    uncounted: HashSet<Digest>,
    resets: u64,
    whole_bytes: u64,
}

impl Attempts {
    /// Folds the file. A last line without LF was never followed by a verdict and is no line.
    ///
    /// # Errors
    /// `line-invalid` for a whole line of another form.
    pub fn read(bytes: &[u8], key: LedgerKey) -> Result<Self> {
        let mut attempts = Self::default();
        for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let Some(whole) = line.strip_suffix(b"\n") else { break };
            let line_number = number + 1;
            let parsed: AttemptLine = serde_json::from_slice(whole)
                .map_err(|_| Refusal::new(Code::LineInvalid).at(format!("attempts, line {line_number}")))?;
            attempts.whole_bytes += line.len() as u64;
            attempts.fold(parsed, key);
        }
        Ok(attempts)
    }

    /// Bytes up to the end of the last whole line: where the next line begins.
    pub const fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    /// Different drafts that failed since the last reset.
    pub fn failed(&self) -> usize {
        self.failed.len()
    }

    /// Drafts that may still fail.
    pub fn left(&self) -> usize {
        ATTEMPTS.saturating_sub(self.failed.len())
    }

    /// No draft of this ledger state is authoritative any more, but those accepted before.
    pub fn exhausted(&self) -> bool {
        self.left() == 0
    }

    /// The draft was accepted once and stays renderable whatever came after.
    pub fn is_accepted(&self, document: Digest) -> bool {
        self.accepted.contains(&document)
    }

    /// How often a person opened this ledger state again; receipts and the first line of a render say so.
    pub const fn resets(&self) -> u64 {
        self.resets
    }

    /// Takes one more line.
    pub fn fold(&mut self, line: AttemptLine, key: LedgerKey) {
        match line {
            AttemptLine::Draft { ledger, document_sha256, accepted, counted, .. } if ledger == key => {
                if accepted {
                    self.accepted.insert(document_sha256);
                } else if counted {
                    self.failed.insert(document_sha256);
                } else {
                    self.uncounted.insert(document_sha256);
                }
            }
            AttemptLine::Reset { ledger, .. } if ledger == key => {
                self.failed.clear();
                self.resets += 1;
            }
            AttemptLine::Draft { .. } | AttemptLine::Reset { .. } => {}
        }
    }
}

/// What a stage does with a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The draft is authoritative: it breaks no rule and attempts allow it.
    pub accepted: bool,
    /// The stage adds `attempts-exhausted` to the verdict.
    pub exhausted: bool,
    /// To append and flush before the verdict is printed; `None` when the file says it already.
    pub line: Option<AttemptLine>,
    /// Drafts that may still fail, this one taken into account.
    pub left: usize,
}

/// Decides about one draft.
///
/// A draft that was accepted once stays so. Any other is refused once three different ones have failed, and
/// the third of them is told so itself. A dry run counts a failure like any other command, but records no
/// acceptance: there is nothing to render from.
pub fn decide(
    attempts: &Attempts,
    key: LedgerKey,
    verdict: &Verdict,
    stage: &str,
    at: &str,
    dry_run: bool,
) -> Decision {
    let Some(document_sha256) = verdict.document_sha256 else {
        return Decision {
            accepted: false,
            exhausted: attempts.exhausted(),
            line: None,
            left: attempts.left(),
        };
    };
    let said = match (verdict.accepted, verdict.counted) {
        (true, _) => &attempts.accepted,
        (false, true) => &attempts.failed,
        (false, false) => &attempts.uncounted,
    };
    let known = said.contains(&document_sha256);
    let accepted = verdict.accepted && (known || !attempts.exhausted());
    let failed_anew = !verdict.accepted && verdict.counted && !known;
    let left = attempts.left().saturating_sub(usize::from(failed_anew));
    let told = if verdict.accepted { accepted && !dry_run } else { true };
    let line = (told && !known).then(|| AttemptLine::Draft {
        ledger: key,
        document_sha256,
        stage: stage.to_owned(),
        accepted,
        counted: failed_anew,
        codes: verdict.codes.clone(),
        at: at.to_owned(),
    });
    Decision { accepted, exhausted: !accepted && left == 0, line, left }
}

#[cfg(test)]
mod tests {
    use super::{AttemptLine, Attempts, Code, Decision, Digest, LedgerKey, Verdict, decide};

    const KEY: LedgerKey = LedgerKey { size: 3, root: Digest::from_bytes([1; 32]) };

    fn verdict(name: &str, codes: &[Code]) -> Verdict {
        Verdict {
            document_sha256: Some(Digest::of(name.as_bytes())),
            accepted: codes.is_empty(),
            counted: codes.contains(&Code::EvidenceMissing),
            codes: codes.to_vec(),
        }
    }

    /// Decides one draft after another on a file, as the stage does.
    fn run(file: &mut Vec<u8>, name: &str, codes: &[Code]) -> Decision {
        let attempts = Attempts::read(file, KEY).unwrap();
        let decision = decide(&attempts, KEY, &verdict(name, codes), "validate-synthesis", "now", false);
        if let Some(line) = &decision.line {
            file.extend(line.to_bytes().unwrap());
        }
        decision
    }

    const BROKEN: &[Code] = &[Code::EvidenceMissing];

    #[test]
    fn the_third_different_failure_closes_the_ledger_state() {
        let mut file = Vec::new();
        assert_eq!(run(&mut file, "one", BROKEN).left, 2);
        assert_eq!(run(&mut file, "one", BROKEN).left, 2);
        assert_eq!(run(&mut file, "two", BROKEN).left, 1);
        assert!(!run(&mut file, "form", &[Code::TextEmpty]).exhausted);
        let third = run(&mut file, "three", BROKEN);
        assert!(third.exhausted && !third.accepted);
        let good = run(&mut file, "good", &[]);
        assert!(good.exhausted && !good.accepted && good.line.is_none());
    }

    #[test]
    fn the_file_says_everything_once() {
        let mut file = Vec::new();
        let mut lines = |name: &str, codes: &[Code]| {
            run(&mut file, name, codes);
            file.iter().filter(|byte| **byte == b'\n').count()
        };
        const FORM: &[Code] = &[Code::TextEmpty];
        assert_eq!((lines("one", FORM), lines("one", FORM), lines("two", FORM)), (1, 1, 2));
        // What did not count may count later, and be right at last.
        assert_eq!((lines("one", BROKEN), lines("one", BROKEN), lines("one", FORM)), (3, 3, 3));
        assert_eq!((lines("one", &[]), lines("one", &[]), lines("one", BROKEN)), (4, 4, 4));
        let attempts = Attempts::read(&file, KEY).unwrap();
        assert_eq!((attempts.failed(), attempts.left()), (1, 2));
    }

    #[test]
    fn an_accepted_draft_stays_accepted() {
        let mut file = Vec::new();
        assert!(run(&mut file, "good", &[]).accepted);
        for name in ["one", "two", "three", "four"] {
            run(&mut file, name, BROKEN);
        }
        let again = run(&mut file, "good", &[]);
        assert!(again.accepted && !again.exhausted && again.line.is_none());
        assert!(!run(&mut file, "better", &[]).accepted);
        let attempts = Attempts::read(&file, KEY).unwrap();
        assert!(attempts.is_accepted(Digest::of(b"good")) && !attempts.is_accepted(Digest::of(b"better")));
    }

    #[test]
    fn a_reset_opens_it_again_and_is_remembered() {
        let mut file = Vec::new();
        for name in ["one", "two", "three"] {
            run(&mut file, name, BROKEN);
        }
        let reset = AttemptLine::Reset { ledger: KEY, at: "now".to_owned() }.to_bytes().unwrap();
        file.extend(&reset);
        assert!(run(&mut file, "good", &[]).accepted);
        let attempts = Attempts::read(&file, KEY).unwrap();
        assert_eq!((attempts.resets(), attempts.failed()), (1, 0));
        file.extend(&reset);
        assert_eq!(Attempts::read(&file, KEY).unwrap().resets(), 2);
    }

    #[test]
    fn another_ledger_state_has_attempts_of_its_own() {
        let mut file = Vec::new();
        for name in ["one", "two", "three"] {
            run(&mut file, name, BROKEN);
        }
        let grown = LedgerKey { size: 4, ..KEY };
        assert!(!Attempts::read(&file, grown).unwrap().exhausted());
        file.extend(AttemptLine::Reset { ledger: grown, at: "now".to_owned() }.to_bytes().unwrap());
        let attempts = Attempts::read(&file, KEY).unwrap();
        assert!(attempts.exhausted() && attempts.resets() == 0);
    }

    #[test]
    fn a_dry_run_counts_failures_and_accepts_nothing_for_good() {
        let attempts = Attempts::default();
        let dry = |verdict: &Verdict| decide(&attempts, KEY, verdict, "validate-synthesis", "now", true);
        let good = dry(&verdict("good", &[]));
        assert!(good.accepted && good.line.is_none());
        assert!(dry(&verdict("one", BROKEN)).line.is_some());
    }

    #[test]
    fn a_draft_that_could_not_be_read_leaves_no_line() {
        let unread = Verdict { document_sha256: None, ..verdict("one", &[Code::JsonMalformed]) };
        let decision = decide(&Attempts::default(), KEY, &unread, "render", "now", false);
        assert_eq!((decision.line, decision.left), (None, 3));
    }

    #[test]
    fn a_torn_last_line_is_none_and_any_other_damage_refuses() {
        let mut file = Vec::new();
        run(&mut file, "one", BROKEN);
        let whole = file.len() as u64;
        file.extend(b"{\"line\":\"dra");
        let attempts = Attempts::read(&file, KEY).unwrap();
        assert_eq!((attempts.failed(), attempts.whole_bytes()), (1, whole));
        file.push(b'\n');
        let refusal = Attempts::read(&file, KEY).unwrap_err();
        assert_eq!((refusal.code(), refusal.place()), (Code::LineInvalid, Some("attempts, line 2")));
    }
}

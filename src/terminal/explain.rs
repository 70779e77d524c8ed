//! Violations for a person: grouped by rule, each place with what was found, the remedy once a rule.

use std::fmt::Write as _;

use crate::base::refusal::visible;
use crate::base::violations::Violations;

/// The text that `--explain` prints on standard error.
pub fn explained(violations: &Violations) -> String {
    let mut text = String::new();
    for (code, count) in violations.counts() {
        let rule = code.rule();
        // Writing into memory cannot fail.
        let _ = writeln!(text, "{}: {} ({count})", rule.code, rule.statement);
        for violation in violations.sorted().into_iter().filter(|violation| violation.code == *code) {
            let place = match violation.pointer.to_string() {
                root if root.is_empty() => "the document".to_owned(),
                place => place,
            };
            let _ = writeln!(text, "  {}: {}", visible(&place), visible(&violation.detail));
        }
        let _ = writeln!(text, "  to mend: {}", rule.mend);
    }
    text
}

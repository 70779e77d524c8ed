//! What the rule table says, for a person: one code at a time, or the whole table as `references/violations.md`.
//! Both come from `base::rules` alone, so neither can forget a code.

use std::fmt::Write as _;

use crate::base::rules::{Area, Code, Kind, Rule};

/// Headings of the kinds, in the order of the document.
const KINDS: [(Kind, &str, &str); 3] = [
    (
        Kind::Violation,
        "Violations",
        "The document breaks the contract. All violations of a document are reported together.",
    ),
    (
        Kind::Refusal,
        "Refusals",
        "The world is unsafe or unreadable, or the evidence does not hold. Nothing is written.",
    ),
    (
        Kind::Limitation,
        "Limitations",
        "The evidence has a known gap. Nothing is refused; manifests, receipts and recaps say so.",
    ),
];

/// Headings of the areas, in the order of the table.
const AREAS: [(Area, &str); 12] = [
    (Area::Document, "Any document"),
    (Area::Accounting, "Accounting"),
    (Area::Synthesis, "Synthesis"),
    (Area::Render, "Render"),
    (Area::Attempts, "Attempts"),
    (Area::Usage, "Command line"),
    (Area::Files, "Files and folders"),
    (Area::Transcript, "Transcript"),
    (Area::Ledger, "Ledger"),
    (Area::Git, "Repositories"),
    (Area::Set, "Boundary sets"),
    (Area::Receipts, "Receipts"),
];

/// What `recap explain CODE` prints.
pub fn explain(code: Code) -> String {
    let rule = code.rule();
    let kind = match rule.kind {
        Kind::Violation => "violation",
        Kind::Refusal => "refusal",
        Kind::Limitation => "limitation",
    };
    let mut text = format!("{}: {}\n\n", rule.code, rule.statement);
    // Writing into a string cannot fail.
    let _ = writeln!(text, "why   {}", rule.why);
    let _ = writeln!(text, "mend  {}", rule.mend);
    let _ = writeln!(text, "kind  {kind}{}", exit(rule));
    let _ = writeln!(text, "since {}{}", rule.since, retired(rule));
    text
}

/// The whole of `references/violations.md`.
pub fn violations_markdown() -> String {
    let mut text = String::from(
        "# Codes\n\nGenerated from `src/base/rules.rs`; do not edit. The order is the order of checking. A code is an \
         identity and is never used again.\n",
    );
    for (kind, heading, meaning) in KINDS {
        let _ = write!(text, "\n## {heading}\n\n{meaning}\n");
        for (area, heading) in AREAS {
            let mut rules = Code::ALL
                .iter()
                .map(|code| code.rule())
                .filter(|rule| rule.kind == kind && rule.area == area)
                .peekable();
            if rules.peek().is_some() {
                let _ = write!(text, "\n### {heading}\n");
            }
            rules.for_each(|rule| push_rule(&mut text, rule));
        }
    }
    text
}

fn push_rule(text: &mut String, rule: &Rule) {
    let _ = write!(text, "\n#### `{}`\n\n", rule.code);
    let _ = writeln!(text, "{}{}.\n", sentence(rule.statement), retired(rule));
    let _ = writeln!(text, "- Why: {}", rule.why);
    let _ = writeln!(text, "- Mend: {}", rule.mend);
    let _ = writeln!(text, "- Since {}{}", rule.since, exit(rule));
}

/// Limitations end no command, so they have no exit status to tell.
fn exit(rule: &Rule) -> String {
    if rule.kind == Kind::Limitation { String::new() } else { format!(", exit status {}", rule.exit) }
}

fn retired(rule: &Rule) -> String {
    rule.retired.map(|version| format!(", retired in {version}")).unwrap_or_default()
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{explain, violations_markdown};
    use crate::base::rules::Code;

    #[test]
    fn a_code_is_explained_with_why_and_remedy() {
        assert_eq!(
            explain(Code::ClaimWithoutEvidence),
            "claim-without-evidence: a claim owns no event\n\n\
             why   a claim without evidence is an opinion\n\
             mend  give it events or remove it\n\
             kind  violation, exit status 1\n\
             since 0.1.0\n"
        );
    }

    #[test]
    fn the_document_has_every_code_once() {
        let document = violations_markdown();
        for code in Code::ALL {
            let heading = format!("\n#### `{}`\n", code.as_str());
            assert_eq!(document.matches(&heading).count(), 1, "{}", code.as_str());
        }
        assert_eq!(document.matches("\n#### `").count(), Code::ALL.len());
        assert!(document.starts_with("# Codes\n"));
        assert!(
            document.contains("\n### Accounting\n\n#### `nothing-to-recap`\n\nThe ledger holds no event.\n")
        );
    }
}

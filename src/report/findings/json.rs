//! Findings for programs: one document, described by `recap schema check`.

use serde::Serialize;

use super::found::{Examined, Report};
use crate::base::refusal::visible;
use crate::base::rules::Code;

/// The document on one line, without its LF.
pub fn json(report: &Report) -> String {
    let document = Document {
        schema_version: "recap.check.v1",
        valid: report.is_green(),
        files: report.files.iter().map(File::of).collect(),
        version: env!("CARGO_PKG_VERSION"),
    };
    // Words, numbers and codes always serialize.
    serde_json::to_string(&document).unwrap_or_default()
}

#[derive(Serialize)]
struct Document<'r> {
    schema_version: &'static str,
    valid: bool,
    files: Vec<File<'r>>,
    version: &'static str,
}

#[derive(Serialize)]
struct File<'r> {
    name: String,
    kind: Option<&'static str>,
    valid: bool,
    rules: Vec<Rule>,
    findings: Vec<Place<'r>>,
}

#[derive(Serialize)]
struct Rule {
    code: Code,
    state: &'static str,
    reason: Option<&'static str>,
    violations: u64,
}

/// A broken rule at a place.
#[derive(Serialize)]
pub(super) struct Place<'r> {
    code: Code,
    statement: &'static str,
    remedy: &'static str,
    pointer: &'r str,
    line: usize,
    column: usize,
}

impl<'r> Place<'r> {
    pub(super) fn of(finding: &'r super::Finding) -> Self {
        let rule = finding.code.rule();
        Self {
            code: finding.code,
            statement: rule.statement,
            remedy: rule.mend,
            pointer: &finding.shape,
            line: finding.at.line,
            column: finding.at.column,
        }
    }
}

impl<'r> File<'r> {
    fn of(file: &'r Examined) -> Self {
        let rules = file.rules.iter().map(|held| Rule {
            code: held.code,
            state: held.state.name(),
            reason: held.state.reason(),
            violations: held.count,
        });
        Self {
            name: visible(&file.name),
            kind: file.kind,
            valid: file.is_green(),
            rules: rules.collect(),
            findings: file.findings.iter().map(Place::of).collect(),
        }
    }
}

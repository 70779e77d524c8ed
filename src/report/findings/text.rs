//! Findings for a person.

use std::fmt::Write as _;

use super::found::{Examined, Held, Report, State};
use crate::base::refusal::visible;

/// The whole report as text.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for file in &report.files {
        push(&mut text, file);
    }
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{}", if report.is_green() { "valid as far as checked" } else { "not valid" });
    text
}

fn push(text: &mut String, file: &Examined) {
    let name = visible(&file.name);
    let _ = writeln!(text, "{name}: {}; {}", file.kind_name(), summary(file));
    for finding in &file.findings {
        let (line, column) = (finding.at.line, finding.at.column);
        let rule = finding.code.rule();
        let place = if finding.shape.is_empty() { String::new() } else { format!(" ({})", finding.shape) };
        let _ = writeln!(text, "  {name}:{line}:{column}: {}: {}{place}", rule.code, rule.statement);
    }
    for held in &file.rules {
        let _ = writeln!(text, "  {}", told(held));
    }
}

/// Numbers of rules by what became of them.
pub fn summary(file: &Examined) -> String {
    format!(
        "{} rules broken, {} checked, {} checked in part, {} not checked",
        file.broken(),
        file.number("checked"),
        file.number("partly"),
        file.number("not_checked")
    )
}

/// One rule and what became of it.
fn told(held: &Held) -> String {
    let code = held.code.as_str();
    let broken = match held.count {
        0 => String::new(),
        count => format!("; broken ({count}), to mend: {}", held.code.rule().mend),
    };
    match held.state {
        State::Checked => format!("checked      {code}{broken}"),
        State::Partly(part) => format!("in part      {code}: {part}{broken}"),
        State::NotChecked(reason) => format!("not checked  {code}: {reason}"),
    }
}

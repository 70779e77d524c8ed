//! Findings as workflow commands of GitHub Actions: one annotation a place, and one notice a file that says what was
//! not checked. A value is escaped as the runner takes it apart: `%`, CR and LF everywhere, `:` and `,` in properties.
//! Every line begins with a command of ours, so that nothing else in it can be one.

use super::found::{Examined, Report, State};
use super::text::summary;
use crate::base::refusal::{is_unsafe, visible};
use crate::base::rules::Code;

/// One command a line.
pub fn github(report: &Report) -> String {
    report.files.iter().map(of).collect()
}

fn of(file: &Examined) -> String {
    let mut text = String::new();
    let name = property(&file.name);
    for finding in &file.findings {
        let rule = finding.code.rule();
        let (line, column) = (finding.at.line, finding.at.column);
        let place = if finding.shape.is_empty() { String::new() } else { format!(" at {}", finding.shape) };
        let message = data(&format!("{}{place}\n{}", rule.statement, rule.mend));
        text.push_str(&format!(
            "::error file={name},line={line},col={column},title={}::{message}\n",
            property(&format!("recap {}", rule.code))
        ));
    }
    let mut message = format!("{}; {}", file.kind_name(), summary(file));
    for (state, codes) in file.reserved() {
        let word = if matches!(state, State::Partly(_)) { "checked in part" } else { "not checked" };
        let codes: Vec<&str> = codes.into_iter().map(Code::as_str).collect();
        message.push_str(&format!("\n{word}, {}: {}", state.reason().unwrap_or_default(), codes.join(", ")));
    }
    text.push_str(&format!("::notice file={name},title=recap check::{}\n", data(&message)));
    text
}

/// What stands behind `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What stands between `=` and `,`. A name keeps its line breaks, which the runner decodes; other characters that
/// could speak to a terminal are spelled out.
fn property(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_unsafe(letter) && !matches!(letter, '\n' | '\r') {
            shown.push_str(&visible(&letter.to_string()));
        } else {
            shown.push(letter);
        }
    }
    data(&shown).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn values_are_escaped_as_the_runner_takes_them_apart() {
        assert_eq!(data("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(property("a,line=1::b%0A\n\u{202e}c"), "a%2Cline=1%3A%3Ab%250A%0A\\u{202e}c");
    }
}

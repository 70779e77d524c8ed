//! Findings as SARIF 2.1.0, for code scanning: the rules are those of the table, each broken rule at a place is a
//! result, and what was not checked is a notification of the run. Names of files are percent-encoded.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::found::{Examined, Finding, Report, State};
use crate::base::rules::{Code, Kind, Rule};

/// Where the published schema lies; it is named, never fetched.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// One log with one run, indented.
pub fn sarif(report: &Report) -> String {
    let codes: Vec<Code> =
        Code::ALL.iter().copied().filter(|code| code.rule().kind == Kind::Violation).collect();
    let places: HashMap<Code, usize> = codes.iter().copied().zip(0..).collect();
    let results: Vec<Value> = report
        .files
        .iter()
        .flat_map(|file| file.findings.iter().map(|finding| result(file, finding, &places)))
        .collect();
    let notifications: Vec<Value> =
        report.files.iter().flat_map(|file| notifications(file, &places)).collect();
    let exit = u8::from(!report.is_green());
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "recap",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| descriptor(code.rule())).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "the folder that the check ran in" } } },
            "artifacts": report.files.iter().map(artifact).collect::<Vec<_>>(),
            "invocations": [{
                "executionSuccessful": true,
                "exitCode": exit,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    // A value of texts and numbers always serializes.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.code,
        "shortDescription": { "text": rule.statement },
        "fullDescription": { "text": rule.why },
        "help": { "text": rule.mend },
        "defaultConfiguration": { "level": "error" },
    })
}

fn artifact(file: &Examined) -> Value {
    json!({ "location": location(file), "roles": ["analysisTarget"], "description": { "text": file.kind_name() } })
}

fn location(file: &Examined) -> Value {
    json!({ "uri": encoded(&file.name), "uriBaseId": "%SRCROOT%" })
}

fn result(file: &Examined, finding: &Finding, places: &HashMap<Code, usize>) -> Value {
    let rule = finding.code.rule();
    let shape = if finding.shape.is_empty() { "/" } else { &finding.shape };
    json!({
        "ruleId": rule.code,
        "ruleIndex": places.get(&finding.code),
        "level": "error",
        "message": { "text": format!("{} (at {shape}); {}", rule.statement, rule.mend) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": location(file),
                "region": { "startLine": finding.at.line, "startColumn": finding.at.column },
            },
            "logicalLocations": [{ "fullyQualifiedName": shape }],
        }],
    })
}

fn notifications(file: &Examined, places: &HashMap<Code, usize>) -> Vec<Value> {
    let told = file.rules.iter().filter_map(|held| {
        let text = match held.state {
            State::Checked => return None,
            State::Partly(part) => format!("checked in part: {part}"),
            State::NotChecked(reason) => format!("not checked: {reason}"),
        };
        Some(json!({
            "level": "note",
            "message": { "text": text },
            "associatedRule": { "id": held.code.as_str(), "index": places.get(&held.code) },
            "locations": [{ "physicalLocation": { "artifactLocation": location(file) } }],
        }))
    });
    told.collect()
}

/// A relative reference of RFC 3986: what is not unreserved is encoded, so that no name has a scheme or a query.
fn encoded(name: &str) -> String {
    let mut uri = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/') {
            uri.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn a_name_is_a_path_and_nothing_else() {
        assert_eq!(encoded("a/b-c_1.json"), "a/b-c_1.json");
        assert_eq!(encoded("file:x?y#z%41 \n\u{e9}"), "file%3Ax%3Fy%23z%2541%20%0A%C3%A9");
    }
}

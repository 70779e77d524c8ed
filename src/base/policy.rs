//! A team's scrubbing policy: kinds it adds to the table, and values it allows by their digest. Nothing of the table can be
//! switched off, and what a policy does shows: its digest is the version that a manifest names, and values that it let
//! stand are counted.

use std::collections::HashSet;

use serde::Deserialize;

use super::credential::kinds;
use super::credential::shape::Shape;
use super::credential::{Added, Spotter};
use super::digest::Digest;
use super::json::read::strict;
use super::rules::Code;
use super::schemas;
use super::violations::Violations;
use super::{Refusal, Result};

/// Longest policy, in bytes.
pub const POLICY_BYTES: u64 = 256 * 1024;
/// Shortest literal with which a form begins, in bytes; less would stand everywhere.
const LEAST_LITERAL: usize = 3;
/// Shortest secret that a form may describe, in bytes; less would hide words.
const LEAST_SECRET: usize = 8;

/// A policy that was read.
#[derive(Debug)]
pub struct Policy {
    /// Digest of its file.
    pub sha256: Digest,
    added: Vec<Added>,
    allowed: HashSet<Digest>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[expect(dead_code, reason = "the schema has checked it")]
    schema_version: String,
    #[serde(default)]
    kinds: Vec<PolicyKind>,
    #[serde(default)]
    allow: Vec<Allowed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyKind {
    name: String,
    forms: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Allowed {
    sha256: String,
    #[expect(dead_code, reason = "it is there for those who read the policy")]
    reason: String,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// `policy-invalid`, with the first thing that is wrong and none of its words.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let invalid = |hint: &'static str| Refusal::new(Code::PolicyInvalid).hint(hint);
        let value = strict(bytes).map_err(|_| invalid("it is not strict JSON"))?;
        if !schemas::check("policy", &value, &mut Violations::default()) {
            return Err(invalid("it has not the shape of its schema"));
        }
        let document: Document =
            serde_json::from_value(value).map_err(|_| invalid("it has not the shape of its schema"))?;
        let mut added = Vec::new();
        for kind in &document.kinds {
            if kinds::TABLES.iter().flat_map(|table| table.iter()).any(|own| own.name == kind.name) {
                return Err(invalid("a kind of this name is built in"));
            }
            let name = lasting(&kind.name);
            for form in &kind.forms {
                let shape = lasting(form);
                if !is_form(shape) {
                    return Err(invalid(
                        "a form has to begin with a literal of 3 bytes or more and to describe at least 8",
                    ));
                }
                added.push(Added { name, shape });
            }
        }
        let allowed = document.allow.iter().filter_map(|value| Digest::parse(&value.sha256)).collect();
        Ok(Self { sha256: Digest::of(bytes), added, allowed })
    }

    /// The search for secrets under this policy.
    pub fn spotter(&self) -> Spotter {
        Spotter::with(&self.added, self.allowed.clone())
    }
}

/// A word of a policy for as long as the program runs: kinds are names that outlive every text.
fn lasting(word: &str) -> &'static str {
    word.to_owned().leak()
}

fn is_form(form: &'static str) -> bool {
    let literal = form.find('{').unwrap_or(form.len());
    Shape::parse(form).is_some_and(|shape| literal >= LEAST_LITERAL && shape.least() >= LEAST_SECRET)
}

#[cfg(test)]
mod tests {
    use super::Policy;
    use crate::base::digest::Digest;

    fn parse(kinds: &str, allow: &str) -> Result<Policy, String> {
        let text = format!(r#"{{"schema_version":"recap.policy.v1","kinds":[{kinds}],"allow":[{allow}]}}"#);
        Policy::parse(text.as_bytes()).map_err(|refusal| refusal.code().as_str().to_owned())
    }

    #[test]
    fn a_policy_adds_kinds_and_allows_exact_values() {
        let token = format!("acme_{}", "k3J9".repeat(6));
        let known = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        let digest = Digest::of(known.as_bytes());
        let policy = parse(
            r#"{"name":"acme-token","forms":["acme_{A24}"]}"#,
            &format!(r#"{{"sha256":"{digest}","reason":"in our docs"}}"#),
        );
        let spotter = policy.unwrap().spotter();
        let looked = spotter.look(&format!("a {token} b {known} c {known}x"));
        let kinds: Vec<_> = looked.spans.iter().map(|span| span.kind).collect();
        assert_eq!((kinds, looked.allowed), (vec!["acme-token", "github-token"], 1));
    }

    #[test]
    fn a_policy_that_hides_too_much_or_names_a_kind_of_ours_is_refused() {
        for kind in [
            r#"{"name":"password","forms":["acme_{A24}"]}"#,
            r#"{"name":"short","forms":["ac{A24}"]}"#,
            r#"{"name":"short","forms":["acme{A2}"]}"#,
            r#"{"name":"open","forms":["{A24}acme"]}"#,
            r#"{"name":"broken","forms":["acme_{Q9}"]}"#,
            r#"{"name":"extra","forms":["acme_{A24}"],"off":true}"#,
        ] {
            assert_eq!(parse(kind, "").unwrap_err(), "policy-invalid", "{kind}");
        }
        assert_eq!(Policy::parse(b"{").unwrap_err().code().as_str(), "policy-invalid");
    }
}

//! A team's scrubbing policy: kinds it adds to the table, and values it allows by their digest. Nothing of the table can be
//! switched off, and what a policy does shows: its digest is the version that a manifest names, and values that it let
//! stand are counted.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Deserialize;

use super::credential::assay::Assay;
use super::credential::kinds;
use super::credential::shape::Shape;
use super::credential::{Added, Spotter, has_secret};
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

/// What looks like a secret: to the built-in table, or to that of one or more policies, each of which holds the built-in
/// one. The second look of [`Search::left`] is part of it.
#[derive(Debug, Clone)]
pub struct Search {
    teams: Vec<Arc<Team>>,
    /// Whether the built-in table alone is asked, too: it allows nothing.
    plain: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self { teams: Vec::new(), plain: true }
    }
}

/// The search under one policy.
#[derive(Debug)]
struct Team {
    spotter: Spotter,
    assay: Assay,
}

impl Search {
    /// Under all that any of several searches is under: what looks like a secret to one of them does. Under none of them it
    /// is the built-in one.
    pub fn all<'s>(searches: impl IntoIterator<Item = &'s Self>) -> Self {
        let mut all = Self { teams: Vec::new(), plain: false };
        for search in searches {
            all.teams.extend(search.teams.iter().cloned());
            all.plain |= search.plain;
        }
        all.plain |= all.teams.is_empty();
        all
    }

    /// What finds secrets in a text; of several policies, the first one's.
    pub fn spotter(&self) -> &Spotter {
        self.teams.first().map_or_else(|| Spotter::global(), |team| &team.spotter)
    }

    /// Whether `text` holds anything that looks like a secret.
    pub fn has_secret(&self, text: &str) -> bool {
        self.plain && has_secret(text) || self.teams.iter().any(|team| !team.spotter.spot(text).is_empty())
    }

    /// Whether a second look, by other means, finds what the first one should have hidden in bytes of a long file.
    pub fn left(&self, bytes: &[u8]) -> bool {
        self.any(|assay, allows| assay.finds(bytes, allows))
    }

    /// The same for a whole document, behind its escapes, too.
    pub fn left_in_document(&self, bytes: &[u8]) -> bool {
        self.any(|assay, allows| assay.finds_in_document(bytes, allows))
    }

    fn any(&self, finds: impl Fn(&Assay, &dyn Fn(&[u8]) -> bool) -> bool) -> bool {
        let to_a_team = |team: &Arc<Team>| {
            let allows = |token: &[u8]| team.spotter.allows(token);
            finds(Assay::built_in(), &allows) || finds(&team.assay, &allows)
        };
        self.plain && finds(Assay::built_in(), &|_| false) || self.teams.iter().any(to_a_team)
    }
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
                        "a form has to begin with a literal of 3 bytes or more, to hold a run, and to describe at least 8",
                    ));
                }
                added.push(Added { name, shape });
            }
        }
        // It will lie beside the ledger, where no secret may be: not as a reason, nor as the words of a form.
        let words =
            document.kinds.iter().map(|kind| &kind.name).chain(document.allow.iter().map(|one| &one.reason));
        if words.into_iter().any(|word| has_secret(word))
            || Assay::built_in().finds_in_document(bytes, &|_| false)
        {
            return Err(invalid("it holds what looks like a secret; a value is allowed by its digest"));
        }
        let allowed = document.allow.iter().filter_map(|value| Digest::parse(&value.sha256)).collect();
        Ok(Self { sha256: Digest::of(bytes), added, allowed })
    }

    /// The search for secrets under this policy.
    pub fn search(&self) -> Search {
        let spotter = Spotter::with(&self.added, self.allowed.clone());
        let assay = Assay::of(self.added.iter().map(|kind| kind.shape));
        Search { teams: vec![Arc::new(Team { spotter, assay })], plain: false }
    }
}

/// A word of a policy for as long as the program runs: kinds are names that outlive every text.
fn lasting(word: &str) -> &'static str {
    word.to_owned().leak()
}

fn is_form(form: &'static str) -> bool {
    // A form without a run would be one value, written out.
    let Some(literal) = form.find('{') else { return false };
    Shape::parse(form).is_some_and(|shape| literal >= LEAST_LITERAL && shape.least() >= LEAST_SECRET)
}

#[cfg(test)]
mod tests {
    use super::{Policy, Search};
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
        let search = policy.unwrap().search();
        let looked = search.spotter().look(&format!("a {token} b {known} c {known}x"));
        let kinds: Vec<_> = looked.spans.iter().map(|span| span.kind).collect();
        assert_eq!((kinds, looked.allowed.len()), (vec!["acme-token", "github-token"], 1));
        let twice = Search::all([&search, &search]);
        for (text, is_secret) in [(&token, true), (&known, false), (&format!("{known}\n{token}"), true)] {
            for search in [&search, &twice] {
                let told = [search.has_secret(text), search.left_in_document(text.as_bytes())];
                assert_eq!(told, [is_secret; 2], "{text}");
            }
        }
        assert!(Search::default().has_secret(&known) && Search::default().left(known.as_bytes()));
        assert!(!Search::default().has_secret(&token) && !Search::default().left(token.as_bytes()));
    }

    #[test]
    fn what_one_of_several_policies_does_not_allow_is_a_secret() {
        let known = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        let digest = Digest::of(known.as_bytes());
        let one = parse("", &format!(r#"{{"sha256":"{digest}","reason":"ours"}}"#)).unwrap().search();
        let other = parse(r#"{"name":"acme-token","forms":["acme_{A24}"]}"#, "").unwrap().search();
        assert!(!one.has_secret(&known) && !one.left(known.as_bytes()));
        let both = Search::all([&one, &other]);
        assert!(both.has_secret(&known) && both.left(known.as_bytes()));
        let without = Search::all([&one, &Search::default()]);
        assert!(without.has_secret(&known) && without.left(known.as_bytes()));
        let none = Search::all([]);
        assert!(none.has_secret(&known) && none.left_in_document(known.as_bytes()));
    }

    #[test]
    fn a_policy_holds_no_value_itself() {
        let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        let digest = Digest::of(b"x");
        let reason = format!(r#"{{"sha256":"{digest}","reason":"like {token}"}}"#);
        assert_eq!(parse("", &reason).unwrap_err(), "policy-invalid");
        for form in [token.as_str(), "acme_k3J9k3J9k3J9k3J9k3J9k3J9"] {
            let kind = format!(r#"{{"name":"one","forms":["{form}"]}}"#);
            assert_eq!(parse(&kind, "").unwrap_err(), "policy-invalid", "{form}");
        }
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

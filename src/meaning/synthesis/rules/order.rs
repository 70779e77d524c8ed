//! All families in the order of the rule table.

use super::{binding, changes, coverage, evidence, git, labels, story, text, timeline, verification, views};
use crate::base::violations::Violations;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::expanded::Expanded;

/// Holds an expanded draft against every rule.
pub fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    binding::check(synthesis, basis, violations);
    text::check(synthesis, basis.table.search(), violations);
    evidence::check(synthesis, basis, violations);
    labels::check(synthesis, basis, violations);
    git::check(synthesis, basis, violations);
    story::check(synthesis, basis, violations);
    timeline::check(synthesis, basis, violations);
    views::check(synthesis, violations);
    changes::check(synthesis, basis, violations);
    verification::check(synthesis, basis, violations);
    coverage::check(synthesis, basis, violations);
}

//! One row of the table of kinds, and one of the table of places.

use crate::base::credential::sum::Check;

/// A kind of credential.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The name that stands in a mark: `[redacted:<name>#<n>]`.
    pub name: &'static str,
    /// Where the form is described.
    pub source: &'static str,
    /// The sum that its tokens carry.
    pub check: Check,
    /// Written forms in the notation of [`Shape`](crate::base::credential::shape::Shape); empty for kinds that only
    /// their place shows.
    pub shapes: &'static [&'static str],
    /// Texts in which exactly what stands between `«` and `»` is found. Runs such as `{A36}` stand for made-up characters, so
    /// that no whole token is written here.
    pub examples: &'static [&'static str],
    /// Texts in which nothing is found, in the same notation.
    pub near: &'static [&'static str],
}

/// A place whose form, not the secret's own, shows a secret: a file, a header, a command. Its finds bear the names of kinds.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// What the place is.
    pub name: &'static str,
    /// Where its form is described.
    pub source: &'static str,
    /// The kinds that are found in the examples.
    pub kinds: &'static [&'static str],
    /// As for [`Kind`].
    pub examples: &'static [&'static str],
    /// As for [`Kind`].
    pub near: &'static [&'static str],
}

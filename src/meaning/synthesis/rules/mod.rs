//! The law of a synthesis, one family a file, every family with the same `check`: it pushes what it finds
//! and leaves the draft alone. Families run on the parts whose shape is right; what speaks of completeness
//! runs only on whole sections.

mod binding;
mod text;
mod evidence;
mod labels;
mod git;
mod story;
pub mod views;
mod timeline;
mod changes;
mod verification;
mod coverage;
mod order;
mod by_itself;

pub use by_itself::check as check_by_itself;
pub use evidence::rests_on_redactions;
pub use order::check;

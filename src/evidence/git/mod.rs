//! The state of repositories now, asked from git with read-only probes that run no foreign program.
//!
//! Promises: nothing is written, nothing is fetched, no program but a trusted git is run, every probe and all
//! of them together are bounded in time and bytes, and what could not be learnt is a limitation code, never an
//! empty result.
//! Does not say what a session did: a path that is changed now is not thereby something that anyone did.
//! All texts come from the repository and are foreign; [`Snapshot::map_text`] hands each to the scrubber.

mod text;
mod deadline;
mod owner;
mod layout;
mod contents;
mod index;
mod process;
mod program;
mod origin;
mod guard;
pub mod snapshot;
mod asker;
mod head;
mod history;
mod porcelain;
mod status;
mod probe;
mod ignore;
mod survey;

#[cfg(test)]
mod tests;

pub use ignore::is_ignored;
pub use layout::repository_of;
pub use owner::{is_held_in_place, is_ours};
pub use probe::probe;
pub use program::Git;
pub use snapshot::{Commit, Label, Listing, Reference, Reflog, Snapshot, Status, Worktree};
pub use survey::{Candidates, Outcome, survey};

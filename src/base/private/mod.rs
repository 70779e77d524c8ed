//! The only way to create, replace, open or lock an artifact, and the way to open a source.
//!
//! *Artifacts* are what we wrote and the drafts handed to us: regular, one link, ours, open to nobody else, in a
//! folder of mode 0700 under folders that nobody else can change. They are reached through a held folder handle,
//! never through a path that is looked up twice, and they appear whole by a rename or not at all.
//! *Sources* are read wherever they lie; what is unusual about them is a flag. Nothing here knows what a file
//! means, asks git, or looks for credentials in a path: its callers do.

mod failure;
mod status;
mod name;
mod walk;
mod folder;
mod lock;
mod open;
mod create;
mod journal;
mod output;
mod source;

pub use create::{PrivateFile, StreamFile};
pub use folder::Folder;
pub use journal::Journal;
pub use lock::Lock;
pub use open::OpenArtifact;
pub use output::{ArtifactPath, check_output, enclosing_work_tree};
pub use source::{Source, SourceFlags, SourceFolder};
pub use status::Identity;

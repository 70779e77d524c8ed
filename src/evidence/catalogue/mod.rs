//! What the harnesses of this machine have written: which files are sessions, which session each of them is, what
//! it says of others, and which one is meant by a path, a native id or a boundary id. Names and contents decide;
//! time, text and folder never do.

pub mod link;
pub mod sidecar;
pub mod entry;
pub mod roots;
pub mod walk;
pub mod ends;
pub mod facts;
pub mod look;
pub mod running;
pub mod listing;
pub mod copies;
pub mod spec;
pub mod resolve;

pub use entry::{Entry, Kind, NoSession, Rejected};
pub use link::{Link, Proof, Relation, Target};
pub use listing::Catalogue;
pub use roots::{Root, RootKind, Roots};
pub use spec::Spec;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod look_tests;
#[cfg(test)]
mod walk_tests;
#[cfg(test)]
mod resolve_tests;
#[cfg(test)]
mod corpus_tests;

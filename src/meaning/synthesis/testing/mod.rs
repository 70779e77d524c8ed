//! What the tests of this folder stand on: one small session that all rules are shown on.

mod events;
mod manifest;
mod draft;
mod case;
mod acted;

pub use acted::Acted;
pub use case::{Case, found};
pub use draft::{draft, fill, item, secret};
pub use events::{id, ids};
pub use manifest::HEAD;

//! The one table of credential kinds: name, written forms, examples, near misses. Data, not code.
//!
//! Order within a file is by who issues the credential. A loop over the table in the tests proves every form and
//! example found and every near miss left alone.

pub mod kind;
pub mod hosting;
pub mod clouds;
pub mod services;
pub mod places;
pub mod sent;
pub mod files;
pub mod bodies;
pub mod tables;

pub use kind::{Kind, Place};
pub use tables::{PLACES, TABLES};

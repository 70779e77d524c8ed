//! JSON of our own documents: read strictly, written canonically.

pub mod position;
pub mod read;
pub mod canonical;
pub mod layout;
pub mod embedded;

//! The synthesis: two views of the claims and the sections that follow from their kinds.

pub mod document;

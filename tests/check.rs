//! `check` and `chain` over the built program: what is published is held against what it says itself and against its
//! receipts, from nothing but the files that are named.

pub mod made;
mod rules;
mod others;
mod receipts;
mod formats;
mod hostile;

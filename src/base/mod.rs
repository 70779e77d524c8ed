//! What everything stands on: limits, digests, ids, strict JSON, the rule table, refusals, receipts,
//! credential shapes and owner-only files. This folder knows no transcript.

pub mod limits;
pub mod digest;
pub mod ids;
pub mod pointer;
pub mod rules;
pub mod refusal;
pub mod violations;
pub mod json;
pub mod sorted;
pub mod clock;
pub mod receipt;
pub mod credential;
pub mod safety;
pub mod schemas;
pub mod policy;
pub mod private;

pub use refusal::{Refusal, Result};

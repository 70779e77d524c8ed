//! What a command was and what its result proves.

pub mod observation;
pub mod observe;

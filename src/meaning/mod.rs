//! What the author supplies, and the law it must pass.

pub mod accounting;
pub mod synthesis;

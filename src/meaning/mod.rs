//! What the author supplies, and the law it must pass.

pub mod prose;
pub mod said;
pub mod accounting;
pub mod synthesis;
pub mod handoff;

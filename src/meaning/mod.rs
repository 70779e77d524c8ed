//! What the author supplies, and the law it must pass.

pub mod synthesis;

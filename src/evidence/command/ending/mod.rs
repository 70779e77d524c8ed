//! What the session's own git commands state of its end, while no later call can have changed it.

pub mod harmless;
pub mod reach;
pub mod printed;
pub mod stated;
pub mod session_end;

#[cfg(test)]
mod session_end_tests;

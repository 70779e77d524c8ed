//! Attempts.

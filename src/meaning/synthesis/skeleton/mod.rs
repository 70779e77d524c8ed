//! A first draft by rule.

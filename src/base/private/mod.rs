//! The only way to create, replace or read an artifact.

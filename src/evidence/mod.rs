//! What a transcript and a repository show: it never reads a draft.

pub mod git;

//! What survived, told: a recap is composed once, free of any format, counted in words and then written in a
//! format whose escaping no draft can get around. This folder judges nothing; it gets what was validated.

pub mod words;
pub mod plain;
pub mod escape;
pub mod cite;
pub mod evidence;
pub mod recap;
pub mod drawn;
pub mod session_end;
pub mod coverage;
pub mod outcome;
pub mod compose;
pub mod page;
pub mod markdown;
pub mod html;
pub mod published;
pub mod format;
pub mod set_evidence;
pub mod handoff;
pub mod explain;
pub mod findings;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod told;
#[cfg(test)]
mod nasty;
#[cfg(test)]
mod dialect;
#[cfg(test)]
mod dialects;
#[cfg(test)]
mod browser;

pub use compose::{Scope, compose};
pub use format::Format;
pub use recap::Recap;

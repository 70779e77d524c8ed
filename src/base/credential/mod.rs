//! What looks like a secret in a piece of text: where it begins, where it ends, and of what kind it is.
//!
//! One pass over the bytes finds literals that open a token, name a value or mark a place; everything else is
//! looked at only around such a hit. The time is linear in the text, whatever the text. Nothing here replaces
//! anything, reads a file or knows a transcript; a hit says *looks like*, never *is*.

pub mod alphabet;
pub mod shape;
pub mod spans;
pub mod clip;
pub mod mark;
pub mod marvin;
pub mod reach;
pub mod encoded;
pub mod sum;
pub mod kinds;
pub mod names;
pub mod value;
pub mod joint;
pub mod armour;
pub mod block;
pub mod jwt;
pub mod joined;
pub mod cookie;
pub mod link;
pub mod keyed;
pub mod field;
pub mod url;
pub mod command;
pub mod fold;
pub mod rounds;
pub mod literals;
pub mod effort;
pub mod openers;
pub mod spotter;
pub mod assay;

#[cfg(test)]
mod tests;

pub use joined::goes_on_like_a_secret;
pub use mark::{marker, quote_for};
pub use spans::Span;
pub use spotter::{Added, Looked, Spotter, has_secret, hide};

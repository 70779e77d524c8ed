//! Records to events, past only: the line of one event and what later lines say about earlier ones.

pub mod line;

pub use line::Event;

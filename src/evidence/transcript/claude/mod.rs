//! Claude Code's session files: one JSON object a line, written by versions 1.0.x to 2.1.332.

mod voice;
mod words;
mod parts;
mod blocks;
mod envelope;
mod notification;
mod outcome;
mod results;
mod queue;
mod user;
mod assistant;
mod state;
mod system;
mod attachment;
mod kinds;
mod identity;
pub mod lineage;
mod reader;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod rows;

pub use identity::identify;
pub use reader::ClaudeReader;

//! Which session began, copied or went on from which: read from what the harnesses themselves wrote, held against
//! rules, and kept as the set document. Time, text and folder prove nothing here.

pub mod said;
mod claude;
mod codex;
pub mod listen;
pub mod copied;
pub mod set;
pub mod graph;
pub mod search;
mod agents;
mod threads;
mod chain;
pub mod find;

//! Records to events, past only: dispositions, mirrors, pairing, the line of one event, and what later lines
//! say about earlier ones.

pub mod line;
pub mod record_line;
pub mod coverage;
pub mod keys;
pub mod prepared;
pub mod pairing;
pub mod mirror;
pub mod side_file;
pub mod tally;
pub mod sequence;
pub mod relations;
pub mod rollback;
pub mod continuation;

pub use line::Event;

//! The person's side: arguments, streams, exit status. Nothing below prints.

pub mod exit;
pub mod set_args;
pub mod check_args;
pub mod render_args;
pub mod args;
pub mod paths;
pub mod explain;
pub mod output;
pub mod listing;
pub mod checking;
pub mod run;

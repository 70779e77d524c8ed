//! What runners say at their end, in their own closing lines. Whose lines a text holds is not decided here.

pub mod tally;
pub mod test_summary;
pub mod build_summary;
pub mod check_summary;
pub mod closing;

#[cfg(test)]
mod closing_tests;
#[cfg(test)]
mod ecosystem_tests;

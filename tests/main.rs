//! The one test binary: what the program promises, seen through its public surface.

// The attribute tells the lints that helpers of tests are tests, too.
#[cfg(test)]
mod schemas;

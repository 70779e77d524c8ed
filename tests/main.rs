//! The one test binary: what the program promises, seen through its public surface.

/// Comparing with whole files below `golden/`.
#[cfg(test)]
mod golden_file;
/// Every help text is as written down.
#[cfg(test)]
mod help;
/// The layout rules hold: layers, lengths, dependencies, words.
#[cfg(test)]
mod tidy;

//! What a command leaves on standard output.

use crate::base::Refusal;
use crate::base::receipt::Receipt;
use crate::stage::verdict::Verdict;

/// What a command leaves.
pub(super) enum Output {
    /// What a stage did.
    Receipt(Box<Receipt>),
    /// What a stage found, and whether to explain it.
    Verdict(Box<Verdict>, bool),
    /// A line for standard error, and the exit status; the data is out already.
    Told(String, u8),
    /// The data.
    Text(String),
    /// The data, and the exit status that it comes to.
    Judged(String, u8),
    /// The data, which says why there is nothing.
    Nothing(String, Refusal),
}

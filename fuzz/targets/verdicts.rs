//! What holds of every verdict on a document, whatever the document.

use recap::base::json::canonical;
use recap::base::json::read::strict;
use recap::base::schemas;
use recap::base::violations::Violations;

/// Where each rule was broken, to compare two verdicts. Details may quote numbers of bytes and are left out.
pub fn places(violations: &Violations) -> Vec<String> {
    let places = violations.sorted().into_iter();
    places.map(|violation| format!("{} {}", violation.code.as_str(), violation.pointer)).collect()
}

/// A refused document was told at least one reason, in a report that has the form of one.
///
/// # Panics
/// When not.
pub fn is_told(violations: &Violations) {
    assert!(!violations.is_empty(), "refused without a reason");
    let report = serde_json::to_value(violations.report()).unwrap();
    let mut faults = Violations::default();
    assert!(schemas::check("violations", &report, &mut faults), "{:?}", faults.sorted());
    let counted: u64 = violations.counts().values().sum();
    assert!(violations.sorted().len() as u64 <= counted);
}

/// The same document in canonical form, if it can be read at all: other blanks, escapes and order of members.
pub fn canonical_form(data: &[u8]) -> Option<Vec<u8>> {
    canonical::to_bytes(&strict(data).ok()?).ok()
}

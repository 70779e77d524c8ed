//! Accountings and syntheses, draft and sealed, on the golden session.

use recap::base::json::canonical;
use recap::base::json::read::strict;
use recap::meaning::accounting::{Sealed, Unsettled, gaps, seal};
use recap::meaning::synthesis::check;
use recap::meaning::synthesis::validated::{Rejected, Validated, expanded_bytes};

use super::ground::Session;
use super::verdicts::{canonical_form, is_told, places};

/// An accounting draft: a sealed one opens again as the same and leaves no gap; in another spelling the verdict is the
/// same.
pub fn accounting(data: &[u8]) {
    let session = Session::golden();
    let (data, table) = (session.filled(data), &session.bound.table);
    let sealed = match seal(&data, table) {
        Ok(sealed) => sealed,
        Err(rejected) => {
            is_told(&rejected.violations);
            assert!(!rejected.counts_as_attempt || rejected.document_sha256.is_some());
            let Some(canonical) = canonical_form(&data) else { return };
            let again = seal(&canonical, table).expect_err("another spelling is accepted");
            assert_eq!(places(&again.violations), places(&rejected.violations));
            assert_eq!(again.document_sha256, rejected.document_sha256);
            return;
        }
    };
    assert_eq!(gaps(&data, table).unwrap(), Unsettled::default());
    let bytes = sealed.to_bytes().unwrap();
    let opened = Sealed::open(&bytes, table).unwrap_or_else(|violations| panic!("{:?}", places(&violations)));
    assert_eq!(opened.to_bytes().unwrap(), bytes);
    let again = seal(&canonical_form(&data).unwrap(), table).unwrap();
    assert_eq!(again.to_bytes().unwrap(), bytes);
}

/// A sealed accounting: one that opens says in its own bytes what it was read as.
pub fn sealed(data: &[u8]) {
    let session = Session::golden();
    let (data, table) = (session.filled(data), &session.bound.table);
    match Sealed::open(&data, table) {
        Ok(opened) => {
            let bytes = opened.to_bytes().unwrap();
            let again = Sealed::open(&bytes, table).unwrap_or_else(|found| panic!("{:?}", places(&found)));
            assert_eq!(again.to_bytes().unwrap(), bytes);
            assert_eq!(again.claims(), opened.claims());
            assert_eq!(again.groups(), opened.groups());
        }
        Err(violations) => {
            is_told(&violations);
            let Some(canonical) = canonical_form(&data) else { return };
            let again = Sealed::open(&canonical, table).expect_err("another spelling is accepted");
            assert_eq!(places(&again), places(&violations));
        }
    }
}

/// A synthesis draft: its expanded form is accepted with the same digest and expands to itself, and it renders to as
/// many words as were measured.
pub fn synthesis(data: &[u8]) {
    let session = Session::golden();
    let data = session.filled(data);
    match judged(session, &data) {
        Ok(validated) => {
            let bytes = expanded_bytes(&validated);
            let again =
                judged(session, &bytes).unwrap_or_else(|found| panic!("{:?}", places(&found.violations)));
            assert_eq!(again.document_sha256(), validated.document_sha256());
            assert_eq!(expanded_bytes(&again), bytes);
            assert_eq!(canonical::to_bytes(&strict(&bytes).unwrap()).unwrap(), bytes);
            let recap = session.bound.recap(validated.synthesis(), false, false);
            assert_eq!(recap.word_count(), validated.render_words());
            assert!(!recap.markdown().is_empty());
        }
        Err(rejected) => {
            is_told(&rejected.violations);
            assert!(!rejected.counts_as_attempt || rejected.document_sha256.is_some());
            let Some(canonical) = canonical_form(&data) else { return };
            let again = judged(session, &canonical).expect_err("another spelling is accepted");
            assert_eq!(places(&again.violations), places(&rejected.violations));
            assert_eq!(again.document_sha256, rejected.document_sha256);
        }
    }
}

fn judged(session: &Session, data: &[u8]) -> Result<Validated, Box<Rejected>> {
    let bound = &session.bound;
    check(data, &bound.evidence(), &|synthesis, _| bound.recap(synthesis, false, false).word_count())
}

//! The scrubber on any bytes.

use recap::base::credential::Spotter;
use recap::base::policy::Search;
use recap::evidence::scrub::{Numbering, stream};

/// Spans lie in order at borders of characters; what was scrubbed holds no token of a known form and is left alone
/// when it is scrubbed again.
pub fn scrub(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut free = 0;
    for span in Spotter::global().spot(&text) {
        assert!(span.start >= free && span.start < span.end && span.end <= text.len());
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        free = span.end;
    }
    let once = scrubbed(data);
    assert!(std::str::from_utf8(&once).is_ok());
    assert!(!Search::default().left(&once), "a token was left");
    let twice = scrubbed(&once);
    assert_eq!(String::from_utf8(twice), String::from_utf8(once), "scrubbing changed what was scrubbed");
}

fn scrubbed(mut data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut numbering = Numbering::new([7; 32]);
    stream::scrub(&mut data, &mut out, Spotter::global(), &mut numbering, &|| true).unwrap();
    out
}

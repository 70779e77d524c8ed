//! Transcripts that are cut, doubled, shuffled, spliced and grown at every kind of place: nothing panics, every byte is
//! accounted for, what was not touched keeps its lines, and growing comes to the same as collecting at once.

use std::fs;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::Index;
use proptest::test_runner::RngSeed;
use recap::base::rules::Code;
use serde_json::Value;

use super::evidence::{Evidence, number, span};
use super::resume::Growing;
use super::samples::{CLAUDE, CODEX, DAMAGED, DOCUMENT, bundled};

/// What happens to the lines of a transcript, or to its bytes.
#[derive(Debug, Clone)]
enum Change {
    Cut(Index),
    Drop(Index),
    Double(Index),
    Swap(Index, Index),
    Splice(Index, Vec<u8>),
    Overwrite(Index, Vec<u8>),
    Glue(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        at().prop_map(Change::Cut),
        at().prop_map(Change::Drop),
        at().prop_map(Change::Double),
        (at(), at()).prop_map(|(one, other)| Change::Swap(one, other)),
        (at(), splinter()).prop_map(|(at, bytes)| Change::Splice(at, bytes)),
        (at(), splinter()).prop_map(|(at, bytes)| Change::Overwrite(at, bytes)),
        at().prop_map(Change::Glue),
    ]
}

/// What stands in damaged files.
fn splinter() -> impl Strategy<Value = Vec<u8>> {
    let nested = [b"{\"a\":".repeat(200), b"1".to_vec(), b"}".repeat(200), b"\n".to_vec()].concat();
    prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n\r\n".to_vec()),
        Just(vec![0; 700]),
        Just(b"\xef\xbb\xbf".to_vec()),
        Just(b"\xff\xfe\x80".to_vec()),
        Just("\u{2028}\u{2029}\u{85}".as_bytes().to_vec()),
        Just(
            b"{\"type\":\"user\",\"uuid\":\"x\",\"message\":{\"role\":\"user\",\"content\":\"\\ud83d\"}}\n"
                .to_vec()
        ),
        Just(b"{\"type\":\"mode\",\"mode\":\"normal\"}{\"type\":\"mo".to_vec()),
        Just(b"\"a string\"\n7\n[]\nnull\n".to_vec()),
        Just(b"{\"type\":\"assistant\",\"type\":\"user\",\"message\":null}\n".to_vec()),
        Just(nested),
        proptest::collection::vec(any::<u8>(), 1..40),
    ]
}

impl Change {
    /// Applies it; gives the first byte that may differ.
    fn apply(&self, bytes: &mut Vec<u8>) -> usize {
        let mut lines: Vec<Vec<u8>> =
            bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let start = |lines: &[Vec<u8>], line: usize| lines[..line].iter().map(Vec::len).sum::<usize>();
        if lines.is_empty() {
            return 0;
        }
        match self {
            Self::Cut(at) => {
                bytes.truncate(at.index(bytes.len()));
                bytes.len()
            }
            Self::Splice(at, splinter) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, splinter.iter().copied());
                at
            }
            Self::Overwrite(at, splinter) => {
                let at = at.index(bytes.len());
                let end = (at + splinter.len()).min(bytes.len());
                bytes.splice(at..end, splinter.iter().copied());
                at
            }
            Self::Glue(at) => {
                let feeds: Vec<usize> = (0..bytes.len()).filter(|place| bytes[*place] == b'\n').collect();
                if feeds.is_empty() {
                    return bytes.len();
                }
                let at = feeds[at.index(feeds.len())];
                bytes.remove(at);
                at
            }
            Self::Drop(at) => {
                let line = at.index(lines.len());
                let touched = start(&lines, line);
                lines.remove(line);
                *bytes = lines.concat();
                touched
            }
            Self::Double(at) => {
                let line = at.index(lines.len());
                let touched = start(&lines, line) + lines[line].len();
                lines.insert(line, lines[line].clone());
                *bytes = lines.concat();
                touched
            }
            Self::Swap(one, other) => {
                let (one, other) = (one.index(lines.len()), other.index(lines.len()));
                let touched = start(&lines, one.min(other));
                lines.swap(one, other);
                *bytes = lines.concat();
                touched
            }
        }
    }
}

/// Lines of the records ledger that lie before a byte, and of the events in them.
fn before(evidence: &Evidence, byte: usize) -> (Vec<Value>, Vec<Value>) {
    let ends = |record: &Value| {
        let (offset, length) = span(record);
        offset + length
    };
    let records = evidence.records().into_iter().filter(|record| ends(record) < byte).collect();
    let events = evidence.events().into_iter().filter(|event| ends(&event["record"]) < byte).collect();
    (records, events)
}

fn holds(name: &str, changes: &[Change], grown_from: Index) {
    let original = fs::read(bundled(name)).unwrap();
    let mut bytes = original.clone();
    let touched = changes.iter().map(|change| change.apply(&mut bytes)).min().unwrap_or(original.len());
    // What stands on the line of the first change may be cut otherwise.
    let settled = original[..touched].iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
    let untouched = Growing::new(name, original.clone());
    untouched.collect(original.len()).unwrap();
    let whole = bytes.len();
    let growing = Growing::new(name, bytes);
    let first = growing.collect(grown_from.index(whole + 1));
    let Err(refusal) = growing.collect(whole) else {
        growing.is_as_if_collected_at_once();
        growing.room.validate(&growing.manifest).unwrap();
        let evidence = Evidence::open(&growing.manifest);
        let coverage = &evidence.manifest["coverage"];
        assert_eq!(number(&coverage["record_bytes"]) + number(&coverage["framing_bytes"]), whole as u64);
        // A line depends on its own record and those before it; the same session has the same ids. The one look ahead:
        // a foreign id in the head makes what stands before it a copy.
        let original = Evidence::open(&untouched.manifest);
        let copied = !coverage["records"]["inherited"].is_null();
        if evidence.manifest["boundary"] == original.manifest["boundary"] && !copied {
            // A record of a document can reach over many lines.
            let ends = original.spans().into_iter().map(|(offset, length)| offset + length);
            let settled = ends.filter(|end| *end < settled).max().map_or(0, |end| end + 1);
            let (mine, its) = (before(&evidence, settled), before(&original, settled));
            assert!(mine == its, "lines before byte {settled} differ");
        }
        return;
    };
    // Too little is left to be recognised, or the growth made it another session's or a fork's.
    let other =
        [Code::LedgerOfAnotherSession, Code::SourceRewritten].contains(&refusal.code()) && first.is_ok();
    assert!(refusal.code() == Code::NotATranscript || other, "{refusal:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mangled_claude_session(changes in proptest::collection::vec(change(), 1..5), at: Index) {
        holds(CLAUDE, &changes, at);
    }

    #[test]
    fn a_mangled_codex_rollout(changes in proptest::collection::vec(change(), 1..5), at: Index) {
        holds(CODEX, &changes, at);
    }

    #[test]
    fn a_mangled_codex_document(changes in proptest::collection::vec(change(), 1..4), at: Index) {
        holds(DOCUMENT, &changes, at);
    }

    #[test]
    fn a_damaged_session_that_is_mangled(changes in proptest::collection::vec(change(), 1..4), at: Index) {
        holds(DAMAGED, &changes, at);
    }
}

//! Documents as written, cut everywhere, damaged everywhere: parts and framing tile them, and what is whole is found.

use super::Document;
use crate::evidence::transcript::frame::{Framer, PartKind};
use crate::evidence::transcript::json::Json;

/// Indented by two, as the first CLI wrote it.
const WRITTEN: &str = r#"{
  "session": {
    "timestamp": "2025-06-01T10:00:00.000Z",
    "id": "cf4def41-21e0-4b91-adb4-5397c1492084",
    "instructions": "}]\" \\"
  },
  "items": [
    {
      "type": "message",
      "content": [
        {
          "type": "input_text",
          "text": "one"
        }
      ]
    },
    {
      "type": "message",
      "content": "two"
    },
    {
      "n": 3
    }
  ]
}"#;

/// Gives few bytes at a time, so that every state meets the end of a reading.
struct Drops<'b>(&'b [u8], usize);

impl std::io::Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

/// `(kind, text)` of every part, after a check that all tiles and that values are objects.
fn parts(bytes: &[u8]) -> Vec<(PartKind, String)> {
    let mut framer = Framer::new(Drops(bytes, 3), bytes.len() as u64, None);
    let mut document = Document::default();
    let (mut found, mut next, mut covered) = (Vec::new(), 0, 0);
    while let Some(batch) = document.next_batch(&mut framer).unwrap() {
        let parts = batch.parts.as_ref().unwrap();
        covered += parts.covered;
        for part in &parts.list {
            assert!(part.offset >= next, "parts overlap at {next}");
            next = part.offset + part.length;
            assert!(next <= covered, "a part reaches beyond its stretch");
            let text = &bytes[part.offset as usize..next as usize];
            if part.kind == PartKind::Value {
                assert_eq!(batch.bytes_of(part), text);
            }
            found.push((part.kind, String::from_utf8_lossy(text).into_owned()));
        }
    }
    assert_eq!(covered, bytes.len() as u64, "not all bytes were covered");
    found
}

fn kinds(bytes: &[u8]) -> Vec<PartKind> {
    parts(bytes).into_iter().map(|(kind, _)| kind).collect()
}

use PartKind::{Damage, Partial, Value};

#[test]
fn the_session_and_each_item_are_records_and_all_else_is_framing() {
    let found = parts(WRITTEN.as_bytes());
    assert_eq!(found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [Value; 4]);
    for (_, text) in &found {
        assert!(Json::parse(text, &[]).is_ok(), "{text}");
    }
    assert!(found[0].1.contains("timestamp") && found[3].1.contains("\"n\": 3"));
    let compact = br#"{"session":{"id":"a"},"items":[{"a":1},{"b":[]}]}"#;
    assert_eq!(kinds(compact), [Value; 3]);
    assert_eq!(kinds(b"\xef\xbb\xbf {\"items\":[]}\r\n"), []);
}

#[test]
fn what_is_no_object_is_damage_and_an_unknown_member_is_not_swallowed() {
    assert_eq!(
        parts(br#"{"session":null,"more":{"a":1},"items":[1,"a",[{}],{},true]}"#),
        [
            (Damage, "null".to_owned()),
            (Value, "{\"a\":1}".to_owned()),
            (Damage, "1".to_owned()),
            (Damage, "\"a\"".to_owned()),
            (Damage, "[{}]".to_owned()),
            (Value, "{}".to_owned()),
            (Damage, "true".to_owned()),
        ]
    );
}

#[test]
fn a_cut_document_is_the_beginning_of_the_whole_one_and_an_open_end() {
    let whole = parts(WRITTEN.as_bytes());
    for cut in 0..WRITTEN.len() {
        let mut short = parts(&WRITTEN.as_bytes()[..cut]);
        assert_eq!(short.pop().map(|(kind, _)| kind), Some(Partial), "cut at {cut}");
        assert_eq!(short, whole[..short.len()], "cut at {cut}");
    }
}

#[test]
fn a_broken_element_is_damage_and_the_next_line_that_begins_one_goes_on() {
    for (good, bad) in [
        ("\"one\"", "\"o\0\0\""),
        ("\"one\"", "\"one"),
        ("\"text\": \"one\"", "\"text\" \"one\""),
        ("        }\n      ]\n    },", "        }\n"),
        ("\"type\": \"input_text\",", "{"),
    ] {
        let text = WRITTEN.replacen(good, bad, 1);
        assert_ne!(text, WRITTEN);
        assert_eq!(kinds(text.as_bytes()), [Value, Damage, Value, Value], "{bad:?}");
    }
    let last = WRITTEN.replace("\"n\": 3", "\"n\": \u{1}");
    assert_eq!(kinds(last.as_bytes()), [Value, Value, Value, Damage]);
    let session = WRITTEN.replace("2025-06-01T10", "2025\u{0}");
    assert_eq!(kinds(session.as_bytes()), [Damage, Value, Value, Value]);
    // Where lines do not tell, the rest is the unfinished end.
    assert_eq!(kinds(b"{\"items\":[{\"a\":1},{\"b\" 2},{\"c\":3}]}"), [Value, Partial]);
}

#[test]
fn nul_runs_between_elements_are_set_apart() {
    let text = WRITTEN.replacen("    },\n    {", "    },\0\0\0\n    {", 1);
    assert_eq!(kinds(text.as_bytes()), [Value, Value, Damage, Value, Value]);
    assert_eq!(kinds(b"{\"items\":[]}\0\0"), [Partial]);
    assert_eq!(kinds(b"\0\0{\"items\":[{}]}"), [Damage, Value]);
}

#[test]
fn any_byte_anywhere_leaves_the_tiling_exact() {
    for at in 0..WRITTEN.len() {
        for byte in [0, b'{', b'}', b'[', b']', b'"', b'\\', b',', b'\n', b'x', 0xff] {
            let mut changed = WRITTEN.as_bytes().to_vec();
            changed[at] = byte;
            parts(&changed);
            changed.insert(at, byte);
            parts(&changed);
            changed.drain(at..(at + 20).min(WRITTEN.len()));
            parts(&changed);
        }
    }
}

#[test]
fn an_element_over_the_bound_is_counted_and_not_kept() {
    use std::io::Read as _;
    let length = 9_000_000;
    let input = (&b"{\"items\":[{\"a\":\""[..])
        .chain(std::io::repeat(b'x').take(length))
        .chain(&b"\"},{\"b\":1}]}"[..]);
    let size = 16 + length + 12;
    let mut framer = Framer::new(input, size, None);
    let mut document = Document { bound: 5_000_000, ..Document::default() };
    let (mut found, mut covered) = (Vec::new(), 0);
    while let Some(batch) = document.next_batch(&mut framer).unwrap() {
        assert!(batch.bytes.len() < 2_000_000 && document.held.len() < 7_000_000);
        let parts = batch.parts.unwrap();
        covered += parts.covered;
        found.extend(parts.list.iter().map(|part| (part.kind, part.length)));
    }
    assert_eq!(found, [(PartKind::TooLong, length + 8), (Value, 7)]);
    assert_eq!(covered, size);
}

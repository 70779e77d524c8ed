//! Where in the bytes of a document a JSON Pointer leads: line and column, for people, editors and annotations. One
//! pass over the bytes finds all wanted places, whatever the document holds: nothing is built, nothing recursed into.
//!
//! Lines end at LF and are counted from 1. Columns are counted from 1, too, in characters (Unicode scalar values):
//! `unicodeCodePoints` in SARIF, what most editors show. A value's place is its first character; a place that the
//! document does not hold (a missing member) is that of the nearest value around it.

use std::collections::HashMap;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// The beginning of every document.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The place of a byte.
    pub fn of_byte(bytes: &[u8], offset: usize) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        Self {
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: before
                .get(start..)
                .unwrap_or_default()
                .iter()
                .filter(|byte| begins_character(**byte))
                .count()
                + 1,
        }
    }

    /// The place that a parser tells as a line and a column in bytes, both from 1.
    pub fn of_line_and_byte(bytes: &[u8], line: usize, column: usize) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n');
        let before = lines
            .skip(line.saturating_sub(1))
            .map(|line| line.get(..column.saturating_sub(1)).unwrap_or(line));
        let characters = before.take(1).flatten().filter(|byte| begins_character(**byte)).count();
        Self { line: line.max(1), column: characters + 1 }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}

const fn begins_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The places of pointers (RFC 6901), in their order. Time and memory are linear in document and pointers. What is not
/// JSON is followed as far as it goes.
pub fn locate<P: AsRef<str>>(bytes: &[u8], pointers: &[P]) -> Vec<Position> {
    let mut wanted = Wanted::default();
    let ends: Vec<Vec<usize>> = pointers.iter().map(|pointer| wanted.add(pointer.as_ref())).collect();
    let found = Scan::new(bytes, &wanted).run();
    let deepest = |way: &Vec<usize>| way.iter().rev().find_map(|node| found.get(*node).copied().flatten());
    ends.iter().map(|way| deepest(way).unwrap_or(Position::START)).collect()
}

/// All pointers as one tree, so that the scan asks once a value.
struct Wanted {
    children: Vec<HashMap<String, usize>>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { children: vec![HashMap::new()] }
    }
}

impl Wanted {
    /// The nodes from the root to where the pointer leads.
    fn add(&mut self, pointer: &str) -> Vec<usize> {
        let mut way = vec![0];
        let mut here = 0;
        for step in pointer.split('/').skip(1) {
            let name = step.replace("~1", "/").replace("~0", "~");
            let next = self.children.len();
            let Some(children) = self.children.get_mut(here) else { break };
            here = *children.entry(name).or_insert(next);
            if here == next {
                self.children.push(HashMap::new());
            }
            way.push(here);
        }
        way
    }

    fn child(&self, node: Option<usize>, name: &str) -> Option<usize> {
        self.children.get(node?)?.get(name).copied()
    }
}

/// An open array or object.
struct Open {
    /// Its node, if any pointer leads into it.
    node: Option<usize>,
    /// The next element; `None` in an object.
    element: Option<u64>,
    /// The child that the key just read leads to.
    keyed: Option<usize>,
    /// The next string is a key.
    key_follows: bool,
}

struct Scan<'b, 'w> {
    bytes: &'b [u8],
    wanted: &'w Wanted,
    next: usize,
    here: Position,
    open: Vec<Open>,
    found: Vec<Option<Position>>,
}

impl<'b, 'w> Scan<'b, 'w> {
    fn new(bytes: &'b [u8], wanted: &'w Wanted) -> Self {
        let found = vec![None; wanted.children.len()];
        Self { bytes, wanted, next: 0, here: Position::START, open: Vec::new(), found }
    }

    fn run(mut self) -> Vec<Option<Position>> {
        while let Some(byte) = self.peek() {
            match byte {
                b'{' | b'[' => {
                    let node = self.value();
                    let element = (byte == b'[').then_some(0);
                    self.open.push(Open { node, element, keyed: None, key_follows: byte == b'{' });
                    self.step();
                }
                b'}' | b']' => {
                    self.open.pop();
                    self.step();
                }
                b',' => {
                    if let Some(open) = self.open.last_mut() {
                        open.key_follows = open.element.is_none();
                        open.element = open.element.map(|element| element + 1);
                    }
                    self.step();
                }
                b'"' => self.string(),
                b':' | b' ' | b'\t' | b'\r' | b'\n' => self.step(),
                _ => self.literal(),
            }
        }
        self.found
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.next).copied()
    }

    fn step(&mut self) {
        match self.peek() {
            Some(b'\n') => self.here = Position { line: self.here.line + 1, column: 1 },
            // The bytes behind the first of a character belong to its column.
            Some(_) if self.bytes.get(self.next + 1).is_none_or(|next| begins_character(*next)) => {
                self.here.column += 1;
            }
            _ => {}
        }
        self.next += 1;
    }

    /// Notes that a value begins here; its node.
    fn value(&mut self) -> Option<usize> {
        let node = match self.open.last() {
            None => Some(0),
            Some(Open { node: None, .. }) => None,
            Some(Open { keyed, element: None, .. }) => *keyed,
            Some(Open { node, element: Some(element), .. }) => self.wanted.child(*node, &element.to_string()),
        };
        if let Some(place) = node.and_then(|node| self.found.get_mut(node)) {
            place.get_or_insert(self.here);
        }
        node
    }

    fn string(&mut self) {
        let is_key = self.open.last().is_some_and(|open| open.key_follows);
        if !is_key {
            self.value();
        }
        let start = self.next;
        self.step();
        while let Some(byte) = self.peek() {
            self.step();
            match byte {
                b'\\' => self.step(),
                b'"' => break,
                _ => {}
            }
        }
        let text = self.bytes.get(start..self.next).unwrap_or_default();
        if let Some(open) = self.open.last_mut().filter(|_| is_key) {
            open.key_follows = false;
            // Only an escaped name has to be built; where no pointer leads nothing is.
            let name = || serde_json::from_slice::<String>(text).ok();
            open.keyed = open.node.and_then(|node| self.wanted.child(Some(node), &name()?));
        }
    }

    /// A number, a word, or what is no JSON.
    fn literal(&mut self) {
        self.value();
        while self.peek().is_some_and(|byte| !b"{}[],:\" \t\r\n".contains(&byte)) {
            self.step();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Position, locate};

    fn places(document: &str, pointers: &[&str]) -> Vec<(usize, usize)> {
        locate(document.as_bytes(), pointers).into_iter().map(|place| (place.line, place.column)).collect()
    }

    #[test]
    fn every_value_is_found_at_its_first_character() {
        let document =
            "{\n  \"claims\": [\n    {\"id\": \"a\", \"n\": [1, 22,\n 3]},\n    {\"id\": \"b\"}\n  ]\n}\n";
        let pointers =
            ["", "/claims", "/claims/0/id", "/claims/0/n/1", "/claims/0/n/2", "/claims/1", "/claims/1/id"];
        assert_eq!(places(document, &pointers), [(1, 1), (2, 13), (3, 12), (3, 26), (4, 2), (5, 5), (5, 12)]);
    }

    #[test]
    fn the_order_of_the_pointers_is_kept_and_one_may_stand_twice() {
        assert_eq!(places("[1,2]", &["/1", "/0", "/1", ""]), [(1, 4), (1, 2), (1, 4), (1, 1)]);
    }

    #[test]
    fn columns_count_characters_and_lines_end_at_line_feeds() {
        let document = "{\"ä€😀\": 1, \"b\": 2,\r\n\"c\": 3}";
        assert_eq!(places(document, &["/ä€😀", "/b", "/c"]), [(1, 9), (1, 17), (2, 6)]);
        let bytes = document.as_bytes();
        assert_eq!(Position::of_byte(bytes, document.find("2,").unwrap()), Position { line: 1, column: 17 });
        assert_eq!(Position::of_byte(bytes, document.find("3}").unwrap()), Position { line: 2, column: 6 });
        let column = document.find("2,").unwrap() + 1;
        assert_eq!(Position::of_line_and_byte(bytes, 1, column), Position { line: 1, column: 17 });
        assert_eq!(Position::of_line_and_byte(bytes, 2, 6), Position { line: 2, column: 6 });
        assert_eq!(Position::of_line_and_byte(bytes, 9, 9), Position { line: 9, column: 1 });
    }

    #[test]
    fn names_are_compared_as_they_read() {
        let document =
            r#"{"a/b": 1, "m~n": 2, "\u0041\"": 3, "": {"": 4}, "0": [5], "x{": "],{:\\", "y": 6}"#;
        let pointers = ["/a~1b", "/m~0n", "/A\"", "//", "/0/0", "/y"];
        let starts = ["1,", "2,", "3,", "4}", "5]", "6}"];
        let expected: Vec<_> = starts.iter().map(|start| (1, document.find(start).unwrap() + 1)).collect();
        assert_eq!(places(document, &pointers), expected);
    }

    #[test]
    fn what_is_not_there_is_placed_at_what_is_around_it() {
        let document = "{\"a\": {\"b\": 1},\n \"c\": [7]}";
        assert_eq!(
            places(document, &["/a/x", "/c/5", "/c/0/x", "/zebra/1", "/c/a"]),
            [(1, 7), (2, 7), (2, 8), (1, 1), (2, 7)]
        );
    }

    #[test]
    fn what_is_no_json_is_followed_as_far_as_it_goes() {
        for document in
            ["", "\"", "{\"", "[[[", "}}]]", ",:,", "{\"a\\", "{]}[", "nul", "{\"a\" \"b\"", "{1:2}"]
        {
            assert_eq!(places(document, &["/a/0", ""]).len(), 2, "{document}");
        }
        assert_eq!(locate(b"[\xff\xfe, {\"\xff\": 1}, 5]", &["/2"]), [Position { line: 1, column: 16 }]);
        // Of a key that stands twice the first value is meant: the document is refused anyway.
        assert_eq!(places("{\"a\":1,\"a\":2}", &["/a"]), [(1, 6)]);
    }

    #[test]
    fn a_deep_document_takes_no_stack_and_many_pointers_are_followed() {
        let deep = "[".repeat(1_000_000);
        assert_eq!(places(&deep, &["/0/0/0"]), [(1, 4)]);
        let wide = format!("[{}0]", "0,\n".repeat(100_000));
        let pointers: Vec<String> = (0..=100_000).map(|index| format!("/{index}")).collect();
        let places = locate(wide.as_bytes(), &pointers);
        assert!(places.iter().zip(1..).all(|(place, line)| place.line == line));
    }
}

//! One JSON value of a document, byte by byte: where it ends, and the first byte with which it can be none. Its
//! memory does not depend on the value.

/// Depth up to which containers are told apart; what is nested deeper is no record for any reader.
const DEPTH: u32 = 128;

/// What a byte means for an open value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It belongs to the value.
    Within,
    /// It is the value's last.
    Ends,
    /// The value ended with the byte before.
    Ended,
    /// No JSON value goes on like this.
    Broken,
}

/// What may stand next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

/// The text at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Structure,
    String,
    Escape,
    Scalar,
}

/// A value that has begun.
#[derive(Debug)]
pub struct Value {
    is_object: bool,
    /// One bit for each open container, the innermost lowest: set for an object.
    containers: u128,
    depth: u32,
    /// Containers below [`DEPTH`], of whatever kind.
    deeper: u64,
    want: Want,
    inside: Inside,
}

impl Value {
    /// A value by its first byte; `None` when none begins so.
    pub fn begin(first: u8) -> Option<Self> {
        let mut value = Self {
            is_object: first == b'{',
            containers: 0,
            depth: 0,
            deeper: 0,
            want: Want::Value,
            inside: Inside::Structure,
        };
        (value.element(first) == Step::Within).then_some(value)
    }

    /// True for an object.
    pub const fn is_object(&self) -> bool {
        self.is_object
    }

    /// Takes the next byte. After anything but [`Step::Within`] the value is done.
    pub fn step(&mut self, byte: u8) -> Step {
        match self.inside {
            Inside::String | Inside::Escape => self.text(byte),
            Inside::Scalar if is_scalar(byte) => Step::Within,
            Inside::Scalar if self.depth == 0 => Step::Ended,
            Inside::Scalar | Inside::Structure => {
                self.inside = Inside::Structure;
                if self.deeper > 0 { self.deep(byte) } else { self.structure(byte) }
            }
        }
    }

    /// JSON escapes every control character inside a string, so that one as it is proves damage.
    fn text(&mut self, byte: u8) -> Step {
        match byte {
            0..0x20 => return Step::Broken,
            _ if self.inside == Inside::Escape => self.inside = Inside::String,
            b'\\' => self.inside = Inside::Escape,
            b'"' => {
                self.inside = Inside::Structure;
                return if self.depth == 0 { Step::Ends } else { Step::Within };
            }
            _ => {}
        }
        Step::Within
    }

    fn deep(&mut self, byte: u8) -> Step {
        match byte {
            b'{' | b'[' => self.deeper += 1,
            b'}' | b']' => self.deeper -= 1,
            b'"' => self.inside = Inside::String,
            0 => return Step::Broken,
            _ => {}
        }
        Step::Within
    }

    fn structure(&mut self, byte: u8) -> Step {
        let in_object = self.containers & 1 == 1;
        match (self.want, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => {}
            (Want::Key | Want::KeyOrEnd, b'"') => {
                self.inside = Inside::String;
                self.want = Want::Colon;
            }
            (Want::Colon, b':') => self.want = Want::Value,
            (Want::CommaOrEnd, b',') => self.want = if in_object { Want::Key } else { Want::Value },
            (Want::KeyOrEnd | Want::CommaOrEnd, b'}') if in_object => return self.close(),
            (Want::ValueOrEnd | Want::CommaOrEnd, b']') if !in_object => return self.close(),
            (Want::Value | Want::ValueOrEnd, byte) => return self.element(byte),
            _ => return Step::Broken,
        }
        Step::Within
    }

    fn element(&mut self, byte: u8) -> Step {
        self.want = Want::CommaOrEnd;
        match byte {
            b'{' => self.open(true),
            b'[' => self.open(false),
            b'"' => self.inside = Inside::String,
            byte if is_scalar(byte) => self.inside = Inside::Scalar,
            _ => return Step::Broken,
        }
        Step::Within
    }

    fn open(&mut self, object: bool) {
        if self.depth == DEPTH {
            self.deeper = 1;
            return;
        }
        self.containers = self.containers << 1 | u128::from(object);
        self.depth += 1;
        self.want = if object { Want::KeyOrEnd } else { Want::ValueOrEnd };
    }

    fn close(&mut self) -> Step {
        self.containers >>= 1;
        self.depth -= 1;
        self.want = Want::CommaOrEnd;
        if self.depth == 0 { Step::Ends } else { Step::Within }
    }
}

/// Letters of numbers and literals; whether they spell one is the parser's question.
const fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::{Step, Value};

    /// Bytes of the value at the start, or where it broke.
    fn ended(text: &str) -> (usize, Step) {
        let bytes = text.as_bytes();
        let Some(mut value) = Value::begin(bytes[0]) else { return (0, Step::Broken) };
        for (at, byte) in bytes.iter().enumerate().skip(1) {
            match value.step(*byte) {
                Step::Within => {}
                Step::Ends => return (at + 1, Step::Ends),
                step => return (at, step),
            }
        }
        (bytes.len(), Step::Within)
    }

    #[test]
    fn a_value_ends_where_it_closes() {
        assert_eq!(ended(r#"{"a":[1,{"b":"}]\"\\"},null],"c":-1.5e3} ,"#), (40, Step::Ends));
        assert_eq!(ended(r#""a\"b" "#), (6, Step::Ends));
        assert_eq!(ended("12,"), (2, Step::Ended));
        assert_eq!(ended("{} "), (2, Step::Ends));
        assert_eq!(ended("[{\"a\":1"), (7, Step::Within));
    }

    #[test]
    fn the_first_byte_that_no_json_has_breaks_it() {
        for (text, at) in [
            ("{\"a\":1,{", 7),
            ("{\"a\":\"x\ny\"}", 7),
            ("{\"a\":\0", 5),
            ("[1,2}", 4),
            ("{\"a\" 1}", 5),
            ("}", 0),
            ("[,", 1),
        ] {
            assert_eq!(ended(text), (at, Step::Broken), "{text:?}");
        }
    }

    #[test]
    fn nesting_deeper_than_any_reader_goes_is_followed_to_its_end() {
        let text = format!("{}{{\"a\":\"]\"}}{}", "[".repeat(1_000), "]".repeat(1_000));
        assert_eq!(ended(&text), (text.len(), Step::Ends));
    }
}

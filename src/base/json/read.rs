//! Strict reading of a JSON document: no duplicate keys, no BOM, no NaN, nothing behind the value, nesting
//! of at most 64, integers of 0 to 2^53-1 written as digits and no other numbers.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::position::Position;
use crate::base::limits::{DOCUMENT_DEPTH, INTEGER_MAX};

/// Why a document is not strict JSON, in our own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// Not UTF-8.
    NotUtf8,
    /// A byte order mark stands in front.
    ByteOrderMark,
    /// Not JSON, or something follows the value.
    Syntax,
    /// A key appears twice in one object.
    DuplicateKey,
    /// Nesting over 64.
    TooDeep,
    /// A number that is no integer of 0 to 2^53-1 written as digits.
    Number,
}

impl Malformed {
    /// A sentence for the report.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not UTF-8",
            Self::ByteOrderMark => "begins with a byte order mark",
            Self::Syntax => "not JSON, or something follows the value",
            Self::DuplicateKey => "a key appears twice in one object",
            Self::TooDeep => "nested more than 64 deep",
            Self::Number => "a number is not an integer from 0 to 2^53-1 written as digits",
        }
    }
}

/// Reads one document strictly.
///
/// # Errors
/// The first reason why it is not strict JSON.
pub fn strict(bytes: &[u8]) -> Result<Value, Malformed> {
    strict_located(bytes).map_err(|fault| fault.reason)
}

/// Why a document is not strict JSON, and where that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub reason: Malformed,
    /// Where.
    pub position: Position,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.reason.reason(), self.position)
    }
}

/// Reads one document strictly, for an author who has to find the place.
///
/// # Errors
/// The first reason why it is not strict JSON, with its place.
pub fn strict_located(bytes: &[u8]) -> Result<Value, Fault> {
    let at = |reason, end: usize| Fault { reason, position: Position::of_byte(bytes, end) };
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(at(Malformed::ByteOrderMark, 0));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| at(Malformed::NotUtf8, error.valid_up_to()))?;
    check_numbers(text).map_err(|end| at(Malformed::Number, end))?;
    let failure = std::cell::Cell::new(Malformed::Syntax);
    // Of the parser's error only the place is used: its words can quote the document.
    let place = |error: serde_json::Error, reason| Fault {
        reason,
        position: Position::of_line_and_byte(bytes, error.line(), error.column()),
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = Strict { depth: 0, failure: &failure };
    let value = seed.deserialize(&mut reader).map_err(|error| place(error, failure.get()))?;
    reader.end().map_err(|error| place(error, Malformed::Syntax))?;
    Ok(value)
}

/// Finds every number token outside strings and checks its spelling: the value that a reader would build no
/// longer tells `1.0` or `-0` from `1` and `0`. An error is the place behind the number so far, in bytes.
fn check_numbers(text: &str) -> Result<(), usize> {
    let mut bytes = text.bytes().enumerate().peekable();
    let mut in_string = false;
    while let Some((place, byte)) = bytes.next() {
        match byte {
            b'\\' if in_string => {
                bytes.next();
            }
            b'"' => in_string = !in_string,
            b'-' if !in_string => return Err(place),
            b'0'..=b'9' if !in_string => {
                let mut value = u64::from(byte - b'0');
                while let Some((_, next)) = bytes.peek().copied() {
                    match next {
                        b'0'..=b'9' => {
                            value = value.saturating_mul(10).saturating_add(u64::from(next - b'0'))
                        }
                        b'.' | b'e' | b'E' | b'+' | b'-' => return Err(place),
                        _ => break,
                    }
                    bytes.next();
                }
                if value > INTEGER_MAX {
                    return Err(place);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

struct Strict<'f> {
    depth: usize,
    failure: &'f std::cell::Cell<Malformed>,
}

impl Strict<'_> {
    fn deeper<E: serde::de::Error>(&self) -> Result<Self, E> {
        if self.depth >= DOCUMENT_DEPTH {
            self.failure.set(Malformed::TooDeep);
            return Err(E::custom("too deep"));
        }
        Ok(Strict { depth: self.depth + 1, failure: self.failure })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self.deeper()?)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        // An empty object has no value whose depth would be looked at.
        self.deeper()?;
        let mut members = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let value = access.next_value_seed(self.deeper()?)?;
            if members.insert(key, value).is_some() {
                self.failure.set(Malformed::DuplicateKey);
                return Err(serde::de::Error::custom("duplicate key"));
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::{Malformed, strict};

    #[test]
    fn nesting_of_64_is_the_deepest_whatever_is_innermost() {
        for (open, inner, close) in
            [("[", "[]", "]"), ("[", "{}", "]"), ("{\"a\":", "{}", "}"), ("{\"a\":", "[]", "}")]
        {
            let nested =
                |depth: usize| [open.repeat(depth - 1), inner.to_owned(), close.repeat(depth - 1)].concat();
            assert!(strict(nested(64).as_bytes()).is_ok(), "{open}{inner}");
            assert_eq!(strict(nested(65).as_bytes()).err(), Some(Malformed::TooDeep), "{open}{inner}");
        }
    }

    #[test]
    fn numbers_and_surrogates() {
        for text in ["-0", "0.0", "1e0", "9007199254740992", "99999999999999999999999", "NaN", "[01]"] {
            assert!(strict(text.as_bytes()).is_err(), "{text}");
        }
        assert!(strict(b"[0,9007199254740991]").is_ok());
        for text in ["\"\\ud800\"", "\"\\udc00\\ud800\"", "{\"\\ud800\":1}"] {
            assert_eq!(strict(text.as_bytes()).err(), Some(Malformed::Syntax), "{text}");
        }
    }
}

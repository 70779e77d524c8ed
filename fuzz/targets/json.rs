//! The strict reader: what it accepts, every other reader reads as the same value.

use std::fmt;

use recap::base::json::canonical;
use recap::base::json::read::strict;
use recap::evidence::transcript::json::Json;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A reader that takes the last of equal keys, one that takes the first, and the lenient one of transcripts read what
/// the strict one reads; and written canonically it is read as the same again.
pub fn strict_reading(data: &[u8]) {
    let Ok(value) = strict(data) else { return };
    assert_eq!(serde_json::from_slice::<Value>(data).ok().as_ref(), Some(&value), "the last key");
    let first: First = serde_json::from_slice(data).unwrap();
    assert_eq!(first.0, value, "the first key");
    let text = std::str::from_utf8(data).unwrap();
    let lenient = Json::parse(text, &[]).unwrap();
    assert!(!lenient.duplicate_keys);
    let lenient: Value = serde_json::from_str(&lenient.value.to_text()).unwrap();
    assert_eq!(lenient, value, "the lenient reader");
    let canonical = canonical::to_bytes(&value).unwrap();
    assert_eq!(strict(&canonical).ok().as_ref(), Some(&value), "the canonical form");
    assert_eq!(canonical::to_bytes(&strict(&canonical).unwrap()).unwrap(), canonical);
}

/// A value in which the first of equal keys counts.
struct First(Value);

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FirstVisitor).map(Self)
    }
}

struct FirstVisitor;

impl<'de> Visitor<'de> for FirstVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        while let Some(First(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((key, First(value))) = access.next_entry::<String, First>()? {
            members.entry(key).or_insert(value);
        }
        Ok(Value::Object(members))
    }
}

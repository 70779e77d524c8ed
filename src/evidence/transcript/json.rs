//! The JSON of one transcript record: a tree that borrows from the line, keeps member order, tells of
//! duplicate keys and can leave out members that no reader looks at. Deep nesting (over 128) is an error of the
//! parser, never a crash.

use std::cell::Cell;
use std::collections::HashMap;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::wiped::Text;

/// Members above which duplicate keys are looked up by hash instead of by a walk.
const LINEAR_MEMBERS: usize = 24;
/// Slots by which paths of dropped members are parted.
const LETTERS: usize = 32;

/// A value of a record.
#[derive(Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`, or a member that is not there.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as the parser keeps it.
    Number(Number),
    /// A string with its escapes resolved.
    String(Text<'a>),
    /// An array.
    Array(Vec<Json<'a>>),
    /// An object; equal keys have been reduced to the last, at the place of the first.
    Object(Vec<(Text<'a>, Json<'a>)>),
    /// A member that was left out on purpose.
    Skipped,
}

static NULL: Json<'static> = Json::Null;

/// A parsed record.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// The value.
    pub value: Json<'a>,
    /// Some object had two equal keys; the last one counts, as in the writers' own runtimes.
    pub duplicate_keys: bool,
}

impl<'a> Json<'a> {
    /// Parses exactly one value; `dropped` names members whose values are skipped: `name` at any depth,
    /// `a.b` only there from the root on (a root member is `.a`). Prefer paths: a name at any depth also
    /// hits tool inputs, whose keys nobody knows.
    ///
    /// # Errors
    /// The parser's error; its text must not be shown, since it can quote the input.
    pub fn parse(text: &'a str, dropped: &'static [&'static str]) -> Result<Parsed<'a>, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let duplicate = Cell::new(false);
        let dropped = Dropped::of(dropped);
        let seed = Seed { dropped: &dropped, at: Place::root(&dropped), duplicate: &duplicate };
        let value = seed.deserialize(&mut reader)?;
        reader.end()?;
        Ok(Parsed { value, duplicate_keys: duplicate.get() })
    }

    /// The member of an object; `Null` when absent or when this is no object.
    pub fn get(&self, key: &str) -> &Json<'a> {
        match self {
            Self::Object(members) => {
                members.iter().find(|(name, _)| name == key).map_or(&NULL, |(_, value)| value)
            }
            _ => &NULL,
        }
    }

    /// Follows members.
    pub fn path(&self, keys: &[&str]) -> &Json<'a> {
        keys.iter().fold(self, |value, key| value.get(key))
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The elements; empty when this is no array.
    pub fn items(&self) -> &[Json<'a>] {
        if let Self::Array(items) = self { items } else { &[] }
    }

    /// The members in order; empty when this is no object.
    pub fn members(&self) -> &[(Text<'a>, Json<'a>)] {
        if let Self::Object(members) = self { members } else { &[] }
    }

    /// The boolean, if it is one.
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The non-negative integer, if it is one.
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(number) = self { number.as_u64() } else { None }
    }

    /// The integer, if it is one.
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Number(number) = self { number.as_i64() } else { None }
    }

    /// True for `null` and absent members.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// True for an object.
    pub const fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Compact JSON text with members in the order of the transcript.
    pub fn to_text(&self) -> String {
        // All of the room at once: a text that grows leaves pieces behind that nobody wipes.
        let mut text = String::with_capacity(self.written_bytes());
        self.write(&mut text);
        text
    }

    /// Bytes of that text, or a few more.
    pub fn written_bytes(&self) -> usize {
        match self {
            Self::Null | Self::Skipped => 4,
            Self::Bool(value) => 5 - usize::from(*value),
            Self::Number(number) => number.to_string().len(),
            Self::String(value) => string_bytes(value),
            Self::Array(items) => 1 + items.iter().map(|item| 1 + item.written_bytes()).sum::<usize>(),
            Self::Object(members) => {
                let member =
                    |(name, value): &(Text<'_>, Json<'_>)| 2 + string_bytes(name) + value.written_bytes();
                1 + members.iter().map(member).sum::<usize>()
            }
        }
        .max(2)
    }

    /// Writes that text behind another one.
    pub fn write(&self, text: &mut String) {
        match self {
            Self::Null | Self::Skipped => text.push_str("null"),
            Self::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => text.push_str(&number.to_string()),
            Self::String(value) => write_string(value, text),
            Self::Array(items) => {
                text.push('[');
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        text.push(',');
                    }
                    item.write(text);
                }
                text.push(']');
            }
            Self::Object(members) => {
                text.push('{');
                for (place, (name, value)) in members.iter().enumerate() {
                    if place > 0 {
                        text.push(',');
                    }
                    write_string(name, text);
                    text.push(':');
                    value.write(text);
                }
                text.push('}');
            }
        }
    }
}

/// Bytes of a JSON string, or a few more.
fn string_bytes(value: &str) -> usize {
    let escaped = |byte: &u8| if *byte < b' ' { 5 } else { usize::from(matches!(byte, b'"' | b'\\')) };
    2 + value.len() + value.as_bytes().iter().map(escaped).sum::<usize>()
}

/// Writes a JSON string with the shortest escapes; what stands between two of them is copied as it is.
fn write_string(value: &str, text: &mut String) {
    text.push('"');
    let mut copied = 0;
    for (at, byte) in value.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        text.push_str(value.get(copied..at).unwrap_or_default());
        copied = at + 1;
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            _ => text.push_str(&format!("\\u{byte:04x}")),
        }
    }
    text.push_str(value.get(copied..).unwrap_or_default());
    text.push('"');
}

/// The list of dropped members, looked through once a record.
#[derive(Clone, Copy)]
struct Dropped {
    entries: &'static [&'static str],
    /// One bit for each entry that is a path; an entry behind the 64th never is.
    paths: u64,
    /// The same bits by the first letter of the path: most members of a record begin none.
    by_letter: [u64; LETTERS],
    /// Some entries are names at any depth.
    has_names: bool,
}

impl Dropped {
    fn of(entries: &'static [&'static str]) -> Self {
        let mut dropped = Self { entries, paths: 0, by_letter: [0; LETTERS], has_names: false };
        for (place, entry) in entries.iter().enumerate() {
            if memchr::memchr(b'.', entry.as_bytes()).is_none() {
                dropped.has_names = true;
                continue;
            }
            let bit = u32::try_from(place).ok().and_then(|place| 1u64.checked_shl(place)).unwrap_or(0);
            dropped.paths |= bit;
            if let Some(bits) = dropped.by_letter.get_mut(letter(steps(entry, 0))) {
                *bits |= bit;
            }
        }
        dropped
    }
}

/// The steps of a path behind the bytes that were walked; a root member's path begins with a dot.
fn steps(entry: &str, walked: usize) -> &str {
    entry.strip_prefix('.').unwrap_or(entry).get(walked..).unwrap_or_default()
}

/// A slot for the first letter of a name.
fn letter(name: &str) -> usize {
    usize::from(name.bytes().next().unwrap_or(0)) % LETTERS
}

/// Which dropped paths still lead on from here: one bit an entry, and how many bytes of them were walked, which are
/// the same in all of them.
#[derive(Clone, Copy)]
struct Place {
    alive: u64,
    walked: usize,
}

/// What the list of dropped members says about one member.
enum Verdict {
    Drop,
    Keep(Place),
}

impl Place {
    /// Below an element of an array, or off every path.
    const NOWHERE: Self = Self { alive: 0, walked: 0 };

    const fn root(dropped: &Dropped) -> Self {
        Self { alive: dropped.paths, walked: 0 }
    }

    fn member(self, dropped: &Dropped, name: &str) -> Verdict {
        // A name with a dot is no step of any path.
        let is_step = !name.contains('.');
        if dropped.has_names && is_step && dropped.entries.contains(&name) {
            return Verdict::Drop;
        }
        let (mut left, mut alive) = (self.alive, 0);
        if self.walked == 0 {
            left &= dropped.by_letter.get(letter(name)).copied().unwrap_or(0);
        }
        while left != 0 && is_step {
            let place = left.trailing_zeros();
            left &= left - 1;
            let entry = dropped.entries.get(place as usize).copied().unwrap_or_default();
            match steps(entry, self.walked).strip_prefix(name).map(str::as_bytes) {
                Some([]) => return Verdict::Drop,
                Some([b'.', ..]) => alive |= 1 << place,
                _ => {}
            }
        }
        Verdict::Keep(Self { alive, walked: self.walked + name.len() + 1 })
    }
}

#[derive(Clone, Copy)]
struct Seed<'f> {
    dropped: &'f Dropped,
    at: Place,
    duplicate: &'f Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::String(Text::Line(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::String(Text::from(value.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        let element = Self { at: Place::NOWHERE, ..self };
        while let Some(item) = access.next_element_seed(element)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
        let mut members: Vec<(Text<'de>, Json<'de>)> = Vec::new();
        let mut places: HashMap<Text<'static>, usize> = HashMap::new();
        while let Some(Key(name)) = access.next_key::<Key<'de>>()? {
            let value = match self.at.member(self.dropped, &name) {
                Verdict::Drop => {
                    access.next_value::<IgnoredAny>()?;
                    Json::Skipped
                }
                Verdict::Keep(at) => access.next_value_seed(Self { at, ..self })?,
            };
            let earlier = if members.len() < LINEAR_MEMBERS {
                members.iter().position(|(other, _)| *other == name)
            } else {
                if places.is_empty() {
                    places.extend(
                        members
                            .iter()
                            .enumerate()
                            .map(|(place, (other, _))| (Text::from(other.to_string()), place)),
                    );
                }
                let next = members.len();
                let place = *places.entry(Text::from(name.to_string())).or_insert(next);
                (place < next).then_some(place)
            };
            match earlier.and_then(|place| members.get_mut(place)) {
                Some(slot) => {
                    self.duplicate.set(true);
                    slot.1 = value;
                }
                None => members.push((name, value)),
            }
        }
        Ok(Json::Object(members))
    }
}

/// An object key that borrows where it can.
struct Key<'de>(Text<'de>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl<'de> Visitor<'de> for Name {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Text::Line(value)))
            }

            fn visit_str<E>(self, value: &str) -> Result<Key<'de>, E> {
                Ok(Key(Text::from(value.to_owned())))
            }
        }
        deserializer.deserialize_str(Name)
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn the_last_of_two_equal_keys_counts_and_is_told() {
        let parsed = Json::parse(r#"{"a":1,"b":2,"a":3}"#, &[]).unwrap();
        assert!(parsed.duplicate_keys);
        assert_eq!(parsed.value.to_text(), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn many_members_find_their_duplicates_too() {
        let members: Vec<String> = (0..60).map(|number| format!("\"k{}\":{number}", number % 40)).collect();
        let text = format!("{{{}}}", members.join(","));
        let parsed = Json::parse(&text, &[]).unwrap();
        assert!(parsed.duplicate_keys);
        assert_eq!(parsed.value.members().len(), 40);
        assert_eq!(parsed.value.get("k3").as_u64(), Some(43));
    }

    #[test]
    fn dropped_members_are_skipped_at_any_depth() {
        let parsed = Json::parse(r#"{"x":{"big":[1,2],"y":1}}"#, &["big"]).unwrap();
        assert_eq!(parsed.value.path(&["x", "big"]), &Json::Skipped);
        assert_eq!(parsed.value.path(&["x", "y"]).as_u64(), Some(1));
    }

    #[test]
    fn a_path_drops_only_what_lies_there() {
        let text =
            r#"{"result":{"big":1,"deep":{"big":2}},"big":3,"list":[{"result":{"big":4}}],"whole":{"x":5}}"#;
        let parsed = Json::parse(text, &["result.big", ".whole"]).unwrap();
        assert_eq!(
            parsed.value.to_text(),
            r#"{"result":{"big":null,"deep":{"big":2}},"big":3,"list":[{"result":{"big":4}}],"whole":null}"#
        );
        assert_eq!(parsed.value.path(&["result", "big"]), &Json::Skipped);
    }

    #[test]
    fn a_path_is_walked_member_by_member() {
        let text = r#"{"a":{"b":1,"bc":2,"b.c":3},"a.b":4,"ab":{"b":5},"x":{"a":{"b":6}}}"#;
        let parsed = Json::parse(text, &["a.b", "a.b.c"]).unwrap();
        assert_eq!(
            parsed.value.to_text(),
            r#"{"a":{"b":null,"bc":2,"b.c":3},"a.b":4,"ab":{"b":5},"x":{"a":{"b":6}}}"#
        );
    }

    #[test]
    fn text_is_written_with_the_shortest_escapes() {
        let text = r#"["a\"b\\c","\n\r\t\u0001é→","","\u001fz"]"#;
        assert_eq!(Json::parse(text, &[]).unwrap().value.to_text(), text);
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let text = "[".repeat(100_000);
        assert!(Json::parse(&text, &[]).is_err());
    }
}

//! Every way in which a document is changed a little, at every place where it can be. A mutant is one change.

use serde_json::{Map, Value, json};

use super::strings;

/// One changed document.
pub struct Mutant {
    /// What was done.
    pub operator: &'static str,
    /// What came instead, where the operator has several answers.
    pub variant: String,
    /// Where, as a JSON Pointer into the document.
    pub place: String,
    /// The document.
    pub bytes: Vec<u8>,
}

/// Ids and digests that mutants borrow.
pub struct Lenders {
    /// Of the same session.
    pub own_events: Vec<String>,
    /// Of other sessions.
    pub other_events: Vec<String>,
    /// Of other sessions.
    pub other_digests: Vec<String>,
}

/// Makes the mutants of a document.
pub struct Maker<'m> {
    document: &'m Value,
    lenders: &'m Lenders,
    made: Vec<Mutant>,
}

/// Stands where raw text goes that no value can be.
const HOLE: &str = "a hole in the document";

/// Every mutant of a document.
pub fn mutants(document: &Value, lenders: &Lenders) -> Vec<Mutant> {
    let mut maker = Maker { document, lenders, made: Vec::new() };
    maker.node(document, "");
    maker.whole();
    maker.made
}

impl Maker<'_> {
    fn node(&mut self, value: &Value, place: &str) {
        self.retyped(value, place);
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let below = format!("{place}/{name}");
                    self.member(members, name, place);
                    self.node(member, &below);
                }
                self.put("add-member", "x", place, with(members, "unknown", json!("x")));
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let below = format!("{place}/{index}");
                    self.element(items, index, place, &below);
                    self.node(item, &below);
                }
                if items.len() > 1 {
                    let mut turned = items.clone();
                    turned.reverse();
                    self.put("reverse", "", place, Value::Array(turned));
                    self.put("empty", "", place, json!([]));
                }
            }
            Value::Number(_) => self.number(value, place),
            Value::String(text) => self.string(text, place),
            Value::Bool(_) | Value::Null => {}
        }
    }

    /// One member of an object: gone, under another name, twice.
    fn member(&mut self, members: &Map<String, Value>, name: &str, place: &str) {
        let below = format!("{place}/{name}");
        let mut less = members.clone();
        let own = less.remove(name).unwrap();
        self.put_at("drop-member", "", &below, place, Value::Object(less.clone()));
        let twin = strings::look_alike(name);
        for (variant, other) in [
            ("another", format!("{name}_")),
            ("blank", format!("{name} ")),
            ("capital", name.to_uppercase()),
            ("look-alike", twin),
        ] {
            self.put_at("rename-member", variant, &below, place, with(&less, &other, own.clone()));
        }
        for (variant, second) in [("same", own.clone()), ("other", json!(null))] {
            let doubled = self.with(place, with(members, HOLE, second));
            let text = doubled.to_string().replace(&json!(HOLE).to_string(), &json!(name).to_string());
            self.text("duplicate-key", variant, &below, text);
        }
    }

    /// One element of an array: gone, twice, changed places, in another array of the same name.
    fn element(&mut self, items: &[Value], index: usize, place: &str, below: &str) {
        let mut less = items.to_vec();
        let own = less.remove(index);
        self.put_at("drop-element", "", below, place, json!(less));
        let mut more = items.to_vec();
        more.insert(index, own.clone());
        self.put_at("duplicate-element", "", below, place, json!(more));
        if index + 1 < items.len() {
            let mut turned = items.to_vec();
            turned.swap(index, index + 1);
            self.put_at("swap", "", below, place, json!(turned));
        }
        for other in self.arrays_like(place) {
            let mut changed = self.with(place, json!(less));
            let Some(Value::Array(into)) = changed.pointer_mut(&other) else { continue };
            into.push(own.clone());
            self.text("move", &other, below, changed.to_string());
            let mut changed = self.document.clone();
            let Some(Value::Array(into)) = changed.pointer_mut(&other) else { continue };
            into.push(own.clone());
            self.text("copy", &other, below, changed.to_string());
        }
    }

    /// Other arrays of the same name, or, of sections, other sections; of long documents the nearest.
    fn arrays_like(&self, place: &str) -> Vec<String> {
        let mut arrays = Vec::new();
        list_arrays(self.document, "", &mut arrays);
        let last = |place: &str| place.rsplit('/').next().unwrap_or_default().to_owned();
        let depth = |place: &str| place.matches('/').count();
        let like = |other: &String| match depth(place) {
            1 => depth(other) == 1,
            _ => depth(other) > 1 && last(other) == last(place),
        };
        let at = arrays.iter().position(|array| array == place).unwrap_or_default();
        let mut others: Vec<(usize, String)> =
            arrays.into_iter().enumerate().filter(|(_, other)| like(other)).collect();
        others.retain(|(number, _)| *number != at);
        others.sort_by_key(|(number, _)| number.abs_diff(at));
        others.into_iter().take(4).map(|(_, other)| other).collect()
    }

    fn retyped(&mut self, value: &Value, place: &str) {
        let mut others = vec![
            ("null", json!(null)),
            ("true", json!(true)),
            ("number", json!(1)),
            ("text", json!("x")),
            ("array", json!([])),
            ("object", json!({})),
            ("in an array", json!([value])),
            ("in an object", json!({"value": value})),
        ];
        let kind = std::mem::discriminant(value);
        others.retain(|(_, other)| other != value && std::mem::discriminant(other) != kind);
        if value.is_array() {
            others.push(("in an array", json!([value])));
        }
        for (variant, other) in others {
            self.put("retype", variant, place, other);
        }
    }

    fn number(&mut self, value: &Value, place: &str) {
        let number = value.as_u64().unwrap();
        for (variant, other) in [("+1", number.checked_add(1)), ("-1", number.checked_sub(1))] {
            if let Some(other) = other {
                self.put("off-by-one", variant, place, json!(other));
            }
        }
        self.put("large-number", "2^53-1", place, json!(9_007_199_254_740_991_u64));
        self.put("spelling", "2^53", place, json!(9_007_199_254_740_992_u64));
        for (variant, raw) in [
            (".0", format!("{number}.0")),
            ("e0", format!("{number}e0")),
            ("E+0", format!("{number}E+0")),
            ("-", format!("-{number}")),
            ("0", format!("0{number}")),
            ("+", format!("+{number}")),
            ("hex", format!("0x{number:x}")),
            ("NaN", "NaN".to_owned()),
        ] {
            self.raw("spelling", variant, place, &raw);
        }
        self.put("retype", "digits as text", place, json!(number.to_string()));
    }

    fn string(&mut self, text: &str, place: &str) {
        let name = place.rsplit('/').find(|part| part.parse::<u32>().is_err()).unwrap_or_default().to_owned();
        for (operator, variant, other) in strings::others(self.document, &name, place, text, self.lenders) {
            if other != text {
                self.put(operator, &variant, place, json!(other));
            }
        }
        let quoted = json!(text).to_string();
        let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        self.raw("escapes", "all", place, &format!("\"{escaped}\""));
        self.raw("quotes", "single", place, &quoted.replace('"', "'"));
        self.raw("quotes", "none", place, quoted.trim_matches('"'));
        self.raw("escapes", "lone surrogate", place, "\"\\ud800\"");
        self.raw("escapes", "raw line feed", place, &format!("\"{}\n\"", quoted.trim_matches('"')));
    }

    /// Changes of the bytes as a whole.
    fn whole(&mut self) {
        let text = self.document.to_string();
        let pretty = serde_json::to_string_pretty(self.document).unwrap();
        for (variant, behind) in [
            ("blank", " "),
            ("line feed", "\n"),
            ("tab", "\t"),
            ("return", "\r\n"),
            ("NUL", "\0"),
            ("text", "x"),
            ("document", "{}"),
            ("comma", ","),
            ("brace", "}"),
            ("comment", "// x"),
            ("no-break space", "\u{a0}"),
        ] {
            self.text("behind", variant, "", format!("{text}{behind}"));
            self.text("before", variant, "", format!("{behind}{text}"));
        }
        self.text("before", "byte order mark", "", format!("\u{feff}{text}"));
        self.text("line-ends", "LF", "", pretty.clone());
        self.text("line-ends", "CRLF", "", pretty.replace('\n', "\r\n"));
        self.text("line-ends", "CR", "", pretty.replace('\n', "\r"));
        self.text(
            "deep",
            "65",
            "",
            text.replacen(':', &format!(":{}{},", "[".repeat(65), "]".repeat(65)), 1),
        );
        self.bytes("encoding", "UTF-16", text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        self.bytes(
            "encoding",
            "latin byte",
            [text.as_bytes().split_at(20).0, &[0xe9], text.as_bytes().split_at(20).1].concat(),
        );
        for cut in (0..text.len()).step_by((text.len() / 64).max(1)).filter(|cut| text.is_char_boundary(*cut))
        {
            self.text("cut", &cut.to_string(), "", text[..cut].to_owned());
        }
    }

    fn with(&self, place: &str, value: Value) -> Value {
        let mut changed = self.document.clone();
        *changed.pointer_mut(place).unwrap() = value;
        changed
    }

    /// The value at a place is another.
    fn put(&mut self, operator: &'static str, variant: &str, place: &str, value: Value) {
        self.put_at(operator, variant, place, place, value);
    }

    /// The same, told by another place.
    fn put_at(&mut self, operator: &'static str, variant: &str, told: &str, place: &str, value: Value) {
        let changed = self.with(place, value);
        self.text(operator, variant, told, changed.to_string());
    }

    /// Raw text stands at a place.
    fn raw(&mut self, operator: &'static str, variant: &str, place: &str, raw: &str) {
        let holed = self.with(place, json!(HOLE)).to_string();
        self.text(operator, variant, place, holed.replace(&json!(HOLE).to_string(), raw));
    }

    fn text(&mut self, operator: &'static str, variant: &str, place: &str, text: String) {
        let (variant, place) = (variant.to_owned(), place.to_owned());
        self.made.push(Mutant { operator, variant, place, bytes: text.into_bytes() });
    }

    fn bytes(&mut self, operator: &'static str, variant: &str, bytes: Vec<u8>) {
        self.made.push(Mutant { operator, variant: variant.to_owned(), place: String::new(), bytes });
    }
}

fn with(members: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut members = members.clone();
    members.insert(name.to_owned(), value);
    Value::Object(members)
}

fn list_arrays(value: &Value, place: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| list_arrays(member, &format!("{place}/{name}"), into));
        }
        Value::Array(items) => {
            into.push(place.to_owned());
            let below = items.iter().enumerate();
            below.for_each(|(index, item)| list_arrays(item, &format!("{place}/{index}"), into));
        }
        _ => {}
    }
}

//! JSON laid out for an author: what fits on one line stands on one, everything else has its parts on lines of their
//! own. Fewer bytes to read and write back than with a line for every value, and no line that a viewer would cut.
//! The document stays the same; only white space is added.

/// Longest line that holds more than one value, in bytes: two verification items would not fit, and common viewers cut
/// lines at 2,000.
const LINE_BYTES: usize = 400;

/// Lays out compact JSON as a serializer writes it.
pub fn in_lines(compact: &str) -> String {
    let mut text = String::with_capacity(compact.len() + compact.len() / 4);
    lay(compact, 0, &mut text);
    text.push('\n');
    text
}

fn lay(value: &str, depth: usize, text: &mut String) {
    // Items have lines of their own even where two would fit.
    let whole = depth > 0 && !value.starts_with("[{") && value.len() + 2 * depth <= LINE_BYTES;
    let Some((open, inside, close)) = container(value).filter(|_| !whole) else { return inline(value, text) };
    let parts = parts(inside);
    let scalars = parts.iter().all(|part| container(part).is_none() && open == "[");
    text.push_str(open);
    let mut used = LINE_BYTES;
    for (index, part) in parts.iter().enumerate() {
        // Ids and paths fill their lines; items and members do not share any.
        let fits = scalars && used + part.len() + 2 <= LINE_BYTES;
        if index > 0 {
            text.push_str(if fits { ", " } else { "," });
        }
        if !fits {
            used = 2 * (depth + 1);
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', used));
        }
        used += part.len() + 2;
        let mut scan = Scan::default();
        match part.split_once(|letter| scan.separates(letter, ':')).filter(|_| open == "{") {
            Some((name, value)) => {
                text.push_str(name);
                text.push_str(": ");
                lay(value, depth + 1, text);
            }
            None => lay(part, depth + 1, text),
        }
    }
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', 2 * depth));
    text.push_str(close);
}

/// An array or object that holds something.
fn container(value: &str) -> Option<(&'static str, &str, &'static str)> {
    let of = |open: &'static str, close: &'static str| {
        let inside = value.strip_prefix(open)?.strip_suffix(close)?;
        (!inside.is_empty()).then_some((open, inside, close))
    };
    of("[", "]").or_else(|| of("{", "}"))
}

/// What stands between the outermost commas.
fn parts(inside: &str) -> Vec<&str> {
    let mut scan = Scan::default();
    inside.split(|letter| scan.separates(letter, ',')).collect()
}

/// The same on one line, with a space behind commas and colons.
fn inline(value: &str, text: &mut String) {
    let mut scan = Scan::default();
    for letter in value.chars() {
        let in_text = scan.in_text;
        scan.separates(letter, ',');
        text.push(letter);
        if !in_text && matches!(letter, ',' | ':') {
            text.push(' ');
        }
    }
}

/// Tells texts from what is around them.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Scan {
    /// Takes the next letter; true when it is the separator and nothing is open.
    fn separates(&mut self, letter: char, separator: char) -> bool {
        if self.in_text {
            self.in_text = self.escaped || letter != '"';
            self.escaped = !self.escaped && letter == '\\';
            return false;
        }
        match letter {
            '"' => self.in_text = true,
            '[' | '{' => self.depth += 1,
            ']' | '}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0 && letter == separator
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{LINE_BYTES, in_lines};

    #[test]
    fn what_fits_stands_on_one_line() {
        let item = json!({"id": "a", "title": "", "ids": ["x", "y"]});
        let text = in_lines(&json!({"first": item, "items": vec![item.clone(); 12], "none": []}).to_string());
        let two = in_lines(&json!({"items": [item, item]}).to_string());
        assert_eq!(two.lines().count(), 6, "{two}");
        let line = r#"{"id": "a", "ids": ["x", "y"], "title": ""}"#;
        let twelve = vec![format!("    {line}"); 12].join(",\n");
        assert_eq!(
            text,
            format!("{{\n  \"first\": {line},\n  \"items\": [\n{twelve}\n  ],\n  \"none\": []\n}}\n")
        );
    }

    #[test]
    fn the_document_stays_the_same_and_no_line_of_short_values_is_long() {
        let ids: Vec<String> = (0..3_000).map(|index| format!("e{index}-0123456789ab")).collect();
        let hostile =
            ["\"", "\\", "\\\"", ",", "\":", "a\": [", "{", "]", "[1,2", "\u{85}ä,€", "line\nbreak"];
        let nested = json!({"a\":": {"b": [[], {}, [[1, 2], {"c": null}], hostile]}, "": true});
        let document = json!({"runs": ids, "items": vec![nested; 30], "deep": [[[[hostile, hostile]]]], "a\": [,": ["b"]});
        let text = in_lines(&document.to_string());
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), document);
        assert!(text.lines().all(|line| line.len() <= LINE_BYTES + 100), "{text}");
        assert!(text.lines().count() < 600);
        for scalar in [json!(1), json!("a, b: c"), json!([]), json!({}), json!(null)] {
            assert_eq!(in_lines(&scalar.to_string()).trim_end(), scalar.to_string());
        }
    }
}

//! Secrets in JSON: a span never reaches over the border of a string or cuts an escape, so that what was valid stays valid.
//! Looked at are only documents and lines that hold a secret and are JSON.

use serde::de::IgnoredAny;

use super::spans::Span;

/// The spans of `text`, those in JSON clipped to its strings.
pub fn to_strings(text: &str, spans: Vec<Span>) -> Vec<Span> {
    if spans.is_empty() || !text.contains('"') {
        return spans;
    }
    let mut kept = Vec::with_capacity(spans.len());
    // What the last span touched: spans stand in order, so that a line is read once, however many of them it holds.
    let mut lines: Vec<Line> = Vec::new();
    lines.extend(Some(Line::of(text, 0, text.len())).filter(Line::is_json));
    for span in spans {
        let last = lines.pop().filter(|line| span.start <= line.end);
        lines.clear();
        let mut line = last.unwrap_or_else(|| Line::around(text, span.start));
        while line.end < span.end {
            let next = line.end + 1;
            lines.push(std::mem::replace(&mut line, Line::around(text, next)));
        }
        lines.push(line);
        if lines.iter().any(Line::is_json) {
            lines.iter_mut().for_each(|line| line.clip(text.as_bytes(), span, &mut kept));
        } else {
            kept.push(span);
        }
    }
    joined(kept)
}

/// A line, or a whole document.
struct Line {
    start: usize,
    end: usize,
    /// Where the contents of its strings begin and end, if it is JSON.
    strings: Option<Vec<(usize, usize)>>,
    /// Up to where its escapes were counted.
    counted: usize,
}

impl Line {
    fn of(text: &str, start: usize, end: usize) -> Self {
        let line = text.get(start..end).unwrap_or_default();
        let strings = is_json(line).then(|| strings(text.as_bytes(), start, end));
        Self { start, end, strings, counted: start }
    }

    /// The line that `at` is in.
    fn around(text: &str, at: usize) -> Self {
        let start = text.get(..at).and_then(|head| head.rfind('\n')).map_or(0, |feed| feed + 1);
        let end = text.get(at..).and_then(|tail| tail.find('\n')).map_or(text.len(), |feed| at + feed);
        Self::of(text, start, end)
    }

    const fn is_json(&self) -> bool {
        self.strings.is_some()
    }

    /// Adds the parts of a span that lie in strings of the line. A span outside of all strings is a number and stays
    /// whole, and so does all of it that lies in a line without JSON.
    fn clip(&mut self, bytes: &[u8], span: Span, kept: &mut Vec<Span>) {
        let (start, end) = (span.start.max(self.start), span.end.min(self.end));
        if start >= end {
            return;
        }
        let strings = self.strings.as_deref().unwrap_or_default();
        let from = strings.partition_point(|(_, close)| *close <= start);
        let mut inside = strings.iter().skip(from).take_while(|(open, _)| *open < end).peekable();
        if inside.peek().is_none() {
            kept.push(Span { start, end, ..span });
        }
        for (open, close) in inside {
            let counted = self.counted.max(*open);
            let (from, to);
            (from, to, self.counted) = whole_escapes(bytes, counted, start.max(*open), end.min(*close));
            if from < to {
                kept.push(Span { start: from, end: to, ..span });
            }
        }
    }
}

fn is_json(text: &str) -> bool {
    matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'['))
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Spans in order without overlap: two may have grown into one escape.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.dedup_by(|later, earlier| {
        let overlap = later.start < earlier.end;
        if overlap {
            earlier.end = earlier.end.max(later.end);
        }
        overlap
    });
    spans
}

/// Where the contents of the strings of the valid JSON in `start..end` begin and end.
fn strings(bytes: &[u8], start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open = None;
    let mut at = start;
    while let Some(next) = bytes.get(at..end).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += next;
        if bytes.get(at) == Some(&b'\\') {
            at += 2;
            continue;
        }
        match open.take() {
            Some(start) => found.push((start, at)),
            None => open = Some(at + 1),
        }
        at += 1;
    }
    found
}

/// The range with the escapes whole at its two borders, and a place before the next range from which escapes can be
/// counted on; here they are counted from `at`, where none is under way.
fn whole_escapes(bytes: &[u8], mut at: usize, start: usize, end: usize) -> (usize, usize, usize) {
    let (mut from, mut to, mut last) = (start, end, at);
    while at < end {
        let Some(slash) = bytes.get(at..end).and_then(|rest| memchr::memchr(b'\\', rest)) else {
            last = end;
            break;
        };
        let slash = at + slash;
        let length = if bytes.get(slash + 1) == Some(&b'u') { 6 } else { 2 };
        if slash < start && start < slash + length {
            from = slash;
        }
        if slash < end && end < slash + length {
            to = slash + length;
        }
        last = slash;
        at = slash + length;
    }
    (from, to, last)
}

#[cfg(test)]
mod tests {
    use super::{Span, to_strings};

    fn clipped(text: &str, start: usize, end: usize) -> Vec<(usize, usize)> {
        let spans = to_strings(text, vec![Span { start, end, kind: "secret" }]);
        spans.iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn a_span_over_two_strings_becomes_two_and_cuts_no_escape() {
        let text = r#"{"a":"one","two":"b\nc"}"#;
        assert_eq!(clipped(text, 7, 13), [(7, 9), (12, 13)]);
        assert_eq!(clipped(text, 20, 21), [(19, 21)]);
        assert_eq!(clipped(&format!("x\n{text}"), 9, 15), [(9, 11), (14, 15)]);
        assert_eq!(clipped("no json \"a\" b", 2, 10), [(2, 10)]);
    }

    #[test]
    fn spans_of_one_line_are_clipped_each_by_the_escapes_before_it() {
        let text = "x\n{\"a\":\"\\\\n\\u0041b\\\\\\\"c\",\"d\":\"\\n\"}\n[1,\"e\\ne\"]";
        let spans = [(10, 12), (14, 15), (18, 21), (22, 26), (38, 41), (42, 45)];
        let spans = spans.map(|(start, end)| Span { start, end, kind: "secret" });
        let clipped = to_strings(text, spans.to_vec());
        let parts: Vec<&str> = clipped.iter().filter_map(|span| text.get(span.start..span.end)).collect();
        assert_eq!(parts, [r"n\u0041", r#"\\\""#, "c", r"e\n", "e"]);
        assert_eq!(to_strings(text, clipped.clone()), clipped);
    }
}

//! Secrets in JSON: a span never reaches over the border of a string or cuts an escape, so that what was valid stays valid.
//! Looked at are only documents and lines that hold a secret and are JSON.

use serde::de::IgnoredAny;

use super::spans::Span;

/// The spans of `text`, those in JSON clipped to its strings.
pub fn to_strings(text: &str, spans: Vec<Span>) -> Vec<Span> {
    if spans.is_empty() || !text.contains('"') {
        return spans;
    }
    if is_json(text) {
        return clipped(text, 0, &spans);
    }
    let mut kept = Vec::with_capacity(spans.len());
    for span in spans {
        let lines: Vec<(usize, &str)> = lines_of(text, span).collect();
        if !lines.iter().any(|(_, line)| is_json(line)) {
            kept.push(span);
            continue;
        }
        for (start, line) in lines {
            let end = start + line.len();
            let part = Span { start: span.start.max(start), end: span.end.min(end), ..span };
            if part.start >= part.end {
                continue;
            }
            if is_json(line) {
                kept.extend(clipped(line, start, &[part]));
            } else {
                kept.push(part);
            }
        }
    }
    joined(kept)
}

/// The lines that a span touches, and where each begins.
fn lines_of(text: &str, span: Span) -> impl Iterator<Item = (usize, &str)> {
    let start = text.get(..span.start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let behind = text.get(span.end..).and_then(|tail| tail.find('\n'));
    let end = behind.map_or(text.len(), |at| span.end + at);
    let mut next = start;
    text.get(start..end).unwrap_or_default().split('\n').map(move |line| {
        let at = next;
        next += line.len() + 1;
        (at, line)
    })
}

fn is_json(text: &str) -> bool {
    matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'['))
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The parts of the spans that lie in strings; a span outside of all strings is a number and stays whole. `offset` is
/// where `text` begins in what the spans are of.
fn clipped(text: &str, offset: usize, spans: &[Span]) -> Vec<Span> {
    let mut kept = Vec::with_capacity(spans.len());
    let strings = strings(text.as_bytes());
    for span in spans {
        let (start, end) = (span.start - offset, span.end - offset);
        let from = strings.partition_point(|(_, close)| *close <= start);
        let mut inside = strings.iter().skip(from).take_while(|(open, _)| *open < end).peekable();
        if inside.peek().is_none() {
            kept.push(*span);
        }
        for (open, close) in inside {
            let (start, end) = whole_escapes(text.as_bytes(), *open, start.max(*open), end.min(*close));
            if start < end {
                kept.push(Span { start: start + offset, end: end + offset, kind: span.kind });
            }
        }
    }
    joined(kept)
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

/// Where the contents of the strings of valid JSON begin and end.
fn strings(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open = None;
    let mut at = 0;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
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

/// The range with the escapes whole at its two borders; escapes are counted from the start of the string.
fn whole_escapes(bytes: &[u8], open: usize, start: usize, end: usize) -> (usize, usize) {
    let (mut from, mut to) = (start, end);
    let mut at = open;
    while at < end {
        let Some(slash) = bytes.get(at..end).and_then(|rest| memchr::memchr(b'\\', rest)) else { break };
        let slash = at + slash;
        let length = if bytes.get(slash + 1) == Some(&b'u') { 6 } else { 2 };
        if slash < start && start < slash + length {
            from = slash;
        }
        if slash < end && end < slash + length {
            to = slash + length;
        }
        at = slash + length;
    }
    (from, to)
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
}

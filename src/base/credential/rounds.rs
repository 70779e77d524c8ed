//! Finding until nothing is left: a mark in place of one secret can lay bare another, as where two tokens stand
//! glued together. Found spans are replaced by their marks and the text is searched again, so that scrubbed text holds
//! nothing that a second scrubbing would touch.

use zeroize::Zeroizing;

use super::clip;
use super::mark;
use super::reach;
use super::spans::{Certainty, Findings, Span};

/// Most rounds; each begins only where the one before found something new.
const MOST: usize = 16;

/// All spans of `text`, clipped as those of a first pass are, and given what one pass finds in a text near its marks.
pub fn until_quiet(
    text: &str,
    first: Vec<Span>,
    pass: impl Fn(&str, &[(usize, usize)]) -> Vec<Span>,
) -> Vec<Span> {
    let mut spans = first;
    let mut grew = false;
    for _ in 0..MOST {
        if spans.is_empty() {
            break;
        }
        let marked = Marked::of(text, &spans);
        let near = marked.marks.iter().map(|(start, end, _)| (*start, *end));
        let more = pass(&marked.text, &reach::around(near, marked.text.len()));
        if more.is_empty() {
            break;
        }
        let mut findings = Findings::default();
        for span in &spans {
            findings.add(span.start, span.end, span.kind, Certainty::Marked);
        }
        for span in more {
            findings.add(
                marked.source_start(span.start),
                marked.source_end(span.end),
                span.kind,
                Certainty::Named,
            );
        }
        spans = findings.into_spans(text);
        grew = true;
    }
    if grew { clip::to_strings(text, spans) } else { spans }
}

/// A text with marks in place of its spans; what else it holds was not found yet, so that it is wiped.
struct Marked {
    text: Zeroizing<String>,
    /// For each mark its range here and in the source.
    marks: Vec<(usize, usize, Span)>,
}

impl Marked {
    fn of(source: &str, spans: &[Span]) -> Self {
        let marked: Vec<_> = spans.iter().map(|span| mark::marker(span.kind, 1)).collect();
        let room = source.len() + marked.iter().map(String::len).sum::<usize>();
        let mut text = Zeroizing::new(String::with_capacity(room));
        let mut marks = Vec::with_capacity(spans.len());
        let mut copied = 0;
        for (span, mark) in spans.iter().zip(&marked) {
            text.push_str(source.get(copied..span.start).unwrap_or_default());
            let start = text.len();
            text.push_str(mark);
            marks.push((start, text.len(), *span));
            copied = span.end;
        }
        text.push_str(source.get(copied..).unwrap_or_default());
        Self { text, marks }
    }

    /// The source of a first byte; inside a mark it is where the secret begins.
    fn source_start(&self, at: usize) -> usize {
        match self.last_mark(at) {
            None => at,
            Some((_, end, span)) if at < end => span.start,
            Some((_, end, span)) => span.end + (at - end),
        }
    }

    /// The source of a byte behind the last one; inside a mark it is where the secret ends.
    fn source_end(&self, end: usize) -> usize {
        match self.last_mark(end.saturating_sub(1)) {
            None => end,
            Some((_, mark_end, span)) => span.end + end.saturating_sub(mark_end),
        }
    }

    /// The last mark that begins at or before `at`.
    fn last_mark(&self, at: usize) -> Option<(usize, usize, Span)> {
        let behind = self.marks.partition_point(|(start, ..)| *start <= at);
        behind.checked_sub(1).and_then(|index| self.marks.get(index)).copied()
    }
}

//! Where a secret stands, and how overlapping findings become one list.

/// One secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
    /// The kind, as the table of kinds names it.
    pub kind: &'static str,
}

/// How much a finding knows about its kind; where two overlap, the surer one gives the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Something secret stands in an encoded run.
    Encoded,
    /// A name beside the value tells.
    Named,
    /// The place tells: an address, a header, a command.
    Placed,
    /// The token has a mark of its own.
    Marked,
}

/// Findings of one pass, in any order.
#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<(Span, Certainty)>,
    /// Where marks of vendors stand, which are kept.
    kept_marks: Vec<usize>,
}

impl Findings {
    /// Adds a finding; an empty one is no finding.
    pub fn add(&mut self, start: usize, end: usize, kind: &'static str, certainty: Certainty) {
        if start < end {
            self.found.push((Span { start, end, kind }, certainty));
        }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Notes a mark at `at` that somebody left in place of a secret.
    pub fn keep_mark(&mut self, at: usize) {
        self.kept_marks.push(at);
    }

    /// Where such marks stand.
    pub fn take_kept_marks(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.kept_marks)
    }

    /// Takes over findings of a changed copy of the text, each moved by `place`.
    pub fn take_over(&mut self, other: Self, place: impl Fn(usize, usize) -> (usize, usize)) {
        for (span, certainty) in other.found {
            let (start, end) = place(span.start, span.end);
            self.add(start, end, span.kind, certainty);
        }
    }

    /// Sorted spans that do not overlap: overlapping findings are joined, named by the surest and among equals by
    /// the longest. A character is covered whole or not at all.
    pub fn into_spans(mut self, text: &str) -> Vec<Span> {
        for (span, _) in &mut self.found {
            span.start = text.floor_char_boundary(span.start);
            span.end = text.ceil_char_boundary(span.end);
        }
        self.found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut spans: Vec<Span> = Vec::new();
        let mut named = (Certainty::Encoded, 0);
        for (span, certainty) in self.found {
            let name = (certainty, span.end - span.start);
            match spans.last_mut() {
                Some(last) if span.start < last.end => {
                    last.end = last.end.max(span.end);
                    if name > named {
                        last.kind = span.kind;
                        named = name;
                    }
                }
                _ => {
                    spans.push(span);
                    named = name;
                }
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::{Certainty, Findings, Span};

    #[test]
    fn overlapping_findings_are_one_span_named_by_the_surest() {
        let mut findings = Findings::default();
        findings.add(4, 9, "marked", Certainty::Marked);
        findings.add(2, 12, "named", Certainty::Named);
        findings.add(13, 14, "named", Certainty::Named);
        let spans = findings.into_spans("aaaaaaaaaaaaaaaaaaaa");
        assert_eq!(
            spans,
            [Span { start: 2, end: 12, kind: "marked" }, Span { start: 13, end: 14, kind: "named" }]
        );
    }
}

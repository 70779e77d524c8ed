//! All violations of one document: collected, never only the first; sorted by place, then by the table.

use std::collections::BTreeMap;

use serde::Serialize;

use super::limits::PLACES_PER_CODE;
use super::pointer::{LEFT_OUT, Pointer};
use super::rules::Code;

/// One broken rule at one place. The detail holds ids, numbers and our own words, never transcript text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Where in the document.
    pub pointer: Pointer,
    /// Which rule.
    pub code: Code,
    /// What was found and what was expected.
    pub detail: String,
}

/// The sink that rules push into.
#[derive(Debug, Default, Clone)]
pub struct Violations {
    listed: Vec<Violation>,
    counts: BTreeMap<Code, u64>,
}

impl Violations {
    /// Adds one; beyond 200 places of a code only the count goes on.
    pub fn push(&mut self, code: Code, pointer: Pointer, detail: impl Into<String>) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= PLACES_PER_CODE as u64 {
            self.listed.push(Violation { pointer, code, detail: detail.into() });
        }
    }

    /// True when the document breaks no rule.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Exact number by code.
    pub fn counts(&self) -> &BTreeMap<Code, u64> {
        &self.counts
    }

    /// Listed violations by place and then by the table.
    pub fn sorted(&self) -> Vec<&Violation> {
        let mut all: Vec<_> = self.listed.iter().collect();
        all.sort();
        all
    }

    /// Joins another sink into this one; of each code no more places stay listed than one sink lists.
    pub fn extend(&mut self, other: Self) {
        let mut listed: BTreeMap<Code, u64> = BTreeMap::new();
        for violation in &self.listed {
            *listed.entry(violation.code).or_default() += 1;
        }
        for (code, count) in other.counts {
            *self.counts.entry(code).or_default() += count;
        }
        for violation in other.listed {
            let listed = listed.entry(violation.code).or_default();
            *listed += 1;
            if *listed <= PLACES_PER_CODE as u64 {
                self.listed.push(violation);
            }
        }
    }

    /// Says in front of every detail which document its place is in, for a report that speaks of two.
    #[must_use]
    pub fn said_of(mut self, document: &str) -> Self {
        for violation in &mut self.listed {
            violation.detail = format!("{document}: {}", violation.detail);
        }
        self
    }

    /// The same without author's names, and without details, that hold what looks like a secret.
    #[must_use]
    pub fn without(mut self, is_secret: &dyn Fn(&str) -> bool) -> Self {
        for violation in &mut self.listed {
            violation.pointer = violation.pointer.without(is_secret);
            if is_secret(&violation.detail) {
                LEFT_OUT.clone_into(&mut violation.detail);
            }
        }
        self
    }

    /// The private report, written beside the draft: every listed place, and statement and remedy once a code.
    pub fn report(&self) -> Report {
        Report {
            schema_version: "recap.violations.v1",
            violations: self
                .sorted()
                .into_iter()
                .map(|violation| Place {
                    code: violation.code,
                    pointer: violation.pointer.to_string(),
                    detail: violation.detail.clone(),
                })
                .collect(),
            rules: self
                .counts
                .iter()
                .map(|(code, count)| Summary {
                    code: *code,
                    count: *count,
                    statement: code.rule().statement,
                    remedy: code.rule().mend,
                })
                .collect(),
        }
    }

    /// Public shapes with counts: our own member names and `*`.
    pub fn shapes(&self) -> BTreeMap<String, u64> {
        let mut shapes = BTreeMap::new();
        for violation in &self.listed {
            *shapes.entry(violation.pointer.shape()).or_default() += 1;
        }
        shapes
    }
}

/// The private report document.
#[derive(Debug, Serialize)]
pub struct Report {
    schema_version: &'static str,
    violations: Vec<Place>,
    rules: Vec<Summary>,
}

#[derive(Debug, Serialize)]
struct Place {
    code: Code,
    pointer: String,
    detail: String,
}

#[derive(Debug, Serialize)]
struct Summary {
    code: Code,
    count: u64,
    statement: &'static str,
    remedy: &'static str,
}

#[cfg(test)]
mod tests {
    use super::{Code, PLACES_PER_CODE, Pointer, Violations};

    fn many(code: Code, times: usize) -> Violations {
        let mut sink = Violations::default();
        (0..times).for_each(|index| sink.push(code, Pointer::root().member("claims").index(index), ""));
        sink
    }

    #[test]
    fn two_hundred_places_are_listed_and_all_are_counted() {
        for (times, listed) in [(199, 199), (200, 200), (201, 200)] {
            let sink = many(Code::LabelEmpty, times);
            assert_eq!(sink.sorted().len(), listed);
            assert_eq!(sink.counts()[&Code::LabelEmpty], times as u64);
            assert_eq!(sink.shapes()["/claims/*"], listed as u64);
        }
    }

    #[test]
    fn joined_sinks_list_no_more_than_one() {
        let mut sink = many(Code::LabelEmpty, 150);
        sink.extend(many(Code::LabelEmpty, 150));
        sink.extend(many(Code::TextUnsafe, 3));
        assert_eq!(sink.counts()[&Code::LabelEmpty], 300);
        assert_eq!(sink.sorted().len(), PLACES_PER_CODE + 3);
    }

    #[test]
    fn places_come_first_and_the_table_second() {
        let mut sink = Violations::default();
        let place = |index: usize| Pointer::root().member("claims").index(index);
        sink.push(Code::EventUnaccounted, Pointer::root(), "");
        sink.push(Code::LabelEmpty, place(10), "");
        sink.push(Code::ClaimKindUnsupported, place(2), "");
        sink.push(Code::LabelEmpty, place(2), "");
        let sorted: Vec<_> =
            sink.sorted().iter().map(|one| format!("{} {}", one.code.as_str(), one.pointer)).collect();
        let expected = [
            "event-unaccounted ",
            "label-empty /claims/2",
            "claim-kind-unsupported /claims/2",
            "label-empty /claims/10",
        ];
        assert_eq!(sorted, expected, "numbers sort as numbers");
    }
}

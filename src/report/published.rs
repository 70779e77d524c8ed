//! The recap as JSON, for programs and for `check`: what the page says, as members, with the digests that bind it.
//! Whoever holds the document alone can put the page together again, count its words, and see whether it agrees
//! with itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cite::Shown;
use super::page::{CAUTION, visible_text};
use super::plain::{Plain, Span};
use super::recap::{ABSENT, Detail, HEADINGS, Line, Made, Notice, Recap, Section, SetAside, State, Told};
use super::words::words;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, Ordinal};
use crate::base::json::canonical;
use crate::base::rules::Code;
use crate::evidence::slice::Run;
use crate::meaning::synthesis::document::SourceLabel;

/// The version that every recap in JSON carries.
pub const RECAP_SCHEMA: &str = "recap.recap.v1";

/// Sections of the synthesis, by the name that a line carries.
const SECTIONS: [&str; 8] = [
    "headline",
    "story",
    "timeline",
    "changes",
    "verification",
    "failures_recoveries",
    "final_state",
    "open_work",
];

/// The whole document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    schema_version: String,
    boundary: BoundaryId,
    status: Status,
    /// The two lines that stand before everything else, in every format.
    notice: [String; 2],
    title: String,
    scope: Vec<String>,
    limitations: BTreeMap<Code, u64>,
    headline: PublishedLine,
    sections: Vec<PublishedSection>,
    low_signal_groups: Vec<PublishedGroup>,
    digests: Digests,
    versions: Made,
    words: u64,
}

/// Whether the evidence is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Status {
    state: State,
    /// Why it is incomplete.
    codes: Vec<Code>,
    live: bool,
    last_event: Option<Ordinal>,
    attempts_reset: bool,
}

/// The artifacts that a recap is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Digests {
    /// The manifest's file.
    pub manifest_sha256: Digest,
    /// The sealed accounting's file.
    pub accounting_sha256: Digest,
    /// The expanded synthesis.
    pub synthesis_sha256: Digest,
    /// The evidence file beside the recap.
    pub evidence_sha256: Digest,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedSection {
    heading: String,
    lines: Vec<PublishedLine>,
    absent: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PublishedLine {
    section: String,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    lead: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    title: Option<String>,
    facts: Vec<String>,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    caveat: Option<String>,
    source_label: SourceLabel,
    accounting_claim_ids: Vec<String>,
    more_claims: u64,
    ordinal_ranges: Vec<[Ordinal; 2]>,
    more_events: u64,
    #[serde(flatten)]
    detail: Detail,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedGroup {
    group_id: String,
    label: String,
    events: u64,
    ordinal_ranges: Vec<[Ordinal; 2]>,
    more_events: u64,
}

impl Recap {
    /// The document in RFC 8785 bytes. The same recap gives the same bytes.
    ///
    /// # Errors
    /// As [`canonical::to_bytes`].
    pub fn json(&self, synthesis_sha256: Digest) -> Result<Vec<u8>> {
        let evidence_sha256 = canonical::digest_of(self.evidence())?;
        canonical::to_bytes(&Published::of(self, synthesis_sha256, evidence_sha256))
    }
}

impl Published {
    fn of(recap: &Recap, synthesis_sha256: Digest, evidence_sha256: Digest) -> Self {
        let Recap { told, bound, .. } = recap;
        Self {
            schema_version: RECAP_SCHEMA.to_owned(),
            boundary: bound.boundary,
            status: Status::of(&told.notice),
            notice: [text(&told.notice.spans()), CAUTION.to_owned()],
            title: text(&told.title),
            scope: told.scope.iter().map(|line| text(line)).collect(),
            limitations: bound.limitations.clone(),
            headline: PublishedLine::of(&told.headline),
            sections: told.sections.iter().map(PublishedSection::of).collect(),
            low_signal_groups: told.groups.iter().map(PublishedGroup::of).collect(),
            digests: Digests {
                manifest_sha256: bound.manifest_sha256,
                accounting_sha256: bound.accounting_sha256,
                synthesis_sha256,
                evidence_sha256,
            },
            versions: bound.versions.clone(),
            words: recap.word_count() as u64,
        }
    }

    /// Reads a document of the right shape (schema `recap`); `None` for any other.
    pub fn read(document: &Value) -> Option<Self> {
        let read = Self::deserialize(document).ok()?;
        (read.schema_version == RECAP_SCHEMA && read.told().is_some()).then_some(read)
    }

    /// The artifacts that it says it is bound to.
    pub const fn digests(&self) -> &Digests {
        &self.digests
    }

    /// The session that it says it tells.
    pub const fn boundary(&self) -> BoundaryId {
        self.boundary
    }

    /// The number of words that it states.
    pub const fn stated_words(&self) -> u64 {
        self.words
    }

    /// The words of the page that it tells, counted again.
    pub fn word_count(&self) -> usize {
        words(&self.visible_text())
    }

    /// What a reader of any format sees, put together again.
    pub fn visible_text(&self) -> String {
        self.told().map_or_else(String::new, |told| visible_text(&told.page()))
    }

    /// Members that say something else than the rest of the document: `status/state` and `notice` must follow
    /// from the codes, `words` from the text. Empty for every document that `render` wrote.
    pub fn contradictions(&self) -> Vec<&'static str> {
        let notice = self.status.notice();
        [
            ("/status/state", self.status.state == notice.state()),
            ("/notice", self.notice == [text(&notice.spans()), CAUTION.to_owned()]),
            ("/words", self.words == self.word_count() as u64),
        ]
        .into_iter()
        .filter_map(|(member, agrees)| (!agrees).then_some(member))
        .collect()
    }

    fn told(&self) -> Option<Told> {
        Some(Told {
            notice: self.status.notice(),
            title: vec![piece(&self.title)],
            scope: self.scope.iter().map(|line| vec![piece(line)]).collect(),
            headline: self.headline.line()?,
            sections: self.sections.iter().map(PublishedSection::section).collect::<Option<_>>()?,
            groups: self.low_signal_groups.iter().map(PublishedGroup::group).collect(),
        })
    }
}

impl Status {
    fn of(notice: &Notice) -> Self {
        Self {
            state: notice.state(),
            codes: notice.incomplete.clone(),
            live: notice.live,
            last_event: notice.last_event,
            attempts_reset: notice.attempts_reset,
        }
    }

    fn notice(&self) -> Notice {
        Notice {
            incomplete: self.codes.clone(),
            live: self.live,
            last_event: self.last_event,
            attempts_reset: self.attempts_reset,
        }
    }
}

impl PublishedSection {
    fn of(section: &Section) -> Self {
        Self {
            heading: section.heading.to_owned(),
            lines: section.lines.iter().map(PublishedLine::of).collect(),
            absent: section.absent.iter().map(|words| (*words).to_owned()).collect(),
        }
    }

    fn section(&self) -> Option<Section> {
        Some(Section {
            heading: one_of(&HEADINGS, &self.heading)?,
            lines: self.lines.iter().map(PublishedLine::line).collect::<Option<_>>()?,
            absent: self.absent.iter().map(|words| one_of(&ABSENT, words)).collect::<Option<_>>()?,
        })
    }
}

impl PublishedLine {
    fn of(line: &Line) -> Self {
        let plain = |plain: &Plain| plain.as_str().to_owned();
        Self {
            section: line.section.to_owned(),
            id: plain(&line.id),
            lead: (!line.lead.is_empty()).then(|| text(&line.lead).trim_end().to_owned()),
            title: line.title.as_ref().map(plain),
            facts: line.facts.iter().map(|fact| text(fact)).collect(),
            summary: plain(&line.summary),
            caveat: line.caveat.as_ref().map(plain),
            source_label: line.label,
            accounting_claim_ids: line.claims.first.iter().map(plain).collect(),
            more_claims: line.claims.more,
            ordinal_ranges: pairs(&line.evidence.first),
            more_events: line.evidence.more,
            detail: line.detail.clone(),
        }
    }

    fn line(&self) -> Option<Line> {
        Some(Line {
            section: one_of(&SECTIONS, &self.section)?,
            id: Plain::joined(&self.id),
            lead: self.lead.as_deref().map_or_else(Vec::new, |lead| vec![piece(lead), Span::Own(" ")]),
            title: self.title.as_deref().map(Plain::joined),
            facts: self.facts.iter().map(|fact| vec![piece(fact)]).collect(),
            summary: Plain::joined(&self.summary),
            caveat: self.caveat.as_deref().map(Plain::joined),
            label: self.source_label,
            claims: Shown {
                first: self.accounting_claim_ids.iter().map(|id| Plain::joined(id)).collect(),
                more: self.more_claims,
            },
            evidence: Shown { first: runs(&self.ordinal_ranges), more: self.more_events },
            bar: None,
            detail: self.detail.clone(),
        })
    }
}

impl PublishedGroup {
    fn of(group: &SetAside) -> Self {
        Self {
            group_id: group.id.as_str().to_owned(),
            label: group.label.as_str().to_owned(),
            events: group.events,
            ordinal_ranges: pairs(&group.ranges.first),
            more_events: group.more_events,
        }
    }

    fn group(&self) -> SetAside {
        SetAside {
            id: Plain::joined(&self.group_id),
            label: Plain::joined(&self.label),
            events: self.events,
            // How many ranges are left out is not shown, only how many events.
            ranges: Shown { first: runs(&self.ordinal_ranges), more: 0 },
            more_events: self.more_events,
        }
    }
}

fn text(spans: &[Span]) -> String {
    spans.iter().map(Span::as_str).collect()
}

fn piece(text: &str) -> Span {
    Span::Text(Plain::joined(text))
}

fn one_of(ours: &[&'static str], found: &str) -> Option<&'static str> {
    ours.iter().copied().find(|own| *own == found)
}

fn pairs(runs: &[Run]) -> Vec<[Ordinal; 2]> {
    runs.iter().map(|run| [run.first, run.last]).collect()
}

fn runs(pairs: &[[Ordinal; 2]]) -> Vec<Run> {
    pairs.iter().map(|[first, last]| Run { first: *first, last: *last }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Published;
    use crate::base::digest::Digest;
    use crate::base::json::canonical;
    use crate::base::schemas;
    use crate::base::violations::Violations;
    use crate::report::compose::compose;
    use crate::report::fixture::{Session12, session};
    use crate::report::nasty::{NASTY, recap_of};

    fn document(session: &Session12) -> Value {
        let bytes = compose(&session.synthesis, &session.scope()).json(Digest::of(b"synthesis")).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    #[test]
    fn the_document_fits_its_schema_and_tells_the_page() {
        let mut session = session();
        session.synthesis.headline.summary.push_str("\u{1b}[1m  two\nlines ");
        session.synthesis.changes[0].section.paths.push(String::new());
        let recap = compose(&session.synthesis, &session.scope());
        let document = document(&session);
        let mut violations = Violations::default();
        assert!(schemas::check("recap", &document, &mut violations), "{:?}", violations.sorted());
        let read = Published::read(&document).unwrap();
        assert_eq!(read.visible_text(), recap.visible_text());
        assert_eq!(read.word_count(), recap.word_count());
        assert_eq!(read.contradictions(), Vec::<&str>::new());
        assert_eq!(read.digests().evidence_sha256, canonical::digest_of(recap.evidence()).unwrap());
        assert_eq!(serde_json::to_value(&read).unwrap(), document);
    }

    #[test]
    fn whatever_the_texts_the_page_can_be_put_together_again() {
        for fragment in NASTY {
            let recap = recap_of(&[(*fragment).to_owned(), fragment.repeat(3)]);
            let document = serde_json::from_slice(&recap.json(Digest::of(b"synthesis")).unwrap()).unwrap();
            let read = Published::read(&document).unwrap();
            assert_eq!(read.visible_text(), recap.visible_text(), "{fragment:?}");
            assert_eq!(read.contradictions(), Vec::<&str>::new(), "{fragment:?}");
        }
    }

    #[test]
    fn a_line_tells_its_members_beside_its_words() {
        let document = document(&session());
        let change = &document["sections"][2]["lines"][0];
        assert_eq!(change["paths"], json!(["src/parser.rs", "my notes.md"]));
        assert_eq!(change["facts"], json!(["src/parser.rs, my notes.md", "commits 1a2b3c4"]));
        let run = &document["sections"][3]["lines"][0];
        assert_eq!((&run["outcome"], &run["basis"]), (&json!("passed"), &json!("reported_by_output")));
        assert_eq!(document["sections"][1]["lines"][1]["lead"], "23:58");
        assert_eq!(document["sections"][5]["lines"][0]["caveat"], "Nobody looked.");
    }

    #[test]
    fn a_document_that_hides_its_state_contradicts_itself() {
        let mut session = session();
        session.manifest.coverage.records.insert("malformed".to_owned(), 1);
        let whole = document(&session);
        assert_eq!(whole["notice"][0], "INCOMPLETE: malformed-records");
        assert_eq!(whole["status"]["state"], "incomplete");
        for (member, value, told) in [
            ("/status/state", json!("complete"), vec!["/status/state"]),
            ("/notice/0", json!("COMPLETE transcript up to event 11"), vec!["/notice"]),
            ("/notice/1", json!("Do as you are told."), vec!["/notice"]),
            ("/status/codes", json!([]), vec!["/status/state", "/notice", "/words"]),
            ("/words", json!(1), vec!["/words"]),
            ("/headline/summary", json!("word ".repeat(2_500)), vec!["/words"]),
        ] {
            let mut changed = whole.clone();
            *changed.pointer_mut(member).unwrap() = value;
            assert_eq!(Published::read(&changed).unwrap().contradictions(), told, "{member}");
        }
    }

    #[test]
    fn words_that_are_not_ours_are_no_document() {
        let whole = document(&session());
        for (member, value) in [
            ("/sections/0/heading", json!("Goals")),
            ("/sections/4/absent/0", json!("None.")),
            ("/headline/section", json!("heading")),
            ("/schema_version", json!("recap.recap.v2")),
        ] {
            let mut changed = whole.clone();
            *changed.pointer_mut(member).unwrap() = value;
            assert!(Published::read(&changed).is_none(), "{member}");
        }
    }
}

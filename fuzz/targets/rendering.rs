//! The renderer: whatever the texts of a synthesis are, a Markdown parser with every extension on finds the blocks that
//! it finds with harmless words, and in them nothing but text, code, our own emphasis and our own line break.

use comrak::nodes::{ListType, Node, NodeValue};
use comrak::{Arena, Options, parse_document};
use recap::meaning::synthesis::document::{
    Change, Coverage, GitEvidence, Item, NarrativeRole, Plain, SYNTHESIS_SCHEMA, SourceLabel, StatedOutcome,
    Story, Synthesis, Timeline, Verification,
};
use recap::report::Recap;

use super::dialect::{dialects, link_like};
use super::ground::Session;

/// What parts the texts in the bytes of this target.
const BORDER: u8 = 0x1e;

/// Texts, parted by the byte 0x1e, in every place that a draft fills.
pub fn render(data: &[u8]) {
    let texts = texts_of(data);
    let recap = recap_of(&texts);
    let harmless = recap_of(&["words".to_owned()]);
    assert_eq!(recap.markdown(), recap_of(&texts).markdown(), "the same inputs give the same bytes");
    let visible: Vec<String> = recap.visible_text().lines().map(|line| line.trim().to_owned()).collect();
    for options in dialects() {
        let seen = Seen::of(&recap.markdown(), &options);
        assert_eq!(seen.kinds, Seen::of(&harmless.markdown(), &options).kinds, "{}", recap.markdown());
        let lines: Vec<String> =
            seen.texts.iter().flat_map(|text| text.lines()).map(|line| line.trim().to_owned()).collect();
        assert_eq!(lines, visible, "{}", recap.markdown());
        let link_like = seen.outside_code.iter().find_map(|text| link_like(text));
        assert_eq!(link_like, None, "{}", recap.markdown());
    }
}

/// The texts in the bytes of a target.
pub fn texts_of(data: &[u8]) -> Vec<String> {
    data.split(|byte| *byte == BORDER).map(|text| String::from_utf8_lossy(text).into_owned()).collect()
}

/// The golden session, told by the same few items with these texts in turn.
pub fn recap_of(texts: &[String]) -> Recap {
    let mut texts = texts.iter().cycle();
    let mut next = || texts.next().cloned().unwrap_or_default();
    let bound = &Session::golden().bound;
    let mut headline = item(&mut next, Plain {});
    headline.title = None;
    let story = Story { narrative_role: NarrativeRole::Outcome };
    let change = Change { paths: vec![next(), next()], commits: vec![next()] };
    let run = Verification {
        outcome: StatedOutcome::Unknown,
        basis: None,
        command_event_id: None,
        result_event_id: None,
        further_runs: Vec::new(),
    };
    let mut end = item(&mut next, Plain {});
    end.git_evidence = vec![GitEvidence { repository: next(), kind: next(), value: next() }];
    let synthesis = Synthesis {
        schema_version: SYNTHESIS_SCHEMA.to_owned(),
        manifest_sha256: bound.ledger.sha256(),
        accounting_sha256: bound.accounting_sha256,
        headline,
        story: vec![item(&mut next, story), item(&mut next, story)],
        timeline: vec![item(&mut next, Timeline { first_ordinal: 0, last_ordinal: 27 })],
        changes: vec![item(&mut next, change)],
        verification: vec![item(&mut next, run)],
        failures_recoveries: vec![item(&mut next, Plain {})],
        final_state: vec![end],
        open_work: vec![item(&mut next, Plain {})],
        coverage: Coverage { low_signal_group_ids: Vec::new() },
    };
    bound.recap(&synthesis, false, false)
}

fn item<S>(next: &mut impl FnMut() -> String, section: S) -> Item<S> {
    Item {
        id: "id".to_owned(),
        title: Some(next()),
        summary: next(),
        source_label: SourceLabel::Inference,
        accounting_claim_ids: vec![next(), next()],
        evidence_ids: Vec::new(),
        caveat: Some(next()),
        git_evidence: Vec::new(),
        section,
    }
}

/// What a parser finds.
#[derive(Default)]
struct Seen {
    kinds: Vec<String>,
    texts: Vec<String>,
    outside_code: Vec<String>,
}

impl Seen {
    fn of(markdown: &str, options: &Options<'_>) -> Self {
        let arena = Arena::new();
        let mut seen = Self::default();
        for block in parse_document(&arena, markdown, options).children() {
            match &block.data().value {
                NodeValue::Paragraph => seen.block("paragraph".to_owned(), block),
                NodeValue::Heading(heading) => seen.block(format!("heading {}", heading.level), block),
                NodeValue::List(list) if list.list_type == ListType::Bullet && list.tight => {
                    for entry in block.children() {
                        assert!(matches!(entry.data().value, NodeValue::Item(_)), "{:?}", entry.data().value);
                        let mut inside = entry.children();
                        let paragraph = inside.next().unwrap();
                        assert!(inside.next().is_none(), "an entry of several blocks");
                        assert!(matches!(paragraph.data().value, NodeValue::Paragraph));
                        seen.block("entry".to_owned(), paragraph);
                    }
                }
                other => panic!("unexpected block {other:?}\n{markdown}"),
            }
        }
        seen
    }

    fn block(&mut self, kind: String, block: Node<'_>) {
        let mut text = String::new();
        self.outside_code.push(String::new());
        self.inlines(block, &mut text, false);
        self.kinds.push(kind);
        self.texts.push(text);
    }

    fn inlines(&mut self, parent: Node<'_>, text: &mut String, in_strong: bool) {
        for inline in parent.children() {
            match &inline.data().value {
                NodeValue::Text(piece) => {
                    text.push_str(piece);
                    self.outside_code.last_mut().unwrap().push_str(piece);
                }
                NodeValue::Code(code) => {
                    text.push_str(&code.literal);
                    self.outside_code.push(String::new());
                }
                NodeValue::LineBreak => text.push('\n'),
                NodeValue::Strong if !in_strong => {
                    self.outside_code.push(String::new());
                    self.inlines(inline, text, true);
                    self.outside_code.push(String::new());
                }
                other => panic!("unexpected inline {other:?}"),
            }
        }
    }
}

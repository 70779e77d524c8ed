//! No draft can smuggle markup: whatever the texts are, a parser with every extension on finds exactly the
//! blocks that the page has, and their text is the page's text. No text outside of code could become a mention,
//! a link or an emoji in a later pass over the parsed document.

use comrak::nodes::{ListType, Node, NodeValue};
use comrak::{Arena, parse_document};
use proptest::prelude::{ProptestConfig, prop, prop_assert_eq, proptest};

use super::dialect::{dialects, link_like};
use super::nasty::{NASTY, nasty, recap_of};
use super::page::Block;
use super::plain::Span;
use super::recap::Recap;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_dialect_sees_the_page(texts in prop::collection::vec(nasty(), 12)) {
        let recap = recap_of(&texts);
        let document = recap.markdown();
        prop_assert_eq!(steering(&document), None, "\n{}", document);
        for options in dialects() {
            let arena = Arena::new();
            let seen = Seen::of(parse_document(&arena, &document, &options));
            prop_assert_eq!(&seen.blocks, &expected(&recap), "\n{}", document);
            for text in &seen.outside_code {
                prop_assert_eq!(link_like(text), None, "in {:?}\n{}", text, document);
            }
        }
    }
}

#[test]
fn each_fragment_alone_is_harmless_everywhere() {
    for fragment in NASTY {
        let recap = recap_of(&[(*fragment).to_owned()]);
        let document = recap.markdown();
        for options in dialects() {
            let arena = Arena::new();
            let seen = Seen::of(parse_document(&arena, &document, &options));
            assert_eq!(seen.blocks, expected(&recap), "{fragment:?}\n{document}");
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Paragraph,
    Heading(u8),
    Entry,
}

/// Kind, whole text and strong text of each block.
type Blocks = Vec<(Kind, String, String)>;

/// A code span or an empty text cannot be seen to be empty, and the ends of a block have no spaces.
fn expected(recap: &Recap) -> Blocks {
    let text = |spans: &[Span]| spans.iter().map(Span::as_str).collect::<String>().trim().to_owned();
    let strong = |spans: &[Span]| -> String {
        spans.iter().filter(|span| matches!(span, Span::Strong(_))).map(Span::as_str).collect()
    };
    recap
        .page()
        .iter()
        .map(|block| match block {
            Block::Notice([first, second]) => {
                (Kind::Paragraph, format!("{}\n{}", text(first), text(second)), String::new())
            }
            Block::Title(spans) => (Kind::Heading(1), text(spans), strong(spans)),
            Block::Heading(heading) => (Kind::Heading(2), (*heading).to_owned(), String::new()),
            Block::Part(spans) => (Kind::Heading(3), text(spans), strong(spans)),
            Block::Paragraph(spans) => (Kind::Paragraph, text(spans), strong(spans)),
            Block::Entry(spans) | Block::Moment(spans, _) => (Kind::Entry, text(spans), strong(spans)),
        })
        .collect()
}

/// What a parser finds; any node that the page cannot have is a panic.
#[derive(Default)]
struct Seen {
    blocks: Blocks,
    outside_code: Vec<String>,
}

impl Seen {
    fn of(root: Node<'_>) -> Self {
        let mut seen = Self::default();
        for block in root.children() {
            match &block.data().value {
                NodeValue::Paragraph => seen.block(Kind::Paragraph, block),
                NodeValue::Heading(heading) => seen.block(Kind::Heading(heading.level), block),
                NodeValue::List(list) if list.list_type == ListType::Bullet && list.tight => {
                    for entry in block.children() {
                        assert!(matches!(entry.data().value, NodeValue::Item(_)), "{:?}", entry.data().value);
                        let inside: Vec<_> = entry.children().collect();
                        assert_eq!(inside.len(), 1);
                        assert!(matches!(inside[0].data().value, NodeValue::Paragraph));
                        seen.block(Kind::Entry, inside[0]);
                    }
                }
                other => panic!("unexpected block {other:?}"),
            }
        }
        seen
    }

    fn block(&mut self, kind: Kind, block: Node<'_>) {
        let (mut text, mut strong) = (String::new(), String::new());
        self.outside_code.push(String::new());
        self.inlines(block, &mut text, &mut strong, false);
        self.blocks.push((kind, text.trim().to_owned(), strong));
    }

    fn inlines(&mut self, parent: Node<'_>, text: &mut String, strong: &mut String, in_strong: bool) {
        for inline in parent.children() {
            let mut add = |piece: &str| {
                text.push_str(piece);
                if in_strong {
                    strong.push_str(piece);
                }
            };
            match &inline.data().value {
                NodeValue::Text(piece) => {
                    add(piece);
                    self.outside_code.last_mut().unwrap().push_str(piece);
                }
                NodeValue::Code(code) => {
                    add(&code.literal);
                    self.outside_code.push(String::new());
                }
                NodeValue::LineBreak => add("\n"),
                NodeValue::Strong if !in_strong => {
                    self.outside_code.push(String::new());
                    self.inlines(inline, text, strong, true);
                    self.outside_code.push(String::new());
                }
                other => panic!("unexpected inline {other:?}"),
            }
        }
    }
}

/// A character that could steer a terminal or reorder a line.
fn steering(text: &str) -> Option<char> {
    let steers = |letter: char| {
        letter.is_control() && letter != '\n'
            || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().find(|letter| steers(*letter))
}

//! No draft can smuggle markup: whatever the texts are, a parser with every extension on finds exactly the
//! blocks that the page has, and their text is the page's text. No text outside of code could become a mention,
//! a link or an emoji in a later pass over the parsed document.

use std::sync::LazyLock;

use comrak::nodes::{ListType, Node, NodeValue};
use comrak::{Arena, Options, parse_document};
use proptest::prelude::{ProptestConfig, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use regex::Regex;

use super::compose::compose;
use super::fixture::session;
use super::page::Block;
use super::plain::Span;
use super::recap::Recap;
use crate::meaning::synthesis::document::{GitEvidence, Item, Synthesis};

/// Fragments that mean something in some dialect.
const NASTY: &[&str] = &[
    "#",
    "# ",
    "## x",
    "-",
    "- ",
    "- [ ] x",
    "[ ] ",
    "[x] ",
    "+ ",
    "* ",
    "1.",
    "1. ",
    "1) ",
    "> ",
    ">>> ",
    "| a | b |",
    "|---|",
    "||",
    "\t",
    "    ",
    "\n",
    "\n\n",
    "\r\n",
    "\u{85}",
    "\u{2028}",
    "`",
    "``",
    "```",
    "~~",
    "~",
    "$",
    "$$",
    "$`",
    "`$",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "\\",
    "\\\\",
    "[^1]",
    "[^1]: x",
    "^[x]",
    "[x](y)",
    "[x]: y",
    "![x](y)",
    "[[x|y]]",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "<a@b.cc>",
    "<https://a.bc>",
    "&amp;",
    "&#64;",
    "&lt",
    "&",
    ":x:",
    ":+1:",
    ":smile:",
    "::",
    ":::",
    ":",
    "==",
    "===",
    "---",
    "--",
    "...",
    "***",
    "**",
    "*",
    "__",
    "_",
    "^",
    "++",
    "%%",
    "%% x %%",
    "-# ",
    "{",
    "}",
    "{{",
    "}}",
    "{{ x }}",
    "{=html}",
    "{#id}",
    "@",
    "@octocat",
    "@org/team",
    "#123",
    "GH-7",
    "gh-7",
    "a/b#1",
    "a.b@c.de",
    "mailto:a@b.cc",
    "xmpp:a@b.cc",
    "http://",
    "https://a.bc/d?e=f#g",
    "ftp://a.bc",
    "www.",
    "www.a.bc",
    "WWW.a.bc",
    "://",
    "1a2b3c4",
    "a.bc",
    " ",
    "  ",
    "  \n",
    "trailing\\",
    "\"",
    "'",
    "é",
    "修正",
    "、",
    "“",
    "👩\u{200d}🔧",
    "😀",
    "\u{200b}",
    "\u{202e}",
    "\u{1b}[0m",
    "\u{a0}",
    "\u{ad}",
    "\0",
    "1.5",
    "v1.0",
    "a",
    "b c",
    "x_y_z",
    "!",
    "![",
    "~x~",
    "(c)",
    "<",
    ">",
    "=",
    "?",
    ";",
    "/",
    "//",
    ",",
];

fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(NASTY).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[ -~]{0,6}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_dialect_sees_the_page(texts in prop::collection::vec(nasty(), 12)) {
        let recap = recap_of(&texts);
        let document = recap.markdown();
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

/// The small session with the texts in every place that a draft or a manifest fills.
fn recap_of(texts: &[String]) -> Recap {
    let mut session = session();
    let mut texts = texts.iter().cycle();
    let mut next = || texts.next().unwrap().clone();
    let synthesis = &mut session.synthesis;
    fill(&mut synthesis.headline, &mut next);
    let Synthesis { story, timeline, changes, verification, final_state, .. } = synthesis;
    story.iter_mut().for_each(|item| fill(item, &mut next));
    timeline.iter_mut().for_each(|item| fill(item, &mut next));
    changes.iter_mut().for_each(|item| {
        fill(item, &mut next);
        item.section.paths = vec![next(), next()];
        item.section.commits = vec![next()];
    });
    verification.iter_mut().for_each(|item| fill(item, &mut next));
    final_state.iter_mut().for_each(|item| {
        fill(item, &mut next);
        item.git_evidence = vec![GitEvidence { repository: next(), kind: next(), value: next() }];
    });
    session.synthesis.headline.title = None;
    let manifest = &mut session.manifest;
    manifest.boundary.session = next();
    manifest.session.first_timestamp = Some(next());
    manifest.coverage.records.insert(next(), 1);
    manifest.git.verified_now[0].branch = Some(next());
    compose(&session.synthesis, &session.scope())
}

fn fill<S>(item: &mut Item<S>, next: &mut impl FnMut() -> String) {
    item.title = Some(next());
    item.summary = next();
    item.caveat = Some(next());
    item.accounting_claim_ids = vec![next(), next()];
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
            Block::Entry(spans) => (Kind::Entry, text(spans), strong(spans)),
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

/// What later passes over the parsed document look for.
fn link_like(text: &str) -> Option<&str> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)[@#]|://|www\.|:[a-z0-9_+-]+:|\bgh-\d|\b[0-9a-f]{7,40}\b").unwrap()
    });
    PATTERN.find(text).map(|found| found.as_str())
}

/// Plain CommonMark, what GitHub has, and everything that can be on at once.
fn dialects() -> [Options<'static>; 4] {
    let plain = Options::default();
    let mut github = Options::default();
    let extension = &mut github.extension;
    extension.strikethrough = true;
    extension.table = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    let mut all = github.clone();
    let extension = &mut all.extension;
    extension.superscript = true;
    extension.inline_footnotes = true;
    extension.description_lists = true;
    extension.front_matter_delimiter = Some("---".to_owned());
    extension.multiline_block_quotes = true;
    extension.math_latex = true;
    extension.wikilinks_title_after_pipe = true;
    extension.underline = true;
    extension.spoiler = true;
    extension.ofm_comments = true;
    extension.cjk_friendly_emphasis = true;
    extension.subtext = true;
    extension.highlight = true;
    extension.insert = true;
    extension.block_directive = true;
    all.parse.smart = true;
    all.parse.relaxed_tasklist_matching = true;
    all.parse.relaxed_autolinks = true;
    all.parse.tasklist_in_table = true;
    let mut other = all.clone();
    other.extension.subscript = true;
    other.extension.greentext = true;
    other.extension.ofm_callouts = true;
    other.extension.wikilinks_title_after_pipe = false;
    other.extension.wikilinks_title_before_pipe = true;
    other.parse.ignore_setext = true;
    [plain, github, all, other]
}

//! What a browser makes of the HTML: exactly the elements that the page has, with attributes of ours alone, and every
//! text of a draft as text. The parser is a browser's, and it finds no error.

use data_encoding::BASE64;
use proptest::prelude::{ProptestConfig, prop, prop_assert_eq, proptest};
use scraper::{ElementRef, Html, Node};
use sha2::{Digest as _, Sha256};

use super::compose::compose;
use super::fixture::session;
use super::nasty::{NASTY, nasty, recap_of};
use super::page::Block;
use super::plain::Span;
use super::recap::{Recap, State};
use super::words::words;
use crate::base::rules::Code;

/// Elements that a line may hold.
const INLINE: [&str; 3] = ["strong", "code", "bdi"];

/// Element, whole text, strong text, text in code.
type Blocks = Vec<(String, [String; 3])>;

fn expected(recap: &Recap) -> Blocks {
    let text = |spans: &[Span]| {
        let of = |wanted: &dyn Fn(&Span) -> bool| -> String {
            spans.iter().filter(|span| wanted(span)).map(Span::as_str).collect()
        };
        [
            of(&|_| true),
            of(&|span| matches!(span, Span::Strong(_))),
            of(&|span| matches!(span, Span::Code(_))),
        ]
    };
    let mut blocks = Vec::new();
    for block in recap.page() {
        let (name, spans) = match block {
            Block::Notice([first, second]) => {
                let [first, _, code] = text(&first);
                blocks.push(("p".to_owned(), [first.clone(), first, code]));
                ("p", second)
            }
            Block::Title(spans) => ("h1", spans),
            Block::Heading(heading) => ("h2", vec![Span::Own(heading)]),
            Block::Part(spans) => ("h3", spans),
            Block::Paragraph(spans) => ("p", spans),
            Block::Entry(spans) | Block::Moment(spans, _) => ("li", spans),
        };
        blocks.push((name.to_owned(), text(&spans)));
    }
    blocks
}

/// The blocks that a browser finds; whatever the page cannot have is a panic.
fn seen(document: &Html) -> Blocks {
    assert!(document.errors.is_empty(), "{:?}", document.errors);
    let mut blocks = Vec::new();
    for node in document.tree.nodes() {
        match node.value() {
            Node::Document | Node::Doctype(_) => {}
            Node::Element(_) => {
                let element = ElementRef::wrap(node).unwrap();
                check_element(&element);
                if matches!(element.value().name(), "p" | "h1" | "h2" | "h3" | "li") {
                    blocks.push((element.value().name().to_owned(), texts(&element)));
                }
            }
            Node::Text(text) => {
                let parent = node.parent().and_then(ElementRef::wrap).unwrap();
                let container = !matches!(
                    parent.value().name(),
                    "p" | "h1" | "h2" | "h3" | "li" | "strong" | "code" | "bdi" | "title" | "style"
                );
                assert!(!container || text.trim().is_empty(), "{text:?} in {}", parent.value().name());
            }
            other => panic!("unexpected {other:?}"),
        }
    }
    blocks
}

fn texts(element: &ElementRef<'_>) -> [String; 3] {
    let mut found: [String; 3] = Default::default();
    for node in element.descendants() {
        let Some(text) = node.value().as_text() else { continue };
        let within = |name: &str| {
            node.ancestors()
                .take_while(|above| above.id() != element.id())
                .filter_map(ElementRef::wrap)
                .any(|above| above.value().name() == name)
        };
        found[0].push_str(text);
        if within("strong") {
            found[1].push_str(text);
        }
        if within("code") {
            found[2].push_str(text);
        }
    }
    found
}

/// Name, place and attributes of an element are ones that the writer has.
fn check_element(element: &ElementRef<'_>) {
    let (name, attributes) = (element.value().name(), element.value().attrs());
    let above = element.parent().and_then(ElementRef::wrap).map_or("", |parent| parent.value().name());
    let places: &[&str] = match name {
        "html" => &[""],
        "head" | "body" => &["html"],
        "meta" | "title" | "style" => &["head"],
        "header" | "main" => &["body"],
        "h1" | "section" => &["main"],
        "h2" | "h3" | "ul" | "ol" => &["section"],
        "p" => &["header", "section"],
        "li" => &["ul", "ol"],
        "svg" => &["li"],
        "rect" => &["svg"],
        "strong" | "code" | "bdi" => &["p", "h1", "h3", "li", "strong", "code"],
        other => panic!("unexpected <{other}>"),
    };
    assert!(places.contains(&above), "<{name}> in <{above}>");
    for (attribute, value) in attributes {
        let ours = match (name, attribute) {
            ("html", "lang") => value == "en",
            ("meta", "charset") => value == "utf-8",
            ("meta", "http-equiv" | "name" | "content") => true,
            ("header", "class") => ["complete", "snapshot", "incomplete"].contains(&value),
            ("ol", "class") => value == "timeline",
            ("svg", "viewBox" | "preserveAspectRatio" | "aria-hidden") => true,
            ("rect", "class") => ["whole", "part"].contains(&value),
            ("rect", "x" | "y" | "width" | "height") => value.bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        };
        assert!(ours, "<{name} {attribute}={value:?}>");
    }
    assert!(!INLINE.contains(&name) || element.value().attrs().count() == 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_browser_sees_the_page(texts in prop::collection::vec(nasty(), 12)) {
        let recap = recap_of(&texts);
        let document = Html::parse_document(&recap.html());
        prop_assert_eq!(seen(&document), expected(&recap));
    }
}

#[test]
fn each_fragment_alone_is_text() {
    for fragment in NASTY {
        let recap = recap_of(&[(*fragment).to_owned()]);
        assert_eq!(seen(&Html::parse_document(&recap.html())), expected(&recap), "{fragment:?}");
    }
}

#[test]
fn what_a_browser_shows_has_the_words_of_every_format() {
    for fragment in NASTY {
        let recap = recap_of(&[fragment.repeat(9)]);
        let shown: Vec<String> = seen(&Html::parse_document(&recap.html()))
            .into_iter()
            .map(|(_, [text, ..])| text + "\n")
            .collect();
        assert_eq!(words(&shown.concat()), recap.word_count(), "{fragment:?}");
    }
}

#[test]
fn the_policy_allows_the_one_style_and_nothing_else() {
    let html = compose(&session().synthesis, &session().scope()).html();
    let (_, style) = html.split_once("<style>").unwrap();
    let (style, _) = style.split_once("</style>").unwrap();
    let sha256 = BASE64.encode(&Sha256::digest(style));
    assert!(html.contains(&format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{sha256}'; \
         base-uri 'none'; form-action 'none'\">"
    )));
    assert!(html.find("Content-Security-Policy") < html.find("<style>"));
    for loads in ["url(", "@import", "src=", "href=", "<script", "http:", "https:", "style="] {
        assert!(!html.contains(loads), "{loads}");
    }
    assert!(style.contains("@media print") && html.contains("width=device-width"));
}

#[test]
fn the_first_thing_in_the_body_says_what_is_missing() {
    for (state, told, title) in [
        (State::Complete, "COMPLETE transcript up to event 11", "Recap of"),
        (State::Snapshot, "SNAPSHOT of a live session up to event 11", "SNAPSHOT: Recap of"),
        (State::Incomplete, "INCOMPLETE: side-file-missing", "INCOMPLETE: Recap of"),
    ] {
        let mut session = session();
        session.manifest.source.live = state != State::Complete;
        if state == State::Incomplete {
            session.manifest.limitations.insert(Code::SideFileMissing, 1);
        }
        let html = compose(&session.synthesis, &session.scope()).html();
        let (head, body) = html.split_once("<body>\n<header class=\"").unwrap();
        let (_, first) = body.split_once("\">\n<p><strong>").unwrap();
        assert!(first.starts_with(told), "{first}");
        assert!(head.contains(&format!("<title>{title}")));
    }
}

#[test]
fn the_timeline_is_drawn_one_bar_an_entry() {
    let html = compose(&session().synthesis, &session().scope()).html();
    let bars: Vec<&str> =
        html.split("class=\"part\" x=\"").skip(1).filter_map(|rest| rest.split('/').next()).collect();
    assert_eq!(bars.len(), session().synthesis.timeline.len());
    assert_eq!(bars[0], "0\" y=\"0\" width=\"6\" height=\"10\"");
}

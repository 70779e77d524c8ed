//! The recap as HTML: one file that needs no other, runs nothing and may load nothing. Its policy allows one style by
//! digest and forbids the rest, so that even markup that got in would be inert; nothing gets in, because every text
//! goes through [`Escaped`]. The bars of the timeline are drawn without words: the words are those of every format.

use std::sync::LazyLock;

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

use super::escape::{Escaped, Html};
use super::page::Block;
use super::plain::Span;
use super::recap::{Bar, Recap, State};

const STYLE: &str = include_str!("recap.css");

static STYLE_SHA256: LazyLock<String> = LazyLock::new(|| BASE64.encode(&Sha256::digest(STYLE)));

impl Recap {
    /// The document in HTML. The same recap gives the same bytes.
    pub fn html(&self) -> String {
        let mut out = Document { text: Escaped::own(""), list: None, in_section: false };
        out.head(self);
        for block in &self.page() {
            out.block(block, self.told.notice.state());
        }
        out.close();
        out.text.as_str().to_owned()
    }
}

/// A list that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Plain,
    Timeline,
}

struct Document {
    text: Escaped<Html>,
    list: Option<List>,
    in_section: bool,
}

impl Document {
    fn own(&mut self, markup: &'static str) {
        self.text.append(&Escaped::own(markup));
    }

    fn spans(&mut self, spans: &[Span]) {
        spans.iter().for_each(|span| self.text.append(&Escaped::<Html>::span(span)));
    }

    fn line(&mut self, before: &'static str, spans: &[Span], behind: &'static str) {
        self.own(before);
        self.spans(spans);
        self.own(behind);
    }

    fn head(&mut self, recap: &Recap) {
        self.own("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        self.own(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-",
        );
        self.text.append(&Escaped::attribute(&STYLE_SHA256));
        self.own("'; base-uri 'none'; form-action 'none'\">\n");
        self.own("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        self.own("<meta name=\"referrer\" content=\"no-referrer\">\n");
        // Some phones make links of what looks like a number, a date or an address.
        self.own("<meta name=\"format-detection\" content=\"telephone=no, date=no, address=no, email=no, url=no\">\n");
        self.own("<title>");
        self.own(match recap.told.notice.state() {
            State::Incomplete => "INCOMPLETE: ",
            State::Snapshot => "SNAPSHOT: ",
            State::Complete => "",
        });
        // A title holds text and nothing else.
        for span in &recap.told.title {
            self.text.append(&Escaped::attribute(span.as_str()));
        }
        self.own("</title>\n<style>");
        self.own(STYLE);
        self.own("</style>\n</head>\n<body>\n");
    }

    fn block(&mut self, block: &Block, state: State) {
        let wanted = match block {
            Block::Entry(_) => Some(List::Plain),
            Block::Moment(..) => Some(List::Timeline),
            _ => None,
        };
        self.enter(wanted);
        match block {
            Block::Notice([first, second]) => {
                self.own(match state {
                    State::Incomplete => "<header class=\"incomplete\">\n",
                    State::Snapshot => "<header class=\"snapshot\">\n",
                    State::Complete => "<header class=\"complete\">\n",
                });
                self.line("<p><strong>", first, "</strong></p>\n");
                self.line("<p>", second, "</p>\n</header>\n<main>\n");
            }
            Block::Title(spans) => self.line("<h1>", spans, "</h1>\n"),
            Block::Heading(heading) => {
                self.own(if self.in_section { "</section>\n<section>\n" } else { "<section>\n" });
                self.in_section = true;
                self.line("<h2>", &[Span::Own(heading)], "</h2>\n");
            }
            Block::Part(spans) => self.line("<h3>", spans, "</h3>\n"),
            Block::Paragraph(spans) => self.line("<p>", spans, "</p>\n"),
            Block::Entry(spans) => self.line("<li>", spans, "</li>\n"),
            Block::Moment(spans, bar) => {
                self.line("<li>", spans, "");
                self.bar(*bar);
                self.own("</li>\n");
            }
        }
    }

    /// Where an entry lies in the whole.
    fn bar(&mut self, bar: Bar) {
        self.own("<svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
        self.own(
            "<rect class=\"whole\" x=\"0\" y=\"4\" width=\"1000\" height=\"2\"/><rect class=\"part\" x=\"",
        );
        self.text.append(&Escaped::number(bar.from));
        self.own("\" y=\"0\" width=\"");
        self.text.append(&Escaped::number(bar.to.saturating_sub(bar.from)));
        self.own("\" height=\"10\"/></svg>");
    }

    /// Closes the list that is open and opens the one that is wanted.
    fn enter(&mut self, wanted: Option<List>) {
        if self.list == wanted {
            return;
        }
        match self.list {
            Some(List::Plain) => self.own("</ul>\n"),
            Some(List::Timeline) => self.own("</ol>\n"),
            None => {}
        }
        match wanted {
            Some(List::Plain) => self.own("<ul>\n"),
            Some(List::Timeline) => self.own("<ol class=\"timeline\">\n"),
            None => {}
        }
        self.list = wanted;
    }

    fn close(&mut self) {
        self.enter(None);
        self.own(if self.in_section { "</section>\n" } else { "" });
        self.own("</main>\n</body>\n</html>\n");
    }
}

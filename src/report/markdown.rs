//! The recap as Markdown: a heading is `#`, an entry is `-`, and everything inside goes through [`Escaped`].

use super::escape::{Escaped, Markdown};
use super::page::Block;
use super::plain::Span;
use super::recap::Recap;

impl Recap {
    /// The document in Markdown. The same recap gives the same bytes.
    pub fn markdown(&self) -> String {
        markdown(&self.page())
    }
}

/// A page in Markdown.
pub(super) fn markdown(page: &[Block]) -> String {
    let mut out = Escaped::own("");
    let mut in_list = false;
    for (place, block) in page.iter().enumerate() {
        let is_entry = matches!(block, Block::Entry(_) | Block::Moment(..));
        if place > 0 && !(in_list && is_entry) {
            out.append(&Escaped::own("\n"));
        }
        in_list = is_entry;
        write(&mut out, block);
    }
    out.as_str().to_owned()
}

fn write(out: &mut Escaped<Markdown>, block: &Block) {
    match block {
        // Two spaces before the line feed keep the second line a line of its own in every dialect.
        Block::Notice([first, second]) => {
            write_line(out, "", first, "  \n");
            write_line(out, "", second, "\n");
        }
        Block::Title(spans) => write_line(out, "# ", spans, "\n"),
        Block::Heading(heading) => write_line(out, "## ", &[Span::Own(heading)], "\n"),
        Block::Part(spans) => write_line(out, "### ", spans, "\n"),
        Block::Paragraph(spans) => write_line(out, "", spans, "\n"),
        Block::Entry(spans) | Block::Moment(spans, _) => write_line(out, "- ", spans, "\n"),
    }
}

fn write_line(out: &mut Escaped<Markdown>, before: &'static str, spans: &[Span], behind: &'static str) {
    out.append(&Escaped::own(before));
    spans.iter().for_each(|span| out.append(&Escaped::<Markdown>::span(span)));
    out.append(&Escaped::own(behind));
}

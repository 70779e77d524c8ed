//! The dialects of Markdown that a recap must mean the same in, as options of a parser, and what in a text some later
//! pass would make a link of. Every test of a rendered page asks under these; the fuzz targets take this very file.

use std::sync::LazyLock;

use comrak::Options;
use regex::Regex;

/// What later passes over the parsed document look for.
pub fn link_like(text: &str) -> Option<&str> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)[@#]|://|www\.|:[a-z0-9_+-]+:|\bgh-\d|\b[0-9a-f]{7,40}\b|[a-z0-9]\.[a-z]{2}")
            .unwrap()
    });
    PATTERN.find(text).map(|found| found.as_str())
}

/// Plain CommonMark, what GitHub has, and everything that can be on at once.
pub fn dialects() -> [Options<'static>; 4] {
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
    extension.shortcodes = true;
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
    extension.phoenix_heex = true;
    extension.header_attributes = true;
    extension.fenced_code_attributes = true;
    extension.inline_code_attributes = true;
    extension.link_attributes = true;
    extension.header_id_prefix = Some(String::new());
    extension.wikilinks_ignore_embeds = true;
    all.parse.escaped_char_spans = false;
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

//! Hostile texts for the tests of this folder, and a recap that holds them in every place that a draft or a manifest
//! fills.

use proptest::prelude::{Strategy, any, prop, prop_oneof};

use super::compose::compose;
use super::fixture::session;
use super::recap::Recap;
use crate::meaning::synthesis::document::{GitEvidence, Item, Synthesis};

/// Fragments that mean something in some dialect.
pub(super) const NASTY: &[&str] = &[
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
    "{.x}",
    "{#id .c k=v}",
    "{% x %}",
    "<%= x %>",
    "<.link href=\"#\">",
    "[[_TOC_]]",
    "[TOC]",
    "[!NOTE]",
    "> [!NOTE]",
    "||spoiler||",
    "__under__",
    "^sup^",
    "==mark==",
    "++ins++",
    "$x$",
    "$$x$$",
    "$`x`$",
    ":::note",
    "::x[y]{z}",
    "^[x](y)",
    "<script>alert(1)</script>",
    "</style>",
    "</title>",
    "<![CDATA[x]]>",
    "<?x?>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='x",
    "<svg onload=alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<plaintext>",
    "<textarea>",
    "<table><td>",
    "<!DOCTYPE x>",
    "</main></body></html>",
    "javascript:alert(1)",
    "data:text/html,x",
    "&#x3c;script&#x3e;",
    "&NewLine;",
    "&lt;b&gt;",
    "example.com",
    "main.rs",
    "a@b.cc",
    "COMPLETE transcript up to event 9",
    "\u{200f}",
    "\u{61c}",
    "\u{202a}",
    "\u{2066}",
    "\u{9b}31m",
    "\u{1b}]8;;http://a.bc\u{7}",
    "\u{fffe}",
    "مرحبا",
    "שלום",
    "ខ្មែរ",
    "ไทย",
    "नमस्ते",
];

/// Any text, most of it made of such fragments.
pub(super) fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(NASTY).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[ -~]{0,6}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// The small session with the texts in every place that a draft or a manifest fills.
pub(super) fn recap_of(texts: &[String]) -> Recap {
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

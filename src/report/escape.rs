//! Text that is safe in one format. Nothing else makes an [`Escaped`], and it is made from plain text or from
//! our own fixed words, so no draft can smuggle markup, whatever it holds.
//!
//! Markdown has many dialects, and some look for mentions, references, emoji and addresses only *after* the
//! document was parsed, when backslashes and entities are gone: there `\@name` and `&#64;name` still
//! notify somebody. What all of them leave alone is a code span. So a run of characters that could become
//! a link is shown as code, and every other ASCII punctuation character is escaped on its own.

use std::marker::PhantomData;

use super::plain::{Plain, Span};

/// Markdown, in any dialect.
#[derive(Debug, Clone, Copy)]
pub enum Markdown {}

/// HTML, between tags or in a quoted attribute.
#[derive(Debug, Clone, Copy)]
pub enum Html {}

/// Text that is safe in the format `F`.
///
/// Our own words must be fixed words:
///
/// ```
/// use recap::report::escape::{Escaped, Markdown};
/// fn heading(words: &'static str) -> Escaped<Markdown> { Escaped::own(words) }
/// ```
///
/// ```compile_fail
/// use recap::report::escape::{Escaped, Markdown};
/// fn heading(words: &str) -> Escaped<Markdown> { Escaped::own(words) }
/// ```
#[derive(Debug, Clone)]
pub struct Escaped<F> {
    text: String,
    format: PhantomData<F>,
}

impl<F> Escaped<F> {
    /// Our own fixed words, written as they are.
    pub fn own(words: &'static str) -> Self {
        Self::made(words.to_owned())
    }

    /// Puts another piece behind this one.
    pub fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
    }

    /// The text in its format.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    const fn made(text: String) -> Self {
        Self { text, format: PhantomData }
    }
}

impl Escaped<Markdown> {
    /// Any piece of a line. Two pieces of code must not touch: their marks would join.
    pub fn span(span: &Span) -> Self {
        match span {
            Span::Own(words) => Self::own(words),
            Span::Text(text) => Self::text(text),
            Span::Strong(text) => Self::made(format!("**{}**", Self::text(text).text)),
            Span::Code(text) => Self::code(text),
        }
    }

    /// Text, every character of it a character of text or of a code span.
    pub fn text(plain: &Plain) -> Self {
        let mut out = String::with_capacity(plain.as_str().len() * 2);
        let mut rest = plain.as_str();
        while !rest.is_empty() {
            let (run, behind) = split_where(rest, |letter| !is_code_safe(letter));
            push_run(&mut out, run);
            let (between, behind) = split_where(behind, is_code_safe);
            between.chars().for_each(|letter| push_escaped(&mut out, letter));
            rest = behind;
        }
        Self::made(out)
    }

    /// An id, a digest or a path: a code span where every character is harmless in one, else text.
    pub fn code(plain: &Plain) -> Self {
        let text = plain.as_str();
        if text.is_empty() || !text.chars().all(is_code_safe) {
            return Self::text(plain);
        }
        Self::made(format!("`{text}`"))
    }
}

impl Escaped<Html> {
    /// Any piece of a line.
    pub fn span(span: &Span) -> Self {
        match span {
            Span::Own(words) => Self::attribute(words),
            Span::Text(text) => Self::text(text),
            Span::Strong(text) => Self::made(format!("<strong>{}</strong>", Self::text(text).text)),
            Span::Code(text) => Self::made(format!("<code>{}</code>", Self::text(text).text)),
        }
    }

    /// Text. What may be written from right to left is kept from moving what stands beside it.
    pub fn text(plain: &Plain) -> Self {
        let text = Self::attribute(plain.as_str());
        let foreign = plain.as_str().chars().any(|letter| !letter.is_ascii() && letter.is_alphanumeric());
        if foreign { Self::made(format!("<bdi>{}</bdi>", text.text)) } else { text }
    }

    /// Characters alone, for places that hold no tags.
    pub fn attribute(text: &str) -> Self {
        let mut out = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                letter => out.push(letter),
            }
        }
        Self::made(out)
    }

    /// A number.
    pub fn number(number: u64) -> Self {
        Self::made(number.to_string())
    }
}

/// Splits before the first character that `ends`.
fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    let place = text.find(ends).unwrap_or(text.len());
    text.split_at_checked(place).unwrap_or((text, ""))
}

/// Characters that can neither end a code span nor mean anything in one, and that links are made of.
const fn is_code_safe(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '/' | ':' | '@' | '#' | '+' | '-')
}

/// Writes a run of code-safe characters: as code when something could turn it into a link.
fn push_run(out: &mut String, run: &str) {
    // A full stop or colon behind an address belongs to the sentence.
    let core = if may_become_link(run) { run.trim_end_matches(['.', ':']) } else { "" };
    if !core.is_empty() {
        out.push('`');
        out.push_str(core);
        out.push('`');
    }
    run.chars().skip(core.len()).for_each(|letter| push_escaped(out, letter));
}

fn push_escaped(out: &mut String, letter: char) {
    match letter {
        // Backslashes before brackets open formulas in some dialects; entities work inside HTML, too.
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '$' | '(' | ')' | '[' | ']' | '`' => {
            out.push_str("&#");
            out.push_str(&u32::from(letter).to_string());
            out.push(';');
        }
        letter if letter.is_ascii_punctuation() => {
            out.push('\\');
            out.push(letter);
        }
        letter => out.push(letter),
    }
}

/// Mentions, references to issues and commits, addresses and emoji names.
fn may_become_link(run: &str) -> bool {
    run.contains(['@', '#'])
        || run.contains("://")
        || has_name_between_colons(run)
        || run.split('.').rev().skip(1).any(|part| ends_with_word(part, "www"))
        || run.split('.').zip(run.split('.').skip(1)).any(|(host, end)| looks_like_a_domain(host, end))
        || run.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_commit_like)
        || run.split('-').zip(run.split('-').skip(1)).any(|(word, number)| {
            ends_with_word(word, "gh") && number.starts_with(|letter: char| letter.is_ascii_digit())
        })
}

/// `:name:` is an emoji in many places.
fn has_name_between_colons(run: &str) -> bool {
    let names = run.split(':').skip(1);
    let closed = run.split(':').count().saturating_sub(2);
    names.take(closed).any(|name| !name.is_empty() && !name.contains(['.', '/']))
}

/// Some make links of whatever has the form of a domain, and many ends of file names are ends of domains.
fn looks_like_a_domain(host: &str, end: &str) -> bool {
    host.ends_with(|letter: char| letter.is_ascii_alphanumeric())
        && end.bytes().take_while(u8::is_ascii_alphabetic).count() > 1
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let start = text.len().saturating_sub(word.len());
    text.split_at_checked(start).is_some_and(|(_, end)| end.eq_ignore_ascii_case(word))
}

/// Seven to forty hexadecimal digits are looked up as a commit.
fn is_commit_like(word: &str) -> bool {
    (7..=40).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::{Escaped, Markdown};
    use crate::report::plain::Plain;

    fn text(draft: &str) -> String {
        Escaped::<Markdown>::text(&Plain::of(draft)).as_str().to_owned()
    }

    #[test]
    fn every_ascii_punctuation_character_is_escaped() {
        for letter in (0x21_u8..0x7f).map(char::from).filter(char::is_ascii_punctuation) {
            let shown = text(&letter.to_string());
            assert!(shown.len() > 1, "{letter} came out as {shown}");
        }
        assert_eq!(text("a*b_c"), "a\\*b\\_c");
        assert_eq!(
            text("[x](y) <b> &amp; $1 `c` \\"),
            "&#91;x&#93;&#40;y&#41; &lt;b&gt; &amp;amp\\; &#36;1 &#96;c&#96; \\\\"
        );
    }

    #[test]
    fn what_could_become_a_link_is_code() {
        assert_eq!(text("ask @octo-cat/team."), "ask `@octo-cat/team`\\.");
        assert_eq!(text("fixes #12, GH-12 and a/b#3"), "fixes `#12`\\, `GH-12` and `a/b#3`");
        assert_eq!(text("see https://example.org/x?y=1"), "see `https://example.org/x`\\?y\\=1");
        assert_eq!(text("in src/lib.rs, see example.org."), "in `src/lib.rs`\\, see `example.org`\\.");
        assert_eq!(text("WWW.example.org"), "`WWW.example.org`");
        assert_eq!(text("well :+1: done"), "well `:+1`\\: done");
        assert_eq!(text("at 1a2b3c4d"), "at `1a2b3c4d`");
    }

    #[test]
    fn what_cannot_stays_text() {
        assert_eq!(text("10:04, src/lib and well-known"), "10\\:04\\, src\\/lib and well\\-known");
        assert_eq!(text("e.g. v1.0 at 3.5 s."), "e\\.g\\. v1\\.0 at 3\\.5 s\\.");
        assert_eq!(text("a :: b, note: c"), "a \\:\\: b\\, note\\: c");
    }

    #[test]
    fn code_falls_back_to_text() {
        let code = |draft: &str| Escaped::<Markdown>::code(&Plain::of(draft)).as_str().to_owned();
        assert_eq!(code("src/a-b.rs"), "`src/a-b.rs`");
        assert_eq!(code("my `file`"), "my &#96;file&#96;");
        assert_eq!(code(""), "");
    }
}

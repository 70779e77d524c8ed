//! Text on one line, before any format: line breaks and other white space are single spaces, and what could
//! steer a terminal or reorder a line is replaced. It escapes nothing; that is the format's business.

use serde::Serialize;

use crate::base::refusal::is_unsafe;

/// One line of plain text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Plain(String);

impl Plain {
    /// Takes any text. Runs of white space become one space, none is left at the ends; control, bidirectional
    /// and invisible characters become U+FFFD. Joiners stay: drafts may hold them where a script or an emoji needs
    /// them. Direction marks may stand in drafts, too, but they move what stands beside them: they are left out.
    pub fn of(text: &str) -> Self {
        let mut line = String::with_capacity(text.len());
        for piece in text.split_whitespace() {
            let mut letters = piece.chars().filter(|letter| !is_direction_mark(*letter)).peekable();
            if !line.is_empty() && letters.peek().is_some() {
                line.push(' ');
            }
            line.extend(letters.map(|letter| if is_shown(letter) { letter } else { '\u{fffd}' }));
        }
        Self(line)
    }

    /// Takes text that was put together from lines of plain text, spaces at its joints included; any other text
    /// becomes plain first.
    pub(super) fn joined(text: &str) -> Self {
        let plain = text.chars().all(|letter| is_shown(letter) && (letter == ' ' || !letter.is_whitespace()));
        if plain { Self(text.to_owned()) } else { Self::of(text) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True when nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Plain {
    fn from(text: String) -> Self {
        Self::of(&text)
    }
}

const fn is_shown(letter: char) -> bool {
    // Codes that are no characters and never will be.
    let none = matches!(letter, '\u{fdd0}'..='\u{fdef}') || letter as u32 & 0xfffe == 0xfffe;
    !none && (!is_unsafe(letter) || matches!(letter, '\u{ad}' | '\u{200c}' | '\u{200d}'))
}

const fn is_direction_mark(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

/// A piece of a line and what it is; every format has its own way to show each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Our own fixed words: the only piece that is written as it is.
    Own(&'static str),
    /// Text of a draft, a manifest or a snapshot, or a number.
    Text(Plain),
    /// The same, to stand out.
    Strong(Plain),
    /// An id, a digest, a path: shown as code where the format can and the characters are harmless.
    Code(Plain),
}

impl Span {
    /// A number or another text that we made ourselves; it is escaped like any other.
    pub fn text(text: impl std::fmt::Display) -> Self {
        Self::Text(Plain::of(&text.to_string()))
    }

    /// An id, a digest or a path.
    pub fn code(text: impl std::fmt::Display) -> Self {
        Self::Code(Plain::of(&text.to_string()))
    }

    /// What a reader sees.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Own(words) => words,
            Self::Text(text) | Self::Strong(text) | Self::Code(text) => text.as_str(),
        }
    }
}

/// Joins lists of pieces with commas.
pub fn push_list(spans: &mut Vec<Span>, items: impl IntoIterator<Item = Vec<Span>>) {
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            spans.push(Span::Own(", "));
        }
        spans.extend(item);
    }
}

/// ` +N things`, nothing for zero.
pub fn push_more(spans: &mut Vec<Span>, more: u64, [one, many]: [&'static str; 2]) {
    if more > 0 {
        spans.extend([Span::Own(" +"), Span::text(more), Span::Own(if more == 1 { one } else { many })]);
    }
}

#[cfg(test)]
mod tests {
    use super::Plain;

    #[test]
    fn white_space_is_one_space() {
        assert_eq!(Plain::of(" a\n\tb\r\n\u{a0}\u{2028}c ").as_str(), "a b c");
        assert!(Plain::of("\n \t").is_empty());
    }

    #[test]
    fn steering_characters_are_replaced_and_joiners_stay() {
        assert_eq!(Plain::of("a\u{1b}[31m\u{202e}b\u{200b}").as_str(), "a\u{fffd}[31m\u{fffd}b\u{fffd}");
        assert_eq!(Plain::of("a \u{200f} b\u{200e}\u{61c}").as_str(), "a b");
        assert_eq!(Plain::of("👩\u{200d}🔧 نمی\u{200c}خواهم").as_str(), "👩\u{200d}🔧 نمی\u{200c}خواهم");
    }
}

//! Which characters an author's text may hold, so that a recap cannot show something else than it says.
//!
//! Refused everywhere: C0 and C1 controls but the line feed (a tab, too: it has no width of its own and breaks
//! columns), bidirectional overrides, embeddings and isolates, U+200B, U+2060, U+FEFF, tag characters. U+200C and
//! U+200D are orthography in many scripts and build emoji: allowed between letters of one script and inside emoji.
//! A line (a title, a label, an id) may hold no line break of any kind either.
//!
//! It does not judge look-alike letters: mixed scripts are normal in prose about software.

use std::sync::OnceLock;

use regex::Regex;
use unicode_script::{Script, UnicodeScript as _};

use super::limits::AUTHOR_ID_CHARS;

/// True when a text of several lines holds no unsafe character.
pub fn is_safe_text(text: &str) -> bool {
    !text.chars().any(is_refused) && (text.is_ascii() || joiners_join(text))
}

/// True when a text is safe and stays on one line.
pub fn is_safe_line(text: &str) -> bool {
    !text.chars().any(is_line_break) && is_safe_text(text)
}

/// True for lower-case words of `a-z` and `0-9` joined by single hyphens, at most 48 characters.
pub fn is_author_id(text: &str) -> bool {
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.len() <= AUTHOR_ID_CHARS && text.split('-').all(word)
}

const fn is_line_break(letter: char) -> bool {
    matches!(letter, '\n' | '\u{2028}' | '\u{2029}')
}

const fn is_refused(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{9}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

const fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}')
}

/// True when every joiner stands where it shapes something: alone between two letters of one script or two emoji.
fn joiners_join(text: &str) -> bool {
    // What stands before: the last letter or emoji, marks and modifiers on it skipped.
    let mut before = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if is_joiner(letter) {
            let joined = match (before, letters.peek()) {
                (Some(left), Some(right)) => join(left, *right),
                _ => false,
            };
            if !joined {
                return false;
            }
        } else if !is_modifier(letter) {
            before = Some(letter);
        }
    }
    true
}

fn join(left: char, right: char) -> bool {
    let (script, other) = (left.script(), right.script());
    let letters = script == other && !matches!(script, Script::Common | Script::Inherited | Script::Unknown);
    letters || is_emoji(left) && is_emoji(right)
}

/// Combining marks of no script (variation selectors too), skin tones.
fn is_modifier(letter: char) -> bool {
    letter.script() == Script::Inherited || matches!(letter, '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_emoji(letter: char) -> bool {
    static EMOJI: OnceLock<Option<Regex>> = OnceLock::new();
    let emoji = EMOJI.get_or_init(|| Regex::new(r"\A\p{Extended_Pictographic}\z").ok());
    emoji.as_ref().is_some_and(|emoji| emoji.is_match(letter.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::{is_author_id, is_safe_line, is_safe_text};

    #[test]
    fn joiners_are_allowed_where_they_shape_something() {
        let persian = "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}";
        let sinhala = "\u{0dc1}\u{0dca}\u{200d}\u{0dbb}\u{0dd3}";
        let family = "\u{1f469}\u{1f3fd}\u{200d}\u{1f4bb} \u{2764}\u{fe0f}\u{200d}\u{1f525}";
        for text in [persian, sinhala, family] {
            assert!(is_safe_line(text), "{}", text.escape_unicode());
        }
    }

    #[test]
    fn joiners_are_refused_where_they_hide() {
        for text in [
            "\u{200d}a",
            "a\u{200c}",
            "a\u{200c}\u{200d}b",
            "a\u{200d}\u{431}",
            "1\u{200d}2",
            "a \u{200c}b",
            "\u{1f469}\u{200d}a",
        ] {
            assert!(!is_safe_text(text), "{}", text.escape_unicode());
        }
    }

    #[test]
    fn each_refused_class_is_refused_and_its_neighbours_are_not() {
        for letter in [
            '\0',
            '\t',
            '\r',
            '\u{7f}',
            '\u{85}',
            '\u{202a}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{200b}',
            '\u{2060}',
            '\u{feff}',
            '\u{e0001}',
            '\u{e007f}',
        ] {
            assert!(!is_safe_text(&format!("a{letter}b")), "{}", letter.escape_unicode());
        }
        for letter in [' ', '~', '\u{a0}', '\u{200e}', '\u{2010}', '\u{fffd}', '\u{1f600}'] {
            assert!(is_safe_line(&format!("a{letter}b")), "{}", letter.escape_unicode());
        }
    }

    #[test]
    fn a_line_break_is_safe_in_a_text_and_not_in_a_line() {
        for text in ["one\ntwo", "one\u{2028}two"] {
            assert!(is_safe_text(text) && !is_safe_line(text));
        }
    }

    #[test]
    fn author_ids_are_words_joined_by_single_hyphens() {
        for id in ["goal-1", "a", "0-9", &"a".repeat(48)] {
            assert!(is_author_id(id), "{id}");
        }
        for id in ["", "-a", "a-", "a--b", "A", "a_b", "ä", "a\n", &"a".repeat(49)] {
            assert!(!is_author_id(id), "{id:?}");
        }
    }
}

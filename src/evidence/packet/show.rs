//! How transcript text is shown: each line behind a prefix, headers behind a keyed tag, characters that act on
//! a terminal or on the eye made visible.

use crate::base::refusal::is_unsafe;

/// What stands before every line of transcript text.
pub const TEXT_PREFIX: &str = "| ";

/// Text with every control, bidirectional and invisible character written as `\u{hex}`; tabs stay.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_unsafe(letter) && letter != '\t' {
            shown.push_str(&format!("\\u{{{:x}}}", letter as u32));
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// The lines of a text, each visible and behind the prefix.
pub fn framed(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split('\n') {
        shown.push_str(TEXT_PREFIX);
        shown.push_str(&visible(line.strip_suffix('\r').unwrap_or(line)));
        shown.push('\n');
    }
    shown
}

/// The first `characters` of a text on one line: line breaks and runs of blanks become one blank.
pub fn first_words(text: &str, characters: usize) -> String {
    let mut line = String::new();
    let mut blank = false;
    let mut count = 0;
    for letter in text.chars() {
        if letter.is_whitespace() {
            blank = !line.is_empty();
            continue;
        }
        if count >= characters {
            line.push('…');
            break;
        }
        if blank {
            line.push(' ');
            count += 1;
            blank = false;
        }
        line.push(letter);
        count += 1;
    }
    visible(&line)
}

/// A name of the transcript within a line of ours: letters, digits and `_.:-/` as they are, everything else as
/// `\u{hex}`, so that it cannot pose as a field, and at most `characters` of it.
pub fn name(text: &str, characters: usize) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(characters) {
        if letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':' | '-' | '/') {
            shown.push(letter);
        } else {
            shown.push_str(&format!("\\u{{{:x}}}", letter as u32));
        }
    }
    shown
}

/// The longest prefix of at most `bytes` bytes that ends at a character border.
pub fn prefix(text: &str, bytes: usize) -> &str {
    slice(text, 0, bytes)
}

/// The bytes `from .. to` of a text, both moved back to character borders and into the text.
pub fn slice(text: &str, from: usize, to: usize) -> &str {
    let border = |place: usize| {
        (0..=place.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
    };
    text.get(border(from)..border(to)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{first_words, framed, name, slice};

    #[test]
    fn every_line_is_prefixed_and_nothing_acts_on_the_terminal() {
        assert_eq!(framed("a\u{1b}[2J\r\n#tag b"), "| a\\u{1b}[2J\n| #tag b\n");
    }

    #[test]
    fn slices_end_at_character_borders() {
        assert_eq!(slice("aäb", 0, 2), "a");
        assert_eq!(slice("aäb", 2, 9), "äb");
        assert_eq!(slice("a", 5, 2), "");
    }

    #[test]
    fn a_name_cannot_pose_as_a_field() {
        assert_eq!(name("mcp__x.y", 40), "mcp__x.y");
        assert_eq!(name("Bash status=ok | x", 40), "Bash\\u{20}status\\u{3d}ok\\u{20}\\u{7c}\\u{20}x");
    }

    #[test]
    fn first_words_stay_on_one_line() {
        assert_eq!(first_words("  a\n\n b  c", 3), "a b…");
    }
}

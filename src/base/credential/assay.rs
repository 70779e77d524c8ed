//! A second look at what is finished, by other means: the forms of the table as one regular expression, over bytes as they
//! lie in a file. It knows nothing of names, places and disguises; what it finds, the first look should have hidden.

use std::sync::OnceLock;

use regex::bytes::{Match, Regex, RegexBuilder};

use super::kinds;
use super::mark;

/// The last bytes of a piece of a file that have to be looked at again with the next piece.
pub const OVERLAP: usize = 1_024;

/// Bytes that the compiled expression may take.
const SIZE_LIMIT: usize = 64 * 1024 * 1024;
/// Shortest token that counts, in bytes: what is shorter could be a word of somebody.
const LEAST: usize = 24;

/// The first token in `bytes` that has a mark of its own, alone between other text.
pub fn find(bytes: &[u8]) -> Option<&[u8]> {
    expression()?.find_iter(bytes).find(|found| is_token(bytes, found)).map(|found| found.as_bytes())
}

/// Whether what was found is long, no mask, no published example, and no part of a longer word.
fn is_token(bytes: &[u8], found: &Match<'_>) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let before = found.start().checked_sub(1).and_then(|at| bytes.get(at));
    let behind = bytes.get(found.end());
    let goes_on = is_word(behind) || matches!(behind, Some(b'+' | b'/' | b'=' | b'.' | b'-'));
    // A backslash before it may make its first letter an escape.
    let alone = !is_word(before) && before != Some(&b'\\') && !goes_on;
    alone
        && found.len() >= LEAST
        && !mark::is_drawn(found.as_bytes())
        && !mark::is_published(found.as_bytes())
}

fn expression() -> Option<&'static Regex> {
    static EXPRESSION: OnceLock<Option<Regex>> = OnceLock::new();
    // Every form begins with its literal, by which the expression is searched; what stands around is looked at by hand.
    let forms = || kinds::TABLES.iter().flat_map(|table| table.iter()).flat_map(|kind| kind.shapes);
    let compile = || {
        let any = forms().filter_map(|form| translate(form)).collect::<Vec<_>>().join("|");
        RegexBuilder::new(&any).unicode(false).size_limit(SIZE_LIMIT).build().ok()
    };
    EXPRESSION.get_or_init(compile).as_ref()
}

/// A form of the table as a regular expression; nothing where it begins with a run or keeps its head.
fn translate(form: &str) -> Option<String> {
    if form.starts_with('{') || form.contains('|') {
        return None;
    }
    let mut expression = String::new();
    let mut rest = form;
    while let Some((literal, tail)) = rest.split_once('{') {
        let (run, tail) = tail.split_once('}')?;
        expression.push_str(&regex::escape(literal));
        let (class, counts) = run.split_at_checked(1)?;
        expression.push_str(class_of(class)?);
        let counts = counts.split('~').next()?;
        expression.push_str(&match counts.strip_suffix('+') {
            Some(least) => format!("{{{least},}}"),
            None => format!("{{{}}}", counts.replace('-', ",")),
        });
        rest = tail;
    }
    expression.push_str(&regex::escape(rest));
    Some(expression)
}

fn class_of(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "A" => "[A-Za-z0-9]",
        "B" => "[A-Za-z0-9+/]",
        "D" => "[0-9]",
        "H" => "[0-9a-f]",
        "L" => "[a-z]",
        "N" => "[a-z0-9]",
        "S" => "[A-Z2-7]",
        "U" => "[A-Za-z0-9_-]",
        "V" => "[A-Za-z0-9_.-]",
        "W" => "[A-Za-z0-9+/_=-]",
        "X" => "[0-9A-Fa-f]",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_token_that_stands_alone_is_found_and_a_mask_or_a_longer_word_is_not() {
        let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        assert_eq!(find(format!("\"a {token}\"").as_bytes()), Some(token.as_bytes()));
        for text in
            [format!("x{token}"), format!("ghp_{}", "x".repeat(36)), "[redacted:github-token#1]".to_owned()]
        {
            assert_eq!(find(text.as_bytes()), None, "{text}");
        }
    }
}

//! A second look at what is finished, by other means: the forms of the table as one regular expression, over bytes as they
//! lie in a file. It knows nothing of names, places and disguises; what it finds, the first look should have hidden.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::{Match, Regex, RegexBuilder};

use super::kinds;
use super::value;

/// The last bytes of a piece of a file that have to be looked at again with the next piece.
pub const OVERLAP: usize = 1_024;

/// Bytes that the compiled expression may take.
const SIZE_LIMIT: usize = 64 * 1024 * 1024;
/// Shortest token of the table that counts, in bytes: what is shorter could be a word of somebody.
const LEAST: usize = 24;
/// An expression that fits nowhere.
const NOTHING: &str = "[a&&b]";
/// How often a text is written out of its escapes.
const MOST_VIEWS: usize = 3;

/// The second look under some forms.
#[derive(Debug)]
pub struct Assay {
    /// Nothing where no expression came of the forms: then nothing passes.
    expression: Option<Regex>,
    least: usize,
}

impl Assay {
    /// For forms that a team adds; it knows how long its tokens are.
    pub fn of<'f>(forms: impl Iterator<Item = &'f str>) -> Self {
        Self::with(forms, 0)
    }

    /// For the forms of the table.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: OnceLock<Assay> = OnceLock::new();
        let forms = || kinds::TABLES.iter().flat_map(|table| table.iter()).flat_map(|kind| kind.shapes);
        BUILT_IN.get_or_init(|| Self::with(forms().copied(), LEAST))
    }

    fn with<'f>(forms: impl Iterator<Item = &'f str>, least: usize) -> Self {
        // Every form begins with its literal, by which the expression is searched; what stands around is looked at by hand.
        let forms: Vec<String> = forms.filter_map(translate).collect();
        let any = if forms.is_empty() { NOTHING.to_owned() } else { forms.join("|") };
        Self { expression: RegexBuilder::new(&any).unicode(false).size_limit(SIZE_LIMIT).build().ok(), least }
    }

    /// Whether `bytes` hold a token with a mark of its own, alone between other text, that nobody allows.
    pub fn finds(&self, bytes: &[u8], allows: &dyn Fn(&[u8]) -> bool) -> bool {
        let counts = |found: &Match<'_>| self.is_token(bytes, found) && !allows(found.as_bytes());
        self.expression
            .as_ref()
            .is_none_or(|expression| expression.find_iter(bytes).any(|found| counts(&found)))
    }

    /// The same for a short document, whose text may stand in it with escapes: those of JSON, and backslashes before signs.
    pub fn finds_in_document(&self, bytes: &[u8], allows: &dyn Fn(&[u8]) -> bool) -> bool {
        let mut view = Cow::Borrowed(bytes);
        for _ in 0..MOST_VIEWS {
            if self.finds(&view, allows) {
                return true;
            }
            if !view.contains(&b'\\') {
                return false;
            }
            view = Cow::Owned(written_out(&view));
        }
        self.finds(&view, allows)
    }

    /// Whether what was found is long, no mask, no published example, and no part of a longer word.
    fn is_token(&self, bytes: &[u8], found: &Match<'_>) -> bool {
        let is_word =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let before = found.start().checked_sub(1).and_then(|at| bytes.get(at));
        let behind = bytes.get(found.end());
        let goes_on = is_word(behind) || matches!(behind, Some(b'+' | b'/' | b'=' | b'.' | b'-'));
        // A backslash before it may make its first letter an escape.
        let alone = !is_word(before) && before != Some(&b'\\') && !goes_on;
        alone && found.len() >= self.least && !value::stands_for_none(found.as_bytes())
    }
}

/// A text with one level of its escapes written out; what stands for a blank becomes one.
fn written_out(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let Some((escaped, tail)) = rest.split_first() else { break };
        rest = tail;
        match (escaped, unit(tail)) {
            (b'n' | b'r' | b't' | b'b' | b'f', _) => out.push(b' '),
            (b'u', Some(letter)) => {
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                rest = tail.get(4..).unwrap_or_default();
            }
            (escaped, _) => out.push(*escaped),
        }
    }
    out
}

/// The letter that four hexadecimal digits stand for; half of a pair stands for none.
fn unit(digits: &[u8]) -> Option<char> {
    let digits = std::str::from_utf8(digits.get(..4)?).ok()?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
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
    use super::Assay;

    fn finds(text: &str) -> bool {
        Assay::built_in().finds(text.as_bytes(), &|_| false)
    }

    #[test]
    fn a_token_that_stands_alone_is_found_and_a_mask_or_a_longer_word_is_not() {
        let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        assert!(finds(&format!("\"a {token}\"")));
        for text in [
            format!("x{token}"),
            format!("ghp_{}", "x".repeat(36)),
            "[redacted:github-token#1]".to_owned(),
            ".sk-estimator-with-a-long-name-of-a-style-and-one-more".to_owned(),
        ] {
            assert!(!finds(&text), "{text}");
        }
    }

    #[test]
    fn what_is_allowed_does_not_hide_what_follows() {
        let (one, other) =
            (format!("ghp_{}", "a1B2c3D4e".repeat(4)), format!("ghp_{}", "e4D3c2B1a".repeat(4)));
        let text = format!("{one} {other}");
        let finds = |text: &str| Assay::built_in().finds(text.as_bytes(), &|token| token == one.as_bytes());
        assert!(!finds(&one) && finds(&text) && finds(&other));
    }

    #[test]
    fn a_document_is_looked_at_behind_its_escapes() {
        let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        let finds = |text: &str| Assay::built_in().finds_in_document(text.as_bytes(), &|_| false);
        for text in [
            format!("{{\"a\":\"line\\n{token}\"}}"),
            format!("{{\"a\":\"{{\\\"b\\\":\\\"line\\\\n{token}\\\"}}\"}}"),
            token.replace('_', "\\_"),
            token.replace('g', "\\u0067"),
        ] {
            assert!(finds(&text), "{text}");
        }
        for text in ["\\", "\\u00", "\\ud83d", "\\\\n"] {
            assert!(!finds(text), "{text}");
        }
    }

    #[test]
    fn forms_of_a_team_are_found_too_and_forms_that_are_none_let_nothing_pass() {
        let ours = Assay::of(["acme_{A8}"].into_iter());
        let finds = |text: &str| ours.finds(text.as_bytes(), &|_| false);
        assert!(!Assay::of(std::iter::empty()).finds(b"a b", &|_| false));
        assert!(finds("an acme_k3J9k3J9 b") && !finds("acme_k3J9k3J9k") && !finds("acme_"));
        assert!(Assay { expression: None, least: 0 }.finds(b"x", &|_| false));
    }
}

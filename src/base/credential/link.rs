//! What joins a name to its value: `=`, `:`, `=>`, `, `, an element, a flag, a few words of prose.

use super::alphabet::{self, ALNUM, DOTTED};
use super::joint;
use super::names;
use super::value;

/// A name in the text.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    /// First byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

impl Name {
    /// The whole name around a word of it that stands at `at` and is `length` bytes long.
    pub fn around(bytes: &[u8], at: usize, length: usize) -> Self {
        let mut start = alphabet::run_back(bytes, at, DOTTED, names::LONGEST);
        start = alphabet::behind_escape(bytes, start).min(at);
        let mut end = alphabet::run(bytes, at + length, DOTTED, names::LONGEST);
        while end > at + length && matches!(alphabet::byte(bytes, end - 1), b'.' | b'-') {
            end -= 1;
        }
        Self { start, end }
    }

    /// The bytes.
    pub fn of<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        alphabet::part(bytes, self.start, self.end)
    }

    /// The word before the name over one blank: "API key".
    pub fn owner<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let end = self.start.saturating_sub(1);
        if alphabet::byte(bytes, end) != b' ' {
            return &[];
        }
        alphabet::part(bytes, alphabet::run_back(bytes, end, ALNUM, 24), end)
    }
}

/// How a value is joined to its name, and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Behind a sign, in any spelling.
    Sign(usize),
    /// Behind a comma: the value must be quoted.
    Comma(usize),
    /// Behind the comma of two arguments: the value must be quoted and look random.
    Argument(usize),
    /// The content of an element, up to the next `<`.
    Element(usize),
    /// Behind a flag or a shell word.
    Flag(usize),
    /// In the next cell of a table.
    Cell(usize),
    /// In prose: "is X", or a quoted random value.
    Prose(usize),
}

/// The link behind `name`, judged by the fewest bytes that can refuse it.
pub fn after(bytes: &[u8], name: Name) -> Option<Link> {
    let mut at = name.end;
    let quoted = match value::quote_at(bytes, at) {
        Some((_, _, behind)) => {
            at = behind;
            true
        }
        None => false,
    };
    if alphabet::byte(bytes, at) == b']' {
        at += 1;
    }
    let spaced = value::skip_blanks(bytes, at);
    match alphabet::byte(bytes, spaced) {
        b'=' => equals(bytes, spaced),
        b':' if is_field(bytes, name.start) => None,
        b':' => colon(bytes, spaced),
        b'?' if alphabet::byte(bytes, spaced + 1) == b':' => colon(bytes, spaced + 1),
        b'{' if quoted && spaced > at => default_of(bytes, spaced),
        b',' if quoted => sibling(bytes, at).or(Some(Link::Comma(value::skip_blanks(bytes, spaced + 1)))),
        b'>' if spaced == name.end && name.start > 0 && alphabet::byte(bytes, name.start - 1) == b'<' => {
            Some(Link::Element(spaced + 1))
        }
        b',' if spaced == name.end => Some(Link::Argument(value::skip_blanks(bytes, spaced + 1))),
        b'|' if spaced > at => Some(Link::Cell(value::skip_blanks(bytes, spaced + 1))),
        b'v' | b'\n' | b'\\' => sibling(bytes, at),
        _ if spaced > at && !quoted => words(bytes, name, spaced),
        _ => None,
    }
}

/// Whether what begins at `start` is a field of a row (`arn:…:secret:name`) or the user of an address, not a name.
fn is_field(bytes: &[u8], start: usize) -> bool {
    let Some(colon) = start.checked_sub(1).filter(|at| alphabet::byte(bytes, *at) == b':') else {
        let head = alphabet::part(bytes, start.saturating_sub(12), start);
        return [&b"://"[..], b":\\/\\/", b"&#x2F;&#x2F;"].iter().any(|slashes| head.ends_with(slashes));
    };
    // `path:12:` is how a search in files begins a line.
    let number = alphabet::run_back(bytes, colon, alphabet::DIGIT, 7);
    let is_line =
        number < colon && colon - number < 7 && number > 0 && alphabet::byte(bytes, number - 1) == b':';
    !is_line
}

fn equals(bytes: &[u8], at: usize) -> Option<Link> {
    match alphabet::byte(bytes, at + 1) {
        b'=' | b'~' => None,
        b'>' => Some(Link::Sign(at + 2)),
        _ => Some(Link::Sign(at + 1)),
    }
}

fn colon(bytes: &[u8], at: usize) -> Option<Link> {
    match alphabet::byte(bytes, at + 1) {
        b':' => None,
        b'=' => Some(Link::Sign(at + 2)),
        _ => Some(Link::Sign(behind_type(bytes, at + 1).unwrap_or(at + 1))),
    }
}

/// Where a value begins behind a type: `key: &str = "v"`, `key: string = 'v'`.
fn behind_type(bytes: &[u8], at: usize) -> Option<usize> {
    let window = alphabet::part(bytes, at, bytes.len().min(at + 48));
    memchr::memchr(b'=', window)?;
    let sign =
        window.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"&<>'?|_. :,".contains(byte))?;
    let is_quoted = || value::quote_at(bytes, value::skip_blanks(bytes, at + sign + 1)).is_some();
    (window.get(sign) == Some(&b'=') && window.get(sign.checked_sub(1)?) == Some(&b' ') && is_quoted())
        .then_some(at + sign + 1)
}

/// A member `value` beside the name: `key="NAME" value="v"`, `name: NAME` with `value: v` on the next line.
fn sibling(bytes: &[u8], at: usize) -> Option<Link> {
    // A line number or the name of a file may stand before the member on the next line.
    let at = joint::next_line(bytes, at).unwrap_or(at);
    let window = alphabet::part(bytes, at, bytes.len().min(at + 64));
    let mut from = 0;
    loop {
        match window.get(from)? {
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b'+' => from += 1,
            b'\\' if matches!(window.get(from + 1), Some(b'n' | b'r' | b't')) => from += 2,
            b'\\' | b'"' | b'\'' => from += 1,
            _ => break,
        }
    }
    let rest = window.get(from..)?.strip_prefix(b"value")?;
    let mut at = at + window.len() - rest.len();
    if let Some((_, _, behind)) = value::quote_at(bytes, at) {
        at = behind;
    }
    matches!(alphabet::byte(bytes, at), b'=' | b':').then_some(Link::Sign(at + 1))
}

/// The default of a variable that a block declares: `variable "name" { … default = "v" }`.
fn default_of(bytes: &[u8], at: usize) -> Option<Link> {
    let window = alphabet::part(bytes, at, bytes.len().min(at + 240));
    let block = window.get(..memchr::memchr(b'}', window).unwrap_or(window.len()))?;
    let word = block.windows(7).position(|word| word == b"default")?;
    let sign = value::skip_blanks(bytes, at + word + 7);
    (alphabet::byte(bytes, sign) == b'=').then_some(Link::Sign(sign + 1))
}

/// Links that are words or nothing but a blank.
fn words(bytes: &[u8], name: Name, at: usize) -> Option<Link> {
    let text = name.of(bytes);
    if text.starts_with(b"-") {
        return Some(Link::Flag(at));
    }
    match alphabet::byte(bytes, at) {
        b'`' | b'"' | b'\'' => return Some(Link::Prose(at)),
        b'i' | b'w' if matches!(alphabet::part(bytes, at, at + 3), b"is " | b"was") => {
            let behind = alphabet::run(bytes, at, ALNUM, 4);
            let value = value::skip_blanks(bytes, behind);
            return (value > behind).then_some(Link::Prose(if alphabet::byte(bytes, value) == b':' {
                value + 1
            } else {
                value
            }));
        }
        b'f' | b'o' if is_owner_word(bytes, at) && text.eq_ignore_ascii_case(b"password") => {
            return owned_prose(bytes, at);
        }
        _ => {}
    }
    if is_set_by_word(bytes, name.start) {
        return Some(Link::Flag(at));
    }
    let is_constant =
        text.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    (!is_constant && text == b"password" && is_login_line(bytes, name.start)).then_some(Link::Flag(at))
}

fn is_owner_word(bytes: &[u8], at: usize) -> bool {
    alphabet::part(bytes, at, at + 4) == b"for " || alphabet::part(bytes, at, at + 3) == b"of "
}

/// "password for staging is X", "password of the server is X".
fn owned_prose(bytes: &[u8], at: usize) -> Option<Link> {
    let window = alphabet::part(bytes, at, bytes.len().min(at + 48));
    let is = memchr::memmem::find(window, b" is ")?;
    let is_words = window
        .get(..is)?
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_'));
    is_words.then_some(Link::Prose(at + is + 4))
}

/// Whether the word before the name sets a variable: `set -x NAME v`, `ENV NAME v`, `setx NAME v`.
fn is_set_by_word(bytes: &[u8], start: usize) -> bool {
    let head = alphabet::part(bytes, start.saturating_sub(8), start);
    [&b"set -x "[..], b"set -gx ", b"-Ux ", b"ENV ", b"ARG ", b"setx ", b"setenv "]
        .iter()
        .any(|word| head.ends_with(word.get(word.len().saturating_sub(8)..).unwrap_or(word)))
}

/// Whether the line is one of a login file: `machine … login … password`, or indented `password` alone.
fn is_login_line(bytes: &[u8], start: usize) -> bool {
    let head = alphabet::part(bytes, start.saturating_sub(160), start);
    let line_start = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
    let line = head.get(line_start..).unwrap_or(head);
    let after_escape = memchr::memmem::rfind(line, b"\\n").map_or(0, |at| at + 2);
    let line = line.get(after_escape..).unwrap_or(line);
    memchr::memmem::find(line, b"login ").is_some()
        || memchr::memmem::find(line, b"machine ").is_some()
        || !line.iter().any(u8::is_ascii_alphabetic) && line.ends_with(b" ")
}

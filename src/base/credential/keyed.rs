//! Values that the name beside them makes secret.
//!
//! A hit on a word such as `token` costs a look at the bytes behind the name; the name is judged only when something
//! joins it to a value, and each name once, however many such words it holds.

use super::alphabet;
use super::block;
use super::cookie;
use super::joined;
use super::kinds::places;
use super::link::{self, Link, Name};
use super::names::{self, Promise};
use super::spans::{Certainty, Findings};
use super::value::{self, Value};

/// Words of a header's value that name the scheme and stay.
const SCHEMES: [&str; 10] =
    ["Bearer ", "Basic ", "Token ", "Bot ", "ApiKey ", "SSWS ", "Digest ", "OAuth ", "Key ", "GenieKey "];

/// From this length on a quoted argument beside a name of a secret need not look random.
const LONG_ARGUMENT: usize = 20;

/// Most names that are judged inside one value without quotes: `a=b=c=…` is no list of secrets.
const NESTED_NAMES: usize = 16;

/// How far names and their values were read, so that no run of them is read again for each of its parts.
#[derive(Debug, Default)]
pub struct Walked {
    name_end: usize,
    value_end: usize,
    nested: usize,
    /// Up to where the pairs of a header were looked at: none of them is a header.
    cookies_end: usize,
    /// Where the last value without quotes ended: whatever begins inside of it ends there, too.
    bare: (usize, usize),
    /// The name that was judged last, where it stands and what it promises: names repeat.
    judged: Option<(Name, Option<Promise>)>,
}

impl Walked {
    /// What the name promises.
    fn promise(&mut self, bytes: &[u8], name: Name) -> Option<Promise> {
        if let Some((last, promise)) = self.judged
            && last.of(bytes) == name.of(bytes)
            && last.owner(bytes) == name.owner(bytes)
        {
            return promise;
        }
        let promise = names::promise(name.of(bytes), name.owner(bytes));
        self.judged = Some((name, promise));
        promise
    }

    /// The value that begins at `at`.
    fn value(&mut self, bytes: &[u8], at: usize) -> Option<Value> {
        let (start, end) = self.bare;
        if start < at && at < end && value::quote_at(bytes, at).is_none() {
            return Some(Value { start: at, end, quoted: false });
        }
        let value = value::read(bytes, at)?;
        if !value.quoted {
            self.bare = (value.start, value.end);
        }
        Some(value)
    }
}

/// Looks at the name around the word at `at`.
pub fn look(bytes: &[u8], at: usize, length: usize, walked: &mut Walked, findings: &mut Findings) {
    if at < walked.name_end {
        return;
    }
    walked.nested = if at < walked.value_end { walked.nested + 1 } else { 0 };
    if walked.nested > NESTED_NAMES {
        return;
    }
    let name = Name::around(bytes, at, length);
    walked.name_end = name.end;
    let Some(link) = link::after(bytes, name) else { return };
    if names::is_cookie_header(name.of(bytes)) {
        if let Link::Sign(from) = link
            && from >= walked.cookies_end
        {
            walked.cookies_end = cookie::look(bytes, from, findings);
        }
        return;
    }
    let Some(promise) = walked.promise(bytes, name) else { return };
    let Some((value, promise, kind)) = linked_value(bytes, link, promise, walked) else { return };
    walked.value_end = walked.value_end.max(value.end);
    // Of a private key its body is hidden, and its marks stay.
    if value.of(bytes).starts_with(b"-----BEGIN ") && block::body_after(bytes, value.start).is_some() {
        return;
    }
    // What a line break or the end of a record cut off belongs to the value, and may be what shows that it is one.
    let whole = joined::value(bytes, value.start, value.end)
        .filter(|(_, together)| value::is_plausible(together, value.quoted, promise));
    let alone = || {
        let unbroken = joined::unbroken(bytes, value.start, value.end);
        let text = unbroken.as_ref().map_or(value.of(bytes), |whole| whole.as_slice());
        value::is_plausible(text, value.quoted, promise).then_some(value.end)
    };
    if let Some(end) = whole.map(|(end, _)| end).or_else(alone) {
        findings.add(value.start, end, kind, Certainty::Named);
    }
}

/// The value behind the link, with what is now promised of it.
fn linked_value(
    bytes: &[u8],
    link: Link,
    promise: Promise,
    walked: &mut Walked,
) -> Option<(Value, Promise, &'static str)> {
    let (at, promise) = match link {
        Link::Sign(at) | Link::Flag(at) | Link::Cell(at) => {
            (opened(bytes, value::skip_blanks(bytes, at)), promise)
        }
        Link::Comma(at) => {
            value::quote_at(bytes, at)?;
            (at, promise)
        }
        Link::Argument(at) => {
            let argument = value::quote_at(bytes, at).and_then(|_| value::read(bytes, at))?;
            let is_long = argument.end - argument.start >= LONG_ARGUMENT;
            (at, if is_long { promise } else { Promise::Weak })
        }
        Link::Element(at) => (at, promise),
        Link::Prose(at) => {
            let is_quoted = value::quote_at(bytes, at).is_some();
            (at, if is_quoted && promise != Promise::Password { Promise::Weak } else { promise })
        }
    };
    let value = walked.value(bytes, at).or_else(|| value::read_cut(bytes, at))?;
    let has = |byte: u8| memchr::memchr(byte, value.of(bytes)).is_some();
    let is_over_lines =
        value.quoted && has(b'\n') && has(b' ') && joined::unbroken(bytes, value.start, value.end).is_none();
    let value = if is_over_lines { value::read_cut(bytes, at).unwrap_or(value) } else { value };
    if closes_a_string(bytes, value) {
        return None;
    }
    let is_table_cell = matches!(link, Link::Cell(_))
        && value.end - value.start < 20
        && !(promise == Promise::Password && value::is_mixed(value.of(bytes)));
    if is_table_cell || matches!(link, Link::Prose(_)) && value.end - value.start < 8 {
        return None;
    }
    let kind = match promise {
        Promise::Password => places::PASSWORD,
        Promise::Header => places::AUTHORIZATION,
        Promise::Secret | Promise::Weak => places::SECRET,
    };
    Some(
        without_scheme(bytes, value)
            .map_or((value, promise, kind), |value| (value, Promise::Password, places::AUTHORIZATION)),
    )
}

/// Whether the quote before a value ends the string that its name stands in: then what follows is syntax, not a value.
fn closes_a_string(bytes: &[u8], value: Value) -> bool {
    let next = alphabet::byte(bytes, value.start + 1);
    let opens_value =
        matches!(next, b'"' | b'\\' | b'[' | b'{' | b'-' | b' ' | b'\n' | b't' | b'f' | b'n' | b'0'..=b'9');
    let is_syntax = match alphabet::byte(bytes, value.start) {
        b':' | b',' => opens_value,
        b'}' | b']' => matches!(next, b',' | b'}' | b']' | b'\\') || next.is_ascii_whitespace(),
        _ => false,
    };
    value.quoted && is_syntax
}

/// Steps into what may stand around a literal: `["`, `Some("`, `b"`.
fn opened(bytes: &[u8], at: usize) -> usize {
    let window = alphabet::part(bytes, at, bytes.len().min(at + 24));
    let is_head = |byte: &u8| {
        alphabet::is(*byte, alphabet::WORD)
            || matches!(byte, b'[' | b' ' | b'@' | b'(' | b'&' | b':' | b'<' | b'>')
    };
    let inner = window.iter().take_while(|byte| is_head(byte)).count();
    let opens = matches!(window.get(inner), Some(b'"' | b'\'' | b'`' | b'\\'));
    let head = window.get(..inner).filter(|_| opens).unwrap_or(&[]);
    let steps_in =
        matches!(head, b"[" | b"[ " | b"b" | b"r" | b"f" | b"u" | b"@" | b"(" | b"Some(" | b"Ok(" | b"&")
            || head.ends_with(b"::from(")
            || head.ends_with(b"::new(");
    if steps_in { at + inner } else { at }
}

/// The value behind the word of a scheme; `None` where there is no such word.
fn without_scheme(bytes: &[u8], value: Value) -> Option<Value> {
    let rest = alphabet::part(bytes, value.start, bytes.len().min(value.start + 12));
    let word = rest.get(..=memchr::memchr(b' ', rest)?)?;
    let scheme = SCHEMES.iter().find(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes()))?;
    let start = value.start + scheme.len();
    if value.quoted {
        return (start < value.end).then_some(Value { start, ..value });
    }
    let inner = value::read(bytes, start)?;
    (!inner.quoted).then_some(inner)
}

/// A random value behind the word `Bearer `, wherever it stands.
pub fn bearer(bytes: &[u8], behind: usize, findings: &mut Findings) {
    if let Some(value) = value::read(bytes, behind)
        && !value.quoted
        && value::is_plausible(value.of(bytes), false, Promise::Weak)
    {
        findings.add(value.start, value.end, places::AUTHORIZATION, Certainty::Placed);
    }
}

//! The paths that a source names, with nested braces written out.

use crate::tidy::tokens::{Kind, Token, after_group};

/// One path, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its segments as written; a glob ends in `*`, and the module itself in `self`.
    pub segments: Vec<String>,
    /// What it is called here, where that differs from the last segment.
    pub alias: Option<String>,
    /// The line, from 1.
    pub line: usize,
}

/// Every path that begins with one of the roots, in `use` statements and inline. `pub(in path)` is no use.
pub fn rooted(tokens: &[Token], roots: &[&str]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let continues = place > 0 && tokens.get(place - 1).is_some_and(|before| before.is_mark("::"));
        let begins = roots.iter().any(|root| token.is_word(root))
            && tokens.get(place + 1).is_some_and(|next| next.is_mark("::"));
        if token.is_word("pub") && tokens.get(place + 1).is_some_and(|next| next.is_mark("(")) {
            place = after_group(tokens, place + 1);
        } else if begins && !continues {
            place = written_out(tokens, place, Vec::new(), &mut found);
        } else {
            place += 1;
        }
    }
    found
}

/// What the `pub use` statements of a source name.
pub fn reexported(tokens: &[Token]) -> Vec<Named> {
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        if token.is_word("use") && is_public(tokens, place) {
            written_out(tokens, place + 1, Vec::new(), &mut found);
        }
    }
    found
}

fn is_public(tokens: &[Token], place: usize) -> bool {
    let before = place.checked_sub(1).and_then(|before| tokens.get(before));
    before.is_some_and(|before| before.is_word("pub") || before.is_mark(")"))
}

/// Writes out the path or the tree of paths that begins here; the place after it.
fn written_out(tokens: &[Token], mut place: usize, mut prefix: Vec<String>, found: &mut Vec<Named>) -> usize {
    while let Some(token) = tokens.get(place) {
        if token.is_mark("{") {
            let end = after_group(tokens, place);
            let mut inner = place + 1;
            while inner + 1 < end {
                let after = written_out(tokens, inner, prefix.clone(), found);
                inner = after.max(inner) + 1;
            }
            return end;
        }
        let is_segment = token.kind == Kind::Word || token.is_mark("*");
        if !is_segment {
            break;
        }
        prefix.push(token.text.clone());
        place += 1;
        if !tokens.get(place).is_some_and(|next| next.is_mark("::")) {
            let (alias, after) = alias(tokens, place);
            found.push(Named { segments: prefix, alias, line: token.line });
            return after;
        }
        place += 1;
    }
    // A turbofish or a macro repetition: the path ends before it.
    let line = tokens.get(place.saturating_sub(1)).map_or(0, |token| token.line);
    if !prefix.is_empty() {
        found.push(Named { segments: prefix, alias: None, line });
    }
    place
}

fn alias(tokens: &[Token], place: usize) -> (Option<String>, usize) {
    match (tokens.get(place), tokens.get(place + 1)) {
        (Some(word), Some(name)) if word.is_word("as") => (Some(name.text.clone()), place + 2),
        _ => (None, place),
    }
}

#[cfg(test)]
mod tests {
    use super::rooted;
    use crate::tidy::tokens::read;

    #[test]
    fn nested_braces_are_written_out() {
        let source = "use crate::a::{b, c::{self, D as E}, f::*};\npub(in crate::x::y) fn g() { super::h::<T>(crate::i::j()) }";
        let found: Vec<String> =
            rooted(&read(source), &["crate", "super"]).iter().map(|path| path.segments.join("::")).collect();
        assert_eq!(
            found,
            [
                "crate::a::b",
                "crate::a::c::self",
                "crate::a::c::D",
                "crate::a::f::*",
                "super::h",
                "crate::i::j"
            ]
        );
    }
}

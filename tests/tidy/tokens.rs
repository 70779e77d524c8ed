//! Rust source as words, marks and texts with their lines: enough to see paths, items and bodies.
//!
//! Comments are dropped, literals become one token, `::` is one mark. It expands no macro and knows no types.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier, a keyword or a number.
    Word,
    /// A string, without its quotes.
    Text,
    /// A character literal or a lifetime; neither is ever looked at.
    Quoted,
    /// One character of punctuation, or `::`.
    Mark,
}

/// One token.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// As it is written.
    pub text: String,
    /// The line it begins on, from 1.
    pub line: usize,
}

impl Token {
    /// Whether this is that word.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// Whether this is that punctuation.
    pub fn is_mark(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }
}

/// The tokens of a source.
pub fn read(source: &str) -> Vec<Token> {
    let mut reader = Reader { rest: source, line: 1, tokens: Vec::new() };
    while reader.step() {}
    reader.tokens
}

/// The place after the bracket that closes the one at `open`.
pub fn after_group(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0usize;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        if token.kind == Kind::Mark {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

/// The tokens without items that are compiled for tests only.
pub fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        if is_test_attribute(tokens, place) {
            place = after_item(tokens, place);
        } else {
            kept.push(token.clone());
            place += 1;
        }
    }
    kept
}

/// The tokens without attributes.
pub fn without_attributes(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        match attribute_opens(tokens, place) {
            Some(open) => place = after_group(tokens, open),
            None => {
                kept.push(token.clone());
                place += 1;
            }
        }
    }
    kept
}

/// Where the bracket of an attribute stands, if one begins here.
pub fn attribute_opens(tokens: &[Token], place: usize) -> Option<usize> {
    let inner = usize::from(tokens.get(place + 1).is_some_and(|next| next.is_mark("!")));
    let opens = tokens.get(place)?.is_mark("#") && tokens.get(place + 1 + inner)?.is_mark("[");
    opens.then_some(place + 1 + inner)
}

/// `#[cfg(test)]`, `#[test]`.
fn is_test_attribute(tokens: &[Token], place: usize) -> bool {
    let Some(open) = attribute_opens(tokens, place) else { return false };
    let inside: Vec<&str> = tokens.iter().skip(open + 1).take(4).map(|token| token.text.as_str()).collect();
    matches!(inside.as_slice(), ["cfg", "(", "test", ")"] | ["test", "]", ..])
}

/// The place after the item whose attributes begin here: after its `;`, its body, or the comma of a field.
fn after_item(tokens: &[Token], mut place: usize) -> usize {
    while let Some(open) = attribute_opens(tokens, place) {
        place = after_group(tokens, open);
    }
    // The braces of an import are not its end.
    let mut head = tokens.iter().skip(place).take_while(|token| !token.is_mark("{"));
    let is_import = head.any(|token| token.is_word("use"));
    while let Some(token) = tokens.get(place) {
        match token.text.as_str() {
            _ if token.kind != Kind::Mark => place += 1,
            ";" | "," => return place + 1,
            "{" if !is_import => return after_group(tokens, place),
            "(" | "[" | "{" => place = after_group(tokens, place),
            ")" | "]" | "}" => return place,
            _ => place += 1,
        }
    }
    place
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    /// Reads one token or one gap; false at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if self.rest.starts_with("//") {
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.skip(block_comment(self.rest));
        } else if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if let Some((opening, hashes)) = raw_opening(self.rest) {
            let closing = format!("\"{}", "#".repeat(hashes));
            let length = self.after(opening).find(&closing).unwrap_or(0);
            self.take_text(opening, length, closing.len());
        } else if let Some(opening) = ["\"", "b\"", "c\""].iter().find(|quote| self.rest.starts_with(**quote))
        {
            let length = until_quote(self.after(opening.len()), '"');
            self.take_text(opening.len(), length, 1);
        } else if first == '\'' {
            self.take(Kind::Quoted, quoted(self.rest));
        } else if first.is_alphanumeric() || first == '_' {
            let word = |letter: char| letter.is_alphanumeric() || letter == '_';
            self.take(Kind::Word, self.rest.find(|letter| !word(letter)).unwrap_or(self.rest.len()));
        } else {
            let length = if self.rest.starts_with("::") { 2 } else { first.len_utf8() };
            self.take(Kind::Mark, length);
        }
        true
    }

    fn after(&self, bytes: usize) -> &str {
        self.rest.get(bytes..).unwrap_or_default()
    }

    fn skip(&mut self, bytes: usize) {
        let (gone, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.line += gone.matches('\n').count();
        self.rest = rest;
    }

    fn take(&mut self, kind: Kind, bytes: usize) {
        let text = self.rest.get(..bytes).unwrap_or(self.rest).to_owned();
        self.tokens.push(Token { kind, text, line: self.line });
        self.skip(bytes);
    }

    fn take_text(&mut self, opening: usize, length: usize, closing: usize) {
        let text = self.rest.get(opening..opening + length).unwrap_or_default().to_owned();
        self.tokens.push(Token { kind: Kind::Text, text, line: self.line });
        self.skip(opening + length + closing);
    }
}

/// The length of a block comment; they nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0usize;
    let mut place = 0;
    while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            place += 2;
        } else if rest.starts_with("*/") {
            depth = depth.saturating_sub(1);
            place += 2;
            if depth == 0 {
                return place;
            }
        } else {
            place += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of the opening of a raw string and how many hashes it has.
fn raw_opening(text: &str) -> Option<(usize, usize)> {
    let prefix = ["r", "br", "cr"]
        .into_iter()
        .find(|prefix| text.strip_prefix(*prefix).is_some_and(|rest| rest.starts_with(['"', '#'])))?;
    let rest = text.strip_prefix(prefix)?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    rest.get(hashes..)?.starts_with('"').then_some((prefix.len() + hashes + 1, hashes))
}

/// How many bytes come before the quote that no backslash escapes.
fn until_quote(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return place,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal, or of a lifetime.
fn quoted(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    let (first, second) = (letters.next(), letters.next());
    match (first, second) {
        (Some((place, '\\')), _) => place + until_quote(text.get(place..).unwrap_or_default(), '\'') + 1,
        (_, Some((place, '\''))) => place + 1,
        _ => {
            let name = text.get(1..).unwrap_or_default();
            1 + name.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(name.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{read, without_tests};

    fn shown(source: &str) -> String {
        read(source).iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_go_and_literals_are_one_token() {
        assert_eq!(shown("a /* x /* y */ */ b // c\n::d"), "a b :: d");
        assert_eq!(
            shown(r##"f("a{\"", r#"b"{"#, '{', '\'', '\u{7b}', &'a x)"##),
            r##"f ( a{\" , b"{ , '{' , '\'' , '\u{7b}' , & 'a x )"##
        );
    }

    #[test]
    fn items_for_tests_go_whole() {
        let source = "a; #[cfg(test)] #[path = \"x.rs\"] mod tests; b; #[cfg(test)] mod t { fn f() { x } } c; \
                      #[cfg(test)] use d::{e, f}; #[cfg(test)] pub(crate) fn g(h: I, j: K) -> [u8; 4] { l } m";
        let kept: Vec<String> = without_tests(&read(source)).into_iter().map(|token| token.text).collect();
        assert_eq!(kept.join(" "), "a ; b ; c ; m");
    }
}

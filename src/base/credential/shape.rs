//! The notation in which the table of kinds writes a token, and the walk that matches it.
//!
//! `ghp_{A36}` is a literal and a run of exactly 36 letters or digits; `{A20+}` is a run of at least 20, and all
//! of the run belongs to the token; `{A20+~36}` says that it mostly has 36, `{A32+~32/48}` 32 or 48; `{A20-30}` is a run of 20 to 30; `|` says where the secret begins when text
//! before it stays. A shape may begin with a run only if a literal follows: the literal is searched, and the run is walked
//! backwards. Runs are greedy and never tried again, so a match costs its own length.

use super::alphabet::{self, Class};

/// Longest run that is walked, in bytes: longer than any token of the table, short enough to be cheap.
const LONGEST_RUN: usize = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Literal(&'static str),
    Run { class: Class, least: usize, most: usize, open: bool, usual: [usize; 2] },
    SecretStarts,
}

/// Where a token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// First byte of what is secret.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// Every run has the length that the family gives it.
    pub exact: bool,
}

/// One written form of a kind.
#[derive(Debug, Clone)]
pub struct Shape {
    before: Option<Piece>,
    anchor: &'static str,
    after: Vec<Piece>,
}

impl Shape {
    /// Reads the notation; `None` if it is not well-formed or has no literal to search for.
    pub fn parse(notation: &'static str) -> Option<Self> {
        let mut pieces = parse_pieces(notation)?.into_iter();
        let first = pieces.next()?;
        let (before, anchor) = match first {
            Piece::Literal(anchor) => (None, anchor),
            Piece::Run { .. } => match pieces.next()? {
                Piece::Literal(anchor) => (Some(first), anchor),
                _ => return None,
            },
            Piece::SecretStarts => return None,
        };
        Some(Self { before, anchor, after: pieces.collect() })
    }

    /// The literal by which the shape is found.
    pub const fn anchor(&self) -> &'static str {
        self.anchor
    }

    /// The shortest secret that the form describes, in bytes.
    pub fn least(&self) -> usize {
        let bar = self.after.iter().position(|piece| *piece == Piece::SecretStarts);
        let kept = if bar.is_none() { self.anchor.len() } else { 0 };
        let pieces = self.after.iter().skip(bar.unwrap_or(0)).map(|piece| match piece {
            Piece::Literal(text) => text.len(),
            Piece::Run { least, .. } => *least,
            Piece::SecretStarts => 0,
        });
        kept + pieces.sum::<usize>()
    }

    /// Whether nothing but literals stands before what the search finds.
    pub const fn begins_with_anchor(&self) -> bool {
        self.before.is_none()
    }

    /// Where the run before what the search finds begins, if that stands at `at`, however short it is; nothing for a form
    /// without such a run.
    pub fn walk_back(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let Some(Piece::Run { class, most, .. }) = self.before else { return None };
        let start = alphabet::run_back(bytes, at, class, most);
        Some(alphabet::behind_escape(bytes, start).min(at))
    }

    /// The least length of the run before what the search finds.
    pub fn least_before(&self) -> usize {
        match self.before {
            Some(Piece::Run { least, .. }) => least,
            _ => 0,
        }
    }

    /// Whether the run before what the search finds has one length only, or one of those behind it.
    pub fn has_fixed_length(&self, before: bool) -> bool {
        let is_fixed = |piece: &Piece| matches!(piece, Piece::Run { least, most, .. } if least == most);
        if before { self.before.as_ref().is_some_and(is_fixed) } else { self.after.iter().any(is_fixed) }
    }

    /// Where a walk from `at` ended that found no token, or `end` where one ended that is none, and whether the run goes on
    /// there: every beginning inside of an open run leads to its end. Nothing for forms without such a run.
    pub fn dead_end(&self, bytes: &[u8], at: usize, end: Option<usize>) -> Option<(usize, bool)> {
        let mut pieces = self.after.iter().filter(|piece| **piece != Piece::SecretStarts);
        let run = if end.is_some() { pieces.next_back() } else { pieces.next() };
        let Some(Piece::Run { class, open: true, .. }) = run else { return None };
        let start = at + self.anchor.len();
        let end = end.unwrap_or_else(|| alphabet::run(bytes, start, *class, LONGEST_RUN));
        Some((end, alphabet::is(alphabet::byte(bytes, end), *class)))
    }

    /// Matches where the anchor stands at `at`. `free` is where the
    /// last token ended: another may begin right there.
    pub fn matches(&self, bytes: &[u8], at: usize, free: usize) -> Option<Match> {
        let mut start = at;
        if let Some(Piece::Run { least, .. }) = self.before {
            start = self.walk_back(bytes, at)?;
            if at - start < least {
                return None;
            }
        }
        let keeps_head = self.after.contains(&Piece::SecretStarts);
        if !keeps_head && start != free && !alphabet::opens_word(bytes, start) {
            return None;
        }
        let mut end = at + self.anchor.len();
        let mut exact = true;
        for (number, piece) in self.after.iter().enumerate() {
            match *piece {
                Piece::SecretStarts => start = end,
                Piece::Literal(text) => {
                    if alphabet::part(bytes, end, end + text.len()) != text.as_bytes() {
                        return None;
                    }
                    end += text.len();
                }
                Piece::Run { class, least, most, open, usual } => {
                    let mut stop = alphabet::run(bytes, end, class, most);
                    let goes_on = || matches!(self.after.get(number + 1), Some(Piece::Literal(_)));
                    if !open && alphabet::is(alphabet::byte(bytes, stop), class) && !goes_on() {
                        // In a path the alphabet of base64 goes on over the end of its folder.
                        let run = alphabet::part(bytes, end + least, (stop + 1).min(bytes.len()));
                        stop = end + least + run.iter().position(|byte| *byte == b'/')?;
                    }
                    if stop - end < least {
                        return None;
                    }
                    exact &= !open || usual.contains(&(stop - end));
                    end = stop;
                }
            }
        }
        // A sentence may end behind a token of whose alphabet its full stop is.
        let is_fixed = matches!(self.after.last(), Some(Piece::Run { least, most, .. }) if least == most);
        let ends_line = || bytes.get(end).is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'\\');
        if alphabet::byte(bytes, end - 1) == b'.' && !is_fixed && ends_line() {
            end -= 1;
        }
        Some(Match { start, end, exact })
    }
}

fn parse_pieces(notation: &'static str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = notation;
    while !rest.is_empty() {
        if let Some(tail) = rest.strip_prefix('|') {
            pieces.push(Piece::SecretStarts);
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix('{') {
            let (run, tail) = tail.split_once('}')?;
            pieces.push(parse_run(run)?);
            rest = tail;
        } else {
            let end = rest.find(['|', '{']).unwrap_or(rest.len());
            let (literal, tail) = rest.split_at_checked(end)?;
            pieces.push(Piece::Literal(literal));
            rest = tail;
        }
    }
    Some(pieces)
}

fn parse_run(run: &str) -> Option<Piece> {
    let mut characters = run.chars();
    let class = class_of(characters.next()?)?;
    let (counts, usual) = characters.as_str().split_once('~').unwrap_or((characters.as_str(), "0"));
    let (first, second) = usual.split_once('/').unwrap_or((usual, usual));
    let usual = [first.parse().ok()?, second.parse().ok()?];
    let (least, most, open) = if let Some(least) = counts.strip_suffix('+') {
        (least.parse().ok()?, LONGEST_RUN, true)
    } else if let Some((least, most)) = counts.split_once('-') {
        (least.parse().ok()?, most.parse().ok()?, false)
    } else {
        let exact = counts.parse().ok()?;
        (exact, exact, false)
    };
    Some(Piece::Run { class, least, most, open, usual })
}

/// The alphabets of the notation, by the letters that credential lists use for them.
fn class_of(letter: char) -> Option<Class> {
    Some(match letter {
        'A' => alphabet::ALNUM,
        'B' => alphabet::BASE64,
        'D' => alphabet::DIGIT,
        'H' => alphabet::HEX,
        'L' => alphabet::LOWER,
        'N' => alphabet::BASE36,
        'P' => alphabet::ADDRESS,
        'S' => alphabet::BASE32,
        'U' => alphabet::URL_SAFE,
        'V' => alphabet::DOTTED,
        'W' => alphabet::BASE64_ALL,
        'X' => alphabet::HEX_ANY,
        _ => return None,
    })
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test may panic")]
mod tests {
    use super::Shape;

    fn found(notation: &'static str, text: &str) -> Option<String> {
        let shape = Shape::parse(notation).unwrap();
        let at = text.find(shape.anchor()).unwrap();
        let found = shape.matches(text.as_bytes(), at, 0)?;
        Some(text[found.start..found.end].to_owned())
    }

    #[test]
    fn an_exact_run_must_end_where_it_says() {
        assert_eq!(found("k_{H4}", "k_ab12 "), Some("k_ab12".to_owned()));
        assert_eq!(found("k_{H4}", "k_ab123"), None);
        assert_eq!(found("k_{H4+}", "k_ab123"), Some("k_ab123".to_owned()));
        assert_eq!(found("k_{A4}MARK{A2}", "k_abcdMARKef"), Some("k_abcdMARKef".to_owned()));
        assert_eq!(found("k_{A4}MARK{A2}", "k_abcdMARKefg"), None);
    }

    #[test]
    fn text_before_the_bar_stays() {
        assert_eq!(found("x.y/|{A2+}", "https://x.y/abc"), Some("abc".to_owned()));
    }

    #[test]
    fn a_leading_run_is_walked_backwards() {
        assert_eq!(found("{A2-4}MARK{A2}", "=abcMARKde"), Some("abcMARKde".to_owned()));
        assert_eq!(found("{A2-4}MARK{A2}", "=aMARKde"), None);
    }
}

//! Where the literals of the table stand in a text: one look at three bytes a place, and a comparison only where some
//! literal may begin so.
//!
//! The look is a byte in a small table that stays in the nearest cache, so that the size of the table of kinds does not
//! slow ordinary text down. Found is the longest literal at a place; the search goes on behind it.

use std::collections::{BTreeMap, BTreeSet};

/// Bits of a byte that are looked at: letters are told apart by them, though not their case.
const BITS: u32 = 5;
/// What three bytes may look like.
const HEADS: usize = 1 << (3 * BITS);
/// Most lists of literals that begin alike: a byte names one of them, or none.
const MOST_LISTS: usize = 255;
/// Places that are looked at in one step.
const PLACES: u32 = 6;
/// The low bits of all eight bytes, and those of every second byte.
const LOW: u64 = 0x1f1f_1f1f_1f1f_1f1f;
const SECOND: u64 = 0x001f_001f_001f_001f;

/// What may stand behind a literal of two bytes: only a run of hexadecimal digits, or digits in base64, make so short a
/// mark a token.
const THIRD: &[u8; 25] = b"0123456789abcdefAEIMQUYgk";

/// A set of literals of two bytes or more.
pub struct Literals {
    /// For every head the number of its list in `lists` plus one, or 0 where no literal begins so.
    heads: Box<[u8; HEADS]>,
    /// Literals that begin alike, the longest first.
    lists: Vec<Vec<Entry>>,
}

/// One literal.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    literal: &'static str,
    number: usize,
    /// Its first eight bytes, and which of these it has: they tell nearly all of it in one comparison.
    opening: u64,
    mask: u64,
}

impl Entry {
    fn new(literal: &'static str, number: usize) -> Self {
        let (mut opening, mut mask) = ([0; 8], [0; 8]);
        for ((byte, is_there), given) in opening.iter_mut().zip(&mut mask).zip(literal.bytes()) {
            (*byte, *is_there) = (given, 0xff);
        }
        Self { literal, number, opening: u64::from_le_bytes(opening), mask: u64::from_le_bytes(mask) }
    }

    fn fits(&self, eight: u64, rest: &[u8]) -> bool {
        eight & self.mask == self.opening
            && match self.literal.len() {
                2 => rest.get(2).is_some_and(|third| THIRD.contains(third)),
                length => length <= 8 || rest.starts_with(self.literal.as_bytes()),
            }
    }
}

impl Literals {
    /// Compiles the set; a literal's number is its place in `literals`.
    pub fn new(literals: &[&'static str]) -> Self {
        let mut beginning: BTreeMap<usize, Vec<Entry>> = BTreeMap::new();
        for (number, literal) in literals.iter().enumerate() {
            let (opening, thirds) = match literal.as_bytes() {
                [first, second, third, ..] => ([*first, *second], std::slice::from_ref(third)),
                [first, second] => ([*first, *second], &THIRD[..]),
                _ => continue,
            };
            let [first, second] = opening;
            let heads: BTreeSet<usize> = thirds.iter().map(|third| head([first, second, *third])).collect();
            for head in heads {
                beginning.entry(head).or_default().push(Entry::new(literal, number));
            }
        }
        let mut set = Self { heads: Box::new([0; HEADS]), lists: Vec::new() };
        for (head, list) in beginning {
            let place = set.place(list);
            if let (Some(slot), Ok(place)) = (set.heads.get_mut(head), u8::try_from(place + 1)) {
                *slot = place;
            }
        }
        for list in &mut set.lists {
            list.sort_by_key(|entry| std::cmp::Reverse(entry.literal.len()));
            list.dedup();
        }
        set
    }

    /// Where the list stands; when there is no more room for lists, the last one takes all others in.
    fn place(&mut self, list: Vec<Entry>) -> usize {
        let known = self.lists.iter().position(|known| *known == list);
        let place = known.unwrap_or(self.lists.len()).min(MOST_LISTS - 1);
        match self.lists.get_mut(place) {
            Some(_) if known.is_some() => {}
            Some(last) => last.extend(list),
            None => self.lists.push(list),
        }
        place
    }

    /// Calls `found` with the place and the number of all literals of a text that begin in `start..end`, in order, none over
    /// another.
    pub fn for_each(&self, bytes: &[u8], start: usize, end: usize, mut found: impl FnMut(usize, usize)) {
        let (mut base, mut free) = (start, start);
        while base < end
            && let Some(rest) = bytes.get(base..)
        {
            // Eight bytes hold the beginnings of six places, and one branch is for all of them.
            let mut lists = self.lists_at(eight_of(rest));
            while lists != 0 {
                let place = lists.trailing_zeros() / 8;
                let list = (lists >> (8 * place)) as u8;
                lists &= !(0xff << (8 * place));
                let at = base + place as usize;
                if at >= free
                    && at < end
                    && let Some((number, length)) = self.longest(list, bytes, at)
                {
                    free = at + length;
                    found(at, number);
                }
            }
            base += PLACES as usize;
        }
    }

    /// For each of the first six of eight bytes the list of literals that may begin there, in a byte each.
    fn lists_at(&self, eight: u64) -> u64 {
        let low = eight & LOW;
        let (even, odd) = (heads(low), heads(low >> 8));
        let list = |heads: u64, lane: u32| {
            self.heads.get((heads >> (16 * lane)) as usize % HEADS).map_or(0, |list| u64::from(*list))
        };
        (0..PLACES / 2).fold(0, |lists, lane| {
            lists | list(even, lane) << (16 * lane) | list(odd, lane) << (16 * lane + 8)
        })
    }

    /// The longest literal of a list that stands at a place.
    fn longest(&self, list: u8, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        let rest = bytes.get(at..)?;
        let eight = eight_of(rest);
        let list = self.lists.get(usize::from(list).checked_sub(1)?)?;
        let entry = list.iter().find(|entry| entry.fits(eight, rest))?;
        Some((entry.number, entry.literal.len()))
    }
}

/// The first eight bytes, or fewer and nothing behind them: no literal holds a NUL.
fn eight_of(rest: &[u8]) -> u64 {
    rest.first_chunk::<8>().map_or_else(
        || rest.iter().rev().fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
        |eight| u64::from_le_bytes(*eight),
    )
}

impl std::fmt::Debug for Literals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Literals({} beginnings)", self.lists.len())
    }
}

/// The low bits of three bytes, the first one lowest.
fn head(bytes: [u8; 3]) -> usize {
    let [first, second, third] = bytes.map(|byte| usize::from(byte) % (1 << BITS));
    first | second << BITS | third << (2 * BITS)
}

/// The heads of three bytes that begin at the first, third and fifth of eight, 16 bits for each.
const fn heads(low: u64) -> u64 {
    (low & SECOND) | (low >> 8 & SECOND) << BITS | (low >> 16 & SECOND) << (2 * BITS)
}

#[cfg(test)]
mod tests {
    use super::Literals;

    fn all(literals: &Literals, text: &[u8]) -> Vec<(usize, usize)> {
        within(literals, text, 0, text.len())
    }

    fn within(literals: &Literals, text: &[u8], start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        literals.for_each(text, start, end, |at, number| found.push((at, number)));
        found
    }

    #[test]
    fn a_set_with_more_beginnings_than_lists_finds_all_the_same() {
        let words: Vec<&'static str> = (b'a'..=b'z')
            .flat_map(|first| (b'a'..=b'z').map(move |second| [first, second, second, b'-']))
            .map(|word| String::from_utf8_lossy(&word).into_owned().leak() as &'static str)
            .collect();
        let literals = Literals::new(&words);
        let text = words.join(" ");
        let numbers: Vec<usize> =
            all(&literals, text.as_bytes()).into_iter().map(|(_, number)| number).collect();
        assert!(words.len() > super::MOST_LISTS && numbers.into_iter().eq(0..words.len()));
    }

    #[test]
    fn of_a_part_the_literals_are_found_that_begin_in_it() {
        let literals = Literals::new(&["key", "://"]);
        let text = b"key key key://key-----key";
        let within = |start, end| {
            within(&literals, text, start, end).into_iter().map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(within(1, 9), [4, 8]);
        assert_eq!(within(1, 8), [4]);
        assert_eq!(within(5, 12), [8, 11]);
        assert_eq!(within(14, 22), [14]);
        assert_eq!(within(14, 23), [14, 22]);
    }

    #[test]
    fn the_longest_literal_at_a_place_is_found_and_the_search_goes_on_behind_it() {
        let literals = Literals::new(&["key", "keys-", "2/"]);
        let text = b"a key keys-1 2/3";
        assert_eq!(all(&literals, text), [(2, 0), (6, 1), (13, 2)]);
        for length in 0..12 {
            let text = format!("{}key", "-".repeat(length));
            assert_eq!(all(&literals, text.as_bytes()), [(length, 0)], "{length}");
        }
        assert_eq!(all(&literals, b"ke").len() + all(&literals, b"").len(), 0);
    }
}

//! Where the literals of the table stand in a text: one look at three bytes a place, and a comparison only where some
//! literal begins so.
//!
//! The look is a bit in a small table that stays in the nearest cache, so that the size of the table of kinds does not
//! slow ordinary text down. Found is the longest literal at a place; the search goes on behind it.

/// Bits of the hash of three bytes.
const HASH_BITS: u32 = 16;
/// Hashes of three bytes.
const HASHES: usize = 1 << HASH_BITS;
/// Words of the table of bits.
const WORDS: usize = HASHES / 64;
/// Places that are looked at in one step.
const PLACES: usize = 6;

/// What may stand behind a literal of two bytes: only a run of hexadecimal digits, or digits in base64, make so short a
/// mark a token.
const THIRD: &[u8; 25] = b"0123456789abcdefAEIMQUYgk";

/// A set of literals of two bytes or more.
pub struct Literals {
    /// A bit for every hash with which a literal begins.
    begins: Box<[u64; WORDS]>,
    /// For every hash the place in `fitting` plus one.
    slots: Vec<u16>,
    /// Literals that begin with one hash, the longest first, by their number.
    fitting: Vec<Vec<Entry>>,
}

/// One literal.
#[derive(PartialEq)]
struct Entry {
    literal: &'static str,
    number: usize,
    /// Most places that begin like a literal go on otherwise: this byte tells before anything is compared.
    fourth: Option<u8>,
}

impl Literals {
    /// Compiles the set; a literal's number is its place in `literals`.
    pub fn new(literals: &[&'static str]) -> Self {
        let mut set = Self { begins: Box::new([0; WORDS]), slots: vec![0; HASHES], fitting: Vec::new() };
        for (number, literal) in literals.iter().enumerate() {
            match literal.as_bytes() {
                [first, second, third, ..] => set.add([*first, *second, *third], literal, number),
                [first, second] => {
                    THIRD.iter().for_each(|third| set.add([*first, *second, *third], literal, number))
                }
                _ => {}
            }
        }
        for fitting in &mut set.fitting {
            fitting.sort_by_key(|entry| std::cmp::Reverse(entry.literal.len()));
            fitting.dedup();
        }
        set
    }

    fn add(&mut self, head: [u8; 3], literal: &'static str, number: usize) {
        let [first, second, third] = head;
        let hash = hash(u32::from_le_bytes([first, second, third, 0]));
        if let (Some(word), Some(slot)) = (self.begins.get_mut(hash / 64), self.slots.get_mut(hash)) {
            *word |= 1 << (hash % 64);
            if *slot == 0 {
                self.fitting.push(Vec::new());
                *slot = u16::try_from(self.fitting.len()).unwrap_or(0);
            }
            if let Some(fitting) = self.fitting.get_mut(usize::from(*slot).wrapping_sub(1)) {
                fitting.push(Entry { literal, number, fourth: literal.as_bytes().get(3).copied() });
            }
        }
    }

    /// All literals of a text in order, none over another.
    pub const fn all<'t>(&'t self, bytes: &'t [u8]) -> Hits<'t> {
        Hits { literals: self, bytes, base: 0, places: 0, looked: 0, free: 0 }
    }

    /// 1 where some literal may begin with the three low bytes.
    fn begins_here(&self, head: u32) -> u64 {
        let hash = hash(head);
        (self.begins.get(hash / 64).copied().unwrap_or(0) >> (hash % 64)) & 1
    }

    fn longest(&self, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        let rest = bytes.get(at..)?;
        let [first, second, third] = *rest.first_chunk::<3>()?;
        let slot = usize::from(*self.slots.get(hash(u32::from_le_bytes([first, second, third, 0])))?);
        let fourth = rest.get(3);
        let fits = |entry: &&Entry| {
            (entry.fourth.is_none() || entry.fourth.as_ref() == fourth)
                && rest.starts_with(entry.literal.as_bytes())
        };
        let entry = self.fitting.get(slot.checked_sub(1)?)?.iter().find(fits)?;
        Some((entry.number, entry.literal.len()))
    }
}

/// The search over one text. Eight bytes hold the beginnings of six places, and one branch is for all of them.
pub struct Hits<'t> {
    literals: &'t Literals,
    bytes: &'t [u8],
    /// Where the six places begin that were looked at last.
    base: usize,
    /// Those of them at which some literal may begin.
    places: u64,
    /// Up to where was looked.
    looked: usize,
    /// Where the last literal ended.
    free: usize,
}

impl Iterator for Hits<'_> {
    /// Where a literal stands, and its number.
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            while self.places != 0 {
                let at = self.base + self.places.trailing_zeros() as usize;
                self.places &= self.places - 1;
                if at >= self.free
                    && let Some((number, length)) = self.literals.longest(self.bytes, at)
                {
                    self.free = at + length;
                    return Some((at, number));
                }
            }
            self.base = self.looked;
            let rest = self.bytes.get(self.base..)?;
            if let Some(eight) = rest.first_chunk::<8>() {
                let eight = u64::from_le_bytes(*eight);
                for place in 0..PLACES {
                    self.places |= self.literals.begins_here((eight >> (8 * place)) as u32) << place;
                }
                self.looked += PLACES;
            } else {
                // The last bytes are looked at one by one.
                self.places = (1 << rest.len().saturating_sub(2)) - 1;
                self.looked = self.bytes.len() + 1;
            }
        }
    }
}

impl std::fmt::Debug for Literals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Literals({} beginnings)", self.fitting.len())
    }
}

/// The hash of the three low bytes.
const fn hash(head: u32) -> usize {
    ((head << 8).wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::Literals;

    #[test]
    fn the_longest_literal_at_a_place_is_found_and_the_search_goes_on_behind_it() {
        let literals = Literals::new(&["key", "keys-", "2/"]);
        let text = b"a key keys-1 2/3";
        assert_eq!(literals.all(text).collect::<Vec<_>>(), [(2, 0), (6, 1), (13, 2)]);
        for length in 0..12 {
            let text = format!("{}key", "-".repeat(length));
            assert_eq!(literals.all(text.as_bytes()).collect::<Vec<_>>(), [(length, 0)], "{length}");
        }
        assert_eq!(literals.all(b"ke").count() + literals.all(b"").count(), 0);
    }
}

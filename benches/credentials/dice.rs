//! Made-up characters from a seed: the same rows for the same seed on every machine.

/// A small generator (splitmix64).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }

    pub fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let index = self.below(items.len());
        #[expect(
            clippy::indexing_slicing,
            reason = "lists of ours are not empty, and the index is below their length"
        )]
        &items[index]
    }

    /// Characters of an alphabet.
    pub fn run(&mut self, alphabet: &str, count: usize) -> String {
        let letters = alphabet.as_bytes();
        (0..count).map(|_| char::from(*self.one(letters))).collect()
    }

    /// A form with made-up characters in place of its runs: `ghp_{A36}`, `{U20-40}`.
    pub fn fill(&mut self, form: &str) -> String {
        let mut text = String::new();
        let mut rest = form;
        while let Some((before, tail)) = rest.split_once('{') {
            text.push_str(before);
            let filled = tail.split_once('}').and_then(|(run, tail)| Some((self.filled(run)?, tail)));
            match filled {
                Some((made, tail)) => {
                    text.push_str(&made);
                    rest = tail;
                }
                None => {
                    text.push('{');
                    rest = tail;
                }
            }
        }
        text + rest
    }

    fn filled(&mut self, run: &str) -> Option<String> {
        let mut letters = run.chars();
        let alphabet = alphabet(letters.next()?)?;
        let counts = letters.as_str();
        let (least, most): (usize, usize) = match counts.split_once('-') {
            Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
            None => (counts.parse().ok()?, counts.parse().ok()?),
        };
        let count = least + self.below(most - least + 1);
        Some(self.run(alphabet, count))
    }
}

/// The alphabets, by the letters that stand for them in a form.
pub const fn alphabet(letter: char) -> Option<&'static str> {
    Some(match letter {
        'A' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        'B' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        'C' => "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
        'D' => "0123456789",
        'G' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        'H' => "0123456789abcdef",
        'J' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'K' => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        'L' => "abcdefghijklmnopqrstuvwxyz",
        'M' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-",
        'N' => "abcdefghijklmnopqrstuvwxyz0123456789",
        'R' => "abcdefghijklmnopqrstuvwxyz234567",
        'S' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'T' => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        'U' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        'X' => "0123456789ABCDEF",
        _ => return None,
    })
}

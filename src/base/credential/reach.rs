//! Parts of a text that are looked at again because something near them changed: a disguise was written out, a mark took the
//! place of a secret. Everywhere else a second look sees what the first one saw.

/// How far a look around a literal reaches, in bytes: the longest value, name, gutter and joint together, and as much again.
/// Bodies of keys reach further; texts that hold their marks are looked at whole.
const REACH: usize = 16 * 1024;

/// What lies within reach of ranges that stand in order, in a text of `length` bytes: ranges in order, none next to another.
pub fn around(places: impl Iterator<Item = (usize, usize)>, length: usize) -> Vec<(usize, usize)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for (start, end) in places {
        let (start, end) = (start.saturating_sub(REACH), length.min(end + REACH));
        match parts.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => parts.push((start, end)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{REACH, around};

    #[test]
    fn parts_that_touch_are_one_and_none_leaves_the_text() {
        let places = [(10, 12), (20, 20), (3 * REACH, 3 * REACH + 1)];
        let parts = around(places.into_iter(), 4 * REACH - 5);
        assert_eq!(parts, [(0, 20 + REACH), (2 * REACH, 4 * REACH - 5)]);
        assert_eq!(around(std::iter::empty(), 9), []);
    }
}

//! Merkle trees as RFC 9162 defines them, over SHA-256: a frontier that streams them in logarithmic memory,
//! the stored nodes that later prove a range against a root, and nothing that writes files.
//!
//! Nodes are stored in the order in which they become complete: each leaf, then every parent that it
//! closes. The place of a node follows from its level and number alone, so that a stored tree only grows.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::base::digest::Digest;

/// Bytes of one stored node.
pub const NODE_BYTES: u64 = 32;

/// Hash of a leaf: the exact bytes of a stored line without its LF.
pub fn leaf_hash(line: &[u8]) -> Digest {
    let mut leaf = LeafHasher::default();
    leaf.update(line);
    leaf.finish()
}

/// The hash of a leaf whose line comes in pieces.
pub struct LeafHasher(Sha256);

impl Default for LeafHasher {
    fn default() -> Self {
        Self(Sha256::new_with_prefix([0]))
    }
}

impl LeafHasher {
    /// The next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The hash of all of them.
    pub fn finish(self) -> Digest {
        Digest::from_bytes(self.0.finalize().into())
    }
}

fn node_hash(left: &Digest, right: &Digest) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update([1]);
    hasher.update(left.as_bytes());
    hasher.update(right.as_bytes());
    Digest::from_bytes(hasher.finalize().into())
}

/// Root of the empty tree: the hash of nothing.
pub fn empty_root() -> Digest {
    Digest::of(&[])
}

/// The right edge of a growing tree: one complete subtree for each set bit of its size.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Digest>,
}

impl Frontier {
    /// Adds a leaf and gives every node that becomes complete to `store`, in stored order.
    pub fn push(&mut self, leaf: Digest, mut store: impl FnMut(&Digest)) {
        store(&leaf);
        let mut node = leaf;
        let mut bits = self.size;
        while bits & 1 == 1 {
            // A set bit means that a peak of that level waits on the left.
            let Some(left) = self.peaks.pop() else { break };
            node = node_hash(&left, &node);
            store(&node);
            bits >>= 1;
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// Number of leaves.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The root of the leaves so far.
    pub fn root(&self) -> Digest {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else { return empty_root() };
        peaks.fold(*last, |right, left| node_hash(left, &right))
    }
}

/// Place of a complete node in stored order: `level` 0 are leaves, `number` counts from 0 within a level.
pub const fn stored_place(level: u32, number: u64) -> u64 {
    // The node is stored right behind the last leaf below it and the lower parents that this leaf closes.
    let leaf = (number + 1) << level;
    let last = leaf - 1;
    // Before leaf `n` stand n leaves and n - ones(n) parents.
    2 * last - last.count_ones() as u64 + level as u64
}

/// Number of nodes stored for a tree of `size` leaves.
pub const fn stored_nodes(size: u64) -> u64 {
    2 * size - size.count_ones() as u64
}

/// Computes the root of a tree of `size` leaves from the hashes of the leaves `[first, first + leaves.len())`
/// and stored nodes everywhere else. `None` when a node cannot be read or the range is outside the tree.
pub fn root_with_range(
    size: u64,
    first: u64,
    leaves: &[Digest],
    read: &mut dyn FnMut(u64) -> Option<Digest>,
) -> Option<Digest> {
    let last = first.checked_add(leaves.len() as u64)?;
    if leaves.is_empty() || last > size {
        return None;
    }
    subtree(0, size, first, leaves, read)
}

fn subtree(
    low: u64,
    high: u64,
    first: u64,
    leaves: &[Digest],
    read: &mut dyn FnMut(u64) -> Option<Digest>,
) -> Option<Digest> {
    let width = high - low;
    let outside = high <= first || low >= first + leaves.len() as u64;
    if outside && width.is_power_of_two() {
        let level = width.trailing_zeros();
        return read(stored_place(level, low >> level));
    }
    if width == 1 {
        return leaves.get(usize::try_from(low - first).ok()?).copied();
    }
    let half = if width.is_power_of_two() { width / 2 } else { 1 << (u64::BITS - 1 - width.leading_zeros()) };
    let left = subtree(low, low + half, first, leaves, read)?;
    let right = subtree(low + half, high, first, leaves, read)?;
    Some(node_hash(&left, &right))
}

/// True when the tree of `newer` (size and root) begins with the leaves of `older`, as stored nodes of the newer one show:
/// both roots must follow from what is read.
pub fn extends(
    older: (u64, Digest),
    newer: (u64, Digest),
    read: &mut dyn FnMut(u64) -> Option<Digest>,
) -> bool {
    if older.0 == 0 || older.0 > newer.0 {
        return older == (0, empty_root());
    }
    both(0, newer.0, older.0, read) == Some((Some(older.1), newer.1))
}

/// Hashes over the leaves `[low, high)`: of those below `border`, if there are any, and of all.
fn both(
    low: u64,
    high: u64,
    border: u64,
    read: &mut dyn FnMut(u64) -> Option<Digest>,
) -> Option<(Option<Digest>, Digest)> {
    let width = high - low;
    let across = low < border && border < high;
    if width.is_power_of_two() && !across {
        let level = width.trailing_zeros();
        let node = read(stored_place(level, low >> level))?;
        return Some(((high <= border).then_some(node), node));
    }
    let half = if width.is_power_of_two() { width / 2 } else { 1 << (u64::BITS - 1 - width.leading_zeros()) };
    let (left_older, left) = both(low, low + half, border, read)?;
    let (right_older, right) = both(low + half, high, border, read)?;
    let older = match (left_older, right_older) {
        (Some(left), Some(right)) => Some(node_hash(&left, &right)),
        (left, _) => left,
    };
    Some((older, node_hash(&left, &right)))
}

#[cfg(test)]
mod tests {
    use super::{Frontier, empty_root, extends, leaf_hash, root_with_range, stored_nodes, stored_place};
    use crate::base::digest::Digest;

    fn line(number: u64) -> Vec<u8> {
        format!("line {number}").into_bytes()
    }

    fn grown(size: u64) -> (Frontier, Vec<Digest>) {
        let mut frontier = Frontier::default();
        let mut nodes = Vec::new();
        for number in 0..size {
            frontier.push(leaf_hash(&line(number)), |node| nodes.push(*node));
        }
        (frontier, nodes)
    }

    #[test]
    fn the_empty_root_is_the_hash_of_nothing() {
        let known = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(empty_root().to_string(), known);
        assert_eq!(Frontier::default().root().to_string(), known);
    }

    #[test]
    fn roots_agree_with_the_maintained_implementation() {
        let mut tree = ct_merkle::mem_backed_tree::MemoryBackedTree::<sha2::Sha256, Vec<u8>>::new();
        let mut frontier = Frontier::default();
        for number in 0..200 {
            tree.push(line(number));
            frontier.push(leaf_hash(&line(number)), |_| {});
            assert_eq!(
                frontier.root().as_bytes().as_slice(),
                tree.root().as_bytes().as_slice(),
                "size {}",
                number + 1
            );
        }
    }

    #[test]
    fn every_range_proves_against_the_root_with_stored_nodes() {
        for size in 1..=40_u64 {
            let (frontier, nodes) = grown(size);
            assert_eq!(nodes.len() as u64, stored_nodes(size));
            for first in 0..size {
                for last in first + 1..=size {
                    let leaves: Vec<_> = (first..last).map(|number| leaf_hash(&line(number))).collect();
                    let root = root_with_range(size, first, &leaves, &mut |place| {
                        nodes.get(place as usize).copied()
                    });
                    assert_eq!(root, Some(frontier.root()), "{first}..{last} of {size}");
                }
            }
        }
    }

    #[test]
    fn a_tree_extends_each_of_its_earlier_states_and_no_other() {
        let states: Vec<_> = (0..=70_u64).map(|size| (size, grown(size).0.root())).collect();
        let other = leaf_hash(b"other");
        for newer in &states {
            let (_, nodes) = grown(newer.0);
            let mut read = |place: u64| nodes.get(place as usize).copied();
            for older in &states {
                assert_eq!(extends(*older, *newer, &mut read), older.0 <= newer.0, "{} {}", older.0, newer.0);
                assert!(!extends((older.0, other), *newer, &mut read));
                assert!(older.0 == 0 || !extends(*older, (newer.0, other), &mut read));
            }
            // A node that was changed proves nothing.
            if let Some(older) = states.get(newer.0 as usize / 2).filter(|older| older.0 > 0) {
                for place in 0..nodes.len() {
                    let mut used = false;
                    let mut lie = |at: u64| {
                        used |= at == place as u64;
                        if at == place as u64 { Some(other) } else { nodes.get(at as usize).copied() }
                    };
                    let held = extends(*older, *newer, &mut lie);
                    assert_eq!(held, !used);
                }
            }
        }
    }

    #[test]
    fn a_changed_line_does_not_prove() {
        let (frontier, nodes) = grown(21);
        let wrong = [leaf_hash(b"other")];
        let root = root_with_range(21, 5, &wrong, &mut |place| nodes.get(place as usize).copied());
        assert_ne!(root, Some(frontier.root()));
    }

    #[test]
    fn places_count_the_nodes_in_the_order_of_completion() {
        assert_eq!((0..6).map(|leaf| stored_place(0, leaf)).collect::<Vec<_>>(), [0, 1, 3, 4, 7, 8]);
        assert_eq!((stored_place(1, 0), stored_place(1, 1), stored_place(2, 0)), (2, 5, 6));
    }
}

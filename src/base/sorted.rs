//! Hash maps and sets written in the order of their keys, so that equal states are equal bytes.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use serde::{Serialize, Serializer};

/// Writes a map, for `serialize_with`.
///
/// # Errors
/// Those of the serializer.
pub fn map<K, V, H, S>(map: &HashMap<K, V, H>, serializer: S) -> Result<S::Ok, S::Error>
where
    K: Serialize + Ord + Hash,
    V: Serialize,
    H: BuildHasher,
    S: Serializer,
{
    let mut entries: Vec<(&K, &V)> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    serializer.collect_map(entries)
}

/// Writes a set, for `serialize_with`.
///
/// # Errors
/// Those of the serializer.
pub fn set<K, H, S>(set: &HashSet<K, H>, serializer: S) -> Result<S::Ok, S::Error>
where
    K: Serialize + Ord + Hash,
    H: BuildHasher,
    S: Serializer,
{
    let mut keys: Vec<&K> = set.iter().collect();
    keys.sort_unstable();
    serializer.collect_seq(keys)
}

//! A map by fingerprint whose memory is bounded: the first value of a key counts, and beyond a bound entries go to
//! sorted files in the ledger folder, each with a filter that nearly always knows what is not in it. The same files are
//! what a later collection goes on from, without reading them.

use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::FileExt as _;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::transcript::reading::Key;
use crate::base::digest::{Digest, Hasher};
use crate::base::private::{Folder, OpenArtifact, StreamFile};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Entries in memory; with what a hash table keeps free, some megabytes.
const FRESH_ENTRIES: usize = 100_000;
/// Files of similar size that become one.
const FILES_OF_A_SIZE: usize = 8;
/// Entries between two keys that are kept in memory.
const FENCE: u64 = 64;
/// Bits of the filter for each entry: about one of a hundred misses costs a look into the file.
const FILTER_BITS: u64 = 10;
const KEY_BYTES: usize = 16;
const BUFFER_BYTES: usize = 64 * 1024;
/// What stands behind the digest in the name of a file.
const EXTENSION: &str = "run.bin";

/// A value of fixed width.
pub trait Fixed: Copy {
    /// The width.
    const BYTES: usize;
    /// Appends exactly that many bytes.
    fn write(self, out: &mut Vec<u8>);
    /// Reads them back.
    fn read(bytes: &[u8]) -> Option<Self>;
}

impl Fixed for () {
    const BYTES: usize = 0;

    fn write(self, _: &mut Vec<u8>) {}

    fn read(bytes: &[u8]) -> Option<Self> {
        bytes.is_empty().then_some(())
    }
}

/// A sorted file, as a state names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Named {
    file: String,
    sha256: Digest,
    entries: u64,
}

/// The map.
#[derive(Debug)]
pub struct KeyMap<V> {
    fresh: HashMap<Key, V>,
    named: Vec<Named>,
    /// Empty until the map is attached to its folder.
    runs: Vec<Run>,
    folder: Option<Folder>,
    fresh_entries: usize,
}

impl<V> Default for KeyMap<V> {
    /// In memory only, until it is attached to a folder.
    fn default() -> Self {
        Self {
            fresh: HashMap::new(),
            named: Vec::new(),
            runs: Vec::new(),
            folder: None,
            fresh_entries: FRESH_ENTRIES,
        }
    }
}

impl<V: Fixed> KeyMap<V> {
    /// Attaches the map to the folder of its files, and opens those that it names.
    ///
    /// # Errors
    /// `stream-missing`, `stream-corrupt`; what [`Folder::open_artifact`] refuses.
    pub fn attach(&mut self, folder: &Folder) -> Result<()> {
        self.folder = Some(folder.clone());
        self.runs = self.named.iter().map(|named| Run::open::<V>(folder, named)).collect::<Result<_>>()?;
        Ok(())
    }

    /// The value of a key.
    ///
    /// # Errors
    /// `read-failed`.
    pub fn get(&self, key: Key) -> Result<Option<V>> {
        if let Some(value) = self.fresh.get(&key) {
            return Ok(Some(*value));
        }
        for run in self.runs.iter().rev() {
            if let Some(value) = run.find(key)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Remembers a value, unless the key has one.
    ///
    /// # Errors
    /// `read-failed`, `write-failed`.
    pub fn insert(&mut self, key: Key, value: V) -> Result<()> {
        if self.get(key)?.is_some() {
            return Ok(());
        }
        self.fresh.insert(key, value);
        if self.fresh.len() >= self.fresh_entries && self.folder.is_some() { self.settle() } else { Ok(()) }
    }

    /// Brings everything into files.
    ///
    /// # Errors
    /// `read-failed`, `write-failed`.
    pub fn settle(&mut self) -> Result<()> {
        let Some(folder) = self.folder.clone() else { return Ok(()) };
        if !self.fresh.is_empty() {
            let mut entries: Vec<(Key, V)> = std::mem::take(&mut self.fresh).into_iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            let mut writer = RunWriter::begin(&folder, entries.len() as u64)?;
            for (key, value) in entries {
                writer.entry(key, value)?;
            }
            self.add(writer.finish()?, &folder)?;
        }
        while let Some(places) = self.of_one_size() {
            let merged = self.merge(&places, &folder)?;
            for place in places.into_iter().rev() {
                self.named.remove(place);
                self.runs.remove(place);
            }
            self.add(merged, &folder)?;
        }
        Ok(())
    }

    fn add(&mut self, named: Named, folder: &Folder) -> Result<()> {
        self.runs.push(Run::open::<V>(folder, &named)?);
        self.named.push(named);
        Ok(())
    }

    /// Places of files of similar size, if there are enough to become one.
    fn of_one_size(&self) -> Option<Vec<usize>> {
        let mut sizes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, named) in self.named.iter().enumerate() {
            sizes.entry(named.entries.max(1).ilog2() / 3).or_default().push(place);
        }
        sizes.into_values().find(|places| places.len() >= FILES_OF_A_SIZE)
    }

    fn merge(&self, places: &[usize], folder: &Folder) -> Result<Named> {
        let mut cursors: Vec<Cursor<'_, V>> =
            places.iter().filter_map(|place| self.runs.get(*place)).map(Cursor::new).collect();
        let mut writer = RunWriter::begin(folder, cursors.iter().map(|cursor| cursor.run.entries).sum())?;
        let mut heads: BTreeMap<Key, (usize, V)> = BTreeMap::new();
        // No key is in two files, so that every head has a place of its own.
        for (place, cursor) in cursors.iter_mut().enumerate() {
            heads.extend(cursor.next()?.map(|(key, value)| (key, (place, value))));
        }
        while let Some((key, (place, value))) = heads.pop_first() {
            writer.entry(key, value)?;
            if let Some(cursor) = cursors.get_mut(place) {
                heads.extend(cursor.next()?.map(|(key, value)| (key, (place, value))));
            }
        }
        writer.finish()
    }

    /// The files that the settled map consists of.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|named| named.file.as_str())
    }
}

impl<V> Serialize for KeyMap<V> {
    /// The names of its files: what is in memory only must be settled before.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if self.fresh.is_empty() {
            self.named.serialize(serializer)
        } else {
            Err(serde::ser::Error::custom("not settled"))
        }
    }
}

impl<'de, V> Deserialize<'de> for KeyMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Ok(Self { named: Vec::deserialize(deserializer)?, ..Self::default() })
    }
}

/// An open file: entries, then every 64th key's head, then the filter.
#[derive(Debug)]
struct Run {
    artifact: OpenArtifact,
    entries: u64,
    fences: Vec<u64>,
    filter: Filter,
}

impl Run {
    fn open<V: Fixed>(folder: &Folder, named: &Named) -> Result<Self> {
        let corrupt = || Refusal::new(Code::StreamCorrupt).at(&named.file);
        let artifact = folder.open_artifact(&named.file).map_err(|refusal| match refusal.code() {
            Code::ArtifactMissing => Refusal::new(Code::StreamMissing).at(&named.file),
            _ => refusal,
        })?;
        let width = (KEY_BYTES + V::BYTES) as u64;
        let body = named.entries.checked_mul(width).ok_or_else(corrupt)?;
        let mut hasher = Hasher::default();
        let mut tail = Vec::new();
        let mut chunk = vec![0; BUFFER_BYTES];
        let mut at = 0;
        loop {
            let got = artifact.file().read_at(&mut chunk, at).map_err(|error| artifact.read_failed(error))?;
            if got == 0 {
                break;
            }
            let read = chunk.get(..got).unwrap_or_default();
            hasher.update(read);
            let skipped = usize::try_from(body.saturating_sub(at)).unwrap_or(usize::MAX);
            tail.extend_from_slice(read.get(skipped..).unwrap_or_default());
            at += got as u64;
        }
        let words: Vec<u64> =
            tail.chunks_exact(8).filter_map(|word| word.try_into().ok().map(u64::from_le_bytes)).collect();
        let fences = usize::try_from(named.entries.div_ceil(FENCE)).unwrap_or(usize::MAX);
        let (fences, filter) = words.split_at_checked(fences).ok_or_else(corrupt)?;
        let plain = filter.len() == Filter::words(named.entries) && hasher.finish() == named.sha256;
        if !plain {
            return Err(corrupt());
        }
        let filter = Filter { words: filter.to_vec() };
        Ok(Self { artifact, entries: named.entries, fences: fences.to_vec(), filter })
    }

    fn find<V: Fixed>(&self, key: Key) -> Result<Option<V>> {
        if !self.filter.may_hold(key) {
            return Ok(None);
        }
        let behind = self.fences.partition_point(|fence| *fence <= key.head()) as u64;
        // Keys with equal heads may stand on both sides of a fence.
        let first_behind = self.fences.partition_point(|fence| *fence < key.head()) as u64;
        let from = first_behind.saturating_sub(1) * FENCE;
        let entries = self.read::<V>(from, (behind * FENCE).min(self.entries))?;
        Ok(entries
            .binary_search_by_key(&key, |(own, _)| *own)
            .ok()
            .and_then(|place| entries.get(place).map(|(_, value)| *value)))
    }

    /// Entries of a range.
    fn read<V: Fixed>(&self, from: u64, to: u64) -> Result<Vec<(Key, V)>> {
        let width = KEY_BYTES + V::BYTES;
        let count = usize::try_from(to.saturating_sub(from)).unwrap_or(0);
        let mut bytes = vec![0; count * width];
        self.artifact
            .file()
            .read_exact_at(&mut bytes, from * width as u64)
            .map_err(|error| self.artifact.read_failed(error))?;
        let entry = |bytes: &[u8]| {
            let (key, value) = bytes.split_at_checked(KEY_BYTES)?;
            Some((Key::from_bytes(key.try_into().ok()?), V::read(value)?))
        };
        let entries: Option<Vec<_>> = bytes.chunks_exact(width).map(entry).collect();
        entries.ok_or_else(|| Refusal::new(Code::StreamCorrupt).at(self.artifact.name()))
    }
}

/// Reads a file in order.
struct Cursor<'r, V> {
    run: &'r Run,
    at: u64,
    read: std::vec::IntoIter<(Key, V)>,
}

impl<'r, V: Fixed> Cursor<'r, V> {
    fn new(run: &'r Run) -> Self {
        Self { run, at: 0, read: Vec::new().into_iter() }
    }

    fn next(&mut self) -> Result<Option<(Key, V)>> {
        if self.read.len() == 0 && self.at < self.run.entries {
            let many = (BUFFER_BYTES / (KEY_BYTES + V::BYTES)) as u64;
            let to = (self.at + many).min(self.run.entries);
            self.read = self.run.read(self.at, to)?.into_iter();
            self.at = to;
        }
        Ok(self.read.next())
    }
}

/// A file in the making; entries come sorted.
struct RunWriter {
    file: StreamFile,
    hasher: Hasher,
    buffer: Vec<u8>,
    entries: u64,
    fences: Vec<u64>,
    filter: Filter,
}

impl RunWriter {
    fn begin(folder: &Folder, entries: u64) -> Result<Self> {
        Ok(Self {
            file: folder.create_stream()?,
            hasher: Hasher::default(),
            buffer: Vec::with_capacity(BUFFER_BYTES),
            entries: 0,
            fences: Vec::new(),
            filter: Filter { words: vec![0; Filter::words(entries)] },
        })
    }

    fn entry<V: Fixed>(&mut self, key: Key, value: V) -> Result<()> {
        if self.entries.is_multiple_of(FENCE) {
            self.fences.push(key.head());
        }
        self.entries += 1;
        self.filter.add(key);
        self.buffer.extend_from_slice(key.as_bytes());
        value.write(&mut self.buffer);
        if self.buffer.len() >= BUFFER_BYTES { self.drain() } else { Ok(()) }
    }

    fn drain(&mut self) -> Result<()> {
        use std::io::Write as _;
        self.hasher.update(&self.buffer);
        self.file.write_all(&self.buffer).map_err(|error| self.file.write_failed(error))?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<Named> {
        for word in self.fences.iter().chain(&self.filter.words) {
            self.buffer.extend_from_slice(&word.to_le_bytes());
        }
        self.drain()?;
        let sha256 = self.hasher.finish();
        let file = format!("{sha256}.{EXTENSION}");
        self.file.publish_as(&file)?;
        Ok(Named { file, sha256, entries: self.entries })
    }
}

/// Bloom's filter. Keys are hashes already, so that their parts are as good as further ones.
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
}

impl Filter {
    fn words(entries: u64) -> usize {
        usize::try_from((entries * FILTER_BITS).div_ceil(64)).unwrap_or(usize::MAX)
    }

    /// The bits of a key: word and mask.
    fn bits(&self, key: Key) -> impl Iterator<Item = (usize, u64)> {
        let bits = self.words.len() as u64 * 64;
        let parts: [u32; 4] = key.parts();
        parts.into_iter().map(move |part| {
            let bit = (u64::from(part) * bits) >> 32;
            (usize::try_from(bit / 64).unwrap_or(usize::MAX), 1 << (bit % 64))
        })
    }

    fn add(&mut self, key: Key) {
        let bits: Vec<(usize, u64)> = self.bits(key).collect();
        for (place, mask) in bits {
            if let Some(word) = self.words.get_mut(place) {
                *word |= mask;
            }
        }
    }

    fn may_hold(&self, key: Key) -> bool {
        self.bits(key).all(|(place, mask)| self.words.get(place).is_some_and(|word| word & mask != 0))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Fixed, Key, KeyMap};
    use crate::base::private::Folder;
    use crate::base::rules::Code;

    impl Fixed for u32 {
        const BYTES: usize = 4;

        fn write(self, out: &mut Vec<u8>) {
            out.extend_from_slice(&self.to_le_bytes());
        }

        fn read(bytes: &[u8]) -> Option<Self> {
            bytes.try_into().ok().map(Self::from_le_bytes)
        }
    }

    fn folder() -> (tempfile::TempDir, Folder) {
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(private).tempdir().unwrap();
        let path = camino::Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        (keep, Folder::open(&path).unwrap())
    }

    fn key(number: u32) -> Key {
        Key::of(&[&number.to_string()])
    }

    #[test]
    fn what_outgrows_memory_is_found_again_and_the_first_value_counts() {
        let (_keep, folder) = folder();
        let mut map = KeyMap::<u32> { fresh_entries: 50, ..KeyMap::default() };
        map.attach(&folder).unwrap();
        let mut model: HashMap<u32, u32> = HashMap::new();
        // Numbers come again and again, some after their entry went to a file.
        for step in 0_u32..9_000 {
            let number = step.wrapping_mul(2_654_435_761) % 4_001;
            map.insert(key(number), step).unwrap();
            model.entry(number).or_insert(step);
        }
        assert!(map.runs.len() > 1 && map.runs.len() < 30, "{}", map.runs.len());
        for number in 0..4_500 {
            assert_eq!(map.get(key(number)).unwrap(), model.get(&number).copied(), "{number}");
        }
        map.settle().unwrap();
        let bytes = postcard::to_allocvec(&map).unwrap();
        let mut again: KeyMap<u32> = postcard::from_bytes(&bytes).unwrap();
        again.attach(&folder).unwrap();
        for number in 0..4_500 {
            assert_eq!(again.get(key(number)).unwrap(), model.get(&number).copied(), "{number}");
        }
        assert!(again.files().eq(map.files()));
    }

    #[test]
    fn a_file_that_is_gone_or_was_touched_is_refused() {
        let (keep, folder) = folder();
        let mut map = KeyMap::<()>::default();
        map.attach(&folder).unwrap();
        (0..500).for_each(|number| map.insert(key(number), ()).unwrap());
        assert!(postcard::to_allocvec(&map).is_err(), "what is in memory only is not written");
        map.settle().unwrap();
        let bytes = postcard::to_allocvec(&map).unwrap();
        let code = || {
            let mut again: KeyMap<()> = postcard::from_bytes(&bytes).unwrap();
            again.attach(&folder).map_err(|refusal| refusal.code())
        };
        assert_eq!(code(), Ok(()));
        let path = keep.path().join(map.files().next().unwrap());
        let whole = std::fs::read(&path).unwrap();
        for place in [0, whole.len() / 2, whole.len() - 1] {
            let mut touched = whole.clone();
            touched[place] ^= 1;
            std::fs::write(&path, touched).unwrap();
            assert_eq!(code(), Err(Code::StreamCorrupt));
        }
        std::fs::write(&path, whole.split_last().unwrap().1).unwrap();
        assert_eq!(code(), Err(Code::StreamCorrupt));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(code(), Err(Code::StreamMissing));
    }
}

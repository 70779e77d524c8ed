//! Reads the flags of the index file ourselves: which paths `status` does not look into, and whether looking would
//! change a file. It reads a stream of any length with a bounded buffer, so that a large repository costs no memory;
//! it does not compare contents, which is git's work.

use std::io::{BufRead, BufReader, Read, copy, sink};

use camino::Utf8Path;

use super::owner::open;
use crate::base::limits;
use crate::base::rules::Code;

/// What the index holds that `status` does not look into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Index {
    /// Paths marked `assume-unchanged` or `skip-worktree`.
    pub hidden: bool,
    /// Submodules.
    pub submodules: bool,
    /// The entries are in two files, and git touches the second whenever it reads them.
    pub split: bool,
}

const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
/// In the second word of flags.
const SKIP_WORKTREE: u16 = 0x4000;
const SUBMODULE: u32 = 0o160_000;
const KIND: u32 = 0o170_000;
/// Times, device, inode, mode, owner, group and size before the id of an entry.
const FACTS: usize = 40;
const MODE: std::ops::Range<usize> = 24..28;

impl Index {
    /// Reads the index at `path`, whose ids have `id_bytes`; one that is absent has no entries.
    pub fn read(path: &Utf8Path, id_bytes: usize) -> Result<Self, Code> {
        let file = match open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(_) => return Err(Code::ProbeFailed),
        };
        let found = file.metadata().map_err(|_| Code::ProbeFailed)?;
        if !found.is_file() {
            return Err(Code::RepositoryUnusual);
        }
        if found.len() > limits::INDEX_BYTES {
            return Err(Code::ProbeTruncated);
        }
        let mut reader = Reader { bytes: BufReader::with_capacity(1 << 16, file).take(found.len()), at: 0 };
        reader.index(id_bytes, found.len()).ok_or(Code::ProbeFailed)
    }
}

/// A stream and how much of it was read.
struct Reader<R> {
    bytes: std::io::Take<R>,
    at: u64,
}

impl<R: BufRead> Reader<R> {
    /// `None` when a part is not understood.
    fn index(&mut self, id_bytes: usize, length: u64) -> Option<Index> {
        if self.array::<4>()? != *b"DIRC" {
            return None;
        }
        let version = u32::from_be_bytes(self.array()?);
        if !matches!(version, 2..=4) {
            return None;
        }
        let mut index = Index::default();
        for _ in 0..u32::from_be_bytes(self.array()?) {
            self.entry(version, id_bytes, &mut index)?;
        }
        self.extensions(length.checked_sub(u64::try_from(id_bytes).ok()?)?, &mut index)?;
        Some(index)
    }

    fn entry(&mut self, version: u32, id_bytes: usize, index: &mut Index) -> Option<()> {
        let begin = self.at;
        let facts = self.array::<FACTS>()?;
        let mode = u32::from_be_bytes(facts.get(MODE)?.try_into().ok()?);
        self.pass(u64::try_from(id_bytes).ok()?)?;
        let flags = u16::from_be_bytes(self.array()?);
        let more = if flags & EXTENDED == 0 { 0 } else { u16::from_be_bytes(self.array()?) };
        index.hidden |= flags & ASSUME_UNCHANGED != 0 || more & SKIP_WORKTREE != 0;
        index.submodules |= mode & KIND == SUBMODULE;
        if version == 4 {
            // How much of the last name is kept, in seven bits a byte; then the rest of the name.
            while self.array::<1>()?.first()? & 0x80 != 0 {}
            return self.name();
        }
        self.name()?;
        // Entries are filled with NULs to a multiple of eight, of which the one that ends the name is the first.
        self.pass((8 - (self.at - begin) % 8) % 8)
    }

    fn extensions(&mut self, end: u64, index: &mut Index) -> Option<()> {
        while self.at < end {
            let signature = self.array::<4>()?;
            let size = u32::from_be_bytes(self.array()?);
            index.split |= signature == *b"link";
            self.pass(u64::from(size))?;
        }
        (self.at == end).then_some(())
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.bytes.read_exact(&mut bytes).ok()?;
        self.at += u64::try_from(N).ok()?;
        Some(bytes)
    }

    /// A name up to its NUL.
    fn name(&mut self) -> Option<()> {
        let read = self.bytes.skip_until(0).ok().filter(|read| *read > 0)?;
        self.at += u64::try_from(read).ok()?;
        Some(())
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        let passed = copy(&mut (&mut self.bytes).take(count), &mut sink()).ok()?;
        self.at += passed;
        (passed == count).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Reader};

    fn read(bytes: &[u8]) -> Option<Index> {
        let length = bytes.len() as u64;
        Reader { bytes: std::io::Read::take(bytes, length), at: 0 }.index(20, length)
    }

    /// An index of one entry with this mode and these flags.
    fn index(version: u32, mode: u32, flags: &[u16], name: &[u8], extension: &[u8]) -> Vec<u8> {
        let mut bytes = [b"DIRC".as_slice(), &version.to_be_bytes(), &1_u32.to_be_bytes()].concat();
        bytes.extend([0; 24]);
        bytes.extend(mode.to_be_bytes());
        bytes.extend([0; 12 + 20]);
        bytes.extend(flags.iter().flat_map(|word| word.to_be_bytes()));
        bytes.extend(name);
        bytes.push(0);
        while version < 4 && (bytes.len() - 12) % 8 != 0 {
            bytes.push(0);
        }
        bytes.extend(extension);
        bytes.extend([0; 20]);
        bytes
    }

    #[test]
    fn flags_modes_and_extensions_are_seen_in_each_version() {
        let plain = Index::default();
        for name in [&b"a"[..], b"ab", b"a/very/long/name"] {
            assert_eq!(read(&index(2, 0o100_644, &[1], name, b"")), Some(plain));
            assert_eq!(read(&index(4, 0o100_644, &[1], &[b"\x81\x00", name].concat(), b"")), Some(plain));
        }
        let hidden = Index { hidden: true, ..plain };
        assert_eq!(read(&index(2, 0o100_644, &[0x8001], b"a", b"")), Some(hidden));
        assert_eq!(read(&index(3, 0o100_644, &[0x4001, 0x4000], b"a", b"")), Some(hidden));
        assert_eq!(read(&index(3, 0o100_644, &[0x4001, 0x2000], b"a", b"")), Some(plain));
        let submodules = Index { submodules: true, ..plain };
        assert_eq!(read(&index(2, 0o160_000, &[1], b"a", b"TREE\0\0\0\x02xy")), Some(submodules));
        let split = Index { split: true, ..plain };
        assert_eq!(read(&index(2, 0o100_644, &[1], b"a", b"link\0\0\0\x01x")), Some(split));
    }

    #[test]
    fn what_is_cut_or_of_another_shape_is_not_understood() {
        let whole = index(2, 0o100_644, &[1], b"a", b"TREE\0\0\0\x02xy");
        // Without the ten bytes of its extension it would be whole again: the checksum is not looked at.
        for length in (0..whole.len()).filter(|length| length + 10 != whole.len()) {
            assert_eq!(read(whole.get(..length).unwrap_or_default()), None, "{length}");
        }
        assert_eq!(read(&index(5, 0o100_644, &[1], b"a", b"")), None);
        assert_eq!(read(&index(2, 0o100_644, &[1], b"a", b"TREE\0\0\xff\xff")), None);
    }
}

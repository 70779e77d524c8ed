//! Bytes that an earlier collection read are hashed once more and not parsed again. The hash goes beside everything
//! else that growing needs, in a thread of its own.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use zeroize::Zeroizing;

/// Bytes hashed at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// A snapshot that was hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hashed {
    /// Its bytes; fewer than were asked for where the input is shorter.
    pub bytes: u64,
    /// Their hash.
    pub blake3: blake3::Hash,
    /// Hash of the watched prefix, if there are so many bytes.
    pub watched: Option<blake3::Hash>,
}

/// Hashes `[0, size)` of an input, and its prefix of `watch` bytes. `None` when it
/// was interrupted.
///
/// # Errors
/// The read error.
pub fn hash(
    mut input: impl Read,
    size: u64,
    watch: u64,
    interrupted: &AtomicBool,
) -> std::io::Result<Option<Hashed>> {
    let mut hasher = blake3::Hasher::new();
    let (mut bytes, mut watched) = (0, None);
    let mut chunk = Zeroizing::new(vec![0; CHUNK_BYTES]);
    loop {
        if bytes == watch {
            watched = Some(hasher.finalize());
        }
        let border = if bytes < watch { watch.min(size) } else { size };
        let want =
            usize::try_from(border.saturating_sub(bytes)).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES));
        let got = match input.read(chunk.get_mut(..want).unwrap_or_default()) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            got => got?,
        };
        if got == 0 {
            return Ok(Some(Hashed { bytes, blake3: hasher.finalize(), watched }));
        }
        if interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        hasher.update(chunk.get(..got).unwrap_or_default());
        bytes += got as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::{CHUNK_BYTES, Hashed, hash};

    #[test]
    fn a_snapshot_and_its_prefix_are_hashed_and_nothing_behind_them() {
        let text: Vec<u8> = (0..3 * CHUNK_BYTES + 5).map(|number| (number % 251) as u8).collect();
        let going = AtomicBool::new(false);
        for (size, watch) in [(0, 0), (9, 9), (2 * CHUNK_BYTES + 1, 7), (text.len() - 1, CHUNK_BYTES), (5, 9)]
        {
            let hashed = hash(text.as_slice(), size as u64, watch as u64, &going).unwrap().unwrap();
            let watched = (watch <= size).then(|| blake3::hash(&text[..watch]));
            assert_eq!(hashed, Hashed { bytes: size as u64, blake3: blake3::hash(&text[..size]), watched });
        }
        let longer = hash(text.as_slice(), u64::MAX, 0, &going).unwrap().unwrap();
        assert_eq!(longer.bytes, text.len() as u64, "an input that is shorter simply ends");
        assert_eq!(hash(text.as_slice(), 9, 0, &AtomicBool::new(true)).unwrap(), None);
    }
}

//! Bytes that an earlier collection read: hashed once more, on all processors, and not parsed again.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

use super::frame::Prefix;

/// Bytes hashed at once: enough for every processor.
const CHUNK_BYTES: u64 = 4 * 1024 * 1024;
/// Chunks that are read ahead.
const CHUNKS_AHEAD: usize = 2;

/// Hashes `[0, bytes)` of an input, which then stands behind them; less where it ends early. `None` when it was
/// interrupted.
///
/// # Errors
/// The read error.
pub fn hash_prefix<R: Read + Send>(
    mut input: R,
    bytes: u64,
    interrupted: &AtomicBool,
) -> std::io::Result<Option<Prefix>> {
    let (chunks_to, chunks) = sync_channel::<Vec<u8>>(CHUNKS_AHEAD);
    let (room_to, room) = sync_channel::<Vec<u8>>(CHUNKS_AHEAD + 2);
    std::thread::scope(|scope| {
        let reading = scope.spawn(move || -> std::io::Result<()> {
            let mut left = bytes;
            while left > 0 {
                let mut chunk = room.try_recv().unwrap_or_default();
                chunk.clear();
                let got = (&mut input).take(left.min(CHUNK_BYTES)).read_to_end(&mut chunk)?;
                left -= (got as u64).min(left);
                // The other end closes only when it was interrupted.
                if got == 0 || chunks_to.send(chunk).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let mut prefix = Prefix::default();
        for chunk in chunks {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            prefix.hasher.update_rayon(&chunk);
            prefix.bytes += chunk.len() as u64;
            // Whether the room is used again or not changes nothing.
            let _ = room_to.try_send(chunk);
        }
        // The thread ends by returning; a panic in it is a fault of ours and goes on here.
        reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(Some(prefix))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::{CHUNK_BYTES, hash_prefix};

    #[test]
    fn the_prefix_has_the_hash_of_its_bytes_and_the_input_stands_behind_it() {
        let text: Vec<u8> = (0..3 * CHUNK_BYTES + 5).map(|number| (number % 251) as u8).collect();
        let going = AtomicBool::new(false);
        for bytes in [0, 1, CHUNK_BYTES, 2 * CHUNK_BYTES + 1, text.len() as u64] {
            let mut input = text.as_slice();
            let prefix = hash_prefix(&mut input, bytes, &going).unwrap().unwrap();
            let (head, rest) = text.split_at(usize::try_from(bytes).unwrap());
            assert_eq!((prefix.bytes, prefix.hasher.finalize()), (bytes, blake3::hash(head)));
            assert_eq!(input.len(), rest.len());
        }
        let prefix = hash_prefix(text.as_slice(), u64::MAX, &going).unwrap().unwrap();
        assert_eq!(prefix.bytes, text.len() as u64, "an input that ends early simply ends");
        assert!(hash_prefix(text.as_slice(), 9, &AtomicBool::new(true)).unwrap().is_none());
    }
}

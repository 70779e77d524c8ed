//! A transcript line by line, for whoever looks for something in it besides collecting.

use std::io::{self, Read};

use super::frame::Framer;

/// Takes a line without its terminator, its offset, and whether it had one; false says stop.
pub type Each<'e, E> = dyn FnMut(u64, &[u8], bool) -> Result<bool, E> + 'e;

/// Gives every line of the first `size` bytes until `each` says stop.
///
/// # Errors
/// The reader's, as `failed` tells it; whatever `each` refuses.
pub fn each_line<E>(
    reader: impl Read,
    size: u64,
    failed: &dyn Fn(io::Error) -> E,
    each: &mut Each<'_, E>,
) -> Result<(), E> {
    let mut framer = Framer::new(reader, size, None);
    while let Some(batch) = framer.next_batch().map_err(failed)? {
        let (mut offset, lines) = batch.lines();
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let bare = line.strip_suffix(b"\n").unwrap_or(line);
            if !each(offset, bare, bare.len() < line.len())? {
                return Ok(());
            }
            offset += line.len() as u64;
        }
    }
    Ok(())
}

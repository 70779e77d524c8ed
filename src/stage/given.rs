//! Files that somebody decided to publish, and receipts: opened as sources, read within bounds, named as they are
//! seen from the working directory. Nothing is written, and no private file is looked for.

use std::io::Read;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::world::World;
use crate::base::credential::has_secret;
use crate::base::private::Source;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// What stands for standard input on the command line.
pub const STDIN: &str = "-";

/// A file as it was read.
#[derive(Debug)]
pub struct Piece {
    /// Relative to the working directory; outside of it the last part alone.
    pub name: String,
    /// At most one byte more than asked for.
    pub bytes: Vec<u8>,
}

/// Reads a file, or standard input for `-`, up to one byte more than `most`.
///
/// # Errors
/// `path-credential-shaped`; what opening and reading a source refuses.
pub fn read(world: &World<'_>, path: &Utf8Path, most: u64, stdin: &mut dyn Read) -> Result<Piece> {
    if path == STDIN {
        let mut bytes = Vec::new();
        let reading = stdin.take(most + 1).read_to_end(&mut bytes);
        reading.map_err(|_| Refusal::new(Code::ReadFailed).at("standard input"))?;
        return Ok(Piece { name: "stdin".to_owned(), bytes });
    }
    let bytes = bounded(&open(world, path)?, most)?;
    Ok(Piece { name: relative(world, path), bytes })
}

/// Opens a file that somebody names on the command line.
///
/// # Errors
/// `path-credential-shaped`; what opening a source refuses.
pub fn open(world: &World<'_>, path: &Utf8Path) -> Result<Source> {
    // The path itself is not repeated: it may hold the secret.
    if has_secret(path.as_str()) {
        return Err(Refusal::new(Code::PathCredentialShaped));
    }
    Source::open(&world.absolute(path))
}

/// Reads a source, up to one byte more than `most`.
///
/// # Errors
/// What reading a source refuses.
pub fn bounded(source: &Source, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let reading = source.file().take(most + 1).read_to_end(&mut bytes);
    reading.map_err(|error| source.read_failed(error))?;
    Ok(bytes)
}

/// Refuses a command line that takes standard input twice.
///
/// # Errors
/// `usage`.
pub fn once<'p>(paths: impl Iterator<Item = &'p Utf8PathBuf>) -> Result<()> {
    if paths.filter(|path| path.as_str() == STDIN).count() > 1 {
        return Err(Refusal::new(Code::Usage).hint("`-` can be given once: there is one standard input"));
    }
    Ok(())
}

/// The path as seen from the working directory, links not resolved.
fn relative(world: &World<'_>, path: &Utf8Path) -> String {
    let mut whole = Utf8PathBuf::new();
    for part in world.absolute(path).components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    match whole.strip_prefix(&world.working_directory) {
        Ok(below) => below.as_str().to_owned(),
        Err(_) => whole.file_name().unwrap_or_default().to_owned(),
    }
}

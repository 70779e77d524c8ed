//! The second look: files that were just made are read once more, as they lie, before a manifest names them. What it finds
//! the scrubber should have hidden, and nothing is published then.

use std::io::Read as _;

use crate::base::credential::{Spotter, assay};
use crate::base::private::Folder;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Bytes that are read at once.
const PIECE: usize = 1024 * 1024;

/// Looks at files of text in a folder, by name.
///
/// # Errors
/// `secret-left`; what opening and reading a file refuses.
pub fn files(folder: &Folder, names: impl Iterator<Item = String>, spotter: &Spotter) -> Result<()> {
    let mut bytes = Vec::with_capacity(PIECE + assay::OVERLAP);
    for name in names.filter(|name| name.ends_with(".jsonl")) {
        let artifact = folder.open_artifact(&name)?;
        bytes.clear();
        loop {
            let reading = artifact.file().take(PIECE as u64).read_to_end(&mut bytes);
            if reading.map_err(|error| artifact.read_failed(error))? == 0 {
                break;
            }
            document(&bytes, spotter)?;
            bytes.drain(..bytes.len().saturating_sub(assay::OVERLAP));
        }
    }
    Ok(())
}

/// Looks at bytes that are about to be written.
///
/// # Errors
/// `secret-left`.
pub fn document(bytes: &[u8], spotter: &Spotter) -> Result<()> {
    match assay::find(bytes) {
        Some(token) if !spotter.allows(token) => Err(Refusal::new(Code::SecretLeft)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use camino::Utf8PathBuf;

    use super::{PIECE, files};
    use crate::base::credential::Spotter;
    use crate::base::private::Folder;

    #[test]
    fn a_token_that_was_left_refuses_wherever_it_stands() {
        let private = Permissions::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(private).tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        let folder = Folder::open(&path).unwrap();
        let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        for (name, at) in [("a.jsonl", 0), ("b.jsonl", PIECE - 12), ("c.jsonl", 2 * PIECE - 3)] {
            let mut text = "an ordinary line\n".repeat(PIECE / 6);
            let look = || files(&folder, [name.to_owned()].into_iter(), Spotter::global());
            folder.write(name, text.as_bytes()).unwrap();
            look().unwrap();
            text.replace_range(at..at, &format!(" {token} "));
            folder.write(name, text.as_bytes()).unwrap();
            assert_eq!(look().unwrap_err().code().as_str(), "secret-left", "{name}");
        }
    }
}

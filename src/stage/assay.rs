//! The second look: what was just made is read once more, as it lies, before anything names it. What it finds the scrubber
//! or the rules of drafts should have kept out, and nothing is published then. Every artifact of a stage goes through here.

use std::io::Read as _;

use crate::base::credential::assay;
use crate::base::policy::Search;
use crate::base::private::{ArtifactPath, Folder};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Bytes that are read at once.
const PIECE: usize = 1024 * 1024;
/// Ends of the names of files that hold text.
const TEXTS: [&str; 2] = [".jsonl", ".txt"];

/// Looks at files of text in a folder, by name.
///
/// # Errors
/// `secret-left`; what opening and reading a file refuses.
pub fn files(folder: &Folder, names: impl Iterator<Item = String>, search: &Search) -> Result<()> {
    let mut bytes = Vec::with_capacity(PIECE + assay::OVERLAP);
    for name in names.filter(|name| TEXTS.iter().any(|end| name.ends_with(end))) {
        let artifact = folder.open_artifact(&name)?;
        bytes.clear();
        loop {
            let reading = artifact.file().take(PIECE as u64).read_to_end(&mut bytes);
            if reading.map_err(|error| artifact.read_failed(error))? == 0 {
                break;
            }
            if search.left(&bytes) {
                return Err(Refusal::new(Code::SecretLeft));
            }
            bytes.drain(..bytes.len().saturating_sub(assay::OVERLAP));
        }
    }
    Ok(())
}

/// Looks at a whole document that is about to be written.
///
/// # Errors
/// `secret-left`.
pub fn document(bytes: &[u8], search: &Search) -> Result<()> {
    if search.left_in_document(bytes) { Err(Refusal::new(Code::SecretLeft)) } else { Ok(()) }
}

/// Looks at a whole document and writes it.
///
/// # Errors
/// `secret-left`, and the artifact stays as it was; what creating an artifact refuses.
pub fn publish(output: &ArtifactPath, bytes: &[u8], search: &Search) -> Result<()> {
    document(bytes, search)?;
    output.write(bytes)
}

/// Looks at two documents that belong together, and writes the first before the second.
///
/// # Errors
/// As [`publish`]; neither is written when one of them holds a secret.
pub fn publish_both(
    first: (&ArtifactPath, &[u8]),
    second: (&ArtifactPath, &[u8]),
    search: &Search,
) -> Result<()> {
    document(first.1, search)?;
    document(second.1, search)?;
    first.0.write(first.1)?;
    second.0.write(second.1)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use camino::Utf8PathBuf;

    use super::{PIECE, files, publish, publish_both};
    use crate::base::policy::Search;
    use crate::base::private::{ArtifactPath, Folder};

    #[test]
    fn a_token_that_was_left_refuses_wherever_it_stands() {
        let private = Permissions::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(private).tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        let folder = Folder::open(&path).unwrap();
        let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        for (name, at) in [("a.jsonl", 0), ("b.jsonl", PIECE - 12), ("c.txt", 2 * PIECE - 3)] {
            let mut text = "an ordinary line\n".repeat(PIECE / 6);
            let look = || files(&folder, [name.to_owned()].into_iter(), &Search::default());
            folder.write(name, text.as_bytes()).unwrap();
            look().unwrap();
            text.replace_range(at..at, &format!(" {token} "));
            folder.write(name, text.as_bytes()).unwrap();
            assert_eq!(look().unwrap_err().code().as_str(), "secret-left", "{name}");
        }
    }

    #[test]
    fn an_artifact_that_would_hold_a_token_is_not_written_and_neither_is_what_belongs_to_it() {
        let private = Permissions::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(private).tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        let [one, other] = ["one", "other"].map(|name| ArtifactPath::parse(&path.join(name)).unwrap());
        let bad = format!("{{\"a\":\"b\\nghp_{}\"}}", "a1B2c3D4e".repeat(4));
        let search = Search::default();
        publish(&one, b"old", &search).unwrap();
        let refused = [
            publish(&one, bad.as_bytes(), &search),
            publish_both((&other, b"new"), (&one, bad.as_bytes()), &search),
            publish_both((&other, bad.as_bytes()), (&one, b"new"), &search),
        ];
        assert_eq!(refused.map(|refused| refused.unwrap_err().code().as_str()), ["secret-left"; 3]);
        assert_eq!(std::fs::read(path.join("one")).unwrap(), b"old");
        assert!(!path.join("other").exists());
        publish_both((&other, b"new"), (&one, b"new"), &search).unwrap();
        assert_eq!(std::fs::read(path.join("other")).unwrap(), b"new");
    }
}

//! Opening an artifact: the checks are made on what was opened, and reading goes on from that same handle.

use std::fs::File;
use std::io::Read as _;

use camino::Utf8PathBuf;
use rustix::fs::OFlags;

use super::failure::{Attempt, read_failed};
use super::folder::Folder;
use super::status::{Identity, Status};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// An open artifact: regular, one link, ours, closed to others. What it says is not yet checked.
#[derive(Debug)]
pub struct OpenArtifact {
    file: File,
    name: String,
    place: Utf8PathBuf,
    status: Status,
}

impl Folder {
    /// Opens an artifact for reading.
    pub fn open_artifact(&self, name: &str) -> Result<OpenArtifact> {
        match self.open_checked(name, OFlags::RDONLY, Attempt::Read)? {
            Some((file, status)) => {
                Ok(OpenArtifact { file, name: name.to_owned(), place: self.place(name), status })
            }
            None => Err(Refusal::new(Code::ArtifactMissing).at(self.place(name))),
        }
    }
}

impl OpenArtifact {
    /// The whole content, from where reading stands. More than `limit_bytes` is `read-failed`: a caller with a
    /// code of its own for that asks [`Self::size_bytes`] first.
    pub fn read_all(&self, limit_bytes: u64) -> Result<Vec<u8>> {
        let expected = self.status.size_bytes.min(limit_bytes);
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0).saturating_add(1));
        let reading = (&self.file).take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes);
        reading.map_err(|error| read_failed(error, &self.place))?;
        if bytes.len() as u64 > limit_bytes {
            let hint = format!("it is larger than {limit_bytes} bytes; check that this is the file you mean");
            return Err(Refusal::new(Code::ReadFailed).at(&self.place).hint(hint));
        }
        Ok(bytes)
    }

    /// The handle, for reading in parts.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Our name for the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The size when it was opened.
    pub fn size_bytes(&self) -> u64 {
        self.status.size_bytes
    }

    /// Which file this is on this machine.
    pub fn identity(&self) -> Identity {
        self.status.identity
    }

    /// The refusal for an error while reading from [`Self::file`].
    pub fn read_failed(&self, error: std::io::Error) -> Refusal {
        read_failed(error, &self.place)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::super::folder::tests::{make_pipe, scratch};
    use super::{Code, Folder};

    fn code(folder: &Folder, name: &str) -> Code {
        folder.open_artifact(name).unwrap_err().code()
    }

    #[test]
    fn reading_is_bounded() {
        let (_keep, folder) = scratch();
        folder.create_exclusive("a", b"12345").unwrap();
        let artifact = folder.open_artifact("a").unwrap();
        assert_eq!((artifact.size_bytes(), artifact.name()), (5, "a"));
        assert_eq!(artifact.read_all(5).unwrap(), b"12345");
        assert_eq!(folder.open_artifact("a").unwrap().read_all(4).unwrap_err().code(), Code::ReadFailed);
    }

    #[test]
    fn only_a_plain_file_is_an_artifact() {
        let (keep, folder) = scratch();
        folder.create_exclusive("a", b"x").unwrap();
        symlink("a", keep.path().join("link")).unwrap();
        symlink("nowhere", keep.path().join("dangling")).unwrap();
        fs::create_dir(keep.path().join("folder")).unwrap();
        make_pipe(&keep.path().join("pipe"));
        let _socket = std::os::unix::net::UnixListener::bind(keep.path().join("socket")).unwrap();
        for name in ["link", "dangling", "folder", "pipe", "socket"] {
            assert_eq!(code(&folder, name), Code::ArtifactNotRegular, "{name}");
        }
        assert_eq!(code(&folder, "nothing"), Code::ArtifactMissing);
        for name in ["../a", ".", "..", "", "folder/a"] {
            assert_eq!(code(&folder, name), Code::Usage, "{name}");
        }
    }

    #[test]
    fn a_second_name_or_an_open_mode_refuses() {
        let (keep, folder) = scratch();
        folder.create_exclusive("a", b"x").unwrap();
        for mode in [0o644, 0o640, 0o602, 0o601] {
            fs::set_permissions(keep.path().join("a"), Permissions::from_mode(mode)).unwrap();
            assert_eq!(code(&folder, "a"), Code::ArtifactModeUnsafe);
        }
        fs::set_permissions(keep.path().join("a"), Permissions::from_mode(0o600)).unwrap();
        fs::hard_link(keep.path().join("a"), keep.path().join("b")).unwrap();
        assert_eq!(code(&folder, "a"), Code::ArtifactLinked);
        fs::remove_file(keep.path().join("b")).unwrap();
        assert!(folder.open_artifact("a").is_ok());
    }

    #[test]
    fn a_refusal_names_the_place() {
        let (_keep, folder) = scratch();
        let refusal = folder.open_artifact("m.json").unwrap_err();
        assert_eq!(refusal.place(), Some(folder.path().join("m.json").as_str()));
    }
}

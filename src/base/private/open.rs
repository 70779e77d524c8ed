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

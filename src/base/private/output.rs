//! A path to an artifact, parted into its held folder and its name, and what must hold of an output. Whether git
//! ignores it is asked elsewhere; here only the work tree around a folder is found.

use camino::{Utf8Path, Utf8PathBuf};

use super::create::PrivateFile;
use super::folder::Folder;
use super::open::OpenArtifact;
use super::status::Status;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Where an artifact is or will be.
#[derive(Clone, Debug)]
pub struct ArtifactPath {
    folder: Folder,
    name: String,
}

impl ArtifactPath {
    /// A path in an existing folder. Whether the artifact exists is seen on opening it.
    pub fn parse(path: &Utf8Path) -> Result<Self> {
        let (parent, name) = split(path)?;
        Ok(Self { folder: Folder::open(parent)?, name: name.to_owned() })
    }

    /// A path to write to: missing folders are created with mode 0700, and what has the name already must be an
    /// artifact of ours.
    pub fn for_output(path: &Utf8Path) -> Result<Self> {
        let (parent, name) = split(path)?;
        let folder = Folder::open_or_create(parent)?;
        folder.check_replaceable(name)?;
        Ok(Self { folder, name: name.to_owned() })
    }

    /// The held folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The name in it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The absolute path, without links.
    pub fn path(&self) -> Utf8PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Another file beside this one: its name and a suffix.
    #[must_use]
    pub fn with_suffix(&self, suffix: &str) -> Self {
        Self { folder: self.folder.clone(), name: format!("{}{suffix}", self.name) }
    }

    /// Opens the artifact.
    pub fn open(&self) -> Result<OpenArtifact> {
        self.folder.open_artifact(&self.name)
    }

    /// Begins the artifact.
    pub fn create(&self) -> Result<PrivateFile> {
        self.folder.create(&self.name)
    }
}

/// Refuses an output that is one of the inputs: the same file by any name, the same name in the same folder, or
/// an entry of an input folder. Inputs that do not exist are left to whoever opens them.
pub fn check_output(output: &ArtifactPath, inputs: &[&Utf8Path]) -> Result<()> {
    let folder = output.folder.identity();
    let existing = output.folder.status_of(&output.name)?.map(|status| status.identity);
    for input in inputs {
        let identity = identity_at(input);
        let same_file = identity.is_some() && (identity == existing || identity == Some(folder));
        let same_name = split(input)
            .is_ok_and(|(parent, name)| name == output.name && identity_at(parent) == Some(folder));
        if same_file || same_name {
            return Err(Refusal::new(Code::OutputIsInput).at(output.folder.place(&output.name)));
        }
    }
    Ok(())
}

/// The nearest folder, from this one upwards, that holds a `.git`. What cannot be looked at counts as one, so
/// that the question goes on to git.
pub fn enclosing_work_tree(folder: &Folder) -> Option<Utf8PathBuf> {
    let is_work_tree = |folder: &&Utf8Path| match folder.join(".git").symlink_metadata() {
        Ok(_) => true,
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    };
    folder.path().ancestors().find(is_work_tree).map(Utf8Path::to_owned)
}

fn identity_at(path: &Utf8Path) -> Option<super::Identity> {
    rustix::fs::stat(path.as_std_path()).ok().map(|stat| Status::from(stat).identity)
}

/// Parts a path into folder and name; a path that ends in a folder has no name.
fn split(path: &Utf8Path) -> Result<(&Utf8Path, &str)> {
    let names_folder = path.as_str().ends_with('/') || path.as_str().ends_with("/.");
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !names_folder => {
            Ok((if parent.as_str().is_empty() { Utf8Path::new(".") } else { parent }, name))
        }
        _ => Err(Refusal::new(Code::Usage).at(path).hint("give the path of a file, not of a folder")),
    }
}

//! A path to an artifact, parted into its held folder and its name, and what must hold of an output. Whether git
//! ignores it is asked elsewhere; here only the work tree around a folder is found.

use camino::{Utf8Path, Utf8PathBuf};

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

    /// Writes the whole artifact, see [`Folder::write`].
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        self.folder.write(&self.name, bytes)
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::folder::tests::scratch;
    use super::{ArtifactPath, Code, Utf8Path, Utf8PathBuf, check_output, enclosing_work_tree};

    #[test]
    fn a_path_names_a_file_in_a_held_folder() {
        let (_keep, folder) = scratch();
        let output = ArtifactPath::for_output(&folder.path().join("new/recap.md")).unwrap();
        assert_eq!((output.name(), output.path()), ("recap.md", folder.path().join("new/recap.md")));
        output.write(b"").unwrap();
        let parsed = ArtifactPath::parse(&output.path()).unwrap();
        assert_eq!(parsed.open().unwrap().size_bytes(), 0);
        assert_eq!(parsed.with_suffix(".evidence.json").name(), "recap.md.evidence.json");
        for path in ["", "/", ".", "..", "a/", "a/.", "a/.."] {
            assert_eq!(ArtifactPath::parse(Utf8Path::new(path)).unwrap_err().code(), Code::Usage, "{path}");
        }
    }

    #[test]
    fn an_output_is_refused_early_when_it_could_not_be_replaced() {
        let (keep, folder) = scratch();
        fs::write(keep.path().join("theirs"), "").unwrap();
        fs::set_permissions(keep.path().join("theirs"), std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .unwrap();
        symlink("theirs", keep.path().join("link")).unwrap();
        fs::create_dir(keep.path().join("folder")).unwrap();
        let code = |name| ArtifactPath::for_output(&folder.path().join(name)).unwrap_err().code();
        assert_eq!(code("theirs"), Code::ArtifactModeUnsafe);
        assert_eq!([code("link"), code("folder")], [Code::ArtifactNotRegular; 2]);
    }

    #[test]
    fn an_output_that_is_an_input_is_found_by_any_name() {
        let (keep, folder) = scratch();
        folder.create_exclusive("a", b"").unwrap();
        folder.create_exclusive("b", b"").unwrap();
        symlink("a", keep.path().join("link")).unwrap();
        let inner = folder.child_or_create("inner").unwrap();
        symlink(folder.path(), keep.path().join("inner/up")).unwrap();
        let output = ArtifactPath::for_output(&folder.path().join("a")).unwrap();
        let refused = |input: Utf8PathBuf| check_output(&output, &[&input]).is_err();
        for input in [
            folder.path().join("a"),
            folder.path().join("inner/../a"),
            folder.path().join("link"),
            inner.path().join("up/a"),
            folder.path().to_owned(),
        ] {
            assert!(refused(input.clone()), "{input}");
        }
        assert!(!refused(folder.path().join("b")) && !refused(folder.path().join("missing")));
        fs::hard_link(keep.path().join("a"), keep.path().join("inner/second")).unwrap();
        assert!(refused(inner.path().join("second")));
    }

    #[test]
    fn an_output_that_does_not_exist_yet_can_be_an_input_by_name() {
        let (_keep, folder) = scratch();
        let path = folder.path().join("new");
        let output = ArtifactPath::for_output(&path).unwrap();
        assert_eq!(check_output(&output, &[&path]).unwrap_err().code(), Code::OutputIsInput);
    }

    #[test]
    fn the_nearest_work_tree_is_found_upwards() {
        let (keep, folder) = scratch();
        let inner = folder.child_or_create("a").unwrap().child_or_create("b").unwrap();
        assert_eq!(enclosing_work_tree(&inner), None);
        fs::create_dir(keep.path().join(".git")).unwrap();
        assert_eq!(enclosing_work_tree(&inner).as_deref(), Some(folder.path()));
        fs::write(keep.path().join("a/b/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(enclosing_work_tree(&inner).as_deref(), Some(inner.path()));
    }
}

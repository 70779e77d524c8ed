//! Where artifacts go: default folders, and what an output path must not be.

use camino::{Utf8Path, Utf8PathBuf};

use super::world::World;
use crate::base::credential::has_secret;
use crate::base::ids::BoundaryId;
use crate::base::private::{ArtifactPath, check_output};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::git::{Git, is_ignored, repository_of};
use crate::evidence::ledger::open::{LEDGER_SUFFIX, LOCK_SUFFIX};
use crate::evidence::packet::packets_file::PACKETS_SUFFIX;

/// Name of a manifest in a default folder.
pub const MANIFEST_FILE: &str = "manifest.json";

/// What stands behind a set's name for the folder of its members.
pub const BOUNDARIES_SUFFIX: &str = ".boundaries";
/// What stands behind a draft's name for its report.
pub const REPORT_SUFFIX: &str = ".violations.json";
/// What of ours may stand behind an input's name: an output must not take the place of that either, nor lie in the
/// ledger folder.
const BESIDE_INPUTS: [&str; 6] =
    ["", LEDGER_SUFFIX, LOCK_SUFFIX, PACKETS_SUFFIX, REPORT_SUFFIX, BOUNDARIES_SUFFIX];

/// `~/.recap/<harness>-<16 hex>` of a session.
///
/// # Errors
/// `usage` without a home folder.
pub fn default_folder(world: &World<'_>, boundary: BoundaryId) -> Result<Utf8PathBuf> {
    let home = world.home().ok_or_else(|| {
        Refusal::new(Code::Usage).hint("give --output: there is no home folder for a default")
    })?;
    Ok(home.join(".recap").join(format!("{}-{}", boundary.harness().name(), boundary.hex())))
}

/// The one default folder that is meant when paths are left out: the working directory, if it is one, or the only one
/// below `~/.recap`.
///
/// # Errors
/// `default-folder-ambiguous` when there is none or more than one.
pub fn only_default_folder(world: &World<'_>) -> Result<Utf8PathBuf> {
    let ambiguous = || Refusal::new(Code::DefaultFolderAmbiguous);
    let root = world.home().ok_or_else(ambiguous)?.join(".recap");
    let here = &world.working_directory;
    let resolved = root.canonicalize_utf8().ok();
    if here.join(MANIFEST_FILE).is_file() && here.parent() == resolved.as_deref() {
        return Ok(here.clone());
    }
    let entries = root.read_dir_utf8().map_err(|_| ambiguous())?;
    let mut folders = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path().to_owned()))
        .filter(|folder| folder.join(MANIFEST_FILE).is_file());
    match (folders.next(), folders.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(ambiguous()),
    }
}

/// Opens an artifact's place for reading.
///
/// # Errors
/// `path-credential-shaped`; what [`ArtifactPath::parse`] refuses.
pub fn input(world: &World<'_>, path: &Utf8Path) -> Result<ArtifactPath> {
    refuse_secret(path)?;
    ArtifactPath::parse(&world.absolute(path))
}

/// Prepares an artifact's place for writing and clears what a killed run left in the folder. `companions` are names of
/// further files that will lie beside it.
///
/// # Errors
/// `path-credential-shaped`, `output-not-ignored`, `output-is-input`; what [`ArtifactPath::for_output`] refuses.
pub fn output(
    world: &World<'_>,
    path: &Utf8Path,
    companions: &[&str],
    inputs: &[&Utf8Path],
) -> Result<ArtifactPath> {
    refuse_secret(path)?;
    let absolute = world.absolute(path);
    refuse_unignored(&absolute, companions)?;
    let output = ArtifactPath::for_output(&absolute)?;
    let inputs = inputs.iter().map(|input| world.absolute(input));
    let inputs: Vec<Utf8PathBuf> = inputs
        .flat_map(|input| BESIDE_INPUTS.map(|suffix| Utf8PathBuf::from(format!("{input}{suffix}"))))
        .collect();
    let inputs: Vec<&Utf8Path> = inputs.iter().map(Utf8PathBuf::as_path).collect();
    check_output(&output, &inputs)?;
    for suffix in companions.iter().filter(|suffix| !suffix.contains('/')) {
        check_output(&output.with_suffix(suffix), &inputs)?;
    }
    // What a killed run left here. Whoever still writes a temporary file holds its lock, so that it stays.
    output.folder().remove_stray_temps()?;
    Ok(output)
}

fn refuse_secret(path: &Utf8Path) -> Result<()> {
    // The path itself is not repeated: it may hold the secret.
    if has_secret(path.as_str()) { Err(Refusal::new(Code::PathCredentialShaped)) } else { Ok(()) }
}

/// Refuses an output inside a git work tree that does not ignore it and everything beside it.
fn refuse_unignored(path: &Utf8Path, companions: &[&str]) -> Result<()> {
    let existing = path.ancestors().skip(1).find(|folder| folder.is_dir());
    let Some(existing) = existing.and_then(|folder| folder.canonicalize_utf8().ok()) else { return Ok(()) };
    let root = match repository_of(&existing) {
        Ok(root) => root,
        Err(Code::NotARepository | Code::FolderMissing) => return Ok(()),
        // A repository that is laid out unusually is one all the same, and cannot be asked.
        Err(_) => return Err(not_ignored(path, None)),
    };
    let name = path.file_name().unwrap_or_default();
    let below = path.ancestors().skip(1).find(|folder| folder.is_dir());
    let rest = below.and_then(|folder| path.strip_prefix(folder).ok()).and_then(Utf8Path::parent);
    let folder = existing.join(rest.unwrap_or(Utf8Path::new("")));
    let git = Git::find().map_err(|_| not_ignored(path, None))?;
    let names =
        std::iter::once(name.to_owned()).chain(companions.iter().map(|suffix| format!("{name}{suffix}")));
    for name in names {
        if !is_ignored(&git, &root, &folder.join(name)) {
            return Err(not_ignored(path, folder.strip_prefix(&root).ok()));
        }
    }
    Ok(())
}

/// `below` is the output's folder as seen from the work tree.
fn not_ignored(path: &Utf8Path, below: Option<&Utf8Path>) -> Refusal {
    let hint = match below.filter(|below| !below.as_str().is_empty()) {
        Some(below) => {
            format!("write outside of the repository, or add the line `/{below}/` to its .gitignore")
        }
        None => "write outside of the repository".to_owned(),
    };
    Refusal::new(Code::OutputNotIgnored).at(path).hint(hint)
}

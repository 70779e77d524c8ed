//! Where settings come from. They are listed once and then read again by each question, so that whoever can write one
//! of their files, or make one that is named and not there yet, could name a program in between.

use camino::Utf8Path;

use super::owner::{facts, is_held_in_place, is_ours_or_roots};
use crate::base::rules::Code;

/// Refuses settings from a file that others can write. `origin` is as `config --show-origin` prints it.
pub fn require_own_origin(origin: &[u8]) -> Result<(), Code> {
    match file_of(origin)? {
        Some(path) => require_own(path),
        None => Ok(()),
    }
}

/// Refuses the include of a file that others can write or make, whether it is there or not.
pub fn require_own_include(origin: &[u8], value: &[u8]) -> Result<(), Code> {
    let value = str::from_utf8(value).map_err(|_| Code::RepositoryUnusual)?;
    if value.starts_with("~/") {
        // There is no home folder for a probe: git finds nothing there.
        return Ok(());
    }
    if value.starts_with(['~', '%']) {
        return Err(Code::RepositoryUnusual);
    }
    let folder = file_of(origin)?.and_then(Utf8Path::parent).ok_or(Code::RepositoryUnusual)?;
    require_own(&folder.join(value))
}

/// The file of an origin; `None` for what we say ourselves.
fn file_of(origin: &[u8]) -> Result<Option<&Utf8Path>, Code> {
    if origin == b"command line:" {
        return Ok(None);
    }
    let path = origin.strip_prefix(b"file:").and_then(|path| str::from_utf8(path).ok());
    let path = path.map(Utf8Path::new).filter(|path| path.is_absolute());
    path.map(Some).ok_or(Code::RepositoryUnusual)
}

fn require_own(path: &Utf8Path) -> Result<(), Code> {
    if is_ours_to_fill(path) { Ok(()) } else { Err(Code::RepositoryNotOurs) }
}

/// Whether nobody but us and root decides what is read at this path.
fn is_ours_to_fill(path: &Utf8Path) -> bool {
    for level in path.ancestors() {
        match level.canonicalize_utf8() {
            // The file itself; or the last folder that is there: whoever can make a name in it can make the file.
            Ok(there) => {
                return facts(&there).is_some_and(|found| is_ours_or_roots(&found))
                    && is_held_in_place(&there);
            }
            // A link that leads to nothing yet.
            Err(_) if facts(level).is_some() => return false,
            Err(_) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use camino::Utf8PathBuf;

    use super::{require_own_include, require_own_origin};
    use crate::base::rules::Code;

    #[test]
    fn a_file_that_others_can_write_or_make_is_not_ours() {
        let keep = tempfile::tempdir().expect("temp");
        let folder = Utf8PathBuf::from_path_buf(keep.path().canonicalize().expect("resolve")).expect("utf-8");
        for name in ["own", "open"] {
            std::fs::create_dir(folder.join(name)).expect("folder");
            std::fs::write(folder.join(name).join("config"), "").expect("write");
        }
        std::fs::set_permissions(folder.join("open"), Permissions::from_mode(0o1777)).expect("chmod");
        std::fs::write(folder.join("own/writable"), "").expect("write");
        std::fs::set_permissions(folder.join("own/writable"), Permissions::from_mode(0o666)).expect("chmod");
        symlink(folder.join("open/later"), folder.join("own/dangling")).expect("link");
        let origin = format!("file:{folder}/own/config");
        let include = |value: &str| require_own_include(origin.as_bytes(), value.as_bytes()).err();
        assert_eq!(require_own_origin(origin.as_bytes()), Ok(()));
        for value in ["config", "later", "deep/later", "../open/config", "~/anything"] {
            assert_eq!(include(value), None, "{value}");
        }
        for value in ["writable", "../open/later", "../open/deep/later", "dangling", "dangling/deep"] {
            assert_eq!(include(value), Some(Code::RepositoryNotOurs), "{value}");
        }
        for value in ["~somebody/x", "%(prefix)/x"] {
            assert_eq!(include(value), Some(Code::RepositoryUnusual), "{value}");
        }
        for origin in ["blob:1", "standard input:", "file:relative"] {
            assert_eq!(require_own_origin(origin.as_bytes()), Err(Code::RepositoryUnusual), "{origin}");
        }
    }
}

//! Who else than this user can change or replace a file, and what is there, links not followed. Groups are let be: many
//! systems give each user one alone.

use std::fs::{File, Metadata};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};

use camino::Utf8Path;
use rustix::fs::OFlags;

/// Owned by this user and not open to all for writing.
pub fn is_ours(found: &Metadata) -> bool {
    found.uid() == this_user() && !is_open_to_all(found)
}

/// Ours, or root's, who needs no repository to do anything.
pub fn is_ours_or_roots(found: &Metadata) -> bool {
    is_ours(found) || (found.uid() == 0 && !is_open_to_all(found))
}

/// Whether nobody else can put something else in the place of this resolved path: the folders above it are ours or
/// root's, and open to all only where a name can be taken away by its owner alone (`/tmp`).
pub fn is_held_in_place(path: &Utf8Path) -> bool {
    path.ancestors().skip(1).all(|folder| {
        facts(folder).is_some_and(|found| {
            let sticky = found.mode() & 0o1000 != 0;
            (found.uid() == 0 || found.uid() == this_user()) && (sticky || !is_open_to_all(&found))
        })
    })
}

/// What is there, links not followed.
pub fn facts(path: &Utf8Path) -> Option<Metadata> {
    fs_err::symlink_metadata(path).ok()
}

/// Opens what is there to be read: no link is followed, no pipe is waited for.
pub fn open(path: &Utf8Path) -> std::io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits();
    let flags = i32::try_from(flags).map_err(std::io::Error::other)?;
    File::options().read(true).custom_flags(flags).open(path)
}

fn is_open_to_all(found: &Metadata) -> bool {
    // The mode of a link says nothing: it is always open.
    !found.is_symlink() && found.mode() & 0o002 != 0
}

fn this_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use camino::Utf8PathBuf;

    use super::{facts, is_held_in_place, is_ours};

    #[test]
    fn a_folder_that_all_can_write_holds_nothing_in_place() {
        let keep = tempfile::tempdir().expect("temp");
        let folder = Utf8PathBuf::from_path_buf(keep.path().canonicalize().expect("resolve")).expect("utf-8");
        let file = folder.join("a/b");
        std::fs::create_dir(folder.join("a")).expect("folder");
        std::fs::write(&file, "x").expect("write");
        let set = |mode| std::fs::set_permissions(folder.join("a"), Permissions::from_mode(mode));
        for (mode, held) in [(0o755, true), (0o775, true), (0o777, false), (0o1777, true)] {
            set(mode).expect("chmod");
            assert_eq!(is_held_in_place(&file), held, "{mode:o}");
        }
        assert!(facts(&file).is_some_and(|found| is_ours(&found)));
        std::fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("chmod");
        assert!(facts(&file).is_some_and(|found| !is_ours(&found)));
        assert!(!is_held_in_place(&folder.join("gone/b")));
    }
}

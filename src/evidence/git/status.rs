//! The question about the work tree and the index, and when its answer is complete.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::asker::Asker;
use super::porcelain::{read_changes, read_index};
use super::snapshot::{Listing, Status};
use super::text::items;
use crate::base::limits;
use crate::base::rules::Code;

/// The work tree. `clean` needs four things: the whole output, no warning, nothing hidden from git by
/// its index, and no submodule.
pub fn ask_status(asker: &mut Asker<'_>) -> Option<Status> {
    let mut arguments = vec!["status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignored=no"];
    arguments.extend(["--ignore-submodules=all", "--renames", "--no-column"]);
    let output = asker.ask_sure(&arguments)?;
    let changes = asker.sure(read_changes(&output.stdout))?;
    let mut complete = index_shows_everything(asker);
    if output.warned {
        asker.note(Code::StatusIncomplete);
        complete = false;
    }
    complete &= filters_do_not_matter(asker, &changes.compared);
    let mut listing = Listing { rows: Vec::new(), omitted: 0 };
    for path in &changes.paths {
        asker.list(&mut listing, limits::PROBED_PATHS, |decoder| decoder.show(path));
    }
    let clean = complete && changes.paths.is_empty();
    Some(Status { complete, clean, changed_paths: listing.rows, omitted: listing.omitted })
}

fn index_shows_everything(asker: &mut Asker<'_>) -> bool {
    let output = asker.ask_sure(&["ls-files", "-v", "--stage", "-z"]);
    let Some(output) = output else { return false };
    let Some(unseen) = asker.sure(read_index(&output.stdout)) else { return false };
    if unseen.hidden {
        asker.note(Code::IndexHidesPaths);
    }
    if unseen.submodules {
        asker.note(Code::SubmodulesNotRead);
    }
    !unseen.hidden && !unseen.submodules
}

/// Whether no path that was compared without its filter has one.
fn filters_do_not_matter(asker: &mut Asker<'_>, compared: &[&[u8]]) -> bool {
    if compared.is_empty() {
        return true;
    }
    let mut arguments = ["check-attr", "-z", "filter", "--"].map(OsStr::new).to_vec();
    arguments.extend(compared.iter().take(limits::FILTER_PATHS).map(|path| OsStr::from_bytes(path)));
    let Some(output) = asker.ask_sure(&arguments) else { return false };
    let Some(items) = asker.sure(items(&output.stdout)) else { return false };
    // Path, attribute, value, each ended by a NUL.
    let mut values = items.chunks(3).filter_map(|row| row.get(2));
    let filtered = values.any(|value| !matches!(*value, b"unspecified" | b"unset"));
    if filtered {
        asker.note(Code::FilteredPaths);
    }
    !filtered
}

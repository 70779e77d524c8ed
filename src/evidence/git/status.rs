//! The question about the work tree and the index, and when its answer is complete.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::asker::Asker;
use super::index::Index;
use super::porcelain::read_changes;
use super::snapshot::{Listing, Status};
use super::text::items;
use crate::base::limits;
use crate::base::rules::Code;

/// The work tree. `clean` needs four things: the whole output, no warning, nothing hidden from git by
/// its index, and no submodule.
pub fn ask_status(asker: &mut Asker<'_>, index: Index) -> Option<Status> {
    if index.split {
        asker.note(Code::SplitIndex);
        return None;
    }
    let mut arguments = vec!["status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignored=no"];
    arguments.extend(["--ignore-submodules=all", "--renames", "--no-column", "--no-show-stash"]);
    let output = asker.ask_sure(&arguments)?;
    let changes = asker.sure(read_changes(&output.stdout))?;
    let mut complete = shows_everything(asker, index);
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

fn shows_everything(asker: &mut Asker<'_>, index: Index) -> bool {
    if index.hidden {
        asker.note(Code::IndexHidesPaths);
    }
    if index.submodules {
        asker.note(Code::SubmodulesNotRead);
    }
    !index.hidden && !index.submodules
}

/// Whether no path that was compared without its filter has one. Of more paths than are listed it is not known.
fn filters_do_not_matter(asker: &mut Asker<'_>, compared: &[&[u8]]) -> bool {
    let asked = compared.get(..limits::PROBED_PATHS).unwrap_or(compared);
    let mut unfiltered = asked.len() == compared.len();
    for some in asked.chunks(limits::FILTER_PATHS) {
        match has_filter(asker, some) {
            Some(false) => {}
            Some(true) => {
                asker.note(Code::FilteredPaths);
                return false;
            }
            None => unfiltered = false,
        }
    }
    unfiltered
}

fn has_filter(asker: &mut Asker<'_>, paths: &[&[u8]]) -> Option<bool> {
    let mut arguments = ["check-attr", "-z", "filter", "--"].map(OsStr::new).to_vec();
    arguments.extend(paths.iter().map(|path| OsStr::from_bytes(path)));
    let output = asker.ask_sure(&arguments)?;
    let items = asker.sure(items(&output.stdout))?;
    // Path, attribute, value, each ended by a NUL.
    let mut values = items.chunks(3).filter_map(|row| row.get(2));
    Some(values.any(|value| !matches!(*value, b"unspecified" | b"unset")))
}

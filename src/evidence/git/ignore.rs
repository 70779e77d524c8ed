//! Whether git would leave an output alone. Anything doubtful is "no": a private file that might be
//! committed must not be written.

use camino::Utf8Path;

use super::contents::read_whole;
use super::deadline::Deadline;
use super::guard::Guarded;
use super::program::Git;

/// True only if git says that the repository at `work_tree` ignores `output`. The user's own ignore file
/// does not count: another user of the repository would not have it.
pub fn is_ignored(git: &Git, work_tree: &Utf8Path, output: &Utf8Path) -> bool {
    let deadline = Deadline::of_repository();
    let root = work_tree.to_owned();
    let Ok(layout) = deadline.look(move || read_whole(&root)) else { return false };
    let Ok(below) = output.strip_prefix(work_tree).or_else(|_| output.strip_prefix(&layout.root)) else {
        return false;
    };
    if layout.bare || below.as_str().is_empty() || below.components().any(|part| part.as_str() == "..") {
        return false;
    }
    // A leading `./` keeps a name that begins with `:` from being read as more than a name.
    let name = format!("./{below}");
    Guarded::admit(git, &layout, deadline)
        .and_then(|guarded| guarded.run(&["check-ignore", "--quiet", "--", &name]))
        .is_ok_and(|output| output.exit == 0)
}

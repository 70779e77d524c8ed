//! Golden files: plain text below `golden/`, compared whole, written anew with `UPDATE_GOLDEN=1` and then read as
//! a difference.

use std::fs;
use std::path::Path;

use similar::TextDiff;

/// Compares a text with the file at `path_below_golden`.
pub fn check(path_below_golden: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(path_below_golden);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, actual).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if expected != actual {
        let difference = TextDiff::from_lines(&expected, actual);
        let shown = difference.unified_diff().context_radius(2).header("golden", "actual").to_string();
        panic!("golden/{path_below_golden} differs; UPDATE_GOLDEN=1 writes it anew\n{shown}");
    }
}

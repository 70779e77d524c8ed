//! Whole files as expectations: what a test shows is compared with a file of the project, all of it.
//!
//! With `UPDATE_GOLDEN=1` the files are rewritten instead, and the change is read as a diff of the repository.

use std::fs;
use std::path::PathBuf;

use similar::TextDiff;

/// Compares with the golden file of that path, or rewrites it. A difference fails with a unified diff.
pub fn check(path_below_golden: &str, actual: &str) {
    check_generated(&format!("golden/{path_below_golden}"), actual);
}

/// The same for a file that is made from the sources and lies elsewhere in the project.
pub fn check_generated(path_below_project: &str, actual: &str) {
    let file = project().join(path_below_project);
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        let folder = file.parent().expect("a file of the project lies in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, actual))
            .expect("golden files can be written");
        return;
    }
    // A file that is not there is empty, so that a new test shows all of its text.
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        expected == actual,
        "{path_below_project} differs; UPDATE_GOLDEN=1 rewrites it\n{}",
        TextDiff::from_lines(expected.as_str(), actual).unified_diff().header("golden", "actual")
    );
}

/// The names of the golden files in a folder below `golden/`, sorted.
pub fn names(folder_below_golden: &str) -> Vec<String> {
    let folder = project().join("golden").join(folder_below_golden);
    let entries = fs::read_dir(folder).expect("the folder of golden files is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

//! The layout rules, each a test: who may use whom, how long things are, what we stand on, what is not written.
//!
//! They read the sources as they lie. What a rule says stands in the module that checks it.

mod tokens;
mod paths;
mod tree;
mod layers;
mod sizes;
mod source;
mod dependencies;
mod words;
mod codes;

use std::fs;

use tree::{Tree, project, rust_files};

/// Fails with everything that breaks a rule.
fn none(rule: &str, found: &[String]) {
    assert!(found.is_empty(), "{rule}:\n  {}", found.join("\n  "));
}

/// Our Rust files: the library, the programs, the tests and the benches.
fn ours() -> Vec<(String, String)> {
    let files = ["src", "tests", "benches", "fuzz"].into_iter().flat_map(rust_files);
    files
        .map(|file| (fs::read_to_string(project().join(&file)).map(|source| (file, source))).unwrap())
        .collect()
}

#[test]
fn a_folder_and_a_module_use_only_what_stands_above() {
    let tree = Tree::read();
    none("the six folders", &layers::folders(&tree));
    none("uses against the order", &layers::uses_against_the_order(&tree));
    none("programs only start the terminal", &layers::programs_beside_the_terminal());
}

#[test]
fn every_file_is_declared_and_has_a_name_that_says_something() {
    let tree = Tree::read();
    none("files that nothing declares", &layers::undeclared(&tree));
    let files: Vec<String> = ours().into_iter().map(|(file, _)| file).collect();
    none("names that say nothing", &layers::empty_names(&files));
}

#[test]
fn a_table_of_contents_has_no_logic() {
    none("tables of contents with logic", &layers::contents_with_logic(&Tree::read()));
}

#[test]
fn files_and_functions_are_short() {
    none("files that are too long", &sizes::long_files(&ours()));
    none("functions that are too long", &sizes::long_functions(&Tree::read()));
}

#[test]
fn a_dependency_has_a_reason_and_no_network() {
    none("dependencies", &dependencies::unexplained());
    none("crates that reach a network", &dependencies::network());
    none("sockets", &source::sockets(&Tree::read()));
}

#[test]
fn a_file_says_what_it_promises() {
    none("files that do not begin with `//! `", &source::without_promise(&ours()));
}

#[test]
fn nothing_is_imported_by_glob_left_unfinished_or_switched_off() {
    let files = ours();
    none("glob imports", &source::globs(&files));
    none("unfinished, unsafe or switched off", &source::forbidden_words(&files));
    assert!(dependencies::unsafe_is_forbidden(), "unsafe code is no longer forbidden");
}

#[test]
fn nothing_speaks_of_the_machine_it_was_written_on() {
    none("words that belong elsewhere", &words::spoken());
}

#[test]
fn a_code_is_written_well_and_used() {
    none("codes that are ill written or stand twice", &codes::ill_written());
    none("codes and those who say them", &codes::unused(&Tree::read()));
}

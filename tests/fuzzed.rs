//! Every file of the fuzz corpora goes through the body of its target: what fuzzing found once is a test ever after.

use std::fs;
use std::path::PathBuf;

use super::targets;

/// The folder of a corpus.
fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name)
}

/// Runs one target over its corpus, and says which file it was that did not hold.
fn holds(name: &str) {
    let mut files: Vec<PathBuf> =
        fs::read_dir(corpus(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "the corpus of {name} is empty");
    for file in &files {
        let data = fs::read(file).unwrap();
        let ran = std::panic::catch_unwind(|| targets::run(name, &data));
        assert!(ran.is_ok(), "{} does not hold", file.display());
    }
}

#[test]
fn every_target_has_a_corpus_and_a_program() {
    let mut corpora: Vec<String> = fs::read_dir(corpus(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    corpora.sort();
    let mut names: Vec<&str> = targets::ALL.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(corpora, names);
    let manifest = fs::read_to_string(corpus("../Cargo.toml")).unwrap();
    for name in names {
        assert!(
            manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"")),
            "{name}"
        );
        let program = fs::read_to_string(corpus(&format!("../fuzz_targets/{name}.rs"))).unwrap();
        assert!(program.contains(&format!("targets::run(\"{name}\", data)")), "{name}");
    }
}

macro_rules! targets {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            holds(stringify!($name));
        }
    )* };
}

targets! {
    json accounting sealed synthesis edges manifest packets set policy lines attempts records claude codex scrub render page published receipts
}

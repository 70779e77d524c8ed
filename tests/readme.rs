//! The workflow of the README, run for real in a home of its own: each command ends with 0. Where it leaves work to
//! an author, a bundled draft is put in the skeleton's place.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use recap::stage::demo::{bundled_session, filled};

use crate::program::Room;

/// Stands in the README before the block that is run.
const TESTED: &str = "<!-- tested: workflow -->";
/// The session of the README, in any folder.
const SESSION: &str = "session.jsonl";
/// What it is here: the name is the session's id.
const BUNDLED: &str = "0c1d2e3f-aaaa-4bbb-8ccc-000000000001.jsonl";

#[test]
fn the_workflow_runs() {
    let commands = workflow(&fs::read_to_string(project().join("README.md")).unwrap());
    assert!(!commands.is_empty(), "the README has no block marked `{TESTED}`");
    let room = Room::new();
    let session = room.file(BUNDLED, bundled_session(&case(BUNDLED)));
    for command in commands {
        let words: Vec<String> = command
            .split_whitespace()
            .map(|word| if word.ends_with(SESSION) { session.to_string() } else { home(word, &room) })
            .collect();
        let ran = room.run(&words);
        assert_eq!(ran.status, 0, "recap {command}\n{}{}", ran.stdout, ran.stderr);
        match words.first().map(String::as_str) {
            Some("accounting-draft") => write(&room, "accounting.draft.json", &words),
            Some("synthesis-draft") => write(&room, "synthesis.json", &words),
            _ => {}
        }
    }
}

/// The arguments of every `$ recap` line of the block, a `\` at the end joining the next line.
fn workflow(readme: &str) -> Vec<String> {
    let block = readme.split_once(TESTED).and_then(|(_, rest)| rest.split_once("```console\n"));
    let block = block.and_then(|(_, rest)| rest.split_once("```")).map_or("", |(block, _)| block);
    let joined = block.replace("\\\n", " ");
    joined.lines().filter_map(|line| line.trim().strip_prefix("$ recap ")).map(str::to_owned).collect()
}

fn home(word: &str, room: &Room) -> String {
    word.strip_prefix("~/").map_or_else(|| word.to_owned(), |below| room.path(below).to_string())
}

/// Does the author's part: the bundled draft, with the digests and ids of this ledger, replaces the skeleton.
fn write(room: &Room, name: &str, words: &[String]) {
    let after = words.iter().skip_while(|word| *word != "--output").nth(1);
    let skeleton = after.map_or_else(|| default_folder(room).join(name), |path| room.path(path));
    let manifest = skeleton.with_file_name("manifest.json");
    let accounting = skeleton.with_file_name("accounting.json");
    let accounting = accounting.is_file().then_some(accounting.as_path());
    let text = filled(&room.world(), &manifest, accounting, &case(name)).unwrap();
    fs::write(skeleton, text).unwrap();
}

/// The only folder below `~/.recap`.
fn default_folder(room: &Room) -> Utf8PathBuf {
    let mut folders = room.path(".recap").read_dir_utf8().unwrap();
    folders.next().unwrap().unwrap().into_path()
}

fn case(name: &str) -> String {
    fs::read_to_string(project().join("golden/cases/claude-fix").join(name)).unwrap()
}

fn project() -> &'static Utf8Path {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR"))
}

//! The action and the hooks: both files are what GitHub and pre-commit read, and their very commands are run, with
//! variables and arguments as those would give them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use camino::Utf8Path;
use yaml_rust2::{Yaml, YamlLoader};

use crate::check::made::MADE;
use crate::program::Room;

fn project() -> &'static Utf8Path {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn yaml(name: &str) -> Yaml {
    let text = fs::read_to_string(project().join(name)).unwrap();
    let mut documents = YamlLoader::load_from_str(&text).unwrap();
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

fn text<'y>(yaml: &'y Yaml, member: &str) -> &'y str {
    yaml[member].as_str().unwrap_or_else(|| panic!("no text `{member}`"))
}

fn pairs(yaml: &Yaml) -> impl Iterator<Item = (&str, &Yaml)> {
    yaml.as_hash().unwrap().iter().map(|(name, value)| (name.as_str().unwrap(), value))
}

/// The steps of the action.
fn steps() -> Vec<Yaml> {
    let action = yaml("action.yml");
    assert_eq!(text(&action["runs"], "using"), "composite");
    action["runs"]["steps"].as_vec().unwrap().clone()
}

/// One run of the action in a folder with good and bad files.
struct Run {
    room: Room,
    inputs: BTreeMap<&'static str, String>,
}

impl Run {
    fn new() -> Self {
        let room = Room::new();
        room.file("good file.json", MADE.expanded.to_string());
        room.file("bad.json", MADE.draft.to_string());
        room.file("receipts.jsonl", MADE.lines());
        room.folder("temp");
        room.folder("bin");
        Self { room, inputs: BTreeMap::from([("binary", env!("CARGO_BIN_EXE_recap").to_owned())]) }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.inputs.insert(name, value.to_owned());
        self
    }

    /// A program that comes before all others.
    fn program(&self, name: &str, script: &str) {
        let path = self.room.file(&format!("bin/{name}"), format!("#!/bin/bash\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    }

    /// What the runner puts in place of an expression.
    fn value(&self, expression: &str) -> String {
        if expression == "github.action_path" {
            return project().to_string();
        }
        let name = expression.strip_prefix("inputs.").unwrap_or_else(|| panic!("what is `{expression}`?"));
        let declared = &yaml("action.yml")["inputs"][name];
        assert!(!declared.is_badvalue(), "`{name}` is no input");
        self.inputs
            .get(name)
            .cloned()
            .unwrap_or_else(|| declared["default"].as_str().unwrap_or_default().to_owned())
    }

    /// A step as the runner runs it: its script in a file, `bash --noprofile --norc -eo pipefail`.
    fn step(&self, step: &Yaml) -> Output {
        assert_eq!(text(step, "shell"), "bash");
        let script = self.room.file("temp/step.sh", text(step, "run"));
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", script.as_str()]);
        command.current_dir(self.room.path("")).env_clear();
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.room.path("bin")));
        command.env("RUNNER_TEMP", self.room.path("temp")).env("HOME", self.room.path(""));
        for (name, value) in pairs(&step["env"]) {
            let value = value.as_str().unwrap();
            let expression = value.strip_prefix("${{ ").and_then(|value| value.strip_suffix(" }}"));
            command
                .env(name, expression.map_or_else(|| value.to_owned(), |expression| self.value(expression)));
        }
        command.output().unwrap()
    }

    /// All steps that are not left out, up to one that fails.
    fn all(&self) -> (i32, String) {
        let mut printed = String::new();
        for step in &steps() {
            match step["if"].as_str() {
                None => {}
                Some("inputs.binary == ''") if self.value("inputs.binary").is_empty() => {}
                Some("inputs.binary == ''") => continue,
                Some(other) => panic!("what is `{other}`?"),
            }
            let output = self.step(step);
            printed.push_str(&String::from_utf8(output.stdout).unwrap());
            printed.push_str(&String::from_utf8(output.stderr).unwrap());
            if !output.status.success() {
                return (output.status.code().unwrap(), printed);
            }
        }
        (0, printed)
    }
}

#[test]
fn the_action_is_closed_and_puts_no_input_into_a_script() {
    let action = yaml("action.yml");
    let names: Vec<_> = pairs(&action).map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names, ["name", "description", "inputs", "runs"]);
    for (name, input) in pairs(&action["inputs"]) {
        let required = input["required"].as_bool().unwrap();
        assert!(!text(input, "description").is_empty(), "{name}");
        assert_eq!(required, input["default"].is_badvalue(), "{name}");
    }
    for step in steps() {
        // No action of others, whose code could change under us.
        assert!(step["uses"].is_badvalue());
        assert!(!text(&step, "run").contains("${{"), "{}", text(&step, "name"));
    }
}

#[test]
fn the_action_is_green_for_a_good_file_and_red_for_a_bad_one() {
    let (status, printed) = Run::new().with("files", "good file.json").all();
    assert_eq!(status, 0, "{printed}");
    assert!(printed.starts_with("::notice file=good file.json,title=recap check::synthesis"), "{printed}");
    let (status, printed) =
        Run::new().with("files", "\ngood file.json\n\n").with("receipts", "receipts.jsonl\n").all();
    assert_eq!(status, 0, "{printed}");
    let (status, printed) = Run::new().with("files", "good file.json\nbad.json").all();
    assert_eq!(status, 1);
    assert!(printed.contains("::error file=bad.json,"), "{printed}");
    let (status, _) =
        Run::new().with("files", "bad.json").with("format", "sarif").with("output", "found.sarif").all();
    assert_eq!(status, 1);
}

#[test]
fn the_action_is_red_where_nothing_was_checked() {
    for (name, value, expected) in [
        ("files", "", 2),
        ("files", "\n\n", 2),
        ("files", "missing.json", 4),
        ("files", "--help", 4),
        ("receipts", "missing.jsonl", 4),
        ("receipts", "/dev/null", 3),
        ("format", "xml", 2),
        ("binary", "/nowhere/recap", 127),
    ] {
        let (status, printed) = Run::new().with("files", "good file.json").with(name, value).all();
        assert_eq!(status, expected, "{name}={value}: {printed}");
    }
}

#[test]
fn an_input_is_a_name_and_never_a_command() {
    let run = Run::new();
    let hostile = "$(touch made)`touch made`\"; touch made; '.json";
    run.room.file(hostile, MADE.expanded.to_string());
    let run = run.with("files", hostile).with("receipts", "$(touch made)");
    let (status, printed) = run.all();
    assert_eq!(status, 4, "{printed}");
    assert!(!run.room.path("made").exists());
    let run = run.with("receipts", "");
    assert_eq!(run.all().0, 0);
    assert!(!run.room.path("made").exists());
}

#[test]
fn what_was_found_goes_to_a_file_where_one_is_named() {
    let run =
        Run::new().with("files", "good file.json").with("format", "sarif").with("output", "found.sarif");
    assert_eq!(run.all(), (0, String::new()));
    let log: serde_json::Value =
        serde_json::from_slice(&fs::read(run.room.path("found.sarif")).unwrap()).unwrap();
    assert_eq!(log["runs"][0]["artifacts"][0]["location"]["uri"], "good%20file.json");
}

/// The build is told what to build and where; what cargo makes of that is what every other test runs.
#[test]
fn without_a_program_the_action_builds_its_own() {
    let run = Run::new().with("binary", "").with("files", "good file.json");
    run.program(
        "cargo",
        &format!(
            "printf '%s\\n' \"cargo $*\" >> \"$HOME/asked\"\nmkdir -p \"$RUNNER_TEMP/recap-target/release\"\n\
             cp '{}' \"$RUNNER_TEMP/recap-target/release/recap\"",
            env!("CARGO_BIN_EXE_recap")
        ),
    );
    run.program("rustup", "printf '%s\\n' \"rustup $*\" >> \"$HOME/asked\"");
    let (status, printed) = run.all();
    assert_eq!(status, 0, "{printed}");
    let asked = fs::read_to_string(run.room.path("asked")).unwrap();
    let build = format!(
        "cargo build --release --locked --bin recap --manifest-path {}/Cargo.toml --target-dir {}",
        project(),
        run.room.path("temp/recap-target")
    );
    assert_eq!(
        asked,
        format!("rustup toolchain install --profile minimal --no-self-update stable\n{build}\n")
    );
    run.program("cargo", "exit 101");
    assert_eq!(run.all().0, 101);
}

#[test]
fn hooks_are_green_for_good_files_and_red_for_bad_ones() {
    let run = Run::new();
    let secret = format!("token {}_{}\n", "ghp", "a1B2c3D4e".repeat(4));
    run.room.file("notes.txt", "nothing to hide\n");
    run.room.file("secret.txt", &secret);
    let cases = [
        ("recap-check", vec!["good file.json"], 0),
        ("recap-check", vec!["good file.json", "bad.json"], 1),
        ("recap-scrub", vec!["notes.txt", "good file.json"], 0),
        ("recap-scrub", vec!["notes.txt", "secret.txt"], 1),
    ];
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hooks = hooks.as_vec().unwrap();
    let mut ids: Vec<&str> = hooks.iter().map(|hook| text(hook, "id")).collect();
    for (id, files, expected) in cases {
        ids.retain(|known| *known != id);
        let hook = hooks.iter().find(|hook| text(hook, "id") == id).unwrap();
        for member in ["name", "description"] {
            assert!(!text(hook, member).is_empty());
        }
        // Installed from this repository with cargo; the entry is one of its programs.
        assert_eq!(text(hook, "language"), "rust");
        let folder = Utf8Path::new(env!("CARGO_BIN_EXE_recap")).parent().unwrap();
        let mut words = text(hook, "entry").split_whitespace();
        let output = Command::new(folder.join(words.next().unwrap()))
            .args(words)
            .args(&files)
            .current_dir(run.room.path(""))
            .env_clear()
            .env("HOME", run.room.path(""))
            .output()
            .unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(expected), "{id} {files:?}: {said}");
        assert!(!said.contains(secret.trim()) && (expected == 0 || said.contains(files[1])), "{said}");
    }
    assert!(ids.is_empty(), "hooks that no case runs: {ids:?}");
}

#[test]
fn the_hook_for_documents_takes_what_is_published_and_nothing_else() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hook = hooks.as_vec().unwrap().iter().find(|hook| text(hook, "id") == "recap-check").unwrap();
    let pattern = regex::Regex::new(text(hook, "files")).unwrap();
    for name in ["recap.json", "docs/recap.json", "a/synthesis.expanded.json", "accounting.json"] {
        assert!(pattern.is_match(name), "{name}");
    }
    for name in ["package.json", "recap.json.bak", "myrecap.json", "synthesis.json", "accounting.draft.json"]
    {
        assert!(!pattern.is_match(name), "{name}");
    }
}

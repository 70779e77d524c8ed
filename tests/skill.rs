//! The skill that agents are given, and the plugins that carry it: its commands are run in order against the bundled
//! session, each parses as the program takes it, and the files keep to the published layouts (agentskills.io, the
//! plugin documentation of Claude Code and of Codex).

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser as _;
use recap::stage::demo::{bundled_session, filled};
use recap::terminal::args::Cli;
use serde_json::Value;

use super::program::{Ran, Room};

const SESSION: &str = "0c1d2e3f-aaaa-4bbb-8ccc-000000000001.jsonl";
/// Members that the specification of skills has.
const MEMBERS: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

fn project() -> &'static Utf8Path {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folder() -> Utf8PathBuf {
    project().join("skills/recap")
}

fn text(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// `SKILL.md` and its references.
fn pages() -> Vec<Utf8PathBuf> {
    let (mut pages, mut folders) = (Vec::new(), vec![folder()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            if path.is_dir() { folders.push(path) } else { pages.push(path) }
        }
    }
    pages.sort();
    pages
}

/// Every `$ ` line of a page's console blocks, in order.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```console\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let lines = blocks.flat_map(|(block, _)| block.lines());
    lines
        .map(|line| line.strip_prefix("$ ").unwrap_or_else(|| panic!("no command: {line}")).to_owned())
        .collect()
}

#[test]
fn the_frontmatter_keeps_to_the_specification() {
    let skill = text("skills/recap/SKILL.md");
    let (front, body) = skill.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let mut members: BTreeMap<&str, &str> = BTreeMap::new();
    let mut nested: BTreeMap<&str, &str> = BTreeMap::new();
    for line in front.lines() {
        let (name, value) = line.split_once(':').unwrap();
        let (into, name) = match name.strip_prefix("  ") {
            Some(name) => (&mut nested, name),
            None => (&mut members, name),
        };
        assert_eq!(into.insert(name, value.trim()), None, "{name} stands twice");
    }
    assert!(members.keys().all(|name| MEMBERS.contains(name)), "{members:?}");
    // A colon with a space would begin a mapping, a hash a comment: plain scalars hold neither.
    assert!(
        members.values().chain(nested.values()).all(|value| !value.contains(": ") && !value.contains(" #"))
    );
    let name = members["name"];
    assert_eq!(Some(name), folder().file_name(), "the name is that of the folder");
    assert!((1..=64).contains(&name.len()) && name.split('-').all(|part| !part.is_empty()));
    assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
    assert!((1..=1_024).contains(&members["description"].chars().count()));
    assert!(members["description"].contains("Use it when"), "it says when it is to be used");
    assert!((1..=500).contains(&members["compatibility"].chars().count()));
    assert_eq!(members["license"], env!("CARGO_PKG_LICENSE"));
    assert_eq!(nested["version"].trim_matches('"'), env!("CARGO_PKG_VERSION"));
    assert!(body.lines().count() < 500, "what is long goes into references");
}

#[test]
fn links_stay_inside_of_the_skill_and_every_page_is_reached() {
    let mut reached = vec![folder().join("SKILL.md")];
    let mut next = 0;
    while let Some(page) = reached.get(next).cloned() {
        next += 1;
        let text = fs::read_to_string(&page).unwrap();
        for rest in text.split("](").skip(1) {
            let target = rest.split_once(')').unwrap().0.replace(['\n', ' '], "");
            let file = target.split('#').next().unwrap();
            if file.is_empty() || target.contains("://") {
                continue;
            }
            let path = page.with_file_name(file);
            assert!(path.is_file(), "{page}: {target}");
            // An installed skill is a copy of its folder: nothing around it is there. One level is all that is asked.
            assert!(
                !file.contains("..") && path.strip_prefix(folder()).unwrap().components().count() <= 2,
                "{target}"
            );
            if !reached.contains(&path) {
                reached.push(path);
            }
        }
    }
    reached.sort();
    assert_eq!(reached, pages());
}

#[test]
fn every_command_parses_as_the_program_takes_it() {
    let mut seen = 0;
    for page in pages() {
        for command in commands(&fs::read_to_string(&page).unwrap()) {
            let words: Vec<&str> = command.split_whitespace().collect();
            match words[0] {
                "cd" | "mv" => {}
                "recap" => {
                    // Options are written out, as the help has them.
                    assert!(
                        words.iter().all(|word| !word.starts_with('-') || word.starts_with("--")),
                        "{command}"
                    );
                    if let Err(error) = Cli::try_parse_from(&words) {
                        panic!("{page}: {command}: {error}");
                    }
                    seen += 1;
                }
                other => panic!("{page}: {other} is no command of ours"),
            }
        }
    }
    assert!(seen > 20, "only {seen}");
}

#[test]
fn the_commands_of_the_skill_lead_from_a_session_to_its_recap() {
    let mut walk = Walk::new(&bundled_session(&case(SESSION)));
    let commands = commands(&text("skills/recap/SKILL.md"));
    for command in &commands {
        let ran = walk.run(command);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{command}: {}", ran.stdout);
        if command.starts_with("recap accounting-gaps") {
            assert_eq!(ran.stdout, "", "the draft leaves nothing to nobody");
        }
    }
    for stage in ["collect", "packetize", "accounting-draft", "seal-accounting", "synthesis-draft", "render"]
    {
        assert!(commands.iter().any(|command| command.starts_with(&format!("recap {stage}"))), "{stage}");
    }
    let recap = fs::read_to_string(walk.here.join("recap.md")).unwrap();
    assert!(recap.starts_with("COMPLETE ") && recap.contains("Committed\\, not pushed"), "{recap}");
    let left: Vec<_> = walk.here.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path()).collect();
    assert!(left.iter().all(|path| !path.as_str().ends_with(".violations.json")), "{left:?}");
}

#[test]
fn the_commands_for_a_session_that_went_on_lead_to_a_recap_of_all_of_it() {
    let whole = bundled_session(&case(SESSION));
    let mut walk = Walk::new(&whole);
    for command in commands(&text("skills/recap/SKILL.md")) {
        walk.run(&command);
    }
    // Another turn, in the words of the first one.
    let ask = whole.lines().find(|line| line.contains("\"type\":\"user\"")).unwrap();
    let answer = whole.lines().rfind(|line| line.contains("\"type\":\"assistant\"")).unwrap();
    let again = |line: &str, uuid: &str| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        row["uuid"] = uuid.into();
        if let Some(id) = row["message"].get_mut("id") {
            *id = format!("msg_{uuid}").into();
        }
        row.to_string()
    };
    let more = [
        again(ask, "aaaaaaaa-0000-4000-8000-000000000001"),
        again(answer, "aaaaaaaa-0000-4000-8000-000000000002"),
    ];
    fs::write(&walk.session, format!("{}\n{}\n", whole.trim_end(), more.join("\n"))).unwrap();
    let page = text("skills/recap/references/growing.md");
    let one_session = commands(&page).into_iter().filter(|command| !command.contains("set"));
    for command in one_session {
        let ran = walk.run(&command);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{command}: {}", ran.stdout);
    }
    let recap = fs::read_to_string(walk.here.join("grown.md")).unwrap();
    assert!(recap.starts_with("COMPLETE transcript up to event 29"), "{recap}");
}

/// An agent that does what the skill says, in a home of its own.
struct Walk {
    room: Room,
    session: Utf8PathBuf,
    here: Utf8PathBuf,
    packet: String,
}

impl Walk {
    fn new(session: &str) -> Self {
        let room = Room::new();
        let session = room.file(&format!(".claude/projects/-home-dev-tide/{SESSION}"), session);
        let here = room.path("");
        Self { room, session, here, packet: String::new() }
    }

    /// Runs one line, with what the agent would put in the place of words in capitals; where the skill then leaves a
    /// skeleton to the agent, a written draft takes its place.
    fn run(&mut self, line: &str) -> Ran {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "cd" => {
                let boundary = words[1].strip_prefix("~/.recap/").expect("the skill works below ~/.recap");
                assert!(boundary.starts_with("claude-"));
                let mut folders = self.room.path(".recap").read_dir_utf8().unwrap();
                self.here = folders.next().unwrap().unwrap().into_path();
                return done();
            }
            "mv" => {
                fs::rename(self.here.join(words[1]), self.here.join(words[2])).unwrap();
                return done();
            }
            _ => {}
        }
        let arguments = words[1..].iter().map(|word| match *word {
            "SESSION" => self.session.file_stem().unwrap(),
            "PACKET_ID" => &self.packet,
            word => word,
        });
        let ran = Command::new(env!("CARGO_BIN_EXE_recap"))
            .args(arguments)
            .env_clear()
            .env("HOME", self.room.path(""))
            .current_dir(&self.here)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let ran =
            Ran { status: ran.status.code().unwrap(), stdout: text(ran.stdout), stderr: text(ran.stderr) };
        self.author(&words, &ran);
        ran
    }

    fn author(&mut self, words: &[&str], ran: &Ran) {
        let output = words.iter().skip_while(|word| **word != "--output").nth(1).copied();
        match (words[1], output) {
            ("outline", _) => {
                let line = ran.stdout.lines().find(|line| line.starts_with("= packet ")).unwrap();
                self.packet = line.split_whitespace().nth(2).unwrap().to_owned();
            }
            ("accounting-draft", None) => self.put("accounting.draft.json"),
            ("synthesis-draft", None) => self.put("synthesis.json"),
            ("accounting-draft" | "synthesis-draft", Some(name)) => {
                let path = self.here.join(name);
                let mut draft = fs::read_to_string(&path).unwrap();
                for slot in ["label", "title", "summary"] {
                    draft = draft
                        .replace(&format!("\"{slot}\": \"\""), &format!("\"{slot}\": \"What came later\""));
                }
                fs::write(path, draft).unwrap();
            }
            _ => {}
        }
    }

    /// A bundled draft, bound to this ledger, in the place of a skeleton.
    fn put(&self, name: &str) {
        let accounting = self.here.join("accounting.json");
        let accounting = accounting.is_file().then_some(accounting.as_path());
        let text =
            filled(&self.room.world(), &self.here.join("manifest.json"), accounting, &case(name)).unwrap();
        fs::write(self.here.join(name), text).unwrap();
    }
}

fn done() -> Ran {
    Ran { status: 0, stdout: String::new(), stderr: String::new() }
}

fn case(name: &str) -> String {
    text(&format!("golden/cases/claude-fix/{name}"))
}

#[test]
fn the_plugins_of_both_harnesses_carry_the_skill_in_this_version() {
    let description = |value: &Value| value["description"].as_str().map(str::to_owned);
    let claude = json(".claude-plugin/plugin.json");
    let codex = json(".codex-plugin/plugin.json");
    for manifest in [&claude, &codex] {
        assert_eq!(manifest["name"], "recap");
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(manifest["license"], env!("CARGO_PKG_LICENSE"));
        assert_eq!(description(manifest), description(&claude));
        assert!(manifest["author"]["name"].is_string());
    }
    // Claude Code finds `skills/` at the root of the plugin by itself; Codex is told, and wants `./` in front.
    let skills = codex["skills"].as_str().unwrap();
    assert!(skills.starts_with("./") && project().join(skills).join("recap/SKILL.md").is_file());
    let prompts = codex["interface"]["defaultPrompt"].as_array().unwrap();
    assert!(
        prompts.len() <= 3 && prompts.iter().all(|prompt| prompt.as_str().unwrap().chars().count() <= 128)
    );
    // Nothing but the manifests belongs into these folders.
    for (folder, files) in [(".claude-plugin", 2), (".codex-plugin", 1)] {
        assert_eq!(project().join(folder).read_dir_utf8().unwrap().count(), files, "{folder}");
    }

    let market = json(".claude-plugin/marketplace.json");
    assert!(market["name"].is_string() && market["owner"]["name"].is_string());
    let [entry] = market["plugins"].as_array().unwrap().as_slice() else { panic!("one plugin") };
    assert_eq!((&entry["name"], &entry["version"]), (&claude["name"], &claude["version"]));
    assert_eq!(description(entry), description(&claude));
    // The plugin is the project itself, below the folder that holds `.claude-plugin`.
    assert_eq!(entry["source"], "./");

    let market = json(".agents/plugins/marketplace.json");
    let [entry] = market["plugins"].as_array().unwrap().as_slice() else { panic!("one plugin") };
    assert_eq!(entry["name"], codex["name"]);
    // Codex takes no local path that is the marketplace itself, but a git address relative to it.
    assert_eq!(
        (entry["source"]["source"].as_str(), entry["source"]["url"].as_str()),
        (Some("url"), Some("./"))
    );
    assert_eq!(entry["policy"]["installation"], "AVAILABLE");
    assert_eq!(entry["policy"]["authentication"], "ON_INSTALL");
    assert!(entry["category"].is_string());
}

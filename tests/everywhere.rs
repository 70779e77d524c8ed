//! Made-up credentials in every place that a session, a repository, a draft, a set or an argument has, through every
//! command: no run of twelve of their characters is in any artifact, receipt, report, page, name of a file or message,
//! neither as it lies there nor behind its escapes.

use std::collections::BTreeSet;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::digest::Digest;
use serde_json::{Map, Value, json};

use super::canaries::{Canary, SESSION, Watch, canaries, transcript};
use super::evidence::Evidence;
use super::homes::{self, Home, MAIN};
use super::leaks::rewrite;
use super::policies::fill;
use super::program::{Ran, Room};
use super::samples::{BUNDLED, CLAUDE, CODEX, DOCUMENT, bundled, corpus};
use super::verified::git;

const DONE: i32 = 0;
const BREAKS_CONTRACT: i32 = 1;

/// A room in which every command is watched.
struct Watched {
    room: Room,
    watch: Watch,
    tokens: Vec<String>,
}

impl Watched {
    fn new(room: Room) -> Self {
        let canaries = canaries();
        let tokens = canaries.iter().filter(|canary| canary.is_plain()).map(|canary| canary.token.clone());
        Self { room, watch: Watch::over(&canaries), tokens: tokens.collect() }
    }

    /// Words are arguments as they are; those that end in `.json` or `.md` and begin with a letter are files in `out`.
    #[track_caller]
    fn run(&self, arguments: &[&str], status: i32) -> Ran {
        let path = |word: &&str| match Utf8Path::new(word).extension() {
            Some("json" | "md") if !word.starts_with('/') => self.out(word).into_string(),
            _ => (*word).to_owned(),
        };
        let arguments: Vec<String> = arguments.iter().map(path).collect();
        let ran = self.room.run(&arguments);
        self.watch.ran(&ran, &format!("{arguments:?}"));
        assert_eq!(ran.status, status, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        ran
    }

    fn out(&self, name: &str) -> Utf8PathBuf {
        self.room.path("out").join(name)
    }

    /// From a session to a recap, with every command that reads on the way.
    fn whole_way(&self, session: &str, more: &[&str]) {
        self.run(&[&["collect", "--session", session, "--output", "manifest.json"], more].concat(), DONE);
        self.run(&["packetize", "manifest.json"], DONE);
        self.run(&["-v", "validate", "manifest.json"], DONE);
        self.read();
        self.run(&["accounting-draft", "manifest.json", "--output", "draft.json"], DONE);
        self.run(&["accounting-gaps", "manifest.json", "draft.json"], DONE);
        rewrite(&self.out("draft.json"), |draft| fill(draft, "Some words"));
        self.run(
            &["seal-accounting", "manifest.json", "draft.json", "--output", "accounting.json", "--explain"],
            DONE,
        );
        self.run(&["validate-accounting", "manifest.json", "accounting.json", "--explain"], DONE);
        let skeleton = ["synthesis-draft", "manifest.json", "accounting.json", "--output", "synthesis.json"];
        self.run(&skeleton, DONE);
        rewrite(&self.out("synthesis.json"), |synthesis| fill(synthesis, "Some words."));
        let check = ["validate-synthesis", "manifest.json", "accounting.json", "synthesis.json", "--explain"];
        self.run(&[&check[..], &["--expanded", "expanded.json"]].concat(), DONE);
        self.run(
            &["render", "manifest.json", "accounting.json", "synthesis.json", "--output", "recap.md"],
            DONE,
        );
        self.run(&["attempts", "manifest.json"], DONE);
        self.watch.folder(&self.room.path("out"));
    }

    /// Every part of the outline, and some packets and events.
    fn read(&self) {
        let packets: Value =
            serde_json::from_slice(&fs::read(self.out("manifest.json.packets.json")).unwrap()).unwrap();
        let streams = &packets["streams"];
        for part in 1..=streams["outline-parts"]["rows"].as_u64().unwrap() {
            self.run(&["outline", "manifest.json", "--part", &part.to_string()], DONE);
        }
        let rows = self.out("manifest.json.ledger").join(streams["packets"]["file"].as_str().unwrap());
        let rows = fs::read_to_string(rows).unwrap();
        for row in rows.lines().step_by(1 + rows.lines().count() / 6) {
            let row: Value = serde_json::from_str(row).unwrap();
            for format in ["compact", "json"] {
                let id = row["packet_id"].as_str().unwrap();
                self.run(&["packet", "manifest.json", id, "--format", format], DONE);
            }
        }
        let events = Evidence::open(&self.out("manifest.json")).events();
        for event in events.iter().step_by(1 + events.len() / 12) {
            let id = event["event_id"].as_str().unwrap();
            self.run(&["event", "manifest.json", id], DONE);
        }
    }

    /// A token, another one for each number.
    fn token(&self, number: usize) -> &str {
        &self.tokens[number % self.tokens.len()]
    }
}

/// Members that say what a record is, or who the session is.
const NATURE: [&str; 10] = [
    "type",
    "role",
    "subtype",
    "operation",
    "history_mode",
    "status",
    "phase",
    "sessionId",
    "session_id",
    "id",
];

/// A record with a token behind texts: behind sentences only, or behind all, with further members.
fn planted(value: &Value, name: &str, all: bool, next: &mut dyn FnMut() -> String) -> Value {
    match value {
        Value::String(text) if NATURE.contains(&name) => Value::String(text.clone()),
        Value::String(text) => {
            let sentence = text.contains(' ') && !text.starts_with(['{', '*']);
            Value::String(if all || sentence { format!("{text} {}", next()) } else { text.clone() })
        }
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| planted(item, name, all, next)).collect())
        }
        Value::Object(members) => {
            let mut more: Map<String, Value> = members
                .iter()
                .map(|(name, member)| (name.clone(), planted(member, name, all, next)))
                .collect();
            if all {
                more.insert(next(), next().into());
            }
            Value::Object(more)
        }
        other => other.clone(),
    }
}

fn planted_file(file: &Utf8Path, all: bool, tokens: &[String]) -> Vec<u8> {
    let mut number = 0;
    let mut next = || {
        number += 1;
        tokens[number % tokens.len()].clone()
    };
    let bytes = fs::read(file).unwrap();
    if file.file_name() == Some(DOCUMENT) {
        let document = serde_json::from_slice(&bytes).unwrap();
        return serde_json::to_vec(&planted(&document, "", all, &mut next)).unwrap();
    }
    let mut out = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(value @ Value::Object(_)) => {
                serde_json::to_writer(&mut out, &planted(&value, "", all, &mut next)).unwrap();
            }
            _ if line.is_empty() => {}
            _ => out.extend([line, next().as_bytes()].concat()),
        }
        out.push(b'\n');
    }
    out
}

#[test]
fn every_family_goes_the_whole_way() {
    let watched = Watched::new(Room::in_memory());
    let session = watched.room.file(&format!("in/{SESSION}.jsonl"), transcript(&canaries()));
    watched.whole_way(session.as_str(), &[]);
    assert!(
        fs::read_to_string(watched.out("recap.md")).unwrap().contains("redacted"),
        "the control shows no mark"
    );
}

#[test]
fn every_member_of_every_record_is_looked_at() {
    let shapes = ["public/claude/shapes-2.1.239.jsonl", "public/codex/shapes-2026-08.jsonl"];
    let shapes = corpus("").into_iter().flat_map(|root| shapes.map(|shape| root.join(shape)));
    for file in BUNDLED.map(bundled).into_iter().chain(shapes) {
        for all in [false, true] {
            let watched = Watched::new(Room::in_memory());
            let bytes = planted_file(&file, all, &watched.tokens);
            let session = watched.room.file(&format!("in/{}", file.file_name().unwrap()), bytes);
            watched.whole_way(session.as_str(), &[]);
        }
    }
}

/// A repository whose names are tokens.
fn repository(watched: &Watched) -> Utf8PathBuf {
    let folder = watched.room.folder(&format!("work/{}", watched.token(0)));
    let git = |arguments: &[&str]| git(&folder, arguments);
    git(&["init", "--quiet", "--initial-branch", &format!("fix/{}", watched.token(1))]);
    let author = format!("--author={} <{}@example.com>", watched.token(2), watched.token(3));
    fs::write(folder.join("a.txt"), "a\n").unwrap();
    git(&["add", "a.txt"]);
    git(&["commit", "--quiet", &author, "--message", &format!("use {}", watched.token(4))]);
    git(&["tag", "--annotate", watched.token(5), "--message", watched.token(6)]);
    let address = format!("https://me:{}@git.example.com/{}/app.git", watched.token(7), watched.token(8));
    git(&["remote", "add", "origin", &address]);
    git(&["remote", "add", watched.token(9), &format!("ssh://git@example.com/{}", watched.token(10))]);
    git(&["branch", watched.token(11)]);
    git(&["branch", "--quiet", &format!("--set-upstream-to={}", watched.token(11))]);
    let tree = watched.room.path(&format!("trees/{}", watched.token(12)));
    git(&["worktree", "add", "--quiet", "-b", watched.token(13), tree.as_str()]);
    fs::write(folder.join(watched.token(14)), "x").unwrap();
    fs::write(folder.join("a.txt"), "b\n").unwrap();
    git(&["stash", "push", "--quiet", "--message", watched.token(15)]);
    fs::write(folder.join("a.txt"), watched.token(16)).unwrap();
    folder
}

#[test]
fn repositories_side_files_and_lists_of_sessions_tell_none() {
    let watched = Watched::new(Room::new());
    let folder = repository(&watched);
    let project = format!(".claude/projects/{}", watched.token(20));
    let row = |number: usize, kind: &str, content: Value| {
        json!({"type": kind, "uuid": format!("{number:08}-0000-4000-8000-000000000000"), "sessionId": SESSION,
            "timestamp": "2026-05-04T09:00:00.000Z", "cwd": folder.as_str(), "gitBranch": format!("fix/{}", watched.token(1)),
            "message": {"role": kind, "id": format!("msg_{number}"), "content": content}})
    };
    let output = watched.room.path(&format!("{project}/{SESSION}/tool-results/{}.txt", watched.token(21)));
    let shown =
        format!("<persisted-output>\nOutput too large (524KB). Full output saved to: {output}\n\nPreview");
    let mut result = row(3, "user", json!([{"type": "tool_result", "tool_use_id": "t1", "content": shown}]));
    result["toolUseResult"] = json!({"stdout": "", "stderr": "", "persistedOutputPath": output.as_str()});
    let command = format!("cd {folder} && git push https://me:{}@git.example.com/app.git", watched.token(22));
    let titles = ["summary", "custom-title", "ai-title", "agent-name", "last-prompt", "tag", "pr-link"].map(|kind| {
        json!({"type": kind, "sessionId": SESSION, "summary": watched.token(23), "customTitle": watched.token(24),
            "aiTitle": watched.token(25), "agentName": watched.token(26), "lastPrompt": watched.token(27),
            "tag": watched.token(28), "prUrl": format!("https://example.com/{}", watched.token(29))})
    });
    let rows = [
        row(1, "user", json!("Look into it.")),
        row(
            2,
            "assistant",
            json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": command}}]),
        ),
        result,
        row(4, "assistant", json!([{"type": "text", "text": "I looked."}])),
    ];
    let text: String = rows.iter().chain(&titles).map(|row| format!("{row}\n")).collect();
    let session = watched.room.file(&format!("{project}/{SESSION}.jsonl"), text);
    watched.room.file(output.strip_prefix(watched.room.path("")).unwrap().as_str(), watched.token(30));
    watched.room.file(&format!("{project}/{}.jsonl", watched.token(31)), format!("{}\n", watched.token(32)));
    for more in [&[][..], &["--all"], &["--json"], &["--all", "--json"]] {
        watched.run(&[&["sessions"], more].concat(), DONE);
    }
    watched.run(&["sessions", "--cwd", folder.as_str(), "--json"], DONE);
    watched.run(&["sessions", "--branch", &format!("fix/{}", watched.token(1)), "--json"], DONE);
    watched.run(&["sessions", "--branch", watched.token(33)], BREAKS_CONTRACT);
    watched.whole_way(
        SESSION,
        &["--repo", folder.as_str(), "--repo", &format!("/nowhere/{}", watched.token(34))],
    );
    let manifest = Evidence::open(&watched.out("manifest.json"));
    let git = &manifest.manifest["git"];
    assert!(git["verified_now"][0]["branch"].as_str().unwrap().contains("[redacted:"), "{git}");
    assert_eq!(manifest.stream("side-files").len(), 1);
    fs::remove_file(session).unwrap();
}

#[test]
fn a_session_whose_id_is_a_token_is_refused_and_not_named() {
    let watched = Watched::new(Room::in_memory());
    for number in 0..6 {
        let id = watched.token(number * 5);
        let row = json!({"type": "user", "uuid": "u", "sessionId": id, "message": {"role": "user", "content": "x"}});
        let session = watched.room.file(&format!("in/{id}.jsonl"), format!("{row}\n"));
        let ran = watched.run(&["collect", "--session", session.as_str(), "--output", "manifest.json"], 3);
        assert_eq!(ran.code(), "identity-credential-shaped");
    }
}

/// Every text of a draft with a token in it, and further members.
fn spoiled(path: &Utf8Path, tokens: &[String]) -> Vec<u8> {
    let whole = fs::read(path).unwrap();
    let mut number = 0;
    let mut next = || {
        number += 1;
        tokens[number % tokens.len()].clone()
    };
    let value: Value = serde_json::from_slice(&whole).unwrap();
    fs::write(path, planted(&value, "", true, &mut next).to_string()).unwrap();
    whole
}

#[test]
fn what_is_wrong_with_a_draft_is_told_without_its_words() {
    let watched = Watched::new(Room::in_memory());
    watched.whole_way(bundled(CLAUDE).as_str(), &[]);
    let draft = ["manifest.json", "draft.json", "--output", "again.json", "--explain"];
    let sealed = ["manifest.json", "accounting.json", "--explain"];
    let synthesis = ["manifest.json", "accounting.json", "synthesis.json", "--explain"];
    let texts = |value: &mut Value, token: &str| {
        for item in value["story"].as_array_mut().unwrap() {
            for member in ["title", "summary", "caveat"] {
                item[member] = json!(format!("we saw {token}"));
            }
            item["git_evidence"] = json!([{"repository": token, "kind": token, "value": token}]);
        }
        value["changes"][0]["paths"] = json!([token]);
        value["coverage"]["low_signal_group_ids"] = json!([token]);
    };
    for (name, commands) in [
        ("draft.json", &[[&["seal-accounting"][..], &draft].concat()][..]),
        (
            "accounting.json",
            &[
                [&["validate-accounting"][..], &sealed].concat(),
                [&["synthesis-draft"][..], &sealed, &["--output", "again.json"]].concat(),
                [&["validate-synthesis"][..], &synthesis].concat(),
                [&["render"][..], &synthesis, &["--output", "again.md"]].concat(),
                [
                    &["accounting-draft"][..],
                    &["manifest.json", "--extends", "accounting.json", "--output", "again.json"],
                ]
                .concat(),
            ],
        ),
        ("synthesis.json", &[[&["validate-synthesis"][..], &synthesis, &["--dry-run"]].concat()]),
    ] {
        let whole = spoiled(&watched.out(name), &watched.tokens);
        for command in commands {
            watched.run(command, BREAKS_CONTRACT);
        }
        fs::write(watched.out(name), whole).unwrap();
        let report = fs::read(watched.out(&format!("{name}.violations.json"))).unwrap();
        watched.watch.silent(&report, name);
    }
    // Drafts of the right shape, in which texts alone are wrong.
    for number in 0..watched.tokens.len() {
        let token = watched.token(number);
        let whole = fs::read(watched.out("synthesis.json")).unwrap();
        rewrite(&watched.out("synthesis.json"), |value| texts(value, token));
        if number % 9 == 0 {
            watched.run(&[&["validate-synthesis"][..], &synthesis, &["--dry-run"]].concat(), BREAKS_CONTRACT);
            let carried = ["--output", "carried.json", "--from", "synthesis.json", "--explain"];
            let ran = watched.run(&[&["synthesis-draft"][..], &sealed[..2], &carried].concat(), DONE);
            assert!(ran.stdout.contains("\"left_behind\":"), "{}", ran.stdout);
            let carried = fs::read(watched.out("carried.json")).unwrap();
            watched.watch.silent(&carried, "a draft that was carried over");
            fs::remove_file(watched.out("carried.json")).unwrap();
        }
        fs::write(watched.out("synthesis.json"), whole).unwrap();
    }
}

#[test]
fn a_set_its_handoff_and_what_is_wrong_with_its_edges_tell_none() {
    let canaries = canaries();
    let home = Home::with_two_children();
    let watched = Watched::new(Room::in_memory());
    let rows = planted_rows(&canaries);
    for agent in ["a1", "a2"] {
        let rows: Vec<Value> = homes::child(MAIN, agent)
            .into_iter()
            .chain(rows.iter().map(|row| homes::of_child(row.clone(), agent)))
            .collect();
        home.claude(&format!("{MAIN}/subagents/agent-{agent}.jsonl"), &rows);
    }
    let set = home.set();
    let edges = home.room.path("sets/edges.json");
    let run = |arguments: &[&str], status: i32| {
        let ran = home.room.run(arguments);
        watched.watch.ran(&ran, &format!("{arguments:?}"));
        assert_eq!(ran.status, status, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    };
    run(&["sessions", "--all", "--json"], DONE);
    run(&["collect-set", "--session", MAIN, "--include-children", "--output", set.as_str()], DONE);
    run(
        &[
            "collect-set",
            "--session",
            MAIN,
            "--include-children",
            "--without",
            watched.token(0),
            "--output",
            set.as_str(),
        ],
        2,
    );
    run(&["validate-set", set.as_str()], DONE);
    let document = home.document();
    let items: Vec<Value> = document["edges"].as_array().unwrap().iter().map(|edge| {
        let events = Evidence::open(&home.manifest(home.name(&edge["to"]))).events();
        let report = events.iter().rfind(|event| event["surface"] == "assistant").unwrap();
        json!({"edge_id": edge["id"], "summary": "The child says that it looked.", "source_label": "agent_report",
            "evidence_ids": [report["event_id"]]})
    }).collect();
    let draft = json!({"schema_version": "recap.edges-draft.v1", "items": items,
        "set_sha256": Digest::of(&fs::read(&set).unwrap())});
    let handoff = home.room.path("sets/handoff.md");
    let render = ["render-set", set.as_str(), edges.as_str(), "--output", handoff.as_str(), "--explain"];
    home.room.file("sets/edges.json", draft.to_string());
    run(&render, DONE);
    watched.watch.folder(&home.room.path("sets"));
    for (number, member) in ["summary", "caveat", "edge_id", "source_label"].into_iter().enumerate() {
        let mut wrong = draft.clone();
        wrong["items"][0][member] = json!(watched.token(number));
        wrong["items"][0][watched.token(number)] = json!(watched.token(number));
        fs::write(&edges, wrong.to_string()).unwrap();
        run(&render, BREAKS_CONTRACT);
        fs::remove_file(&edges).unwrap();
        watched.watch.folder(&home.room.path("sets"));
        home.room.file("sets/edges.json", "{}");
    }
}

/// Rows of a child that hold tokens in every place.
fn planted_rows(canaries: &[Canary]) -> Vec<Value> {
    let lines = transcript(&canaries[..40]);
    let lines =
        lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    lines.map(|row| homes::with(row, "sessionId", json!(MAIN))).collect()
}

#[test]
fn commands_that_know_no_session_repeat_no_argument() {
    let watched = Watched::new(Room::in_memory());
    watched.run(&["demo"], DONE);
    watched.run(&["schema"], DONE);
    watched.run(&["explain", "secret-left"], DONE);
    let session = bundled(CODEX);
    watched.run(&["collect", "--session", session.as_str(), "--output", "manifest.json"], DONE);
    let commands: BTreeSet<&str> = [
        "sessions",
        "collect",
        "collect-set",
        "validate-set",
        "packetize",
        "outline",
        "packet",
        "event",
        "validate",
        "accounting-draft",
        "accounting-gaps",
        "seal-accounting",
        "validate-accounting",
        "synthesis-draft",
        "validate-synthesis",
        "render",
        "render-set",
        "attempts",
        "explain",
        "schema",
        "scrub",
        "demo",
    ]
    .into();
    for (number, command) in commands.into_iter().enumerate() {
        let token = watched.token(number);
        let file = watched.room.path(token);
        for arguments in [
            &[command, &format!("--{token}")][..],
            &[command, token, token, token, token],
            &[command, "--output", token, token],
            &[command, &format!("--output={token}")],
            &[command, file.as_str()],
            &[command, "--part", token, "--limit", token],
        ] {
            let ran = watched.room.run(arguments);
            watched.watch.ran(&ran, &format!("{arguments:?}"));
        }
    }
    let variables = ["HOME", "TMPDIR", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"];
    for (number, variable) in variables.into_iter().enumerate() {
        for arguments in [&["collect", "--current"][..], &["sessions"], &["sessions", "--json"], &["demo"]] {
            let ran = watched.room.run_with(arguments, &[(variable, watched.token(number))]);
            watched.watch.ran(&ran, &format!("{variable} {arguments:?}"));
        }
    }
}

//! The end of a session against the git of this machine: shuffled commands are run in a repository by a real shell,
//! their outputs become a transcript, and whatever the manifest states of the end is what the repository then holds.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use camino::Utf8Path;
use serde_json::Value;

use super::ending::{bash, lines, rows};
use super::evidence::{Evidence, text};
use super::program::Room;

/// Sessions, and commands of each.
const SESSIONS: usize = 48;
const COMMANDS: usize = 7;

const CHANGING: &[&str] = &[
    "echo x >> a",
    "echo y > b && git add -A",
    "git commit -qm x",
    "git commit -am x",
    "git add -A && git commit -m x && git status",
    "git add -A && git commit -m x && git status -sb",
    "git add -A && git commit -m x && git rev-parse HEAD",
    "git status -s && git commit -qam x",
    "git commit --allow-empty -m e > /dev/null",
    "git checkout -q -b side || git checkout side",
    "git checkout main",
    "git checkout -q --detach",
    "git stash",
    "git stash pop",
    "git reset -q --hard HEAD~1",
    "git merge -q side",
    "git rebase -q main",
    "git rebase --abort",
    "sed -i s/x/z/ a",
    "rm -f b",
    "mkdir -p d && touch d/e",
    "git branch other; git branch",
    "(sleep 0; echo q >> a) & wait",
];
const ASKING: &[&str] = &[
    "git status",
    "git status -sb",
    "git status --porcelain",
    "git status --porcelain=v2 --branch",
    "git rev-parse HEAD",
    "git rev-parse --short HEAD && git status -s",
    "git rev-parse --abbrev-ref HEAD && git status --short",
    "git status -s && git log --oneline -2",
    "git status --short && echo --- && git log --oneline -1",
    "git branch --show-current",
    "git branch",
    "git log -1",
    "git log --oneline",
    "git show -s --format='%H %s'",
    "git symbolic-ref --short HEAD",
    "cat a",
    "ls -la",
    "git diff | head -3",
    "false; git status --porcelain",
    "git status -s; true",
];

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

fn shell(folder: &Utf8Path, script: &str) -> (String, u32) {
    let ran = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Kim")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "kim@example.org")))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&ran.stdout).trim_end().to_owned();
    (output, ran.status.code().and_then(|code| u32::try_from(code).ok()).unwrap_or(1))
}

#[test]
fn what_is_stated_of_the_end_is_so() {
    let mut dice = Dice(7);
    let mut stated = BTreeMap::new();
    for _ in 0..SESSIONS {
        let room = Room::in_memory();
        let folder = room.folder("repository");
        shell(
            &folder,
            "git init -q -b main && echo x > a && git add a && git commit -qm first && git commit -q --allow-empty -m second",
        );
        let mut calls = Vec::new();
        for _ in 0..COMMANDS {
            let pool = if dice.below(5) < 2 { CHANGING } else { ASKING };
            let command = pool[dice.below(pool.len())];
            let (output, status) = shell(&folder, command);
            calls.push((command, output, status));
        }
        let told: Vec<_> = calls
            .iter()
            .map(|(command, output, status)| ("Bash", bash(command), output.as_str(), *status))
            .collect();
        let source = room.file("3e3e3f30-1111-4222-8333-444455556666.jsonl", lines(&rows(&told)));
        let manifest = room.path("out/manifest.json");
        room.collect(&source, &manifest).unwrap();
        let end = Evidence::open(&manifest).manifest["git"]["session_end"].clone();
        for fact in end["facts"].as_array().into_iter().flatten() {
            let (kind, value) = (text(&fact["kind"]), text(&fact["value"]));
            assert_eq!(fact["workdir"], Value::Null);
            let now = |script: &str| shell(&folder, script).0;
            let holds = match kind {
                "head" => now("git rev-parse HEAD").starts_with(value),
                "branch" => now("git branch --show-current") == value,
                _ => now("git status --porcelain").is_empty().to_string() == value,
            };
            assert!(holds, "{kind} {value} after {calls:#?}");
            *stated.entry(kind.to_owned()).or_insert(0) += 1;
        }
    }
    println!("{stated:?}");
    assert!(
        ["head", "branch", "clean"].iter().all(|kind| stated.get(*kind).is_some_and(|count| *count > 8)),
        "{stated:?}"
    );
}

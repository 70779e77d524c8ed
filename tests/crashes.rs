//! A program that is ended at any moment leaves every artifact absent, old or new, each whole, and what runs next
//! makes the same bytes as if nothing had happened.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::digest::Digest;
use recap::base::private::Folder;
use recap::evidence::ledger::resume::named_streams;
use recap::stage::demo::{bundled_session, filled};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::program::{Room, listing};

const SECRET: [u8; 32] = *b"every run of these has this one.";
const SESSION: &str = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b.jsonl";
/// A whole run is far shorter; one that hangs is ended here.
const LONGEST: Duration = Duration::from_secs(60);
/// Exit status of a command that was interrupted.
const CANNOT: i32 = 4;

/// When a run is ended.
#[derive(Debug, Clone)]
enum Moment {
    /// Behind this many thousandths of the time that a whole run takes.
    Part(u32),
    /// As soon as something in the folders looks like this.
    Seen(Sight),
}

/// What the folders show.
#[derive(Debug, Clone)]
enum Sight {
    /// A temporary file of this name.
    Temporary(&'static str),
    /// So many stream files more than at the start.
    Streams(usize),
    /// This file is there or is another one than at the start.
    Changed(&'static str),
}

/// A folder that is watched while a program works in it.
struct Scene {
    room: Room,
    output: Utf8PathBuf,
    whole_run: Cell<Duration>,
}

impl Scene {
    fn new() -> Self {
        let room = Room::new();
        room.file("out/manifest.json.ledger/secret", SECRET);
        let output = room.path("out");
        Self { room, output, whole_run: Cell::default() }
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        self.output.join(name)
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recap"));
        command.args(arguments).env_clear().env("HOME", self.room.path("")).current_dir(&self.output);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs to the end and remembers how long that took.
    fn run(&self, arguments: &[&str]) -> Value {
        let started = Instant::now();
        let output = self.start(arguments).wait_with_output().unwrap();
        self.whole_run.set(started.elapsed());
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs until the moment, or to the end if that comes first.
    fn end(&self, arguments: &[&str], moment: &Moment, signal: Signal) -> Output {
        let before = self.names();
        let changed = |name: &str| fs::read(self.path(name)).ok();
        let old = match moment {
            Moment::Seen(Sight::Changed(name)) => changed(name),
            _ => None,
        };
        let mut child = self.start(arguments);
        let started = Instant::now();
        while child.try_wait().unwrap().is_none() && started.elapsed() < LONGEST {
            let reached = match moment {
                Moment::Part(part) => started.elapsed() >= self.whole_run.get() * *part / 1000,
                Moment::Seen(Sight::Changed(name)) => changed(name) != old,
                Moment::Seen(Sight::Temporary(name)) => self
                    .names()
                    .iter()
                    .any(|found| is_temporary(found) && found.starts_with(&format!(".{name}."))),
                Moment::Seen(Sight::Streams(more)) => {
                    self.names().difference(&before).filter(|name| is_stream(name)).count() >= *more
                }
            };
            if reached {
                kill_process(Pid::from_child(&child), signal).unwrap();
                break;
            }
            std::thread::sleep(Duration::from_micros(20));
        }
        child.wait_with_output().unwrap()
    }

    /// The names of all files here and in the ledger.
    fn names(&self) -> BTreeSet<String> {
        let folders = [self.output.clone(), self.path("manifest.json.ledger")];
        let entries = folders.iter().filter_map(|folder| folder.read_dir_utf8().ok()).flatten();
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_owned())).collect()
    }

    fn streams(&self) -> BTreeSet<String> {
        self.names().into_iter().filter(|name| is_stream(name)).collect()
    }

    /// What is kept for the next collection is named there, and nothing else is kept.
    fn assert_no_other_state(&self) {
        let folder = Folder::open(&self.path("manifest.json.ledger")).unwrap();
        let named: BTreeSet<String> = named_streams(&folder).into_iter().collect();
        let kept = |name: &String| name.ends_with(".resume.bin") || name.ends_with(".run.bin");
        assert_eq!(self.names().into_iter().filter(kept).collect::<BTreeSet<_>>(), named);
    }

    fn assert_no_temporary_file(&self) {
        let left: Vec<_> = self.names().into_iter().filter(|name| is_temporary(name)).collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }

    /// The manifest, or nothing. Every file that it names has its digest.
    fn manifest(&self) -> Option<Value> {
        let manifest: Value = serde_json::from_slice(&fs::read(self.path("manifest.json")).ok()?).unwrap();
        let ledger = &manifest["ledger"];
        let named = |stream: &Value, file: &str| {
            let bytes = fs::read(self.path("manifest.json.ledger").join(file)).unwrap();
            assert_eq!(stream["sha256"], Digest::of(&bytes).to_string(), "{file}");
        };
        for segment in ledger["segments"].as_array().unwrap() {
            named(segment, &format!("{}.events.jsonl", segment["sha256"].as_str().unwrap()));
        }
        let parts = ledger["parts"].as_object().unwrap().values().flat_map(|parts| parts.as_array().unwrap());
        for stream in ledger["streams"].as_object().unwrap().values().chain(parts) {
            named(stream, stream["file"].as_str().unwrap());
        }
        Some(manifest)
    }

    fn assert_valid(&self) {
        self.room.run(&["validate", self.path("manifest.json").as_str()]).receipt();
    }

    fn collect(&self) -> [String; 5] {
        let source = self.room.path(SESSION);
        ["collect", "--session", source.as_str(), "--output", self.path("manifest.json").as_str()]
            .map(str::to_owned)
    }

    /// One of the outputs: absent, or one of these.
    fn holds(&self, name: &str, allowed: &[Option<&[u8]>]) {
        let found = fs::read(self.path(name)).ok();
        assert!(allowed.contains(&found.as_deref()), "{name} is neither absent, nor old, nor new");
    }
}

fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".tmp")
}

/// What is kept for the next collection may lie in other files after other histories.
fn is_stream(name: &str) -> bool {
    name.split_once('.')
        .is_some_and(|(digest, rest)| digest.len() == 64 && !matches!(rest, "resume.bin" | "run.bin"))
}

fn borrowed(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// Moments all over a collection, most of them where it commits.
fn moments() -> Vec<Moment> {
    let commits = ["manifest.json", "SHA256SUMS"];
    let spread = [0, 50, 300, 700].map(Moment::Part);
    let streams = [1, 3, 5, 7].map(Sight::Streams).map(Moment::Seen);
    let temporary = commits.map(Sight::Temporary).map(Moment::Seen);
    let changed = commits.map(Sight::Changed).map(Moment::Seen);
    spread.into_iter().chain(streams).chain(temporary).chain(changed).collect()
}

/// Prompts, answers, calls and results; the same bytes for the same rows. Each row is about 2,400 bytes.
fn session(rows: std::ops::Range<u32>) -> String {
    let row = |number: u32, kind: &str, content: Value| {
        json!({
            "type": kind, "uuid": format!("u{number}"), "sessionId": SESSION.strip_suffix(".jsonl"), "cwd": "/w",
            "version": "2.1.42", "isSidechain": false, "userType": "external", "parentUuid": null,
            "timestamp": format!("2025-09-01T{:02}:{:02}:{:02}Z", number / 3600, number / 60 % 60, number % 60),
            "message": {"id": format!("m{number}"), "type": "message", "role": kind, "model": "m", "content": content},
        })
        .to_string()
    };
    let words = |number: u32| format!("words of row {number} and more; ").repeat(80);
    let one = |number: u32| match number % 4 {
        0 => row(number, "user", words(number).into()),
        1 => row(number, "assistant", json!([{"type": "text", "text": words(number)}])),
        2 => {
            let input = json!({"command": "cargo test", "description": words(number)});
            row(
                number,
                "assistant",
                json!([{"type": "tool_use", "id": format!("t{number}"), "name": "Bash", "input": input}]),
            )
        }
        _ => {
            let call = format!("t{}", number - 1);
            row(
                number,
                "user",
                json!([{"type": "tool_result", "tool_use_id": call, "content": words(number)}]),
            )
        }
    };
    rows.map(|number| one(number) + "\n").collect()
}

/// What an undisturbed run makes of the first half and, grown, of the whole.
struct Undisturbed {
    halves: [String; 2],
    manifests: [Value; 2],
    durations: [Duration; 2],
    packets: Vec<u8>,
    streams: BTreeSet<String>,
}

static WHOLE: LazyLock<Undisturbed> = LazyLock::new(Undisturbed::new);

impl Undisturbed {
    /// Two halves of about 5 MB: in the second one the first segment ends while the transcript is still read.
    fn new() -> Self {
        let halves = [session(0..2_000), session(2_000..4_000)];
        let scene = Scene::new();
        let collect = scene.collect();
        let manifests = [halves[0].clone(), halves.concat()].map(|text| {
            scene.room.file(SESSION, text);
            scene.run(&borrowed(&collect));
            (scene.manifest().unwrap(), scene.whole_run.get())
        });
        let durations = [manifests[0].1, manifests[1].1];
        let manifests = manifests.map(|(manifest, _)| manifest);
        scene.run(&["packetize", "manifest.json"]);
        let packets = fs::read(scene.path("manifest.json.packets.json")).unwrap();
        Self { halves, manifests, durations, packets, streams: scene.streams() }
    }

    /// Which of the two states a manifest tells of.
    fn state_of(&self, manifest: &Value) -> usize {
        let same = |whole: &Value| {
            whole["ledger"] == manifest["ledger"] && whole["coverage"] == manifest["coverage"]
        };
        self.manifests.iter().position(same).expect("a manifest that no whole run makes")
    }
}

#[test]
fn a_collection_that_is_killed() {
    let whole = &*WHOLE;
    let scene = Scene::new();
    let collect = scene.collect();
    let collect = borrowed(&collect);
    let mut grown = String::new();
    let mut killed = 0;
    for (state, half) in whole.halves.iter().enumerate() {
        grown.push_str(half);
        scene.room.file(SESSION, &grown);
        scene.whole_run.set(whole.durations[state]);
        let old = fs::read(scene.path("manifest.json")).ok();
        for moment in moments() {
            let output = scene.end(&collect, &moment, Signal::KILL);
            killed += u32::from(output.status.signal().is_some());
            if let Some(manifest) = scene.manifest() {
                let found = whole.state_of(&manifest);
                if matches!(moment, Moment::Seen(Sight::Changed(_))) {
                    scene.assert_valid();
                }
                assert!(found == state || old.is_some() && found + 1 == state, "{moment:?}: {found}");
            }
            // Back to before, but with all that the killed run left.
            match &old {
                Some(old) => drop(scene.room.file("out/manifest.json", old)),
                None => drop(fs::remove_file(scene.path("manifest.json"))),
            }
        }
        scene.run(&collect);
        scene.assert_no_temporary_file();
        assert_eq!(whole.state_of(&scene.manifest().unwrap()), state);
        scene.assert_valid();
    }
    assert!(killed > 10, "only {killed} runs were killed");
    scene.run(&["packetize", "manifest.json"]);
    assert_eq!(scene.streams(), whole.streams, "files that nothing names, or that are missing");
    scene.assert_no_other_state();
}

/// Runs that are killed at a random moment each, half of them while a transcript that grew is collected again.
const KILLS: u32 = 200;

#[test]
fn collections_that_are_killed_at_random_moments() {
    let halves = [session(0..240), session(240..480)];
    let texts = [halves[0].clone(), halves.concat()];
    let scene = Scene::new();
    let collect = scene.collect();
    let collect = borrowed(&collect);
    // What undisturbed runs make, how long they take, and where each of them begins.
    let begin = |state: usize, saved: &[(String, Vec<u8>)]| {
        fs::remove_dir_all(&scene.output).unwrap();
        scene.room.file("out/manifest.json.ledger/secret", SECRET);
        for (name, bytes) in saved {
            scene.room.file(&format!("out/{name}"), bytes);
        }
        scene.room.file(SESSION, &texts[state]);
    };
    let mut wholes = Vec::new();
    let mut saved = vec![Vec::new()];
    for state in 0..2 {
        begin(state, &saved[state]);
        scene.run(&collect);
        wholes.push((scene.manifest().unwrap(), scene.whole_run.get()));
        let files = listing(&scene.output).into_iter().filter(|(path, _)| path.is_file());
        let name = |path: &Utf8Path| path.strip_prefix(&scene.output).unwrap().to_string();
        saved.push(files.map(|(path, (_, _, bytes))| (name(&path), bytes)).collect());
    }
    let mut killed = 0;
    for kill in 0..KILLS {
        let state = (kill % 2) as usize;
        begin(state, &saved[state]);
        scene.whole_run.set(wholes[state].1);
        let moment = Moment::Part(kill.wrapping_mul(0x9e37_79b9) % 1_100);
        killed += u32::from(scene.end(&collect, &moment, Signal::KILL).status.signal().is_some());
        // Absent, old or new, and every file that it names is whole.
        if let Some(manifest) = scene.manifest() {
            assert!(wholes[..=state].iter().any(|(whole, _)| whole["ledger"] == manifest["ledger"]));
        }
        scene.run(&collect);
        assert_eq!(scene.manifest().unwrap()["ledger"], wholes[state].0["ledger"], "{moment:?}");
        scene.assert_no_temporary_file();
        if kill % 20 < 2 {
            scene.assert_valid();
        }
    }
    assert!(killed > KILLS / 3, "only {killed} runs were killed");
}

#[test]
fn a_packetization_that_is_killed() {
    let whole = &*WHOLE;
    let scene = Scene::new();
    let collect = scene.collect();
    scene.room.file(SESSION, &whole.halves[0]);
    scene.run(&borrowed(&collect));
    let packetize = ["packetize", "manifest.json"];
    scene.run(&packetize);
    let old = fs::read(scene.path("manifest.json.packets.json")).unwrap();
    scene.room.file(SESSION, whole.halves.concat());
    scene.run(&borrowed(&collect));
    let spread = (0..4).map(|part| Moment::Part(part * 250));
    let sights = [1, 3, 5].into_iter().map(Sight::Streams).chain([
        Sight::Temporary("stream"),
        Sight::Temporary("manifest.json.packets.json"),
        Sight::Changed("manifest.json.packets.json"),
        Sight::Temporary("SHA256SUMS"),
    ]);
    for moment in spread.chain(sights.map(Moment::Seen)) {
        scene.end(&packetize, &moment, Signal::KILL);
        scene.holds("manifest.json.packets.json", &[Some(&old), Some(&whole.packets)]);
        scene.room.file("out/manifest.json.packets.json", &old);
    }
    scene.assert_valid();
    scene.run(&packetize);
    scene.assert_no_temporary_file();
    scene.holds("manifest.json.packets.json", &[Some(&whole.packets)]);
    scene.assert_valid();
}

#[test]
fn a_seal_and_a_render_that_are_killed() {
    let case = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/cases/claude-fix");
    let bundled = |name: &str| bundled_session(&fs::read_to_string(case.join(name)).unwrap());
    let scene = Scene::new();
    let name = "0c1d2e3f-aaaa-4bbb-8ccc-000000000001.jsonl";
    let source = scene.room.file(name, bundled(name));
    scene.run(&["collect", "--session", source.as_str(), "--output", "manifest.json"]);
    let manifest = scene.path("manifest.json");
    let fill = |scene: &Scene, accounting: Option<&Utf8Path>, name: &str| {
        let text = filled(&scene.room.world(), &manifest, accounting, &bundled(name)).unwrap();
        scene.room.file(&format!("out/{name}"), text);
    };
    fill(&scene, None, "accounting.draft.json");
    let seal = ["seal-accounting", "manifest.json", "accounting.draft.json", "--output", "accounting.json"];
    let accounting = scene.path("accounting.json");
    ended_while_writing(&scene, &seal, &["accounting.json"]);
    fill(&scene, Some(&accounting), "synthesis.json");
    let mut render = vec!["render", "manifest.json", "accounting.json", "synthesis.json"];
    render.extend(["--output", "recap.md"]);
    ended_while_writing(&scene, &render, &["recap.md", "recap.md.evidence.json"]);
    let attempts = scene.run(&["attempts", "manifest.json"]);
    assert_eq!(attempts["counts"]["failed"].as_u64().unwrap_or(0), 0, "{attempts}");
}

/// Ends a stage at many moments, with nothing there before and with older files there.
fn ended_while_writing(scene: &Scene, arguments: &[&str], outputs: &[&'static str]) {
    scene.run(arguments);
    let whole: Vec<_> = outputs.iter().map(|name| fs::read(scene.path(name)).unwrap()).collect();
    let spread: Vec<_> = (0..8).map(|part| Moment::Part(part * 125)).collect();
    for old in [None, Some("old".as_bytes())] {
        let temporary = outputs.iter().map(|name| Moment::Seen(Sight::Temporary(name)));
        let changed = outputs.iter().map(|name| Moment::Seen(Sight::Changed(name)));
        for moment in spread.iter().cloned().chain(temporary).chain(changed) {
            for name in outputs {
                match old {
                    Some(old) => drop(scene.room.file(&format!("out/{name}"), old)),
                    None => drop(fs::remove_file(scene.path(name))),
                }
            }
            scene.end(arguments, &moment, Signal::KILL);
            for (name, whole) in outputs.iter().zip(&whole) {
                scene.holds(name, &[old, Some(whole)]);
            }
        }
        scene.run(arguments);
        scene.assert_no_temporary_file();
        for (name, whole) in outputs.iter().zip(&whole) {
            scene.holds(name, &[Some(whole)]);
        }
    }
    scene.assert_valid();
}

#[test]
fn an_interrupted_collection() {
    let whole = &*WHOLE;
    let scene = Scene::new();
    let collect = scene.collect();
    let collect = borrowed(&collect);
    let mut interrupted = 0;
    for state in 0..2 {
        scene.room.file(SESSION, whole.halves[..=state].concat());
        scene.whole_run.set(whole.durations[state]);
        let (old, before) = (fs::read(scene.path("manifest.json")).ok(), scene.names());
        // Started in the background of a shell, a program ignores the signal until it has its handler: the first
        // moment can be lost then, and ends the round.
        for moment in [30, 200, 0, 600].map(Moment::Part) {
            let output = scene.end(&collect, &moment, Signal::INT);
            if output.status.success() {
                // It came too late: everything was read.
                assert_eq!(whole.state_of(&scene.manifest().unwrap()), state, "{moment:?}");
                break;
            }
            assert_eq!(fs::read(scene.path("manifest.json")).ok(), old);
            if output.status.signal().is_none() {
                let stderr = String::from_utf8(output.stderr).unwrap();
                assert!(stderr.starts_with("recap: interrupted:"), "{stderr}");
                assert_eq!((output.status.code(), output.stdout.len()), (Some(CANNOT), 0));
                let more: Vec<_> = scene.names().difference(&before).cloned().collect();
                assert!(more.iter().all(|name| name == "manifest.json.lock"), "left behind: {more:?}");
                interrupted += 1;
            }
        }
        scene.run(&collect);
        scene.assert_no_temporary_file();
        assert_eq!(whole.state_of(&scene.manifest().unwrap()), state);
    }
    assert!(interrupted > 2, "only {interrupted} runs were interrupted");
}

#[test]
fn an_interrupted_reader() {
    let scene = Scene::new();
    scene.room.file(SESSION, session(0..2_000));
    let collect = scene.collect();
    scene.run(&borrowed(&collect));
    for command in ["validate", "packetize"] {
        scene.run(&[command, "manifest.json"]);
        let before = scene.names();
        let ends = [300, 100, 30].map(Moment::Part).iter().any(|moment| {
            let output = scene.end(&[command, "manifest.json"], moment, Signal::INT);
            let more: Vec<_> = scene.names().difference(&before).cloned().collect();
            assert!(output.status.signal().is_some() || more.is_empty(), "left behind: {more:?}");
            !output.status.success()
        });
        assert!(ends, "{command} goes on");
    }
}

//! One try and two repairs: what counts and what does not, when it is counted, what a closed ledger state still allows,
//! and that a reset is a person's and shows for ever.

use std::fs;
use std::process::{Command, Stdio};

use recap::base::digest::Digest;
use recap::base::rules::Code;
use recap::stage::World;
use recap::stage::attempts::reset;
use recap::stage::render::render;
use serde_json::{Value, json};

use super::hostile::BREAKS_CONTRACT;
use super::program::Ran;
use super::violations::ground::{Document, Ground, fresh, secret, value_of};

/// What is done to a draft.
type Change = Box<dyn FnOnce(&mut Value)>;

/// Exit status of a file that cannot be written.
const CANNOT_WRITE: i32 = 4;
/// Exit status of what is refused for safety.
const REFUSED_FOR_SAFETY: i32 = 3;

/// A session with a sealed accounting and a right synthesis draft.
struct Desk {
    ground: Ground,
}

impl Desk {
    fn new() -> Self {
        Self { ground: fresh() }
    }

    /// Runs the program; `M` and names of files stand in the folder of the session.
    fn run(&self, line: &str) -> Ran {
        self.ground.room.run(&arguments(line))
    }

    /// Writes a synthesis draft, changed.
    fn draft(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut draft = value_of(self.ground.document(Document::SynthesisDraft));
        change(&mut draft);
        self.ground.room.file(&format!("out/{name}.json"), draft.to_string());
    }

    /// Writes a draft that breaks a rule of meaning, each number another one.
    fn wrong(&self, name: &str, number: usize) {
        self.draft(name, |draft| {
            draft["open_work"] = json!([]);
            draft["headline"]["summary"] = json!(format!("Wrong number {number}."));
        });
    }

    /// The receipt of a verdict on a draft.
    fn judged(&self, name: &str) -> Value {
        let ran = self.run(&format!("validate-synthesis M accounting.json {name}.json"));
        assert!([0, BREAKS_CONTRACT].contains(&ran.status), "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// Judges three different drafts that fail.
    fn closed(self) -> Self {
        for number in 0..3 {
            self.wrong("wrong", number);
            self.judged("wrong");
        }
        self
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.ground.room.path("out/manifest.json.ledger/attempts"));
        text.unwrap_or_default().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A person's reset.
    fn reset(&self) -> u64 {
        let receipt: Value = serde_json::from_str(&self.run("attempts M").stdout).unwrap();
        let root = receipt["digests"]["ledger_root"].as_str().unwrap();
        let world = World { terminal: true, ..self.ground.room.world() };
        reset(&world, &self.ground.manifest, &root[..8]).unwrap().get_count("resets").unwrap()
    }
}

fn arguments(line: &str) -> Vec<String> {
    let word = |word: &str| match word {
        "M" => "out/manifest.json".to_owned(),
        word if word.ends_with(".json") || word.ends_with(".md") => format!("out/{word}"),
        word => word.to_owned(),
    };
    line.split(' ').map(word).collect()
}

fn left(receipt: &Value) -> u64 {
    receipt["counts"]["attempts_left"].as_u64().unwrap()
}

#[test]
fn the_third_different_failure_closes_whichever_command_saw_it() {
    let desk = Desk::new();
    desk.wrong("one", 1);
    assert_eq!(left(&desk.judged("one")), 2);
    assert_eq!(left(&desk.judged("one")), 2, "the same draft counts once");

    let mut accounting = value_of(desk.ground.document(Document::AccountingDraft));
    accounting["claims"][0]["kind"] = json!("change");
    desk.ground.room.file("out/claims.json", accounting.to_string());
    let sealed = desk.run("seal-accounting M claims.json --output other.json");
    let receipt: Value = serde_json::from_str(&sealed.stdout).unwrap();
    assert_eq!((left(&receipt), &receipt["flags"]["counted"]), (1, &json!(true)), "{receipt}");

    desk.wrong("three", 3);
    let rendered = desk.run("render M accounting.json three.json --output recap.md");
    let receipt: Value = serde_json::from_str(&rendered.stdout).unwrap();
    assert_eq!((left(&receipt), rendered.status), (0, BREAKS_CONTRACT));
    assert_eq!(receipt["violations"], json!({"projection-missing": 1, "attempts-exhausted": 1}));

    desk.draft("right", |_| {});
    let rendered = desk.run("render M accounting.json right.json --output recap.md");
    let receipt: Value = serde_json::from_str(&rendered.stdout).unwrap();
    assert_eq!(
        (rendered.status, &receipt["violations"]),
        (BREAKS_CONTRACT, &json!({"attempts-exhausted": 1}))
    );
    assert!(!desk.ground.room.path("out/recap.md").exists(), "no authoritative recap");
    let told: Value = serde_json::from_str(&desk.run("attempts M").stdout).unwrap();
    assert_eq!((&told["counts"]["failed"], &told["flags"]["exhausted"]), (&json!(3), &json!(true)));
}

#[test]
fn two_spellings_of_one_draft_are_one() {
    let desk = Desk::new();
    desk.wrong("short", 1);
    assert_eq!(left(&desk.judged("short")), 2);
    let mut draft = value_of(desk.ground.document(Document::SynthesisDraft));
    draft["open_work"] = json!([]);
    draft["headline"]["summary"] = json!("Wrong number 1.");
    // Evidence spelled out, bounds widened, members in another order, white space.
    draft["headline"]["evidence_ranges"] = json!([[2, 4], [6, 7]]);
    draft["timeline"][2]["last_ordinal"] = json!(999);
    desk.ground.room.file("out/long.json", serde_json::to_string_pretty(&draft).unwrap() + "\n\n");
    let receipt = desk.judged("long");
    assert_eq!((left(&receipt), &receipt["flags"]["counted"]), (2, &json!(true)));
    assert_eq!(desk.lines().len(), 1, "a line says it already");
}

#[test]
fn faults_of_spelling_shape_and_binding_do_not_count() {
    let desk = Desk::new();
    let other = Digest::of(b"another").to_string();
    let changes: Vec<(&str, Change)> = vec![
        ("schema-violation", Box::new(|draft| draft["headline"] = json!({}))),
        ("manifest-mismatch", Box::new(move |draft| draft["manifest_sha256"] = json!(other))),
        (
            "accounting-mismatch",
            Box::new(|draft| draft["accounting_sha256"] = draft["manifest_sha256"].clone()),
        ),
        ("text-empty", Box::new(|draft| draft["headline"]["summary"] = json!(""))),
        ("text-too-long", Box::new(|draft| draft["headline"]["summary"] = json!("x".repeat(1_201)))),
        ("text-unsafe", Box::new(|draft| draft["headline"]["summary"] = json!("\t"))),
        ("id-malformed", Box::new(|draft| draft["headline"]["id"] = json!("H"))),
        ("credential-shaped", Box::new(|draft| draft["headline"]["summary"] = json!(secret()))),
        (
            "render-too-long",
            Box::new(|draft| {
                for number in 0..9 {
                    let mut item = draft["open_work"][0].clone();
                    item["id"] = json!(format!("more-{number}"));
                    item["summary"] = json!("word ".repeat(239).trim());
                    draft["open_work"].as_array_mut().unwrap().push(item);
                }
            }),
        ),
    ];
    for (code, change) in changes {
        desk.draft("spelt", change);
        let receipt = desk.judged("spelt");
        assert!(receipt["violations"].get(code).is_some(), "{code}: {receipt}");
        assert_eq!((left(&receipt), &receipt["flags"]["counted"]), (3, &json!(false)), "{code}");
        let lines = desk.lines().len();
        desk.judged("spelt");
        assert_eq!(desk.lines().len(), lines, "{code}: the file says it already");
    }
    desk.ground.room.file("out/spelt.json", "{");
    assert_eq!(desk.judged("spelt")["violations"], json!({"json-malformed": 1}));
    let vast = fs::File::create(desk.ground.room.path("out/spelt.json")).unwrap();
    vast.set_len(64 * 1024 * 1024 + 1).unwrap();
    assert_eq!(desk.judged("spelt")["violations"], json!({"draft-too-large": 1}));

    let mut accounting = value_of(desk.ground.document(Document::AccountingDraft));
    accounting["claims"][0]["label"] = json!("");
    accounting["claims"][1]["claim_id"] = json!("reads");
    desk.ground.room.file("out/claims.json", accounting.to_string());
    let receipt: Value =
        serde_json::from_str(&desk.run("seal-accounting M claims.json --output other.json").stdout).unwrap();
    assert_eq!(receipt["violations"], json!({"id-collides": 1, "label-empty": 1}));
    assert_eq!((left(&receipt), &receipt["flags"]["counted"]), (3, &json!(false)));
    assert!(desk.lines().iter().all(|line| line["counted"] == false));
}

#[test]
fn processes_at_once_cannot_gain_an_attempt() {
    let desk = Desk::new();
    const AT_ONCE: usize = 5;
    (0..AT_ONCE).for_each(|number| desk.wrong(&format!("wrong-{number}"), number));
    let children: Vec<_> = (0..AT_ONCE)
        .map(|number| {
            Command::new(env!("CARGO_BIN_EXE_recap"))
                .args(arguments(&format!("validate-synthesis M accounting.json wrong-{number}.json")))
                .env_clear()
                .env("HOME", desk.ground.room.path(""))
                .current_dir(desk.ground.room.path(""))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut lefts: Vec<u64> = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            let line = String::from_utf8(output.stdout).unwrap();
            left(
                &serde_json::from_str(&line).unwrap_or_else(|_| panic!("{output:?}", output = output.stderr)),
            )
        })
        .collect();
    lefts.sort_unstable();
    assert_eq!(lefts, [0, 0, 0, 1, 2], "each saw what those before it had counted");
    assert_eq!(desk.lines().len(), AT_ONCE);
}

#[test]
fn an_accepted_draft_stays_renderable_whatever_came_after() {
    let desk = Desk::new();
    desk.draft("right", |_| {});
    assert_eq!(desk.judged("right")["valid"], true);
    let desk = desk.closed();
    desk.run("render M accounting.json right.json --output recap.md").receipt();
    assert!(desk.ground.room.path("out/recap.md").exists());
    desk.draft("better", |draft| draft["headline"]["summary"] = json!("A better word."));
    assert_eq!(desk.judged("better")["violations"], json!({"attempts-exhausted": 1}));
}

#[test]
fn a_dry_run_counts_failures_and_gives_nothing_to_render_from() {
    let desk = Desk::new();
    desk.draft("right", |_| {});
    let dry = |name: &str| -> Value {
        let ran = desk.run(&format!("validate-synthesis M accounting.json {name}.json --dry-run"));
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let receipt = dry("right");
    assert_eq!((&receipt["valid"], &receipt["flags"]["dry_run"]), (&json!(true), &json!(true)));
    assert!(desk.lines().is_empty());
    for number in 0..3 {
        desk.wrong("wrong", number);
        assert_eq!(left(&dry("wrong")), 2 - number as u64);
    }
    let refused = desk.run("render M accounting.json right.json --output recap.md");
    assert_eq!(refused.status, BREAKS_CONTRACT);
    assert!(refused.stdout.contains("attempts-exhausted") && !desk.ground.room.path("out/recap.md").exists());
}

#[test]
fn without_a_line_there_is_no_verdict() {
    let desk = Desk::new();
    desk.wrong("wrong", 1);
    desk.draft("right", |_| {});
    for draft in ["wrong", "right"] {
        // No byte can be written to any file; pipes are none.
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
        let output = Command::new("bash")
            .args(["-c", script, "bash", env!("CARGO_BIN_EXE_recap")])
            .args(arguments(&format!("validate-synthesis M accounting.json {draft}.json")))
            .env_clear()
            .env("HOME", desk.ground.room.path(""))
            .current_dir(desk.ground.room.path(""))
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(CANNOT_WRITE), "{stderr}");
        assert!(stderr.starts_with("recap: attempts-unwritable"), "{stderr}");
        assert!(output.stdout.is_empty(), "no verdict");
        assert!(desk.lines().is_empty());
        assert!(!desk.ground.room.path(&format!("out/{draft}.json.violations.json")).exists());
    }
    assert_eq!(left(&desk.judged("wrong")), 2);
}

#[test]
fn a_reset_is_a_persons_and_shows_for_ever() {
    let desk = Desk::new().closed();
    desk.draft("right", |_| {});
    let receipt: Value = serde_json::from_str(&desk.run("attempts M").stdout).unwrap();
    let root = receipt["digests"]["ledger_root"].as_str().unwrap();
    let by_an_agent = desk.run(&format!("attempts reset M --confirm {}", &root[..8]));
    assert_eq!((by_an_agent.status, by_an_agent.code()), (REFUSED_FOR_SAFETY, "terminal-needed"));
    let world = World { terminal: true, ..desk.ground.room.world() };
    for wrong in [&root[..7], &root[..9], "00000000", ""] {
        let refused = reset(&world, &desk.ground.manifest, wrong).unwrap_err();
        assert_eq!(refused.code(), Code::ConfirmMismatch, "{wrong}");
    }
    assert_eq!(desk.judged("right")["violations"], json!({"attempts-exhausted": 1}));
    assert_eq!(desk.reset(), 1);

    desk.wrong("wrong", 7);
    let refused = desk.judged("wrong");
    assert_eq!((left(&refused), &refused["flags"]["attempts_reset"]), (2, &json!(true)));
    assert_eq!(desk.judged("right")["flags"]["attempts_reset"], true);
    let sealed = desk.run("seal-accounting M claims.json --output other.json");
    assert_eq!(sealed.code(), "artifact-missing");
    desk.ground.room.file("out/claims.json", desk.ground.document(Document::AccountingDraft));
    let sealed = desk.run("seal-accounting M claims.json --output other.json").receipt();
    assert_eq!(sealed["flags"]["attempts_reset"], true);
    let receipt = desk.run("render M accounting.json right.json --output recap.md").receipt();
    assert_eq!(receipt["flags"]["attempts_reset"], true);
    let page = fs::read_to_string(desk.ground.room.path("out/recap.md")).unwrap();
    let first = page.lines().next().unwrap();
    assert!(first.contains("attempts were reset"), "{first}");

    // Whatever is counted later, the lines stay and say so.
    assert_eq!(desk.reset(), 2);
    let [recap, accounting, synthesis] =
        ["out/again.md", "out/accounting.json", "out/right.json"].map(|name| desk.ground.room.path(name));
    let again = render(
        &world,
        &desk.ground.manifest,
        &accounting,
        &synthesis,
        &recap,
        recap::report::Format::Markdown,
    )
    .unwrap();
    assert_eq!(again.receipt.get_flag("attempts_reset"), Some(true));
    let resets = desk.lines().iter().filter(|line| line["line"] == "reset").count();
    assert_eq!(resets, 2);
}

#[test]
fn a_receipt_says_whose_places_it_has() {
    let desk = Desk::new();
    desk.ground.room.file("out/claims.json", desk.ground.document(Document::TailDraft));
    // The accounting of today is no older one, and a draft is no sealed one.
    desk.ground.room.file("out/older-draft.json", desk.ground.document(Document::AccountingDraft));
    for command in ["seal-accounting M claims.json --output other.json", "accounting-gaps M claims.json"] {
        let ran = desk.run(&format!("{command} --extends older-draft.json"));
        let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(receipt["violations"], json!({"not-sealed": 1}), "{command}");
        assert_eq!(receipt["flags"]["older_refused"], true, "{command}");
        assert!(desk.ground.room.path("out/older-draft.json.violations.json").exists());
        assert!(!desk.ground.room.path("out/claims.json.violations.json").exists());
    }
    let of_the_draft = desk.run("seal-accounting M claims.json --output other.json");
    let receipt: Value = serde_json::from_str(&of_the_draft.stdout).unwrap();
    assert!(receipt["flags"].get("older_refused").is_none(), "{receipt}");
    desk.draft("right", |_| {});
    let ran = desk.run("validate-synthesis M older-draft.json right.json");
    let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(receipt["flags"]["accounting_refused"], true);
    assert!(!desk.ground.room.path("out/right.json.violations.json").exists());
}

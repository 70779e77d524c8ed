//! What a refused author is told: a receipt without content, a private report beside the draft that the places are
//! in, and, when asked for, the same for a person with line and column. No word of a draft or a transcript is in any
//! of them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::rules::Code;
use recap::base::schemas;
use recap::base::violations::Violations;
use recap::meaning::accounting::seal;
use recap::meaning::synthesis::check;
use recap::stage::bound;
use recap::stage::demo::{bundled_session, filled};
use recap::stage::draft_accounting::accounting_draft;
use recap::stage::seal_accounting::seal_accounting;
use recap::stage::validate_synthesis::validate_synthesis;
use recap::stage::verdict::Verdict;
use serde_json::{Value, json};

use super::program::{Ran, Room};

const CASE: &str = "golden/cases/claude-fix";
const SESSION: &str = "0c1d2e3f-aaaa-4bbb-8ccc-000000000001.jsonl";
/// A text that nobody but an author wrote.
const CANARY: &str = "Zq9 canary words";

/// The bundled session with both drafts, and what their places are called.
struct Bundled {
    room: Room,
    manifest: Utf8PathBuf,
    draft: Utf8PathBuf,
    accounting: Utf8PathBuf,
    synthesis: Utf8PathBuf,
}

impl Bundled {
    fn new() -> Self {
        let case = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join(CASE);
        let room = Room::new();
        let read = |name: &str| fs::read_to_string(case.join(name)).unwrap();
        let session = room.file(SESSION, bundled_session(&read(SESSION)));
        let manifest = room.path("out/manifest.json");
        room.collect(&session, &manifest).unwrap();
        room.packetize(&manifest).unwrap();
        let [draft, accounting, synthesis] = ["accounting.draft.json", "accounting.json", "synthesis.json"]
            .map(|name| manifest.with_file_name(name));
        let text = filled(&room.world(), &manifest, None, &read("accounting.draft.json")).unwrap();
        room.file("out/accounting.draft.json", text);
        assert!(
            seal_accounting(&room.world(), &manifest, &draft, &accounting, None).unwrap().receipt.is_valid()
        );
        let text = filled(&room.world(), &manifest, Some(&accounting), &read("synthesis.json")).unwrap();
        room.file("out/synthesis.json", text);
        Self { room, manifest, draft, accounting, synthesis }
    }

    fn sealed(&self) -> Verdict {
        let output = self.manifest.with_file_name("other.json");
        seal_accounting(&self.room.world(), &self.manifest, &self.draft, &output, None).unwrap()
    }

    fn validated(&self) -> Verdict {
        let (manifest, accounting) = (&self.manifest, &self.accounting);
        validate_synthesis(&self.room.world(), manifest, accounting, &self.synthesis, None, true).unwrap()
    }

    fn validate(&self, options: &[&str]) -> Ran {
        let paths = [&self.manifest, &self.accounting, &self.synthesis].map(|path| path.as_str());
        self.room.run(&[&["validate-synthesis"], &paths[..], options].concat())
    }

    /// What stands in the report beside a draft; it must fit its schema and belong to its owner alone.
    fn report(path: &Utf8Path) -> Option<Value> {
        let path = Utf8PathBuf::from(format!("{path}.violations.json"));
        let text = fs::read_to_string(&path).ok()?;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let report: Value = serde_json::from_str(&text).unwrap();
        let mut faults = Violations::default();
        assert!(schemas::check("violations", &report, &mut faults), "{:?}", faults.sorted());
        Some(report)
    }
}

#[test]
fn a_person_sees_line_and_column_and_a_pipe_sees_no_content() {
    let bundled = Bundled::new();
    let text = fs::read_to_string(&bundled.synthesis).unwrap();
    let wrong = text
        .replace("\"summary\": \"The tide table's date", "\"summary\": \"Zq9 canary: the tide table's date")
        .replace("[\"change-3\"], \"paths\"", "[\"change-3\", \"change-3\", \"change-9\"], \"paths\"")
        .replace("\"last_ordinal\": 19", "\"last_ordinal\": 20");
    fs::write(&bundled.synthesis, &wrong).unwrap();

    let quiet = bundled.validate(&["--dry-run"]);
    assert_eq!((quiet.status, quiet.stderr.as_str()), (1, ""));
    assert_eq!(quiet.stdout.lines().count(), 1);
    let told = bundled.validate(&["--dry-run", "--explain"]);
    for ran in [&quiet, &told] {
        let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(receipt["violations"]["claim-unknown"], 1);
        assert_eq!(receipt["pointers"]["/changes/*/accounting_claim_ids/*"], 1);
        assert!(!ran.stdout.contains("change-9") && !ran.stdout.contains("time-push"), "{}", ran.stdout);
    }

    let lines: Vec<&str> = wrong.lines().collect();
    let line = lines.iter().position(|line| line.contains("change-9")).unwrap();
    let column = lines[line].find("\"change-9\"").unwrap() + 1;
    let place = format!("line {} column {column}, /changes/2/accounting_claim_ids/2: ", line + 1);
    let rule = Code::ClaimUnknown.rule();
    let expected = format!("claim-unknown: {} (1)\n  to mend: {}\n  {place}", rule.statement, rule.mend);
    assert!(told.stderr.contains(&expected), "{}", told.stderr);
    let line = lines.iter().position(|line| line.contains("time-push")).unwrap() + 1;
    assert!(told.stderr.contains(&format!("line {line} column 5, /timeline/1: ")), "{}", told.stderr);
    for text in
        [&quiet.stdout, &told.stdout, &told.stderr, &Bundled::report(&bundled.synthesis).unwrap().to_string()]
    {
        assert!(!text.contains("canary") && !text.contains("tide"), "{text}");
    }
}

#[test]
fn the_report_is_replaced_by_the_next_and_gone_once_the_draft_passes() {
    let bundled = Bundled::new();
    for (path, run) in [
        (&bundled.draft, &(|| bundled.sealed()) as &dyn Fn() -> Verdict),
        (&bundled.synthesis, &|| bundled.validated()),
    ] {
        let right = fs::read_to_string(path).unwrap();
        let codes = || {
            let report = Bundled::report(path)?;
            let rules = report["rules"].as_array().unwrap().iter();
            Some(rules.map(|rule| rule["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(codes(), None);
        fs::write(path, right.replace("\"change-2\"", "\"Change_2\"")).unwrap();
        assert!(!run().receipt.is_valid());
        let first = codes().unwrap();
        fs::write(path, "{} {}").unwrap();
        assert!(!run().receipt.is_valid());
        assert_eq!(codes().unwrap(), ["json-malformed"]);
        assert_ne!(first, ["json-malformed"]);
        fs::write(path, &right).unwrap();
        assert!(run().receipt.is_valid());
        assert_eq!(codes(), None);
    }
}

#[test]
fn the_report_of_a_sealed_accounting_and_of_a_skeleton_goes_the_same_way() {
    let bundled = Bundled::new();
    let sealed = fs::read(&bundled.accounting).unwrap();
    let seal = || {
        let (manifest, accounting) = (&bundled.manifest, &bundled.accounting);
        seal_accounting(&bundled.room.world(), manifest, &bundled.draft, accounting, None).unwrap()
    };
    let broken = || {
        fs::write(&bundled.accounting, "{}").unwrap();
        assert!(!bundled.validated().receipt.is_valid());
        assert!(Bundled::report(&bundled.accounting).is_some());
    };
    broken();
    assert!(seal().receipt.is_valid());
    assert_eq!(Bundled::report(&bundled.accounting), None);
    broken();
    fs::write(&bundled.accounting, sealed).unwrap();
    assert!(bundled.validated().receipt.is_valid());
    assert_eq!(Bundled::report(&bundled.accounting), None);

    fs::write(&bundled.draft, "{\"claims\": []}").unwrap();
    assert!(!seal().receipt.is_valid());
    assert!(Bundled::report(&bundled.draft).is_some());
    accounting_draft(&bundled.room.world(), &bundled.manifest, &bundled.draft, None).unwrap();
    assert_eq!(Bundled::report(&bundled.draft), None);
}

/// Every value of a document replaced by one of another kind, one at a time.
fn mutants(document: &Value) -> Vec<Value> {
    let mut pointers = vec![String::new()];
    let mut next = 0;
    while let Some(pointer) = pointers.get(next).cloned() {
        let step = |name: &str| format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        match document.pointer(&pointer).unwrap() {
            Value::Object(members) => pointers.extend(members.keys().map(|name| step(name))),
            Value::Array(items) => pointers.extend((0..items.len()).map(|index| step(&index.to_string()))),
            _ => {}
        }
        next += 1;
    }
    let mut found = Vec::new();
    for pointer in pointers {
        for new in [json!(CANARY), json!(7_654_321), json!([CANARY]), json!({CANARY: CANARY}), json!([])] {
            let mut mutant = document.clone();
            *mutant.pointer_mut(&pointer).unwrap() = new;
            found.push(mutant);
        }
        let mut grown = document.clone();
        match grown.pointer_mut(&pointer) {
            Some(Value::Object(members)) => drop(members.insert(CANARY.to_owned(), json!(CANARY))),
            Some(Value::Array(items)) => {
                let again = items.first().cloned().unwrap_or_default();
                items.extend([json!(CANARY), json!(CANARY), again]);
            }
            _ => continue,
        }
        found.push(grown);
    }
    found
}

/// Words that the drafts and the transcript hold and that we do not use ourselves.
fn foreign_words(bundled: &Bundled) -> BTreeSet<String> {
    let words = |text: &str| -> BTreeSet<String> {
        let letters = text.split(|letter: char| !letter.is_alphabetic());
        letters.filter(|word| word.chars().count() > 4).map(str::to_lowercase).collect()
    };
    let case = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join(CASE);
    let mut foreign = words("canary");
    for name in [SESSION, "accounting.draft.json", "synthesis.json"] {
        foreign.extend(words(&fs::read_to_string(case.join(name)).unwrap()));
    }
    let ours = recap::report::explain::violations_markdown();
    let named: Vec<String> = ["synthesis-draft", "accounting-draft", "manifest", "event", "observation"]
        .map(|name| schemas::find(name).unwrap().text.to_owned())
        .into();
    let ours: BTreeSet<String> = std::iter::once(&ours).chain(&named).flat_map(|text| words(text)).collect();
    // Ids of claims, groups and items may be named: only whole ids, and those are the author's to choose.
    let ids = words(
        &fs::read_to_string(&bundled.draft)
            .unwrap()
            .split("\"label\"")
            .map(|part| part.rsplit('{').next().unwrap_or_default())
            .collect::<String>(),
    );
    foreign.into_iter().filter(|word| !ours.contains(word) && !ids.contains(word)).collect()
}

#[test]
fn details_hold_ids_and_words_of_ours_and_every_place_is_one_that_the_author_wrote() {
    let bundled = Bundled::new();
    let bound = bound::open(&bundled.room.world(), &bundled.manifest, &bundled.accounting, "render");
    let Ok(Ok(bound)) = bound else { panic!("the bundled accounting fits") };
    let judged = |path: &Utf8Path, bytes: &[u8]| -> Violations {
        if *path == bundled.draft {
            seal(bytes, &bound.table).map_or_else(|rejected| rejected.violations, |_| Violations::default())
        } else {
            check(bytes, &bound.evidence(), &|_, _| 1)
                .map_or_else(|rejected| rejected.violations, |_| Violations::default())
        }
    };
    let foreign = foreign_words(&bundled);
    assert!(foreign.len() > 50 && foreign.contains("midnight") && foreign.contains("canary"), "{foreign:?}");
    let mut seen = BTreeSet::new();
    for path in [&bundled.draft, &bundled.synthesis] {
        let right: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for mutant in mutants(&right) {
            for violation in judged(path, mutant.to_string().as_bytes()).sorted() {
                let (code, detail) = (violation.code.as_str(), &violation.detail);
                seen.insert(violation.code);
                let mut words = detail.split(|letter: char| !letter.is_alphabetic());
                let leaked = words.find(|word| foreign.contains(&word.to_lowercase()));
                assert_eq!(leaked, None, "{code}: {detail}");
                let told = detail.contains("found") && detail.contains("expected");
                assert!(told || violation.code == Code::JsonMalformed, "{code}: {detail}");
                let pointer = violation.pointer.to_string();
                // A member that is missing is placed in what should hold it.
                let around = pointer.rsplit_once('/').map_or("", |(around, _)| around);
                let found = [&pointer, around].iter().any(|place| mutant.pointer(place).is_some());
                assert!(found, "{code} at {pointer} of {mutant}");
            }
        }
    }
    println!("{} codes seen", seen.len());
    assert!(seen.len() >= 30, "only {seen:?}");
}

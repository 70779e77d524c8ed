//! What `render` writes, through the whole pipeline: hostile words stay words in every format, one number of words
//! holds for all of them in every script, the first line cannot be lost, and the same inputs give the same bytes.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use comrak::nodes::NodeValue;
use comrak::{Arena, parse_document};
use recap::base::schemas;
use recap::base::violations::Violations;
use recap::report::published::Published;
use recap::report::words::words;
use recap::stage::demo::{bundled_session, filled};
use recap::stage::seal_accounting::seal_accounting;
use scraper::{ElementRef, Html};
use serde_json::{Value, json};

use crate::program::{Ran, Room};
use crate::targets::dialect::dialects;

const FORMATS: [&str; 3] = ["md", "html", "json"];

/// Words that mean something to somebody's renderer; all of them may stand in a draft.
const HOSTILE: &[&str] = &[
    "# COMPLETE transcript up to event 27",
    "<script>alert(1)</script> </style></title> <!-- x -->",
    "![x](https://a.bc/x.png) [x](javascript:alert(1)) [[x|y]] [x]: y",
    "@octocat #12 GH-7 :smile: www.a.bc https://a.bc/d?e=f#g a@b.cc main.rs 1a2b3c4d",
    "| a | b |\n|---|---|\n| c | d |",
    "```\ncode\n```\n~~~",
    "---\ntitle: x\n---",
    "> [!NOTE]\n> x\n>>> y",
    "[^1] ^[note] [^1]: x",
    "$x$ $$x$$ $`x`$ \\(x\\) \\[x\\]",
    "~~s~~ ||s|| ==m== ++i++ __u__ **b** *e* ^s^ ~s~",
    "- [ ] task\n1. one\n+ two",
    ":::note\nx\n:::\n%% x %% {{ x }} {% x %} {#id .c} {=html}",
    "&lt;b&gt; &#64;octocat &amp;amp; &NewLine;",
    "\" onmouseover=\"x' style='x",
    "term\n: definition\n-# subtext\n===",
    "修正了解析器 ไทย ខ្មែរ नमस्ते שלום مرحبا\u{200f} 👩\u{200d}🔧 é",
];

/// A collected session of `golden/cases` with its accounting sealed.
struct Case {
    room: Room,
    manifest: Utf8PathBuf,
    draft: Value,
}

impl Case {
    fn new(name: &str) -> Self {
        let folder = Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/cases").join(name);
        let room = Room::new();
        let manifest = room.path("out/manifest.json");
        let session = folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
        let session = session.into_iter().find(|path| path.extension() == Some("jsonl")).unwrap();
        let bytes = fs::read(&session).unwrap();
        let bytes = String::from_utf8(bytes)
            .map_or_else(|error| error.into_bytes(), |text| bundled_session(&text).into_bytes());
        let source = room.file(session.file_name().unwrap(), bytes);
        room.collect(&source, &manifest).unwrap();
        let [draft, accounting] =
            ["accounting.draft.json", "accounting.json"].map(|name| manifest.with_file_name(name));
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let world = room.world();
        room.file(
            "out/accounting.draft.json",
            filled(&world, &manifest, None, &read("accounting.draft.json")).unwrap(),
        );
        assert!(seal_accounting(&world, &manifest, &draft, &accounting, None).unwrap().receipt.is_valid());
        let synthesis = filled(&world, &manifest, Some(&accounting), &read("synthesis.json")).unwrap();
        drop(world);
        Self { room, manifest, draft: serde_json::from_str(&synthesis).unwrap() }
    }

    /// The draft with other words in every item: title, summary, and a caveat where one may be.
    fn worded(&self, mut text: impl FnMut() -> String) -> Value {
        let mut draft = self.draft.clone();
        for (member, value) in draft.as_object_mut().unwrap() {
            let items: Vec<&mut Value> = match value {
                Value::Array(items) => items.iter_mut().collect(),
                Value::Object(_) if member == "headline" => vec![value],
                _ => continue,
            };
            for item in items {
                item["summary"] = json!(text());
                item["caveat"] = json!(text());
                if member != "headline" {
                    item["title"] = json!(text().replace('\n', " ").chars().take(160).collect::<String>());
                }
            }
        }
        draft
    }

    /// Runs the program on a draft; `format` none is the default.
    fn render(&self, draft: &Value, format: Option<&str>, output: &str) -> Ran {
        let synthesis = self.room.file("out/synthesis.json", draft.to_string());
        let accounting = self.manifest.with_file_name("accounting.json");
        let output = self.room.path(output);
        let mut arguments =
            vec!["render", self.manifest.as_str(), accounting.as_str(), synthesis.as_str(), "--output"];
        arguments.push(output.as_str());
        if let Some(format) = format {
            arguments.extend(["--format", format]);
        }
        self.room.run(&arguments)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.room.path(name)).unwrap()
    }

    /// All three formats of a draft, by name `r.md`, `r.html`, `r.json`; gives the number of words.
    fn rendered(&self, draft: &Value) -> u64 {
        let counted: Vec<u64> = FORMATS
            .iter()
            .map(|format| {
                let receipt = self.render(draft, Some(format), &format!("r.{format}")).receipt();
                receipt["counts"]["words"].as_u64().unwrap()
            })
            .collect();
        assert!(counted.iter().all(|words| *words == counted[0]), "{counted:?}");
        counted[0]
    }

    fn published(&self) -> Published {
        let document: Value = serde_json::from_str(&self.read("r.json")).unwrap();
        let mut violations = Violations::default();
        assert!(schemas::check("recap", &document, &mut violations), "{:?}", violations.sorted());
        Published::read(&document).unwrap()
    }
}

/// One line a block, as a browser shows it.
fn shown_in_html(html: &str) -> Vec<String> {
    let document = Html::parse_document(html);
    assert!(document.errors.is_empty(), "{:?}", document.errors);
    let elements = document.tree.nodes().filter_map(ElementRef::wrap);
    let mut blocks = Vec::new();
    for element in elements {
        let name = element.value().name();
        assert!(!["script", "img", "a", "iframe", "table", "form", "link"].contains(&name), "<{name}>");
        for (attribute, _) in element.value().attrs() {
            assert!(!attribute.starts_with("on") && !["href", "src", "style"].contains(&attribute));
        }
        if matches!(name, "p" | "h1" | "h2" | "h3" | "li") {
            blocks.push(element.text().collect());
        }
    }
    blocks
}

/// The same of the Markdown, by a parser of it; anything but headings, paragraphs, lists, emphasis and code is a panic.
fn shown_in_markdown(markdown: &str) -> Vec<String> {
    let arena = Arena::new();
    // What is typed is compared: of the dialects, GitHub's and what else could take a sign away.
    let [_, mut options, ..] = dialects();
    let extension = &mut options.extension;
    extension.spoiler = true;
    extension.underline = true;
    extension.description_lists = true;
    extension.front_matter_delimiter = Some("---".to_owned());
    let root = parse_document(&arena, markdown, &options);
    let mut blocks: Vec<String> = Vec::new();
    for node in root.descendants() {
        match &node.data().value {
            NodeValue::Document | NodeValue::List(_) | NodeValue::Item(_) | NodeValue::Strong => {}
            NodeValue::Paragraph | NodeValue::Heading(_) => blocks.push(String::new()),
            NodeValue::LineBreak => blocks.push(String::new()),
            NodeValue::Text(text) => blocks.last_mut().unwrap().push_str(text),
            NodeValue::Code(code) => blocks.last_mut().unwrap().push_str(&code.literal),
            other => panic!("{other:?}\n{markdown}"),
        }
    }
    blocks
}

#[test]
fn hostile_words_stay_words_in_every_format() {
    let case = Case::new("claude-fix");
    for turn in 0..3 {
        let mut texts = HOSTILE.iter().cycle().skip(turn * 5);
        let draft = case.worded(|| (*texts.next().unwrap()).to_owned());
        let counted = case.rendered(&draft);
        let published = case.published();
        let visible: Vec<String> = published.visible_text().lines().map(str::to_owned).collect();
        let html = shown_in_html(&case.read("r.html"));
        assert_eq!(html, visible);
        assert_eq!(shown_in_markdown(&case.read("r.md")), visible);
        assert_eq!(published.contradictions(), Vec::<&str>::new());
        assert_eq!(words(&(html.join("\n") + "\n")) as u64, counted);
    }
}

#[test]
fn the_cap_holds_in_every_script_and_every_format() {
    let case = Case::new("claude-fix");
    for text in [
        "word ".repeat(240),
        "修正了解析器然后运行测试".repeat(100),
        "แก้ตัวแยกวิเคราะห์".repeat(66),
        "កែកម្មវិធី".repeat(109),
        "أصلح المحلل ثم ".repeat(80),
        "पार्सर ठीक किया ".repeat(75),
        "😀".repeat(1_200),
        "x".repeat(1_200),
        "a,b;c".repeat(240),
        "ー".repeat(1_200),
    ] {
        let mut text: String = text.chars().take(1_200).collect();
        text = text.trim().to_owned();
        let long = case.worded(|| text.clone());
        for format in FORMATS {
            let output = format!("long.{format}");
            let ran = case.render(&long, Some(format), &output);
            assert_eq!(ran.status, 1, "{text:.20} {format}: {}", ran.stdout);
            let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(receipt["violations"], json!({"render-too-long": 1}), "{text:.20}");
            assert!(receipt["counts"]["render_words"].as_u64().unwrap() > 2_500);
            assert!(!case.room.path(&output).exists());
            assert!(!case.room.path(&format!("{output}.evidence.json")).exists());
        }
        // What fits has no more than the cap, however it is counted.
        let short: String = text.chars().take(120).collect();
        let counted = case.rendered(&case.worded(|| short.trim().to_owned()));
        assert!(counted <= 2_500);
        let html = shown_in_html(&case.read("r.html"));
        assert_eq!(words(&(html.join("\n") + "\n")) as u64, counted, "{short}");
        assert_eq!(case.published().word_count() as u64, counted);
    }
}

#[test]
fn an_accepted_draft_has_room_for_every_first_line() {
    let case = Case::new("claude-fix");
    let with = |more: usize| {
        let mut draft = case.draft.clone();
        for (place, item) in draft["story"].as_array_mut().unwrap().iter_mut().enumerate() {
            let words = if place == 4 { more } else { 400 };
            item["summary"] = json!(vec!["a"; words].join(" "));
        }
        draft
    };
    let words_of = |more: usize| {
        let ran = case.render(&with(more), None, "room.md");
        let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
        (ran.status, receipt["counts"]["render_words"].as_u64().unwrap())
    };
    let (_, base) = words_of(1);
    let to = |target: u64| usize::try_from(1 + target.checked_sub(base).unwrap()).unwrap();
    // `; attempts were reset` has three words: a later reset must not make an accepted draft too long.
    assert_eq!(words_of(to(2_497)), (0, 2_497));
    assert_eq!(words_of(to(2_498)), (1, 2_498));
}

#[test]
fn no_format_and_no_draft_hides_what_is_missing() {
    let case = Case::new("damaged");
    let first = case.render(&case.draft, None, "plain.md").receipt();
    assert_eq!(first["flags"]["incomplete"], true);
    let told = case.read("plain.md").lines().next().unwrap().trim_end().to_owned();
    assert!(told.starts_with("INCOMPLETE: "), "{told}");
    for text in HOSTILE {
        case.rendered(&case.worded(|| (*text).to_owned()));
        assert_eq!(case.read("r.md").lines().next().unwrap().trim_end(), told.replace('_', "\\_"));
        let html = case.read("r.html");
        let body = html.split_once("<body>\n<header class=\"incomplete\">\n<p><strong>").unwrap().1;
        assert!(body.starts_with(&told), "{text}");
        assert_eq!(shown_in_html(&html)[0], told);
        let document: Value = serde_json::from_str(&case.read("r.json")).unwrap();
        assert_eq!(
            (&document["notice"][0], &document["status"]["state"]),
            (&json!(told), &json!("incomplete"))
        );
    }
    let style = case.read("r.html");
    for hides in ["display: none", "visibility", "opacity", "font-size: 0", "clip", "overflow: hidden"] {
        assert!(!style.contains(hides), "{hides}");
    }
}

#[test]
fn the_same_inputs_give_the_same_bytes_and_one_evidence() {
    let case = Case::new("codex-rename");
    let mut evidence = Vec::new();
    for format in FORMATS {
        let [one, other] = ["one", "other"].map(|name| format!("{name}.{format}"));
        let receipts = [&one, &other].map(|name| case.render(&case.draft, Some(format), name).receipt());
        assert_eq!(receipts[0]["digests"], receipts[1]["digests"], "{format}");
        assert_eq!(case.read(&one), case.read(&other));
        let file = format!("{one}.evidence.json");
        assert_eq!(receipts[0]["digests"]["recap_sha256"], digest(&case.room.path(&one)));
        assert_eq!(receipts[0]["digests"]["evidence_sha256"], digest(&case.room.path(&file)));
        evidence.push(case.read(&file));
    }
    assert!(evidence.iter().all(|one| *one == evidence[0]));
    let document: Value = serde_json::from_str(&case.read("one.json")).unwrap();
    let digests = document["digests"].as_object().unwrap();
    let receipt = case.render(&case.draft, Some("json"), "one.json").receipt();
    for (name, digest) in digests {
        assert_eq!(&receipt["digests"][name], digest, "{name}");
    }
    // The file is the canonical form of its document.
    assert_eq!(case.read("one.json"), serde_json::to_string(&document).unwrap());
}

fn digest(path: &Utf8Path) -> String {
    recap::base::digest::Digest::of(&fs::read(path).unwrap()).to_string()
}

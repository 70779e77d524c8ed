//! pi keeps a session as rows `{type, id, parentId, timestamp, …}` behind a head `{type: "session", id, cwd}`; messages
//! have the roles user, assistant and toolResult.

use std::cell::OnceCell;

use recap::base::ids::Harness;
use recap::evidence::transcript::Raw;
use recap::evidence::transcript::item::{Actor, ActorGrade, Item, Status, Surface, Tool, facet};
use recap::evidence::transcript::json::Json;
use recap::evidence::transcript::reading::{
    Fact, FactKind, Head, Identity, NativeType, Reader, Reading, Role, Withheld,
};

use super::asked::Candidate;

type Fill = fn(&Json<'_>, &mut Reading<Raw>);

/// The one table: name, what fills the reading, reason.
const KINDS: &[(&str, Fill, &str)] = &[
    ("session", session, "identity; gives facts"),
    ("message", message, "prompts, answers, calls and results"),
    ("custom_message", custom, "words that an extension put in"),
    ("compaction", compaction, "the model lost its earlier context here"),
    ("model_change", nothing, "a setting"),
    ("thinking_level_change", nothing, "a setting"),
    ("label", nothing, "a bookmark"),
];

pub struct Pi;

impl Reader for Pi {
    fn dropped(&self) -> &'static [&'static str] {
        &["message.usage"]
    }

    fn read(&self, record: &Json<'_>) -> Reading<Raw> {
        let kind = record.get("type").as_str().unwrap_or_default();
        let Some((name, fill, _)) = KINDS.iter().find(|(name, ..)| *name == kind) else {
            return Reading::new(NativeType::Unknown(Raw::from(kind)), Role::Structural);
        };
        let mut reading = Reading::structural(name);
        reading.timestamp = record.get("timestamp").as_str().map(Raw::from);
        reading.native_id = record.get("id").as_str().map(Raw::from);
        reading.parent = record.get("parentId").as_str().map(Raw::from);
        fill(record, &mut reading);
        if !reading.items.is_empty() {
            reading.role = Role::Content;
        } else if !reading.withheld.is_empty() {
            reading.role = Role::Withheld;
        }
        reading
    }

    fn head(&self, _: &Identity, _: &Json<'_>) -> Head {
        Head::Own
    }
}

fn nothing(_: &Json<'_>, _: &mut Reading<Raw>) {}

fn session(record: &Json<'_>, reading: &mut Reading<Raw>) {
    let folder = record.get("cwd").as_str().map(Raw::from);
    reading.facts.extend(folder.map(|value| Fact { kind: FactKind::Cwd, value }));
}

fn message(record: &Json<'_>, reading: &mut Reading<Raw>) {
    let message = record.get("message");
    let content = message.get("content");
    let words = content.as_str().into_iter().chain(
        content
            .items()
            .iter()
            .filter(|part| part.get("type").as_str() == Some("text"))
            .filter_map(|part| part.get("text").as_str()),
    );
    match message.get("role").as_str() {
        Some("user") => reading.items.extend(words.map(|text| item(Surface::User, Actor::Person, text))),
        Some("toolResult") => {
            let text = words.collect::<Vec<_>>().join("\n");
            let status =
                if message.get("isError").as_bool() == Some(true) { Status::Error } else { Status::Ok };
            let tool = Tool {
                name: message.get("toolName").as_str().map(Raw::from),
                call_id: message.get("toolCallId").as_str().map(Raw::from),
                status: Some(status),
                exit_code: None,
            };
            reading.items.push(Item { tool: Some(tool), ..item(Surface::ToolResult, Actor::Tool, &text) });
        }
        Some("assistant") => {
            reading.items.extend(words.map(|text| item(Surface::Assistant, Actor::Model, text)));
            content.items().iter().for_each(|part| answer(part, reading));
        }
        _ => {}
    }
}

fn answer(part: &Json<'_>, reading: &mut Reading<Raw>) {
    match part.get("type").as_str() {
        Some("thinking") => {
            let bytes = part.get("thinking").as_str().map_or(0, str::len) as u64;
            reading.withheld.push(Withheld { kind: "thinking", bytes });
        }
        Some("toolCall") => {
            let tool = Tool {
                name: part.get("name").as_str().map(Raw::from),
                call_id: part.get("id").as_str().map(Raw::from),
                status: None,
                exit_code: None,
            };
            let text = part.get("arguments").to_text();
            reading.items.push(Item { tool: Some(tool), ..item(Surface::ToolCall, Actor::Model, &text) });
        }
        _ => {}
    }
}

fn custom(record: &Json<'_>, reading: &mut Reading<Raw>) {
    let words = record.get("content").as_str();
    reading.items.extend(words.map(|text| Item {
        facets: vec!["injected:extension"],
        ..item(Surface::System, Actor::Harness, text)
    }));
}

fn compaction(record: &Json<'_>, reading: &mut Reading<Raw>) {
    let words = record.get("summary").as_str();
    reading.items.extend(words.map(|text| Item {
        facets: vec![facet::COMPACTION, "injected:summary"],
        ..item(Surface::System, Actor::Harness, text)
    }));
}

fn item(surface: Surface, actor: Actor, text: &str) -> Item<Raw> {
    Item {
        surface,
        actor,
        actor_grade: ActorGrade::Proven,
        facets: Vec::new(),
        native_id: None,
        tool: None,
        entities: Vec::new(),
        text: Raw::from(text),
    }
}

const TYPED: &str = "Please mend the gate.";
const INJECTED: &str = "The extension speaks.";
const HIDDEN: &str = "PONDER the hinges";
const SAMPLE: &[&str] = &[
    r#"{"type":"session","version":3,"id":"5b1f6c1e-52a7-4c0e-9a55-3c1f0e7d2a11","timestamp":"2026-01-02T10:00:00.000Z","cwd":"/w"}"#,
    r#"{"type":"model_change","id":"a0000000","parentId":null,"timestamp":"2026-01-02T10:00:01.000Z","modelId":"m"}"#,
    r#"{"type":"message","id":"a0000001","parentId":"a0000000","timestamp":"2026-01-02T10:00:02.000Z","message":{"role":"user","content":"Please mend the gate."}}"#,
    r#"{"type":"custom_message","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-02T10:00:03.000Z","content":"The extension speaks."}"#,
    r#"{"type":"message","id":"a0000003","parentId":"a0000002","timestamp":"2026-01-02T10:00:04.000Z","message":{"role":"assistant","usage":{"input":5},"content":[{"type":"thinking","thinking":"PONDER the hinges"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}]}}"#,
    r#"{"type":"message","id":"a0000004","parentId":"a0000003","timestamp":"2026-01-02T10:00:05.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"gate"}],"isError":false}}"#,
    r#"{"type":"compaction","id":"a0000005","parentId":"a0000004","timestamp":"2026-01-02T10:00:06.000Z","summary":"A gate.","firstKeptEntryId":"a0000003"}"#,
    r#"{"type":"message","id":"a0000006","parentId":"a0000005","timestamp":"2026-01-02T10:00:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Mended."}]}}"#,
];

pub fn candidate() -> Candidate<'static> {
    with(&Pi)
}

fn with(reader: &'static dyn Reader) -> Candidate<'static> {
    Candidate {
        name: "pi",
        reader,
        identity: Identity {
            // Any will do: only its name goes into the boundary id.
            harness: Harness::Codex,
            session: "5b1f6c1e-52a7-4c0e-9a55-3c1f0e7d2a11".to_owned(),
            agent: None,
            rollout: None,
            form: "pi-jsonl",
            own_from: None,
            forked: false,
            child: false,
        },
        file: "2026-01-02T10-00-00-000Z_5b1f6c1e-52a7-4c0e-9a55-3c1f0e7d2a11.jsonl",
        sample: SAMPLE.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect(),
        records: SAMPLE.iter().map(|record| (*record).to_owned()).collect(),
        unknown: r#"{"type":"gate_ballad","id":"a0000009","parentId":null,"la":1}"#,
        typed: TYPED,
        injected: INJECTED,
        hidden: HIDDEN,
        room: OnceCell::new(),
    }
}

/// A reader with one fault.
struct Faulty(fn(&Json<'_>, &mut Reading<Raw>));

impl Reader for Faulty {
    fn dropped(&self) -> &'static [&'static str] {
        Pi.dropped()
    }

    fn read(&self, record: &Json<'_>) -> Reading<Raw> {
        let mut reading = Pi.read(record);
        self.0(record, &mut reading);
        reading
    }

    fn head(&self, identity: &Identity, record: &Json<'_>) -> Head {
        Pi.head(identity, record)
    }
}

/// Readers that break one rule each, with the rule.
pub fn broken() -> Vec<(&'static str, Candidate<'static>)> {
    static GUESSES: Faulty = Faulty(|_, reading| {
        if matches!(reading.native_type, NativeType::Unknown(_)) {
            reading.native_type = NativeType::Known("message");
        }
    });
    static COUNTS: Faulty = Faulty(|_, reading| {
        static READ: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = READ.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        reading.native_id = Some(Raw::from(number.to_string().as_str()));
    });
    static USES: Faulty = Faulty(|record, reading| {
        let used = record.path(&["message", "usage", "input"]).as_u64();
        reading.facts.extend(used.map(|_| Fact { kind: FactKind::Model, value: Raw::from("m") }));
    });
    static SHOWS: Faulty = Faulty(|record, reading| {
        for part in record.path(&["message", "content"]).items() {
            let words = part.get("thinking").as_str();
            reading.items.extend(words.map(|text| item(Surface::Assistant, Actor::Model, text)));
        }
    });
    static BELIEVES: Faulty = Faulty(|_, reading| {
        for item in reading.items.iter_mut().filter(|item| item.surface == Surface::System) {
            (item.surface, item.actor) = (Surface::User, Actor::Person);
        }
    });
    static FORGETS: Faulty = Faulty(|_, reading| {
        for item in reading.items.iter_mut().filter(|item| item.surface == Surface::ToolCall) {
            item.tool = None;
        }
    });
    static PANICS: Faulty = Faulty(|record, _| {
        let is_message = record.get("type").as_str() == Some("message");
        assert!(!is_message || record.get("message").is_object(), "a message always has a message");
    });
    vec![
        ("a kind is decided", with(&GUESSES)),
        ("a record is read by itself", with(&COUNTS)),
        ("dropped members are not needed", with(&USES)),
        ("hidden reasoning is counted and not shown", with(&SHOWS)),
        ("a person's words are the person's, and nobody else's are", with(&BELIEVES)),
        ("a result names its call", with(&FORGETS)),
        ("any shape of a record is borne", with(&PANICS)),
    ]
}

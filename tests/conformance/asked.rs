//! What is asked of a reader, over one sample of what it reads.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use recap::base::credential::Spotter;
use recap::evidence::event::keys::Secret;
use recap::evidence::event::prepared::Prepared;
use recap::evidence::event::record_line::Disposition;
use recap::evidence::event::sequence::{Sequencer, SoFar};
use recap::evidence::ledger::build::reread;
use recap::evidence::ledger::gather::{Setup, Stretch, gather};
use recap::evidence::scrub::Numbering;
use recap::evidence::transcript::Raw;
use recap::evidence::transcript::input::Input;
use recap::evidence::transcript::item::Surface;
use recap::evidence::transcript::json::Json;
use recap::evidence::transcript::reading::{Identity, NativeType, Reader, Reading, Role};
use serde_json::{Value, json};

use crate::program::Room;

/// A reader with a sample of what it reads.
pub struct Candidate<'c> {
    pub name: &'c str,
    pub reader: &'c dyn Reader,
    /// Of the sample.
    pub identity: Identity,
    /// Name of the sample's file.
    pub file: &'c str,
    pub sample: Vec<u8>,
    /// The records of the sample.
    pub records: Vec<String>,
    /// A well-formed record of a kind that nobody knows.
    pub unknown: &'c str,
    /// What a person typed in the sample.
    pub typed: &'c str,
    /// What the harness put in, told with a mark; empty where the format cannot.
    pub injected: &'c str,
    /// Hidden reasoning of the sample.
    pub hidden: &'c str,
    pub room: OnceCell<Room>,
}

impl Candidate<'_> {
    /// The sample as a file.
    pub fn input(&self) -> Input {
        self.input_of(&self.sample)
    }

    fn input_of(&self, bytes: &[u8]) -> Input {
        let room = self.room.get_or_init(Room::in_memory);
        Input::open(&room.file(self.file, bytes)).unwrap()
    }

    /// Fails with the name of the reader and the rule that it breaks.
    #[track_caller]
    pub fn conforms(&self) {
        let broken = [
            ("a kind is decided", self.decides_kinds()),
            ("a record is read by itself", self.reads_alone()),
            ("dropped members are not needed", self.needs_nothing_dropped()),
            ("hidden reasoning is counted and not shown", self.hides()),
            ("a person's words are the person's, and nobody else's are", self.tells_voices()),
            ("a result names its call", self.joins()),
            ("any shape of a record is borne", self.bears_anything()),
            ("every byte is accounted for, past only", self.accounts()),
        ];
        for (rule, broken) in broken {
            assert!(broken.is_none(), "{}: {rule}: {}", self.name, broken.unwrap_or_default());
        }
    }

    fn reading(&self, text: &str) -> Reading<Raw> {
        self.reader.read(&Json::parse(text, self.reader.dropped()).unwrap().value)
    }

    fn readings(&self) -> impl Iterator<Item = (&String, Reading<Raw>)> {
        self.records.iter().map(|record| (record, self.reading(record)))
    }

    fn decides_kinds(&self) -> Option<String> {
        for (record, reading) in self.readings() {
            if matches!(reading.native_type, NativeType::Unknown(_)) {
                return Some(record.clone());
            }
        }
        let reading = self.reading(self.unknown);
        let kept = matches!(reading.native_type, NativeType::Unknown(_)) && reading.items.is_empty();
        (!kept).then(|| self.unknown.to_owned())
    }

    fn reads_alone(&self) -> Option<String> {
        let forwards: Vec<String> = self.readings().map(|(_, reading)| shown(&reading)).collect();
        let backwards: Vec<String> =
            self.records.iter().rev().map(|record| shown(&self.reading(record))).collect();
        let differs = forwards.iter().zip(backwards.iter().rev()).position(|(one, other)| one != other);
        differs.map(|place| self.records[place].clone())
    }

    fn needs_nothing_dropped(&self) -> Option<String> {
        let differs = |record: &&String| {
            let whole = self.reader.read(&Json::parse(record, &[]).unwrap().value);
            shown(&whole) != shown(&self.reading(record))
        };
        self.records.iter().find(differs).cloned()
    }

    fn hides(&self) -> Option<String> {
        let shows = self.readings().find(|(_, reading)| shown(reading).contains(self.hidden));
        let counted: u64 =
            self.readings().flat_map(|(_, reading)| reading.withheld).map(|part| part.bytes).sum();
        shows
            .map(|(record, _)| record.clone())
            .or_else(|| (counted == 0).then(|| "nothing is counted".to_owned()))
    }

    fn tells_voices(&self) -> Option<String> {
        let items: Vec<_> = self.readings().flat_map(|(_, reading)| reading.items).collect();
        let of = |words: &str, surface| {
            items.iter().any(|item| item.surface == surface && item.text.expose().contains(words))
        };
        let marked = |words: &str| {
            let mut own = items.iter().filter(|item| item.text.expose().contains(words));
            own.all(|item| {
                item.surface == Surface::System
                    && item.facets.iter().any(|facet| facet.starts_with("injected:"))
            })
        };
        if !of(self.typed, Surface::User) {
            return Some("the typed words are no user's".to_owned());
        }
        let is_marked =
            self.injected.is_empty() || (of(self.injected, Surface::System) && marked(self.injected));
        (!is_marked).then(|| "the injected words are not marked".to_owned())
    }

    fn joins(&self) -> Option<String> {
        let items: Vec<_> = self.readings().flat_map(|(_, reading)| reading.items).collect();
        let ids = |surface| -> BTreeSet<Option<String>> {
            let own = items.iter().filter(|item| item.surface == surface);
            own.map(|item| {
                item.tool.as_ref().and_then(|tool| Some(tool.call_id.as_ref()?.expose().to_owned()))
            })
            .collect()
        };
        let (calls, results) = (ids(Surface::ToolCall), ids(Surface::ToolResult));
        let named = items.iter().filter(|item| item.surface == Surface::ToolCall);
        let named = named.filter(|item| item.tool.as_ref().is_some_and(|tool| tool.name.is_some())).count();
        if calls.is_empty() || results.is_empty() || named == 0 {
            return Some("the sample has no named call with a result".to_owned());
        }
        results.difference(&calls).next().map(|id| format!("no call {id:?}"))
    }

    /// Every member removed, and every value replaced by one of each type.
    fn bears_anything(&self) -> Option<String> {
        for record in &self.records {
            let value: Value = serde_json::from_str(record).unwrap();
            for changed in changes(&value) {
                let text = changed.to_string();
                let read = std::panic::AssertUnwindSafe(|| self.reading(&text));
                let Ok(reading) = std::panic::catch_unwind(read) else { return Some(text) };
                if !reading.items.is_empty() && reading.role != Role::Content {
                    return Some(format!("items without content: {text}"));
                }
            }
        }
        None
    }

    /// Records and framing tile the sample, and the ledger of every shorter one is a prefix of its ledger.
    fn accounts(&self) -> Option<String> {
        let (whole, tiled) = self.ledger(&self.sample);
        if !tiled || whole.is_empty() {
            return Some("the sample is not tiled".to_owned());
        }
        for cut in (1..self.sample.len()).filter(|cut| cut % 7 == 0 || self.sample[*cut - 1] == b'\n') {
            let (lines, tiled) = self.ledger(&self.sample[..cut]);
            if !tiled || !whole.starts_with(&lines) {
                return Some(format!("cut at {cut}"));
            }
        }
        None
    }

    /// Lines of both ledgers in the order of the file, and whether every byte is in a record, in framing or in the tail.
    fn ledger(&self, bytes: &[u8]) -> (Vec<Vec<u8>>, bool) {
        let input = self.input_of(bytes);
        let secret = Secret::from_bytes(&[7; 32]).unwrap();
        let keys = secret.event_keys(self.identity.boundary());
        let numbering = Numbering::new(secret.numbering_key());
        let child = self.identity.child;
        let mut sequencer =
            Sequencer::new(keys, numbering, 0..0, child, reread(&input), Spotter::global(), SoFar::default());
        let (mut lines, mut covered) = (Vec::new(), 0);
        let setup = Setup {
            reader: self.reader,
            session: &self.identity.session,
            document: self.identity.is_document(),
            fingerprint_key: &secret.fingerprint_key(),
            spotter: Spotter::global(),
            interrupted: &AtomicBool::new(false),
        };
        let take = |piece| {
            let (record, events) = match piece {
                Prepared::Edge(_) => return Ok(()),
                Prepared::Partial(span) => {
                    covered += span.length;
                    return Ok(());
                }
                Prepared::Malformed { span, too_long } => (sequencer.malformed(span, too_long), Vec::new()),
                Prepared::Record { span, flags, reading, keys } => {
                    sequencer.record(span, &flags, *reading, &keys)?
                }
            };
            covered += record.length;
            assert_eq!(record.disposition == Disposition::Events, !events.is_empty());
            let mut line = Vec::new();
            record.write_line(&mut line).unwrap();
            lines.push(line);
            for event in events {
                let mut line = Vec::new();
                event.write_line(&mut line).unwrap();
                lines.push(line);
            }
            Ok(())
        };
        let size = bytes.len() as u64;
        let pass = gather(input.reader(0).unwrap(), Stretch::whole(size, None), setup, take).unwrap();
        (lines, covered + pass.framing_bytes == size)
    }
}

/// All that a reading says, as text to compare.
fn shown(reading: &Reading<Raw>) -> String {
    let some = |raw: &Option<Raw>| raw.as_ref().map(|raw| raw.expose().to_owned());
    let mut text = match &reading.native_type {
        NativeType::Known(name) => format!("{name} {:?}", reading.role),
        NativeType::Unknown(name) => format!("unknown {}", name.expose()),
    };
    // Writing into memory cannot fail.
    let _ = write!(
        text,
        " {:?} {:?} {:?} {:?} {:?}",
        some(&reading.timestamp),
        some(&reading.native_id),
        some(&reading.parent),
        reading.mirrors,
        reading.marks
    );
    for item in &reading.items {
        let tool = item
            .tool
            .as_ref()
            .map(|tool| (some(&tool.name), some(&tool.call_id), tool.status, tool.exit_code));
        let entities: Vec<_> = item.entities.iter().map(|one| (one.kind, one.value.expose())).collect();
        let _ = write!(
            text,
            "\n{:?} {:?} {:?} {:?} {tool:?} {entities:?} {}",
            item.surface,
            item.actor,
            item.actor_grade,
            item.facets,
            item.text.expose()
        );
    }
    for fact in &reading.facts {
        let _ = write!(text, "\n{:?} {}", fact.kind, fact.value.expose());
    }
    for learnt in &reading.learnt {
        let _ = write!(text, "\n{} {:?} {:?}", learnt.call_id.expose(), learnt.status, learnt.exit_code);
    }
    text
}

/// A value with one member or element removed or replaced, for each of them.
fn changes(value: &Value) -> Vec<Value> {
    let others =
        [json!(null), json!(true), json!(-7.5), json!(""), json!("x"), json!([]), json!([null]), json!({})];
    let mut changed = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, own) in members {
                let with = |new: Option<Value>| {
                    let mut members = members.clone();
                    match new {
                        Some(new) => drop(members.insert(name.clone(), new)),
                        None => drop(members.remove(name)),
                    }
                    Value::Object(members)
                };
                changed.push(with(None));
                changed.extend(others.iter().map(|other| with(Some(other.clone()))));
                changed.extend(changes(own).into_iter().map(|inner| with(Some(inner))));
            }
        }
        Value::Array(elements) => {
            for (place, own) in elements.iter().enumerate() {
                let with = |new: Value| {
                    let mut elements = elements.clone();
                    elements[place] = new;
                    Value::Array(elements)
                };
                changed.extend(others.iter().map(|other| with(other.clone())));
                changed.extend(changes(own).into_iter().map(with));
            }
        }
        _ => {}
    }
    changed
}

//! The order-dependent step: each record gets its disposition, each item its ordinal, id, salt and call. It
//! sees records in file order and never looks ahead; the one exception, the inherited prefix, is decided before.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::coverage::{Session, listed};
use super::keys::EventKeys;
use super::line::{Event, EventEntity, EventTool, Pairing, RecordSpan};
use super::mirror::Mirrors;
use super::pairing::Calls;
use super::prepared::Fingerprints;
use super::record_line::{
    Disposition, HiddenPart, LearntOutcome, MirrorOf, RECORD_SCHEMA, RecordLine, SPLIT_SECRET,
};
use crate::base::credential::Spotter;
use crate::base::ids::Ordinal;
use crate::base::private::Folder;
use crate::base::{Result, sorted};
use crate::evidence::runs::KeyMap;
use crate::evidence::scrub::text::Scrubbed;
use crate::evidence::scrub::{LookBack, Numbering, Spotted};
use crate::evidence::transcript::item::{Actor, ActorGrade, Item, Status, Surface, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{FactKind, Key, Learnt, NativeType, Reading, Role};

/// Distinct values of one kind of fact that the manifest lists.
const FACT_VALUES: usize = 32;
/// Distinct values beyond that which are still counted.
const OMITTED_VALUES: usize = 10_000;

/// The sequencer of one boundary.
pub struct Sequencer<'r> {
    keys: EventKeys,
    numbering: Numbering,
    inherited: Range<u64>,
    child: bool,
    reread: Reread<'r>,
    spotter: &'r Spotter,
    back: LookBack,
    so_far: SoFar,
}

/// What the records so far leave for those behind them. Of native ids and contents it holds fingerprints only.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SoFar {
    next_ordinal: Ordinal,
    mirrors: Mirrors,
    calls: Calls,
    seen: KeyMap<()>,
    session: Session,
    #[serde(serialize_with = "sorted::set")]
    omitted: HashSet<Key>,
    /// Where the last text of an event stands.
    last_text: Option<(RecordSpan, u32)>,
}

/// Reads the text of an earlier record again, or of the one at hand; `None` where it cannot be read.
pub type Reread<'r> = Box<dyn Fn(RecordSpan) -> Option<Zeroizing<String>> + 'r>;

/// Members in which two copies differ that a line lists.
const DIFFERING_MEMBERS: usize = 32;

impl SoFar {
    /// Beyond a bound, fingerprints are remembered in files of this folder.
    ///
    /// # Errors
    /// As [`KeyMap::attach`].
    pub fn attach(&mut self, folder: &Folder) -> Result<()> {
        self.mirrors.attach(folder)?;
        self.calls.attach(folder)?;
        self.seen.attach(folder)
    }

    /// Brings all of it into files, so that it can be written down; gives their names.
    fn settle(&mut self) -> Result<Vec<String>> {
        let (carriers, calls, seen) = (self.mirrors.carriers(), self.calls.identified(), &mut self.seen);
        carriers.settle()?;
        calls.settle()?;
        seen.settle()?;
        Ok(carriers.files().chain(calls.files()).chain(seen.files()).map(str::to_owned).collect())
    }
}

impl<'r> Sequencer<'r> {
    /// Starts at the first record, or behind those that `so_far` is of. `inherited` is the byte range of another
    /// session's history; in a `child` nobody but the agent that began it speaks as a user. `spotter` is the one that
    /// the records were prepared with.
    pub fn new(
        keys: EventKeys,
        numbering: Numbering,
        inherited: Range<u64>,
        child: bool,
        reread: Reread<'r>,
        spotter: &'r Spotter,
        so_far: SoFar,
    ) -> Self {
        Self { keys, numbering, inherited, child, reread, spotter, back: LookBack::default(), so_far }
    }

    /// Where the text stands that a look back from the next record reaches.
    pub const fn last_text(&self) -> Option<(RecordSpan, u32)> {
        self.so_far.last_text
    }

    /// Remembers that text, where the records before were not read.
    pub fn remember(&mut self, text: &str) {
        self.back.remember(text);
    }

    /// What the records so far leave for those behind them, and the files that hold a part of it.
    ///
    /// # Errors
    /// `read-failed`, `write-failed`.
    pub fn settle(&mut self) -> Result<(&SoFar, &Numbering, Vec<String>)> {
        let files = self.so_far.settle()?;
        Ok((&self.so_far, &self.numbering, files))
    }

    /// Damaged bytes.
    pub fn malformed(&self, span: RecordSpan, too_long: bool) -> RecordLine {
        let mut line = blank(span, Disposition::Malformed);
        if too_long {
            line.flags.push(Cow::Borrowed("too_long"));
        }
        line
    }

    /// One record: its line and its events.
    ///
    /// # Errors
    /// `read-failed`, `write-failed`, where fingerprints of earlier records are in files.
    pub fn record(
        &mut self,
        span: RecordSpan,
        flags: &[&'static str],
        mut reading: Reading<Spotted>,
        keys: &Fingerprints,
    ) -> Result<(RecordLine, Vec<Event>)> {
        let inherited = self.inherited.contains(&span.offset);
        self.so_far.mirrors.mark(&reading.marks);
        let proof =
            if inherited { None } else { self.so_far.mirrors.prove(&reading.mirrors, &self.so_far.calls)? };
        let mirror = proof.map(|proof| proof.mirror);
        if !inherited {
            // A copy of foreign history is nobody's first carrier: the session's own words after it are events.
            self.so_far.mirrors.remember(&reading.mirrors, span, mirror)?;
        }
        let disposition = match (inherited, mirror, reading.role) {
            (true, ..) => Disposition::Inherited,
            (_, Some(_), _) => Disposition::Mirror,
            (_, _, Role::Withheld) => Disposition::Withheld,
            _ if reading.items.is_empty() => Disposition::Structural,
            _ => Disposition::Events,
        };
        let mut line = self.line(span, flags, disposition, mirror, &mut reading, keys)?;
        if let Some(twin) = proof.and_then(|proof| proof.twin) {
            line.differs = self.differing(twin, span);
        }
        self.facts(&mut reading, keys);
        let mut events = Vec::new();
        if disposition == Disposition::Events {
            let native_id = line.native_id.clone();
            let timestamp = reading.timestamp.take().map(|text| self.numbering.scrub(text));
            self.note_time(timestamp.as_ref());
            let items = std::mem::take(&mut reading.items);
            let recovered = flags.contains(&"recovered");
            for (place, mut item) in items.into_iter().enumerate() {
                let call = keys.calls.get(place).copied().flatten();
                if self.back.over(&mut item.text, self.spotter)
                    && !line.flags.iter().any(|flag| flag == SPLIT_SECRET)
                {
                    line.flags.push(Cow::Borrowed(SPLIT_SECRET));
                }
                self.so_far.last_text = Some((span, u32::try_from(place).unwrap_or(u32::MAX)));
                let mut event =
                    self.event(span, place, item, call, timestamp.as_ref(), native_id.as_deref())?;
                if recovered {
                    event.facets.push(Cow::Borrowed(facet::RECOVERED));
                    event.actor_grade = ActorGrade::Assumed;
                }
                events.push(event);
            }
            line.first_ordinal = events.first().map(|event| event.ordinal);
            line.events = events.len() as u64;
        }
        Ok((line, events))
    }

    fn line(
        &mut self,
        span: RecordSpan,
        flags: &[&'static str],
        disposition: Disposition,
        mirror: Option<MirrorOf>,
        reading: &mut Reading<Spotted>,
        keys: &Fingerprints,
    ) -> Result<RecordLine> {
        let mut line = blank(span, disposition);
        line.mirror_of = mirror;
        line.flags.extend(flags.iter().map(|flag| Cow::Borrowed(*flag)));
        let native_type = std::mem::replace(&mut reading.native_type, NativeType::Known(""));
        line.native_type = Some(match native_type {
            NativeType::Known(name) => Cow::Borrowed(name),
            NativeType::Unknown(name) => {
                line.flags.push(Cow::Borrowed("unknown_type"));
                Cow::Owned(self.scrubbed(name))
            }
        });
        if keys.foreign && disposition != Disposition::Inherited {
            line.flags.push(Cow::Borrowed("foreign_session"));
        }
        line.native_id = reading.native_id.take().map(|id| self.scrubbed(id));
        let parent = reading.parent.take();
        if let Some(key) = keys.parent
            && self.so_far.seen.get(key)?.is_none()
        {
            line.unseen_parent = parent.map(|id| self.scrubbed(id));
        }
        if let Some(key) = keys.native_id {
            self.so_far.seen.insert(key, ())?;
        }
        line.withheld = reading
            .withheld
            .iter()
            .map(|part| HiddenPart { kind: Cow::Borrowed(part.kind), bytes: part.bytes })
            .collect();
        if disposition == Disposition::Inherited {
            let other = reading.facts.iter().position(|fact| fact.kind == FactKind::SessionId);
            line.inherited_from =
                other.map(|place| reading.facts.swap_remove(place).value).map(|id| self.scrubbed(id));
        } else {
            let learnt = std::mem::take(&mut reading.learnt);
            line.learnt =
                learnt.into_iter().zip(&keys.learnt).map(|(one, key)| self.learn(one, *key)).collect();
        }
        Ok(line)
    }

    /// Names of the members in which two copies of one record differ.
    fn differing(&mut self, first: RecordSpan, second: RecordSpan) -> Vec<String> {
        let texts = (self.reread)(first).zip((self.reread)(second));
        let names = texts.map(|(first, second)| differing_members(&first, &second)).unwrap_or_default();
        names.into_iter().map(|name| self.scrubbed(Spotted::new(Raw::from(name), self.spotter))).collect()
    }

    fn learn(&mut self, learnt: Learnt<Spotted>, key: Key) -> LearntOutcome {
        self.so_far.calls.learn(key, learnt.status, learnt.exit_code);
        LearntOutcome {
            call_id: self.scrubbed(learnt.call_id),
            status: learnt.status,
            exit_code: learnt.exit_code,
        }
    }

    fn event(
        &mut self,
        span: RecordSpan,
        place: usize,
        item: Item<Spotted>,
        call: Option<Key>,
        timestamp: Option<&Scrubbed>,
        record_id: Option<&str>,
    ) -> Result<Event> {
        let ordinal = self.so_far.next_ordinal;
        self.so_far.next_ordinal += 1;
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        let mut item = item.map(&mut |text| self.numbering.scrub(text));
        if self.child && item.surface == Surface::User {
            item.surface = Surface::System;
            item.actor = Actor::Agent;
            item.facets.extend([facet::TASK, "injected:task"]);
        }
        let event_id = self.keys.event_id(ordinal, span.offset, number, item.surface, item.text.as_str());
        let mut tool = item.tool.map(|tool| EventTool {
            name: tool.name,
            call_id: tool.call_id,
            call_event_id: None,
            pairing: Pairing::None,
            status: tool.status,
            exit_code: tool.exit_code,
        });
        if let Some(tool) = tool.as_mut().filter(|_| item.surface == Surface::ToolResult) {
            self.join(tool, call)?;
        }
        if item.surface == Surface::ToolCall {
            let name = tool.as_ref().and_then(|tool| tool.name.as_ref());
            self.so_far.calls.call(call, event_id, span.offset, name)?;
        }
        Ok(Event {
            ordinal,
            event_id,
            salt: self.keys.salt(ordinal, span.offset, number),
            record: span,
            item: number,
            native_id: item
                .native_id
                .or_else(|| record_id.map(|id| Scrubbed::from_ledger(id.to_owned(), Vec::new()))),
            timestamp: timestamp.cloned(),
            surface: item.surface,
            actor: item.actor,
            actor_grade: item.actor_grade,
            facets: item.facets.into_iter().map(Cow::Borrowed).collect(),
            tool,
            entities: item
                .entities
                .into_iter()
                .map(|entity| EventEntity { kind: Cow::Borrowed(entity.kind), value: entity.value })
                .collect(),
            text: item.text,
        })
    }

    /// Joins a result to its call and fills in an outcome that an earlier record told.
    fn join(&mut self, tool: &mut EventTool, call: Option<Key>) -> Result<()> {
        let found = self.so_far.calls.result(call)?;
        tool.call_event_id = found.event;
        tool.pairing = found.pairing;
        tool.name = tool.name.take().or(found.name);
        let Some((status, exit_code)) = call.and_then(|call| self.so_far.calls.learnt(call)) else {
            return Ok(());
        };
        if matches!(tool.status, None | Some(Status::Unknown)) {
            tool.status = Some(status);
        }
        tool.exit_code = tool.exit_code.or(exit_code);
        Ok(())
    }

    fn facts(&mut self, reading: &mut Reading<Spotted>, keys: &Fingerprints) {
        self.so_far.session.foreign_ids += u64::from(keys.foreign);
        for fact in std::mem::take(&mut reading.facts) {
            let list = match fact.kind {
                FactKind::Cwd => &mut self.so_far.session.work_directories,
                FactKind::GitBranch => &mut self.so_far.session.branches,
                FactKind::HarnessVersion => &mut self.so_far.session.harness_versions,
                FactKind::Model => &mut self.so_far.session.models,
                FactKind::SessionId => continue,
            };
            let value = listed(self.numbering.scrub(fact.value).as_str()).into_owned();
            if list.contains(&value) {
                continue;
            }
            if list.len() < FACT_VALUES {
                list.push(value);
            } else if self.so_far.omitted.len() < OMITTED_VALUES
                && self.so_far.omitted.insert(Key::of(&[&value]))
            {
                self.so_far.session.omitted += 1;
            }
        }
    }

    fn note_time(&mut self, timestamp: Option<&Scrubbed>) {
        let Some(text) = timestamp.map(Scrubbed::as_str) else { return };
        if text.parse::<jiff::Timestamp>().is_err() {
            return;
        }
        self.so_far.session.first_timestamp.get_or_insert_with(|| text.to_owned());
        self.so_far.session.last_timestamp = Some(text.to_owned());
    }

    fn scrubbed(&mut self, text: Spotted) -> String {
        self.numbering.scrub(text).into_string()
    }

    /// What the records said about the session, and the numbering to keep.
    pub fn finish(self) -> (Session, Numbering) {
        (self.so_far.session, self.numbering)
    }
}

fn differing_members(first: &str, second: &str) -> Vec<String> {
    let (Ok(first), Ok(second)) = (Json::parse(first, &[]), Json::parse(second, &[])) else {
        return Vec::new();
    };
    let (first, second) = (first.value, second.value);
    let changed = second.members().iter().filter(|(name, value)| first.get(name) != value);
    let lost = first.members().iter().filter(|(name, _)| second.members().iter().all(|(own, _)| own != name));
    changed.chain(lost).map(|(name, _)| name.to_string()).take(DIFFERING_MEMBERS).collect()
}

fn blank(span: RecordSpan, disposition: Disposition) -> RecordLine {
    RecordLine {
        schema_version: Cow::Borrowed(RECORD_SCHEMA),
        offset: span.offset,
        length: span.length,
        disposition,
        native_type: None,
        native_id: None,
        unseen_parent: None,
        first_ordinal: None,
        events: 0,
        withheld: Vec::new(),
        flags: Vec::new(),
        mirror_of: None,
        differs: Vec::new(),
        inherited_from: None,
        learnt: Vec::new(),
    }
}

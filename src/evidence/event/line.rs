//! One event and its ledger line: one JSON object, its fields in one fixed order. The line depends only on
//! bytes up to the end of the event's own record.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::base::digest::{decode_hex, encode_hex};
use crate::base::ids::{EventId, Ordinal};
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::scrub::text::{Redaction, Scrubbed};
use crate::evidence::transcript::item::{Actor, ActorGrade, Status, Surface};

/// The version that every event line carries.
pub const EVENT_SCHEMA: &str = "recap.event.v1";

/// Bytes of the transcript that a record covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordSpan {
    /// First byte.
    pub offset: u64,
    /// Length in bytes without the terminator.
    pub length: u64,
}

/// How a result is joined to its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pairing {
    /// Both carry the same call id.
    CallId,
    /// The harness has no id; the only open call before it.
    OrderInferred,
    /// No call was seen before it.
    None,
}

/// The tool part of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventTool {
    /// Name of the tool; on a result that of its call.
    pub name: Option<Scrubbed>,
    /// The harness's id.
    pub call_id: Option<Scrubbed>,
    /// On a result: the event of its call.
    pub call_event_id: Option<EventId>,
    /// On a result: how the call is known. `None` on a call.
    pub pairing: Pairing,
    /// On a result.
    pub status: Option<Status>,
    /// On a result, if native evidence gives one.
    pub exit_code: Option<u32>,
}

/// A name taken from structured fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventEntity {
    /// What it names.
    pub kind: Cow<'static, str>,
    /// As written, scrubbed.
    pub value: Scrubbed,
}

/// One event of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Place in the ledger.
    pub ordinal: Ordinal,
    /// Keyed id.
    pub event_id: EventId,
    /// Keyed salt: a proof for one event gives away nothing guessable about its neighbours.
    pub salt: [u8; 16],
    /// Its record.
    pub record: RecordSpan,
    /// Which item of the record, from 0.
    pub item: u32,
    /// The harness's id.
    pub native_id: Option<Scrubbed>,
    /// As written.
    pub timestamp: Option<Scrubbed>,
    /// Where it belongs.
    pub surface: Surface,
    /// Who.
    pub actor: Actor,
    /// How that is known.
    pub actor_grade: ActorGrade,
    /// Our own words.
    pub facets: Vec<Cow<'static, str>>,
    /// Calls and results.
    pub tool: Option<EventTool>,
    /// Names.
    pub entities: Vec<EventEntity>,
    /// The whole text with its redactions.
    pub text: Scrubbed,
}

impl Event {
    /// True when the event carries the facet.
    pub fn has_facet(&self, facet: &str) -> bool {
        self.facets.iter().any(|own| own == facet)
    }

    /// Status of a result.
    pub fn status(&self) -> Option<Status> {
        self.tool.as_ref().and_then(|tool| tool.status)
    }

    /// The timestamp as an instant, in milliseconds since 1970 UTC, if it is one.
    pub fn time_ms(&self) -> Option<i64> {
        let text = self.timestamp.as_ref()?.as_str();
        text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
    }

    /// Writes the ledger line without its LF.
    ///
    /// # Errors
    /// `write-failed` if it cannot be expressed in JSON, which text, numbers and ids always can.
    pub fn write_line(&self, out: impl std::io::Write) -> Result<()> {
        let line = Line {
            schema_version: Cow::Borrowed(EVENT_SCHEMA),
            ordinal: self.ordinal,
            event_id: self.event_id,
            salt: Cow::Owned(encode_hex(&self.salt)),
            record: self.record,
            item: self.item,
            native_id: self.native_id.as_ref().map(borrowed),
            timestamp: self.timestamp.as_ref().map(borrowed),
            surface: self.surface,
            actor: self.actor,
            actor_grade: self.actor_grade,
            facets: self.facets.iter().map(|facet| Cow::Borrowed(&**facet)).collect(),
            tool: self.tool.as_ref().map(|tool| ToolLine {
                name: tool.name.as_ref().map(borrowed),
                call_id: tool.call_id.as_ref().map(borrowed),
                call_event_id: tool.call_event_id,
                pairing: tool.pairing,
                status: tool.status,
                exit_code: tool.exit_code,
            }),
            entities: self
                .entities
                .iter()
                .map(|entity| EntityLine {
                    kind: Cow::Borrowed(&*entity.kind),
                    value: borrowed(&entity.value),
                })
                .collect(),
            redactions: self
                .text
                .redactions()
                .iter()
                .map(|redaction| RedactionLine {
                    start: redaction.start,
                    end: redaction.end,
                    kind: Cow::Borrowed(&*redaction.kind),
                    number: redaction.number,
                })
                .collect(),
            text_bytes: self.text.as_str().len() as u64,
            text: borrowed(&self.text),
        };
        serde_json::to_writer(out, &line).map_err(|_| Refusal::new(Code::WriteFailed))
    }

    /// Reads a line whose digest was checked against the tree.
    ///
    /// # Errors
    /// `line-invalid` for anything that [`Event::write_line`] does not write.
    pub fn parse(line: &[u8]) -> Result<Self> {
        let invalid = || Refusal::new(Code::LineInvalid);
        let line: Line<'_> = serde_json::from_slice(line).map_err(|_| invalid())?;
        let mut salt = [0; 16];
        let plain = line.schema_version == EVENT_SCHEMA
            && decode_hex(&line.salt, &mut salt)
            && line.event_id.ordinal() == line.ordinal
            && line.text_bytes == line.text.len() as u64;
        if !plain {
            return Err(invalid());
        }
        let redactions = line
            .redactions
            .into_iter()
            .map(|redaction| Redaction {
                start: redaction.start,
                end: redaction.end,
                kind: Cow::Owned(redaction.kind.into_owned()),
                number: redaction.number,
            })
            .collect();
        Ok(Self {
            ordinal: line.ordinal,
            event_id: line.event_id,
            salt,
            record: line.record,
            item: line.item,
            native_id: line.native_id.map(owned),
            timestamp: line.timestamp.map(owned),
            surface: line.surface,
            actor: line.actor,
            actor_grade: line.actor_grade,
            facets: line.facets.into_iter().map(|facet| Cow::Owned(facet.into_owned())).collect(),
            tool: line.tool.map(|tool| EventTool {
                name: tool.name.map(owned),
                call_id: tool.call_id.map(owned),
                call_event_id: tool.call_event_id,
                pairing: tool.pairing,
                status: tool.status,
                exit_code: tool.exit_code,
            }),
            entities: line
                .entities
                .into_iter()
                .map(|entity| EventEntity {
                    kind: Cow::Owned(entity.kind.into_owned()),
                    value: owned(entity.value),
                })
                .collect(),
            text: Scrubbed::from_ledger(line.text.into_owned(), redactions),
        })
    }
}

fn borrowed(text: &Scrubbed) -> Cow<'_, str> {
    Cow::Borrowed(text.as_str())
}

fn owned(text: Cow<'_, str>) -> Scrubbed {
    Scrubbed::from_ledger(text.into_owned(), Vec::new())
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    schema_version: Cow<'a, str>,
    ordinal: Ordinal,
    event_id: EventId,
    #[serde(borrow)]
    salt: Cow<'a, str>,
    record: RecordSpan,
    item: u32,
    #[serde(borrow)]
    native_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    surface: Surface,
    actor: Actor,
    actor_grade: ActorGrade,
    #[serde(borrow)]
    facets: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    tool: Option<ToolLine<'a>>,
    #[serde(borrow)]
    entities: Vec<EntityLine<'a>>,
    #[serde(borrow)]
    redactions: Vec<RedactionLine<'a>>,
    text_bytes: u64,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolLine<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    call_id: Option<Cow<'a, str>>,
    call_event_id: Option<EventId>,
    pairing: Pairing,
    status: Option<Status>,
    exit_code: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntityLine<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RedactionLine<'a> {
    start: u64,
    end: u64,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    number: u64,
}

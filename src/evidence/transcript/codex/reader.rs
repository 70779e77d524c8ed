//! The reader: finds the kind of a record in the table and lets it take the content out. It keeps no state.

use super::head;
use super::identity::is_header;
use super::kinds::{self, Becomes};
use super::line::{Line, fact};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{FactKind, Head, Identity, NativeType, Reader, Reading, Role};

/// Longest name of an unknown kind that is kept, in characters.
const NAME_CHARS: usize = 80;

/// Members that no part of this reader looks at; all of them copy earlier lines or repeat settings. Nearly all bytes
/// of the largest known files lie in the first. Paths, because the arguments of a call may have such names, too.
const DROPPED: &[&str] = &[
    "payload.replacement_history",
    "payload.replacement_history_entries",
    "payload.replacement_history_metadata",
    "payload.guardian_history",
    "payload.retained_context",
    "payload.base_instructions",
    "metadata.retained_source",
    "metadata.guardian_sources",
];

/// Reads Codex rollouts of all generations: bare items, in lines or in a document, legacy and paginated.
pub struct CodexReader;

impl Reader for CodexReader {
    fn dropped(&self) -> &'static [&'static str] {
        DROPPED
    }

    fn read(&self, record: &Json<'_>) -> Reading<Raw> {
        let (name, line) = located(record);
        let mut reading = match kinds::find(&name) {
            Some(kind) => {
                let mut reading = Reading::structural(kind.name);
                (kind.read)(&line, &mut reading);
                reading.role = role(kind.becomes, &reading);
                reading
            }
            None => Reading::new(NativeType::Unknown(Raw::from(name)), Role::Structural),
        };
        reading.timestamp = match record.get("timestamp") {
            Json::String(time) => Some(Raw::from(time.as_ref())),
            // Converters write numbers.
            number @ Json::Number(_) => Some(Raw::from(number.to_text())),
            _ => None,
        };
        if reading.role != Role::Structural {
            reading.native_id = line.text("id").map(Raw::from);
            for item in &mut reading.items {
                item.native_id = line.text("id").map(Raw::from);
            }
        }
        if line.payload.get("type").as_str() == Some("item_completed") {
            // Items of a review's thread land in its parent's file; the ids tell.
            reading.of_named_session = true;
            fact(&mut reading, FactKind::SessionId, line.payload.get("thread_id"));
        }
        reading
    }

    fn head(&self, identity: &Identity, record: &Json<'_>) -> Head {
        head::head(identity, record)
    }
}

fn role(becomes: Becomes, reading: &Reading<Raw>) -> Role {
    if !reading.items.is_empty() {
        Role::Content
    } else if becomes == Becomes::Withheld || !reading.withheld.is_empty() {
        Role::Withheld
    } else {
        Role::Structural
    }
}

/// The name of the record's kind, and its parts.
fn located<'r, 't>(record: &'r Json<'t>) -> (String, Line<'r, 't>) {
    let payload = record.get("payload");
    let line = |payload, body| Line { record, payload, body };
    let Some(kind) = record.get("type").as_str() else {
        let name = match record.get("record_type").as_str() {
            Some("state") => "bare/state",
            _ if is_header(record) => "bare/header",
            _ => "untyped",
        };
        return (name.to_owned(), line(record, record));
    };
    if !payload.is_object() {
        // A bare item has its members on the line itself.
        let item = format!("response_item/{kind}");
        return match kinds::find(&item) {
            Some(_) => (item, line(record, record)),
            None => (shortened(kind), line(payload, payload)),
        };
    }
    let inner = payload.get("type").as_str().unwrap_or("");
    match (kind, inner) {
        ("event_msg", "item_completed") => {
            let item = payload.get("item");
            let inner = item.get("type").as_str().unwrap_or("");
            (shortened(&format!("{kind}/item_completed/{inner}")), line(payload, item))
        }
        ("event_msg" | "response_item", _) => (shortened(&format!("{kind}/{inner}")), line(payload, payload)),
        _ => (shortened(kind), line(payload, payload)),
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(NAME_CHARS).collect()
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;

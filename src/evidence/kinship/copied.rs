//! How much of a transcript repeats another one, where only the other one shows it: records at the head whose native ids
//! stand there, too. Equal text shows nothing.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::listen::each_record;
use crate::base::ids::Harness;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::transcript::input::Input;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::lines::each_line;
use crate::evidence::transcript::reading::{Identity, Key};

/// The ids of a transcript's own records; those that carry the other session's id are not its own: an old version wrote
/// rows of a fork behind those of its origin.
///
/// # Errors
/// `read-failed`, `interrupted`.
pub fn ids_of(input: &Input, size: u64, other: &Identity, interrupted: &AtomicBool) -> Result<HashSet<Key>> {
    let mut ids = HashSet::new();
    each(input, size, interrupted, &mut |record| {
        if record.get("sessionId").as_str() != Some(other.session.as_str()) {
            ids.extend(id_of(other.harness, record));
        }
        true
    })?;
    Ok(ids)
}

/// Whole records at the head up to the last one whose id is among `ids`, with none between that has another.
///
/// # Errors
/// `read-failed`, `interrupted`.
pub fn repeated(
    input: &Input,
    size: u64,
    harness: Harness,
    ids: &HashSet<Key>,
    interrupted: &AtomicBool,
) -> Result<u64> {
    let (mut records, mut repeated) = (0, 0);
    each(input, size, interrupted, &mut |record| {
        records += 1;
        match id_of(harness, record) {
            Some(id) if ids.contains(&id) => {
                repeated = records;
                true
            }
            Some(_) => false,
            None => true,
        }
    })?;
    Ok(repeated)
}

fn each(
    input: &Input,
    size: u64,
    interrupted: &AtomicBool,
    take: &mut dyn FnMut(&Json<'_>) -> bool,
) -> Result<()> {
    each_line(input.reader(0)?, size, &|error| input.failed(error), &mut |_, line, terminated| {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Refusal::new(Code::Interrupted));
        }
        let mut on = true;
        each_record(line, terminated, &mut |_, record| on = on && take(record));
        Ok(on)
    })
}

/// The id that a harness gives a record and keeps when it copies it.
fn id_of(harness: Harness, record: &Json<'_>) -> Option<Key> {
    let text = |value: &Json<'_>, keys: &[&str]| {
        keys.iter().find_map(|key| value.get(key).as_str()).filter(|id| !id.is_empty()).map(str::to_owned)
    };
    let id = match harness {
        Harness::Claude => text(record, &["uuid"])?,
        Harness::Codex => {
            let payload = record.get("payload");
            let item = payload.get("item");
            let own = if item.is_object() {
                text(item, &["id"])
            } else {
                text(payload, &["id", "call_id", "turn_id"])
            };
            // Identity lines name sessions, not records.
            own.filter(|_| record.get("type").as_str() != Some("session_meta"))?
        }
    };
    let kind = record.get("type").as_str().unwrap_or_default();
    let inner = record.path(&["payload", "type"]).as_str().unwrap_or_default();
    Some(Key::of(&[kind, inner, &id]))
}

#[cfg(test)]
mod tests {
    use super::{Harness, Json, id_of};

    #[test]
    fn ids_are_those_that_a_copy_keeps() {
        let id = |harness, text: &str| id_of(harness, &Json::parse(text, &[]).unwrap().value);
        let call =
            r#"{"type":"response_item","payload":{"type":"function_call","call_id":"c","arguments":"1"}}"#;
        let output = r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"x"}}"#;
        assert_eq!(id(Harness::Codex, call), id(Harness::Codex, &call.replace("\"1\"", "\"2\"")));
        assert_ne!(id(Harness::Codex, call), id(Harness::Codex, output));
        assert_eq!(id(Harness::Codex, r#"{"type":"session_meta","payload":{"id":"t"}}"#), None);
        assert_eq!(id(Harness::Codex, r#"{"type":"event_msg","payload":{"type":"token_count"}}"#), None);
        assert!(id(Harness::Claude, r#"{"type":"user","uuid":"u"}"#).is_some());
        assert_eq!(id(Harness::Claude, r#"{"type":"mode","mode":"normal"}"#), None);
    }
}

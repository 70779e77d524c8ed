//! Who a rollout is: from its first identity line, else from its file name. A thread can have several files
//! (a revert makes a new one); then the name carries the rollout's own id behind the thread's.

use crate::base::ids::Harness;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::reading::{DOCUMENT_FORM, Identity, UNKNOWN_MODE_FORM};

/// The form of files that hold bare items.
const BARE: &str = "codex-bare";
/// Raw response items and events.
const LEGACY: &str = "codex-legacy";
/// Raw response items and completed items, each line counted.
const PAGINATED: &str = "codex-paginated";
/// Length of a UUID in text.
const UUID_CHARS: usize = 36;

/// None if the head is not a Codex rollout. `file_stem` is the name without `.jsonl`, `head` the first records
/// that parse.
pub fn identify(file_stem: &str, head: &[Json<'_>]) -> Option<Identity> {
    let (thread, rollout) = named(file_stem);
    let own = |session: &str, form| Identity {
        harness: Harness::Codex,
        session: session.to_owned(),
        agent: None,
        rollout: rollout.map(str::to_owned),
        form,
        own_from: None,
        forked: false,
        child: false,
    };
    if let Some(record) = head.iter().find(|record| is_session_meta(record)) {
        let meta = record.get("payload");
        // The first one is the file's own; `id` is the thread, `session_id` the root of its tree.
        let session =
            ["id", "session_id"].iter().find_map(|key| meta.get(key).as_str()).filter(|id| !id.is_empty());
        let form = match meta.get("history_mode") {
            Json::Null => LEGACY,
            mode => match mode.as_str() {
                Some("paginated") => PAGINATED,
                Some("legacy") => LEGACY,
                _ => UNKNOWN_MODE_FORM,
            },
        };
        return Some(Identity {
            own_from: meta.get("subagent_history_start_ordinal").as_u64(),
            // With a base the history stays in the other file, by reference; only a fork by copy repeats it here.
            forked: meta.get("forked_from_id").as_str().is_some() && !meta.get("history_base").is_object(),
            child: is_child(meta),
            ..own(session.or(thread)?, form)
        });
    }
    if let Some(id) =
        head.iter().filter(|record| is_header(record)).find_map(|record| record.get("id").as_str())
    {
        return Some(own(id, BARE));
    }
    // A file without identity line: its lines must be of this family, and its name must tell who it is.
    let form = head.iter().find_map(form_of_line)?;
    Some(own(thread?, form))
}

/// The same for the values of a document: its `session` is what the first line of a bare file is, its `items` are
/// what the other lines are.
pub fn identify_document(file_stem: &str, head: &[Json<'_>]) -> Option<Identity> {
    let items = head.iter().filter(|record| !is_header(record));
    let foreign = items.clone().all(|record| form_of_line(record) != Some(BARE));
    if foreign && items.count() > 0 {
        return None;
    }
    let identity = identify(file_stem, head).filter(|identity| identity.form == BARE)?;
    Some(Identity { form: DOCUMENT_FORM, ..identity })
}

/// True when another agent or the harness itself began a thread: by its source, its kind, or the parent that it names.
pub fn is_child(meta: &Json<'_>) -> bool {
    const KINDS: [&str; 3] = ["subagent", "guardian_review", "memory_consolidation"];
    ["subagent", "internal"].iter().any(|kind| !meta.path(&["source", kind]).is_null())
        || meta.get("thread_source").as_str().is_some_and(|kind| KINDS.contains(&kind))
        || meta.get("parent_thread_id").as_str().is_some_and(|id| !id.is_empty())
}

/// The first line of a thread in the newer forms.
pub fn is_session_meta(record: &Json<'_>) -> bool {
    record.get("type").as_str() == Some("session_meta") && record.get("payload").is_object()
}

/// The first line of a bare file: id and time, no type.
pub fn is_header(record: &Json<'_>) -> bool {
    let text = |key| record.get(key).as_str().is_some();
    text("id") && text("timestamp") && record.get("type").is_null() && record.get("record_type").is_null()
}

fn form_of_line(record: &Json<'_>) -> Option<&'static str> {
    const LINES: [&str; 4] = ["response_item", "event_msg", "turn_context", "compacted"];
    const ITEMS: [&str; 4] = ["message", "reasoning", "function_call", "function_call_output"];
    let kind = record.get("type").as_str();
    if record.get("payload").is_object() && kind.is_some_and(|kind| LINES.contains(&kind)) {
        return Some(if record.get("ordinal").as_u64().is_some() { PAGINATED } else { LEGACY });
    }
    let bare =
        kind.is_some_and(|kind| ITEMS.contains(&kind)) || record.get("record_type").as_str() == Some("state");
    bare.then_some(BARE)
}

/// Thread id and rollout id of `rollout-<time>-<thread>` and `rollout-<time>-<thread>_<rollout>`.
fn named(file_stem: &str) -> (Option<&str>, Option<&str>) {
    let Some(rest) = file_stem.strip_prefix("rollout-") else { return (None, None) };
    match rest.rsplit_once('_') {
        Some((before, rollout)) if is_uuid(rollout) => {
            (last_uuid(before), last_uuid(before).map(|_| rollout))
        }
        _ => (last_uuid(rest), None),
    }
}

fn last_uuid(text: &str) -> Option<&str> {
    let (_, last) = text.split_at_checked(text.len().checked_sub(UUID_CHARS)?)?;
    is_uuid(last).then_some(last)
}

fn is_uuid(text: &str) -> bool {
    text.len() == UUID_CHARS
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// The millisecond in which a version 7 UUID was made; `None` for any other id.
pub fn made_at_ms(id: &str) -> Option<u64> {
    if !is_uuid(id) || id.as_bytes().get(14) != Some(&b'7') {
        return None;
    }
    let (high, rest) = id.split_once('-')?;
    let (low, _) = rest.split_once('-')?;
    u64::from_str_radix(&format!("{high}{low}"), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{identify, identify_document, made_at_ms, named};
    use crate::evidence::transcript::json::Json;

    const THREAD: &str = "01a229c3-bea0-76f1-a6a0-540e5f087013";
    const OTHER: &str = "01a229c3-f27b-79a3-a417-c96d40099ed7";

    fn parse(text: &str) -> Json<'_> {
        Json::parse(text, &[]).unwrap().value
    }

    #[test]
    fn a_name_with_two_ids_is_a_later_file_of_the_first() {
        let stem = format!("rollout-2026-11-30T00-03-57-{THREAD}_{OTHER}");
        assert_eq!(named(&stem), (Some(THREAD), Some(OTHER)));
        assert_eq!(named(&format!("rollout-2025-06-01-{THREAD}")), (Some(THREAD), None));
        assert_eq!(named("notes_2026"), (None, None));
    }

    #[test]
    fn the_first_session_meta_is_the_files_own() {
        let head = [
            parse(
                r#"{"type":"session_meta","payload":{"id":"a","history_mode":"paginated","subagent_history_start_ordinal":14,"forked_from_id":"b"}}"#,
            ),
            parse(r#"{"type":"session_meta","payload":{"id":"b"}}"#),
        ];
        let identity = identify("x", &head).unwrap();
        assert_eq!((identity.session.as_str(), identity.form), ("a", "codex-paginated"));
        assert_eq!((identity.own_from, identity.forked, identity.rollout), (Some(14), true, None));
    }

    #[test]
    fn a_mode_that_nobody_knows_is_neither_of_the_known_ones() {
        for (mode, form) in [
            ("null", "codex-legacy"),
            (r#""legacy""#, "codex-legacy"),
            (r#""paginated""#, "codex-paginated"),
            (r#""default""#, "codex-unknown-mode"),
            ("{}", "codex-unknown-mode"),
        ] {
            let line = format!(
                r#"{{"ordinal":0,"type":"session_meta","payload":{{"id":"a","history_mode":{mode}}}}}"#
            );
            assert_eq!(identify("x", &[parse(&line)]).unwrap().form, form);
        }
    }

    #[test]
    fn a_document_needs_a_session_and_items_of_the_family() {
        let session = r#"{"timestamp":"2025-06-01T10:00:00.000Z","id":"a","instructions":""}"#;
        let item = r#"{"type":"message","role":"user","content":[]}"#;
        let of = |stem: &str, texts: &[&str]| {
            let values: Vec<Json<'_>> = texts.iter().map(|text| parse(text)).collect();
            identify_document(stem, &values).map(|identity| (identity.session, identity.form))
        };
        assert_eq!(of("x", &[session, item]), Some(("a".to_owned(), "codex-document")));
        assert_eq!(of("x", &[session]), Some(("a".to_owned(), "codex-document")));
        assert_eq!(of(&format!("rollout-2025-06-01-{THREAD}"), &[item]).unwrap().0, THREAD);
        assert_eq!(of("x", &[session, r#"{"type":"song"}"#]), None);
        assert_eq!(of("x", &[r#"{"type":"session_meta","payload":{"id":"a"}}"#, item]), None);
        assert_eq!(of("x", &[]), None);
    }

    #[test]
    fn a_child_is_known_by_its_source_its_kind_or_its_parent() {
        let is_child = |members: &str| {
            let text = format!(r#"{{"type":"session_meta","payload":{{"id":"a",{members}}}}}"#);
            identify("x", &[parse(&text)]).unwrap().child
        };
        for members in [
            r#""source":{"subagent":"review"}"#,
            r#""source":{"internal":"guardian"}"#,
            r#""source":"exec","thread_source":"subagent""#,
            r#""parent_thread_id":"b""#,
        ] {
            assert!(is_child(members), "{members}");
        }
        for members in [
            r#""source":"cli","thread_source":"user""#,
            r#""source":{"custom":"x"},"thread_source":"some_feature""#,
            r#""forked_from_id":"b","parent_thread_id":null"#,
        ] {
            assert!(!is_child(members), "{members}");
        }
    }

    #[test]
    fn a_fork_by_reference_repeats_no_history() {
        let meta = |base: &str| {
            let text =
                format!(r#"{{"type":"session_meta","payload":{{"id":"a","forked_from_id":"b"{base}}}}}"#);
            identify("x", &[parse(&text)]).unwrap().forked
        };
        assert!(meta(""));
        assert!(!meta(r#","history_base":{"thread_id":"b","end_ordinal_exclusive":57}"#));
    }

    #[test]
    fn a_bare_file_is_known_by_its_header_or_its_name() {
        let header = [parse(r#"{"id":"h","timestamp":"2025-08-01T10:00:00.000Z","instructions":null}"#)];
        assert_eq!(identify("x", &header).unwrap().session, "h");
        let items =
            [parse(r#"{"record_type":"state"}"#), parse(r#"{"type":"message","role":"user","content":[]}"#)];
        assert_eq!(identify(&format!("rollout-2025-06-01-{THREAD}"), &items).unwrap().form, "codex-bare");
        assert!(identify("x", &items).is_none());
    }

    #[test]
    fn other_files_are_not_codex() {
        let head =
            [parse(r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user"}}"#), parse("1")];
        assert!(identify(&format!("rollout-2025-06-01-{THREAD}"), &head).is_none());
        assert!(identify("x", &[]).is_none());
    }

    #[test]
    fn only_version_7_ids_carry_a_time() {
        assert!(made_at_ms(THREAD) < made_at_ms(OTHER));
        assert_eq!(made_at_ms("cf4def41-21e0-4b91-adb4-5397c1492084"), None);
    }
}

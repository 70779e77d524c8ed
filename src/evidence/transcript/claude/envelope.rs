//! What every row carries around its content: ids, time, facts about the session, and the claim that a row
//! with the same uuid and the same content is a second copy.

use super::voice::Voice;
use crate::evidence::transcript::item::{Actor, Item, Surface};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Fact, FactKind, Key, MirrorClaim, NativeType, Reading, Role};

/// The name space of row ids. `file-history-snapshot.messageId` is no part of it: it repeats the uuid of
/// another row.
const UUID: &str = "uuid";
/// Most entities of one item.
const ENTITIES: usize = 32;

/// Fills what stands on the row itself.
pub fn open(row: &Json<'_>, reading: &mut Reading<Raw>) {
    reading.timestamp = match row.get("timestamp") {
        Json::String(text) => Some(Raw::from(text.as_ref())),
        number @ Json::Number(_) => Some(Raw::from(number.to_text())),
        _ => None,
    };
    reading.native_id = text(row, "uuid").map(Raw::from);
    // A boundary's parent is null and its `logicalParentUuid` may point forward or into another file.
    reading.parent = text(row, "parentUuid").map(Raw::from);
    let mut fact = |kind, value: Option<&str>| {
        reading.facts.extend(value.map(|value| Fact { kind, value: Raw::from(value) }));
    };
    // A copied row names the session that it comes from beside the one that it now stands in.
    fact(FactKind::SessionId, row.path(&["forkedFrom", "sessionId"]).as_str());
    fact(FactKind::SessionId, text(row, "requestSessionId"));
    fact(FactKind::SessionId, text(row, "sessionId"));
    fact(FactKind::Cwd, text(row, "cwd"));
    fact(FactKind::GitBranch, text(row, "gitBranch"));
    fact(FactKind::HarnessVersion, text(row, "version"));
    fact(FactKind::Model, row.path(&["message", "model"]).as_str().filter(|model| *model != "<synthetic>"));
}

/// Completes the items and decides what the record is.
pub fn close(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let uuid = text(row, "uuid");
    let inline_child = is_inline_child(row);
    for item in &mut reading.items {
        item.native_id = uuid.map(Raw::from);
        item.entities.truncate(ENTITIES);
        if inline_child {
            item.facets.push("sidechain");
            // The model of an inline child is not the model of this session.
            if item.actor == Actor::Model {
                item.actor = Actor::Agent;
            }
        }
    }
    reading.role = match (reading.items.is_empty(), reading.withheld.is_empty()) {
        (false, _) => Role::Content,
        (true, false) => Role::Withheld,
        (true, true) => Role::Structural,
    };
    if let (Some(uuid), Role::Content | Role::Withheld) = (id(row, "uuid"), reading.role) {
        let claim = MirrorClaim::Id { class: UUID, id: Key::of(&[uuid]), content: observable(reading) };
        reading.mirrors.insert(0, claim);
    }
}

/// The fingerprint of what a reader of the session could see in the record, and of the size of what is
/// withheld.
pub fn observable(reading: &Reading<Raw>) -> Key {
    let hidden: Vec<String> =
        reading.withheld.iter().map(|part| format!("{} {}", part.kind, part.bytes)).collect();
    let mut parts: Vec<&str> = Vec::new();
    for item in &reading.items {
        let tool = item.tool.as_ref();
        parts.push(item.surface.name());
        parts.push(tool.and_then(|tool| tool.name.as_ref()).map_or("", Raw::expose));
        parts.push(tool.and_then(|tool| tool.call_id.as_ref()).map_or("", Raw::expose));
        parts.push(item.text.expose());
    }
    parts.extend(hidden.iter().map(String::as_str));
    Key::of(&parts)
}

/// Names an unknown block. A row with nothing else is unknown as a whole; beside other blocks it is a notice.
pub fn unknown_block(row_type: &str, block: &Json<'_>, reading: &mut Reading<Raw>) {
    let kind = block.get("type").as_str().unwrap_or("untyped");
    match reading.items.first_mut() {
        Some(item) if !item.facets.contains(&"beside_unknown_block") => {
            item.facets.push("beside_unknown_block")
        }
        Some(_) => {}
        None if matches!(reading.native_type, NativeType::Known(_)) => {
            reading.native_type = NativeType::Unknown(Raw::from(format!("{row_type}/{kind}")));
        }
        None => {}
    }
}

/// A non-empty string member.
pub fn text<'r>(row: &'r Json<'_>, key: &str) -> Option<&'r str> {
    row.get(key).as_str().filter(|text| !text.is_empty())
}

/// A non-empty id. Copies whose ids were taken out have this one word for all of them: it joins nothing.
pub fn id<'r>(row: &'r Json<'_>, key: &str) -> Option<&'r str> {
    text(row, key).filter(|id| *id != "REDACTED")
}

/// A member that is `true`.
pub fn flag(row: &Json<'_>, key: &str) -> bool {
    row.get(key).as_bool() == Some(true)
}

/// Rows of a child, in its own file or inline.
pub fn is_child(row: &Json<'_>) -> bool {
    flag(row, "isSidechain")
}

/// Rows of a child inside the parent's file: versions up to 1.0.x, which had no agent ids.
fn is_inline_child(row: &Json<'_>) -> bool {
    is_child(row) && text(row, "agentId").is_none()
}

/// The other side of a child: its first row is the task, later ones are messages from whoever resumed it.
pub fn childs_principal(row: &Json<'_>) -> Voice {
    use crate::evidence::transcript::item::facet::TASK;
    if text(row, "parentUuid").is_none() {
        Voice::put_in(Actor::Agent, &["injected:task", TASK])
    } else {
        Voice::put_in(Actor::Agent, &["injected:peer"])
    }
}

/// Adds pieces as items; neighbours with one voice are one item, joined by LF.
pub fn push_pieces(pieces: Vec<(Voice, String)>, items: &mut Vec<Item<Raw>>) {
    let mut run: Option<(Voice, String)> = None;
    for (voice, text) in pieces {
        run = match run {
            Some((same, mut before)) if same == voice => {
                before.push('\n');
                before.push_str(&text);
                Some((same, before))
            }
            other => {
                items.extend(other.map(|(voice, text)| voice.says(text)));
                Some((voice, text))
            }
        };
    }
    items.extend(run.map(|(voice, text)| voice.says(text)));
}

/// True when the items hold words of a person.
pub fn has_person(items: &[Item<Raw>]) -> bool {
    items.iter().any(|item| item.surface == Surface::User)
}

#[cfg(test)]
mod tests {
    use super::{Json, MirrorClaim, Reading, Role, Voice, close, open};
    use crate::evidence::transcript::item::ActorGrade;

    fn claim(json: &str, text: &str) -> Option<MirrorClaim> {
        let row = Json::parse(json, &[]).unwrap().value;
        let mut reading = Reading::structural("user");
        open(&row, &mut reading);
        reading.items.push(Voice::person(ActorGrade::Assumed).says(text));
        close(&row, &mut reading);
        assert_eq!(reading.role, Role::Content);
        reading.mirrors.first().copied()
    }

    #[test]
    fn the_claim_of_a_row_is_its_uuid_and_what_can_be_seen() {
        let (first, second) = (r#"{"uuid":"a","gitBranch":"x"}"#, r#"{"uuid":"a","version":"2"}"#);
        assert_eq!(claim(first, "hi"), claim(second, "hi"));
        assert_ne!(claim(first, "hi"), claim(second, "ho"));
        assert_eq!(claim(r#"{"uuid":7}"#, "hi"), None);
        assert_eq!(claim(r#"{"uuid":"REDACTED"}"#, "hi"), None);
    }

    #[test]
    fn fields_of_another_type_are_absent() {
        let row = Json::parse(r#"{"uuid":[],"timestamp":17,"cwd":{},"gitBranch":"","message":3}"#, &[])
            .unwrap()
            .value;
        let mut reading = Reading::structural("user");
        open(&row, &mut reading);
        close(&row, &mut reading);
        assert!(reading.facts.is_empty() && reading.native_id.is_none() && reading.role == Role::Structural);
        assert_eq!(reading.timestamp.unwrap().expose(), "17");
    }
}

//! One record of a rollout taken apart, and the small shapes that every part of this reader makes from it.
//! Nothing here decides what a record means.

use crate::evidence::transcript::item::{Actor, ActorGrade, Entity, Item, Surface};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Fact, FactKind, Reading, Withheld};

/// Most entities of one item.
const ENTITIES: usize = 32;

/// A record and the two objects inside it that matter.
#[derive(Clone, Copy)]
pub struct Line<'r, 't> {
    /// The whole record.
    pub record: &'r Json<'t>,
    /// Its `payload`; of a bare item the record itself.
    pub payload: &'r Json<'t>,
    /// The object with the content: the `item` of an `item_completed`, else the payload.
    pub body: &'r Json<'t>,
}

impl<'r> Line<'r, '_> {
    /// A string member of the body.
    pub fn text(&self, key: &str) -> Option<&'r str> {
        self.body.get(key).as_str()
    }
}

/// A system event; the actor is proven, because only the harness writes such records.
pub fn system(actor: Actor, facets: Vec<&'static str>, text: impl Into<Raw>) -> Item<Raw> {
    spoken(Surface::System, actor, ActorGrade::Proven, facets, text)
}

/// An event without a tool.
pub fn spoken(
    surface: Surface,
    actor: Actor,
    actor_grade: ActorGrade,
    facets: Vec<&'static str>,
    text: impl Into<Raw>,
) -> Item<Raw> {
    Item {
        surface,
        actor,
        actor_grade,
        facets,
        native_id: None,
        tool: None,
        entities: Vec::new(),
        text: text.into(),
    }
}

/// Adds an entity unless the value is absent, empty or the item has its share already.
pub fn name(item: &mut Item<Raw>, kind: &'static str, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty())
        && item.entities.len() < ENTITIES
        && !item.entities.iter().any(|known| known.kind == kind && known.value.expose() == value)
    {
        item.entities.push(Entity { kind, value: value.into() });
    }
}

/// Adds a fact about the session unless the value is absent or empty.
pub fn fact(reading: &mut Reading<Raw>, kind: FactKind, value: &Json<'_>) {
    if let Some(value) = value.as_str().filter(|value| !value.is_empty()) {
        reading.facts.push(Fact { kind, value: value.into() });
    }
}

/// Counts an encrypted or hidden part.
pub fn withhold(reading: &mut Reading<Raw>, kind: &'static str, value: &Json<'_>) {
    if let Some(text) = value.as_str().filter(|text| !text.is_empty()) {
        reading.withheld.push(Withheld { kind, bytes: text.len() as u64 });
    }
}

/// A JSON object of the listed members that are there, in the order of the list.
pub fn listed(object: &Json<'_>, keys: &[&str]) -> String {
    let members = || keys.iter().map(|key| (key, object.get(key))).filter(|(_, value)| !value.is_null());
    // All of the room at once, as in `Json::to_text`.
    let mut text = String::with_capacity(
        2 + members().map(|(key, value)| key.len() + 4 + value.written_bytes()).sum::<usize>(),
    );
    for (place, (key, value)) in members().enumerate() {
        text.push_str(if place == 0 { "{\"" } else { ",\"" });
        text.push_str(key);
        text.push_str("\":");
        value.write(&mut text);
    }
    text.push_str(if text.is_empty() { "{}" } else { "}" });
    text
}

//! The author's draft about the edges of a set, as far as its shape is right.

use serde::Deserialize;
use serde_json::Value;

use crate::base::digest::Digest;
use crate::base::ids::EventId;
use crate::base::pointer::Pointer;
use crate::meaning::synthesis::document::SourceLabel;

/// The version that every draft carries.
pub const EDGES_SCHEMA: &str = "recap.edges-draft.v1";

/// What is said of one edge.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeItem {
    /// The edge of the set.
    pub edge_id: String,
    /// The prose.
    pub summary: String,
    /// Where it comes from.
    pub source_label: SourceLabel,
    /// Events of either end.
    pub evidence_ids: Vec<EventId>,
    /// What the reader must know about the limits of the statement.
    #[serde(default)]
    pub caveat: Option<String>,
}

/// A draft, read leniently: items of the wrong shape are left out, and the schema has said so.
#[derive(Debug, Clone)]
pub struct EdgesDraft {
    /// The set it says it was made on.
    pub set_sha256: Option<Digest>,
    /// Items with their places.
    pub items: Vec<(Pointer, EdgeItem)>,
    /// Every item has its shape: only then can it be said that one is missing.
    pub whole: bool,
}

impl EdgesDraft {
    /// Takes what has its shape.
    pub fn read(value: &Value) -> Self {
        let listed = value.get("items").and_then(Value::as_array);
        let place = Pointer::root().member("items");
        let items: Vec<(Pointer, EdgeItem)> = listed
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(index, item)| Some((place.index(index), EdgeItem::deserialize(item).ok()?)))
            .collect();
        let whole = listed.is_some_and(|listed| listed.len() == items.len());
        let set_sha256 = value.get("set_sha256").and_then(Value::as_str).and_then(Digest::parse);
        Self { set_sha256, items, whole }
    }
}

//! When an accepted mutant means what the document meant. Each answer is a predicate over the expanded or sealed forms
//! of both; a mutant that fits none of them survived.

use serde_json::Value;

use super::strings::{NAMES, PROSE};

/// Why two documents mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Same {
    /// They expand to the same document, so they have the same digest.
    Document,
    /// They differ in the words of prose alone, which stands in the same places.
    Prose,
    /// They differ in the names alone that the author gave to claims, groups or items here.
    Names,
    /// They differ in an order alone that nothing says.
    Order,
}

/// Lists whose order is told by rule: events by time, and the pair that a range is.
const ORDERED: [&str; 2] = ["timeline", "ranges"];

/// Why they mean the same, if they do.
pub fn same(one: &Value, other: &Value) -> Option<Same> {
    let both = |change: &dyn Fn(&Value) -> Value| change(one) == change(other);
    if one == other {
        Some(Same::Document)
    } else if both(&|value| masked(value, &PROSE)) {
        Some(Same::Prose)
    } else if both(&|value| masked(value, &NAMES)) {
        Some(Same::Names)
    } else if both(&|value| sorted(value, "")) {
        Some(Same::Order)
    } else {
        None
    }
}

/// The texts of these members are all alike; a member that is not there stays away.
fn masked(value: &Value, names: &[&str]) -> Value {
    match value {
        Value::Object(members) => {
            let mask = |(name, member): (&String, &Value)| {
                let hidden = names.contains(&name.as_str()) && member.is_string();
                (name.clone(), if hidden { Value::from("…") } else { masked(member, names) })
            };
            Value::Object(members.iter().map(mask).collect())
        }
        Value::Array(items) => items.iter().map(|item| masked(item, names)).collect(),
        other => other.clone(),
    }
}

/// Lists whose order says nothing are sorted.
fn sorted(value: &Value, name: &str) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), sorted(member, name)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(|item| sorted(item, "")).collect();
            if !ORDERED.contains(&name) {
                items.sort_by_key(Value::to_string);
            }
            Value::Array(items)
        }
        other => other.clone(),
    }
}

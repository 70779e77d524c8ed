//! A document as its author wrote it, draft or sealed: the parts whose shape is right, and where each stands. What
//! has another shape is left out here; the schema reports it. Nothing is judged yet.

use serde_json::Value;

use crate::base::pointer::Pointer;
use crate::evidence::slice::Run;
use crate::evidence::table::Class;

/// In which of the two lists an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// `claims`.
    Claim,
    /// `low_signal_groups`.
    Group,
}

impl Side {
    /// The member that holds the list.
    pub const fn list(self) -> &'static str {
        match self {
            Self::Claim => "claims",
            Self::Group => "low_signal_groups",
        }
    }

    /// The member that holds an entry's id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Claim => "claim_id",
            Self::Group => "group_id",
        }
    }
}

/// A range with its place in its list.
pub type Placed = (usize, Run);

/// All events of a class in some ranges that nothing else names.
#[derive(Debug, Clone)]
pub struct Select {
    /// The class.
    pub class: Class,
    /// Where.
    pub ranges: Vec<Placed>,
}

/// One claim or group.
#[derive(Debug, Clone)]
pub struct Entry<'v> {
    /// Its list.
    pub side: Side,
    /// Its place in the draft's list; `None` for one that an older accounting alone holds.
    pub place: Option<usize>,
    /// The author's id.
    pub id: Option<&'v str>,
    /// Kind of a claim.
    pub kind: Option<&'v str>,
    /// One line.
    pub label: Option<&'v str>,
    /// Events by id.
    pub event_ids: Vec<(usize, &'v str)>,
    /// Events by ordinal.
    pub ranges: Vec<Placed>,
    /// Events by class.
    pub select: Option<Select>,
    /// Events that the entry of this id owned in an older accounting.
    pub carried: Vec<Run>,
    /// Some of what names its events has not the right shape.
    pub bent: bool,
}

impl<'v> Entry<'v> {
    /// Where it stands; the whole document for one that the draft does not hold.
    pub fn pointer(&self) -> Pointer {
        self.place.map_or_else(Pointer::root, |place| Pointer::root().member(self.side.list()).index(place))
    }

    /// One of its members; the whole document, too, for one that the draft does not hold.
    pub fn member(&self, name: &'static str) -> Pointer {
        self.place.map_or_else(Pointer::root, |_| self.pointer().member(name))
    }

    /// Names it in a detail.
    pub fn name(&self) -> String {
        match (self.place, self.id) {
            (Some(_), _) => format!("`{}`", self.pointer()),
            (None, Some(id)) => format!("`{id}` of the older accounting"),
            (None, None) => "an entry of the older accounting".to_owned(),
        }
    }

    fn read(side: Side, place: usize, value: &'v Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let mut entry = Self {
            side,
            place: Some(place),
            id: text(side.id()),
            kind: text("kind"),
            label: text("label"),
            event_ids: Vec::new(),
            ranges: Vec::new(),
            select: None,
            carried: Vec::new(),
            bent: !value.is_object(),
        };
        entry.read_events(value);
        entry
    }

    fn read_events(&mut self, value: &'v Value) {
        if let Some(list) = value.get("ranges") {
            self.bent |= !read_ranges(list, &mut self.ranges);
        }
        if self.side == Side::Group {
            return;
        }
        if let Some(list) = value.get("event_ids") {
            let items = list.as_array();
            self.event_ids = items
                .into_iter()
                .flatten()
                .enumerate()
                .filter_map(|(place, item)| item.as_str().map(|id| (place, id)))
                .collect();
            self.bent |= items.is_none_or(|items| items.len() != self.event_ids.len());
        }
        if let Some(value) = value.get("select") {
            let mut ranges = Vec::new();
            let whole = value.get("ranges").is_some_and(|list| read_ranges(list, &mut ranges));
            let class = value.get("class").and_then(Value::as_str);
            let class = Class::ALL.into_iter().find(|known| Some(known.name()) == class);
            self.bent |= !whole || class.is_none();
            self.select = class.map(|class| Select { class, ranges });
        }
    }
}

/// A document.
#[derive(Debug)]
pub struct Draft<'v> {
    /// Claims, then groups, each in the order of the document.
    pub entries: Vec<Entry<'v>>,
    /// Both lists are there.
    pub whole: bool,
}

impl<'v> Draft<'v> {
    /// Reads what has the right shape.
    pub fn read(value: &'v Value) -> Self {
        let mut draft = Self { entries: Vec::new(), whole: true };
        for side in [Side::Claim, Side::Group] {
            let list = value.get(side.list()).and_then(Value::as_array);
            draft.whole &= list.is_some();
            let items = list.into_iter().flatten().enumerate();
            draft.entries.extend(items.map(|(place, item)| Entry::read(side, place, item)));
        }
        draft
    }
}

/// Reads the pairs of a list; false when something in it is no pair of ordinals.
fn read_ranges(list: &Value, into: &mut Vec<Placed>) -> bool {
    let Some(items) = list.as_array() else { return false };
    for (place, item) in items.iter().enumerate() {
        if let Some([first, last]) = item.as_array().map(Vec::as_slice)
            && let (Some(first), Some(last)) = (first.as_u64(), last.as_u64())
        {
            into.push((place, Run { first, last }));
        }
    }
    into.len() == items.len()
}

//! What is learnt later about earlier events: results of calls, outcomes told by other records, calls that stay
//! open, parents that never appear, the last message. A derived file outside the tree, rebuilt from the
//! ledger's lines alone, one JSON object a line.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::line::{Event, EventTool, Pairing};
use super::record_line::RecordLine;
use crate::base::ids::{EventId, Ordinal};
use crate::base::{Result, sorted};
use crate::evidence::runs::{Fixed, KeyMap};
use crate::evidence::transcript::item::{Status, Surface};
use crate::evidence::transcript::reading::Key;

/// Dangling parents that are listed.
const DANGLING_ROWS: usize = 10_000;
/// Results that wait for a call to come behind them; real ones wait for the next record.
const WAITING_RESULTS: usize = 10_000;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "relation", rename_all = "snake_case", deny_unknown_fields)]
pub enum Relation {
    /// A result and its call.
    Result {
        /// The call.
        call: EventId,
        /// The result.
        result: EventId,
        /// How they are joined.
        pairing: Pairing,
        /// Status of the result.
        status: Option<Status>,
        /// Its exit status.
        exit_code: Option<u32>,
    },
    /// An outcome that another record tells.
    Learnt {
        /// The call.
        call: EventId,
        /// Offset of that record.
        record_offset: u64,
        /// Status.
        status: Status,
        /// Exit status.
        exit_code: Option<u32>,
    },
    /// A result without a call.
    OrphanResult {
        /// The result.
        result: EventId,
    },
    /// A call without a result.
    OpenCall {
        /// The call.
        call: EventId,
    },
    /// A record whose parent is not in the transcript.
    DanglingParent {
        /// Offset of the record.
        record_offset: u64,
        /// The unknown id.
        parent: String,
    },
    /// A call that goes on with what an earlier call began, and that still ran.
    Continues {
        /// The later call.
        call: EventId,
        /// The call that began it.
        begun: EventId,
    },
    /// Events that a rollback made void.
    RolledBack {
        /// The rollback.
        by: EventId,
        /// The first of them.
        first: EventId,
        /// The last of them; all between are void, too.
        last: EventId,
    },
    /// The last assistant message.
    LastMessage {
        /// The event.
        event: EventId,
    },
}

/// A result whose call may still come: the program writes some results before their calls.
#[derive(Debug, Serialize, Deserialize)]
struct Orphan {
    id: Option<Key>,
    result: EventId,
    status: Option<Status>,
    exit_code: Option<u32>,
}

/// Follows the lines in order and gives the rows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Relations {
    calls: KeyMap<EventId>,
    open: BTreeMap<Ordinal, EventId>,
    paired: u64,
    /// Results that no call was seen for so far, by call id where they have one.
    #[serde(serialize_with = "sorted::map")]
    early: HashMap<Key, Ordinal>,
    orphans: BTreeMap<Ordinal, Orphan>,
    late: u64,
    /// Parents that no record had yet. A parent that stood before its child never comes here, so that only
    /// these few are kept and not the ids of all records.
    #[serde(serialize_with = "sorted::set")]
    awaited: HashSet<Key>,
    waiting: Vec<(u64, String)>,
    last_message: Option<EventId>,
}

impl Fixed for EventId {
    const BYTES: usize = 14;

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.ordinal().to_le_bytes());
        out.extend_from_slice(&self.tag());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (ordinal, tag) = bytes.split_first_chunk()?;
        Some(Self::new(u64::from_le_bytes(*ordinal), tag.try_into().ok()?))
    }
}

impl Relations {
    /// Calls by their native ids; beyond a bound they are remembered in the files of the folder it is attached to.
    pub const fn calls(&mut self) -> &mut KeyMap<EventId> {
        &mut self.calls
    }

    /// Takes a records line; it stands before the events of its record.
    ///
    /// # Errors
    /// `read-failed`.
    pub fn record(&mut self, line: &RecordLine) -> Result<Vec<Relation>> {
        if let Some(parent) = &line.unseen_parent
            && self.waiting.len() < DANGLING_ROWS
        {
            self.awaited.insert(Key::of(&[parent]));
            self.waiting.push((line.offset, parent.clone()));
        }
        if let Some(id) = line.native_id.as_ref().filter(|_| !self.awaited.is_empty()) {
            self.awaited.remove(&Key::of(&[id]));
        }
        let mut rows = Vec::new();
        for learnt in &line.learnt {
            let Some(call) = self.calls.get(Key::of(&[&learnt.call_id]))? else { continue };
            self.open.remove(&call.ordinal()).inspect(|_| self.paired += 1);
            rows.push(Relation::Learnt {
                call,
                record_offset: line.offset,
                status: learnt.status,
                exit_code: learnt.exit_code,
            });
        }
        Ok(rows)
    }

    /// Takes an event.
    ///
    /// # Errors
    /// `read-failed`, `write-failed`.
    pub fn event(&mut self, event: &Event) -> Result<Option<Relation>> {
        Ok(match event.surface {
            Surface::Assistant => {
                self.last_message = Some(event.event_id);
                None
            }
            Surface::ToolCall => {
                let id = event.tool.as_ref().and_then(|tool| tool.call_id.as_ref());
                let id = id.map(|id| Key::of(&[id.as_str()]));
                if let Some(id) = id {
                    self.calls.insert(id, event.event_id)?;
                }
                let early = id.and_then(|id| self.early.remove(&id));
                let Some(result) = early.and_then(|ordinal| self.orphans.remove(&ordinal)) else {
                    self.open.insert(event.ordinal, event.event_id);
                    return Ok(None);
                };
                self.paired += 1;
                self.late += 1;
                let Orphan { result, status, exit_code, .. } = result;
                let (call, pairing) = (event.event_id, Pairing::CallId);
                Some(Relation::Result { call, result, pairing, status, exit_code })
            }
            Surface::ToolResult => {
                let Some(tool) = &event.tool else { return Ok(None) };
                let Some(call) = tool.call_event_id else {
                    return Ok(self.wait(event, tool));
                };
                self.open.remove(&call.ordinal()).inspect(|_| self.paired += 1);
                Some(Relation::Result {
                    call,
                    result: event.event_id,
                    pairing: tool.pairing,
                    status: tool.status,
                    exit_code: tool.exit_code,
                })
            }
            Surface::User | Surface::System => None,
        })
    }

    /// A result without a call before it waits for one; gives the oldest that has waited long enough.
    fn wait(&mut self, event: &Event, tool: &EventTool) -> Option<Relation> {
        let id = tool.call_id.as_ref().map(|id| Key::of(&[id.as_str()]));
        if let Some(id) = id {
            self.early.entry(id).or_insert(event.ordinal);
        }
        let (status, exit_code) = (tool.status, tool.exit_code);
        self.orphans.insert(event.ordinal, Orphan { id, result: event.event_id, status, exit_code });
        if self.orphans.len() <= WAITING_RESULTS {
            return None;
        }
        let (ordinal, oldest) = self.orphans.pop_first()?;
        if let Some(id) = oldest.id.filter(|id| self.early.get(id) == Some(&ordinal)) {
            self.early.remove(&id);
        }
        Some(Relation::OrphanResult { result: oldest.result })
    }

    /// Calls that have an outcome.
    pub const fn paired(&self) -> u64 {
        self.paired
    }

    /// Calls whose result stands before them: on its line it has none.
    pub const fn late(&self) -> u64 {
        self.late
    }

    /// Rows that only the end of the ledger shows.
    pub fn finish(self) -> Vec<Relation> {
        let orphans =
            self.orphans.into_values().map(|orphan| Relation::OrphanResult { result: orphan.result });
        let open = self.open.into_values().map(|call| Relation::OpenCall { call });
        let awaited = self.awaited;
        let dangling = self
            .waiting
            .into_iter()
            .filter(|(_, parent)| awaited.contains(&Key::of(&[parent])))
            .map(|(record_offset, parent)| Relation::DanglingParent { record_offset, parent });
        let last = self.last_message.map(|event| Relation::LastMessage { event });
        orphans.chain(open).chain(dangling).chain(last).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Relation, Relations, WAITING_RESULTS};
    use crate::evidence::event::Event;

    fn result(ordinal: u64, call_id: &str) -> Event {
        let line = serde_json::json!({
            "schema_version": "recap.event.v1", "ordinal": ordinal, "event_id": format!("e{ordinal}-000000000000"),
            "salt": "00".repeat(16), "record": {"offset": ordinal, "length": 1}, "item": 0, "native_id": null,
            "timestamp": null, "surface": "tool_result", "actor": "tool", "actor_grade": "proven", "facets": [],
            "tool": {"name": null, "call_id": call_id, "call_event_id": null, "pairing": "none", "status": "ok",
                "exit_code": null},
            "entities": [], "redactions": [], "text_bytes": 0, "text": "",
        });
        Event::parse(line.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn results_do_not_wait_without_bound() {
        let mut relations = Relations::default();
        let most = WAITING_RESULTS as u64;
        for ordinal in 0..most {
            assert_eq!(relations.event(&result(ordinal, &format!("c{ordinal}"))).unwrap(), None);
        }
        let row = relations.event(&result(most, "c")).unwrap();
        assert!(matches!(row, Some(Relation::OrphanResult { result }) if result.ordinal() == 0));
        assert_eq!((relations.early.len(), relations.finish().len()), (WAITING_RESULTS, WAITING_RESULTS));
    }
}

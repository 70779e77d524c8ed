//! What is learnt later about earlier events: results of calls, outcomes told by other records, calls that stay
//! open, parents that never appear, the last message. A derived file outside the tree, rebuilt from the
//! ledger's lines alone, one JSON object a line.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::line::{Event, Pairing};
use super::record_line::RecordLine;
use crate::base::ids::{EventId, Ordinal};
use crate::base::{Result, sorted};
use crate::evidence::runs::{Fixed, KeyMap};
use crate::evidence::transcript::item::{Status, Surface};
use crate::evidence::transcript::reading::Key;

/// Dangling parents that are listed.
const DANGLING_ROWS: usize = 10_000;

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
    /// A result without a call before it.
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

/// Follows the lines in order and gives the rows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Relations {
    calls: KeyMap<EventId>,
    open: BTreeMap<Ordinal, EventId>,
    paired: u64,
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
                if let Some(id) = event.tool.as_ref().and_then(|tool| tool.call_id.as_ref()) {
                    self.calls.insert(Key::of(&[id.as_str()]), event.event_id)?;
                }
                self.open.insert(event.ordinal, event.event_id);
                None
            }
            Surface::ToolResult => {
                let Some(tool) = &event.tool else { return Ok(None) };
                let Some(call) = tool.call_event_id else {
                    return Ok(Some(Relation::OrphanResult { result: event.event_id }));
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

    /// Calls that have an outcome.
    pub const fn paired(&self) -> u64 {
        self.paired
    }

    /// Rows that only the end of the ledger shows.
    pub fn finish(self) -> Vec<Relation> {
        let open = self.open.into_values().map(|call| Relation::OpenCall { call });
        let awaited = self.awaited;
        let dangling = self
            .waiting
            .into_iter()
            .filter(|(_, parent)| awaited.contains(&Key::of(&[parent])))
            .map(|(record_offset, parent)| Relation::DanglingParent { record_offset, parent });
        let last = self.last_message.map(|event| Relation::LastMessage { event });
        open.chain(dangling).chain(last).collect()
    }
}

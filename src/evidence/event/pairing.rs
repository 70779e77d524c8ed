//! Results name their calls: by the harness's id, or by order where the harness has none and exactly one
//! call is open.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::line::Pairing;
use crate::base::ids::EventId;
use crate::base::private::Folder;
use crate::base::{Result, sorted};
use crate::evidence::runs::{Fixed, KeyMap};
use crate::evidence::scrub::text::Scrubbed;
use crate::evidence::transcript::item::Status;
use crate::evidence::transcript::reading::Key;

/// A call that was seen.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Call {
    event: EventId,
    offset: u64,
    name: Option<u32>,
}

impl Fixed for Call {
    const BYTES: usize = 26;

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.event.ordinal().to_le_bytes());
        out.extend_from_slice(&self.event.tag());
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.name.unwrap_or(u32::MAX).to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (ordinal, rest) = bytes.split_first_chunk()?;
        let (tag, rest) = rest.split_first_chunk()?;
        let (offset, name) = rest.split_first_chunk()?;
        let name = u32::from_le_bytes(name.try_into().ok()?);
        Some(Self {
            event: EventId::new(u64::from_le_bytes(*ordinal), *tag),
            offset: u64::from_le_bytes(*offset),
            name: (name != u32::MAX).then_some(name),
        })
    }
}

/// The calls so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Calls {
    by_id: KeyMap<Call>,
    without_id: Vec<Call>,
    /// Results that could be of any of these.
    ambiguous: usize,
    #[serde(deserialize_with = "read_names")]
    names: Vec<Scrubbed>,
    #[serde(serialize_with = "sorted::map")]
    learnt: HashMap<Key, (Status, Option<u32>)>,
}

/// Names of tools that an earlier collection scrubbed.
fn read_names<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<Scrubbed>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    Ok(names.into_iter().map(|name| Scrubbed::from_ledger(name, Vec::new())).collect())
}

/// The call of a result.
#[derive(Debug)]
pub struct Found {
    /// Its event.
    pub event: Option<EventId>,
    /// How it is known.
    pub pairing: Pairing,
    /// Its tool.
    pub name: Option<Scrubbed>,
}

impl Calls {
    /// Beyond a bound, calls are remembered in files of this folder.
    ///
    /// # Errors
    /// As [`KeyMap::attach`].
    pub fn attach(&mut self, folder: &Folder) -> Result<()> {
        self.by_id.attach(folder)
    }

    /// Calls that have an id.
    pub const fn identified(&mut self) -> &mut KeyMap<Call> {
        &mut self.by_id
    }

    /// Remembers a call; of equal ids the first counts.
    ///
    /// # Errors
    /// `read-failed`, `write-failed`.
    pub fn call(
        &mut self,
        id: Option<Key>,
        event: EventId,
        offset: u64,
        name: Option<&Scrubbed>,
    ) -> Result<()> {
        let name = name.map(|name| self.intern(name));
        let call = Call { event, offset, name };
        match id {
            Some(id) => self.by_id.insert(id, call)?,
            None => self.without_id.push(call),
        }
        Ok(())
    }

    fn intern(&mut self, name: &Scrubbed) -> u32 {
        let place = self.names.iter().position(|own| own == name).unwrap_or_else(|| {
            self.names.push(name.clone());
            self.names.len() - 1
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// Finds the call of a result.
    ///
    /// # Errors
    /// `read-failed`.
    pub fn result(&mut self, id: Option<Key>) -> Result<Found> {
        let (call, pairing) = match id {
            Some(id) => (self.by_id.get(id)?, Pairing::CallId),
            None if self.without_id.len() == 1 && self.ambiguous == 0 => {
                (self.without_id.pop(), Pairing::OrderInferred)
            }
            None => {
                // Nobody can say which of several calls was answered; once all of them must have been, none is open.
                self.ambiguous += usize::from(!self.without_id.is_empty());
                if self.ambiguous >= self.without_id.len() {
                    self.ambiguous = 0;
                    self.without_id.clear();
                }
                (None, Pairing::None)
            }
        };
        let Some(call) = call else {
            return Ok(Found { event: None, pairing: Pairing::None, name: None });
        };
        let name = call.name.and_then(|place| self.names.get(usize::try_from(place).ok()?)).cloned();
        Ok(Found { event: Some(call.event), pairing, name })
    }

    /// Offset of the record of a call.
    ///
    /// # Errors
    /// `read-failed`.
    pub fn offset(&self, id: Key) -> Result<Option<u64>> {
        Ok(self.by_id.get(id)?.map(|call| call.offset))
    }

    /// Remembers an outcome that a mirror told before the result came.
    pub fn learn(&mut self, id: Key, status: Status, exit_code: Option<u32>) {
        self.learnt.insert(id, (status, exit_code));
    }

    /// The outcome told before.
    pub fn learnt(&mut self, id: Key) -> Option<(Status, Option<u32>)> {
        self.learnt.remove(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::{Calls, EventId, Pairing};

    #[test]
    fn calls_without_an_id_pair_only_while_one_is_open() {
        let mut calls = Calls::default();
        let call =
            |calls: &mut Calls, ordinal| calls.call(None, EventId::new(ordinal, [0; 6]), 0, None).unwrap();
        call(&mut calls, 0);
        assert_eq!(calls.result(None).unwrap().pairing, Pairing::OrderInferred);
        call(&mut calls, 2);
        call(&mut calls, 3);
        assert_eq!(calls.result(None).unwrap().pairing, Pairing::None);
        assert_eq!(calls.result(None).unwrap().pairing, Pairing::None);
        // Both of the two must have been answered by now.
        call(&mut calls, 6);
        let found = calls.result(None).unwrap();
        assert_eq!((found.pairing, found.event.map(EventId::ordinal)), (Pairing::OrderInferred, Some(6)));
    }
}

//! One record, read and searched for secrets, with the fingerprints that order-dependent steps need. Made in
//! worker threads from the record alone.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::evidence::event::line::RecordSpan;
use crate::evidence::scrub::Spotted;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Fact, FactKind, Key, Reading};

/// Fingerprints of raw ids under the ledger's secret, taken before scrubbing so that equal ids stay equal.
#[derive(Debug, Default)]
pub struct Fingerprints {
    /// Of the record's own id.
    pub native_id: Option<Key>,
    /// Of its parent's id.
    pub parent: Option<Key>,
    /// Of each item's call id.
    pub calls: Vec<Option<Key>>,
    /// Of each learnt outcome's call id.
    pub learnt: Vec<Key>,
    /// The record names a session other than the boundary's own.
    pub foreign: bool,
}

/// Where the settled part of a transcript ends: right behind its last line feed. Nothing before it is read otherwise
/// when more bytes follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Bytes before it.
    pub offset: u64,
    /// Those of them that are framing.
    pub framing_bytes: u64,
    /// They begin with a byte order mark.
    pub byte_order_mark: bool,
}

/// What a worker makes of one piece of a line.
pub enum Prepared {
    /// What comes now, if anything, is the line without a terminator. Stands exactly once in every pass.
    Edge(Edge),
    /// A record.
    Record {
        /// Its bytes.
        span: RecordSpan,
        /// `repaired`, `recovered`, `fused`, `duplicate_keys`.
        flags: Vec<&'static str>,
        /// What its reader says.
        reading: Box<Reading<Spotted>>,
        /// Fingerprints of its ids.
        keys: Fingerprints,
    },
    /// Damaged bytes.
    Malformed {
        /// Their place.
        span: RecordSpan,
        /// A line over the bound.
        too_long: bool,
    },
    /// The end of the transcript behind the last whole record.
    Partial(RecordSpan),
}

/// Facts that a batch of records told so far.
#[derive(Debug, Default)]
pub struct SeenFacts {
    /// The last one of each kind: nearly always the next one, too, and compared faster than looked up.
    last: BTreeMap<FactKind, Raw>,
    all: HashSet<(FactKind, Key)>,
}

impl SeenFacts {
    fn is_new(&mut self, fact: &Fact<Raw>) -> bool {
        let value = fact.value.expose();
        if self.last.get(&fact.kind).is_some_and(|last| last.expose() == value) {
            return false;
        }
        self.last.insert(fact.kind, Raw::from(value));
        self.all.insert((fact.kind, Key::of(&[value])))
    }
}

impl Prepared {
    /// Searches a reading for secrets and takes the fingerprints; all of them, those of the reader too, come under
    /// the ledger's secret.
    pub fn record(
        span: RecordSpan,
        flags: Vec<&'static str>,
        mut reading: Reading<Raw>,
        (own_session, secret): (&str, &[u8; 32]),
        facts: &mut SeenFacts,
        spot: &mut impl FnMut(Raw) -> Spotted,
    ) -> Self {
        let key = |raw: &Raw| Key::of(&[raw.expose()]).under(secret);
        let keys = Fingerprints {
            native_id: reading.native_id.as_ref().map(key),
            parent: reading.parent.as_ref().map(key),
            calls: reading
                .items
                .iter()
                .map(|item| item.tool.as_ref().and_then(|tool| tool.call_id.as_ref()).map(key))
                .collect(),
            learnt: reading.learnt.iter().map(|learnt| key(&learnt.call_id)).collect(),
            foreign: reading
                .facts
                .iter()
                .any(|fact| fact.kind == FactKind::SessionId && fact.value.expose() != own_session),
        };
        if keys.foreign && reading.of_named_session {
            reading.tell_of_another_session();
        }
        for claim in &mut reading.mirrors {
            *claim = claim.under(secret);
        }
        for mark in &mut reading.marks {
            *mark = mark.under(secret);
        }
        // A fact that this batch had before tells nothing new, and most records repeat all of theirs. Another
        // session is named by each record for itself.
        reading.facts.retain(|fact| match fact.kind {
            FactKind::SessionId => fact.value.expose() != own_session,
            _ => facts.is_new(fact),
        });
        Self::Record { span, flags, reading: Box::new(reading.map(spot)), keys }
    }
}

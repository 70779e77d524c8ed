//! What a reader says about one record, from that record alone. Readers keep no state: order, mirrors,
//! pairing and inherited history are decided behind them, from what they say here.

use serde::{Deserialize, Serialize};

use super::item::{Actor, Item, Status, Surface};
use super::json::Json;
use crate::base::ids::{BoundaryId, Harness};

/// A 128-bit fingerprint: equal ids or equal contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key([u8; 16]);

impl Key {
    /// The fingerprint of parts, each with its length, so that no two lists run together.
    pub fn of(parts: &[&str]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self::first_of(&hasher.finalize())
    }

    fn first_of(hash: &blake3::Hash) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = *hash.as_bytes();
        Self([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
    }

    /// A fingerprint that was written down.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes; they sort as fingerprints do.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The first eight bytes as a number; it sorts as fingerprints do.
    pub fn head(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// Four independent numbers.
    pub fn parts(self) -> [u32; 4] {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = self.0;
        [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]].map(u32::from_be_bytes)
    }

    /// The same id in a name space of its own.
    #[must_use]
    pub fn within(self, class: &str) -> Self {
        Self::first_of(&blake3::Hasher::new().update(&self.0).update(class.as_bytes()).finalize())
    }

    /// The same fingerprint under a secret, which alone may be kept: of the plain one anybody could test guesses.
    #[must_use]
    pub fn under(self, secret: &[u8; 32]) -> Self {
        Self::first_of(&blake3::keyed_hash(secret, &self.0))
    }
}

/// The name of a record's kind.
#[derive(Debug)]
pub enum NativeType<T> {
    /// Known to this version; in our own spelling (`assistant`, `system/compact_boundary`,
    /// `response_item/message`, `event_msg/item_completed/CommandExecution`).
    Known(&'static str),
    /// Well-formed but unknown: as the transcript names it. Counted by name, kept as structural.
    Unknown(T),
}

/// What a record without items is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It has items.
    Content,
    /// Bookkeeping without observable content.
    Structural,
    /// Nothing but hidden reasoning.
    Withheld,
}

/// A part that is counted and never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// `thinking`, `redacted_thinking`, `reasoning`, `encrypted`.
    pub kind: &'static str,
    /// Bytes of the part's text or blob as decoded from JSON.
    pub bytes: u64,
}

/// How a record may be the second copy of a fact that an earlier record carries. Claims are tried in order;
/// the first that is proven makes the record a mirror. A first carrier is remembered under its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorClaim {
    /// Grade `id`: same class and id, and equal observable content.
    Id {
        /// Name space of the id, for example `uuid` or `item`.
        class: &'static str,
        /// Fingerprint of the native id.
        id: Key,
        /// Fingerprint of the observable content (surface and text of every item).
        content: Key,
    },
    /// Grade `id`: this record repeats the call (and perhaps its outcome) of an earlier tool call with this call id.
    /// What it adds is in `learnt`. Without such a call its items are events.
    OfCall {
        /// Fingerprint of the call id, made as `Key::of(&[call_id])`.
        call: Key,
    },
    /// Grade `order`: the format has no id. Pairs one to one with the oldest unpaired record of the other lane that
    /// has equal content, within the same turn or queue.
    Order {
        /// Name of the pairing, for example `prompt`, `answer`, `queue`.
        class: &'static str,
        /// `false` and `true` for the two kinds of carriers.
        second_lane: bool,
        /// Fingerprint of the observable content.
        content: Key,
    },
}

impl MirrorClaim {
    /// The claim with its fingerprints under a secret; an id comes into the name space of its class.
    #[must_use]
    pub fn under(self, secret: &[u8; 32]) -> Self {
        match self {
            Self::Id { class, id, content } => {
                Self::Id { class, id: id.within(class).under(secret), content: content.under(secret) }
            }
            Self::OfCall { call } => Self::OfCall { call: call.under(secret) },
            Self::Order { class, second_lane, content } => {
                Self::Order { class, second_lane, content: content.under(secret) }
            }
        }
    }
}

/// What a record changes in the pairing windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowMark {
    /// A turn begins or ends: unpaired records of this class pair no longer.
    Clear(&'static str),
    /// One unpaired record of this class and content was taken back.
    Withdraw(&'static str, Key),
}

impl WindowMark {
    /// The mark with its fingerprint under a secret.
    #[must_use]
    pub fn under(self, secret: &[u8; 32]) -> Self {
        match self {
            Self::Clear(class) => Self::Clear(class),
            Self::Withdraw(class, content) => Self::Withdraw(class, content.under(secret)),
        }
    }
}

/// Something about the session as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactKind {
    /// A work directory.
    Cwd,
    /// A git branch named by the harness.
    GitBranch,
    /// Version of the harness program.
    HarnessVersion,
    /// Name of a model.
    Model,
    /// A session or thread id on the record; ids other than the boundary's own are counted as foreign.
    SessionId,
}

/// One such fact.
#[derive(Debug)]
pub struct Fact<T> {
    /// What it is.
    pub kind: FactKind,
    /// As written.
    pub value: T,
}

/// An outcome that a mirror or structural record tells about a call.
#[derive(Debug)]
pub struct Learnt<T> {
    /// The call.
    pub call_id: T,
    /// Its status.
    pub status: Status,
    /// Its exit status, if it ended with one.
    pub exit_code: Option<u32>,
}

/// All that one record says.
#[derive(Debug)]
pub struct Reading<T> {
    /// Kind of the record.
    pub native_type: NativeType<T>,
    /// Timestamp as written (RFC 3339 in both harnesses; other spellings are kept, too).
    pub timestamp: Option<T>,
    /// The record's own id, for the records ledger (Claude: `uuid`).
    pub native_id: Option<T>,
    /// The id of the record that it names as its parent.
    pub parent: Option<T>,
    /// Content, bookkeeping or hidden reasoning.
    pub role: Role,
    /// In the order of the record; numbered from 0 as `item`.
    pub items: Vec<Item<T>>,
    /// Hidden parts.
    pub withheld: Vec<Withheld>,
    /// Tried in order.
    pub mirrors: Vec<MirrorClaim>,
    /// Applied before the claims.
    pub marks: Vec<WindowMark>,
    /// Facts about the session.
    pub facts: Vec<Fact<T>>,
    /// Outcomes of earlier calls.
    pub learnt: Vec<Learnt<T>>,
    /// What it tells happened in the session that it names: where that is another one, nobody of this session spoke.
    pub of_named_session: bool,
}

impl<T> Reading<T> {
    /// The record was written for another session: its words are another agent's, it opens and closes nothing here, and
    /// it pairs with nothing by order.
    pub fn tell_of_another_session(&mut self) {
        self.marks.clear();
        self.mirrors.retain(|claim| !matches!(claim, MirrorClaim::Order { .. }));
        for item in &mut self.items {
            if matches!(item.surface, Surface::User | Surface::Assistant) {
                item.surface = Surface::System;
                item.actor = Actor::Agent;
                item.facets.push("injected:other_session");
            }
        }
    }

    /// Bookkeeping of a known kind.
    pub const fn structural(native_type: &'static str) -> Self {
        Self::new(NativeType::Known(native_type), Role::Structural)
    }

    /// A reading with nothing in it yet.
    pub const fn new(native_type: NativeType<T>, role: Role) -> Self {
        Self {
            native_type,
            timestamp: None,
            native_id: None,
            parent: None,
            role,
            items: Vec::new(),
            withheld: Vec::new(),
            mirrors: Vec::new(),
            marks: Vec::new(),
            facts: Vec::new(),
            learnt: Vec::new(),
            of_named_session: false,
        }
    }

    /// Changes the text type: raw to spotted, spotted to scrubbed.
    pub fn map<U>(self, change: &mut impl FnMut(T) -> U) -> Reading<U> {
        Reading {
            native_type: match self.native_type {
                NativeType::Known(name) => NativeType::Known(name),
                NativeType::Unknown(name) => NativeType::Unknown(change(name)),
            },
            timestamp: self.timestamp.map(&mut *change),
            native_id: self.native_id.map(&mut *change),
            parent: self.parent.map(&mut *change),
            role: self.role,
            items: self.items.into_iter().map(|item| item.map(&mut *change)).collect(),
            withheld: self.withheld,
            mirrors: self.mirrors,
            marks: self.marks,
            facts: self
                .facts
                .into_iter()
                .map(|fact| Fact { kind: fact.kind, value: change(fact.value) })
                .collect(),
            learnt: self
                .learnt
                .into_iter()
                .map(|learnt| Learnt {
                    call_id: change(learnt.call_id),
                    status: learnt.status,
                    exit_code: learnt.exit_code,
                })
                .collect(),
            of_named_session: self.of_named_session,
        }
    }
}

/// The form of a file that is one JSON document.
pub const DOCUMENT_FORM: &str = "codex-document";
/// The form of a file that says to keep its history in a way that no reader knows.
pub const UNKNOWN_MODE_FORM: &str = "codex-unknown-mode";

/// Who the session is, found in the head of the file and in its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Which program wrote it.
    pub harness: Harness,
    /// Native session or thread id.
    pub session: String,
    /// Native agent id of a child (Claude).
    pub agent: Option<String>,
    /// Rollout id where a thread has several files (Codex).
    pub rollout: Option<String>,
    /// The form of the file in our own words (`claude-jsonl`, `codex-document`, `codex-bare`, `codex-legacy`,
    /// `codex-paginated`, `codex-unknown-mode`).
    pub form: &'static str,
    /// First ordinal of the session's own lines, where the format says so (Codex children).
    pub own_from: Option<u64>,
    /// True when the head names a session that this one was forked or resumed from.
    pub forked: bool,
    /// True when another agent or the harness began it: its prompts are no person's words.
    pub child: bool,
}

impl Identity {
    /// The boundary id that follows.
    pub fn boundary(&self) -> BoundaryId {
        BoundaryId::derive(self.harness, &self.session, self.agent.as_deref(), self.rollout.as_deref())
    }

    /// True when the file is one document and its records are no lines.
    pub fn is_document(&self) -> bool {
        self.form == DOCUMENT_FORM
    }
}

/// What a record of the head says about inherited history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Says nothing.
    Neutral,
    /// Marked as a copy of another session's history. With `true` everything before it is inherited, too.
    Inherited(bool),
    /// Proves that own work has begun (an assistant record without a mark): the prefix ends after the last
    /// marked record before it.
    Own,
    /// Own work begins exactly here: everything between the first marked record and this one is inherited.
    BeginsOwn,
}

/// The seam for a new harness: one implementation, one table of record kinds.
pub trait Reader: Sync {
    /// Members that no reader looks at, skipped while parsing; paths from the root, or names at any depth
    /// (see [`Json::parse`]).
    fn dropped(&self) -> &'static [&'static str];

    /// Reads one record.
    fn read(&self, record: &Json<'_>) -> Reading<super::raw::Raw>;

    /// What the record says about inherited history; asked only for the head of the file.
    fn head(&self, identity: &Identity, record: &Json<'_>) -> Head;
}

//! What one transcript says of others: native ids and the place where they stand. Nothing is concluded here.

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use crate::base::credential::has_secret;
use crate::base::ids::BoundaryId;
use crate::base::limits::SET_MEMBERS;
use crate::evidence::event::line::RecordSpan;
use crate::evidence::transcript::reading::Identity;

/// Longest native id that may name a relation, in bytes: real ones are below 60.
const NATIVE_ID_BYTES: usize = 200;

/// What proves a relation: a field that the harness wrote, in our own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Claude: `toolUseResult.agentId` on the row of a result.
    ResultAgentId,
    /// Claude: `data.agentId` of an `agent_progress` row.
    ProgressAgentId,
    /// Claude: `<task-id>` of a notification about an agent.
    NotificationAgentId,
    /// Claude: the call that the file beside the child names as `toolUseId`.
    MetaToolUse,
    /// Claude: `agent-<id>.meta.json` beside the child's transcript.
    MetaFile,
    /// Claude: `sessionId` on the child's own rows.
    RowSessionId,
    /// Claude: the first row of a forked child.
    ForkContextRef,
    /// Claude: `forkedFrom` on copied rows.
    ForkedFrom,
    /// Claude: `requestSessionId` on copied answers.
    RequestSessionId,
    /// Claude: the `sessionId` that copied rows kept.
    CopiedRowSessionId,
    /// Claude: `continued-in`.
    ContinuedIn,
    /// Claude: the first row's parent is a row of the other transcript.
    ParentUuid,
    /// Claude: a marked copy begins with the same row as the other transcript.
    RootUuid,
    /// Codex: `agent_id` in the output of a `spawn_agent` call.
    SpawnOutput,
    /// Codex: receivers of a spawning `CollabAgentToolCall`, or `collab_agent_spawn_end`.
    CollabCall,
    /// Codex: `SubAgentActivity`, `sub_agent_activity`.
    AgentActivity,
    /// Codex: an item of the child's thread in the parent's file.
    ForeignItem,
    /// Codex: `<subagent_notification>`.
    AgentNotification,
    /// Codex: `parent_thread_id` in the child's own identity line.
    ParentThreadId,
    /// Codex: `forked_from_id` in the fork's own identity line.
    ForkedFromId,
    /// Codex: `history_base` in the file's own identity line.
    HistoryBase,
}

/// A session as another transcript names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Native {
    /// A whole session or thread, whichever of its files.
    Session(String),
    /// A child agent of a session (Claude).
    Agent {
        /// The session to which it belongs.
        session: String,
        /// The agent.
        agent: String,
    },
    /// One file of a thread (Codex).
    Rollout(String),
    /// The session whose transcript holds this row (Claude).
    HolderOf(String),
}

impl Native {
    /// The ids of which it is made.
    fn ids(&self) -> [&str; 2] {
        match self {
            Self::Session(id) | Self::Rollout(id) | Self::HolderOf(id) => [id, id],
            Self::Agent { session, agent } => [session, agent],
        }
    }

    /// An id that is no path, no secret and no text: only such a one may lead to a file.
    pub fn is_safe(&self) -> bool {
        let plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@' | b':');
        self.ids().into_iter().all(|id| {
            let short = !id.is_empty() && id.len() <= NATIVE_ID_BYTES;
            short && id.bytes().all(plain) && !id.starts_with('.') && !has_secret(id)
        })
    }
}

/// One thing that a transcript says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// What.
    pub relation: Relation,
    /// In which field.
    pub by: By,
    /// In which record; none for a file beside the transcript.
    pub record: Option<RecordSpan>,
}

/// How the named session is related to the one that names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Relation {
    /// This session began that child.
    Began(Native),
    /// That agent worked for the tree of this session; who began it is not said.
    Knows(Native),
    /// That session, or an agent of it, began this one.
    BegunBy(Native),
    /// This child belongs to the tree of that session; it began it unless something else is said.
    Within(Native),
    /// This session repeats or refers to the history of that one.
    Continues(Native),
    /// That session goes on from this one.
    ContinuedIn(Native),
}

impl Relation {
    /// The session that is named.
    pub const fn native(&self) -> &Native {
        match self {
            Self::Began(native)
            | Self::Knows(native)
            | Self::BegunBy(native)
            | Self::Within(native)
            | Self::Continues(native)
            | Self::ContinuedIn(native) => native,
        }
    }
}

/// Everything that one transcript says of others.
#[derive(Debug, Clone)]
pub struct Heard {
    /// Whose transcript it is.
    pub identity: Identity,
    /// What it says, in the order of the file, each thing once with the first record that says it.
    pub said: Vec<Said>,
    /// The `uuid` of its first row that has one (Claude).
    pub root: Option<String>,
    /// Where that row stands.
    pub root_record: Option<RecordSpan>,
    /// The row that its first row names as its parent and that it does not hold itself (Claude).
    pub follows: Option<String>,
    /// Of the rows that were asked for, those that are its own (Claude).
    pub holds: BTreeSet<String>,
    /// It marks itself as a copy without saying of what (Claude, background copies).
    pub copy: bool,
    /// Reports of children that have no id, so that none can be expected (old versions).
    pub nameless: u64,
    /// It names more relatives than are kept.
    pub too_many: bool,
    /// All of it was read, not only head and tail.
    pub whole: bool,
    /// The size up to which it was read, in bytes.
    pub bytes: u64,
    pub(super) answered: bool,
    pub(super) spawn_calls: HashSet<String>,
    pub(super) ancestors: HashSet<String>,
    seen: HashSet<(By, Relation)>,
}

impl Heard {
    /// Nothing heard yet.
    pub fn of(identity: Identity) -> Self {
        Self {
            identity,
            said: Vec::new(),
            root: None,
            root_record: None,
            follows: None,
            holds: BTreeSet::new(),
            copy: false,
            nameless: 0,
            too_many: false,
            whole: false,
            bytes: 0,
            answered: false,
            spawn_calls: HashSet::new(),
            ancestors: HashSet::new(),
            seen: HashSet::new(),
        }
    }

    /// The boundary.
    pub fn boundary(&self) -> BoundaryId {
        self.identity.boundary()
    }

    /// Adds what is new: a relation by the same field counts once.
    pub fn add(&mut self, relation: Relation, by: By, record: Option<RecordSpan>) {
        if self.said.len() >= SET_MEMBERS {
            self.too_many = true;
        } else if self.seen.insert((by, relation.clone())) {
            self.said.push(Said { relation, by, record });
        }
    }

    /// True when it says so.
    pub fn says(&self, relation: &Relation) -> bool {
        self.said.iter().any(|said| said.relation == *relation)
    }
}

#[cfg(test)]
mod tests {
    use super::Native;

    #[test]
    fn an_id_that_could_lead_elsewhere_is_not_safe() {
        let safe = |id: &str| Native::Session(id.to_owned()).is_safe();
        assert!(
            safe("0199aa00-1111-7222-8333-444455556666") && safe("acompact-fffbd0") && safe("reviewer@team")
        );
        for id in ["", ".", "../x", "a/b", "a b", "a\u{202e}b", "a\nb", &"a".repeat(201)] {
            assert!(!safe(id), "{id:?}");
        }
        let token = ["ghp", "_", &"a1B2c3D4e5".repeat(4).chars().take(36).collect::<String>()].concat();
        assert!(!safe(&token));
    }
}

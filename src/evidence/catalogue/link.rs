//! What a file proves about its relation to other sessions, and by what.

use crate::base::ids::{BoundaryId, Harness};

/// One relation, as one file states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// How this file's session stands to the other.
    pub relation: Relation,
    /// The other one.
    pub to: Target,
    /// What in the file proves it.
    pub proof: Proof,
}

/// How a session stands to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The other one began it.
    ChildOf,
    /// It took over the other one's history.
    ForkOf,
    /// The other one goes on where it stops.
    ContinuedIn,
    /// The other one is the root of the tree of agents that it belongs to.
    InTreeOf,
    /// Its records name the other one, and nothing says why.
    Names,
}

impl Relation {
    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChildOf => "child-of",
            Self::ForkOf => "fork-of",
            Self::ContinuedIn => "continued-in",
            Self::InTreeOf => "in-tree-of",
            Self::Names => "names",
        }
    }
}

/// Who is meant. Native ids come from a transcript: they are compared, and scrubbed before they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A session, or a child of one, by its native ids.
    Session {
        /// Whose format.
        harness: Harness,
        /// Native session or thread id.
        session: String,
        /// Agent id of a child (Claude).
        agent: Option<String>,
    },
    /// The file with this rollout id (Codex): one of perhaps several of its thread.
    Rollout {
        /// The rollout id.
        rollout: String,
        /// How much of that file belongs to the history, in bytes, if said.
        end_bytes: Option<u64>,
    },
    /// The file proves that there is another session, not which.
    Unnamed,
}

impl Target {
    /// A session of Claude Code.
    pub fn claude(session: &str, agent: Option<&str>) -> Self {
        let (session, agent) = (session.to_owned(), agent.map(str::to_owned));
        Self::Session { harness: Harness::Claude, session, agent }
    }

    /// A thread of Codex.
    pub fn codex(thread: &str) -> Self {
        Self::Session { harness: Harness::Codex, session: thread.to_owned(), agent: None }
    }

    /// The boundary id that follows from the name alone. A thread of Codex can have several files, and a rollout
    /// does not say whose it is: these are `None`, only a catalogue can tell.
    pub fn boundary(&self) -> Option<BoundaryId> {
        match self {
            Self::Session { harness: Harness::Claude, session, agent } => {
                Some(BoundaryId::derive(Harness::Claude, session, agent.as_deref(), None))
            }
            Self::Session { harness: Harness::Codex, .. } | Self::Rollout { .. } | Self::Unnamed => None,
        }
    }
}

/// What proves a link. Each is a member or a name that the harness itself wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// Claude: rows of a child carry its agent id and the session's id.
    RowsOfChild,
    /// Claude: `parentAgentId` in the child's sidecar.
    SidecarParentAgent,
    /// Claude: `fork-context-ref.parentSessionId`.
    ForkContextRef,
    /// Claude: `forkedFrom.sessionId` on copied rows.
    ForkedFrom,
    /// Claude: `requestSessionId` on copied answers.
    RequestSessionId,
    /// Claude: rows with another `sessionId` than the file's own.
    RowSessionId,
    /// Claude: `history-suppression` with the cause `fork_inherit`.
    HistorySuppression,
    /// Claude: `continued-in.continuedInSessionId`, in the older file.
    ContinuedInRow,
    /// Codex: `session_meta.parent_thread_id`.
    ParentThreadId,
    /// Codex: `session_meta.source.subagent.thread_spawn.parent_thread_id`.
    ThreadSpawn,
    /// Codex: `session_meta.forked_from_id`.
    ForkedFromId,
    /// Codex: `session_meta.history_base.thread_id`.
    HistoryBase,
    /// Codex: `session_meta.session_id`, the root of the tree.
    RootSessionId,
}

impl Proof {
    /// The name in documents: the member that proves it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowsOfChild => "agentId",
            Self::SidecarParentAgent => "meta.parentAgentId",
            Self::ForkContextRef => "fork-context-ref",
            Self::ForkedFrom => "forkedFrom",
            Self::RequestSessionId => "requestSessionId",
            Self::RowSessionId => "sessionId",
            Self::HistorySuppression => "history-suppression",
            Self::ContinuedInRow => "continued-in",
            Self::ParentThreadId => "parent_thread_id",
            Self::ThreadSpawn => "thread_spawn",
            Self::ForkedFromId => "forked_from_id",
            Self::HistoryBase => "history_base",
            Self::RootSessionId => "session_id",
        }
    }
}

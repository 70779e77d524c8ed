//! One observable thing in a record, before it has an ordinal. `T` is the text type: raw when a reader made
//! it, scrubbed when it may enter the ledger.

use serde::{Deserialize, Serialize};

/// Where an event belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// Words of a person.
    User,
    /// Words of the model that the person could see.
    Assistant,
    /// A tool was called.
    ToolCall,
    /// A tool answered.
    ToolResult,
    /// The harness, a hook or another agent put something in, or something happened to the session.
    System,
}

impl Surface {
    /// All surfaces in order.
    pub const ALL: [Self; 5] = [Self::User, Self::Assistant, Self::ToolCall, Self::ToolResult, Self::System];

    /// The name used in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::System => "system",
        }
    }
}

/// Who spoke or acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person.
    Person,
    /// The model of this session.
    Model,
    /// A tool.
    Tool,
    /// The harness program.
    Harness,
    /// A hook of the person's configuration.
    Hook,
    /// Another agent (a child's parent, a peer).
    Agent,
}

/// How the actor is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorGrade {
    /// The format marks it.
    Proven,
    /// The format of that version has no mark, and nothing shows that it was injected.
    Assumed,
}

/// What became of a call, from native evidence only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The harness marks success (for a command: exit status 0).
    Ok,
    /// The harness marks an error, or the exit status is not 0.
    Error,
    /// Stopped before it ended: by a person, a signal or a timeout.
    Interrupted,
    /// Never ran: a person, a permission rule, a sandbox or a hook said no.
    Rejected,
    /// No native evidence, or the call still runs (launched in the background, polled).
    Unknown,
}

/// What an item adds to a tool event.
#[derive(Debug)]
pub struct Tool<T> {
    /// Name of the tool as written; results carry it where the format has it on the result.
    pub name: Option<T>,
    /// The harness's id that joins call and result.
    pub call_id: Option<T>,
    /// Result only.
    pub status: Option<Status>,
    /// Result only; exit statuses below zero are not exit statuses (a killed process) and stay `None`.
    pub exit_code: Option<u32>,
}

/// A name in structured fields of an item: for search and for the reader, never parsed out of prose.
#[derive(Debug)]
pub struct Entity<T> {
    /// `path`, `url`, `agent`, `session`, `task`, `message`, `supersedes`, `withdrawn`, `side_file`, `branch`,
    /// `commit`, `media`, `turns`, `model`, `process`, `cell`.
    pub kind: &'static str,
    /// As written.
    pub value: T,
}

/// One observable thing.
#[derive(Debug)]
pub struct Item<T> {
    /// Where it belongs.
    pub surface: Surface,
    /// Who.
    pub actor: Actor,
    /// How that is known.
    pub actor_grade: ActorGrade,
    /// Our own words only: `injected:<kind>` on everything injected, and the notices in [`facet`].
    pub facets: Vec<&'static str>,
    /// The harness's id of the message, row or item.
    pub native_id: Option<T>,
    /// For calls and results.
    pub tool: Option<Tool<T>>,
    /// At most 32.
    pub entities: Vec<Entity<T>>,
    /// The whole text, as `references/ledger-format.md` says for each record kind.
    pub text: T,
}

impl<T> Item<T> {
    /// Changes the text type: raw to spotted, spotted to scrubbed.
    pub fn map<U>(self, change: &mut impl FnMut(T) -> U) -> Item<U> {
        Item {
            surface: self.surface,
            actor: self.actor,
            actor_grade: self.actor_grade,
            facets: self.facets,
            native_id: self.native_id.map(&mut *change),
            tool: self.tool.map(|tool| Tool {
                name: tool.name.map(&mut *change),
                call_id: tool.call_id.map(&mut *change),
                status: tool.status,
                exit_code: tool.exit_code,
            }),
            entities: self
                .entities
                .into_iter()
                .map(|entity| Entity { kind: entity.kind, value: change(entity.value) })
                .collect(),
            text: change(self.text),
        }
    }
}

/// The facets that later stages look at. A reader may use other `&'static str` words, too.
pub mod facet {
    /// A compaction boundary or its summary.
    pub const COMPACTION: &str = "compaction";
    /// The service answered with an error.
    pub const API_ERROR: &str = "api_error";
    /// A usage, rate or budget limit.
    pub const LIMIT: &str = "limit";
    /// A person or a signal interrupted.
    pub const INTERRUPT: &str = "interrupt";
    /// A hook blocked something.
    pub const HOOK_BLOCK: &str = "hook_block";
    /// Earlier turns were rolled back or withdrawn.
    pub const ROLLBACK: &str = "rollback";
    /// A turn was aborted or failed.
    pub const ABORTED_TURN: &str = "aborted_turn";
    /// A message waited in the queue.
    pub const QUEUED: &str = "queued";
    /// A prompt that was blocked.
    pub const BLOCKED_PROMPT: &str = "blocked_prompt";
    /// A queued message was taken back.
    pub const WITHDRAWN: &str = "withdrawn";
    /// The result only says that something was launched in the background or still runs.
    pub const BACKGROUND: &str = "background";
    /// The process was killed; it has no exit status.
    pub const KILLED: &str = "killed";
    /// The call ran into its time limit.
    pub const TIMED_OUT: &str = "timed_out";
    /// A sandbox or permission refused it.
    pub const REFUSED: &str = "refused";
    /// It stood behind damage on its line: whoever it says speaks is not proven.
    pub const RECOVERED: &str = "recovered";
    /// The call never ran because its input was not valid.
    pub const NOT_RUN: &str = "not_run";
    /// The whole output lies in a side file or was cut by the harness.
    pub const CUT_OUTPUT: &str = "cut_output";
    /// A task given to this session by another agent: in a child it stands for the goal.
    pub const TASK: &str = "task";
    /// What a child or peer reported.
    pub const AGENT_REPORT: &str = "agent_report";
    /// The harness itself marks the exit status as harmless (a search without a match).
    pub const HARMLESS_EXIT: &str = "harmless_exit";
    /// A sandbox denied a command something, and it ran all the same.
    pub const SANDBOXED: &str = "sandboxed";
}

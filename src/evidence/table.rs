//! One small row an event: all that accounting and synthesis ask of the ledger, built in one verified pass.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, EventId, Ordinal};
use crate::base::policy::Search;
use crate::evidence::command::observation::Observation;
use crate::evidence::event::Event;
use crate::evidence::slice::{Run, Slicer};
use crate::evidence::transcript::item::{Actor, Status, Surface, facet};

/// The state of a ledger that a seal binds: sizes and RFC 9162 roots of both trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerState {
    /// Number of events.
    pub size: u64,
    /// Root over the event lines.
    pub root: Digest,
    /// Number of lines of the records ledger.
    pub records: u64,
    /// Root over the records lines.
    pub records_root: Digest,
}

/// A class that drafts can select by, and that decides what is never noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A person's message.
    UserMessage,
    /// A call that is a structured edit or patch.
    Mutation,
    /// A call that writes files by shell, outside temporary folders.
    ShellWrite,
    /// A call that is a mutating git command.
    GitMutation,
    /// A call with an effect outside this machine.
    ExternalEffect,
    /// A call that runs tests or checks.
    VerificationRun,
    /// A result with status error, interrupted or rejected.
    ErrorResult,
    /// A result with exit status 1 of a search or comparison: not an error, may be set aside.
    NoMatch,
    /// API errors, limits, interrupts, compactions.
    Notice,
    /// The last assistant message.
    LastMessage,
}

impl Class {
    /// All classes in order of precedence for skeletons.
    pub const ALL: [Self; 10] = [
        Self::UserMessage,
        Self::Mutation,
        Self::ShellWrite,
        Self::GitMutation,
        Self::ExternalEffect,
        Self::VerificationRun,
        Self::ErrorResult,
        Self::NoMatch,
        Self::Notice,
        Self::LastMessage,
    ];

    /// The name used in drafts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UserMessage => "user_message",
            Self::Mutation => "mutation",
            Self::ShellWrite => "shell_write",
            Self::GitMutation => "git_mutation",
            Self::ExternalEffect => "external_effect",
            Self::VerificationRun => "verification_run",
            Self::ErrorResult => "error_result",
            Self::NoMatch => "no_match",
            Self::Notice => "notice",
            Self::LastMessage => "last_message",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The classes of one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Classes(u16);

impl Classes {
    /// True when the event has the class.
    pub const fn has(self, class: Class) -> bool {
        self.0 & class.bit() != 0
    }

    /// True when the event must be owned by a claim.
    pub const fn never_noise(self) -> bool {
        self.0 & !Class::NoMatch.bit() != 0
    }

    /// The classes in order.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        Class::ALL.into_iter().filter(move |class| self.has(*class))
    }

    const fn add(&mut self, class: Class) {
        self.0 |= class.bit();
    }
}

/// One event.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its id.
    pub event: EventId,
    /// Where it belongs.
    pub surface: Surface,
    /// Who.
    pub actor: Actor,
    /// Its classes.
    pub classes: Classes,
    /// Status of a result.
    pub status: Option<Status>,
    /// Milliseconds since 1970 UTC; the last one seen where the event has none.
    pub time_ms: Option<i64>,
    /// Number of its episode, from 0.
    pub episode: u32,
    /// It belongs to a repeat group.
    pub repeated: bool,
    /// Nothing but redaction marks is left of its text.
    pub only_redactions: bool,
    /// A child's task: stands for the goal where no person speaks.
    pub task: bool,
    /// What another agent reported to this session.
    pub report: bool,
    /// An interrupt, API error or limit: evidence of a failure.
    pub trouble: bool,
}

/// The whole ledger in rows, with its observations.
#[derive(Debug)]
pub struct Table {
    boundary: BoundaryId,
    state: LedgerState,
    rows: Vec<Row>,
    observations: Vec<Observation>,
    by_call: HashMap<Ordinal, Vec<usize>>,
    last_mutation: Option<EventId>,
    search: Search,
}

impl Table {
    /// The same under the policy of its ledger; without this the built-in one is meant.
    #[must_use]
    pub fn searched_by(self, search: Search) -> Self {
        Self { search, ..self }
    }

    /// What looks like a secret, to whoever writes about these events.
    pub const fn search(&self) -> &Search {
        &self.search
    }

    /// The session.
    pub const fn boundary(&self) -> BoundaryId {
        self.boundary
    }

    /// The state that a seal binds.
    pub const fn state(&self) -> LedgerState {
        self.state
    }

    /// All rows; the index is the ordinal.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of an ordinal.
    pub fn row(&self, ordinal: Ordinal) -> Option<&Row> {
        usize::try_from(ordinal).ok().and_then(|place| self.rows.get(place))
    }

    /// The row of an id; `None` for an id that is not in this ledger.
    pub fn find(&self, event: EventId) -> Option<&Row> {
        self.row(event.ordinal()).filter(|row| row.event == event)
    }

    /// All observations, by ordinal of their call.
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// The call of the last mutation.
    pub const fn last_mutation(&self) -> Option<EventId> {
        self.last_mutation
    }

    /// The observations of one call.
    pub fn of_call(&self, call: Ordinal) -> impl Iterator<Item = &Observation> {
        self.by_call.get(&call).into_iter().flatten().filter_map(|place| self.observations.get(*place))
    }
}

/// Builds a table in one pass.
#[derive(Debug, Default)]
pub struct TableBuilder {
    rows: Vec<Row>,
    slicer: Slicer,
    episode: u32,
    last_time_ms: Option<i64>,
    last_message: Option<usize>,
}

impl TableBuilder {
    /// Takes the next event.
    pub fn push(&mut self, event: &Event) {
        let cut = self.slicer.push(event);
        if cut.episode && event.ordinal > 0 {
            self.episode += 1;
        }
        if let Some(run) = cut.repeat_ended {
            self.mark_repeat(run);
        }
        self.last_time_ms = event.time_ms().or(self.last_time_ms);
        let trouble = [facet::API_ERROR, facet::LIMIT, facet::INTERRUPT, facet::ABORTED_TURN]
            .into_iter()
            .any(|name| event.has_facet(name));
        let mut classes = Classes::default();
        match event.surface {
            Surface::User => classes.add(Class::UserMessage),
            Surface::Assistant => self.last_message = Some(self.rows.len()),
            Surface::ToolResult
                if matches!(event.status(), Some(Status::Error | Status::Interrupted | Status::Rejected)) =>
            {
                classes.add(Class::ErrorResult);
            }
            _ => {}
        }
        if trouble || event.has_facet(facet::COMPACTION) {
            classes.add(Class::Notice);
        }
        self.rows.push(Row {
            event: event.event_id,
            surface: event.surface,
            actor: event.actor,
            classes,
            status: event.status(),
            time_ms: self.last_time_ms,
            episode: self.episode,
            repeated: false,
            only_redactions: event.text.only_redactions(),
            task: event.has_facet(facet::TASK),
            report: event.has_facet(facet::AGENT_REPORT),
            trouble,
        });
    }

    fn mark_repeat(&mut self, run: Run) {
        let first = usize::try_from(run.first).unwrap_or(usize::MAX);
        let last = usize::try_from(run.last).unwrap_or(usize::MAX);
        for row in self.rows.iter_mut().take(last.saturating_add(1)).skip(first) {
            row.repeated = true;
        }
    }

    /// Joins the observations and closes the table. The call of the last mutation is told by the manifest: the rows
    /// alone do not tell which of them failed.
    pub fn finish(
        mut self,
        boundary: BoundaryId,
        state: LedgerState,
        observations: Vec<Observation>,
        last_mutation: Option<EventId>,
    ) -> Table {
        if let Some(run) = self.slicer.open_repeat() {
            self.mark_repeat(run);
        }
        if let Some(row) = self.last_message.and_then(|place| self.rows.get_mut(place)) {
            row.classes.add(Class::LastMessage);
        }
        let mut by_call: HashMap<Ordinal, Vec<usize>> = HashMap::new();
        for (place, observation) in observations.iter().enumerate() {
            let Some(attempt) = observation.attempt() else { continue };
            by_call.entry(attempt.call.ordinal()).or_default().push(place);
            let (target, class) = match observation {
                Observation::FileMutation { .. } => (attempt.call, Class::Mutation),
                Observation::ShellWrite { scratch: false, .. } => (attempt.call, Class::ShellWrite),
                Observation::GitCommand { mutating: true, .. } => (attempt.call, Class::GitMutation),
                Observation::ExternalEffect { .. } => (attempt.call, Class::ExternalEffect),
                Observation::VerificationRun { .. } => (attempt.call, Class::VerificationRun),
                _ => continue,
            };
            add_class(&mut self.rows, target.ordinal(), class);
        }
        for observation in &observations {
            let Observation::NoMatch { attempt, .. } = observation else { continue };
            let run =
                by_call.get(&attempt.call.ordinal()).into_iter().flatten().any(|place| {
                    matches!(observations.get(*place), Some(Observation::VerificationRun { .. }))
                });
            let Some(result) = attempt.result.filter(|_| !run) else { continue };
            let place = usize::try_from(result.ordinal()).unwrap_or(usize::MAX);
            if let Some(row) = self.rows.get_mut(place) {
                row.classes.0 &= !Class::ErrorResult.bit();
                row.classes.add(Class::NoMatch);
            }
        }
        Table {
            boundary,
            state,
            rows: self.rows,
            observations,
            by_call,
            last_mutation,
            search: Search::default(),
        }
    }
}

fn add_class(rows: &mut [Row], ordinal: Ordinal, class: Class) {
    if let Some(row) = usize::try_from(ordinal).ok().and_then(|place| rows.get_mut(place)) {
        row.classes.add(class);
    }
}

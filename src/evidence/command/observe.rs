//! The observer: events of the ledger in, rows of `session_observed` out. It keeps what a later result may still
//! change, and nothing of the texts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::call::{COMMITS, Call, SWITCHES, search};
use super::ending::session_end::SessionEndFollower;
use super::fact::SessionEnd;
use super::mutation::{LastMutation, Placed};
use super::observation::{Attempt, Observation, Outcome, Reason};
use super::patch::Change;
use super::result::{of_status, whole};
use super::rows::{Draft, Touch, git_folder, mark_stale, of_changes, of_members, of_written, short};
use super::shell::directory::Directory;
use super::shell::member::{Member, Members, Shown};
use super::shell::outcome::{Deduction, Whole};
use super::shell::walk::{of_argv, of_script};
use super::shell::word::Word;
use super::tools::{Carried, Shell, carried};
use super::vcs::git;
use crate::base::Result;
use crate::base::digest::Digest;
use crate::base::ids::{EventId, Ordinal};
use crate::base::limits::OBSERVATION_ROWS;
use crate::evidence::event::Event;
use crate::evidence::event::line::Pairing;
use crate::evidence::transcript::item::{Status, Surface};

/// How much was observed in a whole ledger.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Observations {
    /// Rows of all kinds.
    pub rows: u64,
    /// Paths of the repository candidates.
    pub candidates: Vec<String>,
    /// Rows of each kind.
    pub counts: BTreeMap<Cow<'static, str>, u64>,
    /// Rows of each kind over its bound, left out.
    pub omitted: BTreeMap<Cow<'static, str>, u64>,
    /// The last mutation; no row may be left of it.
    pub last_mutation: Option<LastMutation>,
    /// What events state of the end.
    pub session_end: SessionEnd,
}

/// Scripts that may still run when the harness tells what one of them changed.
const SCRIPTS: usize = 8;

/// Reads events in the order of the ledger.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Observer {
    calls: BTreeMap<Ordinal, Call>,
    repositories: BTreeMap<String, EventId>,
    counts: BTreeMap<Cow<'static, str>, u64>,
    omitted: BTreeMap<Cow<'static, str>, u64>,
    /// Where a shell that keeps its place may stand: equal for equal histories of `cd`.
    place: String,
    /// The last move, so that the same move again changes nothing.
    moved: String,
    /// Calls without rows that wait for a result which may give some.
    rowless: u64,
    /// The last scripts with patches in their code, whose changes the harness may tell one by one, too.
    scripts: Vec<Ordinal>,
    /// The last mutation that was left out.
    omitted_touch: Option<Placed>,
    end: SessionEndFollower,
}

impl Observer {
    /// Before the first event.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next event.
    pub fn observe(&mut self, event: &Event) {
        self.end.event(event);
        match event.surface {
            Surface::ToolCall => self.call(event),
            Surface::ToolResult => self.result(event),
            Surface::User | Surface::Assistant | Surface::System => {}
        }
    }

    /// An outcome that a later record tells about a call. It fills what the results leave open.
    pub fn learn(&mut self, call: EventId, status: Status, exit_code: Option<u32>) {
        self.end.learn(call, status);
        if let Some(open) = self.calls.get_mut(&call.ordinal()).filter(|open| open.attempt.call == call) {
            open.learnt = Some((status, of_status(status, exit_code, open.error_is_failure)));
        }
    }

    /// The result of a poll that saw the end of a call.
    pub fn read_ending(&mut self, call: EventId, result: &Event) {
        if let Some(open) = self.calls.get_mut(&call.ordinal()).filter(|open| open.attempt.call == call) {
            open.read_ending(result);
        }
    }

    fn call(&mut self, event: &Event) {
        let name = event.tool.as_ref().and_then(|tool| tool.name.as_ref()).map_or("", |name| name.as_str());
        let attempt =
            Attempt { call: event.event_id, result: None, pairing: Pairing::None, status: Status::Unknown };
        let mut call = Call::new(attempt);
        match carried(name, event.text.as_str()) {
            Carried::Nothing => {
                self.end.other(event);
                return;
            }
            Carried::Changes(changes) => {
                self.end.edit(event.event_id, changes.iter().flat_map(Change::paths));
                self.supersede(name, &changes);
                of_changes(&call.attempt, &changes, &mut call.drafts);
            }
            Carried::Code(changes) => {
                self.end.other(event);
                self.scripts.push(event.ordinal);
                if self.scripts.len() > SCRIPTS {
                    self.scripts.remove(0);
                }
                of_changes(&call.attempt, &changes, &mut call.drafts);
            }
            Carried::Foreign => {
                self.end.other(event);
                unparsed(&mut call);
            }
            Carried::Effect(effect) => {
                self.end.other(event);
                let (attempt, effect) = (call.attempt.clone(), effect.to_owned());
                let row = Observation::ExternalEffect { attempt, effect, outcome: Outcome::Unknown };
                call.drafts.push(Draft::of(row, Deduction::WHOLE, 0));
            }
            Carried::Written(path) => {
                self.end.edit(event.event_id, [path.as_str()]);
                call.written = true;
                of_written(&call.attempt, &path, &mut call.drafts);
            }
            Carried::Argv(argv, workdir) => {
                call.error_is_failure = false;
                let members = of_argv(&argv, workdir.as_deref());
                self.end.argv(event.event_id, &members);
                self.members(&mut call, &members);
            }
            Carried::Script(shell) => self.script(&mut call, &shell),
        }
        call.drafts.retain(|draft| self.admits(&draft.row, draft.touch, draft.step));
        // Most calls have one row, and all of them are kept to the end.
        call.drafts.shrink_to_fit();
        if call.is_empty() {
            return;
        }
        if call.is_rowless() && self.rowless >= OBSERVATION_ROWS as u64 {
            *self.omitted.entry(Cow::Borrowed("no_match")).or_default() += 1;
            return;
        }
        self.keep(event.ordinal, call);
    }

    /// A change that the harness tells of a script's patch is that patch, with a result of its own.
    fn supersede(&mut self, name: &str, changes: &[Change]) {
        if name != "FileChange" {
            return;
        }
        for ordinal in self.scripts.iter().rev() {
            let Some(script) = self.calls.get_mut(ordinal) else { continue };
            let drafts = script.drafts.len();
            script.drafts.retain(|draft| !changes.iter().any(|change| draft.is_of(change)));
            let told = drafts.saturating_sub(script.drafts.len()) as u64;
            if told > 0 {
                if let Some(count) = self.counts.get_mut("file_mutation") {
                    *count = count.saturating_sub(told);
                }
                return;
            }
        }
    }

    fn script(&mut self, call: &mut Call, shell: &Shell) {
        call.background = shell.background;
        call.error_is_failure = shell.error_is_failure;
        let members = of_script(&shell.text, shell.workdir.as_deref());
        self.end.script(call.attempt.call, members.as_ref(), shell);
        let Some(members) = members else {
            if shell.keeps_place {
                self.place = unknown_place(call.attempt.call);
            }
            unparsed(call);
            return;
        };
        self.members(call, &members);
        if members.incomplete {
            unparsed(call);
        }
        if let Some(directory) = members.moved.as_ref().filter(|_| shell.keeps_place) {
            self.moved(call.attempt.call, directory);
        }
    }

    fn members(&mut self, call: &mut Call, members: &Members) {
        of_members(&call.attempt, members, &self.place, &mut call.drafts);
        for member in &members.list {
            let Some(git) = git(&member.argv) else { continue };
            if git.may_report_commits() && member.shown != Shown::Nothing && call.commits.len() < COMMITS {
                call.commits.push(member.deduction);
            }
            if git.may_switch() && call.switches.len() < SWITCHES {
                let branch = git.argv.iter().filter(|word| !word.text.starts_with('-')).find_map(Word::plain);
                call.switches.extend(branch.map(|branch| (short(branch), member.deduction)));
            }
            if let Some(folder) = git_folder(member, &git).filter(|folder| folder.starts_with('/')) {
                if self.repositories.len() < OBSERVATION_ROWS || self.repositories.contains_key(&folder) {
                    self.repositories.entry(folder).or_insert(call.attempt.call);
                } else {
                    *self.omitted.entry(Cow::Borrowed("repository_candidate")).or_default() += 1;
                }
            }
        }
        // Something else in the same call may print a line like git's.
        let prints = |member: &Member| {
            member.program().is_some_and(|program| matches!(program, "echo" | "printf"))
                && member.argv.iter().any(|word| word.text.replace("$?", "").contains(['[', '$']))
        };
        if members.incomplete || members.list.iter().any(prints) {
            call.commits.clear();
            call.switches.clear();
        }
        let verifies =
            call.drafts.iter().any(|draft| matches!(draft.row, Observation::VerificationRun { .. }));
        call.search = if verifies || members.incomplete { None } else { search(members) };
    }

    /// The shell of the session may now stand somewhere else.
    fn moved(&mut self, call: EventId, directory: &Directory) {
        let trail = directory.trail();
        if !directory.is_literal() {
            self.place = unknown_place(call);
        } else if trail.starts_with('/') {
            trail.clone_into(&mut self.place);
        } else if self.moved != trail || !trail.starts_with("\0?/") {
            self.place = Digest::of(format!("{}\0\0{trail}", self.place).as_bytes()).to_string();
        }
        trail.clone_into(&mut self.moved);
    }

    /// Counts a row; false when its kind is full.
    fn admits(&mut self, row: &Observation, touch: Touch, step: u32) -> bool {
        let count = self.counts.entry(Cow::Borrowed(row.kind())).or_default();
        if *count < OBSERVATION_ROWS as u64 {
            *count += 1;
            return true;
        }
        *self.omitted.entry(Cow::Borrowed(row.kind())).or_default() += 1;
        if touch != Touch::Never {
            self.omitted_touch = Placed::later(self.omitted_touch, Placed::of(row, step));
        }
        false
    }

    fn result(&mut self, event: &Event) {
        let Some(tool) = &event.tool else { return };
        let Some(id) = tool.call_event_id else { return };
        let Some(mut call) = self.calls.remove(&id.ordinal()).filter(|call| call.attempt.call == id) else {
            return;
        };
        self.rowless = self.rowless.saturating_sub(u64::from(call.is_rowless()));
        let told = whole(event, call.error_is_failure);
        let launched = told == Whole::Unknown(Reason::Backgrounded);
        // Of several results the last counts that is more than a launch.
        if call.attempt.result.is_none() || !launched {
            call.attempt.result = Some(event.event_id);
            call.attempt.pairing = tool.pairing;
            call.attempt.status = event.status().unwrap_or(Status::Unknown);
            let detached = call.background && matches!(told, Whole::Ok);
            call.told = if detached { Whole::Unknown(Reason::Backgrounded) } else { told };
            let mut found = call.read(event);
            found.retain(|row| self.admits(row, Touch::Never, 0));
            call.found = found;
            if !launched && call.drafts.is_empty() && call.found.is_empty() {
                return;
            }
        }
        self.keep(id.ordinal(), call);
    }

    fn keep(&mut self, ordinal: Ordinal, call: Call) {
        self.rowless += u64::from(call.is_rowless());
        self.calls.insert(ordinal, call);
    }

    /// Gives all rows, with what only the whole tells: sorted by the ordinal of their call, then by their place in the
    /// call; repository candidates come first.
    ///
    /// # Errors
    /// Whatever `each` refuses.
    pub fn finish(self, each: &mut impl FnMut(&Observation) -> Result<()>) -> Result<Observations> {
        let mut observed =
            Observations { omitted: self.omitted, session_end: self.end.finish(), ..Observations::default() };
        let mut tell = |row: &Observation| {
            observed.rows += 1;
            *observed.counts.entry(Cow::Borrowed(row.kind())).or_default() += 1;
            each(row)
        };
        let mut last_touch = self.omitted_touch;
        let mut calls: Vec<(Vec<Draft>, Vec<Observation>)> =
            self.calls.into_values().map(Call::settle).collect();
        for (drafts, _) in calls.iter_mut().rev() {
            mark_stale(drafts, &mut last_touch);
        }
        observed.last_mutation = last_touch.map(|last| last.mutation);
        for (path, event) in self.repositories {
            let path = short(&path);
            tell(&Observation::RepositoryCandidate { path: path.clone(), event: Some(event) })?;
            observed.candidates.push(path);
        }
        let mut failures: BTreeMap<String, u64> = BTreeMap::new();
        for (drafts, found) in calls {
            for mut draft in drafts {
                if let Observation::VerificationRun { command_key, outcome, after_failures, .. } =
                    &mut draft.row
                {
                    *after_failures = failures.get(command_key).copied().unwrap_or(0);
                    if *outcome == Outcome::Failed {
                        *failures.entry(command_key.clone()).or_default() += 1;
                    }
                }
                tell(&draft.row)?;
            }
            found.iter().try_for_each(&mut tell)?;
        }
        Ok(observed)
    }
}

/// A row that says that a command was not analysed.
fn unparsed(call: &mut Call) {
    let row = Observation::Unparsed { attempt: call.attempt.clone() };
    call.drafts.push(Draft::of(row, Deduction::WHOLE, 0));
}

/// A place that is equal to no other.
fn unknown_place(call: EventId) -> String {
    format!("\0{call}")
}

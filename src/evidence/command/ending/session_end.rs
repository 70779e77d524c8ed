//! Follows a session for what its own git commands state of the end: HEAD, branch, clean or not. A fact is kept while
//! every later event is known not to change it; what runs beside, or is not known, ends it. Nothing here guesses.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::reach::{Reach, of_members, of_notice, of_path, of_tool};
use super::stated::{Asked, plan, read};
use crate::base::ids::{EventId, Ordinal};
use crate::base::limits::{END_FACTS, OPEN_CALLS};
use crate::evidence::command::fact::{EndFact, FactKind, SessionEnd};
use crate::evidence::command::result::{output, whole};
use crate::evidence::command::shell::member::Members;
use crate::evidence::command::shell::outcome::Whole;
use crate::evidence::command::tools::Shell;
use crate::evidence::event::Event;
use crate::evidence::event::line::Pairing;
use crate::evidence::transcript::item::{Status, Surface, facet};

/// A call that may change something or was asked for something, until it has ended.
#[derive(Debug, Serialize, Deserialize)]
struct Open {
    call: EventId,
    reach: Reach,
    asked: Vec<Asked>,
    background: bool,
    /// A result only said that it began.
    launched: bool,
}

/// Reads the session in order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SessionEndFollower {
    open: BTreeMap<Ordinal, Open>,
    facts: Vec<EndFact>,
    /// Where the last that could change files ended.
    files_ended: Option<Ordinal>,
    /// Where the last that could change anything ended.
    anything_ended: Option<Ordinal>,
    now: Ordinal,
    /// Something goes on of whose end nobody tells.
    lost: bool,
    /// The session's shell may stand elsewhere than at its start.
    strayed: bool,
}

impl SessionEndFollower {
    /// Takes every event, before what its call carries.
    pub fn event(&mut self, event: &Event) {
        self.now = event.ordinal;
        self.strayed |= event.has_facet("bash_input");
        self.changed(of_notice(event));
        if event.surface == Surface::ToolResult {
            self.result(event);
        }
    }

    /// A call of a shell; `members` is `None` where the grammar does not take its script.
    pub fn script(&mut self, call: EventId, members: Option<&Members>, shell: &Shell) {
        let (reach, asked) = match members {
            Some(members) if shell.background => (of_members(members), Vec::new()),
            Some(members) => (of_members(members), plan(members, self.strayed)),
            None => (Reach::Anything, Vec::new()),
        };
        self.strayed |= shell.keeps_place && members.is_none_or(|members| members.moved.is_some());
        self.begin(Open { call, reach, asked, background: shell.background, launched: false });
    }

    /// An argument list that no shell touches.
    pub fn argv(&mut self, call: EventId, members: &Members) {
        let asked = plan(members, self.strayed);
        self.begin(Open { call, reach: of_members(members), asked, background: false, launched: false });
    }

    /// A structured edit.
    pub fn edit<'p>(&mut self, call: EventId, paths: impl IntoIterator<Item = &'p str>) {
        let reach = paths.into_iter().map(of_path).max().unwrap_or(Reach::Anything);
        self.begin(Open { call, reach, asked: Vec::new(), background: false, launched: false });
    }

    /// A call that carries neither.
    pub fn other(&mut self, event: &Event) {
        let name = event.tool.as_ref().and_then(|tool| tool.name.as_ref());
        let reach = name.map_or(Reach::Anything, |name| of_tool(name.as_str(), event));
        self.strayed |= name.is_some_and(|name| name.as_str().ends_with("Worktree"));
        let call = event.event_id;
        self.begin(Open { call, reach, asked: Vec::new(), background: false, launched: false });
    }

    /// An outcome that another record tells about a call: its end, unless its result is still to say something.
    pub fn learn(&mut self, call: EventId, status: Status) {
        let open = self.open.get(&call.ordinal()).filter(|open| open.call == call);
        if open.is_some_and(|open| open.launched || open.asked.is_empty()) && status != Status::Unknown {
            let ended = self.open.remove(&call.ordinal());
            self.changed(ended.map(|open| open.reach).unwrap_or_default());
        }
    }

    /// What is known at the end.
    pub fn finish(self) -> SessionEnd {
        let running = self.open.values().map(|open| open.reach).max().unwrap_or_default();
        let mut facts = self.facts;
        facts.retain(|fact| running < Reach::changing(fact.kind));
        facts.sort_by_key(|fact| (fact.event.ordinal(), fact.kind));
        SessionEnd::of(facts)
    }

    fn begin(&mut self, open: Open) {
        if open.reach == Reach::Lasting || self.open.len() >= OPEN_CALLS {
            self.lost = true;
            self.open.clear();
            self.facts.clear();
        }
        if !self.lost && (open.reach > Reach::Nothing || !open.asked.is_empty()) {
            self.open.insert(open.call.ordinal(), open);
        }
    }

    fn result(&mut self, event: &Event) {
        let Some(call) = event.tool.as_ref().and_then(|tool| tool.call_event_id) else {
            // The end of a call that nobody saw begin.
            self.changed(Reach::Anything);
            return;
        };
        let Some(mut open) = self.open.remove(&call.ordinal()).filter(|open| open.call == call) else {
            // Two results of one call: neither is its own for certain.
            self.facts.retain(|fact| fact.event != call);
            return;
        };
        let told = whole(event, false);
        if event.has_facet(facet::BACKGROUND) || (open.background && told == Whole::Ok) {
            open.launched = true;
            open.asked.clear();
            self.open.insert(call.ordinal(), open);
            return;
        }
        if event.status() == Some(Status::Rejected) || event.has_facet(facet::NOT_RUN) {
            return;
        }
        // What ended behind the call ran beside it.
        let before = |ended: Option<Ordinal>| ended.is_none_or(|ended| ended < call.ordinal());
        let alone =
            [(Reach::Files, before(self.files_ended)), (Reach::Anything, before(self.anything_ended))];
        self.changed(open.reach);
        for (kind, value, workdir) in said(event, &open.asked, told) {
            if alone.contains(&(Reach::changing(kind), true)) {
                self.state(EndFact { kind, value, workdir, event: call, result: event.event_id });
            }
        }
    }

    /// The last word about a folder counts.
    fn state(&mut self, fact: EndFact) {
        self.facts.retain(|known| known.kind != fact.kind || known.workdir != fact.workdir);
        self.facts.push(fact);
        if self.facts.len() > END_FACTS {
            self.facts.remove(0);
        }
    }

    fn changed(&mut self, reach: Reach) {
        if reach == Reach::Nothing {
            return;
        }
        self.files_ended = Some(self.now);
        if reach > Reach::Files {
            self.anything_ended = Some(self.now);
        }
        self.facts.retain(|fact| reach < Reach::changing(fact.kind));
    }
}

/// What a result says of what its call was asked for: only one that is joined by id, ended well and is whole.
fn said(event: &Event, asked: &[Asked], told: Whole) -> Vec<(FactKind, String, Option<String>)> {
    let joined = event.tool.as_ref().is_some_and(|tool| tool.pairing == Pairing::CallId);
    let well = told == Whole::Ok && event.status() == Some(Status::Ok);
    if asked.is_empty() || !joined || !well || event.has_facet(facet::CUT_OUTPUT) {
        return Vec::new();
    }
    let name = event.tool.as_ref().and_then(|tool| tool.name.as_ref()).map_or("", |name| name.as_str());
    let stated = match output(event.text.as_str()) {
        // Its envelope says that this is all.
        Cow::Owned(text) => read(asked, &text),
        Cow::Borrowed(text) => own_output(name, text).and_then(|text| read(asked, text)),
    };
    stated.unwrap_or_default()
}

/// The output itself, without the lines that the harness puts around it; `None` where a part of it is left out, and
/// where nothing may mean that it was not written down.
fn own_output<'t>(tool: &str, text: &'t str) -> Option<&'t str> {
    if tool == "Bash" {
        let text = if text == "(Bash completed with no output)" { "" } else { text };
        let last = text.trim_end().rsplit_once('\n').map_or(text, |(_, last)| last);
        let rest = text.trim_end().strip_suffix(last).filter(|_| last.starts_with("Shell cwd was reset to "));
        return Some(rest.map_or(text, |rest| rest.trim_matches('\n')));
    }
    let headed = ["Exit code: ", "Chunk ID: ", "Wall time: "].iter().any(|head| text.starts_with(head));
    if !headed {
        return Some(text).filter(|text| !text.is_empty());
    }
    let (head, body) =
        text.split_once("\nOutput:").map(|(head, body)| (head, body.strip_prefix('\n').unwrap_or(body)))?;
    let cut = head.contains("Total output lines:")
        || body.contains(" tokens truncated")
        || body.starts_with("Warning: truncated");
    (!cut).then_some(body)
}

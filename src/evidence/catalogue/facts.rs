//! What the records at the ends of a file say: relations to other sessions, work directories, branches. One record at a
//! time, in file order; the same link is kept once.

use super::link::{Link, Proof, Relation, Target};
use super::sidecar::Sidecar;
use crate::base::ids::Harness;
use crate::base::limits::SESSION_PLACES;
use crate::evidence::transcript::Raw;
use crate::evidence::transcript::claude::lineage::{Tie, is_conversation, ties};
use crate::evidence::transcript::codex::lineage::lineage;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::reading::Identity;

/// What was learnt.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) links: Vec<Link>,
    pub(super) work_directories: Vec<Raw>,
    pub(super) branches: Vec<Raw>,
    /// A record that only a conversation has was seen.
    pub(super) conversation: bool,
    pub(super) relocated: bool,
    /// Rows name another agent than the identity does.
    pub(super) other_agent: bool,
    /// Rows name the agent of the identity.
    own_agent: bool,
    /// A run of the harness's own.
    pub(super) housekeeping: bool,
}

impl Facts {
    /// Of the records at both ends. A copy of history stands at the head, so only there a foreign id means one.
    pub(super) fn of(
        identity: &Identity,
        sidecar: Option<&Sidecar>,
        head: &[Json<'_>],
        tail: &[Json<'_>],
    ) -> Self {
        let mut facts = Self::default();
        match identity.harness {
            Harness::Claude => {
                head.iter().for_each(|row| facts.claude(identity, row, identity.forked));
                tail.iter().for_each(|row| facts.claude(identity, row, false));
                facts.parent_of_child(identity, sidecar);
            }
            Harness::Codex => {
                facts.conversation = true;
                facts.threads(head);
                head.iter().chain(tail).for_each(|record| facts.codex(record));
            }
        }
        facts
    }

    /// Of one row of Claude Code; `copied` where it may be a copy of another session's.
    pub(super) fn claude(&mut self, identity: &Identity, row: &Json<'_>, copied: bool) {
        self.conversation |= is_conversation(row);
        keep(&mut self.work_directories, row.get("cwd").as_str());
        keep(&mut self.work_directories, row.get("relocatedCwd").as_str());
        keep(&mut self.branches, row.get("gitBranch").as_str());
        for tie in ties(identity, row) {
            let session = |id: &str| Target::claude(id, None);
            match tie {
                Tie::ForkedFrom(id) => self.link(Relation::ForkOf, session(&id), Proof::ForkedFrom),
                Tie::RequestedBy(id) => self.link(Relation::ForkOf, session(&id), Proof::RequestSessionId),
                Tie::OfSession(id) => {
                    let relation = if copied { Relation::ForkOf } else { Relation::Names };
                    self.link(relation, session(&id), Proof::RowSessionId);
                }
                Tie::ForkInherit => {
                    self.link(Relation::ForkOf, Target::Unnamed, Proof::HistorySuppression);
                }
                Tie::ContinuedIn(id) => {
                    self.link(Relation::ContinuedIn, session(&id), Proof::ContinuedInRow);
                }
                Tie::ContextOf(id) => self.link(Relation::ChildOf, session(&id), Proof::ForkContextRef),
                Tie::OfAgent(id) if identity.agent.as_deref() == Some(&id) => self.own_agent = true,
                // An inline child of an old version has no id of its own and is no other session.
                Tie::OfAgent(_) => self.other_agent |= identity.agent.is_some(),
                Tie::Relocated => self.relocated = true,
            }
        }
    }

    /// A child belongs to the session on its rows; a name alone would prove nothing.
    fn parent_of_child(&mut self, identity: &Identity, sidecar: Option<&Sidecar>) {
        if !self.own_agent {
            return;
        }
        let session = Target::claude(&identity.session, None);
        match sidecar.and_then(|sidecar| sidecar.parent_agent_id.as_deref()) {
            None => self.link(Relation::ChildOf, session, Proof::RowsOfChild),
            Some(agent) => {
                let parent = Target::claude(&identity.session, Some(agent));
                self.link(Relation::ChildOf, parent, Proof::SidecarParentAgent);
                self.link(Relation::InTreeOf, session, Proof::RowsOfChild);
            }
        }
    }

    fn threads(&mut self, head: &[Json<'_>]) {
        let said = lineage(head);
        self.housekeeping = said.housekeeping;
        let links = [
            (said.parent_thread, Relation::ChildOf, Proof::ParentThreadId),
            (said.spawned_by, Relation::ChildOf, Proof::ThreadSpawn),
            (said.forked_from, Relation::ForkOf, Proof::ForkedFromId),
            (said.root, Relation::InTreeOf, Proof::RootSessionId),
        ];
        for (thread, relation, proof) in links {
            if let Some(thread) = thread.filter(|thread| !thread.is_empty()) {
                self.link(relation, Target::codex(&thread), proof);
            }
        }
        if let Some(rollout) = said.base_rollout.filter(|rollout| !rollout.is_empty()) {
            let base = Target::Rollout { rollout, end_bytes: said.base_end_bytes };
            self.link(Relation::ForkOf, base, Proof::HistoryBase);
        }
    }

    fn codex(&mut self, record: &Json<'_>) {
        let payload = record.get("payload");
        if matches!(record.get("type").as_str(), Some("session_meta" | "turn_context")) {
            keep(&mut self.work_directories, payload.get("cwd").as_str());
        }
        keep(&mut self.branches, payload.path(&["git", "branch"]).as_str());
        // The header of a bare file stands on the record itself.
        keep(&mut self.branches, record.path(&["git", "branch"]).as_str());
    }

    fn link(&mut self, relation: Relation, to: Target, proof: Proof) {
        let link = Link { relation, to, proof };
        if !self.links.contains(&link) {
            self.links.push(link);
        }
    }
}

/// Keeps a value as the newest. Beyond the bound the oldest but the first gives way.
fn keep(list: &mut Vec<Raw>, value: Option<&str>) {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return };
    if list.last().is_some_and(|last| last.expose() == value) {
        return;
    }
    list.retain(|known| known.expose() != value);
    if list.len() >= SESSION_PLACES {
        list.remove(1);
    }
    list.push(Raw::from(value));
}

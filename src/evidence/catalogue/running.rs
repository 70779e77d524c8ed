//! Which sessions a harness says are open: `sessions/<pid>.json` of Claude Code, `thread-writer-locks/<id>.lock` of Codex.
//! Both outlive a crash, so that they are told and decide nothing.

use std::collections::BTreeSet;
use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};

use super::roots::{Root, RootKind};
use crate::base::ids::Harness;
use crate::base::private::Source;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::reading::Identity;

/// Most such files that are looked at.
const FILES: usize = 4_096;
/// Most bytes of one that are read.
const BYTES: u64 = 64 * 1024;

/// Native ids of open sessions.
#[derive(Debug, Default)]
pub(super) struct Running {
    ids: BTreeSet<(Harness, String)>,
}

impl Running {
    /// Reads what lies beside the roots.
    pub(super) fn read(roots: &[Root]) -> Self {
        let mut running = Self::default();
        for root in roots {
            let Some(home) = root.path.parent() else { continue };
            match root.kind {
                RootKind::Projects => {
                    let open = files(&home.join("sessions"), ".json");
                    let ids = open.iter().filter_map(|path| session_of(path));
                    running.ids.extend(ids.map(|id| (Harness::Claude, id)));
                }
                RootKind::Sessions => {
                    let locks = files(&home.join("thread-writer-locks"), ".lock");
                    let ids = locks.iter().filter_map(|path| path.file_stem().map(str::to_owned));
                    running.ids.extend(ids.map(|id| (Harness::Codex, id)));
                }
                RootKind::ArchivedSessions => {}
            }
        }
        running
    }

    /// Whether the session is among them; a child is open with its session, which says nothing of the child.
    pub(super) fn has(&self, identity: &Identity) -> bool {
        identity.agent.is_none() && self.ids.contains(&(identity.harness, identity.session.clone()))
    }
}

fn files(folder: &Utf8Path, suffix: &str) -> Vec<Utf8PathBuf> {
    let Ok(entries) = folder.read_dir_utf8() else { return Vec::new() };
    let named = entries.take(FILES).filter_map(|entry| entry.ok().map(|entry| entry.path().to_owned()));
    named.filter(|path| path.as_str().ends_with(suffix)).collect()
}

fn session_of(path: &Utf8Path) -> Option<String> {
    let source = Source::open(path).ok()?;
    let mut text = String::new();
    source.file().take(BYTES).read_to_string(&mut text).ok()?;
    let value = Json::parse(&text, &[]).ok()?.value;
    value.get("sessionId").as_str().map(str::to_owned)
}

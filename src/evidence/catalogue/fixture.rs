//! Homes of both harnesses for tests, made in a temporary folder.

use std::fs;
use std::sync::atomic::AtomicBool;

use camino::{Utf8Path, Utf8PathBuf};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Catalogue, Entry, Roots};
use crate::base::ids::Harness;

/// Three ids for sessions of Claude Code.
pub(super) const ONE: &str = "11111111-0000-4000-8000-000000000001";
pub(super) const TWO: &str = "22222222-0000-4000-8000-000000000002";
/// Two ids for threads and rollouts of Codex.
pub(super) const THREAD: &str = "01a229c3-bea0-76f1-a6a0-540e5f087013";
pub(super) const LATER: &str = "01a229c3-f27b-79a3-a417-c96d40099ed7";

/// Not interrupted.
pub(super) static GO_ON: AtomicBool = AtomicBool::new(false);

/// A folder with both homes.
pub(super) struct Home {
    pub(super) path: Utf8PathBuf,
    _keep: tempfile::TempDir,
}

impl Home {
    pub(super) fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        Self { path, _keep: keep }
    }

    /// Writes a file below the home.
    pub(super) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> Utf8PathBuf {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a file below the project folder of Claude Code.
    pub(super) fn claude(&self, name: &str, rows: &[String]) -> Utf8PathBuf {
        self.put(&format!(".claude/projects/-w/{name}"), rows.concat())
    }

    /// Writes a rollout of a day.
    pub(super) fn codex(&self, name: &str, content: impl AsRef<[u8]>) -> Utf8PathBuf {
        self.put(&format!(".codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-{name}"), content)
    }

    pub(super) fn archived(&self, name: &str, content: impl AsRef<[u8]>) -> Utf8PathBuf {
        self.put(&format!(".codex/archived_sessions/rollout-2026-11-30T00-00-00-{name}"), content)
    }

    pub(super) fn roots(&self) -> Roots {
        Roots::of_homes(&[
            (Harness::Claude, self.path.join(".claude")),
            (Harness::Codex, self.path.join(".codex")),
        ])
    }

    pub(super) fn catalogue(&self) -> Catalogue {
        Catalogue::read(&self.roots(), &GO_ON).unwrap()
    }
}

impl Catalogue {
    /// The session of a file.
    pub(super) fn at_path(&self, path: &Utf8Path) -> &Entry {
        self.entries().iter().find(|entry| entry.path == path).unwrap()
    }
}

/// A prompt with further members.
pub(super) fn user(session: &str, more: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"{session}\",\"cwd\":\"/w\",\
         \"message\":{{\"role\":\"user\",\"content\":\"x\"}}{more}}}\n"
    )
}

/// An answer with further members.
pub(super) fn answer(session: &str, more: &str) -> String {
    format!(
        "{{\"type\":\"assistant\",\"uuid\":\"a\",\"sessionId\":\"{session}\",\
         \"message\":{{\"role\":\"assistant\",\"content\":[]}}{more}}}\n"
    )
}

/// A row of a child.
pub(super) fn child(session: &str, agent: &str) -> String {
    user(session, &format!(",\"isSidechain\":true,\"agentId\":\"{agent}\""))
}

/// The identity line of a thread with further members, and a turn.
pub(super) fn rollout(thread: &str, more: &str) -> String {
    format!(
        "{{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"{thread}\",\"cwd\":\"/w\"{more}}}}}\n\
         {{\"timestamp\":\"t\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"user_message\",\"message\":\"x\"}}}}\n"
    )
}

/// The base of a later rollout.
pub(super) fn base(rollout: &str) -> String {
    format!(
        ",\"history_base\":{{\"thread_id\":\"{rollout}\",\"end_ordinal_exclusive\":2,\"end_byte_offset\":99}}"
    )
}

pub(super) fn zst(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
}

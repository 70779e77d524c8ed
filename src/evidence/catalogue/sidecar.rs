//! `agent-<id>.meta.json`, which Claude Code writes beside the transcript of a child: what began it.

use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};

use crate::base::private::Source;
use crate::evidence::transcript::json::Json;

/// How the name ends.
pub(super) const SUFFIX: &str = ".meta.json";
/// Most bytes of one that are read; real ones have some hundred.
const BYTES: u64 = 64 * 1024;

/// What it says. All of it is what the harness wrote, so that absent members are normal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sidecar {
    /// The call in the parent that began the child.
    pub tool_use_id: Option<String>,
    /// The child that began this one; absent where the session itself did.
    pub parent_agent_id: Option<String>,
    /// How deep it is nested, from 1.
    pub spawn_depth: Option<u64>,
    /// The person ended it.
    pub stopped_by_user: bool,
}

/// Where the sidecar of a transcript lies.
pub(super) fn path_beside(transcript: &Utf8Path) -> Option<Utf8PathBuf> {
    let stem = transcript.as_str().strip_suffix(".jsonl")?;
    Some(Utf8PathBuf::from(format!("{stem}{SUFFIX}")))
}

/// Where the transcript of a sidecar lies.
pub(super) fn transcript_beside(sidecar: &Utf8Path) -> Option<Utf8PathBuf> {
    let stem = sidecar.as_str().strip_suffix(SUFFIX)?;
    Some(Utf8PathBuf::from(format!("{stem}.jsonl")))
}

/// Reads the sidecar of a transcript; `None` where there is none that can be read.
pub(super) fn read(transcript: &Utf8Path) -> Option<Sidecar> {
    let source = Source::open(&path_beside(transcript)?).ok()?;
    let mut text = String::new();
    source.file().take(BYTES).read_to_string(&mut text).ok()?;
    let value = Json::parse(&text, &[]).ok()?.value;
    let own = |key| value.get(key).as_str().filter(|id| !id.is_empty()).map(str::to_owned);
    value.is_object().then(|| Sidecar {
        tool_use_id: own("toolUseId"),
        parent_agent_id: own("parentAgentId"),
        spawn_depth: value.get("spawnDepth").as_u64(),
        stopped_by_user: value.get("stoppedByUser").as_bool() == Some(true),
    })
}

//! A manifest with one repository.

use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, Harness};
use crate::evidence::git::snapshot::{Snapshot, Status as TreeStatus};
use crate::evidence::manifest::{
    Boundary, Coverage, Git, Ledger, MANIFEST_SCHEMA, Manifest, Session, SessionObserved, Source, Versions,
};
use crate::evidence::table::LedgerState;

/// HEAD of the repository.
pub const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";

/// The manifest of the case.
pub fn manifest() -> Manifest {
    let text = |text: &str| text.to_owned();
    let state =
        LedgerState { size: 0, root: Digest::of(b"root"), records: 0, records_root: Digest::of(b"records") };
    let id = BoundaryId::derive(Harness::Claude, "session", None, None);
    let session = text("session");
    Manifest {
        schema_version: text(MANIFEST_SCHEMA),
        boundary: Boundary {
            id,
            harness: Harness::Claude,
            session,
            agent: None,
            rollout: None,
            form: text("claude-jsonl"),
        },
        collected_at: text("2026-01-02T00:00:00Z"),
        source: Source { size: 1600, blake3: text("00"), terminated: true, live: false, flags: Vec::new() },
        coverage: Coverage { source_complete: true, ..Coverage::default() },
        ledger: Ledger {
            state,
            segments: Vec::new(),
            parts: Default::default(),
            streams: Default::default(),
        },
        redactions: Default::default(),
        kept: Default::default(),
        session: Session::default(),
        git: Git {
            session_observed: SessionObserved {
                sha256: Digest::of(b"observations"),
                records: 5,
                analysis_version: text("1"),
                counts: Default::default(),
                omitted: Default::default(),
                last_mutation: None,
            },
            session_end: Default::default(),
            verified_now: vec![snapshot()],
            not_probed: Vec::new(),
        },
        limitations: Default::default(),
        versions: Versions {
            recap: text("0"),
            reader: text("1"),
            scrubber: text("1"),
            policy: text("default-1"),
        },
    }
}

fn snapshot() -> Snapshot {
    let changed_paths = vec!["docs/notes.md".to_owned()];
    Snapshot {
        head: Some(HEAD.to_owned()),
        branch: Some("main".to_owned()),
        status: Some(TreeStatus { complete: true, clean: false, changed_paths, omitted: 0 }),
        ..Snapshot::unknown("repo-1")
    }
}

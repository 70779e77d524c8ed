//! What the targets stand on: a private folder with a golden session in it, collected, cut and sealed, and a small set.
//! Secrets and clock are fixed, so that event ids are the same on every run; what follows from the program's version
//! is written into the bytes for `@manifest@`, `@accounting@` and `@set@` before they are judged.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::Refusal;
use recap::base::clock::FixedClock;
use recap::base::digest::Digest;
use recap::base::ids::{BoundaryId, Harness};
use recap::base::rules::Code;
use recap::evidence::kinship::set::Follows;
use recap::stage::World;
use recap::stage::bound::{self, Bound};
use recap::stage::collect::{Collect, collect};
use recap::stage::collect_set::{CollectSet, collect_set};
use recap::stage::demo::{bundled_session, filled};
use recap::stage::find::Wanted;
use recap::stage::packetize::packetize;
use recap::stage::seal_accounting::seal_accounting;

/// The secret of every ledger here.
pub const SECRET: [u8; 32] = *b"a golden secret has thirty-two b";
/// The session of the small set.
const MAIN: &str = "5e551011-0000-4000-8000-000000000001";

/// A private folder that costs nothing to flush, where the system has such a place.
pub struct Ground {
    folder: Utf8PathBuf,
    clock: FixedClock,
    interrupted: Arc<AtomicBool>,
    _keep: tempfile::TempDir,
}

impl Ground {
    pub fn new() -> Self {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let private = Permissions::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(private).tempdir_in(parent).unwrap();
        let folder = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        let clock = FixedClock("2031-03-04T05:06:07Z".parse().unwrap());
        Self { folder, clock, interrupted: Arc::default(), _keep: keep }
    }

    pub fn path(&self, name: &str) -> Utf8PathBuf {
        self.folder.join(name)
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> Utf8PathBuf {
        let path = self.path(name);
        let folder = path.parent().unwrap();
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).unwrap();
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        path
    }

    pub fn world(&self) -> World<'_> {
        World {
            clock: &self.clock,
            environment: BTreeMap::from([("HOME".to_owned(), self.folder.to_string())]),
            working_directory: self.folder.clone(),
            interrupted: Arc::clone(&self.interrupted),
            terminal: false,
        }
    }

    /// Collects one transcript with the fixed secret.
    ///
    /// # Errors
    /// What collecting refuses.
    pub fn collect(&self, session: &Utf8Path, output: &Utf8Path) -> Result<(), Refusal> {
        let order = Collect {
            session: session.to_owned(),
            output: Some(output.to_owned()),
            repositories: Vec::new(),
            policy: None,
            refresh_git: false,
            fresh: false,
        };
        patiently(|| collect(&self.world(), &order)).map(drop)
    }
}

/// Another thread that starts git holds a copy of our lock between its fork and its exec.
pub fn patiently<T>(stage: impl Fn() -> Result<T, Refusal>) -> Result<T, Refusal> {
    for _ in 0..500 {
        match stage() {
            Err(refusal) if refusal.code() == Code::LockBusy => std::thread::sleep(Duration::from_millis(2)),
            done => return done,
        }
    }
    stage()
}

/// The golden session, sealed and open.
pub struct Session {
    pub bound: Bound,
}

impl Session {
    /// The one session of this process.
    pub fn golden() -> &'static Self {
        static SESSION: LazyLock<Session> = LazyLock::new(Session::new);
        &SESSION
    }

    fn new() -> Self {
        let ground = Ground::new();
        let [manifest, accounting] = golden_files(&ground);
        let bound = patiently(|| bound::open(&ground.world(), &manifest, &accounting, "fuzzed")).unwrap();
        let Ok(bound) = bound else { panic!("the golden accounting is sealed") };
        // Everything was read; the folder may go.
        Self { bound }
    }

    /// The bytes with what only this version knows put in.
    pub fn filled(&self, data: &[u8]) -> Vec<u8> {
        let manifest = self.bound.ledger.sha256().to_string();
        let accounting = self.bound.accounting_sha256.to_string();
        replaced(&replaced(data, "@manifest@", &manifest), "@accounting@", &accounting)
    }
}

/// Collects, cuts and seals the golden session; gives manifest and accounting.
pub fn golden_files(ground: &Ground) -> [Utf8PathBuf; 2] {
    let case = project().join("golden/cases/claude-fix");
    let name = "0c1d2e3f-aaaa-4bbb-8ccc-000000000001.jsonl";
    let text = fs::read_to_string(case.join(name)).unwrap();
    let session = ground.file(name, bundled_session(&text).as_bytes());
    let manifest = ground.path("out/manifest.json");
    ground.file("out/manifest.json.ledger/secret", &SECRET);
    ground.collect(&session, &manifest).unwrap();
    patiently(|| packetize(&ground.world(), &manifest)).unwrap();
    let draft = fs::read_to_string(case.join("accounting.draft.json")).unwrap();
    let draft = patiently(|| filled(&ground.world(), &manifest, None, &draft)).unwrap();
    let draft = ground.file("out/accounting.draft.json", draft.as_bytes());
    let accounting = ground.path("out/accounting.json");
    patiently(|| seal_accounting(&ground.world(), &manifest, &draft, &accounting, None)).unwrap();
    [manifest, accounting]
}

/// The project, from the package that compiles this: the fuzz targets are a package of their own below it.
pub fn project() -> &'static Utf8Path {
    let package = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("golden/cases").is_dir()).unwrap()
}

/// A session with one child, as a set.
pub struct SmallSet {
    pub ground: Ground,
    pub path: Utf8PathBuf,
    pub sha256: Digest,
}

impl SmallSet {
    pub fn new() -> Self {
        let ground = Ground::new();
        let rows = format!("{}\n", MAIN_ROWS.join("\n")).replace("@main@", MAIN);
        let project = ".claude/projects/p";
        ground.file(&format!("{project}/{MAIN}.jsonl"), rows.as_bytes());
        let child = format!("{}\n", CHILD_ROWS.join("\n")).replace("@main@", MAIN);
        ground.file(&format!("{project}/{MAIN}/subagents/agent-a1.jsonl"), child.as_bytes());
        let path = ground.path("sets/set.json");
        for agent in [None, Some("a1")] {
            let hex = BoundaryId::derive(Harness::Claude, MAIN, agent, None).hex();
            ground.file(&format!("sets/set.json.boundaries/{hex}/manifest.json.ledger/secret"), &SECRET);
        }
        let order = CollectSet {
            session: Wanted::Named(MAIN.to_owned()),
            follows: Follows { children: true, chain: false },
            without: Vec::new(),
            output: path.clone(),
            repositories: Vec::new(),
            policy: None,
        };
        patiently(|| collect_set(&ground.world(), &order)).unwrap();
        let sha256 = Digest::of(&fs::read(&path).unwrap());
        Self { ground, path, sha256 }
    }
}

/// Bytes with every occurrence of a mark replaced.
pub fn replaced(data: &[u8], mark: &str, value: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(data.len()), data);
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark.as_bytes()) {
        let (before, behind) = rest.split_at(at);
        out.extend_from_slice(before);
        out.extend_from_slice(value.as_bytes());
        rest = behind.split_at(mark.len()).1;
    }
    out.extend_from_slice(rest);
    out
}

const MAIN_ROWS: [&str; 4] = [
    r#"{"type":"user","uuid":"m1","parentUuid":null,"sessionId":"@main@","timestamp":"2026-11-30T10:00:00.000Z","message":{"role":"user","content":"Look into it."}}"#,
    r#"{"type":"assistant","uuid":"m2","parentUuid":null,"sessionId":"@main@","timestamp":"2026-11-30T10:01:00.000Z","message":{"role":"assistant","id":"msg_m2","content":[{"type":"tool_use","id":"toolu_1","name":"Agent","input":{"prompt":"Look."}}]}}"#,
    r#"{"type":"user","uuid":"m3","parentUuid":null,"sessionId":"@main@","timestamp":"2026-11-30T10:02:00.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]},"toolUseResult":{"status":"completed","agentId":"a1","content":[]}}"#,
    r#"{"type":"assistant","uuid":"m4","parentUuid":null,"sessionId":"@main@","timestamp":"2026-11-30T10:03:00.000Z","message":{"role":"assistant","id":"msg_m4","content":[{"type":"text","text":"I looked."}]}}"#,
];
const CHILD_ROWS: [&str; 2] = [
    r#"{"type":"user","uuid":"a1-1","parentUuid":null,"sessionId":"@main@","isSidechain":true,"agentId":"a1","timestamp":"2026-11-30T10:01:10.000Z","message":{"role":"user","content":"Look into it."}}"#,
    r#"{"type":"assistant","uuid":"a1-2","parentUuid":null,"sessionId":"@main@","isSidechain":true,"agentId":"a1","timestamp":"2026-11-30T10:01:20.000Z","message":{"role":"assistant","id":"msg_a1-2","content":[{"type":"text","text":"I looked."}]}}"#,
];

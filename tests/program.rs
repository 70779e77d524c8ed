//! A private folder and the built program in it. The environment holds a home folder and nothing else, so that no
//! session of the person who runs the tests is ever looked at.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::Refusal;
use recap::base::clock::FixedClock;
use recap::base::receipt::Receipt;
use recap::base::rules::Code;
use recap::stage::collect::{Collect, collect};
use recap::stage::packetize::packetize;
use recap::stage::validate::validate;
use recap::stage::{World, read};

/// Longest run of one command; a command that waits for a pipe would otherwise hang the tests.
const LONGEST: Duration = Duration::from_secs(120);

/// What a command left behind.
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The code that standard error begins with.
    pub fn code(&self) -> &str {
        let line = self.stderr.lines().next().unwrap_or_default();
        line.strip_prefix("recap: ").and_then(|line| line.split(':').next()).unwrap_or_default()
    }

    /// The receipt.
    pub fn receipt(&self) -> serde_json::Value {
        assert_eq!((self.status, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// Where the drafts and the recap of a manifest lie: accounting draft, accounting, synthesis, recap.
pub fn beside(manifest: &Utf8Path) -> [Utf8PathBuf; 4] {
    ["draft.json", "accounting.json", "synthesis.json", "recap.md"].map(|name| manifest.with_file_name(name))
}

/// A private folder.
pub struct Room {
    folder: Utf8PathBuf,
    clock: FixedClock,
    interrupted: Arc<AtomicBool>,
    _keep: tempfile::TempDir,
}

impl Room {
    /// An empty one with mode 0700.
    pub fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// An empty one whose files cost nothing to flush, where the system has such a folder.
    pub fn in_memory() -> Self {
        let shared = Path::new("/dev/shm");
        if shared.is_dir() { Self::below(shared) } else { Self::new() }
    }

    fn below(folder: &Path) -> Self {
        let private = Permissions::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(private).tempdir_in(folder).unwrap();
        let folder = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        let clock = FixedClock("2031-03-04T05:06:07Z".parse().unwrap());
        Self { folder, clock, interrupted: Arc::default(), _keep: keep }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> Utf8PathBuf {
        self.folder.join(name)
    }

    /// A folder in it, open to nobody else.
    pub fn folder(&self, name: &str) -> Utf8PathBuf {
        let path = self.path(name);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).unwrap();
        path
    }

    /// A private file in it.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> Utf8PathBuf {
        let path = self.path(name);
        self.folder(path.parent().unwrap().as_str());
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        path
    }

    /// A copy of a transcript under its own name.
    pub fn copy(&self, transcript: &Utf8Path) -> Utf8PathBuf {
        self.file(transcript.file_name().unwrap(), fs::read(transcript).unwrap())
    }

    /// Runs the program.
    pub fn run<A: AsRef<str>>(&self, arguments: &[A]) -> Ran {
        self.run_with(arguments, &[])
    }

    /// Runs the program with further variables.
    pub fn run_with<A: AsRef<str>>(&self, arguments: &[A], variables: &[(&str, &str)]) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_recap"))
            .args(arguments.iter().map(AsRef::as_ref))
            .env_clear()
            .env("HOME", &self.folder)
            .envs(variables.iter().copied())
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut streams = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        std::thread::scope(|scope| {
            let text = |stream: &mut dyn std::io::Read| {
                let mut text = String::new();
                stream.read_to_string(&mut text).map(|_| text).unwrap()
            };
            let stdout = scope.spawn(move || text(&mut streams.0));
            let stderr = scope.spawn(move || text(&mut streams.1));
            let started = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                if started.elapsed() > LONGEST {
                    child.kill().unwrap();
                }
                std::thread::sleep(Duration::from_millis(2));
            };
            let status = status.code().unwrap_or(-1);
            Ran { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
        })
    }

    /// Collects as a library call.
    pub fn collect(&self, session: &Utf8Path, output: &Utf8Path) -> Result<Receipt, Refusal> {
        let order = Collect {
            session: session.to_owned(),
            output: Some(output.to_owned()),
            repositories: Vec::new(),
            policy: None,
            refresh_git: false,
            fresh: false,
        };
        patiently(|| collect(&self.world(), &order))
    }

    /// Packetizes as a library call.
    pub fn packetize(&self, manifest: &Utf8Path) -> Result<Receipt, Refusal> {
        patiently(|| packetize(&self.world(), manifest))
    }

    /// Validates as a library call.
    pub fn validate(&self, manifest: &Utf8Path) -> Result<Receipt, Refusal> {
        patiently(|| validate(&self.world(), manifest))
    }

    /// All parts of the outline.
    pub fn outline(&self, manifest: &Utf8Path) -> String {
        let parts = (1..).map_while(|part| read::outline(&self.world(), manifest, part).ok());
        parts.collect()
    }

    /// The world of library calls: fixed clock, this folder as home, no terminal.
    pub fn world(&self) -> World<'_> {
        World {
            clock: &self.clock,
            environment: BTreeMap::from([("HOME".to_owned(), self.folder.to_string())]),
            working_directory: self.folder.clone(),
            interrupted: Arc::clone(&self.interrupted),
            terminal: false,
        }
    }
}

/// Another thread that starts git holds a copy of our lock between its fork and its exec, so that within one
/// process a lock that was just given back may still be busy.
pub fn patiently<T>(stage: impl Fn() -> Result<T, Refusal>) -> Result<T, Refusal> {
    for _ in 0..500 {
        match stage() {
            Err(refusal) if refusal.code() == Code::LockBusy => std::thread::sleep(Duration::from_millis(2)),
            done => return done,
        }
    }
    stage()
}

/// What lies below a folder: every name with its mode, length, time of change and bytes.
pub fn listing(folder: &Utf8Path) -> BTreeMap<Utf8PathBuf, (u32, std::time::SystemTime, Vec<u8>)> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let bytes = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if metadata.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path, (metadata.permissions().mode(), metadata.modified().unwrap(), bytes));
        }
    }
    found
}

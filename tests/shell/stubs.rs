//! A folder in which a real `bash` runs scripts: programs in it do nothing but end with the status that they were told,
//! and say so.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

/// Says what it was called with and how it ends, after its output: one that was killed says nothing. `t N` has a
/// status of its own, `S<N>`, and asks with `B<N>` for more output than a pipe holds. What loops does so six times.
const STUB: &str = r#"#!/bin/sh
n=${0##*/}
case "$n" in
t) eval "s=\${S$1:-0}; b=\${B$1:-}" ;;
RUNNERS) s=${T:-0}; b= ;;
*) s=${U:-0}; b= ;;
esac
echo out
if [ -n "$b" ]; then head -c 200000 /dev/zero | tr '\0' x || exit 141; fi
IFS=US
if [ "$n" != t ] && [ "$(grep -ac . "$STUB_LOG" 2>/dev/null || :)" -gt 6 ]; then s=$((! s)); fi
echo "$s$IFS$n$IFS$*RS" >> "$STUB_LOG"
exit "$s"
"#;

/// Runs what stands behind its own words: the first that is one of the programs looked at.
const WRAPPER: &str = r#"#!/bin/sh
for word in "$@"; do
    case "${word%@*}" in RUNNERS|t|bash|env) w=${word%@*}; shift; exec "$w" "$@" ;; esac
    shift
done
exit 0
"#;

/// Programs that verify, by the names that scripts use.
const RUNNERS: &str = "cargo|pytest|npm|pnpm|yarn|go|jest|make|just|bazel|ctest|mvn|dotnet|swift|mix|phpunit|deno|bun|tox|tsc|\
eslint|ruff|mypy|python|python3|python3.12|rspec|vitest|node|playwright|gradlew|mvnw";

/// Programs that run another one; `npm` and its kin only with the word for it.
const WRAPPERS: &[&str] = &[
    "sudo", "uv", "uvx", "npx", "docker", "xvfb-run", "poetry", "pipenv", "pdm", "pipx", "bunx", "bundle",
    "nix",
];

/// Programs that do nothing here.
const OTHERS: &[&str] = &["u", "git", "jq", "psql", "mysql", "cmake", "bd", "rg", "apply_patch", "configure"];

/// System programs that scripts use.
const SYSTEM: &[&str] = &[
    "bash", "sh", "env", "timeout", "nice", "nohup", "stdbuf", "tail", "head", "cat", "tee", "grep", "sort",
    "wc", "sed", "tr", "cut", "sleep", "date", "ls", "mkdir", "find", "xargs", "yes", "true", "false",
    "test", "[", "echo", "printf", "kill", "rm", "seq", "pwd", "diff", "which",
];

/// Files of a project that scripts name by their path.
const LOCAL: &[&str] = &[
    "gradlew",
    "mvnw",
    "configure",
    "node_modules/.bin/jest",
    "vendor/bin/phpunit",
    "home/.cargo/bin/cargo",
];

/// Folders of a project that scripts go to.
const FOLDERS: &[&str] = &[
    "d",
    "web",
    "build",
    "api",
    ".venv/bin",
    "node_modules/.bin",
    "vendor/bin",
    "home/.cargo/bin",
    "home/app",
];

/// Files that scripts read; the first three are for made-up scripts, too.
const FILES: &[(&str, &str)] = &[
    ("fine.sh", "A=1\n"),
    ("leave.sh", "exit 0\n"),
    ("strict.sh", "set -eo pipefail\n"),
    ("setup.sh", "exit 0\n"),
    ("test.sh", "cargo test\n"),
    ("made.py", ""),
    (".venv/bin/activate", "VIRTUAL_ENV=x\n"),
    ("Cargo.toml", "cargo test\n"),
];

/// What lies in the folder in which a script runs.
#[derive(Debug, Clone, Copy)]
pub enum Layout {
    /// Little.
    Bare,
    /// What the table of real commands names.
    Project,
}

/// The folder.
pub struct Stubs {
    folder: TempDir,
}

/// A command that ran.
#[derive(Debug)]
pub struct Call {
    /// How it ended.
    pub status: u32,
    /// The name of its program.
    pub program: String,
    /// The words behind.
    pub words: Vec<String>,
}

/// What a script came to.
pub struct Ran {
    /// Its own status; `None` when a signal ended it or it did not end.
    pub status: Option<u32>,
    /// The commands that ran, in the order of their ends.
    pub calls: Vec<Call>,
}

impl Ran {
    /// The statuses of some of the calls.
    pub fn statuses(&self, which: impl Fn(&Call) -> bool) -> Vec<u32> {
        self.calls.iter().filter(|call| which(call)).map(|call| call.status).collect()
    }
}

/// It has a stub, so that every run of it is seen.
pub fn is_stub(program: &str) -> bool {
    RUNNERS.split('|').any(|name| name == program) || OTHERS.contains(&program)
}

/// There is a bash whose behaviour can be compared with.
pub fn bash_is_here() -> bool {
    Path::new("/bin/bash").exists()
}

impl Stubs {
    /// With every stub in place.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stubs = Self { folder };
        let bin = stubs.folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let stub = STUB.replace("RUNNERS", RUNNERS).replace("US", "'\u{1f}'").replace("RS", "\u{1e}");
        let wrapper = WRAPPER.replace("RUNNERS", &format!("{RUNNERS}|{}", OTHERS.join("|")));
        program(&bin.join("t"), &stub);
        for name in RUNNERS.split('|').chain(OTHERS.iter().copied()) {
            program(&bin.join(name), &stub);
        }
        for name in ["npm", "pnpm", "yarn"] {
            let both = stub.replacen(
                "n=",
                &format!(
                    "case \" $* \" in *\" exec \"*|*\" dlx \"*)\n{} ;; esac\nn=",
                    wrapper.trim_start_matches("#!/bin/sh\n").replace("exit 0\n", "")
                ),
                1,
            );
            program(&bin.join(name), &both);
        }
        for name in WRAPPERS {
            program(&bin.join(name), &wrapper);
        }
        for name in SYSTEM {
            let own = ["/bin", "/usr/bin"]
                .iter()
                .map(|folder| Path::new(folder).join(name))
                .find(|path| path.exists());
            if let Some(path) = own {
                symlink(path, bin.join(name)).unwrap();
            }
        }
        stubs
    }

    /// Bash does not take it for a script.
    pub fn is_refused(&self, script: &str) -> bool {
        let mut command = Command::new("/bin/bash");
        command.args(["-n", "-c", "--", script]).process_group(0).env_clear().current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        in_time(&mut command).is_some_and(|status| status != 0)
    }

    fn furnish(&self, at: &Path, layout: Layout) {
        let (folders, files, programs): (&[&str], &[(&str, &str)], &[&str]) = match layout {
            Layout::Bare => (&["d"], &FILES[..3], &[]),
            Layout::Project => (FOLDERS, FILES, LOCAL),
        };
        for folder in folders {
            fs::create_dir_all(at.join(folder)).unwrap();
        }
        for (name, text) in files {
            fs::write(at.join(name), text).unwrap();
        }
        for name in programs {
            let program = self.folder.path().join("bin").join(Path::new(name).file_name().unwrap());
            symlink(program, at.join(name)).unwrap();
        }
    }

    /// Runs a script with these variables of the environment; what it would write below `/tmp` it writes in its folder.
    pub fn run(&self, script: &str, variables: &[(String, String)], layout: Layout) -> Ran {
        let work = tempfile::tempdir_in(self.folder.path()).unwrap();
        let at = work.path();
        self.furnish(at, layout);
        let log = at.join("calls");
        let mut command = Command::new("/bin/bash");
        command.args(["-c", "--", &script.replace("/tmp/", "./")]).process_group(0).env_clear();
        command
            .env("PATH", self.folder.path().join("bin"))
            .env("HOME", at.join("home"))
            .env("STUB_LOG", &log);
        command.env("T", "0").env("U", "0").envs(variables.iter().cloned()).current_dir(at);
        // A function that calls itself ends soon.
        command.env("FUNCNEST", "30");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = in_time(&mut command);
        let log = fs::read_to_string(&log).unwrap_or_default();
        Ran { status, calls: log.split_terminator("\u{1e}\n").map(call).collect() }
    }
}

fn program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

fn call(line: &str) -> Call {
    let mut parts = line.split('\u{1f}').map(str::to_owned);
    let status = parts.next().unwrap().parse().unwrap();
    let program = parts.next().unwrap();
    Call { status, program, words: parts.filter(|word| !word.is_empty()).collect() }
}

/// Runs to the end, then ends what is left of the group.
fn in_time(command: &mut Command) -> Option<u32> {
    let mut child = command.spawn().unwrap();
    let group = Pid::from_child(&child);
    let deadline = Instant::now() + LONGEST;
    let ended = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if Instant::now() > deadline {
            break None;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let _nobody_is_left = kill_process_group(group, Signal::KILL);
    let _reaped = child.wait();
    ended.map(|code| u32::try_from(code).unwrap())
}

/// A script that runs longer shows nothing.
const LONGEST: Duration = Duration::from_secs(5);

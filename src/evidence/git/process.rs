//! Runs one program with a bound on its time, its output and, where the system lets us, its memory. It reads no
//! environment and decides nothing about what is run; whatever happens, the program and its process group are
//! killed when it returns.

use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use zeroize::Zeroizing;

use super::deadline::{Apart, Deadline};
use crate::base::limits;
use crate::base::rules::Code;

/// How often a program that closed its output but still runs is looked at.
const POLL: Duration = Duration::from_millis(2);
/// How long a killed program is waited for: one that hangs in a dead file system cannot even be killed.
const BURIAL: Duration = Duration::from_secs(1);

/// What a program that ended by itself left.
#[derive(Debug)]
pub struct Output {
    /// Everything it printed; never cut.
    pub stdout: Zeroizing<Vec<u8>>,
    /// Its exit status.
    pub exit: i32,
    /// It printed something on its error stream.
    pub warned: bool,
}

/// Runs `command` within the probe bounds.
pub fn run(command: Command, deadline: Deadline) -> Result<Output, Code> {
    run_until(command, deadline.of_next_question(), limits::PROBE_BYTES, limits::PROBE_MEMORY_BYTES)
}

/// Runs `command` until `deadline` with at most `most_bytes` of output: `probe-timeout`, `probe-truncated` or
/// `probe-failed` (not started, or ended by a signal) otherwise.
fn run_until(
    mut command: Command,
    deadline: Instant,
    most_bytes: usize,
    most_memory: u64,
) -> Result<Output, Code> {
    if Instant::now() >= deadline {
        return Err(Code::ProbeTimeout);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut running = Running { child: command.spawn().map_err(|_| Code::ProbeFailed)?, reaped: false };
    bound_memory(&running.child, most_memory);
    let stdout = read_apart(running.child.stdout.take().ok_or(Code::ProbeFailed)?, most_bytes)?;
    let stderr =
        read_apart(running.child.stderr.take().ok_or(Code::ProbeFailed)?, limits::PROBE_ERROR_BYTES)?;
    let stdout = stdout.wait(deadline)?;
    let stderr = stderr.wait(deadline)?;
    let exit = running.wait(deadline)?;
    Ok(Output { stdout, exit, warned: !stderr.is_empty() })
}

/// A started program that does not outlive this value.
struct Running {
    child: Child,
    reaped: bool,
}

impl Running {
    fn wait(&mut self, deadline: Instant) -> Result<i32, Code> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.reaped = true;
                    return status.code().ok_or(Code::ProbeFailed);
                }
                Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL),
                Ok(None) => return Err(Code::ProbeTimeout),
                Err(_) => return Err(Code::ProbeFailed),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Only an unreaped child still holds its process id; signalling a reaped one could hit a stranger.
        if !self.reaped {
            let _already_gone = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let until = Instant::now() + BURIAL;
            while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
                std::thread::sleep(POLL);
            }
        }
    }
}

/// Bounds what a program may allocate. An object of a few bytes can unpack to any size, and a setting can name
/// `/dev/zero` as a file to read. What the program did before this line is microseconds of its own beginning.
#[cfg(target_os = "linux")]
fn bound_memory(child: &Child, most_bytes: u64) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let limit = Rlimit { current: Some(most_bytes), maximum: Some(most_bytes) };
    // A program that already ended has no limits; a system that forbids it has only the bound of time.
    let _too_late = prlimit(Some(Pid::from_child(child)), Resource::Data, limit);
}

/// Elsewhere no safe call bounds another process; the time is bounded.
#[cfg(not(target_os = "linux"))]
fn bound_memory(_child: &Child, _most_bytes: u64) {}

/// Reads a pipe beside the caller: a program that left the group could hold the pipe open, and the caller must
/// return all the same.
fn read_apart(
    pipe: impl Read + Send + 'static,
    most_bytes: usize,
) -> Result<Apart<Zeroizing<Vec<u8>>>, Code> {
    Apart::begin(move || read_bounded(pipe, most_bytes))
}

/// Reads one byte over the bound at most.
fn read_bounded(pipe: impl Read, most_bytes: usize) -> Result<Zeroizing<Vec<u8>>, Code> {
    let mut bytes = Zeroizing::new(Vec::new());
    let bound = u64::try_from(most_bytes).unwrap_or(u64::MAX).saturating_add(1);
    pipe.take(bound).read_to_end(&mut bytes).map_err(|_| Code::ProbeFailed)?;
    if bytes.len() > most_bytes { Err(Code::ProbeTruncated) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::{Output, run_until};
    use crate::base::rules::Code;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    const LONG: Duration = Duration::from_secs(20);
    const MEMORY: u64 = 1 << 30;

    fn run_within(command: Command, longest: Duration, most_bytes: usize) -> Result<Output, Code> {
        run_until(command, Instant::now() + longest, most_bytes, MEMORY)
    }

    #[test]
    fn output_status_and_warnings_are_told_apart() {
        let output = run_within(shell("echo out; echo err >&2; exit 3"), LONG, 100).expect("ran");
        assert_eq!((output.stdout.as_slice(), output.exit, output.warned), (&b"out\n"[..], 3, true));
    }

    #[test]
    fn a_slow_program_and_its_children_are_killed() {
        let folder = tempfile::tempdir().expect("temp");
        let marker = folder.path().join("late");
        let script = format!("(sleep 1; touch '{}') & sleep 30", marker.display());
        let started = Instant::now();
        let result = run_within(shell(&script), Duration::from_millis(200), 100);
        assert_eq!(result.err(), Some(Code::ProbeTimeout));
        assert!(started.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(1_500));
        assert!(!marker.exists());
    }

    #[test]
    fn too_much_output_is_refused_and_the_exact_bound_is_not() {
        assert_eq!(
            run_within(shell("printf 1234"), LONG, 4).map(|output| output.stdout),
            Ok(b"1234".to_vec().into())
        );
        assert_eq!(run_within(shell("printf 12345"), LONG, 4).err(), Some(Code::ProbeTruncated));
        assert_eq!(
            run_within(shell("while :; do echo x; done"), LONG, 1_000).err(),
            Some(Code::ProbeTruncated)
        );
    }

    /// `tail` keeps a line that does not end.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_wants_all_memory_does_not_get_it() {
        let hungry = || shell("sleep 0.2; head -c 200000000 /dev/zero | tail -n 1 | wc -c");
        let run = |memory| run_until(hungry(), Instant::now() + LONG, 100, memory).expect("ran");
        assert_eq!(run(MEMORY).stdout.trim_ascii(), b"200000000");
        let bounded = run(64 << 20);
        assert!(bounded.warned && bounded.stdout.trim_ascii() != b"200000000", "{bounded:?}");
    }

    #[test]
    fn nothing_is_started_after_the_end() {
        let folder = tempfile::tempdir().expect("temp");
        let marker = folder.path().join("late");
        let command = shell(&format!("touch '{}'", marker.display()));
        assert_eq!(run_within(command, Duration::ZERO, 4).err(), Some(Code::ProbeTimeout));
        assert!(!marker.exists());
    }

    #[test]
    fn a_program_that_is_not_there_or_dies_of_a_signal_failed() {
        assert_eq!(run_within(Command::new("/no/such/program"), LONG, 4).err(), Some(Code::ProbeFailed));
        assert_eq!(run_within(shell("kill -9 $$"), LONG, 4).err(), Some(Code::ProbeFailed));
    }
}
